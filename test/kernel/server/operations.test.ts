import { join } from 'node:path'
import { mock } from 'node:test'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import t from 'tap'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { openLines, openWarnings } from '../../../src/kernel/server/log.ts'
import { listenForMetrics } from '../../../src/kernel/server/metrics.ts'
import { loggerOf } from '../../../src/run/serve.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { freePort } from '../../support/ports.ts'
import { seed } from '../../support/seed.ts'

t.test(
  'health, readiness and version answer outside of the API, whatever credentials come along',
  async (t) => {
    const { anonymous, app } = await build(t)
    const headers = { authorization: 'Bearer nonsense' }
    for (const [path, body] of [
      ['/healthz', { status: 'ok' }],
      ['/readyz', { status: 'ok' }],
      ['/version', { name: 'almanac', version: /^\d+\.\d+\.\d+$/ }],
    ] as const) {
      t.match(await anonymous.get(`/${path}`, undefined, { headers }), {
        status: 200,
        body,
        headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' },
      })
      t.match(await anonymous.get(path), { status: 404 }, 'and not inside of it')
      t.match(await anonymous.post(`/${path}`), { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
    }
    await app.close()
    t.match(await anonymous.get('//healthz').catch((error) => error), /close/i)
  },
)

t.test('a database that can not be read is not ready, and the process is healthy still', async (t) => {
  const { anonymous, app } = await build(t)
  app.store.db.close()
  t.match(await anonymous.get('//readyz'), {
    status: 503,
    body: { code: 'rest_not_ready', data: { status: 503 } },
  })
  t.match(await anonymous.get('//healthz'), { status: 200 })
})

t.test('metrics are there for who has the token, where one is set', async (t) => {
  const none = await build(t)
  t.match(await none.anonymous.get('//metrics'), { status: 404, body: { code: 'rest_no_route' } })

  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { METRICS_TOKEN: 'secret', DATABASE: file } })
  t.match(await api.anonymous.get('//metrics'), { status: 401, body: { code: 'invalid_token' } })
  const read = async () => {
    const headers = { authorization: 'Bearer secret' }
    const { status, text } = await api.anonymous.get('//metrics', undefined, { headers })
    t.equal(status, 200)
    return (line: string) =>
      Number(
        text
          .split('\n')
          .find((one) => one.startsWith(`${line} `))
          ?.slice(line.length),
      )
  }
  const event = await seed(api)
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  for (let at = 0; at < 4; at++) await (await fetch(`${origin}${ROOT}/events`)).text()
  await api.anonymous.get(`/events/${event.id}`)
  await api.anonymous.get('//nowhere')
  await api.anonymous.put('/series', {})
  const value = await read()
  t.equal(value('almanac_http_requests_total{method="GET",route="/events",status="200"}'), 4)
  t.equal(
    value('almanac_http_requests_total{method="GET",route="/events/:id(^\\\\d+$)",status="200"}') || 1,
    1,
  )
  t.equal(value('almanac_http_requests_total{method="GET",route="none",status="404"}'), 1)
  t.equal(value('almanac_http_requests_total{method="PUT",route="/series",status="405"}'), 1)
  t.equal(value('almanac_http_request_duration_seconds_count{method="GET",route="/events"}'), 4)
  t.equal(value('almanac_cache_hits_total'), 2)
  t.equal(value('almanac_cache_misses_total'), 3)
  t.equal(value('almanac_writes_waiting'), 0)
  t.ok(value('almanac_database_bytes') > 0)
  t.ok(value('almanac_wal_bytes') > 0)
  t.ok(value('nodejs_eventloop_lag_p99_seconds') >= 0)
})

t.test('metrics that can not be had at the moment are 503', async (t) => {
  const failing = { contentType: 'text/plain', text: () => Promise.reject(new Error('a worker ended')) }
  const port = await freePort()
  const server = await listenForMetrics(failing, port)
  t.teardown(() => server.close())
  t.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 503)
})

t.test('every answer names its request, also one that was kept', async (t) => {
  const api = await build(t)
  const ids = new Set<string>()
  for (const path of ['/events', '/events', '/events', '/events/99', '//healthz', '//nowhere'])
    ids.add((await api.anonymous.get(path)).headers['x-request-id']!)
  t.equal(ids.size, 6)
  t.notOk(ids.has(undefined as never))
})

