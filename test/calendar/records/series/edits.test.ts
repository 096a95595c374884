import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { daysOf, etagsOf, storedDates, WEEKLY } from '../../../support/series.ts'

const ALL = '12-01 12-08 12-15 12-22'

t.test('an event with a recurrence is made with its dates, which are events of their own', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const made = await editor.post('/events', WEEKLY)
  t.equal(made.status, 201)
  const { id, series, slug, post_parent, recurrence_id, overrides } = made.body
  t.same([slug, recurrence_id, overrides], ['choir-2026-12-01', '2026-12-01 20:00:00', []])
  t.equal(post_parent, series)
  t.match(made.headers.location, new RegExp(`/events/${id}$`))
  const pattern = await must(anonymous.get(`/series/${series}`))
  t.match(pattern, {
    title: 'Choir',
    slug: 'choir',
    start_date: WEEKLY.start_date,
    end_date: WEEKLY.end_date,
  })
  t.same(pattern.recurrence, {
    ...{ rrule: 'FREQ=WEEKLY;COUNT=4', rdate: [], exdate: [] },
    ...{ text: 'every Tuesday, 4 times', until: '2026-12-22 20:00:00' },
  })
  t.same(await must(anonymous.get('/series/by-slug/choir')), pattern)
  const { events, total } = await must(anonymous.get('/events'))
  t.equal(total, 4, 'a series is in no list of events')
  t.same(
    events.map((event: { slug: string }) => event.slug),
    ['choir-2026-12-01', 'choir-2026-12-08', 'choir-2026-12-15', 'choir-2026-12-22'],
  )
  for (const filter of [
    `series=${series}`,
    `post_parent=${series}`,
    `series=${series}&post_parent=${series}`,
  ])
    t.equal((await must(anonymous.get(`/events?${filter}`))).total, 4, filter)
  const other = await must(editor.post('/series', { ...WEEKLY, title: 'Band' }))
  t.equal((await must(anonymous.get(`/events?series=${series}&post_parent=${other.id}`))).total, 0)
  t.match(await anonymous.get('/events?series=99'), {
    status: 400,
    body: { data: { params: { series: 'There is no series with ID 99.' } } },
  })
  t.equal((await must(anonymous.get('/series'))).total, 2)
  t.equal((await must(anonymous.get('/series?search=choir'))).series[0].id, series)
  t.equal((await anonymous.get('/events/by-slug/choir-2026-12-08')).status, 200)
})

t.test('a change of one date is its own, and leaves the others as they are', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const [first, second, ...others] = storedDates(api, series).map(({ id }) => id)
  const before = await etagsOf(editor, [first!, ...others])
  const body = await must(
    editor.patch(`/events/${second}`, {
      title: 'Concert',
      start_date: '2026-12-09 19:00:00',
      end_date: '2026-12-09 22:00:00',
    }),
  )
  t.match(body, { id: second, slug: 'choir-2026-12-08', recurrence_id: '2026-12-08 20:00:00' })
  t.same(body.overrides, ['title', 'start_date', 'end_date'])
  t.same(await etagsOf(editor, [first!, ...others]), before)
  await must(editor.patch(`/series/${series}`, { title: 'Chorus', website: 'https://choir.test/' }))
  t.same(
    storedDates(api, series).map(({ title }) => title),
    ['Chorus', 'Concert', 'Chorus', 'Chorus'],
  )
  t.match(await must(editor.get(`/events/${second}`)), {
    ...{ title: 'Concert', website: 'https://choir.test/', start_date: '2026-12-09 19:00:00' },
  })
  const back = await must(editor.patch(`/events/${second}`, { overrides: ['title'] }))
  t.match(back, { title: 'Concert', start_date: '2026-12-08 20:00:00', end_date: '2026-12-08 22:00:00' })
  t.same(back.overrides, ['title'])
  t.match(await must(editor.patch(`/events/${second}`, { overrides: null })), {
    title: 'Chorus',
    overrides: [],
  })
  const same = await must(editor.patch(`/events/${second}`, { title: 'Chorus', featured: false }))
  t.same(same.overrides, [], 'what is as in the series is no override')
  const named = await must(editor.patch(`/events/${second}`, { slug: 'gala', overrides: [] }))
  t.match(named, { slug: 'gala', overrides: [] })
})

t.test('a change from one date on begins another series there', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const all = storedDates(api, series)
  const [first, second, third, fourth] = all.map(({ id }) => id)
  await must(editor.patch(`/events/${fourth}`, { title: 'Gala' }))
  await must(editor.delete(`/events/${second}`))
  const before = await etagsOf(editor, [first!])
  const body = await must(
    editor.patch(`/events/${third}?apply_to=following`, {
      ...{ title: 'Late choir', start_date: '2026-12-15 21:00:00', end_date: '2026-12-15 22:30:00' },
    }),
  )
  t.not(body.series, series)
  t.match(body, { id: third, slug: 'choir-2026-12-15', recurrence_id: '2026-12-15 21:00:00', overrides: [] })
  t.same(
    storedDates(api, body.series).map(({ id, date, title, start }) => [id, date, title, start]),
    [
      [third, '2026-12-15 21:00:00', 'Late choir', '2026-12-15 21:00:00'],
      [fourth, '2026-12-22 21:00:00', 'Gala', '2026-12-22 21:00:00'],
    ],
  )
  t.match(await must(editor.get(`/series/${body.series}`)), {
    slug: 'choir-2',
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2', exdate: [] },
  })
  t.match(await must(editor.get(`/series/${series}`)), {
    recurrence: {
      rrule: 'FREQ=WEEKLY;COUNT=2',
      exdate: ['2026-12-08 20:00:00'],
      until: '2026-12-01 20:00:00',
    },
  })
  t.equal(daysOf(api, series), '12-01')
  t.same(await etagsOf(editor, [first!]), before)
  t.equal((await must(editor.patch(`/events/${first}?apply_to=following`, { title: 'All' }))).series, series)
  t.match(await must(editor.get(`/series/${series}`)), { title: 'All' }, 'from the first on is all')
})

