import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { conditional } from '../../support/seed.ts'

const CENTURY = '/events.ics?start_date=2000-01-01&end_date=2100-01-01'

/** An application with so many events. */
async function withEvents(t: Parameters<typeof build>[0], count: number): Promise<Api> {
  const api = await build(t, { env: { TRUST_PROXY: 'on' } })
  await Promise.all(
    Array.from({ length: count }, (_, at) =>
      must(api.editor.post('/events', { ...EVENT, title: `Event ${at}` })),
    ),
  )
  return api
}
/** The statuses of some answers, once their streams have closed. */
async function tally(asked: Promise<{ status: number }>[]) {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(asked)) counts[status] = (counts[status] ?? 0) + 1
  await setImmediate()
  return counts
}
const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))

t.test(
  'five long feeds are sent to an address at a time, twenty in all; others get 503 at once',
  async (t) => {
    const api = await withEvents(t, 251)
    const from = (client: number, path = CENTURY) =>
      api.anonymous.get(path, undefined, { headers: { 'x-forwarded-for': `192.0.2.${client}` } })
    const own = times(8, () => from(1))
    t.same(await tally(own), { 200: 5, 503: 3 })
    const refused = (await Promise.all(own)).find(({ status }) => status === 503)!
    t.match(refused, { body: { code: 'rest_overloaded' }, headers: { 'retry-after': /^\d+$/ } })
    t.same(await tally(times(30, from)), { 200: 20, 503: 10 })
    const mixed = [
      ...times(8, () => from(1, `${CENTURY}&order=desc`)),
      ...times(8, () => from(1, '/events.ics?per_page=50&start_date=2000-01-01')),
      from(1, '/events'),
      api.anonymous.get('//health'),
    ]
    t.same(await tally(mixed), { 200: 15, 503: 3 }, 'what is short needs no place')
    t.same(await tally(times(8, () => from(1))), { 200: 8 }, 'nor does what is in memory')
    const other = ['/events.rss', '/events.fullcalendar.json'].map((path) => `${path}?start_date=2000-01-01`)
    t.same(
      await tally(times(12, (at) => from(1, other[at % 2]!))),
      { 200: 5, 503: 7 },
      'all formats share the places',
    )
  },
)

t.test('a place is free again when the feed is sent, known, refused or only asked about', async (t) => {
  const api = await withEvents(t, 251)
  const { headers } = await api.anonymous.get(CENTURY)
  for (let time = 0; time < 7; time++) {
    t.equal((await conditional(api, CENTURY, { 'if-none-match': headers.etag! })).status, 304)
    t.equal((await conditional(api, CENTURY, {}, 'HEAD')).status, 200)
    t.equal((await api.anonymous.get(CENTURY)).status, 200)
  }
  const { lastChange } = api.app.store.lists
  let failures = 7
  api.app.store.lists.lastChange = async (ids, caller) => {
    if (failures-- > 0) throw new Error('nothing can be read')
    return lastChange(ids, caller)
  }
  const other = CENTURY.replace('ics', 'rss')
  for (let time = 0; time < 7; time++) t.equal((await api.anonymous.get(other)).status, 500)
  t.equal((await api.anonymous.get(other)).status, 200)
})
