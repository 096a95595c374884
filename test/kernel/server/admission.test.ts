import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { openConsistentReads } from '../../../src/calendar/records/operations.ts'
import { overloaded } from '../../../src/kernel/errors.ts'
import { admission, openAdmission } from '../../../src/kernel/server/connections.ts'
import { entrance } from '../../../src/kernel/server/plugins.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { until } from '../../support/until.ts'

/** A store whose lists are held until `release`; `begun` are the searches of those that were begun. */
function hold({ app }: Api) {
  const { lists } = app.store
  const { list } = lists
  const begun: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  lists.list = async (selection, page) => {
    begun.push(selection.search?.wanted.join() ?? '')
    await held
    return list(selection, page)
  }
  return { begun, release }
}
const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))

t.test(
  'a search of an address is in work, two hundred wait, more are refused, and others go on',
  async (t) => {
    const api = await build(t)
    await must(api.editor.post('/events', EVENT))
    const { begun, release } = hold(api)
    const ask = (search: string, remoteAddress: string) =>
      api.anonymous.get(`/events?search=${search}`, undefined, { remoteAddress })
    const flood = times(230, (at) => ask(`a${at}`, '10.0.0.1'))
    const refused = await Promise.race(flood)
    t.match(refused, {
      status: 503,
      body: { code: 'rest_overloaded', data: { status: 503, retry_after: 2 } },
      headers: { 'retry-after': '2' },
    })
    await until(() => begun.length === 1)
    const other = ask('b', '10.0.0.2')
    await until(() => begun.length === 2)
    t.equal(begun.at(-1), 'b', 'another address is let in beside them')
    t.equal((await api.anonymous.get('/events/1', undefined, { remoteAddress: '10.0.0.1' })).status, 200)
    release()
    t.equal((await other).status, 200)
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    t.equal(statuses.filter((status) => status === 200).length, 201)
    t.equal(statuses.filter((status) => status === 503).length, 29)
  },
)

t.test('two lists of an address are in work at a time, as each takes little', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', EVENT))
  const { begun, release } = hold(api)
  const asked = times(3, (at) => api.anonymous.get(`/events?per_page=${at + 1}`))
  await until(() => begun.length === 2)
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  t.equal(begun.length, 2)
  release()
  for (const { status } of await Promise.all(asked)) t.equal(status, 200)
})

/** A service that listens, whose searches are held, and how to ask for one over the network. */
async function listen(t: Test) {
  const api = await build(t)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const { begun, release } = hold(api)
  const open = (search: string) => {
    const sent = request({ host: '127.0.0.1', port, path: `${ROOT}/events?search=${search}` })
    sent.on('error', () => {})
    sent.end()
    return sent
  }
  return { api, begun, release, open }
}

t.test('a list whose client has left while it waited is not begun', async (t) => {
  const { api, begun, release, open } = await listen(t)
  const first = open('first')
  await until(() => begun.length === 1)
  let arrived = 0
  api.app.server.on('request', (_request, response) => {
    arrived++
    response.on('close', () => arrived--)
  })
  const leaving = times(3, () => open('left'))
  const staying = open('stayed')
  await until(() => arrived === 4)
  for (const one of leaving) one.destroy()
  await until(() => arrived === 1)
  const answers = [first, staying].map((one) => once(one, 'response'))
  release()
  for (const [answer] of await Promise.all(answers)) {
    t.equal(answer.statusCode, 200)
    answer.resume()
  }
  t.same(begun.slice(1), ['stayed'])
})

t.test('a list whose client has left while it was in work keeps its place until it ends', async (t) => {
  const { api, begun, release, open } = await listen(t)
  const closed = new Promise<void>((resolve) =>
    api.app.server.once('request', (_request, response) => response.on('close', resolve)),
  )
  const first = open('first')
  await until(() => begun.length === 1)
  first.destroy()
  await closed
  const second = open('second')
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.same(begun, ['first'])
  const answered = once(second, 'response')
  release()
  const [answer] = await answered
  t.equal(answer.statusCode, 200)
  answer.resume()
  t.same(begun, ['first', 'second'])
})

