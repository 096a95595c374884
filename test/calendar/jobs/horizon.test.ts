import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { extendSeries, openOccurrenceWindow } from '../../../src/calendar/jobs.ts'
import type { Later } from '../../../src/kernel/tasks/jobs.ts'
import { must } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { storedDates, WEEKLY } from '../../support/series.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000
const ENDLESS = { ...WEEKLY, recurrence: { rrule: 'FREQ=WEEKLY' } }

t.test('dates exist for two years, and time brings each once, after a year as after a week', async (t) => {
  const api = await build(t)
  const { app, editor, clock } = api
  const { occurrenceWindow } = app.store
  const { id } = await must(editor.post('/series', ENDLESS))
  const last = () => storedDates(api, id).at(-1)!.date.slice(0, 10)
  t.same([storedDates(api, id).length, last()], [103, '2028-11-14'], '730 days from 21 November 2026')
  t.equal(await occurrenceWindow.extend(), false)
  clock.now += 6 * DAY
  t.equal(await occurrenceWindow.extend(), true)
  t.equal(last(), '2028-11-21')
  t.equal((await must(editor.get(`/series/${id}`))).recurrence.until, '2028-11-21 20:00:00')
  const ids = storedDates(api, id).map(({ id }) => id)
  clock.now += 365 * DAY
  t.same(
    await Promise.all([occurrenceWindow.extend(), occurrenceWindow.extend()]),
    [true, false],
    'who comes second finds nothing to do',
  )
  t.same([storedDates(api, id).length, last()], [156, '2029-11-20'])
  t.same(
    storedDates(api, id)
      .slice(0, ids.length)
      .map(({ id }) => id),
    ids,
  )
  clock.now -= 400 * DAY
  t.equal(await occurrenceWindow.extend(), false)
  await must(editor.patch(`/series/${id}`, { title: 'Chorus' }))
  t.same([storedDates(api, id).length, last()], [156, '2029-11-20'], 'a clock that goes back takes none away')
  await must(editor.delete(`/series/${id}`))
  clock.now += 1_000 * DAY
  t.equal(await occurrenceWindow.extend(), false, 'a series in the trash gets no more')
  await must(editor.patch(`/series/${id}`, { status: 'publish' }))
  t.equal(last(), '2031-07-15', 'and all of them when it comes back')
})

