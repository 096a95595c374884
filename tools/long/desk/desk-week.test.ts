import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { settled, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const TALK = { title: 'A talk', start_date: '2026-11-18 10:00:00', end_date: '2026-11-18 11:00:00' }
const SHOW = { title: 'A show', start_date: '2026-11-19', end_date: '2026-11-20', all_day: true }

const boxOf = async (page: Page, title: string) =>
  (await page.getByRole('link', { name: title }).boundingBox())!
/** Drags with the mouse as a hand does, by some pixels. */
async function drag(page: Page, from: { x: number; y: number }, by: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2 + 6, { steps: 3 })
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 3 })
  await page.mouse.up()
}

t.test('in the week, events are moved, stretched and made by quarters of an hour', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const talk = (await api.editor.post('/events', TALK)).body.id
  const translation = { title: 'Una xerrada', i18n_language: 'ca', translation_of: talk }
  const xerrada = (await api.editor.post('/events', translation)).body.id
  await api.editor.post('/events', SHOW)
  const datesOf = async () => {
    const { start_date, end_date } = (await api.anonymous.get(`/events/${talk}`)).body
    return [start_date, end_date]
  }
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  /** Waits until an answer says these hours, and the desk shows them. */
  const lasts = async (start: string, end: string) => {
    await page.locator(`.timed[title*="${start}"][title*="${end}"]:not(.dragged)`).waitFor()
    await told(page, new RegExp(`“A talk” is now on.*${start}`))
    await settled(page)
    t.same(await datesOf(), [`2026-11-18 ${start}:00`, `2026-11-18 ${end}:00`])
  }
  await page
    .getByRole('navigation', { name: 'Parts of the desk' })
    .getByRole('link', { name: 'Week' })
    .click()
  await page.getByRole('heading', { level: 1, name: /16\s?–\s?22 Nov 2026/u }).waitFor()
  await page
    .getByRole('region', { name: /19 November/ })
    .getByRole('link', { name: 'A show' })
    .waitFor()
  t.same(await findingsOf(page), [])
  t.equal(await page.getByRole('link', { name: 'A show' }).count(), 1, 'one band for both of its days')

  const bar = await boxOf(page, 'A talk')
  const column = (await page.locator('[data-day="2026-11-19"]').boundingBox())!
  t.ok((await boxOf(page, 'A show')).width > 1.8 * column.width)
  // an hour is as high as this one, and a day as wide as a column
  await drag(page, { x: bar.x + bar.width / 2, y: bar.y + 8 }, { x: column.width, y: bar.height * 1.25 })
  await told(page, '“A talk” is now on')
  t.same(await datesOf(), ['2026-11-19 11:15:00', '2026-11-19 12:15:00'])
  t.equal((await api.anonymous.get(`/events/${xerrada}`)).body.start_date, '2026-11-19 11:15:00')
  t.equal(await page.getByRole('link', { name: 'Una xerrada' }).count(), 0, 'one block for all languages')
  await page.getByRole('button', { name: 'Undo' }).click()
  await lasts('10:00', '11:00')
  const again = await boxOf(page, 'A talk')
  await drag(page, { x: again.x + 20, y: again.y + again.height - 3 }, { x: 0, y: again.height / 2 })
  await lasts('10:00', '11:30')

  await page.getByRole('link', { name: 'A talk' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await lasts('09:45', '11:15')
  await page.getByRole('link', { name: '09:45 A talk' }).focus()
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await lasts('09:45', '11:30')

  // an empty place, three hours below the beginning of the talk
  const now = await boxOf(page, 'A talk')
  const friday = (await page.locator('[data-day="2026-11-20"]').boundingBox())!
  await page.mouse.click(friday.x + friday.width / 2, now.y + (now.height / 1.75) * 3)
  await page.getByLabel('Begins on').waitFor()
  t.equal(await page.getByLabel('Begins on').inputValue(), '2026-11-20')
  t.same(
    [await page.getByLabel('Begins at').inputValue(), await page.getByLabel('Ends at').inputValue()],
    ['12:30', '13:30'],
  )
  t.same(unexpected(faults), [])
})

t.test('on a phone the week is a day', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await api.editor.post('/events', TALK)
  const marta = await addUser(api, 'marta', 'editor')
  const looks = { viewport: PHONE, colorScheme: 'dark' } as const
  const { page, faults } = await openDesk(t, browser, origin, marta, looks)
  await page.goto(`${origin}/desk/#/week/2026-11-17`)
  await page.getByRole('heading', { level: 1, name: /17 Nov/ }).waitFor()
  t.equal(await page.getByRole('link', { name: 'A talk' }).count(), 0)
  await page
    .getByRole('link', { name: /18 November 2026/, exact: false })
    .first()
    .click()
  await page.getByRole('link', { name: 'A talk' }).waitFor()
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  t.same(unexpected(faults), [])
})