t.test('lines of requests are written together, warnings at once with what was before', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const written: string[] = []
  const lines = openLines({ write: (text) => written.push(text) })
  const log = pino({ base: null, timestamp: false }, lines)
  log.info('one')
  log.info('two')
  t.same(written, [])
  log.warn('three')
  const line = (level: number, msg: string) => `${JSON.stringify({ level, msg })}\n`
  t.same(written.splice(0), [line(30, 'one') + line(30, 'two') + line(40, 'three')])

  log.info('four')
  mock.timers.tick(100)
  t.same(written.splice(0), [line(30, 'four')])

  for (let n = 0; n < 20; n++) log.info('x'.repeat(999))
  t.equal(written.splice(0).length, 1, 'many do not wait')
  lines.flush()
  lines.flush()
  t.equal(written.length, 1, 'the rest')
})

t.test('a request is one line in the log, without its query, also one that was kept', async (t) => {
  for (const [TRUST_PROXY, remoteAddress] of [
    ['off', '127.0.0.1'],
    ['on', '192.0.2.7'],
    ['127.0.0.1, 10.0.0.0/8', '192.0.2.7'],
    ['10.0.0.0/8', '127.0.0.1'],
  ] as const) {
    const lines: Record<string, unknown>[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const config = readConfig({ DATABASE: ':memory:', MEDIA_DIR: join(t.testdir(), 'media'), TRUST_PROXY })
    const app = await buildApp({ config, logger: { ...loggerOf('info', false), stream } })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    for (const path of ['?password=hush', '', '', '', '/99'])
      await (await fetch(`${origin}/calendar/events/v1/events${path}`, { headers })).text()
    await fetch(`${origin}/healthz`)
    await app.close()
    const told = lines.filter(({ msg }) => msg === 'answered')
    const path = '/calendar/events/v1/events'
    t.match(
      told.map(({ req, status }) => [req, status]),
      [...Array(4).fill([{ method: 'GET', path, remoteAddress }, 200]), [{ path: `${path}/99` }, 404]],
    )
    for (const line of told) t.match(line, { milliseconds: Number, reqId: String })
    t.equal(new Set(told.map(({ reqId }) => reqId)).size, 5)
    t.notMatch(JSON.stringify(lines), /hush/)
  }
})

t.test('a full disk refuses writes, not reads, until there is space again', async (t) => {
  for (const database of [':memory:', join(t.testdir(), 'a.db')]) {
    const api = await build(t, { env: { DATABASE: database } })
    const event = await seed(api)
    const pages = (most: number) =>
      api.app.store.db.write(async (tx) =>
        tx.get<{ max_page_count: number }>(sql.raw(`PRAGMA max_page_count = ${most}`)),
      )
    const { max_page_count: full } = await pages(1)
    const description = 'x'.repeat(90_000)
    const writes = await Promise.all(
      Array.from({ length: 5 }, () => api.editor.post('/events', { ...EVENT, description })),
    )
    for (const { status, body } of writes)
      t.match({ status, ...body }, { status: 507, code: 'insufficient_storage' })
    t.match(await api.anonymous.get(`/events/${event.id}`), { status: 200 })
    t.match(await api.editor.get('/events'), { status: 200, body: { total: 1 } })
    await pages(full * 100)
    t.match(await api.editor.post('/events', { ...EVENT, description }), { status: 201 })
    t.match(await api.anonymous.get('/events'), { body: { total: 2 } })
  }
})

t.test('a database that became read-only refuses writes, not reads', async (t) => {
  const api = await build(t, { env: { DATABASE: join(t.testdir(), 'a.db') } })
  const event = await seed(api)
  await api.app.store.db.write(async (tx) => tx.run(sql`PRAGMA query_only = ON`))
  t.match(await api.editor.post('/events', EVENT), { status: 503, body: { code: 'database_read_only' } })
  t.match(await api.editor.delete(`/events/${event.id}`), {
    status: 503,
    body: { code: 'database_read_only' },
  })
  t.match(await api.editor.get(`/events/${event.id}`), { status: 200 })
})

t.test('while something else writes for too long, writers are told when to come back', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file } })
  await api.app.store.db.write(async (tx) => tx.run(sql`PRAGMA busy_timeout = 1`))
  const writer = new Database(file)
  writer.exec('BEGIN IMMEDIATE')
  t.match(await api.editor.post('/events', EVENT), {
    status: 503,
    body: { code: 'database_busy', data: { retry_after: 1 } },
    headers: { 'retry-after': '1' },
  })
  t.match(await api.editor.get('/events'), { status: 200 })
  writer.exec('ROLLBACK')
  writer.close()
  t.match(await api.editor.post('/events', EVENT), { status: 201 })
})

