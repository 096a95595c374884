import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import type { Api } from '../../../test/support/app.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, rows, settled, told, valued } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const CHOIR = {
  ...EVENT,
  title: 'Choir',
  start_date: '2026-11-24 19:30:00',
  end_date: '2026-11-24 21:00:00',
  recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=6' },
}
type Occurrence = { id: number; title: string; start_date: string; cost: string; overrides: string[] }
/** The dates of a series by its first one, with what differs in them. */
const datesOf = async ({ anonymous }: Api, series: number) =>
  (await must(anonymous.get(`/events?series=${series}&when=all`))).events as Occurrence[]
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
const choose = async (page: Page, name: RegExp | string, yes: string) => {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name }).check()
  await dialog.getByRole('button', { name: yes }).click()
}

t.test('an event repeats as people say it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/new?day=2026-11-24`)
  await page.getByLabel('Title').fill('Choir')
  await page.getByLabel('Repeats').selectOption({ label: 'Weekly' })
  const said = page.locator('.repeats .said')
  await said.filter({ hasText: /^Every Tuesday$/ }).waitFor()
  await page.getByRole('button', { name: 'Thursday' }).click()
  await said.filter({ hasText: /^Every Tuesday and Thursday$/ }).waitFor()
  await page.getByLabel('Every how many weeks').fill('2')
  await page.getByLabel('Ends', { exact: true }).selectOption({ label: 'After a number of dates' })
  await page.getByLabel('Number of dates').fill('6')
  await said.filter({ hasText: /^Every second week on Tuesday and Thursday, 6 times$/ }).waitFor()
  t.same(await findingsOf(page), [])
  const dates = page.locator('.repeats ol li > span')
  await rows(dates, [
    ...['Tue, 24 Nov 2026', 'Thu, 26 Nov 2026', 'Tue, 8 Dec 2026', 'Thu, 10 Dec 2026'],
    ...['Tue, 22 Dec 2026', 'Thu, 24 Dec 2026'],
  ])
  await page.getByRole('button', { name: 'Leave out Thu, 24 Dec 2026' }).click()
  await page.getByRole('button', { name: 'Leave out Tue, 8 Dec 2026' }).click()
  await said.filter({ hasText: 'except 2 dates' }).waitFor()
  await page.getByRole('button', { name: 'Take back Tue, 8 Dec 2026' }).click()
  await page.getByLabel('Add a day').fill('2026-12-27')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await dates.filter({ hasText: 'Sun, 27 Dec 2026' }).waitFor()
  // the dates follow the time of day
  await page.getByLabel('Begins at').fill('18:00')
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'visible to everyone')
  await page.getByText('This is one date of a series.').waitFor()
  const { body } = await api.anonymous.get('/events?when=all')
  t.equal(body.total, 6)
  const { recurrence } = await must(api.anonymous.get(`/series/${body.events[0].series}`))
  t.match(recurrence, {
    rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=6',
    rdate: ['2026-12-27 18:00:00'],
    exdate: ['2026-12-24 18:00:00'],
  })
  t.same(unexpected(faults), [])
})

t.test(
  'a rule by months has the days that a day is, others are typed, and what is wrong is said',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const marta = await addUser(api, 'marta', 'editor')
    const { page, faults } = await openDesk(t, browser, origin, marta, {
      viewport: PHONE,
      colorScheme: 'dark',
    })
    await page.goto(`${origin}/desk/#/events/new?day=2026-11-27`)
    await page.getByLabel('Title').fill('Market')
    await page.getByLabel('Repeats').selectOption({ label: 'Monthly' })
    const on = page.getByLabel('On which day')
    await rows(on.locator('option'), [
      ...[
        'On the 27th of every month',
        'On the fourth Friday of every month',
        'On the last Friday of every month',
      ],
    ])
    await on.selectOption({ label: 'On the last Friday of every month' })
    await page.getByLabel('Ends', { exact: true }).selectOption({ label: 'On a day' })
    await page.getByLabel('Until').fill('2027-05-14')
    const said = page.locator('.repeats .said')
    await said.filter({ hasText: 'On the last Friday of every month until 14 May 2027' }).waitFor()
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await page.getByLabel('Repeats').selectOption({ label: 'In another way' })
    await page.getByLabel('Rule (RRULE)').fill('FREQ=MONTHLY;BYDAY=MO')
    await page.getByText('must be a date of its rule; the first one from then on is 2026-11-30').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('look at the fields that are marked').waitFor()
    t.same(await findingsOf(page), [])
    await page.getByLabel('Rule (RRULE)').fill('FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1')
    await page.getByRole('button', { name: 'Publish' }).click()
    await told(page, 'visible to everyone')
    await page.getByLabel('Rule (RRULE)').waitFor()
    t.same(unexpected(faults, 400), [])
  },
)

