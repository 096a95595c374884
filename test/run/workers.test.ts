import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  type Connection,
  connectAll,
  connectTo,
  openConnection,
  type Reply,
  replyTo,
} from '../support/connection.ts'
import { basicAuth, EVENT, ROOT } from '../support/given.ts'
import { draw, multipart } from '../support/pictures.ts'
import { freePort } from '../support/ports.ts'
import { addToken, openFile, serveMeasured } from '../support/process.ts'
import { until } from '../support/until.ts'

const file = join(t.testdir(), 'a.db')
const authorization = `Bearer ${await addToken(file)}`
const metrics = await freePort()
const temporary = mkdtempSync(join(tmpdir(), 'almanac-test-'))
t.teardown(() => rmSync(temporary, { recursive: true }))
const served = await serveMeasured(t, file, {
  ...{ WORKERS: '3', STOP_TIMEOUT: '100', TRUST_PROXY: '127.0.0.1', RATE_LIMIT: '1000' },
  ...{ METRICS_TOKEN: 'secret', METRICS_PORT: String(metrics), TMPDIR: temporary },
})
const { port } = served
const { writer, readers, all } = await connectAll(port, 3)
const [reader] = readers as [Connection]
t.teardown(() => all.forEach((connection) => void connection.close()))

const json = { authorization, 'content-type': 'application/json' }
const create = (by: Connection, body: object = EVENT) =>
  by.send('POST', `${ROOT}/events`, { headers: json, body: JSON.stringify(body) })
const isOurs = (name: string) => name.startsWith('almanac-')
const nameOf = async (by: Connection) => (await by.send('GET', '/healthz')).from

t.test('all processes answer reads, one writes, and what it wrote is seen by all at once', async (t) => {
  const writers = new Set<string>()
  const readers = new Set<string>()
  let total = 0
  for (const by of [...all, ...all]) {
    const made = await create(by)
    t.equal(made.status, 201)
    t.equal(made.headers.location, `http://127.0.0.1:${port}${ROOT}/events/${made.body.id}`)
    writers.add(made.from)
    total++
    const fresh = openConnection(port)
    for (const one of [...all, fresh]) {
      const read = await one.send('GET', `${ROOT}/events/${made.body.id}`)
      t.equal(read.body.title, EVENT.title)
      readers.add(read.from)
      const list = await one.send('GET', `${ROOT}/events?per_page=50`)
      t.same([list.body.total, list.body.events.length], [total, total])
    }
    fresh.close()
    const path = `${ROOT}/events/${made.body.id}`
    const changed = await by.send('PATCH', path, { headers: json, body: '{"title":"Changed"}' })
    t.equal(changed.status, 200)
    for (const one of all) t.equal((await one.send('GET', path)).body.title, 'Changed')
  }
  t.same([...writers], [await nameOf(writer)])
  t.equal(readers.size, 3)
  const posts = () => served.output().match(/"method":"POST"/g)?.length
  const pids = () => new Set(served.output().match(/"pid":\d+(?=.*"msg":"answered")/g))
  await until(() => posts() === total && pids().size === 3)
  t.equal(pids().size, 3, 'each line of the log names its process')
  t.equal(posts(), total, 'and a request is one line')
  t.equal(served.output().match(/Almanac answers at/g)?.length, 1)
  const folder = readdirSync(temporary).find(isOurs)
  t.equal(statSync(join(temporary, folder!)).mode & 0o777, 0o700, 'nobody else may pass anything on')
})

t.test('who follows changes may ask another process each time', async (t) => {
  const ask = async (by: Connection, query: string) => {
    const { status, body } = await by.send(
      'GET',
      `${ROOT}/changes?${query}&_fields=changes.id,changes.operation,has_more,next_sync_token`,
    )
    t.equal(status, 200)
    return body
  }
  let { next_sync_token: token, has_more } = await ask(writer, 'kind=event&per_page=500')
  while (has_more) ({ next_sync_token: token, has_more } = await ask(reader, `sync_token=${token}`))
  for (const by of [...all, ...all]) {
    const { id } = (await create(by)).body
    for (const one of all)
      t.same((await ask(one, `sync_token=${token}`)).changes, [{ id, operation: 'create' }])
    token = (await ask(by, `sync_token=${token}`)).next_sync_token
  }
})

