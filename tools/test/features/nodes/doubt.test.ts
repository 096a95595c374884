import t from 'tap'
import { findMarker, withMarker } from '../../../../src/kernel/database/context.ts'
import { COPY_AGE } from '../../../../src/kernel/output/header-values.ts'
import { must, refusal } from '../../../../test/support/answers.ts'
import type { Answer, Api } from '../../../../test/support/app.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { addPerson, GOOD, signIn } from '../../../../test/support/people.ts'
import { draw, raw } from '../../../../test/support/pictures.ts'
import { until } from '../../../../test/support/until.ts'
import { follow, GROUPS, holdBack, openPair, openPostgres, setPatience } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)

/** Nodes behind one address, whose ETags are the same. */
const SAME = { BASE_URL: 'http://calendar.test' }

/** Two nodes that wait for nothing longer than a moment, and the clients of the second one. */
async function openImpatient(t: Parameters<typeof openPair>[0]) {
  setPatience(t, 1)
  const { one, two, as } = await openPair(t, postgres, SAME)
  await follow(two)
  // the first use of credentials is noted by a write
  for (const role of ['editor', 'administrator'] as const)
    await must(two.anonymous.get('/tags', undefined, as(role)))
  const by =
    (role: 'editor' | 'administrator', etag?: string) =>
    (method: 'post' | 'patch' | 'delete' | 'get', path: string, body?: object) =>
      two.anonymous[method](path, body, as(role, etag === undefined ? {} : { 'if-match': etag }))
  return { one, two, by }
}
type By = Awaited<ReturnType<typeof openImpatient>>['by']

/** Writes to what another node has just made: how it is made there, and what is then sent here. */
const WRITES: [
  what: string,
  make: (one: Api) => Promise<Answer>,
  write: (by: By, made: Answer) => Promise<Answer>,
][] = [
  [
    'an event is changed by its ETag',
    ({ editor }) => editor.post('/events', EVENT),
    (by, { body, headers }) =>
      by('editor', headers.etag)('patch', `/events/${body.id}`, { title: 'Changed' }),
  ],
  [
    'an event is changed by its slug',
    ({ editor }) => editor.post('/events', { ...EVENT, slug: 'by-slug' }),
    (by, { headers }) => by('editor', headers.etag)('patch', '/events/by-slug/by-slug', { title: 'Changed' }),
  ],
  [
    'an event is deleted',
    ({ editor }) => editor.post('/events', EVENT),
    (by, { body }) => by('editor')('delete', `/events/${body.id}`),
  ],
  [
    'an event is restored from the trash',
    async ({ editor }) => editor.delete(`/events/${(await must(editor.post('/events', EVENT))).id}`),
    (by, { body }) => by('editor')('patch', `/events/${body.id}`, { status: 'publish' }),
  ],
  [
    'an event is translated',
    ({ editor }) => editor.post('/events', EVENT),
    (by, { body }) =>
      by('editor')('post', '/events', { ...EVENT, translation_of: body.id, i18n_language: 'ca' }),
  ],
  [
    'a venue is changed by its ETag',
    ({ editor }) => editor.post('/venues', { venue: 'Hall' }),
    (by, { body, headers }) =>
      by('editor', headers.etag)('patch', `/venues/${body.id}`, { venue: 'Old Hall' }),
  ],
  [
    'a category is deleted',
    ({ editor }) => editor.post('/categories', { name: 'Talks' }),
    (by, { body, headers }) => by('editor', headers.etag)('delete', `/categories/${body.id}`),
  ],
  [
    'a picture is described',
    async ({ editor }) => editor.post('/media', await draw(40, 30), raw('a.png')),
    (by, { body, headers }) =>
      by('editor', headers.etag)('patch', `/media/${body.id}`, { alt_texts: { en: 'A stage' } }),
  ],
  [
    'a picture is deleted',
    async ({ editor }) => editor.post('/media', await draw(40, 30), raw('b.png')),
    (by, { body }) => by('editor')('delete', `/media/${body.id}`),
  ],
  [
    'a user is changed',
    ({ administrator }) => administrator.post('/users', { login: 'berta', role: 'author' }),
    (by, { body }) => by('administrator')('patch', `/users/${body.id}`, { role: 'editor' }),
  ],
  [
    'a user gets a password',
    ({ administrator }) => administrator.post('/users', { login: 'joan', role: 'author' }),
    (by, { body }) =>
      by('administrator')('post', `/users/${body.id}/application-passwords`, { name: 'second' }),
  ],
  [
    'a token is revoked',
    ({ administrator, credentials }) =>
      administrator.post('/tokens', { user: credentials.author.id, name: 'program' }),
    (by, { body }) => by('administrator')('delete', `/tokens/${body.id}`),
  ],
]

