import { join } from 'node:path'
import t from 'tap'
import { EVENT, ROOT } from './support/app.ts'
import { type Connection, connectAll, connectTo, replyTo } from './support/connection.ts'
import { addToken, serveMeasured } from './support/process.ts'

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
