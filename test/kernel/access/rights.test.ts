import t from 'tap'
import { RIGHTS } from '../../../src/calendar/rights.ts'
import { AUDIT_RIGHTS } from '../../../src/features/audit/rights.ts'
import { DIGEST_RIGHTS } from '../../../src/features/digest/rights.ts'
import { IMPORTS_RIGHTS } from '../../../src/features/imports/rights.ts'
import { SUBMISSIONS_RIGHTS } from '../../../src/features/submissions/rights.ts'
import { WEBHOOKS_RIGHTS } from '../../../src/features/webhooks/rights.ts'
import { ACCOUNT_RIGHTS, ROLES, type Role } from '../../../src/kernel/access/rights.ts'
import { buildDocument } from '../../../src/kernel/openapi/document.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'

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
    t.match(await client.post('/events', { ...EVENT, title: 'x'.repeat(1001) }), { status: 400 })
    // a large body is not read of those who may not write
    const large = { ...EVENT, description: 'x'.repeat(100_001) }
    t.match(await client.post('/events', large), { body: { code: 'rest_forbidden' } })
  }
})

t.test('parameters are looked at before rights, and rights before existence', async (t) => {
  const api = await build(t)
  const tag = (await must(api.editor.post('/tags', { name: 'T' }))).id
  const cases: [asker: 'anonymous' | 'subscriber' | 'editor', input: object, expected: string][] = [
    ['anonymous', { name: '' }, '400 rest_invalid_param name'],
    ['anonymous', { parent: 999 }, '401 rest_forbidden'],
    ['anonymous', {}, '401 rest_forbidden'],
    ['subscriber', {}, '403 rest_forbidden'],
    ['editor', {}, '404 category-not-found'],
  ]
  for (const [asker, input, expected] of cases)
    for (const id of [999, tag])
      t.equal(refusal(await api[asker].patch(`/categories/${id}`, input)), expected, `${asker} ${id}`)
  t.equal(refusal(await api.anonymous.delete('/tags/999')), '401 rest_forbidden')
  t.equal(refusal(await api.contributor.delete('/tags/999')), '403 rest_forbidden')
  t.equal(refusal(await api.editor.get('/categories/2')), '404 category-not-found')
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

/** The rights of all parts of the service. */
const ALL_RIGHTS = {
  ...ACCOUNT_RIGHTS,
  ...DIGEST_RIGHTS,
  ...RIGHTS,
  ...AUDIT_RIGHTS,
  ...IMPORTS_RIGHTS,
  ...SUBMISSIONS_RIGHTS,
  ...WEBHOOKS_RIGHTS,
}

type Asker = Role | 'anonymous'
type Right = keyof typeof ALL_RIGHTS
const ASKERS: Asker[] = ['anonymous', ...ROLES]
const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
type Status = (typeof STATUSES)[number]
type Kind = 'event' | 'venue' | 'organizer'
const KINDS: Kind[] = ['event', 'venue', 'organizer']

const has = (asker: Asker, right: Right) =>
  asker !== 'anonymous' && ROLES.indexOf(asker) >= ROLES.indexOf(ALL_RIGHTS[right].role)
const isPublished = (status: Status) => status === 'publish' || status === 'future'

/** What rights mean for reading one record. */
function mayRead(asker: Asker, kind: Kind, own: boolean, status: Status): boolean {
  if (status === 'trash') return kind !== 'event' && mayChange(asker, own, status)
  if (status === 'publish') return true
  return has(asker, own ? 'read own records of any status' : 'read records of others of any status')
}
function mayChange(asker: Asker, own: boolean, status: Status): boolean {
  if (!own) return has(asker, 'change and delete records of others')
  return has(
    asker,
    isPublished(status)
      ? 'change and delete own published records'
      : 'change and delete own unpublished records',
  )
}

const plural = (kind: Kind) => `${kind}s`
const least = (kind: Kind, title: string) => (kind === 'event' ? { ...EVENT, title } : { [kind]: title })

/** A record of this kind that belongs to `owner`, in this status. */
async function make(api: Api, kind: Kind, owner: number, status: Status, title = `${kind} ${status}`) {
  const date = status === 'future' ? { date: '2027-05-01 10:00:00' } : {}
  const body = {
    ...least(kind, title),
    ...date,
    author: owner,
    slug: title,
    status: status === 'trash' ? 'publish' : status,
  }
  const made = await api.administrator.post(`/${plural(kind)}`, body)
  if (status === 'trash') return (await api.administrator.delete(`/${plural(kind)}/${made.body.id}`)).body
  return made.body
}

/** Which rights an operation asks for; a new operation without a row fails the test below. */
const ROWS: Record<string, 'public' | 'records' | Right> = {
  getIndex: 'public',
  getDocument: 'public',
  listChanges: 'public',
  listMedia: 'public',
  getMedia: 'public',
  createMedia: 'upload images, and change and delete own ones',
  updateMedia: 'upload images, and change and delete own ones',
  cropMedia: 'upload images, and change and delete own ones',
  deleteMedia: 'upload images, and change and delete own ones',
}
for (const [One, Many] of [
  ['Event', 'Events'],
  ['Series', 'Series'],
  ['Venue', 'Venues'],
  ['Organizer', 'Organizers'],
]) {
  ROWS[`list${Many}`] = 'records'
  ROWS[`create${One}`] = 'create records'
  for (const by of ['', 'BySlug'])
    for (const verb of ['get', 'update', 'replace', 'delete']) ROWS[`${verb}${One}${by}`] = 'records'
  for (const by of ['', 'BySlug']) ROWS[`update${One}${by}ByPost`] = 'records'
  ROWS[`restore${One}`] = 'create records'
  ROWS[`get${One}ByExternalId`] = 'records'
  ROWS[`upsert${One}`] = 'create records'
}
for (const [One, Many, right] of [
  ['Category', 'Categories', 'create, change and delete categories'],
  ['Tag', 'Tags', 'create, change and delete tags'],
] as const) {
  for (const name of [`list${Many}`, `get${One}`]) ROWS[name] = 'public'
  for (const name of [`create${One}`, `update${One}`, `replace${One}`, `update${One}ByPost`, `delete${One}`])
    ROWS[name] = right
}
for (const name of [
  'listUsers',
  'createUser',
  'getUser',
  'updateUser',
  'deleteUser',
  'listApplicationPasswords',
  'createApplicationPassword',
  'getApplicationPassword',
  'deleteApplicationPassword',
  'listUserSessions',
  'getUserSession',
  'deleteUserSession',
  ...['getSecondFactor', 'createSecondFactor', 'confirmSecondFactor', 'deleteSecondFactor'],
  ...['createRecoveryCodes', 'listPasskeys', 'createPasskeyOptions', 'createPasskey'],
  ...['getPasskey', 'deletePasskey', 'listProviderLinks', 'deleteProviderLink'],
  'listTokens',
  'createToken',
  'getToken',
  'deleteToken',
])
  ROWS[name] = 'manage users and tokens'
for (const name of [
  ...['listWebhooks', 'createWebhook', 'getWebhook', 'updateWebhook', 'deleteWebhook'],
  ...['rotateWebhookSecret', 'testWebhook', 'replayWebhook'],
  ...['listWebhookDeliveries', 'getWebhookDelivery', 'replayWebhookDelivery'],
])
  ROWS[name] = 'manage webhooks'

for (const name of ['createSubmission', 'getSubmissionChallenge']) ROWS[name] = 'public'
for (const name of ['list', 'get', 'accept', 'ask', 'refuse'])
  ROWS[`${name}Submission${name === 'list' ? 's' : ''}`] = 'decide on submissions'
for (const name of ['listDigests', 'deleteDigest']) ROWS[name] = 'manage subscriptions by mail'
ROWS.createPreview = 'create records'
ROWS.batch = 'create records'
for (const name of ['createImport', 'listImports', 'undoImport']) ROWS[name] = 'import events'
ROWS.getMediaUses = 'create records'
ROWS.getSuggestions = 'public'
ROWS.listAudit = 'read the audit log'
for (const name of ['getSettings', 'updateSettings']) ROWS[name] = 'change the settings of the site'
for (const One of ['Event', 'Series'])
  for (const name of [`list${One}Revisions`, `restore${One}Revision`]) ROWS[name] = 'create records'
ROWS.createInvitation = 'manage users and tokens'
// for the sign-in by own passwords and by links see test/features/people/own-sign-in.test.ts and those beside it
for (const name of ['setOwnPassword', 'acceptInvitation', 'requestPasswordReset', 'confirmPasswordReset'])
  ROWS[name] = 'sign in'
for (const name of ['createFactorSession', 'createPasskeyChallenge', 'createPasskeySession'])
  ROWS[name] = 'sign in'
for (const name of ['getSession', 'createSession', 'createCookieSession', 'deleteSession'])
  ROWS[name] = 'sign in'

type Operation = { operationId: string; method: string; path: string }

for (const One of ['Events', 'Event', 'Series', 'Venue', 'Organizer', 'Category', 'Tag', 'FullCalendar'])
  ROWS[`feed${One}`] = 'public'

t.test('every operation has its row, and who lacks its right is refused', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const { paths } = buildDocument(api.app, '/') as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]): Operation[] =>
    Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method, path })),
  )
  t.strictSame(
    operations.map(({ operationId }) => operationId).sort(),
    Object.keys(ROWS).sort(),
    'operations and rows are the same',
  )

  const { body: category } = await api.administrator.post('/categories', { name: 'C' })
  const { body: tag } = await api.administrator.post('/tags', { name: 'T' })
  for (const { operationId, method, path } of operations) {
    const row = ROWS[operationId]!
    if (row === 'records' || row === 'sign in') continue // for sessions see test/features/people/session.test.ts, second-factors.test.ts and passkeys.test.ts
    const id = path.startsWith('/categories') ? category.id : path.startsWith('/tags') ? tag.id : 999
    const url = path
      .replace('{id}', String(id))
      .replace('{format}', 'jsonld')
      .replace(/\{\w+\}/, '999')
    const body = bodies[path.replace(/\/\{id\}$/, '')]
    for (const asker of ASKERS) {
      const allowed = row === 'public' || has(asker, row)
      if (allowed && method === 'delete' && asker !== 'administrator' && id !== 999) continue // others still need the term
      const before = await api.fingerprint()
      const { status, body: answer } = await api[asker].send({
        method: method.toUpperCase() as 'GET',
        url: `/calendar/events/v1${url}`,
        ...(method !== 'get' && body && { payload: body }),
      })
      const what = `${asker} ${operationId}`
      if (allowed) t.ok(status < 400 || status === 404 || status === 400, `${what}: ${status}`)
      else {
        t.match(
          { status, code: answer.code },
          { status: asker === 'anonymous' ? 401 : 403, code: 'rest_forbidden' },
          what,
        )
        t.equal(await api.fingerprint(), before, `${what} changes nothing`)
      }
    }
  }
})

