import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSocketFolder } from '../../src/run/workers.ts'
import { type Connection, connectAll, connectTo, openConnection, replyTo } from '../support/connection.ts'
import { basicAuth, EVENT, ROOT } from '../support/given.ts'
import { freePort } from '../support/ports.ts'
import {
  addToken,
  firstPassword,
  killAfter,
  serveFile,
  serveMeasured,
  startMeasured,
} from '../support/process.ts'
import { until } from '../support/until.ts'

t.test(
  'the first start makes one user for all; a second signal ends all at once, and every worker',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const { port, child, ended, output } = await serveMeasured(t, file, { WORKERS: '2' })
    t.equal(output().match(/first-password/g)?.length, 1)
    const authorization = basicAuth('admin', firstPassword(file))
    const { all } = await connectAll(port, 2)
    for (const by of all) {
      const users = await by.send('GET', `${ROOT}/users`, { headers: { authorization } })
      t.match(users, { status: 200, body: { total: 1 } })
    }
    const running = all.map((by) => by.begin('POST', `${ROOT}/events`, { 'content-length': '9' }))
    const errors = running.map((request) => once(request, 'error'))
    await Promise.all(running.map((request) => new Promise((resolve) => request.write('{', resolve))))
    child.kill('SIGTERM')
    child.kill('SIGINT')
    t.equal(await ended, 1) // the workers write to the same output: it is closed when the last of them ends
    for (const [error] of await Promise.all(errors)) t.match(error.code, 'ECONNRESET')
  },
)

t.test('a signal that comes while workers start ends them as well', async (t) => {
  const { child, said, ended, output } = await startMeasured(t, join(t.testdir(), 'a.db'), { WORKERS: '2' })
  await said(/Server listening/)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
  t.notMatch(output(), /answers at|could not start/)
})

t.test('where a worker can not start, nothing is left running', async (t) => {
  const port = await freePort()
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const env = { WORKERS: '2', PORT: String(port) }
  const { ended, output } = await startMeasured(t, join(t.testdir(), 'a.db'), env)
  t.equal(await ended, 1)
  t.match(output(), /^almanac: .*EADDRINUSE.*\nalmanac: a worker could not start\n$/)
})

t.test('a worker that is killed in the first start is started again', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { child, said, ended, port } = await startMeasured(t, file, { WORKERS: '2' })
  const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const first = await until(() => Number.parseInt(children(), 10))
  process.kill(first, 'SIGKILL')
  await said(/a worker ended; another takes its place/)
  await said(/Almanac answers at/)
  await connectAll(port, 2)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})

t.test('what a process has not accepted, another one accepts', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { port, child, ended, said, output } = await serveMeasured(t, file, { WORKERS: '2' })
  const { readers } = await connectAll(port, 2)
  const { from } = await readers[0]!.send('GET', `${ROOT}/events/99`)
  const line = new RegExp(`"pid":(\\d+),"hostname":"[^"]*","reqId":"${from}-`)
  await said(line)
  const stopped = Number(line.exec(output())![1])
  process.kill(stopped, 'SIGSTOP')
  const ask = async () => {
    const connection = openConnection(port)
    const reply = await connection.send('GET', `${ROOT}/events`)
    connection.close()
    return [reply.status, reply.from === from]
  }
  const replies = await Promise.all(Array.from({ length: 40 }, ask))
  t.same(replies, Array(40).fill([200, false]))
  process.kill(stopped, 'SIGKILL')
  await said(/a worker ended; another takes its place/)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})

/** A folder whose path is short enough for sockets. */
function shortDir(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'a-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}
const foldersIn = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('almanac-'))

t.test(
  'a first process that is killed leaves no worker behind, and its folder to the next start',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const tmp = shortDir(t)
    const env = { WORKERS: '2', TMPDIR: tmp }
    const killed = await serveFile(file, env)
    killAfter(t, killed)
    const [first, ...others] = foldersIn(tmp)
    t.same(others, [])
    t.equal(statSync(join(tmp, first!)).mode & 0o777, 0o700)
    killed.child.kill('SIGKILL')
    await killed.ended // the workers write to the same output: it is closed when the last of them ends
    t.same(foldersIn(tmp), [first])

    const next = await serveFile(file, env)
    killAfter(t, next)
    const [second, ...more] = foldersIn(tmp)
    t.not(second, first)
    t.same(more, [])
    const beside = await openSocketFolder(tmp)
    t.equal(foldersIn(tmp).length, 2, 'that of a service that runs is left alone')
    next.child.kill('SIGTERM')
    t.equal(await next.ended, 0)
    t.same(
      foldersIn(tmp).map((name) => join(tmp, name)),
      [beside],
    )
  },
)

