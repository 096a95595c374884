import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../test/support/events.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../desk.ts'
import { findingsOf } from '../pages.ts'
import { sharedBrowser } from '../shared-browser.ts'

const CONCERT = { title: 'Concert', start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' }

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('the desk says where one is: by the title of the window, and by the focus', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', CONCERT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  /** Waits until the window has a name; the policy of the page lets no test evaluate text in it again and again. */
  const named = async (name: string) => {
    while (!(await page.title()).startsWith(`${name} – `)) await page.waitForTimeout(20)
  }
  await named('Events')
  await page.getByRole('link', { name: 'Concert' }).click()
  await named('Concert')
  t.equal(await page.evaluate('document.activeElement.outerHTML.slice(0, 3)'), '<h1')
  await page.getByRole('link', { name: 'Month' }).click()
  await named('November 2026')
  await page.getByRole('link', { name: 'Concert' }).click()
  await page.getByLabel('Title', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const bad = page.locator('.notice.bad')
  await bad.waitFor()
  await page.getByLabel('Title', { exact: true }).fill('Konzert')
  await bad.waitFor({ state: 'detached' })
  t.equal(await page.getByRole('heading', { level: 1 }).getAttribute('dir'), 'auto')

  await page.getByLabel('First day').fill('2025-11-28')
  await page.getByText('This date is over. Is the year right?').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByLabel('First day').fill('2026-11-29')
  await page.getByText('This date is over.').waitFor({ state: 'detached' })
  t.match((await must(api.anonymous.get(`/events/${id}`))).start_date, '2026-11-28')
  t.same(unexpected(faults, 400), [])
})

t.test(
  'times have the clock of the language, in texts and in fields, and are typed as people write them',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    await must(api.editor.post('/events', CONCERT))
    const who = await addUser(api, 'marta', 'editor')
    for (const [locale, inEnglish, inCatalan] of [
      ['en-US', /8:00.*PM/, /20:00/],
      ['en-GB', /20:00/, /20:00/],
    ] as const) {
      const { page } = await openDesk(t, browser, origin, who, { locale })
      await page.getByRole('cell', { name: inEnglish }).waitFor()
      await page.getByRole('link', { name: 'Concert' }).click()
      const begins = page.getByLabel('Begins at')
      t.match(await begins.inputValue(), inEnglish)
      await begins.fill('half past')
      await page.getByLabel('Ends at').click()
      await page.getByText(/^Write a time such as/).waitFor()
      await begins.fill('9.30 pm')
      await page.getByLabel('Price').click()
      t.match(await page.getByLabel('Ends at').inputValue(), locale === 'en-US' ? /11:30\sPM/ : /23:30/)
      await page.getByRole('link', { name: 'Events', exact: true }).click()
      await page.getByRole('button', { name: 'Discard and leave' }).click()
      await page.getByLabel('Language of the desk').selectOption('ca')
      await page.getByRole('heading', { level: 1, name: 'Esdeveniments' }).waitFor()
      await page.getByRole('cell', { name: inCatalan }).waitFor()
    }
  },
)