t.test('a change of all moves every date, and writes no event in which nothing changes', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', { ...WEEKLY, description: 'Come.' }))
  const ids = storedDates(api, series).map(({ id }) => id)
  await must(
    editor.patch(`/events/${ids[2]}`, {
      title: 'Gala',
      start_date: '2026-12-16 18:00:00',
      end_date: '2026-12-16 20:00:00',
    }),
  )
  const before = await etagsOf(editor, ids)
  await must(editor.patch(`/series/${series}`, { title: 'Choir' }))
  t.same(await etagsOf(editor, ids), before)
  const own = before[ids[2]!]
  await must(editor.patch(`/events/${ids[0]}?apply_to=all`, { title: 'Band' }))
  t.equal((await etagsOf(editor, [ids[2]!]))[ids[2]!], own, 'it has a title of its own')
  const body = await must(
    editor.patch(`/events/${ids[1]}?apply_to=all`, {
      start_date: '2026-12-08 19:00:00',
      end_date: '2026-12-08 22:00:00',
    }),
  )
  t.equal(body.recurrence_id, '2026-12-08 19:00:00')
  t.same(
    storedDates(api, series).map(({ id, date, title, start }) => [id, date, title, start]),
    [
      [ids[0], '2026-12-01 19:00:00', 'Band', '2026-12-01 19:00:00'],
      [ids[1], '2026-12-08 19:00:00', 'Band', '2026-12-08 19:00:00'],
      [ids[2], '2026-12-15 19:00:00', 'Gala', '2026-12-16 18:00:00'],
      [ids[3], '2026-12-22 19:00:00', 'Band', '2026-12-22 19:00:00'],
    ],
  )
  t.match(await must(editor.get(`/series/${series}`)), {
    start_date: '2026-12-01 19:00:00',
    end_date: '2026-12-01 22:00:00',
  })
  const taken = await must(editor.patch(`/events/${ids[2]}?apply_to=all`, { title: 'Gala' }))
  t.same([taken.overrides, taken.title], [['start_date'], 'Gala'])
  t.same(
    new Set(storedDates(api, series).map(({ title }) => title)),
    new Set(['Gala']),
    'what it has goes to all',
  )
  const named = await editor.patch(`/events/${ids[0]}?apply_to=all`, { slug: 'other', title: 'Choir' })
  t.match(named, { body: { slug: 'choir-2026-12-01' }, headers: { 'x-ignored-fields': 'slug' } })
  await must(editor.patch(`/events/${ids[0]}?apply_to=all`, { overrides: [] }))
  t.same(storedDates(api, series)[2]!.overrides, [])
})

t.test('a date that the new rule does not have goes to the trash, and comes back with it', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const all = storedDates(api, series)
  await must(editor.patch(`/events/${all[1]!.id}`, { title: 'Gala' }))
  await must(editor.patch(`/series/${series}`, { recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=3' } }))
  t.equal(daysOf(api, series), '12-01 12-15 12-29')
  t.equal((await editor.get(`/events/${all[1]!.id}`)).status, 403)
  await must(editor.patch(`/series/${series}`, { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5' } }))
  t.equal(daysOf(api, series), `${ALL} 12-29`)
  t.match(await must(editor.get(`/events/${all[1]!.id}`)), {
    title: 'Gala',
    slug: 'choir-2026-12-08',
    overrides: ['title'],
  })
  t.same(
    storedDates(api, series)
      .slice(0, 4)
      .map(({ id }) => id),
    all.map(({ id }) => id),
  )
  const later = { start_date: '2026-12-01 21:00:00', end_date: '2026-12-01 22:00:00' }
  await must(
    editor.patch(`/series/${series}`, { ...later, recurrence: { rrule: 'FREQ=DAILY;INTERVAL=7;COUNT=3' } }),
  )
  t.equal(daysOf(api, series), '12-01 12-08 12-15')
  t.same(
    storedDates(api, series)
      .slice(0, 3)
      .map(({ id }) => id),
    all.slice(0, 3).map(({ id }) => id),
  )
  const days = { start_date: '2026-12-02', end_date: '2026-12-02', all_day: true }
  await must(
    editor.patch(`/series/${series}`, {
      ...days,
      recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2', rdate: ['2026-12-24'] },
    }),
  )
  t.same(
    storedDates(api, series)
      .filter(({ status }) => status !== 'trash')
      .map(({ id, date }) => [id, date])
      .slice(0, 2),
    [
      [all[0]!.id, '2026-12-02'],
      [all[1]!.id, '2026-12-09'],
    ],
  )
})
