import t, { type Test } from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, countOf, EVENT } from '../../support/app.ts'

type Sides = { before: Record<string, unknown>; after: Record<string, unknown> }
const told = ({ before, after }: Sides) =>
  Object.fromEntries(Object.keys(before).map((name) => [name, [before[name], after[name]]]))

async function choir(t: Test, count = 4) {
  const api = await build(t)
  const { editor } = api
  const rule = { rrule: `FREQ=WEEKLY;COUNT=${count}` }
  const first = await must(editor.post('/events', { ...EVENT, title: 'Choir', recurrence: rule }))
  const { events } = await must(editor.get(`/events?series=${first.series}&when=all&per_page=50`))
  return {
    ...api,
    series: first.series as number,
    dates: events.map(({ id }: { id: number }) => id) as number[],
    history: async (plural: string, id: number) =>
      (await must(editor.get(`/${plural}/${id}/revisions`))).revisions,
    rows: () => countOf(api, 'revisions'),
    back: (plural: string, id: number, revision: number) =>
      editor.post(`/${plural}/${id}/revisions/${revision}/restore`),
  }
}

t.test('a change of all dates is one change of the series', async (t) => {
  const { editor, series, dates, history, rows, back } = await choir(t, 40)
  await must(editor.patch(`/events/${dates[2]}?apply_to=all`, { description: 'Long', featured: true }))
  t.equal(rows(), 1, 'however many dates it has')
  t.same(await history('events', dates[2]!), [])
  const [change] = await history('series', series)
  t.same(told(change), { description: ['', '<p>Long</p>'], featured: [false, true] })
  const stale = { headers: { 'if-match': '"old"' } }
  const path = `/series/${series}/revisions/${change.id}/restore`
  t.equal(refusal(await editor.post(path, undefined, stale)), '412 rest_precondition_failed')
  await must(back('series', series, change.id))
  t.match(await must(editor.get(`/events/${dates[9]}`)), { description: '', featured: false })
})

t.test('what is changed in one date is at that date', async (t) => {
  const { editor, series, dates, history, back } = await choir(t)
  const [, second, third] = dates as [number, number, number]
  await must(editor.patch(`/events/${second}`, { title: 'Concert', end_date: '2026-12-20 20:00' }))
  const [change] = await history('events', second)
  t.match(told(change), { title: ['Choir', 'Concert'] })
  t.same(await history('series', series), [])
  await must(back('events', second, change.id))
  t.match(await must(editor.get(`/events/${second}`)), { title: 'Choir', overrides: [] })
  await must(editor.patch(`/events/${third}`, { title: 'Other' }))
  await must(editor.patch(`/events/${third}`, { overrides: [] }))
  t.same(told((await history('events', third))[0]), { title: ['Other', 'Choir'] })
  await must(editor.delete(`/events/${third}`))
  const [cancelled] = await history('events', third)
  t.same(told(cancelled), { status: ['publish', 'trash'] })
  t.match(told((await history('series', series))[0]), { recurrence: [{ exdate: [] }, {}] })
  await must(back('events', third, cancelled.id))
  t.match(await must(editor.get(`/events/${third}`)), { status: 'publish', series })
  t.same(told((await history('events', third))[0]), { status: ['trash', 'publish'] })
})

t.test('a rule is brought back, and a series from the trash', async (t) => {
  const { editor, series, history, back } = await choir(t)
  const dates = async () => (await must(editor.get(`/events?series=${series}&when=all`))).total
  await must(editor.patch(`/series/${series}`, { recurrence: { rrule: 'FREQ=DAILY;COUNT=9' } }))
  t.equal(await dates(), 9)
  await must(editor.delete(`/series/${series}`))
  const [trashed, ruled] = await history('series', series)
  t.same(told(trashed), { status: ['publish', 'trash'] })
  await must(back('series', series, ruled.id))
  t.equal(await dates(), 4)
})

t.test('a date that its series does not have any more is brought back at the series alone', async (t) => {
  const { editor, series, dates, history, back } = await choir(t)
  const last = dates.at(-1)!
  await must(editor.patch(`/events/${last}`, { title: 'Concert' }))
  await must(editor.patch(`/series/${series}`, { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2' } }))
  const [change] = await history('events', last)
  t.equal(refusal(await back('events', last, change.id)), '410 event-is-in-trash')
  t.match((await history('events', last)).map(told), [{ title: ['Choir', 'Concert'] }])
})

t.test('an event that begins to repeat, and one that leaves its series', async (t) => {
  const { editor, series, dates, history, back } = await choir(t)
  const last = dates.at(-1)!
  await must(editor.patch(`/events/${last}`, { recurrence: null }))
  const [left] = await history('events', last)
  t.same(told(left), { post_parent: [series, 0] })
  const kept = await back('events', last, left.id)
  t.equal(kept.headers['x-ignored-fields'], 'post_parent', 'a series takes no event by its parent')
  const { id } = await must(editor.post('/events', EVENT))
  const rule = { rrule: 'FREQ=DAILY;COUNT=2' }
  const begun = await must(editor.patch(`/events/${id}`, { recurrence: rule }))
  const [repeats] = await history('events', id)
  t.same(told(repeats), { post_parent: [0, begun.series] })
  const single = await back('events', id, repeats.id)
  t.match(single.body, { series: begun.series }, 'how it repeats is brought back at its series')
  t.equal(single.headers['x-ignored-fields'], 'post_parent')
})

t.test('a series that ends earlier', async (t) => {
  const { editor, series, dates, history } = await choir(t)
  await must(editor.delete(`/events/${dates[2]}?apply_to=following`))
  t.match(told((await history('series', series))[0]), { recurrence: [{}, { exdate: [] }] })
})
