import { PassThrough } from 'node:stream'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { loggerOf } from '../../src/run/serve.ts'
import { build, ROOT } from '../../test/support/app.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../desk.ts'
import { listen } from '../pages.ts'
import { sharedBrowser } from '../shared-browser.ts'
import { openSite } from '../site.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** Everything that a browser keeps for a site and shows to other pages of it, or to other sites. */
const KEPT = `(async () => JSON.stringify([
  { ...localStorage }, document.cookie, window.name, history.state, location.href, document.referrer,
  (await indexedDB.databases()).map(({ name }) => name), window.caches ? await caches.keys() : [],
  (await navigator.serviceWorker?.getRegistrations() ?? []).length,
]))()`

t.test('a token is kept in its tab alone, and signing out revokes it', async (t) => {
  const stream = new PassThrough()
  let logged = ''
  stream.on('data', (line) => {
    logged += line
  })
  const env = { TIMEZONE: 'Europe/Madrid' }
  const api = await build(t, { env, logger: { ...loggerOf('trace', false), stream } })
  const origin = await listen(api)
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults, context } = await openDesk(t, browser, origin, who)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''))
  await page.reload()
  await page.getByText('There are no events yet.').waitFor()
  const token = (await page.evaluate('JSON.parse(sessionStorage.getItem("desk.session")).token')) as string
  t.match(token, /^alm_/)
  await page.getByRole('link', { name: 'New event' }).click()
  await page.getByLabel('Title').fill('A walk')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/events\/\d+$/)
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByText('A walk').waitFor()
  const secrets = [token, token.slice(4), who.password, who.password.replaceAll(' ', '')]
  const has = (text: string) => secrets.filter((secret) => text.includes(secret))
  t.same(has((await page.evaluate(KEPT)) as string), [], 'in nothing that other tabs and sites read')
  t.same(has((await page.evaluate('JSON.stringify({ ...sessionStorage })')) as string), [
    token,
    token.slice(4),
  ])
  t.same(has(await page.content()), [], 'in no page')
  t.ok(sent.length > 10)
  t.same(has(sent.join(' ')), [], 'in no address')

  // what opens in a new tab has nothing of it
  await page.goBack()
  const [shown] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'View in the calendar' }).click(),
  ])
  await shown.getByRole('heading', { level: 1, name: 'A walk' }).waitFor()
  t.equal(await shown.evaluate('sessionStorage.length + (opener ? 1 : 0)'), 0)
  await shown.close()

  const headers = { authorization: `Bearer ${token}` }
  const asked = () => api.anonymous.get('/session', undefined, { headers })
  t.equal((await asked()).status, 200)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal((await asked()).status, 401, 'it works no more')
  t.equal(await page.evaluate('sessionStorage.length'), 0)
  await page.goBack()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.match(logged, `${ROOT}/session`)
  t.same(has(logged), [], 'in no line of the log')
  t.notMatch(logged, Buffer.from(`${who.login}:${who.password}`).toString('base64'))
  t.same(unexpected(faults), [])
})

t.test('without a network one is signed out of the tab all the same', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults, context } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByText('There are no events yet.').waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await page.evaluate('sessionStorage.length'), 0)
  t.same(
    faults.filter((fault) => !/INTERNET_DISCONNECTED/.test(fault)),
    [],
  )
})

t.test('the desk is in no frame', async (t) => {
  const { origin } = await serveEmpty(t)
  const page = await browser.newPage()
  t.teardown(() => page.close())
  const site = await openSite(t, `<iframe src="${origin}/desk/"></iframe>`, `frame-src ${origin}`)
  await page.goto(site)
  // the frame is there before it is refused
  await page.frames()[1]!.waitForURL('chrome-error://chromewebdata/')
  t.equal(await page.frames()[1]!.locator('noscript, main').count(), 0)
})
