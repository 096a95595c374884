import diagnostics from 'node:diagnostics_channel'
import type http from 'node:http'
import net from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { download } from '../../../src/calendar/media/pictures.ts'
import { isPublic, type Lookup } from '../../../src/kernel/outbound/requests.ts'
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
} from '../../support/pictures.ts'

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

const ADDRESSES = words(`
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0x0.0x0.0x1 0177.0.0.1 017700000001 127.0.0.1.
  127.255.255.254 %31%32%37.0.0.1 １２７。０。０。１ ①②⑦.0.0.1 0 0.0.0.0 0.1.2.3 10.0.0.1 0xa.1 10.255.255.255
  172.16.0.1 172.31.255.255 192.168.0.1 3232235521 0xc0a80001 169.254.169.254 2852039166 0xA9FEA9FE
  0251.0376.0251.0376 100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1
  203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
  [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::7f00:1] [::a9fe:a9fe] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [::ffff:a9fe:a9fe] [::ffff:0:127.0.0.1] [fe80::1] [febf::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1]
  [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:c0a8:1::1] [64:ff9b::127.0.0.1] [64:ff9b::a00:1]
  [64:ff9b:1::5db8:d822] [2001:0:7f00:1::a247:27dd] [2001:0:4136:e378:8000:63bf:80ff:fffe] [2001:db8::1]
  [2001:2::1] [100::1] [3fff::1] [4000::1] [5f00::1]`)

const PUBLIC = words(`
  93.184.216.34 8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.128.0.1 223.255.255.254 2606:4700::1111 2a00:1450::1
  ::ffff:93.184.216.34 64:ff9b::93.184.216.34 2002:5db8:d822::1 2001:0:4136:e378:8000:63bf:a247:27dd`)

t.test('hosts are allowed by name, by address and by block', async (t) => {
  const origin = await serve(t, (_request, response) => response.end())
  const port = new URL(origin).port
  const cases = `127.0.0.1 127.0.0.1, 127.0.0.1 2130706433, 127.0.0.1 pictures.test, 127.0.0.0/8 127.0.0.1,
    127.0.0.0/8 pictures.test, ::ffff:127.0.0.1 pictures.test, pictures.test pictures.test,
    Pictures.Test. PICTURES.test, pictures.test pictures.test.`.split(',')
  for (const [allow, host] of cases.map(words) as [string, string][]) {
    const url = `http://${host}:${port}/`
    t.equal(await refusal(url, { ...SAFE, allow: ['fd00::/8', allow] }), `not refused: ${new URL(url)}`, host)
  }
  for (const allow of words('127.0.0.2 10.0.0.0/8 test ictures.test ::1 fd00::/8 127.0.0.1/99 *')) {
    t.match(await refusal(`http://pictures.test:${port}/`, { ...SAFE, allow: [allow] }), NOT_ALLOWED, allow)
  }
  t.match(await refusal('http://[::1]:1/', { ...SAFE, allow: ['[::1]'] }), NOT_REACHABLE)
  t.match(await refusal(`http://localhost:${port}/`), NOT_ALLOWED, 'every address of a name must be allowed')
})

t.test(
  `what is not public is refused in every one of ${ADDRESSES.length} spellings, before a socket exists`,
  async (t) => {
    let sockets = 0
    const count = () => sockets++
    diagnostics.subscribe('net.client.socket', count)
    t.teardown(() => diagnostics.unsubscribe('net.client.socket', count))
    for (const host of ADDRESSES) t.match(await refusal(`http://${host}/`, SAFE), NOT_ALLOWED, host)
    t.equal(sockets, 0)
  },
)

t.test('every private IPv4 address is refused, plain or inside IPv6', async () => {
  const [ten, loopback, linkLocal, shared] = [0x0a000000, 0x7f000000, 0xa9fe0000, 0x64400000]
  const address = fc.tuple(fc.constantFrom(ten, loopback, linkLocal, shared), fc.nat(0xffff))
  const property = fc.asyncProperty(address, async ([block, offset]) => {
    const value = block + offset
    const hex = `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
    const plain = [
      value,
      `0x${value.toString(16)}`,
      `0${value.toString(8)}`,
      `${value >>> 24}.${value % 2 ** 24}`,
    ]
    const inside = [`[::${hex}]`, `[::ffff:${hex}]`, `[64:ff9b::${hex}]`, `[2002:${hex}::1]`]
    const reasons = await Promise.all([...plain, ...inside].map((host) => refusal(`http://${host}/`, SAFE)))
    return reasons.every((reason) => NOT_ALLOWED.test(reason))
  })
  await fc.assert(property)
})

t.test('names are refused when one of their addresses is, without telling it', async (t) => {
  const names = words(`private.test PRIVATE.test metadata.test loop.test zone.test mapped.test mixed.test
    mixed-last.test nonsense.test localhost`)
  for (const host of names) {
    const reason = await refusal(`https://${host}:8443/picture.png`, SAFE)
    t.match(reason, NOT_ALLOWED, host)
    t.notMatch(reason, /\d/)
  }
  t.match(await refusal('http://localhost:1/', { allow: [], userAgent: 'almanac-test' }), NOT_ALLOWED)
  t.match(await refusal('http://missing.test/'), NOT_REACHABLE)
  t.match(await refusal('http://empty.test/'), NOT_REACHABLE)
})

t.test('public addresses pass, also inside the IPv6 forms that carry IPv4', async (t) => {
  for (const address of PUBLIC) t.ok(isPublic(address), address)
  t.throws(() => isPublic('pictures.test'))
})

t.test('a name is looked up once for a connection, so that it cannot change its mind', async (t) => {
  const origin = await serve(t, (_request, response) => response.end('picture'))
  const answers = ['127.0.0.1', '10.0.0.1']
  const fickle: Lookup = (_hostname, _options, answer) =>
    answer(null, [{ address: answers.shift()!, family: 4 }])
  const url = origin.replace('127.0.0.1', 'fickle.test')
  t.match(await download(url, { ...LOCAL, lookup: fickle }), { url: `${url}/` })
  t.same(answers, ['10.0.0.1'])
  t.match(await refusal(url, { ...LOCAL, lookup: fickle }), NOT_ALLOWED)
})

t.test('it works where Node is told to try one address only', async (t) => {
  const origin = await serve(t, (_request, response) => response.end())
  net.setDefaultAutoSelectFamily(false)
  t.teardown(() => net.setDefaultAutoSelectFamily(true))
  t.match(await download(origin.replace('127.0.0.1', 'pictures.test'), LOCAL), { bytes: Buffer.alloc(0) })
  t.match(await refusal('http://private.test/'), NOT_ALLOWED)
})

t.test('a redirect is checked like the first URL', async (t) => {
  const byName = { ...SAFE, allow: ['pictures.test'] }
  let location = ''
  const server = await serve(t, (_request, response) => response.writeHead(302, { location }).end())
  const origin = server.replace('127.0.0.1', 'pictures.test')
  const hosts = ADDRESSES.filter((host) => /^[!-~]+$/.test(host))
  for (const host of [...hosts, 'private.test', 'mixed.test', 'localhost']) {
    location = `http://${host}/`
    t.match(await refusal(origin, byName), NOT_ALLOWED, location)
  }
  for (location of ['ftp://127.0.0.1/', 'http://a:b@pictures.test/', 'http://[', 'file:///etc/passwd']) {
    t.match(await refusal(origin, byName), NOT_A_URL, location)
  }
  location = server
  t.match(await refusal(origin, byName), NOT_ALLOWED, 'the same server by a name that is not allowed')
})
