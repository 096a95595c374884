import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, settled, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const TALK = { title: 'Open lecture', start_date: '2025-03-04 18:00:00', end_date: '2025-03-04 19:00:00' }
const CHOIR = {
  title: 'Choir',
  start_date: '2026-11-24 19:30:00',
  end_date: '2026-11-24 21:00:00',
  recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=6' },
}

t.test('an old event is found, duplicated and published with three clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/events', TALK))
  for (let at = 1; at < 30; at++)
    await must(api.editor.post('/events', { ...TALK, title: `Walk ${at}`, slug: `walk-${at}` }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const journey = counting()
  await journey.click(page.getByLabel('Search'))
  await page.keyboard.type('lecture')
  await journey.click(page.getByRole('button', { name: 'Duplicate “Open lecture”' }))
  await page.getByRole('heading', { level: 1, name: 'Copy of “Open lecture”' }).waitFor()
  await journey.click(page.getByRole('button', { name: 'Publish' }))
  await told(page, 'visible to everyone')
  t.equal(journey.clicks, 3)
  const { events } = await must(api.anonymous.get('/events?when=upcoming'))
  t.match(events, [{ title: 'Open lecture' }])
  t.same(unexpected(faults), [])
})

t.test('a desk without events says what to do, and so does a list in which nothing is found', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('heading', { name: 'There are no events yet.' }).waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('link', { name: 'Write the first one' }).click()
  await page.getByRole('heading', { level: 1, name: 'New event' }).waitFor()
  for (const part of ['month', 'week']) {
    await page.goto(`${origin}/desk/#/${part}`)
    await page.getByText(`There are no events in this ${part}.`).waitFor()
    t.same(await findingsOf(page), [], part)
  }
  const { id } = await must(api.editor.post('/categories', { name: 'Music' }))
  await must(api.editor.post('/events', { ...TALK, categories: [id] }))
  await page.goto(`${origin}/desk/#/events`)
  await page.getByRole('heading', { name: 'Nothing is coming up.' }).waitFor()
  await page.getByRole('link', { name: 'Past events: 1' }).click()
  await page.getByRole('link', { name: 'Open lecture' }).waitFor()
  // the filter that is in the way is named, and goes with one click
  await page.goto(`${origin}/desk/#/events?category=${id}&when=upcoming`)
  await page.getByRole('heading', { name: 'No event matches these filters.' }).waitFor()
  await page.getByRole('link', { name: 'Remove Music' }).waitFor()
  t.same(await findingsOf(page), [])
  await page.goto(`${origin}/desk/#/events?category=${id}&search=lecture&language=ca`)
  await page.getByRole('link', { name: 'Without Català: 1' }).click()
  await page.getByRole('link', { name: 'Open lecture' }).waitFor()
  // days without events lead to the next one that has some
  await must(api.editor.post('/events', CHOIR))
  await page.goto(`${origin}/desk/#/month/2026-10`)
  await page.getByRole('link', { name: 'The next one is on Tue, 24 Nov 2026' }).click()
  await page.getByRole('heading', { level: 1, name: 'November 2026' }).waitFor()
  t.same(unexpected(faults), [])
})

