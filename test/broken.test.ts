import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { build, ROOT } from './support/app.ts'

/** A service that listens, and what it says to raw bytes until it hangs up. */
async function listen(t: Test) {
  const api = await build(t)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const say = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('error', () => {}) // a reset is an end as well
    socket.write(text)
    await once(socket, 'close')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { answer, status: Number(head.split(' ')[1]), head, body }
  }
  return { ...api, say, port }
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`

t.test('what is not HTTP is answered in the shape of every error, and then the line is cut', async (t) => {
  const { say } = await listen(t)
  for (const text of [
    'SSH-2.0-OpenSSH\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
    'GET\r\n\r\n',
    `GET ${ROOT}/events HTTP/9.9\r\n\r\n`,
    `DANCE ${ROOT}/events HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET ${ROOT}/events HTTP/1.1\r\nHost x\r\n\r\n`,
    `GET ${ROOT}/events HTTP/1.1\r\nHo\0st: x\r\n\r\n`,
    `POST ${ROOT}/events HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    `POST ${ROOT}/events HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    `POST ${ROOT}/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  ]) {
    const { status, head, body } = await say(text)
    t.equal(status, 400, JSON.stringify(text))
    t.match(head, /^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application\/json/)
    t.match(JSON.parse(body), { code: 'rest_bad_request', data: { status: 400 } })
  }
})

t.test('headers beyond 16 KiB are 431', async (t) => {
  const { say } = await listen(t)
  t.equal((await say(get(`${ROOT}/events`, `X-Long: ${'x'.repeat(15_000)}\r\n`))).status, 200)
  for (const text of [
    get(`${ROOT}/events`, `X-Long: ${'x'.repeat(17_000)}\r\n`),
    get(`${ROOT}/events`, 'X-Many: one of many\r\n'.repeat(1_200)),
    get(`${ROOT}/events?search=${'x'.repeat(17_000)}`),
  ]) {
    const { status, body } = await say(text)
    t.equal(status, 431)
    t.same(JSON.parse(body), {
      code: 'rest_headers_too_large',
      message: 'The headers are too large. The limit is 16 KiB.',
      data: { status: 431 },
    })
  }
})

t.test('addresses that can not be decoded, and paths that climb, lead nowhere', async (t) => {
  const { say } = await listen(t)
  for (const [path, expected] of [
    ['/%zz', 400],
    [`${ROOT}/events/by-slug/%ff`, 400],
    ['/../../etc/passwd', 404],
    ['/media/../../package.json', 404],
    ['/media/%2e%2e/%2e%2e/package.json', 404],
    ['/media/..%2f..%2fpackage.json', 404],
    [`${ROOT}/doc/static/..%2f..%2fpackage.json`, 404],
    [`${ROOT}/doc/static/%2e%2e/package.json`, 404],
    [`${ROOT}/doc/static/`, 404],
    ['/-site/media/x', 404],
    ['//evil.test/x', 404],
    ['http://evil.test/x', 404],
    [`/media/${'a/'.repeat(2_000)}`, 404],
    [`${ROOT}/events/${'9'.repeat(3_000)}`, 404],
    [`${ROOT}/events/by-slug/${'x'.repeat(5_000)}`, 404],
  ] as const) {
    const { status, head, body } = await say(get(path))
    t.equal(status, expected, path.slice(0, 60))
    t.match(head, /content-type: application\/json/i)
    t.ok(JSON.parse(body).code)
    t.notMatch(body, /node_modules|almanac"|\/tmp|root:/)
  }
})

t.test('a client that dawdles is told so and cut off', async (t) => {
  const { app, say } = await listen(t)
  t.equal(app.server.headersTimeout, 10_000)
  t.equal(app.server.requestTimeout, 120_000)
  t.equal(app.server.timeout, 60_000)
  app.server.headersTimeout = 1
  app.server.requestTimeout = 1
  const post = `POST ${ROOT}/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`
  for (const { status, body } of await Promise.all([say('GET / HT'), say(post)])) {
    t.equal(status, 408)
    t.match(JSON.parse(body), { code: 'rest_request_timeout', data: { status: 408 } })
  }
})

t.test('who hangs up early leaves the service as it was', async (t) => {
  const { app, port, anonymous } = await listen(t)
  for (const text of [
    '',
    'GET',
    get('/'),
    `POST ${ROOT}/events HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{`,
  ]) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(text)
    socket.resetAndDestroy()
    await once(socket, 'close')
  }
  t.equal((await anonymous.get('/events')).status, 200)
  t.ok(app.server.listening)
})

t.test('a body that is not as long as it says is 400', async (t) => {
  const { anonymous } = await build(t)
  for (const [body, headers] of [
    ['{}', { 'content-type': 'application/json', 'content-length': '3' }],
    ['{"title":', { 'content-type': 'application/json' }],
    ['x', { 'content-type': 'multipart/form-data' }],
    ['x', { 'content-type': 'multipart/form-data; boundary=b' }],
  ] as [string, Record<string, string>][]) {
    const { status, body: answer } = await anonymous.post('/events', body, { headers })
    t.equal(status, 400, JSON.stringify(headers))
    t.ok(answer.code)
  }
})
