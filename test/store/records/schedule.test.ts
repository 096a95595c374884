import t from 'tap'
import { changes } from '../../../drizzle/tables.ts'
import { build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

const AT = '2026-11-22 09:00:00'
const DUE = Date.parse('2026-11-22T09:00:00Z')

t.test('what was scheduled becomes visible by itself, everywhere, when its time comes', async (t) => {
  const api = await build(t)
  const { anonymous, editor } = api
  const venue = await must(editor.post('/venues', { venue: 'V', date: AT }))
  const organizer = await must(editor.post('/organizers', { organizer: 'O', date: AT }))
  const first = await must(
    editor.post('/events', {
      ...EVENT,
      date: AT,
      venue: venue.id,
      organizer: organizer.id,
      categories: ['c'],
    }),
  )
  const second = await must(editor.post('/events', { ...EVENT, title: 'Later', date: '2026-11-22 09:00:01' }))
  const category = first.categories[0].id
  const paths = [
    `/events/${first.id}`,
    '/events/by-slug/concert',
    `/venues/${venue.id}`,
    `/organizers/${organizer.id}`,
  ]
  const lists = [
    '/events',
    `/events?include=${first.id}`,
    '/venues',
    '/organizers?has_events=true',
    '/categories',
  ]
  const look = async () => ({
    singles: await Promise.all(paths.map(async (path) => (await anonymous.get(path)).status)),
    totals: await Promise.all(lists.map(async (path) => (await anonymous.get(path)).body.total)),
    count: (await anonymous.get(`/categories/${category}`)).body.count,
  })
  const hidden = { singles: [403, 403, 403, 403], totals: [0, 0, 0, 0, 0], count: 0 }
  t.strictSame(await look(), hidden)
  api.clock.now = DUE - 1
  t.strictSame(await look(), hidden, 'not a moment before')
  t.match((await editor.get('/events')).body, {
    total: 2,
    events: [{ status: 'future' }, { status: 'future' }],
  })

  api.clock.now = DUE
  t.strictSame(await look(), { singles: [200, 200, 200, 200], totals: [1, 1, 1, 1, 1], count: 1 })
  const { json_ld, ...shown } = (await anonymous.get(paths[0]!)).body
  t.match(shown, { status: 'publish', venue: { venue: 'V' }, organizer: [{ organizer: 'O' }] })
  t.strictSame([shown.date, shown.modified], [first.date, first.modified], 'as it was written')
  t.equal((await anonymous.get('/events?status=publish')).body.total, 1)
  t.equal((await editor.get('/events?status=future')).body.events[0].id, second.id)

  api.clock.now = DUE + 1000
  t.equal((await anonymous.get('/events')).body.total, 2)
  const log = await api.app.store.db.read.select().from(changes)
  const published = log.filter(({ operation }) => operation === 'publish')
  t.strictSame(
    published.map(({ kind, record_id, at_utc }) => [kind, record_id, at_utc]),
    [
      ['venue', venue.id, AT],
      ['organizer', organizer.id, AT],
      ['event', first.id, AT],
      ['event', second.id, '2026-11-22 09:00:01'],
    ],
    'each is noted once',
  )
})

t.test('a write finds due what a read would', async (t) => {
  const api = await build(t)
  const { id } = await must(api.contributor.post('/events', EVENT))
  await must(api.editor.patch(`/events/${id}`, { status: 'publish', date: AT }))
  api.clock.now = DUE + 1
  t.equal((await api.contributor.patch(`/events/${id}`, { title: 'x' })).status, 403)
  t.match(await must(api.editor.patch(`/events/${id}`, { title: 'y' })), { status: 'publish', date: AT })
})

t.test('what is taken off the schedule stays off it', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const scheduled = async (title: string) =>
    (await must(editor.post('/events', { ...EVENT, title, date: AT }))).id as number
  await must(editor.patch(`/events/${await scheduled('draft')}`, { status: 'draft' }))
  await must(editor.patch(`/events/${await scheduled('private')}`, { status: 'private' }))
  await must(editor.patch(`/events/${await scheduled('postponed')}`, { date: '2026-12-24' }))
  const trashed = await scheduled('trashed')
  await must(editor.delete(`/events/${trashed}`))
  await must(editor.delete(`/events/${await scheduled('gone')}?force=true`))
  api.clock.now = DUE
  t.equal((await anonymous.get('/events')).body.total, 0)
  t.match(await must(editor.patch(`/events/${trashed}`, { status: 'future' })), { status: 'publish' })
  api.clock.now = Date.parse('2026-12-24T00:00:00Z')
  t.equal((await anonymous.get('/events?start_date=2026-12-01')).body.total, 2)
})

t.test('in a zone of its own the site publishes by its own clock', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Asia/Kolkata' } })
  const event = await must(api.editor.post('/events', { ...EVENT, date: '2026-11-22 14:30:00' }))
  t.match(event, { status: 'future', date_utc: AT })
  api.clock.now = DUE - 1
  t.equal((await api.anonymous.get(`/events/${event.id}`)).status, 403)
  api.clock.now = DUE
  t.equal((await api.anonymous.get(`/events/${event.id}`)).status, 200)
})

t.test('of reads that come at once when something is due, none shows what was before', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const { id } = await must(editor.post('/events', { ...EVENT, date: AT, tags: ['t'] }))
  t.match((await editor.get(`/events/${id}`)).body, { status: 'future', tags: [{ count: 0 }] })
  api.clock.now = DUE
  const answers = await Promise.all(Array.from({ length: 6 }, () => anonymous.get(`/events/${id}`)))
  for (const { status, body } of answers)
    t.match({ status, body }, { status: 200, body: { status: 'publish', tags: [{ count: 1 }] } })
})
