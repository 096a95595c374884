import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { draw } from '../../../test/support/pictures.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told, valued } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const stateOf = (page: Page) => page.getByRole('combobox', { name: 'Event status' })
const reasonOf = (page: Page) => page.getByRole('textbox', { name: 'Reason' })
const CONCERT = {
  ...EVENT,
  title: 'Concert',
  start_date: '2026-12-04 20:00:00',
  end_date: '2026-12-04 22:00:00',
}

t.test('the first event takes three clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/venues', { venue: 'Old hall', city: 'Vic' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const person = counting()
  await person.click(page.getByRole('link', { name: 'New event' }))
  await page.getByLabel('Title').fill('Open day')
  await page.getByLabel('Begins on').fill('2026-12-05')
  await page.getByRole('combobox', { name: 'Venue' }).fill('old')
  await person.click(page.getByRole('option', { name: 'Old hall' }))
  await person.click(button(page, 'Publish'))
  await told(page, 'visible to everyone')
  t.equal(person.clicks, 3)
  t.match((await must(api.anonymous.get('/events'))).events, [
    { title: 'Open day', start_date: '2026-12-05 20:00:00', venue: { venue: 'Old hall' } },
  ])
  t.same(unexpected(faults), [])
})

t.test('a weekly event with one exception takes six clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const person = counting()
  await person.click(page.getByRole('link', { name: 'New event' }))
  await page.getByLabel('Title').fill('Choir')
  await page.getByLabel('Begins on').fill('2026-11-24')
  await person.choose(page.getByLabel('Repeats'), 'Weekly')
  await person.click(button(page, 'Thursday'))
  await person.choose(page.getByLabel('Ends', { exact: true }), 'After a number of dates')
  await page.getByLabel('Number of dates').fill('4')
  await person.click(button(page, 'Leave out Tue, 1 Dec 2026'))
  await person.click(button(page, 'Publish'))
  await told(page, 'visible to everyone')
  t.equal(person.clicks, 6)
  const { events } = await must(api.anonymous.get('/events?when=all'))
  t.same(
    (events as { start_date: string }[]).map(({ start_date }) => start_date.slice(0, 10)),
    ['2026-11-24', '2026-11-26', '2026-12-03'],
  )
  t.same(unexpected(faults), [])
})

t.test('moving one date of a series takes three clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/events', { ...CONCERT, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' } }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const person = counting()
  await page.goto(`${origin}/desk/#/events?from=2026-12-11`)
  await person.click(page.getByRole('link', { name: 'Concert', exact: true }).first())
  await valued(page.getByLabel('Begins on'), '2026-12-11')
  await page.getByLabel('Begins on').fill('2026-12-12')
  await person.click(button(page, 'Save'))
  const dialog = page.getByRole('dialog')
  t.ok(await dialog.getByRole('radio', { name: 'Only this date' }).isChecked())
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await told(page, 'visible to everyone')
  t.equal(person.clicks, 3)
  const { events } = await must(api.anonymous.get('/events?when=all'))
  t.same(
    (events as { start_date: string }[]).map(({ start_date }) => start_date.slice(0, 10)),
    ['2026-12-04', '2026-12-12', '2026-12-18'],
  )
  t.same(unexpected(faults), [])
})

t.test('an event is cancelled in three languages, each with its reason, in four clicks', async (t) => {
  const { api, origin } = await serveEmpty(t, { LANGUAGES: 'en,ca,es' })
  const { id } = await must(api.editor.post('/events', CONCERT))
  const ids: Record<string, number> = { en: id }
  for (const [language, title] of [
    ['ca', 'Concert de tardor'],
    ['es', 'Concierto'],
  ] as const)
    ids[language] = (
      await must(
        api.editor.post('/events', { ...CONCERT, title, i18n_language: language, translation_of: id }),
      )
    ).id
  const stored = async (language: string) =>
    (await must(api.anonymous.get(`/events/${ids[language]}`))) as object
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const person = counting()
  await person.click(page.getByRole('link', { name: 'Concert', exact: true }))
  await person.choose(stateOf(page), 'Cancelled')
  await reasonOf(page).fill('The singer is ill.')
  await person.click(button(page, 'Save'))
  const dialog = page.getByRole('dialog', { name: 'The reason is missing in Català and Español' })
  await dialog.getByText('The singer is ill.').waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByLabel('Català').fill('La cantant està malalta.')
  await dialog.getByLabel('Español').fill('La cantante está enferma.')
  await person.click(dialog.getByRole('button', { name: 'Save' }))
  await dialog.waitFor({ state: 'detached' })
  t.equal(person.clicks, 4)
  t.match(await stored('en'), { event_status: 'cancelled', event_status_reason: 'The singer is ill.' })
  t.match(await stored('ca'), { event_status: 'cancelled', event_status_reason: 'La cantant està malalta.' })
  t.match(await stored('es'), { event_status: 'cancelled', event_status_reason: 'La cantante está enferma.' })
  t.equal(await page.getByText('The reason is missing').count(), 0)
  t.same(unexpected(faults), [])
})

