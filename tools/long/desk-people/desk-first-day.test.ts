import type { Browser, Locator } from 'playwright-core'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { greet } from '../../../src/run/serve.ts'
import { build } from '../../../test/support/app.ts'
import { listen, open } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('the first event is published with three clicks and little typing', async (t) => {
  const api = await build(t, { users: false })
  const origin = await listen(api)
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  await greet(api.app.store, readConfig({ BASE_URL: origin }), { print, terminal: true })
  const address = /https?:\S+\/desk\//.exec(printed)![0]
  const login = /created: +(\w+)/.exec(printed)![1]!
  const password = /password: +(.+)/.exec(printed)![1]!
  const { page } = await open(t, browser, origin, { locale: 'en-GB' })

  const did = { clicks: 0, typed: 0, copied: 0 }
  const click = async (place: Locator) => {
    await place.click()
    did.clicks++
  }
  /** Into the field that has the focus, as a person who does not reach for the mouse. */
  const type = async (text: string) => {
    await page.keyboard.type(text)
    did.typed += text.length
  }
  const press = async (key: string) => {
    await page.keyboard.press(key)
    did.typed++
  }
  await page.goto(address)
  did.copied++ // the address, which most terminals open by a click
  await page.locator('[name=username]:focus').waitFor() // the field has the focus
  await type(login)
  await press('Tab')
  await page.keyboard.insertText(password)
  did.copied++
  await press('Enter')
  // where the calendar is at home is asked, and can be said later
  await page.getByRole('dialog', { name: 'Set up your calendar' }).waitFor()
  await press('Escape')
  await click(page.getByRole('link', { name: 'Write the first one' }))
  await click(page.getByLabel('Title'))
  await type('First night')
  // the day of today stands there already; another one is typed
  await press('Tab')
  await type('02052031')
  await click(page.getByRole('button', { name: 'Publish' }))
  await told(page, 'visible to everyone')
  t.equal((await api.anonymous.get('/events?when=all')).body.total, 1)
  t.same(did, { clicks: 3, typed: login.length + 'First night'.length + 8 + 4, copied: 2 })
  t.comment(did)
})

t.test('a browser loads less than 250 kB', async (t) => {
  const { app } = await build(t)
  const { payload } = await app.inject({ url: '/desk/' })
  const addresses = payload.match(/\/desk\/assets\/[^"]+/g)!
  t.equal(addresses.length, 3)
  let bytes = payload.length
  // as browsers ask over HTTPS
  for (const url of addresses)
    bytes += (await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } })).rawPayload
      .length
  t.ok(bytes < 250_000, `${bytes} bytes`)
})
