import { PassThrough } from 'node:stream'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { loggerOf } from '../../../src/run/serve.ts'
import { build, ROOT } from '../../../test/support/app.ts'
import { addUser, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { listen, open, openSite } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { inPage } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** Everything that a browser keeps for a site and shows to other pages of it, or to other sites. */
const KEPT = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, window.name, history.state, location.href, document.referrer,
  (await indexedDB.databases()).map(({ name }) => name), window.caches ? await caches.keys() : [],
  (await navigator.serviceWorker?.getRegistrations() ?? []).length,
]))()`

t.test('a session is out of the reach of scripts and other sites, and signing out revokes it', async (t) => {
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
  const [cookie] = await context.cookies()
  const token = cookie!.value
  t.match(token, /^alm_/)
  t.match(cookie, { httpOnly: true, sameSite: 'Strict', path: ROOT })
  await page.getByRole('link', { name: 'New event' }).click()
  await page.getByLabel('Title').fill('A walk')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/events\/\d+$/)
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByText('A walk').waitFor()
  const secrets = [token, token.slice(4), who.password, who.password.replaceAll(' ', '')]
  const has = (text: string) => secrets.filter((secret) => text.includes(secret))
  t.same(has((await page.evaluate(KEPT)) as string), [], 'in nothing that scripts and other sites read')
  t.same(has(await page.content()), [], 'in no page')
  t.ok(sent.length > 10)
  t.same(has(sent.join(' ')), [], 'in no address')

  const headers = { authorization: `Bearer ${token}` }
  const asked = () => api.anonymous.get('/session', undefined, { headers })
  t.equal((await asked()).status, 200)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal((await asked()).status, 401, 'it works no more')
  t.same([await context.cookies(), await page.evaluate('localStorage.length')], [[], 0])
  await page.goBack()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.match(logged, `${ROOT}/session`)
  t.same(has(logged), [], 'in no line of the log')
  t.notMatch(logged, Buffer.from(`${who.login}:${who.password}`).toString('base64'))
  t.same(unexpected(faults), [])
})

t.test('one signs in once for all tabs, also below a path, and out of all', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'http://calendar.test/agenda' } })
  const origin = await listen(api)
  const who = await addUser(api, 'marta', 'editor')
  const { page, context, faults } = await open(t, browser, origin, { locale: 'en-GB' })
  await page.goto(`${origin}/agenda/desk/`)
  await typeLogin(page, { ...who, password: 'wrong' })
  await page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor()
  await typeLogin(page, who)
  await page.getByText('There are no events yet.').waitFor()
  t.match(await context.cookies(`${origin}/agenda${ROOT}`), [{ httpOnly: true, path: `/agenda${ROOT}` }])
  t.same(await context.cookies(`${origin}/agenda/`), [], 'no other request carries it')
  await page.close()

  // the browser is started anew: it has what was to outlive it
  const { cookies, origins } = await context.storageState()
  const kept = { cookies: cookies.filter(({ expires }) => expires > 0), origins }
  const restarted = await open(t, browser, origin, { locale: 'en-GB', storageState: kept })
  await restarted.page.goto(`${origin}/agenda/desk/#/account`)
  await restarted.page.getByText('this one').waitFor()
  await restarted.context.close()
  // the window is closed and opened: the desk goes on
  const [one, two] = [await context.newPage(), await context.newPage()]
  for (const tab of [one, two]) {
    await tab.goto(`${origin}/agenda/desk/#/account`)
    await tab.getByText('this one').waitFor()
  }
  await one.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [one, two]) await tab.getByRole('button', { name: 'Sign in' }).waitFor()

  await typeLogin(one, who)
  for (const tab of [one, two]) await tab.getByText('this one').waitFor()
  await one.getByRole('button', { name: 'Sign out' }).click()
  await typeLogin(two, await addUser(api, 'pau', 'author'))
  await one.getByRole('link', { name: 'pau, author' }).waitFor()
  t.same(unexpected(faults, 401), [])
})

t.test(
  'without a network one is signed out all the same, and the session ends when there is one',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { page, faults, context } = await openDesk(
      t,
      browser,
      origin,
      await addUser(api, 'marta', 'editor'),
    )
    await page.getByText('There are no events yet.').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    t.equal((await context.cookies()).length, 1, 'scripts can not remove it')
    const ended = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await context.setOffline(false)
    t.equal((await ended).status(), 200)
    await inPage(page, 'localStorage.length === 0')
    t.same(await context.cookies(), [])
    t.same(
      faults.filter((fault) => !/INTERNET_DISCONNECTED/.test(fault)),
      [],
    )
  },
)

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
