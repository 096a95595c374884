import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { addLines, isFull, openLines, stopWhenFull } from '../../../src/kernel/server/connections.ts'
import { answerBrokenRequest } from '../../../src/kernel/server/errors.ts'
import { build, ROOT } from '../../support/app.ts'
import { listenOn } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Opens a connection, and sends bytes on it. */
function open(t: Test, port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // a reset is an end as well
  socket.write(bytes)
  t.teardown(() => socket.destroy())
  let text = ''
  return {
    socket,
    /** Reads until the service hangs up. */
    async read() {
      socket.on('data', (chunk) => (text += chunk))
      await once(socket, 'end')
      return text
    },
    async readUntil(many: number) {
      await until(() => statusesIn(text).length === many)
      return statusesIn(text)
    },
  }
}

/** A server with lines, and how many requests its parser found. */
async function listen(t: Test, lines: ReturnType<typeof openLines>, answer: RequestListener) {
  const server = createServer({ requireHostHeader: false })
  server.on('request', addLines(server, lines, answer))
  let found = 0
  server.on('request', () => found++)
  server.on('clientError', (error, socket) => answerBrokenRequest(error, socket as Socket))
  return { server, port: await listenOn(t, server), found: () => found }
}

async function listenApp(t: Test) {
  const api = await build(t)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  let found = 0
  api.app.server.on('request', () => found++)
  return { ...api, port: (api.app.server.address() as AddressInfo).port, found: () => found }
}

t.test('requests that do not wait for responses are answered in order, one at a time', async (t) => {
  const underWay = new Set<string>()
  let most = 0
  const { port } = await listen(t, openLines(), (request, response) => {
    underWay.add(request.url!)
    most = Math.max(most, underWay.size)
    setImmediate(() => {
      underWay.delete(request.url!)
      response.end(`${request.url} `)
    })
  })
  const paths = Array.from({ length: 30 }, (_, at) => `/${at}`)
  const sent = paths.map((path) => get(path, path === '/29' ? 'Connection: close\r\n' : '')).join('')
  const said = await open(t, port, sent).read()
  t.same(said.match(/^\/\d+/gm), paths)
  t.equal(most, 1)
})

t.test('of many requests at once, 33 are answered, and then the connection ends', async (t) => {
  const { port, found, anonymous } = await listenApp(t)
  const said = await open(t, port, get('/nowhere').repeat(20_000)).read()
  t.same(statusesIn(said), Array(33).fill(404))
  t.equal(said.match(/^connection: close\r$/gim)?.length, 1)
  t.equal(found(), 33, 'the parser finds no more')
  t.equal((await anonymous.get('/events')).status, 200)
})

t.test('of a connection that nobody reads, no more requests are parsed than may wait', async (t) => {
  const { port, found } = await listenApp(t)
  const { socket } = open(t, port, get(`${ROOT}/events`).repeat(20_000))
  await until(() => found() === 33)
  await once(socket.resume(), 'end')
  t.equal(found(), 33)
})

t.test('a client that sends a few requests at a time goes on for as long as it wants', async (t) => {
  const { port } = await listenApp(t)
  const { socket, read, readUntil } = open(t, port, '')
  const ended = read()
  for (let round = 1; round <= 20; round++) {
    socket.write(get(`${ROOT}/events`).repeat(30))
    t.same(await readUntil(round * 30), Array(round * 30).fill(200))
  }
  socket.end()
  await ended
})

t.test('what Node.js would answer by itself waits as well', async (t) => {
  const { port, found } = await listenApp(t)
  for (const [text, status] of [
    ['GET / HTTP/1.1\r\n\r\n', 400],
    [get('/', 'Expect: wonders\r\n'), 417],
  ] as const) {
    const before = found()
    const said = await open(t, port, text.repeat(2_000)).read()
    t.same(statusesIn(said), [status])
    t.ok(found() - before <= 33)
  }
  const old = await open(t, port, 'GET /healthz HTTP/1.0\r\n\r\n').read()
  t.same(statusesIn(old), [200], 'HTTP/1.0 knows no Host')
})

t.test('the requests that wait on all connections are bounded', async (t) => {
  const lines = openLines({ each: 10, all: 4 })
  const responses: ServerResponse[] = []
  const { port } = await listen(t, lines, (_request, response) => void responses.push(response))
  open(t, port, get('/').repeat(4))
  await until(() => lines.waiting() === 3)
  const { read } = open(t, port, get('/').repeat(9))
  await until(() => lines.waiting() === 4)
  await until(() => responses.length === 2)
  const said = read()
  responses[1]!.end()
  await until(() => responses.length === 3)
  t.equal(lines.waiting(), 3)
  responses[2]!.end()
  t.same(statusesIn(await said), [200, 200])
})

t.test('of all requests that waited, four go on in each turn of the event loop', async (t) => {
  let begun = 0
  const answer = openLines().inTurn(() => begun++)
  const responses = Array.from({ length: 10 }, () => {
    const socket = new EventEmitter()
    const response = Object.assign(new EventEmitter(), { socket: null })
    answer({ socket } as never, response as never)
    return response
  })
  for (const response of responses) response.emit('socket')
  t.equal(begun, 0)
  for (const all of [4, 8, 10]) {
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(begun, all)
  }
})

t.test('what waits is forgotten with its connection', async (t) => {
  const lines = openLines()
  const { port } = await listen(t, lines, () => {})
  const { socket } = open(t, port, get('/').repeat(5))
  await until(() => lines.waiting() === 4)
  socket.destroy()
  await until(() => lines.waiting() === 0)
})

t.test('a request is not answered if its connection ends when its turn comes', async (t) => {
  const lines = openLines()
  const asked: string[] = []
  const { port } = await listen(t, lines, ({ url, socket }, response) => {
    asked.push(url!)
    response.end()
    response.once('finish', () => socket.destroy())
  })
  await once(open(t, port, get('/1') + get('/2')).socket.resume(), 'close')
  t.same(asked, ['/1'])
  t.equal(lines.waiting(), 0)
})

t.test('a connection that sent too much is cut off if its responses take too long', async (t) => {
  const lines = openLines({ each: 1 })
  const { server, port } = await listen(t, lines, () => {})
  const { socket } = open(t, port, get('/').repeat(5))
  const [stopped] = (await once(server, 'clientError').then(([, socket]) => [socket])) as [Socket]
  t.ok(isFull(stopped))
  answerBrokenRequest(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), stopped)
  await once(socket.resume(), 'close')
  t.equal(socket.bytesRead, 0, 'nothing is written among the responses')
})

t.test('a parser that can not be stopped is let go on, and what it finds is ignored', async (t) => {
  for (const parser of [undefined, null, {}, { onIncoming: null }])
    t.doesNotThrow(() => stopWhenFull({ parser }, { waiting: 0, full: true }))
  const socket = Object.assign(new EventEmitter(), { destroyed: false })
  const lines = openLines({ each: 1 })
  let answered = 0
  const listener = lines.inTurn(() => answered++)
  const send = () => {
    const response = Object.assign(new EventEmitter(), { socket: null, setHeader: () => {} })
    listener({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse)
    return response
  }
  const [first, second] = [send(), send()]
  t.equal(lines.waiting(), 1)
  second.emit('socket')
  first.emit('socket')
  await until(() => answered === 1)
  t.equal(lines.waiting(), 0)
})
