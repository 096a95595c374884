import t, { type Test } from 'tap'
import { readSteadily } from '../src/http/plugins/caching.ts'
import { addresses, conditional } from './support/addresses.ts'
import { type Answer, type Api, build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

const SECOND = 1_000

/** Compares a read with one that no cache can know. */
async function fresh(t: Test, api: Api, path: string, why: string) {
  const made = await api.anonymous.get(`${path}${path.includes('?') ? '&' : '?'}bust=${Math.random()}`)
  const answer = await api.anonymous.get(path)
  const bare = ({ status, body: { rest_url: _, next_rest_url: __, ...rest } }: Answer) => ({ status, rest })
  t.same(bare(answer), bare(made), `${why}: ${path}`)
}

t.test('after every write the next read is fresh', async (t) => {
  const api = await build(t)
  const { editor, administrator } = api
  const paths = await addresses(api)
  const { events } = await must(editor.get('/events'))
  const [event] = events
  const record = `/events/${event.id}`
  const writes: [string, () => Promise<Answer>][] = [
    ['create', () => editor.post('/events', EVENT)],
    ['update', () => editor.patch(record, { title: 'Other' })],
    ['a venue that is shown inside', () => editor.patch(`/venues/${event.venue.id}`, { venue: 'House' })],
    ['an organizer', () => editor.put(`/organizers/${event.organizer[0].id}`, { organizer: 'Trio' })],
    ['a category', () => editor.post(`/categories/${event.categories[0].id}`, { name: 'Jazz' })],
    ['a tag', () => editor.patch(`/tags/${event.tags[0].id}`, { name: 'indoors' })],
    [
      'a translation',
      () => editor.post('/events', { ...EVENT, translation_of: event.id, i18n_language: 'ca' }),
    ],
    ['no more links', () => editor.patch(record, { categories: [], organizer: [] })],
    ['trash', () => editor.delete(record)],
    ['restore', () => editor.patch(record, { status: 'publish' })],
    ['a term deleted', () => editor.delete(`/tags/${event.tags[0].id}`)],
    ['a venue deleted', () => editor.delete(`/venues/${event.venue.id}?force=true`)],
    [
      'another author',
      () => administrator.delete(`/users/${api.credentials.editor.id}?reassign=${api.credentials.author.id}`),
    ],
    ['a picture', () => administrator.delete(paths.at(-1)!)],
    ['deleted', () => administrator.delete(`${record}?force=true`)],
  ]
  for (const [what, write] of writes) {
    for (const path of paths) await api.anonymous.get(path)
    await must(write())
    for (const path of paths) await fresh(t, api, path, what)
  }
})

t.test('nothing is stale when time passes', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'America/New_York' } })
  const at = (date: string) => api.editor.post('/events', { ...EVENT, start_date: date, end_date: date })
  for (const day of ['20', '21', '22']) await must(at(`2026-11-${day} 12:00:00`))
  await must(api.editor.post('/events', { ...EVENT, title: 'Later', date_utc: '2026-11-21 12:00:00' }))
  const list = async () => (await api.anonymous.get('/events')).body.total
  t.same([await list(), await list()], [3, 3], 'from yesterday on')
  api.clock.now = Date.parse('2026-11-21T12:00:00Z')
  const since = { 'if-modified-since': new Date(api.clock.now - SECOND).toUTCString() }
  const [later] = (await conditional(api, '/venues', since)).status === 200 ? [await list()] : []
  t.equal(later, 4, 'the publication that was due')
  api.clock.now = Date.parse('2026-11-22T05:00:00Z') - 1
  t.equal(await list(), 4)
  api.clock.now++
  t.same([await list(), await list()], [3, 3], 'midnight in New York')
  api.clock.now--
  t.equal(await list(), 4, 'the clock goes back')
})

t.test('a read that writes overtake is made again, and at last taken as it is', async (t) => {
  const { app, editor } = await build(t)
  const write = () => editor.post('/venues', { venue: 'Hall' })
  let reads = 0
  const read = async () => {
    if (++reads < 3) {
      await write()
      throw new Error('gone')
    }
    return reads
  }
  t.equal(await readSteadily(app.store, {} as never, read), 3)
  await t.rejects(
    readSteadily(app.store, {} as never, async () => {
      await write()
      throw new Error('gone')
    }),
    /gone/,
  )
})
