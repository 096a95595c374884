import diagnostics from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import t from 'tap'
import { type Lookup, type PostOptions, post } from '../../../src/kernel/outbound/requests.ts'
import { LOCAL, SAFE, serve, serveRaw, words } from '../../support/pictures.ts'

const WHAT = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"ä":1}') }
const local: PostOptions = { ...WHAT, allow: ['127.0.0.1'] }
const send = (url: string, more: Partial<PostOptions> = {}) => post(new URL(url), { ...local, ...more })
const NOT_ALLOWED = { failure: /^The host of the URL is not allowed/ }

t.test('a body is sent as it is, and any answer is returned with the beginning of its body', async (t) => {
  const got: [IncomingHttpHeaders, string][] = []
  const origin = await serve(t, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    got.push([request.headers, text])
    response.writeHead(418, { 'retry-after': '7' }).end(`a\u0000b\r\nc\rd\te\u202ef${'x'.repeat(5_000)}`)
  })
  t.same(await send(origin), {
    status: 418,
    retryAfter: '7',
    text: `ab\nc\nd\tef${'x'.repeat(1024 - 14)}`,
  })
  t.match(got, [
    [{ 'content-length': '8', connection: 'close', 'content-type': 'application/json' }, '{"ä":1}'],
  ])
})

t.test('a redirect is an answer like others: it is not followed', async (t) => {
  const paths: string[] = []
  const origin = await serve(t, (request, response) => {
    paths.push(request.url!)
    response.writeHead(308, { location: '/inward' }).end()
  })
  t.match(await send(`${origin}/hook`), { status: 308, text: '' })
  t.same(paths, ['/hook'])
})

t.test('banned addresses are refused before a socket exists', async (t) => {
  let sockets = 0
  const count = () => sockets++
  diagnostics.subscribe('net.client.socket', count)
  t.teardown(() => diagnostics.unsubscribe('net.client.socket', count))
  const hosts =
    words(`127.0.0.1 2130706433 0x7f.1 10.0.0.1 192.168.0.1 169.254.169.254 [::1] [::ffff:7f00:1] [fd00::1]
    private.test metadata.test loop.test mixed.test mixed-last.test localhost`)
  const { lookup } = SAFE as { lookup: Lookup }
  for (const host of hosts)
    t.match(await send(`https://${host}/hook`, { allow: [], lookup }), NOT_ALLOWED, host)
  t.equal(sockets, 0)
})

t.test('a name that means another address at the second try is refused then', async (t) => {
  const origin = await serve(t, (_request, response) => response.end('yes'))
  const answers = ['127.0.0.1', '10.0.0.1']
  const lookup: Lookup = (_name, _options, answer) => answer(null, [{ address: answers.shift()!, family: 4 }])
  const url = origin.replace('127.0.0.1', 'fickle.test')
  t.match(await send(url, { lookup }), { status: 200, text: 'yes' })
  t.match(await send(url, { lookup }), NOT_ALLOWED)
})

t.test('who does not answer in time has failed, and who answers slowly has not', async (t) => {
  const held: Socket[] = []
  const silent = await serveRaw(t, (socket) => held.push(socket.resume()))
  t.same(await send(silent, { timeoutMs: 50 }), { failure: 'The server did not answer within 0.05 seconds.' })
  const slow = await serveRaw(t, (socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'))
  })
  // on a busy machine even the first half takes its time
  const half = async (timeoutMs: number): ReturnType<typeof send> => {
    const answer = await send(slow, { timeoutMs })
    return 'failure' in answer && timeoutMs < 60_000 ? half(2 * timeoutMs) : answer
  }
  t.same(await half(50), { status: 200, retryAfter: undefined, text: 'half' })
})

t.test('an endless answer is read to the first kilobyte', async (t) => {
  const origin = await serve(t, (_request, response) => {
    const more = () => response.write('y'.repeat(10_000), (error) => !error && more())
    more()
  })
  t.same(await send(origin), { status: 200, retryAfter: undefined, text: 'y'.repeat(1024) })
})

t.test('who hangs up, or is not there, is told in words', async (t) => {
  const rude = await serveRaw(t, (socket) => socket.once('data', () => socket.destroy()))
  t.match(await send(rude), { failure: /^The server can not be reached: ECONNRESET\.$/ })
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'
  const odd = await serveRaw(t, (socket) => socket.once('data', () => socket.end(switching)))
  t.same(await send(odd), { failure: 'The server closed the connection without an answer.' })
  t.same(await send('http://127.0.0.1:1/'), { failure: 'The server can not be reached: ECONNREFUSED.' })
  const { lookup } = LOCAL as { lookup: Lookup }
  t.same(await send('http://missing.test/', { lookup }), {
    failure: 'The server can not be reached: ENOTFOUND.',
  })
})

t.test('a try ends when the service stops', async (t) => {
  const stop = new AbortController()
  const silent = await serveRaw(t, (socket) => socket.once('data', () => stop.abort()))
  t.same(await send(silent, { signal: stop.signal }), {
    failure: 'The service stopped before the server had answered.',
  })
})
