import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/calendar/config.ts'
import { readConfig } from '../../src/config.ts'
import type { User } from '../../src/kernel/access/users.ts'
import { findMarker, withMarker } from '../../src/kernel/database/context.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { acceptForwarded } from '../../src/run/forwarding.ts'
import { checkAtStart, keepServing, serve, shutDown } from '../../src/run/serve.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { accepts, freePort } from '../support/ports.ts'
import { addToken, openFile, openMeasured, startProgram } from '../support/process.ts'
import { until } from '../support/until.ts'

const PORT = await freePort()
const METRICS_PORT = await freePort()
const POST =
  'POST /calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{'

/** Starts the service and waits until it listens, or has ended. */
async function start(t: Test, env: Record<string, string>, imports: string[] = []) {
  const { args, vars } = openMeasured()
  const way = { vars, args: [...imports, ...args] }
  const started = startProgram(t, way, ['serve'], { PORT: String(PORT), ...env })
  await started.said(/Almanac answers|almanac:/)
  return started
}

/** A connection on which `text` was sent. */
async function send(text: string): Promise<Socket & { received(): string }> {
  const socket = connect(PORT, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => (received += chunk)).on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return Object.assign(socket, { received: () => received })
}

t.test(
  'a signal ends it in order: what runs is finished, and nothing is left beside the database',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const { child, said, output, ended } = await start(t, {
      DATABASE: file,
      HOST: 'localhost',
      METRICS_PORT: String(METRICS_PORT),
      STOP_TIMEOUT: '600',
    })
    await t.rejects(fetch(`http://[::1]:${PORT}/healthz`), 'one server, which has all limits')
    t.match(
      await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text(),
      /^almanac_database_bytes \d+$/m,
    )
    t.equal((await fetch(`http://127.0.0.1:${METRICS_PORT}/`)).status, 404)
    await fetch(`http://127.0.0.1:${PORT}/calendar/events/v1/events`)
    await said(/"path":"\/calendar\/events\/v1\/events"/)
    t.ok(statSync(`${file}-wal`).size > 0)
    const running = await send(POST)
    const asking = await send('GET /readyz HTTP/1.1\r\nHost: x\r\n')
    await fetch(`http://127.0.0.1:${PORT}/healthz`) // both have been read when this is answered
    child.kill('SIGTERM')
    await refused()
    asking.write('\r\n')
    await once(asking, 'close')
    t.match(asking.received(), /^HTTP\/1\.1 503 [\s\S]*rest_not_ready[\s\S]*stopping/)
    running.write('"a":"bc"}')
    await once(running, 'close')
    t.match(running.received(), /^HTTP\/1\.1 400 [\s\S]*rest_missing_callback_param/)
    t.equal(await ended, 0)
    t.match(output(), /"status":400,/, 'the last line was written as well')
    t.notOk(statSync(`${file}-wal`, { throwIfNoEntry: false }), 'all is in one file')
  },
)

/** Waits until no connection is taken any more. */
const refused = () => until(async () => !(await accepts(PORT)))

t.test('a terminal that is closed, which may be told twice, ends it in order', async (t) => {
  const { child, ended } = await start(t, { DATABASE: join(t.testdir(), 'a.db'), STOP_TIMEOUT: '600' })
  const running = await send(POST)
  await fetch(`http://127.0.0.1:${PORT}/healthz`)
  child.kill('SIGHUP')
  await refused()
  child.kill('SIGHUP')
  running.write('"a":"bc"}')
  await once(running, 'close')
  t.match(running.received(), /^HTTP\/1\.1 400 /)
  t.equal(await ended, 0)
})

t.test('a request that never ends holds the stop up for no longer than allowed', async (t) => {
  const { child, ended } = await start(t, { DATABASE: join(t.testdir(), 'a.db'), STOP_TIMEOUT: '1' })
  const running = await send(POST)
  await fetch(`http://127.0.0.1:${PORT}/healthz`)
  child.kill('SIGINT')
  await once(running, 'close')
  t.equal(await ended, 0)
})

t.test('files that can not be put in order are told, and the database is closed all the same', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const config = readConfig({ DATABASE: file, MAX_DELAY: '0' })
  const app = await buildApp({ config, logger: { level: 'error', stream } })
  const { statusCode } = await app.inject({
    method: 'POST',
    url: `${ROOT}/events`,
    headers: { authorization },
    payload: EVENT,
  })
  t.equal(statusCode, 201)
  truncateSync(`${file}-wal`) // what it would write back can not be read
  await shutDown(app, 1)
  t.match(lines, [{ level: 50, err: { code: /^SQLITE_IOERR/ }, msg: /could not put its files in order/ }])
  t.throws(() => app.store.db.version(), /not open/)
})

