import t from 'tap'
import { must } from '../../../support/answers.ts'
import { type Api, build } from '../../../support/app.ts'
import { daysOf, storedDates, WEEKLY } from '../../../support/series.ts'

type Entry = { subject: { kind: string; id: number }; details: { dates?: string } }

t.test('a date is cancelled and restored, alone, from then on, or with all', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const ids = storedDates(api, series).map(({ id }) => id)
  const exdate = async () => (await must(editor.get(`/series/${series}`))).recurrence.exdate
  const gone = await must(editor.delete(`/events/${ids[1]}`))
  t.match(gone, { id: ids[1], status: 'trash' })
  t.same(await exdate(), ['2026-12-08 20:00:00'])
  t.match(await editor.delete(`/events/${ids[1]}`), { status: 410 })
  t.match(await editor.patch(`/events/${ids[1]}`, { title: 'x' }), { status: 410 })
  const back = await must(editor.patch(`/events/${ids[1]}`, { status: 'publish', title: 'Back' }))
  t.match(back, { status: 'publish', slug: 'choir-2026-12-08', title: 'Back', overrides: ['title'] })
  t.same(await exdate(), [])
  await must(editor.patch(`/events/${ids[1]}`, { status: 'trash', title: 'Again' }))
  t.same(await exdate(), ['2026-12-08 20:00:00'])
  const draft = await must(editor.patch(`/events/${ids[1]}`, { status: 'draft' }))
  t.match(draft, { status: 'draft', title: 'Again', overrides: ['title', 'status'] })
  await must(editor.patch(`/events/${ids[1]}`, { status: 'publish' }))

  await must(editor.delete(`/events/${ids[2]}?apply_to=following`))
  t.equal(daysOf(api, series), '12-01 12-08')
  t.match(await must(editor.patch(`/events/${ids[3]}`, { status: 'publish' })), { status: 'publish' })
  t.match(await must(editor.get(`/series/${series}`)), { recurrence: { rdate: ['2026-12-22 20:00:00'] } })
  await must(editor.delete(`/events/${ids[0]}?apply_to=following`))
  t.match(await must(editor.get(`/series/${series}`)), { status: 'trash' })
  t.equal(daysOf(api, series), '')
  t.match(await editor.patch(`/events/${ids[0]}`, { status: 'publish' }), {
    status: 400,
    body: { data: { params: { status: new RegExp(`/series/${series}`) } } },
  })
  await must(editor.patch(`/series/${series}`, { status: 'publish' }))
  t.equal(daysOf(api, series), '12-01 12-08 12-22')
  await must(editor.patch(`/series/${series}`, { status: 'trash' }))
  t.equal(daysOf(api, series), '')
  await must(editor.patch(`/series/${series}`, { status: 'publish' }))
  const longer = { end_date: '2026-12-01 23:00:00' }
  await must(editor.patch(`/events/${ids[0]}?apply_to=all`, longer))
  t.match(await must(editor.get(`/events/${ids[1]}`)), { end_date: '2026-12-08 23:00:00' })
  await must(editor.delete(`/events/${ids[0]}?apply_to=all`))
  t.equal(daysOf(api, series), '')
  t.equal((await must(anonymous.get('/events'))).total, 0)
  t.equal((await editor.delete(`/series/${series}`)).status, 410)
  await must(editor.patch(`/series/${series}`, { status: 'draft' }))
  t.equal(daysOf(api, series), '12-01 12-08 12-22')
  t.equal((await must(anonymous.get('/events'))).total, 0)
  t.match(await anonymous.get(`/series/${series}`), { status: 403, body: { code: 'series-not-accessible' } })
})

t.test('dates and series are deleted for good with force', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(
    editor.post('/events', { ...WEEKLY, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=6' } }),
  )
  const ids = storedDates(api, series).map(({ id }) => id)
  await must(editor.delete(`/events/${ids[1]}?force=true`))
  t.equal(daysOf(api, series), '12-01 12-15 12-22 12-29 01-05')
  t.match(await must(editor.get(`/series/${series}`)), { recurrence: { exdate: ['2026-12-08 20:00:00'] } })
  await must(editor.delete(`/events/${ids[2]}`))
  await must(editor.delete(`/events/${ids[2]}?force=true`))
  t.same(
    storedDates(api, series).map(({ id }) => id),
    [ids[0], ...ids.slice(3)],
  )
  await must(editor.delete(`/events/${ids[4]}?force=true&apply_to=following`))
  t.same(
    storedDates(api, series).map(({ id }) => id),
    [ids[0], ids[3]],
  )
  await must(editor.delete(`/events/${ids[0]}?force=true&apply_to=all`))
  t.same(storedDates(api, series), [])
  const { entries } = await must(api.administrator.get('/audit?code=record_deleted&order=asc&per_page=50'))
  t.same(
    entries.map(({ subject, details }: Entry) => [subject.kind, subject.id, details.dates]),
    [...[1, 2, 4, 5].map((at) => ['event', ids[at], undefined]), ['series', series, '2']],
    'dates that are deleted with their series are no entries of their own',
  )
  t.equal((await editor.get(`/series/${series}`)).status, 404)

  const other = await must(editor.post('/series', WEEKLY))
  const [one] = storedDates(api, other.id)
  await must(editor.delete(`/events/${one!.id}?force=true&apply_to=following`))
  t.equal((await editor.get(`/series/${other.id}`)).status, 404, 'none is before it')
  const third = await must(editor.post('/series', WEEKLY))
  await must(editor.delete(`/series/${third.id}`))
  await must(editor.delete(`/series/${third.id}?force=true`))
  t.same(storedDates(api, third.id), [])
  t.equal((await must(editor.get('/events'))).total, 0)
})

t.test('a series that ends before the dates of its rule keeps those that were added before', async (t) => {
  const recurrence = { rrule: 'FREQ=WEEKLY;COUNT=4', rdate: ['2026-11-26 20:00:00', '2026-11-28 20:00:00'] }
  for (const end of [
    (api: Api, id: number) => api.editor.delete(`/events/${id}?apply_to=following`),
    (api: Api, id: number) => api.editor.patch(`/events/${id}?apply_to=following`, { title: 'Other' }),
  ]) {
    const api = await build(t)
    const { series } = await must(api.editor.post('/events', { ...WEEKLY, recurrence }))
    t.equal(daysOf(api, series), '11-26 11-28 12-01 12-08 12-15 12-22')
    await must(end(api, storedDates(api, series)[1]!.id))
    t.match(await must(api.editor.get(`/series/${series}`)), {
      start_date: '2026-11-26 20:00:00',
      end_date: '2026-11-26 22:00:00',
      recurrence: { rrule: 'FREQ=DAILY;COUNT=1', rdate: [], until: '2026-11-26 20:00:00' },
    })
    t.equal(daysOf(api, series), '11-26')
    await must(api.editor.patch(`/series/${series}`, { title: 'Choir again' }))
    t.equal(daysOf(api, series), '11-26')
  }
})