t.test(
  'a late event loop refuses requests, and says when to come back; health and what is kept is answered',
  async (t) => {
    const lines: Record<string, unknown>[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const logger = { ...loggerOf('warn', false), stream }
    const { anonymous, app } = await build(t, { env: { MAX_DELAY: '1' }, logger })
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    /** The loop is late, and then looked at, as it is once a second. */
    const holdUp = async () => {
      for (let at = 0; at < 5; at++) {
        for (const end = Date.now() + 50; Date.now() < end; );
        await new Promise(setImmediate)
      }
      mock.timers.tick(1_000)
    }
    for (const _ of ['asked', 'kept']) await anonymous.get('/events')
    await holdUp()
    t.equal((await anonymous.get('/events?early')).status, 200, 'starting is no overload')
    await app.listen({ host: '127.0.0.1', port: 0 })
    t.equal((await anonymous.get('/events?first')).status, 200)
    await holdUp()
    t.match(await anonymous.get('/events?late'), {
      status: 503,
      body: { code: 'rest_overloaded', data: { status: 503, retry_after: 2 } },
      headers: { 'retry-after': '2' },
    })
    t.match(await anonymous.get('//healthz'), { status: 200 })
    t.match(await anonymous.get('/events'), { status: 200 })
    for (let at = 0; at < 200; at++) t.equal((await anonymous.get(`/events?more=${at}`)).status, 503)
    await app.close()
    const [first, ...others] = lines
    t.match(first, { level: 40, code: 'rest_overloaded', status: 503, times: 1, reqId: String })
    t.equal(
      others.reduce((sum, { times }) => sum + Number(times), 0),
      200,
      'all are counted',
    )
    t.ok(others.length < 20, 'in a few lines')
    t.notMatch(JSON.stringify(lines), /stack/)
  },
)

t.test('what is warned of again and again is one line a second, which says how often it was', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const lines: unknown[] = []
  const log = { warn: (details: object, message: string) => lines.push({ ...details, message }) }
  const warnings = openWarnings()
  const warn = (kind: string, from: number, to: number) => {
    for (let number = from; number <= to; number++) warnings.warn(kind, log as never, { number }, kind)
  }
  warn('busy', 1, 201)
  warn('full', 1, 1)
  t.same(lines.splice(0), [
    { number: 1, times: 1, message: 'busy' },
    { number: 1, times: 1, message: 'full' },
  ])
  mock.timers.tick(1_000)
  t.same(lines.splice(0), [{ number: 201, times: 200, message: 'busy' }])
  warn('busy', 1, 2)
  warn('full', 2, 2)
  t.same(lines.splice(0), [{ number: 2, times: 1, message: 'full' }], 'one was forgotten, the other was not')
  warnings.close()
  t.same(lines.splice(0), [{ number: 2, times: 2, message: 'busy' }])
  mock.timers.tick(9_000)
  t.same(lines, [], 'and nothing after the end')
})

t.test(
  'a failure that is to be expected is warned of with its cause; an unforeseen one has its stack',
  async (t) => {
    const lines: Record<string, unknown>[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const api = await build(t, { logger: { ...loggerOf('warn', false), stream } })
    await api.app.store.db.write(async (tx) => tx.run(sql`PRAGMA query_only = ON`))
    t.match(await api.editor.post('/events', EVENT), { status: 503 })
    api.app.store.db.close()
    t.match(await api.editor.post('/events', EVENT), { status: 500 })
    const [foreseen, unforeseen, ...more] = lines.filter(({ msg }) => !/last use|audit log/.test(String(msg)))
    t.match(foreseen, { level: 40, code: 'database_read_only', cause: 'SQLITE_READONLY', times: 1 })
    t.notOk(foreseen!.err)
    t.match(unforeseen, { level: 50, err: { stack: String }, msg: 'request failed' })
    t.same(more, [])
  },
)

t.test('a use of credentials that can not be noted is warned of as one line a second', async (t) => {
  const lines: { msg?: string; times?: number }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const api = await build(t, { logger: { ...loggerOf('warn', false), stream } })
  await api.app.store.db.write(async (tx) => tx.run(sql`PRAGMA query_only = ON`))
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.editor.get('/events')))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  await api.app.close()
  const told = lines.filter(({ msg }) => /last use/.test(String(msg)))
  t.equal(told[0]?.times, 1)
  t.equal(
    told.reduce((sum, { times }) => sum + Number(times), 0),
    answers.length,
    'and counts them all',
  )
})