t.test('a second service on a database waits for the first, and then refuses; commands do not', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const first = await start(t, { DATABASE: file })
  const env = { DATABASE: file, PORT: String(await freePort()) }
  const second = startProgram(t, openMeasured(), ['serve'], { ...env, STOP_TIMEOUT: '1' })
  t.equal(await second.ended, 1)
  const held = `a.db:? is served by process ${first.child.pid} on .+ since 20.+ UTC`
  t.match(
    second.output(),
    new RegExp(`${held}; waiting up to 1 s for its end\\.\\nalmanac: .*${held}; stop that one`),
  )
  const copy = startProgram(t, openMeasured(), ['backup', join(t.testdirName, 'b.db')], env)
  t.equal(await copy.ended, 0, copy.output())
  const third = startProgram(t, openMeasured(), ['serve'], { ...env, STOP_TIMEOUT: '600' })
  await third.said(/waiting up to 600 s/)
  first.child.kill('SIGKILL')
  await third.said(/Almanac answers|almanac:/)
  t.match(third.output(), /Almanac answers/)
})

t.test('a mistake that nothing caught is logged, and the service goes on', async (t) => {
  const dir = t.testdir()
  const stray = join(dir, 'stray.mjs')
  writeFileSync(
    stray,
    "process.once('SIGUSR2', () => { Promise.reject(new Error('stray promise')); throw new Error('stray call') })",
  )
  const { child, said, output, ended } = await start(t, { DATABASE: join(dir, 'a.db') }, [
    '--import',
    `file://${stray}`,
  ])
  child.kill('SIGUSR2')
  await said(/stray call/)
  await said(/stray promise/)
  t.match(output(), /a mistake that nothing caught/)
  t.equal((await fetch(`http://127.0.0.1:${PORT}/readyz`)).status, 200)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})

t.test('a check at start tells what differs, and serves nothing that is damaged', async (t) => {
  const file = join(t.testdir(), 'a.db')
  openDb(file).close()
  const tamper = (query: string) => {
    const db = new Database(file)
    db.pragma('foreign_keys = OFF')
    db.exec(query)
    db.close()
  }
  tamper(
    "INSERT INTO terms (taxonomy, name, folded_name, slug, language, count) VALUES ('tag', 'a', 'a', 'a', 'en', 3)",
  )
  const config = readConfig({ DATABASE: file, PORT: '0', CHECK: 'on', LOG_LEVEL: 'silent' })
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = await buildApp({ config, logger: { level: 'info', stream } })
  await checkAtStart(app, config)
  await app.close()
  t.match(lines, [
    {
      level: 50,
      difference: { kind: 'count', id: 1 },
      msg: 'derived data differs; `almanac rebuild` corrects it',
    },
    { level: 30, records: 1, msg: 'the database was verified' },
  ])
  const served = await serve(config, { print() {}, terminal: false })
  await served.close()
  tamper("INSERT INTO tokens (user_id, name, hash, scopes, created_utc) VALUES (99, '', '', '[]', '')")
  await t.rejects(serve(config, { print() {}, terminal: false }), {
    message: 'the database is damaged; restore a backup: row 1 of tokens points to nothing in users',
    unusable: true,
  })
})

t.test('a service can be ended in order before anybody is told that it answers', async (t) => {
  const config = readConfig({
    ...{ DATABASE: join(t.testdir(), 'a.db'), PORT: String(await freePort()), LOG_LEVEL: 'silent' },
  })
  const order: string[] = []
  const print = (text: string) => void order.push(text.split(' ', 3).join(' '))
  const { stop } = await keepServing(config, { print, terminal: true }, (service) => {
    order.push(typeof service.stop)
  })
  await stop()
  t.same(order, ['function', 'Almanac answers at'])
})

/** A folder for sockets, on a database with a user who may write. */
async function open(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'a-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const config = readConfig({ DATABASE: file, MAX_DELAY: '0' })
  const start = async (writes: boolean, more: Partial<Config> = {}) => {
    const app = await buildApp({ config: { ...config, ...more }, worker: { folder, writes } })
    t.teardown(() => app.close())
    return app
  }
  return { folder, file, headers: { authorization }, start }
}
type Opened = Awaited<ReturnType<typeof open>>

/** Something in the place of the writer, which does `work` of a request with this mark, and hangs up; it ends with that, or `stays`. */
async function pretend({ folder }: Opened, work: (mark: string) => Promise<unknown>, stays = false) {
  const server = createServer(async ({ headers, socket }) => {
    await work(headers['almanac-mark'] as string)
    if (!stays) server.close()
    socket.destroy()
  })
  server.listen(join(folder, 'writer'))
  await once(server, 'listening')
  return server
}