const bodies: Record<string, object> = {
  '/events': EVENT,
  '/series': { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
  '/venues': { venue: 'V' },
  '/organizers': { organizer: 'O' },
  '/categories': { name: 'Fresh' },
  '/tags': { name: 'Fresh' },
  '/users': { login: 'fresh', role: 'editor' },
  '/users/{id}/application-passwords': { name: 'fresh' },
  '/users/{id}/totp/confirm': { ticket: 'x', code: '111111' },
  '/users/{id}/passkeys': { name: 'fresh', client_data: 'e30', attestation: 'e30' },
  '/tokens': { user: 999, name: 'fresh' },
  '/batch': { operations: [{ method: 'PATCH', path: '/events/999' }] },
  '/webhooks': { url: 'https://mirror.example/hook' },
}

for (const kind of KINDS) {
  t.test(`single ${kind}s, by ID and by slug: who reads and who changes what`, async (t) => {
    const api = await build(t)
    const where = plural(kind)
    for (const asker of ASKERS) {
      for (const own of [true, false]) {
        if (own && asker === 'anonymous') continue
        const owner = own ? api.credentials[asker as Role].id : api.credentials.administrator.id
        if (!own && asker === 'administrator') continue
        for (const status of STATUSES) {
          const { id, slug } = await make(api, kind, owner, status, `${kind} ${asker} ${own} ${status}`)
          for (const key of [`${id}`, `by-slug/${slug}`]) {
            const what = `${asker}, ${own ? 'own' : 'others’'} ${status} ${kind}, ${key.startsWith('by') ? 'by slug' : 'by ID'}`
            const read = await api[asker].get(`/${where}/${key}`)
            t.equal(read.status, mayRead(asker, kind, own, status) ? 200 : 403, `${what}: read`)

            const before = await api.fingerprint()
            for (const method of ['patch', 'put', 'post'] as const) {
              const { status: got } = await api[asker][method](`/${where}/${key}`, {})
              const allowed = mayChange(asker, own, status)
              const expected = allowed ? (status === 'trash' ? 410 : 200) : asker === 'anonymous' ? 401 : 403
              t.equal(got, expected, `${what}: ${method}`)
            }
            const allowed = mayChange(asker, own, status)
            if (!allowed) {
              const { status: got } = await api[asker].delete(`/${where}/${key}?force=true`)
              t.equal(got, asker === 'anonymous' ? 401 : 403, `${what}: delete`)
              t.equal(await api.fingerprint(), before, `${what} changes nothing`)
            }
          }
          if (mayChange(asker, own, status)) {
            const gone = await api[asker].delete(`/${where}/${id}`)
            t.equal(
              gone.status,
              status === 'trash' ? 410 : 200,
              `${asker} deletes ${own ? 'own' : 'others’'} ${status} ${kind}`,
            )
          }
        }
      }
    }
  })
}
