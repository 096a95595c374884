import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { findExcess, openWatch } from '../../../src/kernel/server/connections.ts'
import { openWarnings } from '../../../src/kernel/server/log.ts'
import { build } from '../../support/app.ts'
import { listenOn } from '../../support/ports.ts'

const MEBIBYTE = 2 ** 20
/** More than the buffers of two sockets of the system take. */
const LONG = Buffer.alloc(32 * MEBIBYTE)

/** A connection of which only this is asked for. */
const waits = (remoteAddress: string, writableLength: number) => ({ remoteAddress, writableLength }) as Socket
const namesOf = (excess: ReturnType<typeof findExcess>) =>
  excess.map(({ socket, bytes }) => `${socket.remoteAddress} ${bytes}`)

t.test('the address for which the most bytes wait loses its connections first, the longest first', (t) => {
  const sockets = [
    waits('192.0.2.1', 50),
    waits('192.0.2.2', 30),
    waits('192.0.2.2', 40),
    waits('192.0.2.3', 0),
    waits('2001:db8::1', 20),
    waits('2001:db8::2', 20),
  ]
  t.same(namesOf(findExcess(sockets, 160)), [])
  t.same(namesOf(findExcess(sockets, 159)), ['192.0.2.2 40'])
  t.same(namesOf(findExcess(sockets, 119)), ['192.0.2.2 40', '192.0.2.2 30'])
  t.same(namesOf(findExcess(sockets, 80)), ['192.0.2.2 40', '192.0.2.2 30', '192.0.2.1 50'])
  t.same(namesOf(findExcess(sockets, 10)), [
    ...['192.0.2.2 40', '192.0.2.2 30', '192.0.2.1 50'],
    ...['2001:db8::1 20', '2001:db8::2 20'],
  ])
  t.end()
})

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

async function listen(t: Test, most: number) {
  const warned: unknown[] = []
  const log = { warn: (details: object) => warned.push(details) }
  const server = createServer((_request, response) => response.end(LONG))
  const warnings = openWarnings()
  openWatch(log as never, { warnings, most, every: 1 })(server)
  t.teardown(() => warnings.close())
  const port = await listenOn(t, server)
  return {
    warned,
    server,
    ask() {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}) // a reset is an end as well
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      t.teardown(() => socket.destroy())
      return socket
    },
  }
}

t.test('a client that reads gets all of a response that is longer than what may wait', async (t) => {
  const { ask } = await listen(t, LONG.length + MEBIBYTE)
  let read = 0
  const socket = ask().on('data', ({ length }) => {
    read += length
  })
  await once(socket, 'end')
  t.ok(read > LONG.length)
})

t.test('connections whose clients do not read are closed, and the operator is told', async (t) => {
  const { ask, warned, server } = await listen(t, 40 * MEBIBYTE)
  const closed = new Promise<void>((resolve) => {
    let left = 2
    server.on('connection', (socket) => socket.once('close', () => --left === 0 && resolve()))
  })
  for (let at = 0; at < 3; at++) ask()
  await closed // one fits
  t.equal(await connectionsOf(server), 1)
  t.match(warned[0], { connections: Number, bytes: Number, times: 1 })
})

t.test('the service watches what its clients leave unread', async (t) => {
  const { app } = await build(t)
  t.type(app.watchSlowReaders, 'function')
  t.ok(app.server.listenerCount('connection') > 1)
})