t.test('a write whose answer is lost, but was committed, is told as written, with its address', async (t) => {
  const opened = await open(t)
  const { start, file, headers } = opened
  const reader = await start(false)
  const store = openFile(file)
  t.teardown(() => store.db.close())
  const cases = [
    ['POST', `${ROOT}/tags/?language=en`, (id: number) => `${ROOT}/tags/${id}`],
    ['PATCH', `${ROOT}/tags/7?x=1`, () => `${ROOT}/tags/7`],
    ['DELETE', `${ROOT}/tags/7`, () => `${ROOT}/tags/7`],
  ] as const
  for (const [method, url, addressOf] of cases) {
    let id = 0
    await pretend(opened, async (mark) => {
      const added = await new Promise<User>((resolve) =>
        withMarker(
          mark,
          () => void store.users.add(`user-${method}`, 'author').then((user) => resolve(user!)),
        ),
      )
      id = added.id
    })
    const answer = await reader.inject({ method, url, headers, payload: {} })
    t.match(
      [answer.statusCode, answer.json()],
      [
        500,
        {
          code: 'internal_server_error',
          message: /^The request was applied, .* Do not send it again; see /,
          data: { status: 500, written: true, address: addressOf(id) },
        },
      ],
    )
  }
})

t.test('one that was not committed is told as not written, and may be sent again', async (t) => {
  const opened = await open(t)
  const reader = await opened.start(false)
  await pretend(opened, async () => {})
  const answer = await reader.inject({
    method: 'POST',
    url: `${ROOT}/events`,
    headers: opened.headers,
    payload: EVENT,
  })
  t.match([answer.statusCode, answer.headers['retry-after']], [503, '1'])
  t.match(answer.json(), { code: 'rest_not_ready', message: /nothing was written/ })

  // unless the source of a mirror may have it
  const forwarding = await opened.start(false, {
    mirror: [{ address: 'https://old.example' }],
    mirrorWrites: 'forward',
  })
  await pretend(opened, async () => {})
  const { headers } = opened
  const told = await forwarding.inject({ method: 'POST', url: `${ROOT}/events`, headers, payload: EVENT })
  t.match(told.json(), { code: 'internal_server_error', message: /completely or not at all/ })
})

t.test('as long as the writer has not ended, nobody knows', async (t) => {
  const opened = await open(t)
  const reader = await opened.start(false)
  const server = await pretend(opened, async () => {}, true)
  t.teardown(() => server.close())
  const answer = await reader.inject({
    method: 'POST',
    url: `${ROOT}/events`,
    headers: opened.headers,
    payload: EVENT,
  })
  t.match([answer.statusCode, answer.json()], [500, { message: /applied completely or not at all/ }])
})

t.test(
  'what the writer writes for others is marked, what it writes for its own clients is not',
  async (t) => {
    const opened = await open(t)
    const { start, headers, folder } = opened
    const writer = await start(true)
    const server = await acceptForwarded(writer, { folder, writes: true })
    t.teardown(() => {
      server.close()
      server.closeAllConnections()
    })
    const reader = await start(false)
    const marks = () =>
      writer.store.db.read.all<{ mark: string; record_id: number }>(sql`SELECT mark, record_id FROM marks`)
    const send = (by: typeof reader, payload: object, more = {}) =>
      by.inject({ method: 'POST', url: `${ROOT}/events`, headers: { ...headers, ...more }, payload })
    const origin = await reader.listen({ host: '127.0.0.1', port: 0 })
    const post = (payload: object) =>
      fetch(`${origin}${ROOT}/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'almanac-mark': 'forged' },
        body: JSON.stringify(payload),
      })
    const made = await post({ ...EVENT, venue: { venue: 'Hall' }, tags: ['new'] })
    const { id } = (await made.json()) as { id: number }
    t.equal(made.status, 201)
    const [marked, ...others] = marks()
    t.same(others, [])
    t.match(marked, { mark: /^\w+-\w+$/, record_id: id }, 'of the event, not of what was made with it')

    t.equal((await post({})).status, 400)
    t.equal((await send(writer, EVENT, { 'almanac-mark': 'forged' })).statusCode, 201)
    t.equal(marks().length, 1, 'refused writes and direct ones leave none')
  },
)

t.test('the last marks are kept, and a write that fails leaves none', async (t) => {
  const { file } = await open(t)
  const { db } = openFile(file)
  t.teardown(() => db.close())
  const writes: Promise<unknown>[] = []
  for (let at = 1; at <= 1_002; at++) withMarker(`m${at}`, () => void writes.push(db.write(async () => at)))
  await Promise.all(writes)
  t.same([findMarker(db, 'm2'), findMarker(db, 'm3')], [undefined, { record: null }])
  const failing = async () => {
    throw new Error('no')
  }
  withMarker('failed', () => void writes.push(t.rejects(db.write(failing), { message: 'no' })))
  await Promise.all(writes)
  t.equal(findMarker(db, 'failed'), undefined)
})
