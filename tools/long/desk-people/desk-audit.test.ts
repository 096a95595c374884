import type { Browser, Locator, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { type Api, basicAuth } from '../../../test/support/app.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const log = (page: Page) =>
  page.getByRole('navigation', { name: 'Parts of the desk' }).getByRole('link', { name: 'Audit log' })
/** The rows of the log, each as its cells. */
const rowsOf = (page: Page) => page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
const cellsOf = async (row: Locator) => {
  await row.waitFor()
  return (await row.locator('th, td').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
}
const count = (page: Page, wanted: number) =>
  page.getByRole('heading', { level: 1, name: `Audit log ${wanted}`, exact: true }).waitFor()

const ATTACK = '<img src=x onerror=alert(1)>'

/** An hour in which an administrator adds a user, who signs in, and an editor deletes an event. */
async function anHour({ app, administrator, editor, anonymous, clock }: Api) {
  const { id, password } = await must(
    administrator.post('/users', { login: 'berta', role: 'author', name: 'Berta Puig' }),
  )
  const headers = (text: string) => ({ authorization: basicAuth('berta', text) })
  await anonymous.get('/session', undefined, { headers: headers('wrong') })
  await app.audited.flush() // it is written a second later otherwise
  await must(anonymous.post('/session', undefined, { headers: headers(password) }))
  clock.now += 3_600_000
  await must(administrator.patch(`/users/${id}`, { role: 'editor', disabled: true }))
  const event = await must(editor.post('/events', { ...EVENT, title: 'Jam session' }))
  await must(editor.delete(`/events/${event.id}?force=true`))
  return { id, event: event.id }
}

t.test('an administrator reads who did what, and asks for what and by whom', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const berta = await anHour(api)
  const who = await addUser(api, 'boss', 'administrator')
  const { page, faults } = await openDesk(t, browser, origin, who, { timezoneId: 'Asia/Tokyo' })
  await log(page).click()
  const rows = rowsOf(page)
  const gone = rows.filter({ hasText: 'Deleted permanently' })
  t.same(await cellsOf(gone), [
    ...['21 Nov 2026, 11:00:00 CET', 'editor', 'Deleted permanently', `Event ${berta.event}`, '127.0.0.1'],
    'Title: Jam session Status: Published Signed in with: Token 4',
  ])
  t.equal(await gone.locator('time').getAttribute('title'), '2026-11-21 10:00:00 UTC')
  // the names of users come after the entries
  const row = rows.filter({ hasText: 'User changed' })
  await row.getByRole('cell', { name: 'Berta Puig (berta)', exact: true }).waitFor()
  const changed = await cellsOf(row)
  t.match(
    changed[5],
    'Login: berta Role: author → editor Disabled: no → yes Signed in with: Application password 1',
  )
  const refused = await cellsOf(rows.filter({ hasText: 'Sign-in refused' }))
  t.same([refused[0], refused[1]], ['21 Nov 2026, 10:00:00 CET', 'Not signed in'])
  t.equal(refused[5], 'Reason: wrong login or password Login: berta')
  const all = await rows.count()
  t.match(await cellsOf(rows.first()), { 2: 'Signed in' }, 'the latest first')
  t.same(await findingsOf(page), [])

  await page.getByLabel('What', { exact: true }).selectOption('User changed')
  await count(page, 1)
  t.match(page.url(), /#\/audit\?code=user_changed$/)
  await page.getByLabel('What', { exact: true }).selectOption('All')
  await count(page, all)
  await gone.getByRole('link', { name: 'editor' }).click()
  await gone.waitFor()
  await count(page, 2)
  await page.reload()
  await count(page, 2)
  // the users that one may choose from come after the entries
  const chosen = page.getByLabel('Who').locator('option:checked')
  await chosen.filter({ hasText: /^editor$/ }).waitFor({ state: 'attached' })
  await page.getByLabel('Who').selectOption('Berta Puig (berta)')
  await rows.filter({ hasText: 'Signed in' }).filter({ hasText: 'Berta Puig (berta)' }).waitFor()
  t.match(await cellsOf(rows.filter({ hasText: 'Signed in' })), { 1: 'Berta Puig (berta)' })
  await page.getByLabel('From').fill('2026-11-22')
  await page.getByText('No entry matches these filters.').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await count(page, all)
  await page.getByLabel('Language of the desk').selectOption('ca')
  await page.getByRole('heading', { level: 1, name: 'Registre d’auditoria' }).waitFor()
  const deleted = page.getByRole('row').filter({ hasText: 'Suprimit definitivament' })
  await deleted.getByText('Estat: Publicat').waitFor()
  t.same(unexpected(faults), [])
})

t.test('days are those of the calendar, and a long log has pages', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { audit } = api.app.store
  const by = { origin: 'command', address: `root@${ATTACK}` } as const
  const days = ['2026-11-18T23:30:00Z', '2026-11-18T22:30:00Z', '2026-11-19T22:59:59Z']
  const now = api.clock.now
  for (const day of days) {
    api.clock.now = Date.parse(day)
    await audit.note(by, 'data_exported', undefined, { command: 'backup', to: ATTACK })
  }
  api.clock.now = now
  for (let at = 0; at < 31; at++) await audit.note(by, 'login_failed', undefined, { reason: 'several' }, 12)
  const who = await addUser(api, 'boss', 'administrator')
  const looks = { timezoneId: 'Asia/Tokyo', viewport: PHONE }
  const { page, faults } = await openDesk(t, browser, origin, who, looks)
  await page.getByRole('button', { name: 'Menu' }).click()
  await log(page).click()
  await page.getByRole('heading', { level: 1, name: /^Audit log \d/ }).waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('From').fill('2026-11-19')
  await page.getByLabel('Until').fill('2026-11-19')
  await count(page, 2)
  t.same(
    (await rowsOf(page).locator('time').allInnerTexts()).toSorted(),
    ['19 Nov 2026, 00:30:00 CET', '19 Nov 2026, 23:59:59 CET'],
    'the first and the last hour of the nineteenth in Madrid',
  )
  t.match(await cellsOf(rowsOf(page).first()), { 1: 'Command line', 5: `Command: backup To: ${ATTACK}` })
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await page.getByLabel('Until').fill('')
  await page.getByLabel('What', { exact: true }).selectOption('Sign-in refused')
  await count(page, 31)
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('Page 2 of 2').waitFor()
  await rowsOf(page).nth(1).waitFor({ state: 'detached' })
  t.match(await cellsOf(rowsOf(page).first()), { 2: 'Sign-in refused 12 times' })
  t.match(page.url(), /page=2$/)
  await page.getByLabel('What', { exact: true }).selectOption('Calendar exported')
  await count(page, 2)
  t.notMatch(page.url(), /page=/, 'other entries begin at their first page')
  t.same(unexpected(faults), [])
})

t.test('nobody else is shown the log, or asks for it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  t.equal(await log(page).count(), 0)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  await page.goto(`${origin}/desk/#/audit`)
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor()
  t.same(
    asked.filter((url) => url.includes('/audit?')),
    [],
  )
  t.same(unexpected(faults), [])
})