t.test('what is done to a series in the list is done to its dates, in all languages', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  await must(api.editor.post('/series', { title: 'Coral', i18n_language: 'ca', translation_of: series }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const journey = counting()
  await journey.click(page.getByLabel('Choose Choir'))
  await page.getByText('6 chosen, 12 with their translations').waitFor()
  await counted(page.locator('table.events tbody tr'), 7)
  t.same(await findingsOf(page), [])
  await journey.click(page.getByRole('button', { name: 'Turn into draft' }))
  await told(page, 'Turned into drafts: 12')
  await settled(page)
  t.equal(journey.clicks, 2)
  t.equal((await must(api.anonymous.get('/events?when=all'))).total, 0)
  // the series itself is a draft: no date differs from it
  t.equal((await must(api.editor.get(`/series/${series}`))).status, 'draft')
  t.equal(await page.getByText('Differs in').count(), 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Brought back: 12')
  t.equal((await must(api.anonymous.get('/events?when=all'))).total, 12)
  t.same(unexpected(faults), [])
})

t.test('an event of another zone says so, and a night is one evening', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/categories', { name: 'Music' }))
  const musica = { name: 'Música', i18n_language: 'ca', translation_of: id }
  const { id: other } = await must(api.editor.post('/categories', musica))
  const day = (from: string, to: string) => ({
    start_date: `2026-11-${from}:00`,
    end_date: `2026-11-${to}:00`,
  })
  await must(
    api.editor.post('/events', {
      ...{ title: 'Temple bells', timezone: 'Asia/Tokyo', categories: [id] },
      ...day('25 19:00', '25 20:00'),
    }),
  )
  const ball = { title: 'Ball de festa', i18n_language: 'ca', categories: [other] }
  await must(api.editor.post('/events', { ...ball, ...day('26 22:00', '27 04:00') }))
  await must(api.editor.post('/events', { title: 'Plain talk', ...day('27 18:00', '27 19:00') }))
  const marta = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, marta)
  const row = page.getByRole('row').filter({ hasText: 'Temple bells' })
  await row.getByText('GMT+9').waitFor()
  await row.getByText('11:00 here').waitFor()
  await page.getByRole('row').filter({ hasText: 'Ball de festa' }).getByText('22:00 – 04:00').waitFor()

  await page.goto(`${origin}/desk/#/month/2026-11`)
  await page.getByRole('link', { name: '19:00 GMT+9 Temple bells' }).waitFor()
  const bands = page.locator('.bar-event', { hasText: 'Ball de festa' })
  await counted(bands, 1)
  t.match(await bands.getAttribute('class'), 'd1', 'on one day')
  // both have the colour of their category, which has one name; what has none is left out by a click
  const legend = page.getByRole('list', { name: 'Categories' })
  await legend.getByRole('link', { name: 'Music 2' }).waitFor()
  t.same(await findingsOf(page), [])
  await legend.getByRole('link', { name: 'Music 2' }).click()
  await page.getByRole('link', { name: 'Plain talk' }).waitFor({ state: 'detached' })
  await legend.getByRole('link', { name: 'Music 2' }).click()
  await page.getByRole('link', { name: 'Plain talk' }).waitFor()

  await page.goto(`${origin}/desk/#/week/2026-11-25`)
  await page.getByRole('link', { name: '22:00 – 04:00 Ball de festa' }).waitFor()
  await counted(page.locator('.timed', { hasText: 'Ball de festa' }), 1)
  await page.getByRole('link', { name: '19:00 GMT+9 Temple bells' }).waitFor()
  t.same(await findingsOf(page), [])
  const dark = await openDesk(t, browser, origin, marta, { viewport: PHONE, colorScheme: 'dark' })
  for (const place of ['events', 'month/2026-11', 'week/2026-11-25']) {
    await dark.page.goto(`${origin}/desk/#/${place}`)
    await dark.page.getByText('GMT+9').or(dark.page.getByText('Japan Standard Time')).first().waitFor()
    t.same(await findingsOf(dark.page), [], place)
    t.equal(await overflowOf(dark.page), 0, place)
  }
  t.same([...unexpected(faults), ...unexpected(dark.faults)], [])
})

t.test(
  'on a phone the menu is a sheet, which closes by a press beside it, by Escape and with a page',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const ada = await addUser(api, 'ada', 'administrator')
    const { page, faults } = await openDesk(t, browser, origin, ada, { viewport: PHONE })
    const menu = page.getByRole('button', { name: 'Menu' })
    const sheet = page.getByRole('dialog', { name: 'Menu' })
    await menu.click()
    await sheet.waitFor()
    t.same(await findingsOf(page), [])
    for (const group of ['Events', 'Content', 'People', 'System'])
      await sheet.getByRole('list', { name: group }).waitFor()
    await page.mouse.click(PHONE.width / 2, 10)
    await sheet.waitFor({ state: 'detached' })
    await menu.click()
    await sheet.waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await menu.click()
    // also where one is already
    await sheet.getByRole('link', { name: 'Events', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    await menu.click()
    await sheet.getByRole('link', { name: 'Venues' }).click()
    await page.getByRole('heading', { level: 1, name: 'Venues' }).waitFor()
    await sheet.waitFor({ state: 'detached' })
    t.same(unexpected(faults), [])
  },
)
