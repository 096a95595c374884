import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

const CONCERT = { title: 'Concert', start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' }

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const title = (page: Page) => page.getByLabel('Title', { exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const drafts = (page: Page) => page.getByRole('region', { name: 'Not saved yet' })

t.test(
  'who leaves a form with something typed is asked, by a link, by the way back, and at closing',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { id } = await must(api.editor.post('/events', CONCERT))
    const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('link', { name: 'Concert' }).click()
    await title(page).waitFor()
    await page.goBack()
    await heading(page, 'Events')
    await page.goForward()
    await title(page).fill('Concert by the lake')

    await page.getByRole('link', { name: 'Venues' }).click()
    t.same(await findingsOf(page), [])
    await asked.getByRole('button', { name: 'Stay here' }).click()
    t.equal(await title(page).inputValue(), 'Concert by the lake')
    await page.goBack()
    await asked.waitFor()
    t.match(page.url(), `#/events/${id}`, 'the address is that of what is shown')
    await page.keyboard.press('Escape')
    t.equal(await title(page).inputValue(), 'Concert by the lake')
    await page.goBack()
    await asked.getByRole('button', { name: 'Leave and keep it' }).click()
    await heading(page, 'Events')

    await drafts(page).getByRole('link', { name: 'Concert by the lake' }).click()
    await page.getByText('Your unsaved changes are here again.').waitFor()
    const closing = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    t.equal((await closing).type(), 'beforeunload')
    t.match((await must(api.anonymous.get(`/events/${id}`))).title, 'Concert')
    t.same(unexpected(faults), [])
  },
)

t.test('what is discarded is gone, and what is saved is asked about no more', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/events', CONCERT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('link', { name: 'Concert' }).click()
  await title(page).fill('Concert by the lake')
  await page.getByRole('link', { name: 'Venues' }).click()
  await page.getByRole('button', { name: 'Discard and leave' }).click()
  await heading(page, 'Venues')
  t.equal(await drafts(page).count(), 0)
  await page.getByRole('link', { name: 'New venue' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Old hall')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/venues\/\d+$/)
  await page.getByRole('link', { name: 'Venues' }).click()
  await heading(page, 'Venues')
  t.equal(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("draft")).length'), 0)
  t.same(unexpected(faults), [])
})

t.test('drafts outlive the window and the session, for their user alone', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const marta = await addUser(api, 'marta', 'editor')
  const { page, context, faults } = await openDesk(t, browser, origin, marta, { viewport: PHONE })
  await page.getByRole('link', { name: 'New event' }).click()
  await title(page).fill('A walk')
  await page.close()

  const again = await context.newPage()
  await again.goto(`${origin}/desk/`)
  await drafts(again).getByRole('link', { name: 'A walk' }).waitFor()
  t.match(await drafts(again).innerText(), /Event, .*ago|Event, this minute|Event, now/)
  t.same([await findingsOf(again), await overflowOf(again)], [[], 0])
  const out = async () => {
    await again.getByRole('button', { name: 'Menu' }).click()
    await again.getByRole('button', { name: 'Sign out' }).click()
  }
  await out()
  t.same(await findingsOf(again), [])
  await again.getByRole('button', { name: 'Keep it and sign out' }).click()
  await typeLogin(again, await addUser(api, 'pau', 'editor'))
  await heading(again, 'Events')
  t.equal(await drafts(again).count(), 0, 'another user sees nothing of it')
  await out()
  await typeLogin(again, marta)
  await drafts(again).getByRole('link', { name: 'A walk' }).click()
  t.equal(await title(again).inputValue(), 'A walk')
  await again.getByRole('button', { name: 'Menu' }).click()
  await again.getByRole('link', { name: 'Events', exact: true }).click()
  await again.getByRole('button', { name: 'Leave and keep it' }).click()
  await drafts(again).getByRole('button', { name: 'Discard “A walk”' }).click()
  await again.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click()
  await drafts(again).waitFor({ state: 'detached' })
  await out()
  await again.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await again.evaluate('localStorage.length'), 0, 'nothing is asked where nothing is left')
  t.same(unexpected(faults), [])
})
