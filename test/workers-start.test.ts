import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from './support/app.ts'
import { connectAll } from './support/connection.ts'
import { firstPassword, freePort, serveFile, startMeasured } from './support/process.ts'

t.test('the first start makes one user for all; a second signal ends all at once', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { port, child, ended, output } = await serveFile(file, { WORKERS: '2' })
  t.equal(output().match(/first-password/g)?.length, 1)
  const authorization = `Basic ${btoa(`admin:${firstPassword(file)}`)}`
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
  t.equal(await ended, 1)
  for (const [error] of await Promise.all(errors)) t.match(error.code, 'ECONNRESET')
})

t.test('a second signal leaves no worker behind', async (t) => {
  const { child, said, ended } = await startMeasured(t, join(t.testdir(), 'a.db'), { WORKERS: '2' })
  await said(/answers at/)
  child.kill('SIGTERM')
  child.kill('SIGINT')
  t.equal(await ended, 1)
})

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
