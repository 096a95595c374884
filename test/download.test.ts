import type http from 'node:http'
import t from 'tap'
import { download } from '../src/media/download.ts'
import {
  LOCAL,
  NOT_A_URL,
  NOT_ALLOWED,
  NOT_REACHABLE,
  refusal,
  SAFE,
  serve,
  serveRaw,
  words,
} from './support/download.ts'

const BROKEN_OFF = /^The server closed the connection/
const TOO_SLOW = /^The download took too long/
const TOO_LARGE = /^The file is too large/

t.test('a file is fetched from a host that is allowed, and from no other', async (t) => {
  const requests: http.IncomingHttpHeaders[] = []
  const origin = await serve(t, (request, response) => {
    requests.push(request.headers)
    response.end('picture')
  })
  const expected = { bytes: Buffer.from('picture'), url: `${origin}/a%20b.png?c` }
  t.same(await download(`${origin}/a b.png?c`, LOCAL), expected)
  t.match(await refusal(origin, SAFE), NOT_ALLOWED)
  const common = { accept: 'image/*', 'accept-encoding': 'identity', connection: 'close' }
  t.same(requests, [{ ...common, host: origin.slice(7), 'user-agent': 'almanac-test' }])
})

t.test('only http and https URLs without a password are taken', async (t) => {
  const urls = words(`poster.jpg /poster.jpg //127.0.0.1/a ftp://127.0.0.1/a file:///etc/passwd
    data:image/png;base64,AA gopher://127.0.0.1/ http:// http://[::1 http://[fe80::1%25lo]/ http://256.0.0.1/
    http://a@127.0.0.1/ http://a:b@127.0.0.1/ http://:b@127.0.0.1/`)
  for (const url of ['', ...urls]) t.match(await refusal(url), NOT_A_URL, url)
})

t.test('redirects are followed five times', async (t) => {
  const origin = await serve(t, (request, response) => {
    const [, status, left] = request.url!.split('/').map(Number)
    if (left === 0) return response.end('picture')
    response.writeHead(status!, { location: `/${status}/${left! - 1}` }).end('elsewhere')
  })
  for (const status of [301, 302, 303, 307, 308]) {
    const expected = { bytes: Buffer.from('picture'), url: `${origin}/${status}/0` }
    t.same(await download(`${origin}/${status}/5`, LOCAL), expected)
  }
  t.match(await refusal(`${origin}/302/6`), /^The server redirects more than 5 times/)
  t.match(await refusal(`${origin}/302/Infinity`), /^The server redirects more than 5 times/)
  t.match(await refusal(`${origin}/302/1`, { ...LOCAL, maxRedirects: 0 }), /more than 0 times/)
  t.match(await refusal(`${origin}/304/1`), /^The server returned status 304/)
})

t.test('any other answer than 200 is refused by its status', async (t) => {
  const origin = await serve(t, (request, response) =>
    response.writeHead(Number(request.url!.slice(1))).end('secret'),
  )
  for (const status of [201, 204, 206, 300, 302, 304, 401, 403, 404, 410, 500, 503]) {
    t.equal(await refusal(`${origin}/${status}`), `The server returned status ${status} instead of 200.`)
  }
})

t.test('a file over the limit is refused, announced or not', async (t) => {
  const origin = await serve(t, (request, response) => {
    if (request.url === '/exact') return response.end(Buffer.alloc(1000))
    if (request.url === '/announced')
      return response.writeHead(200, { 'content-length': '11000000' }).write('a')
    const timer = setInterval(() => response.write(Buffer.alloc(400)), 1)
    response.on('close', () => clearInterval(timer))
  })
  const small = { ...LOCAL, maxBytes: 1000 }
  t.match(await download(`${origin}/exact`, small), { bytes: Buffer.alloc(1000) })
  t.match(await refusal(`${origin}/endless`, small), TOO_LARGE)
  t.match(await refusal(`${origin}/announced`), /^The file is too large; the limit is 10485760 bytes/)
})

t.test('one deadline holds for lookup, headers, trickle and redirects together', async (t) => {
  const origin = await serve(t, (request, response) => {
    if (request.url === '/silent') return
    if (request.url === '/redirects')
      return setTimeout(() => response.writeHead(302, { location: '/redirects' }).end(), 60)
    const timer = setInterval(() => response.write('a'), 10)
    response.on('close', () => clearInterval(timer))
  })
  const hurried = { ...LOCAL, timeoutMs: 150 }
  for (const path of ['silent', 'redirects', 'trickle'])
    t.match(await refusal(`${origin}/${path}`, hurried), TOO_SLOW, path)
  t.match(await refusal('http://never.test/', { ...hurried, lookup: () => {} }), TOO_SLOW)
})

t.test('answers that are not whole or not HTTP are refused', async (t) => {
  const answers: [raw: string, expected: RegExp][] = [
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', BROKEN_OFF],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc', BROKEN_OFF],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz', BROKEN_OFF],
    ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc', NOT_REACHABLE],
    [`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\nabc`, NOT_REACHABLE],
    ['HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', NOT_REACHABLE],
    ['SSH-2.0-OpenSSH\r\n', NOT_REACHABLE],
    ['', NOT_REACHABLE],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef', /^not refused/],
    ['HTTP/1.0 200 OK\r\n\r\nabc', /^not refused/],
  ]
  for (const [raw, expected] of answers) {
    const origin = await serveRaw(t, (socket) => socket.once('data', () => socket.end(raw)))
    t.match(await refusal(origin), expected, raw.slice(0, 80))
  }
})

t.test('https to a plain port, and a port where nobody listens, are not reachable', async (t) => {
  const origin = await serve(t, (_request, response) => response.end())
  t.match(await refusal(origin.replace('http:', 'https:')), NOT_REACHABLE)
  t.match(await refusal('http://127.0.0.1:1/'), NOT_REACHABLE)
})