t.test('only what is surely abandoned is removed', async (t) => {
  const dir = shortDir(t)
  const kept = ['almanac-workers-empty', 'almanac-workers-file', 'almanac-workers-link', 'elsewhere', 'other']
  mkdirSync(join(dir, 'almanac-workers-empty'))
  for (const name of ['elsewhere', 'other']) mkdirSync(join(dir, name))
  writeFileSync(join(dir, 'almanac-workers-file'), '')
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'almanac-workers-link'))
  mkdirSync(join(dir, 'almanac-workers-dead'))
  const ended = createServer().listen(join(dir, 'almanac-workers-dead', 'making'))
  await once(ended, 'listening')
  // under another name its socket stays when it ends, as that of a process that is killed does
  renameSync(join(dir, 'almanac-workers-dead', 'making'), join(dir, 'almanac-workers-dead', 'alive'))
  await new Promise((resolve) => ended.close(resolve))
  const first = await openSocketFolder(dir)
  const second = await openSocketFolder(dir)
  t.same(
    readdirSync(dir).map((name) => join(dir, name)),
    [...kept.map((name) => join(dir, name)), first, second].sort(),
  )
  t.same(readdirSync(first), ['alive'])
})

t.test('where nothing can be made, the start says so', async (t) => {
  const file = join(shortDir(t), 'file')
  writeFileSync(file, '')
  await t.rejects(openSocketFolder(file), { code: 'ENOTDIR' })
  await t.rejects(openSocketFolder(`/tmp/${'x'.repeat(80)}`), {
    message: /^TMPDIR is too long for the path of a socket, 103 bytes: \/tmp\/x+$/,
    unusable: true,
  })
})

const nameOf = async (by: Connection) => (await by.send('GET', '/healthz')).from

t.test('a worker that ends is replaced, and takes nobody with it', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const json = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify(EVENT)
  const served = await serveMeasured(t, file, { WORKERS: '2', STOP_TIMEOUT: '1', CHECK: 'on' })
  const { port, child, output, said } = served
  /** The process of this name, as the log tells it, once it has answered something that is logged. */
  const pidOf = async (by: Connection) => {
    const { from } = await by.send('GET', `${ROOT}/events/99`)
    const line = new RegExp(`"pid":(\\d+),"hostname":"[^"]*","reqId":"${from}-`)
    await said(line)
    return Number(line.exec(output())![1])
  }
  const create = (by: Connection) => by.send('POST', `${ROOT}/events`, { headers: json, body })
  const first = await connectAll(port, 2)
  const lost = await pidOf(first.readers[0]!)
  process.kill(lost, 'SIGKILL')
  t.equal((await create(first.writer)).status, 201, 'the others go on')
  await said(new RegExp(`"level":50.*"worker":${lost}.*a worker ended; another takes its place`))
  await said(/(Server listening[\s\S]*){3}/)

  const { writer, readers } = await connectAll(port, 2)
  const [reader] = readers as [Connection]
  const name = await nameOf(reader)
  const another = await connectTo(port, (from) => from === name)
  const running = another.begin('POST', `${ROOT}/events`, { ...json, 'content-length': String(body.length) })
  const unanswered = replyTo(running)
  await new Promise((resolve) => running.write(body.slice(0, 10), resolve))
  t.equal((await reader.send('DELETE', `${ROOT}/events/99`, { headers: json })).status, 404)
  const killed = await pidOf(writer)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(killed, signal)
  t.equal((await create(writer)).status, 201, 'signals are for the process that started it')
  process.kill(killed, 'SIGKILL')
  t.match(await unanswered, {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'rest_not_ready', message: /nothing was written/ },
  })
  t.match(await create(reader), {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'rest_not_ready', data: { status: 503, retry_after: 1 } },
  })
  for (const headers of [undefined, { authorization }]) {
    const read = await reader.send('GET', `${ROOT}/events`, headers && { headers })
    t.same([read.status, read.body.total], [200, 2], 'reads go on')
  }
  await said(/(Server listening[\s\S]*){4}/)
  t.equal((await create(reader)).status, 201)
  t.equal(await nameOf(reader), name)
  const now = await connectAll(port, 2)
  for (const by of now.all) t.equal((await by.send('GET', `${ROOT}/events`)).body.total, 3)

  process.kill(await pidOf(now.writer), 'SIGSTOP')
  child.kill('SIGTERM')
  t.equal(await served.ended, 0, 'one that hears nothing is not waited for')
})
