import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { VECTORS } from '../../test/support/xss.ts'
import { launch } from '../browser.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../desk.ts'
import { openSite } from '../site.ts'

let browser: Browser
t.before(async () => {
  browser = await launch()
})
t.teardown(() => browser?.close())

/** One of each technique, as a text that is typed. */
const ALL = Object.values(VECTORS).flat()
const told = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
/** What is allowed to complain: pictures that are not there, and what the policy has refused. */
const harmless = (fault: string) =>
  /status of (40[034]|422)|Content Security Policy|ERR_NAME|ERR_FAILED/.test(fault)

t.test('what attackers type into every field does nothing at the desk and on the page', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults, context } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const attacks = ALL.map((attack) => attack.replace(/\s+/g, ' ')).filter((attack) => attack.length < 400)
  const at = (number: number) => attacks[number % attacks.length]!
  const addresses: string[] = []
  for (let round = 0; round < 3; round++) {
    const first = round * 9
    await page.goto(`${origin}/desk/#/events/new`)
    await page.getByRole('heading', { level: 1, name: 'New event' }).waitFor()
    await page.getByLabel('Title').fill(`x ${at(first)}`)
    await page.getByRole('button', { name: 'HTML' }).click()
    await page.locator('.prose textarea').fill(attacks.slice(first * 4, first * 4 + 30).join('\n'))
    await page.getByLabel('Short description').fill(at(first + 1))
    await page.getByLabel('Price').fill(`5 ${at(first + 2)}`.slice(0, 200))
    await page.getByRole('combobox', { name: 'Venue' }).fill(`Hall ${at(first + 3)}`)
    await page.locator('[role=option] .make').click()
    const dialog = page.getByRole('dialog', { name: 'New venue' })
    await dialog.getByLabel('City').fill(at(first + 4))
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Tags' }).fill(`tag ${at(first + 5)}`)
    await page.locator('[role=option] .make').click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.preview').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await told(page, 'visible to everyone')
    // opened again: in the form, in both views of its text, in the lists, and by visitors
    await page.reload()
    await page.getByLabel('Title').waitFor()
    await page.getByRole('button', { name: 'HTML' }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.preview').waitFor()
    addresses.push(page.url())
  }
  await page.goto(`${origin}/desk/#/events`)
  await page.locator('table.events a').first().waitFor()
  await page.goto(`${origin}/desk/#/month/2026-11`)
  await page.locator('.bar-event').first().waitFor()
  const { events } = (await api.anonymous.get('/events')).body
  t.equal(events.length, 3)
  for (const { url } of events) await page.goto(origin + new URL(url).pathname)
  t.same(
    faults.filter((fault) => !harmless(fault) && !/^asks /.test(fault)),
    [],
    'nothing ran',
  )
  t.same(await context.cookies(), [])
})

t.test('no token stands in an address, and the desk is in no frame', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const asked: string[] = []
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  await page.getByText('There are no events yet.').waitFor()
  const token = await page.evaluate('JSON.parse(sessionStorage.getItem("desk.session")).token')
  t.match(token, /^alm_/)
  t.same(
    asked.filter((url) => /alm_|token/.test(url)),
    [],
  )
  t.ok(asked.length > 3)
  t.same(unexpected(faults), [])
  const site = await openSite(t, `<iframe src="${origin}/desk/"></iframe>`, `frame-src ${origin}`)
  await page.goto(site)
  await page.frames()[1]!.waitForURL('chrome-error://chromewebdata/', { waitUntil: 'commit' })
})