t.test('a write to what another node has just made is done, though the copy is held back', async (t) => {
  const { one, two, by } = await openImpatient(t)
  const { letGo } = holdBack(postgres)
  for (const [what, make, write] of WRITES) {
    const made = await make(one)
    t.match(made.status, /^20[01]$/, made.text)
    const { seq } = two.app.store.db.replica!.status()
    t.ok(seq < one.app.store.db.replica!.status().seq, 'the copy lacks it')
    const answer = await write(by, made)
    t.match(answer.status, /^20[01]$/, `${what}: ${answer.text}`)
    t.equal(answer.headers[COPY_AGE], undefined)
  }
  letGo()
})

t.test('who has just chosen a password at another node signs in here', async (t) => {
  const { one, two } = await openImpatient(t)
  const { letGo } = holdBack(postgres)
  const { id } = await addPerson(one, 'marta')
  t.ok(two.app.store.db.replica!.status().seq < one.app.store.db.replica!.status().seq, 'the copy lacks it')
  t.match(await signIn(two, 'marta', GOOD), { status: 201, body: { user: id } })
  letGo()
})

t.test('a read of what another node has just made says how old the copy is that lacks it', async (t) => {
  const { one, two, by } = await openImpatient(t)
  postgres.tap((text) => (GROUPS.test(text) ? { error: 'XX000' } : undefined))
  const { body, headers } = await one.editor.post('/events', EVENT)
  t.match(await by('editor')('get', `/events/${body.id}`), {
    status: 404,
    headers: { [COPY_AGE]: /^\d+$/ },
  })
  t.equal((await two.anonymous.get(`/events/${body.id}`)).status, 404)
  t.equal((await by('editor', headers.etag)('patch', `/events/${body.id}`, { title: 'x' })).status, 200)
  t.equal((await two.anonymous.get(`/events/${body.id}`)).status, 200)
})

t.test('a write waits for the copy, and takes the lock once', async (t) => {
  const { one, two, by } = await openImpatient(t)
  await must(
    by('editor')('patch', `/tags/${(await must(one.editor.post('/tags', { name: 'a' }))).id}`, { name: 'b' }),
  )
  setPatience(t, 3_600_000)
  let locks = 0
  postgres.tap((text) => {
    locks += Number(/^begin isolation level read committed; set local lock_timeout/.test(text))
    return undefined
  })
  const lately = async (write: () => Promise<Answer>) => {
    locks = 0
    const answer = await write()
    return [answer.status, locks]
  }
  const { body, headers } = await one.editor.post('/tags', { name: 'c' })
  t.same(await lately(() => by('editor', headers.etag)('patch', `/tags/${body.id}`, { name: 'd' })), [200, 1])
  t.same(await lately(() => by('editor', headers.etag)('patch', `/tags/${body.id}`, { name: 'e' })), [412, 1])
  t.same(await lately(() => by('editor')('patch', '/tags/999', { name: 'f' })), [404, 1])
  t.same(await lately(() => by('editor')('get', '/tags/999')), [404, 0])
  t.equal((await one.anonymous.get('/tags/999')).status, 404)
  await follow(two)
})

t.test('without PostgreSQL a record that is not here is 503, and not missing', async (t) => {
  const { one, two, by } = await openImpatient(t)
  const { body, headers } = await one.editor.post('/events', EVENT)
  postgres.down(true)
  await until(() => two.app.store.db.replica!.status().state === 'alone')
  const lacking = '503 database_unavailable'
  for (const id of [body.id, 999])
    for (const etag of [undefined, headers.etag]) {
      t.equal(refusal(await by('editor', etag)('delete', `/events/${id}`)), lacking)
      t.equal(refusal(await by('editor', etag)('patch', `/events/${id}`, { title: 'x' })), lacking)
    }
  t.equal(
    refusal(await by('editor')('post', '/events', { title: 'x' })),
    '400 rest_missing_callback_param start_date end_date',
  )
  t.equal(refusal(await by('editor')('delete', '/nothing')), '404 rest_no_route')
  t.equal(refusal(await two.anonymous.delete(`/events/${body.id}`)), '401 rest_forbidden')
  postgres.down(false)
  await until(() => two.app.store.db.replica!.status().state === 'follows')
})

t.test('what is brought before a write does not count as the write', async (t) => {
  const { two } = await openImpatient(t)
  const { db } = two.app.store
  await new Promise<void>((done) => withMarker('before', () => void db.catchUp!().then(done)))
  t.equal(findMarker(db, 'before'), undefined)
  await new Promise<void>((done) => withMarker('write', () => void db.write(async () => {}).then(done)))
  t.same(findMarker(db, 'write'), { record: null })
})
