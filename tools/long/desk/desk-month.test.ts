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

const TALK = { title: 'A talk', start_date: '2026-11-10 18:00:00', end_date: '2026-11-10 19:00:00' }
const SHOW = { title: 'A show', start_date: '2026-11-17', end_date: '2026-11-18', all_day: true }

/** Drags with the mouse from one place to another, as a hand does. */
async function drag(page: Page, from: { x: number; y: number }, day: string) {
  const to = (await page.locator(`[data-day="${day}"]`).boundingBox())!
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y + 3)
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 })
  await page.mouse.up()
}
const middle = async (page: Page, title: string) => {
  const { x, y, width, height } = (await page.getByRole('link', { name: title }).boundingBox())!
  return { x: x + width / 3, y: y + height / 2 }
}

t.test('events are moved and stretched by dragging, and by keyboard, and moves are taken back', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const talk = (await api.editor.post('/events', TALK)).body.id
  const show = (await api.editor.post('/events', SHOW)).body.id
  const datesOf = async (id: number) => {
    const { start_date, end_date, all_day } = (await api.anonymous.get(`/events/${id}`)).body
    return [start_date, end_date, all_day]
  }
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page
    .getByRole('navigation', { name: 'Parts of the desk' })
    .getByRole('link', { name: 'Month' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'November 2026' }).waitFor()
  await page.getByRole('link', { name: 'A talk' }).waitFor()
  t.same(await findingsOf(page), [])

  await drag(page, await middle(page, 'A talk'), '2026-11-12')
  await told(page, '“A talk” is now on')
  t.same(await datesOf(talk), ['2026-11-12 18:00:00', '2026-11-12 19:00:00', false])
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, '10 Nov')
  t.same(await datesOf(talk), ['2026-11-10 18:00:00', '2026-11-10 19:00:00', false])

  await settled(page)
  const bar = (await page.getByRole('link', { name: 'A show' }).boundingBox())!
  await drag(page, { x: bar.x + bar.width - 3, y: bar.y + bar.height / 2 }, '2026-11-21')
  await told(page, '“A show” is now on')
  t.same(await datesOf(show), ['2026-11-17 00:00:00', '2026-11-21 23:59:59', true])

  await page.getByRole('link', { name: 'A talk' }).focus()
  await page.keyboard.press('Alt+ArrowDown')
  await told(page, /“A talk” is now on.*17 Nov/)
  t.same(await datesOf(talk), ['2026-11-17 18:00:00', '2026-11-17 19:00:00', false])

  // somebody else moves it after the month was read
  await settled(page)
  await api.editor.patch(`/events/${talk}`, {
    ...TALK,
    start_date: '2026-11-03 18:00:00',
    end_date: '2026-11-03 19:00:00',
  })
  await page.getByRole('link', { name: 'A talk' }).focus()
  await page.keyboard.press('Alt+ArrowRight')
  await told(page, 'Somebody else has changed this')
  t.same(await datesOf(talk), ['2026-11-03 18:00:00', '2026-11-03 19:00:00', false])
  await page.locator('[data-day="2026-11-04"]').getByRole('link').click()
  await page.getByLabel('Begins on').waitFor()
  t.equal(await page.getByLabel('Begins on').inputValue(), '2026-11-04')
  t.same(unexpected(faults), [])
})

t.test('a full day tells of the rest, and a phone has days to choose from', async (t) => {
  const { api, origin } = await serveEmpty(t)
  for (let hour = 10; hour < 17; hour++)
    await api.editor.post('/events', {
      title: `Visit at ${hour}`,
      start_date: `2026-11-10 ${hour}:00:00`,
      end_date: `2026-11-10 ${hour}:30:00`,
    })
  const fair = { start_date: '2026-11-27 10:00:00', end_date: '2026-11-29 18:00:00', status: 'draft' }
  await api.editor.post('/events', { ...fair, title: 'Winter fair' })
  const marta = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, marta)
  await page.goto(`${origin}/desk/#/month/2026-11`)
  await page.getByRole('button', { name: '3 more on' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Visit at 16' }).waitFor()
  t.same(await findingsOf(page), [])
  const phone = await openDesk(t, browser, origin, marta, { viewport: PHONE, colorScheme: 'dark' })
  await phone.page.goto(`${origin}/desk/#/month/2026-11`)
  // the days that are over come when they are asked for
  await phone.page.getByRole('link', { name: 'Winter fair' }).waitFor()
  t.equal(await phone.page.getByRole('link', { name: 'Visit at 16' }).count(), 0)
  t.same(await findingsOf(phone.page), [])
  t.equal(await overflowOf(phone.page), 0)
  await phone.page.getByRole('button', { name: 'Earlier days' }).click()
  await phone.page.getByRole('link', { name: 'Visit at 16' }).waitFor()
  // a day shows what goes on in it, and leads to a new event
  await phone.page.getByRole('button', { name: /28 November 2026, events: 1/ }).click()
  const day = phone.page.getByRole('region', { name: '28 November 2026' })
  await day.getByRole('link', { name: 'Winter fair' }).waitFor()
  await day.getByText('Draft').waitFor()
  t.equal(await phone.page.getByRole('link', { name: 'Visit at 16' }).count(), 0)
  t.same(await findingsOf(phone.page), [])
  await phone.page.getByRole('button', { name: 'The whole month' }).click()
  await phone.page.getByRole('link', { name: 'Visit at 16' }).waitFor()
  await phone.page.getByRole('button', { name: /30 November 2026, events: 0/ }).click()
  await phone.page.getByText('There are no events on this day.').waitFor()
  await phone.page.getByRole('link', { name: /New event on .*30 November/ }).click()
  await phone.page.getByLabel('Begins on').waitFor()
  t.equal(await phone.page.getByLabel('Begins on').inputValue(), '2026-11-30')
  t.same([...unexpected(faults), ...unexpected(phone.faults)], [])
})
