import { readFileSync } from 'node:fs'
import { type Static, type TObject, Type } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import { Paging, PathId, plainText, read } from '../../schemas/common.ts'
import { actorOf } from '../../src/kernel/access/credential-audit.ts'
import { rightsOf } from '../../src/kernel/access/rights.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { ApiError, declareErrors, type ErrorCode } from '../../src/kernel/errors.ts'
import { mergeParameters } from '../../src/kernel/input/bodies.ts'
import { readerOf } from '../../src/kernel/input/readers.ts'
import { publishBody } from '../../src/kernel/input/validator.ts'
import { buildDocument, type Documentation } from '../../src/kernel/openapi/document.ts'
import { responses } from '../../src/kernel/openapi/responses.ts'
import { JSON_ANSWER, loadHash } from '../../src/kernel/output/header-values.ts'
import { otherMethods } from '../../src/kernel/server/methods.ts'
import { buildMounts } from '../../src/kernel/server/mounts.ts'
import { addPlugins, type Between, STEPS } from '../../src/kernel/server/plugins.ts'
import { openServer } from '../../src/kernel/server/server.ts'
import { openDomainEvents, openKernelStore } from '../../src/kernel/store.ts'

// A service of notes on the kernel alone: nothing here is of the calendar or of a feature.

const Note = Type.Object({ id: Type.Integer(), title: Type.String() }, { $id: 'Note' })
const NotePage = Type.Object({ notes: Type.Array(Type.Ref('Note')) }, { $id: 'NotePage' })
const NoteInput = Type.Object(
  { title: read<string>('name', Type.String(), { ...plainText(20), description: 'The title.' }) },
  { $id: 'NoteInput' },
)
const List = Type.Object(Paging)

const config = {
  baseUrl: 'http://notes.test',
  corsOrigins: [],
  trustProxy: false,
  maxAge: 60,
  maxDelay: 0,
  rateLimit: undefined,
  costLimit: undefined,
  listeners: 10,
  metricsToken: undefined,
  metricsPort: undefined,
  postgres: undefined,
  mapTiles: '',
  smtpUrl: '',
  mailFrom: '',
}
const clock = () => Date.UTC(2026, 10, 29, 12)
const site = { clock, zone: 'UTC', currency: 'EUR', languages: ['en'] }
const RIGHTS = rightsOf({ 'write notes': 'author' })
const NOTE_ERRORS = declareErrors({ 'note-not-found': [404, 'There is no such note.'] })
// it is declared in this process, and is none of the service of notes
declareErrors({ 'song-not-found': [404, 'There is no such song.'] })

/** A form of the list of notes that a URL asks for. */
const asked = (url: string) =>
  url.endsWith('?raw') ? { extension: 'txt', rest: url.slice(0, -'?raw'.length) } : undefined

const documentation: Documentation = {
  title: 'Notes',
  introduction: 'Notes.',
  places: { tags: ['Notes'], schemas: ['NotePage', 'Note'], operations: ['listNotes'], errors: [] },
  headers: {},
  refusals: { common: [], together: [], tagged: [] },
  traitsOf: ({ kind }) => ({ isCached: kind !== 'create', isTagged: false }),
  samples: {},
  singulars: {},
}

