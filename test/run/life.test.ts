import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { checkAtStart, serve } from '../../src/run/serve.ts'
import { openDb } from '../../src/store/sqlite/db.ts'
import { freePort, MEASURED, startProgram } from '../support/process.ts'

const PORT = await freePort()
const METRICS_PORT = await freePort()
const POST =
  'POST /calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{'

/** Starts the service and waits until it listens, or has ended. */
async function start(t: Test, env: Record<string, string>, imports: string[] = []) {
  const way = { ...MEASURED, args: [...imports, ...MEASURED.args] }
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
    const { child, said, ended } = await start(t, {
      DATABASE: file,
      METRICS_PORT: String(METRICS_PORT),
      STOP_TIMEOUT: '600',
    })
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
    t.notOk(statSync(`${file}-wal`, { throwIfNoEntry: false }), 'all is in one file')
  },
)

/** Waits until no connection is taken any more. */
async function refused() {
  for (;;) {
    const socket = connect(PORT, '127.0.0.1')
    const taken = await new Promise<boolean>((resolve) =>
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false)),
    )
    socket.destroy()
    if (!taken) return
  }
}

t.test('a request that never ends holds the stop up for no longer than allowed', async (t) => {
  const { child, ended } = await start(t, { DATABASE: join(t.testdir(), 'a.db'), STOP_TIMEOUT: '1' })
  const running = await send(POST)
  await fetch(`http://127.0.0.1:${PORT}/healthz`)
  child.kill('SIGINT')
  await once(running, 'close')
  t.equal(await ended, 0)
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