/** An answer without what differs from one to the next; the ETag of a write follows the second in which it is made. */
const essence = ({ status, headers, text }: Reply, method: string) => {
  const { date: _, 'x-request-id': id, etag, ...others } = headers
  const rest = Object.entries(others).filter(([name]) => !name.startsWith('ratelimit-'))
  if (etag !== undefined) rest.push(['etag', method === 'PATCH' ? typeof etag : etag])
  return {
    status,
    headers: Object.fromEntries(rest),
    text: text.replaceAll(id!, 'ID').replace(/"modified.*?(?="url")/, ''),
  }
}

t.test('what is passed on arrives as it was sent, and its answer as it was given', async (t) => {
  const bearer = { authorization }
  const written = await nameOf(writer)
  const isWriter = (name: string) => name === written
  const { body: event } = await create(writer)
  const path = `${ROOT}/events/${event.id}`
  // until the second of its creation is over, a response does not say when it was changed
  const headers = await until(async () => {
    const { headers } = await writer.send('GET', path, { headers: bearer })
    return headers['last-modified'] ? headers : undefined
  })
  const form = (size: number) =>
    multipart([['file', new File([randomBytes(size)], 'a.png', { type: 'image/png' })]])
  const tooLarge = await form(10 * 2 ** 20 + 1)
  const noPicture = await form(100)
  const image = { ...bearer, 'content-type': 'image/png' }
  for (const [status, method, at, sent] of [
    [400, 'POST', '/events', { headers: json, body: '{"title":5}' }],
    [400, 'POST', '/events', { headers: json, body: '{' }],
    [400, 'POST', '/events', { headers: bearer }],
    [415, 'PATCH', path, { headers: { ...bearer, 'content-type': 'text/csv' }, body: 'a' }],
    [401, 'POST', '/events', { headers: { authorization: 'Bearer alm_no' }, body: 'a' }],
    [401, 'GET', '/events', { headers: { authorization: 'Bearer alm_no' } }],
    [403, 'POST', '/events', { headers: { ...json, origin: 'http://other.example' }, body: '{}' }],
    [404, 'DELETE', '/events/99', { headers: bearer }],
    [404, 'POST', '//nowhere', { headers: json, body: '{}' }],
    [405, 'PUT', '/events', { headers: json, body: '{}' }],
    [412, 'PATCH', path, { headers: { ...json, 'if-match': '"old"' }, body: '{}' }],
    [413, 'POST', '/events', { headers: { ...json, 'content-length': String(2 ** 20 + 1) } }],
    [413, 'POST', '/media', { headers: { ...image, 'content-length': String(11 * 2 ** 20) } }],
    [413, 'POST', '/media', { headers: { ...bearer, ...tooLarge.headers }, body: tooLarge.payload }],
    [400, 'POST', '/media', { headers: { ...bearer, ...noPicture.headers }, body: noPicture.payload }],
    [200, 'GET', path, { headers: bearer }],
    [304, 'GET', path, { headers: { ...bearer, 'if-none-match': headers.etag! } }],
    [200, 'HEAD', path, { headers: bearer }],
    [200, 'PATCH', path, { headers: { ...json, 'transfer-encoding': 'chunked' }, body: '{"venue":[]}' }],
  ] as const) {
    const address = at.startsWith('//') ? at.slice(1) : at.startsWith(ROOT) ? at : ROOT + at
    // a refused body ends the connection
    const [one, other] = [await connectTo(port, isWriter), await connectTo(port, (name) => !isWriter(name))]
    const direct = await one.send(method, address, sent)
    const passed = await other.send(method, address, sent)
    one.close()
    other.close()
    t.equal(passed.status, status, `${method} ${at}`)
    t.same(essence(passed, method), essence(direct, method), `${method} ${at}`)
  }
})

t.test('a picture is uploaded through any process, and read from any', async (t) => {
  const { payload, headers } = await multipart([
    ['file', new File([await draw(800, 600)], 'poster.png', { type: 'image/png' })],
  ])
  for (const by of all) {
    const made = await by.send('POST', `${ROOT}/media`, {
      headers: { authorization, ...headers },
      body: payload,
    })
    t.match(made, { status: 201, body: { width: 800, height: 600 } })
    for (const one of all)
      t.equal((await one.send('GET', new URL(made.body.url).pathname)).headers['content-type'], 'image/png')
  }
  const bytes = await draw(60, 40)
  const raw = { authorization, 'content-type': 'image/png', 'transfer-encoding': 'chunked' }
  t.match(await reader.send('POST', `${ROOT}/media`, { headers: raw, body: bytes }), { status: 201 })
})

t.test('a client is who it is to every process, and its failed logins count together', async (t) => {
  const from = (by: Connection, address: string) =>
    by.send('GET', `${ROOT}/events`, {
      headers: {
        authorization: 'Bearer alm_wrong',
        'x-forwarded-for': address,
        'almanac-client': '203.0.113.77',
      },
    })
  const statuses: number[] = []
  for (let n = 0; n < 63; n++) statuses.push((await from(all[n % 3]!, '198.51.100.1')).status)
  t.same(statuses, [...Array(60).fill(401), ...Array(3).fill(429)])
  for (const by of all) t.equal((await from(by, '198.51.100.2')).status, 401, 'others go on')
  for (const by of all) t.equal((await by.send('GET', `${ROOT}/events`)).status, 200)
  for (const address of [/"198\.51\.100\.1"/, /"198\.51\.100\.2"/, /"127\.0\.0\.1"/])
    await served.said(address)
  t.notMatch(served.output(), /203\.0\.113\.77/)
  const left: number[] = []
  for (const by of [...all, ...all]) left.push(Number((await create(by)).headers['ratelimit-remaining']))
  t.same(
    left.map((count) => left[0]! - count),
    [0, 1, 2, 3, 4, 5],
    'what is passed on is counted once',
  )
})

t.test('the audit log has once what was done through any process, and any shows it', async (t) => {
  const { db, users } = openFile(file)
  const boss = await users.add('boss', 'administrator')
  db.close()
  const of = (login: string, password: string) => ({
    ...{ authorization: basicAuth(login, password), 'x-forwarded-for': '198.51.100.4' },
    'content-type': 'application/json',
  })
  const headers = of('boss', boss!.password)
  const wanted = ['credential_used boss']
  for (const [at, by] of all.entries()) {
    const login = `berta-${at}`
    const body = JSON.stringify({ login, role: 'author' })
    const added = await by.send('POST', `${ROOT}/users`, { headers, body })
    t.equal(added.status, 201)
    const hers = of(login, added.body.password)
    t.equal((await by.send('POST', `${ROOT}/session`, { headers: hers })).status, 201)
    for (const one of all) t.equal((await one.send('GET', `${ROOT}/tags`, { headers: hers })).status, 200)
    wanted.push('user_added boss', 'password_created boss', `session_created ${login}`)
    wanted.push(`credential_used ${login}`)
  }
  for (const one of all) {
    const { body } = await one.send('GET', `${ROOT}/audit?address=198.51.100.4&per_page=50`, { headers })
    const found = body.entries.map(({ code, login }: Record<string, string>) => `${code} ${login}`)
    t.same(found.sort(), wanted.sort())
  }
})

t.test('what was scheduled is published by the one that writes, whoever is asked for it', async (t) => {
  const { body: event } = await create(writer, { ...EVENT, date_utc: '+1 hour' })
  t.equal(event.status, 'future')
  t.equal((await reader.send('GET', `${ROOT}/events/${event.id}`)).status, 403)
  const { db } = openFile(file)
  await db.write(async (tx) => {
    tx.run(`UPDATE posts SET date_utc = '2026-01-01 00:00:00' WHERE id = ${event.id}`)
    tx.run(
      `INSERT INTO changes (kind, record_id, operation, at_utc) VALUES ('event', ${event.id}, 'update', '2026-11-21 00:00:00')`,
    )
  })
  db.close()
  const from = await nameOf(writer)
  const shown = await reader.send('GET', `${ROOT}/events/${event.id}`)
  t.same([shown.status, shown.from], [200, from])
  const again = await reader.send('GET', `${ROOT}/events/${event.id}`)
  t.equal(again.text, shown.text)
  t.not(again.from, from, 'after which everyone answers again')
  t.notMatch(served.output(), /"level":[45]0/)
})

t.test('a client that goes away in its request, or is refused in it, leaves nothing behind', async (t) => {
  const from = await nameOf(reader)
  const total = async () => (await reader.send('GET', `${ROOT}/events`)).body.total
  const before = await total()
  const path = `${ROOT}/events`
  const another = await connectTo(port, (name) => name === from)
  const gone = another.begin('POST', path, { ...json, 'content-length': '100' })
  gone.on('error', () => {})
  await new Promise((resolve) => gone.write('{"title":"Half', resolve))
  t.equal((await create(reader, {})).status, 400) // passed on after it
  gone.destroy()

  const refused = reader.begin('POST', path, { authorization: 'Bearer no', 'content-length': '2000' })
  const reply = replyTo(refused)
  refused.write(Buffer.alloc(1000))
  t.equal((await reply).status, 401)
  refused.end(Buffer.alloc(1000))
  t.equal(await nameOf(reader), from, 'the connection goes on')
  t.equal(await total(), before)
  t.notMatch(served.output(), /"level":[56]0/)
})

t.test(
  'every process lets clients that ask first go on, and refuses the others before their bodies come',
  async (t) => {
    const body = JSON.stringify(EVENT)
    for (const by of (await connectAll(port, 3)).all) {
      const headers = { expect: '100-continue', 'content-type': 'application/json' }
      const length = String(body.length)
      const asked = by.begin('POST', `${ROOT}/events`, {
        ...headers,
        authorization,
        'content-length': length,
      })
      asked.flushHeaders()
      await once(asked, 'continue')
      asked.end(body)
      t.equal((await replyTo(asked)).status, 201)

      let wentOn = false
      const refused = by.begin('POST', `${ROOT}/media`, { ...headers, 'content-length': '10000000' })
      refused.on('continue', () => (wentOn = true))
      refused.flushHeaders()
      const { status, headers: told } = await replyTo(refused)
      t.match({ status, connection: told.connection }, { status: 401, connection: 'close' })
      t.notOk(wentOn)
      by.close()
    }
  },
)

t.test('the metrics of any process are the sum of all', async (t) => {
  const path = `${ROOT}/venues`
  for (const by of all) for (let n = 0; n < 3; n++) await by.send('GET', path)
  for (const by of all) await by.send('POST', path, { headers: json, body: '{"venue":"Hall"}' })
  const headers = { authorization: 'Bearer secret' }
  const texts = [await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()]
  for (const by of all) texts.push((await by.send('GET', '/metrics', { headers })).text)
  for (const text of texts) {
    t.match(text, /^almanac_http_requests_total\{method="GET",route="\/venues",status="200"\} 9$/m)
    t.match(text, /^almanac_http_requests_total\{method="POST",route="\/venues",status="201"\} 3$/m)
    t.match(text, /^almanac_info\{version="[\d.]+",role="single"\} 1$/m)
    t.match(text, /^almanac_writes_waiting 0$/m)
  }
  t.equal((await reader.send('GET', '/metrics')).status, 401)
})

t.test('a signal ends all in order: what runs is finished, also what is passed on', async (t) => {
  const body = JSON.stringify({ ...EVENT, title: 'Last' })
  const running = reader.begin('POST', `${ROOT}/events`, { ...json, 'content-length': String(body.length) })
  const reply = replyTo(running)
  running.flushHeaders()
  await new Promise((resolve) => running.write(body.slice(0, 10), resolve))
  t.equal((await writer.send('GET', '/healthz')).status, 200)
  const idle = readers[1]!
  const name = await nameOf(idle)
  served.child.kill('SIGTERM')
  while ((await nameOf(idle).catch(() => '')) === name); // until that process is on its way out
  running.end(body.slice(10))
  t.equal((await reply).status, 201)
  t.equal(await served.ended, 0)
  t.notMatch(served.output(), /taken anew/, 'workers that told their metrics have not told of a copy')
  t.notOk(existsSync(`${file}-wal`), 'all is in one file')
  t.same(readdirSync(temporary).filter(isOurs), [], 'and nothing is left of what they shared')
  const { db } = openFile(file)
  t.equal(db.rows<[number]>("SELECT count(*) FROM posts WHERE title = 'Last'")[0]![0], 1)
  db.close()
})