/** The service, with an editor. */
async function build(t: Test, ...between: Between[]) {
  const db = openDb(':memory:')
  const store = {
    ...openKernelStore(db, site, openDomainEvents(), {
      limitProblems: async () => ({}),
      reassign: async () => {},
    }),
    site,
    limits: { of: () => undefined },
    schedule: { isDue: () => false, next: () => Number.POSITIVE_INFINITY, publish: async () => {} },
  }
  const mounts = buildMounts('notes/v1', [], [])
  const parts = [
    { tags: { Notes: 'Texts with a title.' }, answers: [Note, NotePage], errors: NOTE_ERRORS },
    { formats: { list: [{ type: 'text/plain', extension: 'txt' }], at: /^\/notes(?=\?|$)/, asked } },
  ]
  await loadHash()
  const server = openServer({ config, logger: false, parts, mounts, rewrites: [] })
  const { app } = server
  app.addHook('onClose', () => void db.close())
  addPlugins(
    server,
    {
      config,
      version: '1.0.0',
      documentation,
      store,
      clock,
      since: () => 0,
      writes: true,
    },
    between,
  )

  const notes = new Map<number, Static<typeof Note>>()
  app.register(async (app) => {
    publishBody(app, NoteInput as TObject)
    app.get<{ Querystring: Static<typeof List> }>(
      '/notes',
      {
        config: { operation: 'list' },
        schema: {
          operationId: 'listNotes',
          tags: ['Notes'],
          querystring: List,
          ...responses('list', 'NotePage'),
        },
      },
      async ({ query: { page, per_page } }, reply) => {
        const found = [...notes.values()].slice((page - 1) * per_page, page * per_page)
        return reply.type(JSON_ANSWER).send(Buffer.from(JSON.stringify({ notes: found })))
      },
    )
    app.get('/notes.txt', { schema: { hide: true } }, async (_request, reply) =>
      reply.type('text/plain').send([...notes.values()].map(({ title }) => title).join('\n')),
    )
    app.get<{ Params: { id: number } }>(
      '/notes/:id',
      {
        config: { operation: 'read' },
        schema: {
          operationId: 'getNote',
          tags: ['Notes'],
          params: Type.Object({ id: PathId('event') }),
          ...responses('read', 'Note', ['note-not-found' as ErrorCode]),
        },
      },
      async (request, reply) => {
        request.latest = store.changes.latest()
        const { id } = request.params
        const note = notes.get(id)
        if (!note) throw new ApiError('note-not-found' as ErrorCode, `There is no note with ID ${id}.`)
        return reply.type(JSON_ANSWER).send(Buffer.from(JSON.stringify(note)))
      },
    )
    app.post<{ Body: { title: string } }>(
      '/notes',
      {
        config: {
          operation: 'create',
          permission: { right: RIGHTS['write notes'], to: 'create notes' },
          repeatable: true,
        },
        preValidation: mergeParameters,
        attachValidation: true,
        schema: {
          operationId: 'createNote',
          tags: ['Notes'],
          body: Type.Ref('NoteInput'),
          ...responses('create', 'Note'),
        },
      },
      async (request, reply) => {
        if (request.validationError) throw request.validationError
        const note = { id: notes.size + 1, title: request.body.title }
        await store.audit.note(actorOf(request), 'settings_changed', undefined, { note: note.title })
        notes.set(note.id, note)
        return reply
          .code(201)
          .type(JSON_ANSWER)
          .send(Buffer.from(JSON.stringify(note)))
      },
    )
  })
  app.register(otherMethods)
  await app.ready()
  t.teardown(() => app.close())
  const { password } = (await store.users.add('ada', 'editor'))!
  const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`
  const send = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, headers = {}) => {
    const {
      statusCode: status,
      headers: got,
      body: text,
    } = await app.inject({
      ...{ method, url: `/notes/v1${path}` },
      ...(body && { payload: body }),
      headers,
    })
    return { status, headers: got, body: JSON.parse(text) }
  }
  return { app, send, signedIn: { authorization } }
}

t.test('a service of one resource is served by the kernel alone', async (t) => {
  const { send, signedIn } = await build(t)
  t.match(await send('GET', '/notes'), {
    ...{ status: 200, body: { notes: [] } },
    headers: { 'cache-control': 'private, no-cache', etag: undefined },
  })
  t.match(await send('POST', '/notes', { title: 'Milk' }), { status: 401, body: { code: 'rest_forbidden' } })
  t.match(await send('POST', '/notes', {}, signedIn), {
    status: 400,
    body: { code: 'rest_missing_callback_param', data: { params: ['title'] } },
  })
  t.match(await send('POST', '/notes', { title: 'Milk, bread, butter and honey' }, signedIn), {
    status: 400,
    body: { code: 'rest_invalid_param', data: { params: { title: 'must have at most 20 characters.' } } },
  })
  const repeated = { ...signedIn, 'idempotency-key': '1' }
  const made = await send('POST', '/notes', { title: '<b>Milk</b>', colour: 'red' }, repeated)
  t.match(made, { status: 201, body: { id: 1, title: 'Milk' } })
  t.match(await send('POST', '/notes', { title: '<b>Milk</b>', colour: 'red' }, repeated), {
    status: 201,
    headers: { 'idempotency-replayed': 'true' },
    body: made.body,
  })
  const { headers } = await send('GET', '/notes/1')
  t.match(headers, { 'cache-control': 'public, max-age=60', 'content-type': JSON_ANSWER, etag: /^"\w+"$/ })
  t.match(await send('GET', '/notes?per_page=many'), { status: 400, body: { code: 'rest_invalid_param' } })
  t.match(await send('GET', '/notes?colour=red'), { headers: { 'x-ignored-parameters': 'colour' } })
  t.match(await send('GET', '/notes/2'), { status: 404, body: { code: 'note-not-found' } })
  t.match(await send('PUT', '/notes', {}), { status: 405, headers: { allow: 'GET, HEAD, POST, OPTIONS' } })
})

t.test('its document is complete', async (t) => {
  const { app } = await build(t)
  const { paths, components } = buildDocument(app, '/notes/v1')
  t.same(
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)]),
    [
      ['/notes', ['get', 'post']],
      ['/notes/{id}', ['get']],
    ],
  )
  t.match(paths['/notes/{id}']!.get!.responses, { 404: {}, 304: {}, 503: {} })
  t.same(Object.keys(components.schemas!).slice(0, 2), ['NotePage', 'Note'])
  const { enum: codes } = components.schemas!.ErrorCode as { enum: string[] }
  t.ok(codes.includes('note-not-found') && codes.includes('rest_no_route'))
  t.notOk(codes.includes('song-not-found'), 'which none of its parts declares')
  t.match(components.schemas, { Note: {}, NotePage: {}, NoteInput: { required: ['title'] }, ErrorBody: {} })
})

t.test('a format of its own is sent where a client asks for it, and others are not known', async (t) => {
  const { app, send, signedIn } = await build(t)
  await send('POST', '/notes', { title: 'Milk' }, signedIn)
  const typeOf = async (url: string, accept = '*/*') => {
    const { headers, body } = await app.inject({ url: `/notes/v1${url}`, headers: { accept } })
    return [String(headers['content-type']).split(';')[0], body]
  }
  const whole = JSON.stringify({ notes: [{ id: 1, title: 'Milk' }] })
  t.same(await typeOf('/notes', 'text/plain'), ['text/plain', 'Milk'])
  t.same(await typeOf('/notes?raw'), ['text/plain', 'Milk'])
  t.same(await typeOf('/notes', 'text/calendar'), ['application/json', whole])
  t.equal((await app.inject('/notes/v1/notes')).headers.vary, 'Authorization, Accept-Encoding, Accept')
  t.equal((await app.inject('/notes/v1/notes/1')).headers.vary, 'Authorization, Accept-Encoding')
})

t.test('its health is that of a single process, and a reader that nobody declares is named', async (t) => {
  const { app } = await build(t)
  const { body } = await app.inject('/health')
  t.same(JSON.parse(body), { status: 'ok', role: 'single' })
  t.throws(() => readerOf('operations'), { message: 'Nobody declares how "operations" is read.' })
})

t.test('requests pass the plugins in the order of the documentation', async (t) => {
  const named = (name: string) => fp(async () => {}, { name })
  const { app } = await build(t, {
    relay: (app) => app.register(named('relay')),
    freshness: (app) => app.register(named('freshness')),
    publication: (app) => app.register(named('publication')),
    catchingUp: (app) => app.register(named('catchingUp')),
  })
  const registered = app
    .printPlugins()
    .split('\n')
    .flatMap((line) => /^[├└][─┬]+ (\w+) \d/.exec(line)?.[1] ?? [])
  const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
  const [, picture] = text.split('```')
  const shown = [...picture!.split('resource')[0]!.matchAll(/^ {3}(\w+) {2,}\S/gm)].map(([, name]) => name!)
  t.same(shown.slice(0, STEPS.length), STEPS)
  // they come before Fastify, as mounts do; the hook of `limits` belongs to routes, and runs after those of plugins
  const compared = shown.filter((name) => ![...STEPS, 'mounts', 'limits'].includes(name))
  t.same(
    compared,
    registered.filter((name) => compared.includes(name)),
  )
  t.ok(compared.length > 10)
})