t.test(
  'a reason that is missing is offered again, and overwrites none that somebody else has given',
  async (t) => {
    const { api, origin } = await serveEmpty(t, { LANGUAGES: 'en,ca' })
    const cancelled = { event_status: 'cancelled', event_status_reason: 'The singer is ill.' }
    const { id } = await must(api.editor.post('/events', { ...CONCERT, ...cancelled }))
    const { id: other } = await must(
      api.editor.post('/events', {
        ...CONCERT,
        ...{ title: 'Recital', event_status: 'cancelled', i18n_language: 'ca', translation_of: id },
      }),
    )
    const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
    await page.goto(`${origin}/desk/#/events/${id}`)
    await page.getByRole('status').filter({ hasText: 'The reason is missing in Català' }).waitFor()
    await button(page, 'Write it').click()
    const dialog = page.getByRole('dialog')
    t.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'nothing is written yet')
    await dialog.getByLabel('Català').fill('Malaltia.')
    await dialog.getByRole('button', { name: 'Later' }).click()
    await button(page, 'Write it').click()
    await valued(dialog.getByLabel('Català'), 'Malaltia.')
    api.clock.now += 5_000
    await must(api.editor.patch(`/events/${other}`, { title: 'Recital de tardor' }))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Somebody else has changed this').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await told(page, 'Saved.')
    t.match((await api.anonymous.get(`/events/${other}`)).body, {
      title: 'Recital de tardor',
      event_status_reason: 'Malaltia.',
    })
    t.same(unexpected(faults, 412), [])
  },
)

t.test('an event gets a picture in two clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', CONCERT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  const person = counting()
  const picture = page.getByRole('region', { name: 'Picture' })
  await button(page, 'Choose a file').waitFor()
  const buffer = await draw(400, 300, 'png')
  await person.give(picture.locator('input[type=file]'), { name: 'a.png', mimeType: 'image/png', buffer })
  await picture.getByLabel('Alternative text').fill('A band on a quay.')
  await person.click(button(page, 'Save'))
  await told(page, 'visible to everyone')
  t.equal(person.clicks, 2)
  const { image } = (await api.anonymous.get(`/events/${id}`)).body as { image: { id: number } }
  t.match((await api.anonymous.get(`/media/${image.id}`)).body, { alt_texts: { en: 'A band on a quay.' } })
  t.same(unexpected(faults), [])
})

t.test('the head of a form stays in sight, and nothing scrolls inside the page', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(
    api.editor.post('/events', { ...CONCERT, description: '<p>A long text.</p>'.repeat(60) }),
  )
  const marta = await addUser(api, 'marta', 'editor')
  for (const looks of [{}, { viewport: PHONE }]) {
    const { page, faults } = await openDesk(t, browser, origin, marta, looks)
    await page.goto(`${origin}/desk/#/events/${id}`)
    await page.getByText('More settings', { exact: true }).scrollIntoViewIfNeeded()
    const { height } = page.viewportSize()!
    const inSight = [
      page.getByRole('heading', { level: 1, name: 'Concert' }),
      page.getByRole('combobox', { name: 'Status', exact: true }),
      ...['Save', 'Preview'].map((name) => button(page, name)),
      page.getByRole('link', { name: 'History' }),
    ]
    for (const place of inSight) {
      const box = (await place.boundingBox())!
      t.ok(box.y >= 0 && box.y + box.height <= height, `${place} is in sight`)
    }
    const scrollers = await page.evaluate<string[]>(`
      [...document.querySelectorAll('main *')]
        .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
        .map((one) => one.tagName + '.' + one.className)`)
    t.same(scrollers, [])
    t.equal(await overflowOf(page), 0)
    t.same(unexpected(faults), [])
  }
})

t.test(
  'times are those of the calendar, and their zone is named where the device has another one',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { id } = await must(api.editor.post('/events', CONCERT))
    const marta = await addUser(api, 'marta', 'editor')
    for (const [timezoneId, shown] of [
      ['Europe/Paris', /^Last change: Sat, 21 Nov 2026, 10:00$/],
      ['America/Toronto', /^Last change: Sat, 21 Nov 2026, 10:00 (CET|GMT\+1)$/],
    ] as const) {
      const { page, faults } = await openDesk(t, browser, origin, marta, { timezoneId })
      await page.goto(`${origin}/desk/#/events/${id}`)
      await page.getByText(shown).waitFor()
      t.same(unexpected(faults), [])
    }
  },
)

t.test('a night belongs to the evening before, and what the clocks do is said before saving', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/new?day=2026-12-04`)
  const says = (text: RegExp) => page.locator('.dates .said').filter({ hasText: text }).waitFor()
  await says(/^Friday,? 4 December 2026, 20:00.?–.?22:00$/)
  await page.getByLabel('Ends at').fill('02:00')
  await says(/^Friday,? 4 December 2026, 20:00 – 02:00$/)
  await valued(page.getByLabel('Ends on'), '2026-12-05')
  await page.getByLabel('Ends at').fill('23:30')
  await valued(page.getByLabel('Ends on'), '2026-12-04')
  await page.getByLabel('Ends on').fill('2026-12-06')
  await says(/^Friday,? 4 December.* 20:00 . Sunday,? 6 December 2026.* 23:30$/)
  await page.getByLabel('All day').check()
  await says(/^Friday,? 4 December . Sunday,? 6 December 2026$/)

  await page.getByLabel('All day').uncheck()
  await page.getByLabel('Begins at').fill('02:30')
  await page.getByLabel('Begins on').fill('2027-03-28')
  await page.getByText('On Sunday, 28 March 2027 the clocks skip 02:30. It becomes 03:30.').waitFor()
  await page.getByLabel('Begins on').fill('2027-10-31')
  await page
    .getByText('On Sunday, 31 October 2027 the clocks show 02:30 twice. The first one counts.')
    .waitFor()
  await page.getByLabel('Begins on').fill('2026-12-06')
  await page.getByText('the clocks').waitFor({ state: 'detached' })
  await page.getByLabel('Repeats').selectOption({ label: 'Weekly' })
  const later = page.locator('.meaning').getByText('On Sunday, 28 March 2027 the clocks skip 02:30.')
  await later.waitFor()
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})
