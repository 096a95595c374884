import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import type { FastifyPluginAsync } from 'fastify'
import Fastify from 'fastify'
import type { Test } from 'tap'
import t from 'tap'
import { publication } from '../../../src/calendar/jobs.ts'
import { eventRoutes } from '../../../src/calendar/routes/records.ts'
import { readConfig } from '../../../src/config.ts'
import { auth } from '../../../src/kernel/access/auth.ts'
import { permissions } from '../../../src/kernel/access/permissions.ts'
import { cache } from '../../../src/kernel/cache.ts'
import { openDb } from '../../../src/kernel/database/db.ts'
import { bodyLimits } from '../../../src/kernel/input/bodies.ts'
import { openapi } from '../../../src/kernel/openapi/document.ts'
import { limits, overload } from '../../../src/kernel/rate-limits.ts'
import { headers } from '../../../src/kernel/server/headers.ts'
import { health } from '../../../src/kernel/server/health.ts'
import { log, proxies } from '../../../src/kernel/server/log.ts'
import { methods, otherMethods } from '../../../src/kernel/server/methods.ts'
import { relay } from '../../../src/run/forwarding.ts'
import { loggerOf, warnAtStart } from '../../../src/run/serve.ts'
import { must } from '../../support/answers.ts'
import { type Answer, basicAuth, build, EVENT } from '../../support/app.ts'

t.test('a plugin that is registered before one that it needs fails at start', async (t) => {
  const cases = {
    log,
    headers,
    health,
    proxies,
    cache,
    relay,
    overload,
    limits,
    auth,
    bodyLimits,
    permissions,
  }
  for (const [name, plugin] of Object.entries({
    ...cases,
    publication,
    openapi,
    otherMethods,
    eventRoutes,
  })) {
    const app = Fastify()
    app.register(plugin as unknown as FastifyPluginAsync)
    await t.rejects(
      async () => void (await app.ready()),
      {
        code: 'FST_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED',
        message: /^The dependency '.+' of plugin '.+' is not/,
      },
      name,
    )
  }
  const late = Fastify()
  late.register(methods)
  late.register(permissions)
  late.register(otherMethods)
  await t.rejects(async () => void (await late.ready()), {
    message: "The dependency 'auth' of plugin 'permissions' is not registered",
  })
})

t.test('what one kind of record asks of its requests is asked of no other', async (t) => {
  const { editor } = await build(t)
  const parent = await must(editor.post('/categories', { name: 'Music' }))
  t.equal(
    (await editor.post('/tags', { name: 'Rock', parent: parent.id })).body.code,
    'rest_taxonomy_not_hierarchical',
  )
  t.equal((await must(editor.post('/categories', { name: 'Rock', parent: parent.id }))).parent, parent.id)
})

t.test(
  'databases of one process count their own commits, and end the turns of their own readers',
  async (t) => {
    const [one, other] = [openDb(':memory:'), openDb(':memory:')]
    t.teardown(() => {
      one.close()
      other.close()
    })
    const before = other.version()
    await one.write(async () => {})
    t.equal(other.version(), before)
  },
)

t.test('visitors who try passwords at one application keep nobody waiting at another', async (t) => {
  const [one, other] = [await build(t, { fresh: true }), await build(t, { fresh: true })]
  const secret = { ...EVENT, password: 'right' }
  const ids = [
    await must(one.editor.post('/events', secret)),
    await must(other.editor.post('/events', secret)),
  ].map(({ id }) => id)
  const many = Array.from({ length: 50 }, (_, at) =>
    one.anonymous.get(`/events/${ids[0]}?password=wrong${at}`),
  )
  const visit = await other.anonymous.get(`/events/${ids[1]}?password=right`)
  t.equal(visit.status, 200)
  t.same(new Set((await Promise.all(many)).map(({ status }) => status)), new Set([403, 503]))
})

const DOCUMENT = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')

/** A service that logs all it can, every line of it kept. */
async function watch(t: Test) {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const api = await build(t, { fresh: true, logger: { ...loggerOf('trace', false), stream } })
  return { ...api, lines }
}