t.test('a date in the trash comes back when time brings it near again', async (t) => {
  const api = await build(t, { env: { SERIES_DAYS: '30' } })
  const { app, editor, clock } = api
  const { id } = await must(editor.post('/series', ENDLESS))
  const ids = () => storedDates(api, id).map(({ id, status }) => (status === 'trash' ? 0 : id))
  clock.now += 21 * DAY
  t.equal(await app.store.occurrenceWindow.extend(), true)
  const all = ids()
  t.equal(all.length, 6)
  await must(editor.patch(`/events/${all[4]}`, { title: 'Guests' }))
  clock.now -= 21 * DAY
  await must(editor.patch(`/series/${id}`, { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2' } }))
  await must(editor.patch(`/series/${id}`, { recurrence: { rrule: 'FREQ=WEEKLY' } }))
  t.same(ids(), [...all.slice(0, 3), 0, 0, 0])
  clock.now += 21 * DAY
  t.equal(await app.store.occurrenceWindow.extend(), true)
  t.same(ids(), all)
  t.equal(storedDates(api, id)[4]!.title, 'Guests')
})

t.test('a series that waits for a date which is later than it knew waits on', async (t) => {
  const api = await build(t)
  const { app, editor } = api
  const { id } = await must(editor.post('/series', ENDLESS))
  const waited = () => app.store.db.rows<[string]>('select until, next_utc from series')
  const [right, before] = [waited(), storedDates(api, id)]
  // as a tz database told it that another one has replaced
  await app.store.db.write(async (tx) => tx.run(sql`update series set next_utc = '2028-11-20 01:00:00'`))
  t.equal(await app.store.occurrenceWindow.extend(), true)
  t.same([waited(), storedDates(api, id)], [right, before])
  t.equal(await app.store.occurrenceWindow.extend(), false)
})

t.test('a series has 1,500 dates at most, and SERIES_DAYS says how far ahead', async (t) => {
  const api = await build(t, { env: { SERIES_DAYS: '10' } })
  const { app, editor, clock } = api
  const daily = await must(editor.post('/series', { ...WEEKLY, recurrence: { rrule: 'FREQ=DAILY' } }))
  t.equal(storedDates(api, daily.id).length, 1, 'the first one in any case')
  const ended = await must(
    editor.post('/series', { ...WEEKLY, title: 'Ended', recurrence: { rrule: 'FREQ=DAILY;COUNT=5' } }),
  )
  clock.now += 3 * DAY
  while (await app.store.occurrenceWindow.extend());
  t.equal(storedDates(api, daily.id).length, 3)
  clock.now += 2_000 * DAY
  while (await app.store.occurrenceWindow.extend());
  t.equal(storedDates(api, daily.id).length, 1_500)
  t.equal(storedDates(api, ended.id).length, 5)
  const { recurrence, start_date, end_date } = await must(editor.get(`/series/${daily.id}`))
  const patch = (body: object) => editor.patch(`/series/${daily.id}`, body)
  await must(patch({ recurrence, start_date, end_date }))
  t.match((await patch({ recurrence: { rrule: 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA' } })).body.data.params, {
    'recurrence.rrule': /^must give at most 1500 dates until 2032-05-26;/,
  })
  await must(patch({ start_date: '2026-12-01 21:00:00' }))
  const moved = storedDates(api, daily.id)
  t.same([moved.length, moved.at(-1)!.start], [1_500, '2031-01-08 21:00:00'])
  const all = await must(
    editor.post('/series', {
      ...WEEKLY,
      title: 'Day',
      start_date: '2032-05-25',
      end_date: '2032-05-25',
      all_day: true,
      recurrence: { rrule: 'FREQ=DAILY' },
    }),
  )
  t.equal(storedDates(api, all.id).at(-1)!.date, '2032-05-26')
  const often = `FREQ=DAILY;BYHOUR=${[...Array(24).keys()]};BYMINUTE=${[...Array(60).keys()]}`
  const late = { title: 'Late', start_date: '2033-01-01 00:00:00', end_date: '2033-01-01 00:01:00' }
  t.match((await editor.post('/series', { ...late, recurrence: { rrule: often } })).body.data.params, {
    'recurrence.rrule': /^must give at most 1500 dates until 2033-01-11;/,
  })
  const last = { start_date: '9999-12-30 20:00:00', end_date: '9999-12-30 21:00:00' }
  await must(editor.post('/series', { ...late, ...last, recurrence: { rrule: 'FREQ=DAILY' } }))
  const days = { start_date: '2033-01-01', end_date: '2033-01-01', all_day: true }
  await must(editor.post('/series', { ...late, ...days, recurrence: { rrule: 'FREQ=DAILY' } }))
})

t.test('in the hour that the clocks repeat, what is later in words may be earlier', async (t) => {
  const now = Date.parse('2026-10-24T01:05:00Z')
  const api = await build(t, { now, env: { SERIES_DAYS: '1', TIMEZONE: 'Europe/Madrid' } })
  const { app, editor, clock } = api
  const start_date = '2026-10-24 02:10:00'
  const body = {
    title: 'Night',
    start_date,
    end_date: start_date,
    recurrence: { rrule: 'FREQ=DAILY;BYHOUR=2;BYMINUTE=10,50' },
  }
  const { id } = await must(editor.post('/series', body))
  const days = () => storedDates(api, id).map(({ date }) => date.slice(8, 16))
  t.same(days(), ['24 02:10', '24 02:50', '25 02:10', '25 02:50'], 'both are before 2:05 for the second time')
  clock.now += 87_000_000
  while (await app.store.occurrenceWindow.extend());
  t.same(days().slice(4), ['26 02:10'], 'and in winter again by the clock')
})

t.test('a node whose clock is wrong adds no dates', async (t) => {
  const api = await build(t)
  const { app, editor, clock } = api
  const { db, site } = app.store
  await must(editor.post('/series', ENDLESS))
  clock.now += 7 * DAY
  const replica = { status: () => ({ clock: { state: 'wrong' } }) }
  t.equal(await openOccurrenceWindow({ ...db, replica } as never, site).extend(), false)
  replica.status = () => ({ clock: { state: 'right' } })
  t.equal(await openOccurrenceWindow({ ...db, replica } as never, site).extend(), true)
})

t.test('the service looks by itself, and goes on after a failure', async (t) => {
  const api = await build(t, { env: { DATABASE: join(t.testdir(), 'almanac.db') } })
  const { app, editor, clock } = api
  const { id } = await must(editor.post('/series', ENDLESS))
  const other = await must(editor.post('/series', { ...ENDLESS, title: 'Band' }))
  let ring = () => {}
  const waits: number[] = []
  const told: string[] = []
  const wait: Later = (run, milliseconds) => {
    waits.push(milliseconds)
    ring = run
    return { clear: () => void told.push('cleared') }
  }
  const warn = (_kind: string, _log: object, _details: object, message: string) => void told.push(message)
  const state = { isBroken: false }
  const occurrenceWindow = {
    extend: () => (state.isBroken ? Promise.reject(new Error('disk')) : app.store.occurrenceWindow.extend()),
  }
  const stop = extendSeries({ occurrenceWindow }, { warnings: { warn }, log: app.log }, wait)
  const look = async () => {
    const before = waits.length
    ring()
    await until(() => waits.length > before)
  }
  clock.now += 7 * DAY
  for (let at = 0; at < 3; at++) await look()
  t.same(waits, [50, 50, 50, 60_000], 'two series, and then none')
  t.same([storedDates(api, id).length, storedDates(api, other.id).length], [104, 104])
  state.isBroken = true
  await look()
  t.same([told, waits.at(-1)], [['series could not be given their next dates'], 60_000])
  state.isBroken = false
  ring()
  await stop()
  t.equal(waits.length, 5, 'nothing is looked for any more')
  t.equal(told.at(-1), 'cleared')
})
