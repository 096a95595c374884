import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { daysOf, storedDates, WEEKLY } from '../../../support/series.ts'

const ALL = '12-01 12-08 12-15 12-22'

t.test('a single event becomes the first date of a series, and leaves it again', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { recurrence, ...single } = WEEKLY
  const made = await must(editor.post('/events', single))
  t.notOk('series' in made)
  const parent = await must(editor.post('/events', { ...single, title: 'Festival' }))
  t.match(await editor.patch(`/events/${made.id}`, { recurrence, post_parent: parent.id }), {
    status: 400,
    body: { data: { params: { post_parent: /must not be sent/ } } },
  })
  t.match(
    await editor.patch(`/events/${made.id}`, {
      recurrence: { ...recurrence, exdate: ['2026-12-01 20:00:00'] },
    }),
    {
      status: 400,
      body: { data: { params: { 'recurrence.exdate': /2026-12-01 20:00:00/ } } },
    },
  )
  const first = await must(editor.patch(`/events/${made.id}`, { recurrence, title: 'Chorus' }))
  t.match(first, {
    id: made.id,
    slug: 'choir',
    title: 'Chorus',
    overrides: [],
    recurrence_id: '2026-12-01 20:00:00',
  })
  const { series } = first
  t.equal(daysOf(api, series), ALL)
  const ids = storedDates(api, series).map(({ id }) => id)

  const alone = await must(editor.patch(`/events/${ids[1]}`, { recurrence: null, title: 'Alone' }))
  t.match(alone, { title: 'Alone', post_parent: 0, slug: 'choir-2026-12-08' })
  t.notOk('series' in alone)
  t.equal(daysOf(api, series), '12-01 12-15 12-22')
  await must(editor.patch(`/events/${ids[2]}?apply_to=following`, { recurrence: null }))
  t.equal(daysOf(api, series), '12-01 12-15')
  await must(editor.patch(`/events/${ids[2]}?apply_to=following`, { recurrence: null }))
  t.equal(daysOf(api, series), '12-01 12-15', 'none follows')
  const last = await must(editor.patch(`/events/${ids[0]}?apply_to=all`, { recurrence: null }))
  t.notOk('series' in last)
  t.match(await must(editor.get(`/series/${series}`)), { status: 'trash' })
  await must(editor.patch(`/series/${series}`, { status: 'publish' }))
  t.equal(daysOf(api, series), '12-15', 'the event that left is no date of it any more')
  t.equal(
    (await must(editor.patch(`/events/${ids[0]}`, { recurrence: null }))).id,
    ids[0],
    'it is single already',
  )
})

t.test('a date in the trash comes back with what follows it, with all, or as a single event', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const ids = storedDates(api, series).map(({ id }) => id)
  for (const id of ids.slice(0, 3)) await must(editor.delete(`/events/${id}`))
  const publish = { status: 'publish' }
  await must(editor.patch(`/events/${ids[0]}?apply_to=following`, { ...publish, title: 'First' }))
  t.equal(daysOf(api, series), '12-01 12-22', 'from the first on is all')
  await must(editor.patch(`/events/${ids[1]}?apply_to=all`, publish))
  t.equal(daysOf(api, series), '12-01 12-08 12-22')
  const later = await must(editor.patch(`/events/${ids[2]}?apply_to=following`, publish))
  t.not(later.series, series)
  t.same([daysOf(api, series), daysOf(api, later.series)], ['12-01 12-08', '12-15 12-22'])
  await must(editor.delete(`/events/${ids[1]}`))
  const alone = await must(editor.patch(`/events/${ids[1]}`, { ...publish, recurrence: null }))
  t.match(alone, { status: 'publish', slug: 'choir-2026-12-08', post_parent: 0 })
  await must(editor.delete(`/series/${series}`))
  t.match(await must(editor.patch(`/events/${ids[0]}?apply_to=all`, publish)), { status: 'publish' })
  t.match(await must(editor.get(`/series/${series}`)), { status: 'publish' })
})

t.test('a series keeps what its dates are, also where none is left', async (t) => {
  const api = await build(t)
  const { editor } = api
  const one = await must(editor.post('/events', { ...WEEKLY, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
  const ids = storedDates(api, one.series).map(({ id }) => id)
  await must(editor.patch(`/events/${ids[1]}`, { status: 'draft', excerpt: 'Own' }))
  await must(editor.delete(`/series/${one.series}`))
  await must(editor.patch(`/series/${one.series}`, { status: 'publish' }))
  t.match(await must(editor.get(`/events/${ids[1]}`)), { status: 'draft', overrides: ['excerpt', 'status'] })
  await must(editor.patch(`/events/${ids[1]}`, { status: 'trash', overrides: ['status'] }))
  await must(editor.patch(`/events/${ids[0]}`, { status: 'trash' }))
  t.match(await must(editor.get(`/series/${one.series}`)), { recurrence: { until: '' }, status: 'publish' })
  const zone = await must(editor.post('/events', WEEKLY))
  const moved = await must(editor.patch(`/events/${zone.id}?apply_to=all`, { timezone: 'Europe/London' }))
  t.match(moved, { start_date: '2026-12-01 20:00:00', utc_start_date: '2026-12-01 20:00:00', overrides: [] })
})

t.test('days and times that the clocks skip', async (t) => {
  const api = await build(t)
  const { editor } = api
  const night = {
    title: 'Night',
    start_date: '2027-03-27 02:30:00',
    end_date: '2027-03-27 02:45:00',
    timezone: 'Europe/Madrid',
  }
  const one = await must(editor.post('/events', { ...night, recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }))
  const dates = storedDates(api, one.series)
  t.same(
    dates.map(({ date, start }) => [date.slice(8, 16), start.slice(8, 16)]),
    [
      ['27 02:30', '27 02:30'],
      ['28 02:30', '28 03:30'],
      ['29 02:30', '29 02:30'],
    ],
  )
  t.match(
    await must(
      editor.patch(`/events/${dates[1]!.id}`, {
        start_date: '2027-03-28 02:30:00',
        end_date: '2027-03-28 02:45:00',
      }),
    ),
    {
      ...{ start_date: '2027-03-28 03:30:00', overrides: [] },
    },
  )
  // Beirut has no midnight on 28 March 2027
  const day = {
    title: 'Day',
    start_date: '2027-03-27',
    end_date: '2027-03-27',
    all_day: true,
    timezone: 'Asia/Beirut',
  }
  const { recurrence: _, ...single } = { ...day, recurrence: null }
  const made = await must(editor.post('/events', single))
  const all = await must(editor.patch(`/events/${made.id}`, { recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }))
  const days = storedDates(api, all.series)
  t.same(
    days.map(({ date }) => date),
    ['2027-03-27', '2027-03-28', '2027-03-29'],
  )
  for (const { id, date } of days)
    t.match(await must(editor.get(`/events/${id}`)), { all_day: true, end_date: `${date} 23:59:59` })
  const late = await must(
    editor.post('/series', {
      ...day,
      start_date: '2027-03-28',
      end_date: '2027-03-28',
      recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
    }),
  )
  t.same(
    storedDates(api, late.id).map(({ start }) => start.slice(0, 10)),
    ['2027-03-28', '2027-03-29'],
  )
})
