import t from 'tap'
import { type Api, build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

const WHO = ['anonymous', 'subscriber'] as const
const NONE = 999
/** Writes of every kind that name others by ID; each ID that is not there would be 400 or 404 to those who may write. */
const WRITES = (id: number): [method: 'post' | 'patch' | 'delete', path: string, body?: object][] => [
  ['post', '/events', { ...EVENT, author: id }],
  ['post', '/events', { ...EVENT, venue: id }],
  ['post', '/events', { ...EVENT, organizer: [id] }],
  ['post', '/events', { ...EVENT, image: String(id) }],
  ['post', '/events', { ...EVENT, post_parent: id }],
  ['post', '/events', { ...EVENT, translation_of: id }],
  ['post', '/venues', { venue: 'Hall', author: id }],
  ['post', '/organizers', { organizer: 'Band', image: String(id) }],
  ['post', '/categories', { name: 'Jazz', parent: id }],
  ['post', '/tags', { name: 'late', translation_of: id }],
  ['patch', `/events/${id}`, { author: id }],
  ['patch', `/venues/${id}`, { image: String(id) }],
  ['patch', `/organizers/${id}`, {}],
  ['patch', `/categories/${id}`, { parent: id }],
  ['patch', `/tags/${id}`, {}],
  ...(['events', 'venues', 'organizers', 'categories', 'tags', 'media', 'users', 'tokens'] as const).map(
    (plural): ['delete', string] => ['delete', `/${plural}/${id}`],
  ),
]

t.test('who may not write learns nothing about which IDs there are', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  for (const who of WHO)
    for (const [at, [method, path, body]] of WRITES(id).entries()) {
      const known = await api[who][method](path, body)
      const [, nowhere, other] = WRITES(NONE)[at]!
      const unknown = await api[who][method](nowhere, other)
      t.equal(
        known.status,
        who === 'anonymous' ? 401 : 403,
        `${who} ${method} ${path} ${JSON.stringify(body)}`,
      )
      t.same(unknown.body, known.body, 'an ID that is not there gets the same')
    }
})

t.test('an If-Match of who may not write is not compared', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const headers = { 'if-match': '"other"' }
  for (const path of [`/events/${id}`, `/events/${NONE}`])
    for (const who of WHO)
      for (const answer of [
        await api[who].patch(path, {}, { headers }),
        await api[who].delete(path, undefined, { headers }),
      ]) {
        t.equal(answer.status, who === 'anonymous' ? 401 : 403)
        t.equal(answer.headers.etag, undefined)
      }
})

t.test('what is wrong with parameters alone is said before rights are asked for', async (t) => {
  const { anonymous, subscriber } = await build(t)
  for (const client of [anonymous, subscriber]) {
    t.match(await client.post('/events', {}), { status: 400, body: { code: 'rest_missing_callback_param' } })
    t.match(await client.post('/events', { ...EVENT, start_date: 'bad' }), { status: 400 })
  }
})

/** Counts what a write does before it is in the database. */
function watch({ app }: Api) {
  const done = { writes: 0 }
  const { db } = app.store
  const { write } = db
  db.write = (work) => {
    done.writes++
    return write(work)
  }
  return done
}

t.test('nothing is queued for the database by who may not write', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', EVENT)) // notes the use of the token
  await must(api.subscriber.get('/events'))
  const done = watch(api)
  for (const who of WHO) {
    await api[who].post('/events', { ...EVENT, password: 'x', image: 'http://127.0.0.1:1/a.png' })
    await api[who].delete('/events/1')
    await api[who].delete('/events/1?force=true')
  }
  t.equal(done.writes, 0)
  await must(api.editor.post('/events', EVENT))
  t.equal(done.writes, 1)
})