t.test('saving a date asks which dates change, and says how many', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  const all = await datesOf(api, series)
  await must(api.editor.patch(`/events/${all[4]!.id}`, { title: 'Concert' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const titles = async () => (await datesOf(api, series)).map(({ title }) => title).join(' ')
  await page.goto(`${origin}/desk/#/events/${all[2]!.id}`)
  await page.getByLabel('Title').fill('Open choir')
  await save(page)
  const dialog = page.getByRole('dialog', { name: 'Change which dates?' })
  await dialog.getByText('This date and the following ones (3)').waitFor()
  await dialog.getByText('All dates (5)').waitFor()
  t.same(await findingsOf(page), [])
  await page.keyboard.press('Escape')
  t.equal(await titles(), 'Choir Choir Choir Choir Concert Choir', 'nothing was saved')
  await save(page)
  await choose(page, 'Only this date', 'Save')
  await told(page, 'visible to everyone')
  t.equal(await titles(), 'Choir Choir Open choir Choir Concert Choir')
  await page.getByText('This date differs from its series in: title.').waitFor()

  await page.goto(`${origin}/desk/#/events/${all[1]!.id}`)
  await page.getByLabel('Price').fill('5')
  await save(page)
  await choose(page, /All dates \(6\)/, 'Save')
  await told(page, 'visible to everyone')
  t.ok((await datesOf(api, series)).every(({ cost }) => cost === '€5'))

  // the rule is that of several dates
  await page.goto(`${origin}/desk/#/events/${all[3]!.id}`)
  await page.getByRole('button', { name: 'Wednesday' }).click()
  await page.getByRole('button', { name: 'Tuesday' }).click()
  await page.getByText('start_date must be a date of its rule').waitFor()
  await page.getByRole('button', { name: 'Tuesday' }).click()
  await save(page)
  await page.getByText('so it cannot change for this one alone').waitFor()
  t.equal(await page.getByRole('radio').count(), 2)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Wednesday' }).click()

  // the weekday of all dates moves with one of them
  await page.getByLabel('Begins on').fill('2026-12-16')
  await save(page)
  await choose(page, /following/, 'Save')
  await told(page, 'visible to everyone')
  const moved = await must(api.anonymous.get(`/events/${all[3]!.id}`))
  t.equal(moved.start_date, '2026-12-16 19:30:00')
  t.not(moved.series, series)
  t.same(
    (await datesOf(api, moved.series)).map(({ start_date }) => start_date.slice(5, 10)),
    ['12-16', '12-23', '12-30'],
  )
  await page.locator('.repeats .said').filter({ hasText: 'Every Wednesday, 3 times' }).waitFor()
  t.same(unexpected(faults), [])
})

t.test('dates of a long series are counted by their rule', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(
    api.editor.post('/events', { ...CHOIR, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=60' } }),
  )
  const list = async (page: number) =>
    (await must(api.anonymous.get(`/events?series=${series}&when=all&per_page=50&page=${page}`))).events
  const all = [...(await list(1)), ...(await list(2))] as Occurrence[]
  await must(api.editor.patch(`/events/${all[58]!.id}`, { title: 'Concert' }))
  await must(
    api.editor.patch(`/events/${all[1]!.id}`, {
      start_date: '2029-01-01 19:30',
      end_date: '2029-01-01 21:00',
    }),
  )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${all[57]!.id}`)
  await page.getByLabel('Title').fill('Open choir')
  await save(page)
  const dialog = page.getByRole('dialog', { name: 'Change which dates?' })
  await dialog.getByText('This date and the following ones (2)').waitFor()
  await dialog.getByText('All dates (59)').waitFor()
  t.same(unexpected(faults), [])
})

t.test('a date, those that follow, or all go to the trash', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  const all = await datesOf(api, series)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const days = async () =>
    (await datesOf(api, series)).map(({ start_date }) => start_date.slice(8, 10)).join(' ')
  const remove = async (id: number, name: RegExp | string) => {
    await page.goto(`${origin}/desk/#/events/${id}`)
    await page.getByRole('button', { name: 'Move to trash' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move which dates to the trash?' })
    await dialog.locator('[aria-busy=false]').waitFor()
    t.same(await findingsOf(page), [])
    await choose(page, name, 'Move to trash')
    await told(page, 'Moved to the trash.')
  }
  await remove(all[1]!.id, 'Only this date')
  t.equal(await days(), '24 08 15 22 29')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByLabel('Title').waitFor()
  t.equal(await days(), '24 01 08 15 22 29')
  await remove(all[3]!.id, 'This date and the following ones (3)')
  t.equal(await days(), '24 01 08')
  await remove(all[1]!.id, 'All dates (3)')
  t.equal((await api.anonymous.get('/events?when=all')).body.total, 0)
  t.same(unexpected(faults, 403), [])
})

t.test('a repetition ends, and a single event begins to repeat', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  const { id } = await must(api.editor.post('/events', { ...CHOIR, title: 'Talk', recurrence: undefined }))
  const all = await datesOf(api, series)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${all[2]!.id}`)
  await page.getByLabel('Repeats').selectOption({ label: 'Does not repeat' })
  await save(page)
  await page.getByRole('dialog', { name: 'End the repetition?' }).waitFor()
  t.same(await findingsOf(page), [])
  await choose(page, 'This is the last date', 'Save')
  await told(page, 'visible to everyone')
  t.equal((await datesOf(api, series)).length, 3)
  await page.locator('.repeats .said').filter({ hasText: 'Every Tuesday, 3 times' }).waitFor()

  await page.goto(`${origin}/desk/#/events/${id}`)
  await page.getByLabel('Repeats').selectOption({ label: 'Daily' })
  await page.getByLabel('Ends', { exact: true }).selectOption({ label: 'After a number of dates' })
  await page.getByLabel('Number of dates').fill('4')
  await save(page)
  await told(page, 'visible to everyone')
  await page.getByText('This is one date of a series.').waitFor()
  const talk = await must(api.anonymous.get(`/events/${id}`))
  t.equal((await datesOf(api, talk.series)).length, 4)
  t.same(unexpected(faults), [])
})

t.test('the list tells what repeats and what differs, with a way back', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  const all = await datesOf(api, series)
  await must(api.editor.patch(`/events/${all[1]!.id}`, { title: 'Concert', cost: '5' }))
  await must(
    api.editor.patch(`/events/${all[3]!.id}`, {
      start_date: '2026-12-16 19:30:00',
      end_date: '2026-12-16 22:00:00',
    }),
  )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const rows = page.locator('table.events tbody tr')
  await counted(rows, 1)
  // its dates unfold by keyboard
  const fold = page.getByRole('button', { name: '6 dates' })
  await fold.press('Enter')
  await counted(rows, 7)
  t.equal(await fold.getAttribute('aria-expanded'), 'true')
  await page.getByText('Differs in: title, price').waitFor()
  await page.getByText('Differs in: start, duration').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Use the version of the series: Concert' }).click()
  await told(page, 'as in its series again')
  await page.getByText('Differs in: title').waitFor({ state: 'detached' })
  t.same((await must(api.anonymous.get(`/events/${all[1]!.id}`))).title, 'Choir')
  // who chooses a series sees what is chosen: its dates
  await page.getByLabel('Choose Choir', { exact: true }).check()
  await page.getByText('6 chosen').waitFor()
  await page.getByLabel('Choose Choir, Tue, 8 Dec').uncheck()
  await page.getByText('5 chosen').waitFor()
  await fold.click()
  await counted(rows, 1)
  await page.getByLabel('Series').selectOption({ label: 'Every date' })
  await counted(rows, 6)
  await page.getByRole('link', { name: 'Remove Every date' }).click()
  await counted(rows, 1)
  // in the form as well
  await page.goto(`${origin}/desk/#/events/${all[3]!.id}`)
  await page.getByText('This date differs from its series in: start, duration.').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Use the version of the series' }).click()
  await told(page, 'as in its series again')
  await page.getByText('This date differs').waitFor({ state: 'detached' })
  await valued(page.getByLabel('Begins on'), '2026-12-15')
  t.same(unexpected(faults), [])
})

t.test('in the month one date is moved, and not its series', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { series } = await must(api.editor.post('/events', CHOIR))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/month/2026-12`)
  const bar = page.locator('.bar-event', { hasText: 'Choir' }).first()
  await bar.focus()
  await page.keyboard.press('Alt+ArrowRight')
  await told(page, 'Only this date was moved.')
  const days = async () =>
    (await datesOf(api, series)).map(({ start_date }) => start_date.slice(8, 10)).join(' ')
  t.equal(await days(), '24 02 08 15 22 29')
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, / 1 Dec.*Only this date was moved/)
  t.equal(await days(), '24 01 08 15 22 29')
  t.same(
    (await datesOf(api, series)).map(({ overrides }) => overrides.length),
    [0, 0, 0, 0, 0, 0],
  )
  await settled(page)
  const from = (await bar.boundingBox())!
  const to = (await page.locator('[data-day="2026-12-03"]').boundingBox())!
  await page.mouse.move(from.x + 10, from.y + 5)
  await page.mouse.down()
  await page.mouse.move(from.x + 20, from.y + 8)
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 })
  await page.mouse.up()
  await told(page, / 3 Dec.*Only this date was moved/)
  t.equal(await days(), '24 03 08 15 22 29')
  t.same(unexpected(faults), [])
})

t.test('visitors see a series once, and find all of its dates', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/events', CHOIR))
  for (const looks of [{}, { viewport: PHONE, colorScheme: 'dark' as const }]) {
    const { page, faults } = await open(t, browser, origin, looks)
    await page.goto(`${origin}/events/`)
    t.equal(await page.getByRole('heading', { name: 'Choir' }).count(), 1)
    t.same(await findingsOf(page), [])
    await page.getByRole('link', { name: 'Choir', exact: true }).click()
    await page.getByText('Every Tuesday, 6 times').waitFor()
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await page.getByRole('link', { name: 'All dates' }).click()
    await page.getByRole('heading', { name: 'Coming dates' }).waitFor()
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await page.getByRole('link', { name: 'Tuesday, December 8, 2026' }).click()
    await page.getByRole('heading', { level: 1, name: 'Choir' }).waitFor()
    t.match(page.url(), '/event/choir-2026-12-08/')
    t.same(faults, [])
  }
})