t.test('no secret stands in a log, an answer or the document', async (t) => {
  const api = await watch(t)
  const { administrator, anonymous, editor, lines } = api
  const secrets = new Map<string, string>()
  const answers: Answer[] = []
  const ask = async (answer: Promise<Answer>) => answers.push(await answer)
  const as = (authorization: string) => ({ headers: { authorization } })

  // what is shown once, when it is made
  const maria = await must(administrator.post('/users', { login: 'maria', role: 'author' }))
  const spare = await must(administrator.post(`/users/${maria.id}/application-passwords`, { name: 'x' }))
  const token = (await must(administrator.post('/tokens', { user: maria.id, name: 'x' }))).token
  const known: [string, string][] = [
    ['application password', maria.password],
    ['application password without spaces', maria.password.replaceAll(' ', '')],
    ['spare password', spare.password],
    ['token', token],
    ['header', basicAuth('maria', maria.password).slice(6)],
    ['password of an event', 'zz-event-secret'],
    ['wrong password of an event', 'zz-wrong-secret'],
    ['wrong application password', 'zz-guess'],
    ['wrong header', btoa('maria:zz-guess')],
    ['wrong token', 'alm_zzunknown'],
    ['broken body', 'zz-broken-body'],
    ['cookie', 'zz-cookie'],
  ]
  for (const [name, secret] of known) secrets.set(name, secret)
  const hashes = (text: string) =>
    api.app.store.db.read.all(sql.raw(text)).map((row) => Object.values(row as object)[0])
  for (const hash of hashes(
    'SELECT hash FROM application_passwords UNION SELECT hash FROM tokens UNION SELECT value FROM settings',
  ))
    secrets.set(`stored ${String(hash).slice(0, 9)}`, String(hash))

  const event = await must(
    api.author.post(
      '/events',
      { ...EVENT, password: 'zz-event-secret' },
      { headers: { cookie: 'a=zz-cookie' } },
    ),
  )
  const [hash] = hashes('SELECT password_hash FROM posts WHERE password_hash IS NOT NULL')
  secrets.set('hash of an event', String(hash))
  const json = { headers: { 'content-type': 'application/json' } }
  for (const path of [
    `/events/${event.id}`,
    `/events/${event.id}?password=zz-event-secret`,
    `/events/${event.id}?password=zz-wrong-secret`,
    `/events?password=zz-event-secret&per_page=1`,
    `/events/by-slug/concert?password=zz-wrong-secret`,
    `/nowhere?password=zz-wrong-secret`,
    `//nowhere?password=zz-wrong-secret`,
    `//%zz?password=zz-wrong-secret`,
    `/events?page=0&password=zz-wrong-secret`,
    `/events?page=99&password=zz-event-secret`,
    `/events?token=${token}&page=x`.replace(token, 'alm_zzunknown'),
  ])
    for (const client of [anonymous, editor]) await ask(client.get(path))
  for (const authorization of [
    basicAuth('maria', maria.password),
    basicAuth('maria', maria.password.replaceAll(' ', '')),
    basicAuth('maria', 'zz-guess'),
    basicAuth('nobody', 'zz-guess'),
    `Bearer ${token}`,
    'Bearer alm_zzunknown',
    'Basic zz-guess',
    'zz-guess',
  ])
    for (const path of ['/events', '/users', '/nowhere', `/events/${event.id}`])
      await ask(anonymous.get(path, undefined, as(authorization)))
  for (const body of [
    '{"password":zz-broken-body}',
    '{"password":"zz-broken-body"',
    '{"a":"zz-broken-body" "b"}',
    'zz-broken-body',
  ])
    await ask(editor.post('/events', body, json))
  await ask(editor.post('/events', { password: 'zz-event-secret' }))
  await ask(editor.post('/events', { ...EVENT, start_date: 'x', password: 'zz-event-secret' }))
  await ask(editor.patch(`/events/${event.id}`, { password: 'zz-event-secret' }))
  await ask(administrator.post('/events?password=zz-event-secret', EVENT))
  for (const path of [
    '/users',
    `/users/${maria.id}`,
    `/users/${maria.id}/application-passwords`,
    '/tokens',
    '/doc',
  ])
    await ask(administrator.get(path))

  // and where the service itself fails: first writes, then everything
  await api.app.store.db.write(async (tx) => void tx.run(sql`PRAGMA query_only = ON`))
  api.clock.now += 120_000
  await ask(
    anonymous.get('/events?password=zz-event-secret', undefined, as(basicAuth('maria', maria.password))),
  )
  await ask(editor.patch(`/events/${event.id}`, { password: 'zz-event-secret' }))
  await ask(administrator.post('/users', { login: 'zoe', role: 'editor' }))
  await ask(administrator.post('/tokens', { user: maria.id, name: 'y' }))
  api.app.store.db.close()
  await ask(anonymous.get(`/events/${event.id}?password=zz-event-secret`, undefined, as(`Bearer ${token}`)))
  await ask(
    anonymous.post(
      '/events',
      { ...EVENT, password: 'zz-event-secret' },
      as(basicAuth('maria', spare.password)),
    ),
  )

  const log = lines.join('')
  const told = answers.map(({ text, headers }) => JSON.stringify(headers) + text).join('\n')
  t.ok(lines.length > answers.length, `${lines.length} lines of log`)
  t.ok(answers.some(({ status }) => status === 500))
  t.match(log, /"level":50/)
  t.match(log, /"path":"\/calendar\/events\/v1\/events"/)
  for (const [name, secret] of secrets) {
    t.ok(secret.length > 5, name)
    t.notOk(log.includes(secret), `${name}: not in the log`)
    t.notOk(told.includes(secret), `${name}: not in an answer`)
    t.notOk(DOCUMENT.includes(secret), `${name}: not in the document`)
  }
  t.notMatch(log, /authorization|cookie|scrypt:/i)
  t.notMatch(told, /scrypt:|alm_[\w-]{8}/)
  t.notMatch(
    DOCUMENT,
    /alm_[\w-]{8}|([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}"|scrypt/,
    'nor an example that looks like one',
  )
})

t.test('on a terminal the same lines are readable', async (t) => {
  const { transport, ...same } = { transport: undefined, ...loggerOf('info', true) }
  t.match(transport, { target: 'pino-pretty' })
  const { stream, ...lines } = { stream: undefined, ...loggerOf('info', false) }
  t.ok(stream)
  t.same(Object.keys(same), Object.keys(lines))
  t.match(transport, { options: { ignore: /^pid,/ } })
  t.notMatch(
    loggerOf('info', true, true),
    { transport: { options: { ignore: /pid/ } } },
    'of several processes one is named',
  )
})

/** A service that trusts these proxies, and what it warns of. */
async function watchProxies(t: Test, TRUST_PROXY: string) {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const api = await build(t, { env: { TRUST_PROXY }, logger: { ...loggerOf('warn', false), stream } })
  const get = (headers: Record<string, string>, remoteAddress = '::ffff:192.0.2.1') =>
    api.anonymous.get('/events', undefined, { headers, remoteAddress })
  return { ...api, lines, get }
}

t.test('a proxy that is not trusted is told of once, with the setting and its address', async (t) => {
  const { get, lines } = await watchProxies(t, 'off')
  await get({})
  t.same(lines, [])
  for (const at of [1, 2, 3]) await get({ 'x-forwarded-for': `198.51.100.${at}` })
  await get({ forwarded: 'for=198.51.100.4' }, '192.0.2.2')
  t.match(lines, [
    { level: 40, header: 'x-forwarded-for', peer: '192.0.2.1', msg: /set TRUST_PROXY=192\.0\.2\.1; / },
  ])
  t.equal(lines.length, 1)
  t.notMatch(lines[0]!.msg, /198\.51/, 'what a client says is not advised')

  const other = await watchProxies(t, 'off')
  await other.get({ forwarded: 'for=198.51.100.4' })
  t.match(other.lines, [{ header: 'forwarded' }], 'the standard header as well')
})

t.test('a proxy that is trusted is not told of', async (t) => {
  for (const trusted of ['192.0.2.1', 'on']) {
    const { get, lines } = await watchProxies(t, trusted)
    await get({ 'x-forwarded-for': '198.51.100.1' })
    t.same(lines, [], trusted)
  }
})

t.test('to trust everybody is warned of at the start', async (t) => {
  for (const [TRUST_PROXY, told] of [
    ['on', 1],
    ['off', 0],
    ['10.0.0.1', 0],
  ] as const) {
    const lines: unknown[] = []
    warnAtStart(readConfig({ TRUST_PROXY, DATABASE: ':memory:' }), {
      warn: (text: string) => lines.push(text),
    } as never)
    t.equal(lines.length, told, TRUST_PROXY)
    if (told) t.match(lines[0], /^TRUST_PROXY=on .* name the addresses of your proxies instead$/)
  }
})
