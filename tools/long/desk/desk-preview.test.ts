import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const DRAFT = {
  ...{ title: 'A talk', start_date: '2026-11-28 18:00:00', end_date: '2026-11-28 19:00:00', status: 'draft' },
  venue: { venue: 'Old hall' },
}

t.test('the preview of an event is its page, with what was just written', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', DRAFT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  await page.getByRole('button', { name: 'Preview' }).click()
  const frame = page.frameLocator('iframe[title="Preview"]')
  await frame.getByRole('heading', { level: 1, name: 'A talk' }).waitFor()
  await frame.getByText('Preview: the page as visitors will see it').waitFor()
  await frame.getByRole('link', { name: 'Old hall' }).waitFor()
  t.same(await findingsOf(page), [])
  const wide = (await page.locator('iframe').boundingBox())!.width
  await page.getByRole('button', { name: 'Phone' }).click()
  t.ok((await page.locator('iframe').boundingBox())!.width <= 390 && wide > 800)
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open in a new tab' }).click()
  const tab = await opened
  await tab.getByRole('heading', { level: 1, name: 'A talk' }).waitFor()
  t.same(await findingsOf(tab), [])
  await tab.close()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.getByRole('textbox', { name: 'Title' }).fill('A long talk')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('This is what is not saved yet.').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Save and show the page' }).click()
  await frame.getByRole('heading', { level: 1, name: 'A long talk' }).waitFor()
  t.match(await must(api.editor.get(`/events/${id}`)), { title: 'A long talk', status: 'draft' })
  t.same(unexpected(faults), [])
})

t.test('several events are changed at once, and brought back', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { editor } = api
  const hall = await must(editor.post('/venues', { venue: 'New hall' }))
  const music = await must(editor.post('/categories', { name: 'Music' }))
  const ids: number[] = []
  for (const title of ['One', 'Two', 'Three'])
    ids.push((await must(editor.post('/events', { ...DRAFT, title, status: 'publish', tags: ['late'] }))).id)
  const shown = async (at: number) => {
    const event = await must(editor.get(`/events/${ids[at]}`))
    const { venue, categories, tags, featured, event_status, start_date } = event
    const names = (terms: { name: string }[]) => terms.map(({ name }) => name).join()
    return [venue.venue, names(categories), names(tags), featured, event_status, start_date.slice(0, 10)]
  }
  const before = ['Old hall', '', 'late', false, 'scheduled', '2026-11-28']
  const after = [hall.venue, music.name, '', true, 'cancelled', '2026-12-05']
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByLabel('Choose One').check()
  await page.getByLabel('Choose Two').check()
  await page.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the chosen events' })
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Choose what to change.' }).waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByRole('combobox', { name: 'Add categories' }).fill('mus')
  await dialog.getByRole('option', { name: 'Music' }).click()
  await dialog.getByRole('combobox', { name: 'Remove tags' }).fill('lat')
  await dialog.getByRole('option', { name: 'late' }).click()
  await dialog.getByRole('combobox', { name: 'New venue' }).fill('New')
  await dialog.getByRole('option', { name: 'New hall' }).click()
  await dialog.getByLabel('Featured').selectOption({ label: 'Yes' })
  await dialog.getByLabel('Event status').selectOption({ label: 'Cancelled' })
  await dialog.getByLabel('Move by days').fill('7')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await told(page, 'Changed: 2')
  t.same([await shown(0), await shown(1), await shown(2)], [after, after, before])
  // one of them is written by somebody else before the change is taken back
  api.clock.now += 5_000
  await must(editor.patch(`/events/${ids[1]}`, { title: 'Zwei' }))
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Brought back: 1')
  await page
    .getByRole('alert')
    .filter({ hasText: /could not be brought back:\s*Two: Somebody else/ })
    .waitFor()
  t.same([await shown(0), await shown(1)], [before, after])
  t.same(unexpected(faults, 412), [])
})