t.test('what is refused because too much is asked for is not tried again after a write', async (t) => {
  let seq = 0
  const changes = { latest: () => ({ seq: seq++ }) } as never
  let reads = 0
  await t.rejects(
    openConsistentReads(changes)({} as never, async () => {
      reads++
      throw overloaded()
    }),
    { code: 'rest_overloaded' },
  )
  t.equal(reads, 1)
})

/** Arrivals of requests by the names of their clients, and those that were begun. */
function arrive(connections?: () => number) {
  const begun: string[] = []
  const listener = openAdmission(
    ({ url }) => begun.push(url!),
    ({ url }) => url![0]!,
    connections,
  )
  return {
    begun,
    come(url: string, { method = 'GET', authorization }: { method?: string; authorization?: string } = {}) {
      const socket = { destroyed: false }
      listener({ url, socket, method, headers: { authorization } } as never, {} as never)
      return socket
    },
  }
}

t.test('a read is begun in the turn after its arrival, if its client is still there', async (t) => {
  const { begun, come } = arrive()
  come('a1')
  const left = come('a2')
  t.same(begun, [])
  await setImmediate()
  t.same(begun, [], 'whoever leaves at once is known only now')
  left.destroyed = true
  await setImmediate()
  t.same(begun, ['a1'])
})

t.test('while connections come, one request is begun in each turn', async (t) => {
  let connections = 0
  const { begun, come } = arrive(() => connections)
  for (let at = 1; at <= 12; at++) come(`a${at}`)
  await setImmediate()
  await setImmediate()
  t.same(begun, ['a1', 'a2', 'a3', 'a4'], 'four in each turn')
  connections++
  await setImmediate()
  t.same(begun.slice(4), ['a5'])
  connections += 2
  await setImmediate()
  t.same(begun.slice(5), ['a6'])
  await setImmediate()
  t.same(begun.slice(6), ['a7', 'a8', 'a9', 'a10'], 'nobody came')
})

t.test('of many that arrive together, each client has one before any has another', async (t) => {
  const { begun, come } = arrive()
  for (let at = 1; at <= 9; at++) come(`a${at}`)
  come('b1')
  come('b2')
  come('c1')
  await setImmediate()
  await setImmediate()
  t.same(begun, ['a1', 'b1', 'c1', 'a2'], 'four in each turn')
  await setImmediate()
  t.same(begun.slice(4), ['b2', 'a3', 'a4', 'a5'])
  await setImmediate()
  t.same(begun.slice(8), ['a6', 'a7', 'a8', 'a9'])
})

t.test('writes of those who say who they are do not wait, because they share a commit', async (t) => {
  const { begun, come } = arrive()
  for (let at = 1; at <= 4; at++) come(`a${at}`)
  come('b1', { method: 'POST' })
  come('c1', { method: 'GET', authorization: 'Bearer x' })
  come('d1', { method: 'HEAD', authorization: 'Bearer x' })
  come('e1', { method: 'POST', authorization: 'Bearer x' })
  come('e2', { method: 'DELETE', authorization: 'Bearer x' })
  t.same(begun, ['e1', 'e2'])
  await setImmediate()
  await setImmediate()
  t.same(begun.slice(2), ['a1', 'b1', 'c1', 'd1'])
  await setImmediate()
  t.same(begun.slice(6), ['a2', 'a3', 'a4'])
})

t.test('long work goes on once nobody connects any more, or after fifty turns', async (t) => {
  const app = Fastify()
    .register(entrance)
    .register(admission, { addressOf: () => '' })
  await app.ready()
  t.teardown(() => app.close())
  /** Lets somebody connect in each turn until long work goes on, at most so many; returns how many did. */
  async function connect(most: number) {
    let isCalm = false
    let came = 0
    const waiting = app.calm().then(() => {
      isCalm = true
    })
    while (!isCalm) {
      if (came < most) app.server.emit('connection', new Socket(), came++)
      await setImmediate()
    }
    await waiting
    return came
  }
  t.equal(await connect(0), 0)
  t.equal(await connect(7), 7)
  const came = await connect(1_000)
  t.ok(came >= 50 && came < 60, `${came} connected`)
})
