import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw } from '../../support/pictures.ts'

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

const MIB = 2 ** 20

/** A service that listens. `begin` sends bytes and keeps the connection: `answer` waits for words in what comes back. */
async function listenInParts(t: Test) {
  const api = await build(t)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const begin = (bytes: string | Buffer) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let said = ''
    let ended = false
    socket.on('data', (chunk) => (said += chunk))
    socket.on('end', () => (ended = true))
    socket.on('error', () => {})
    socket.write(bytes)
    t.teardown(() => socket.destroy())
    return {
      socket,
      ended: () => ended,
      said: () => said,
      async answer(pattern = /\r\n\r\n\{.*\}/s): Promise<string> {
        while (!pattern.test(said) && !socket.destroyed) await once(socket, 'data')
        return said
      },
    }
  }
  return { ...api, begin }
}
type Sent = { path?: string; method?: string; authorization?: string; length?: number; more?: string }
const head = ({ path = '/media', method = 'POST', authorization, length, more = '' }: Sent) =>
  [
    `${method} ${path.startsWith('//') ? path.slice(1) : ROOT + path} HTTP/1.1`,
    'Host: x',
    ...(authorization ? [`Authorization: ${authorization}`] : []),
    length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    `${more}${more.includes('Content-Type') ? '' : 'Content-Type: application/json\r\n'}\r\n`,
  ].join('\r\n')
const told = (answer: string) => `${answer.slice(9, 12)} ${/"code":"([\w-]+)"/.exec(answer)?.[1]}`

t.test(
  'who may not use a route is told so before a large body is sent, and the connection ends',
  async (t) => {
    const { begin, credentials, app } = await listenInParts(t)
    const { authorization } = credentials.subscriber
    const { token } = await app.store.tokens.add(credentials.editor.id, 'reads', ['read'], null)
    const reader = `Bearer ${token}`
    const FORM = 'Content-Type: multipart/form-data; boundary=b\r\n'
    const cases: [Sent, string][] = [
      [{ length: 10 * MIB }, '401 rest_forbidden'],
      [{ length: 1 }, '401 rest_forbidden'],
      [{}, '401 rest_forbidden'],
      [{ length: 10 * MIB, more: 'Content-Type: multipart/form-data; boundary=b\r\n' }, '401 rest_forbidden'],
      [{ length: 10 * MIB, authorization }, '403 rest_forbidden'],
      [{ length: 10 * MIB, authorization: reader }, '403 rest_forbidden'],
      [{ length: 10 * MIB, authorization: 'Bearer alm_wrong' }, '401 invalid_token'],
      [{ path: '/events', length: 65_537 }, '401 rest_forbidden'],
      [{ path: '/events', length: 8_193, more: FORM }, '401 rest_forbidden'],
      [{ path: '/events' }, '401 rest_forbidden'],
      [{ path: '/events/1', method: 'PATCH', length: MIB, authorization }, '403 rest_forbidden'],
      [{ path: '/tokens', length: MIB }, '401 rest_forbidden'],
      [{ path: '/events/1', method: 'DELETE', length: MIB }, '401 rest_forbidden'],
      [{ path: '//nowhere', length: 10 }, '404 rest_no_route'],
      [{ path: '/nowhere' }, '404 rest_no_route'],
      [{ path: '/events', method: 'OPTIONS', length: 2 * MIB }, '413 rest_payload_too_large'],
    ]
    for (const [sent, expected] of cases) {
      const { answer, socket, ended } = begin(head(sent))
      const said = await answer()
      t.equal(told(said), expected, JSON.stringify(sent))
      const isLong = sent.length === undefined || sent.length > 65_536
      t.equal(/\r\nconnection: close\r\n/i.test(said), isLong)
      if (isLong && !ended()) await once(socket, 'end')
    }
  },
)

t.test(
  'what is still sent after a refusal is thrown away for a moment, and then the line is cut',
  async (t) => {
    const { begin } = await listenInParts(t)
    const { answer, socket } = begin(head({ length: 10 * MIB }))
    t.equal(told(await answer()), '401 rest_forbidden')
    const cut = new Promise((resolve) => socket.on('close', resolve))
    const keepSending = () => {
      if (!socket.destroyed) socket.write(Buffer.alloc(1_000), () => setImmediate(keepSending))
    }
    keepSending()
    await cut
    t.ok(socket.destroyed)
  },
)

t.test('of many refused uploads only a few are read to their end', async (t) => {
  const { begin, app } = await listenInParts(t)
  const served: Socket[] = []
  app.server.on('connection', (socket) => served.push(socket))
  const length = 64 * MIB
  const uploads = Array.from({ length: 12 }, () => begin(head({ length })))
  for (const { answer } of uploads) t.equal(told(await answer()), '401 rest_forbidden')
  const ends = served.map((socket) => once(socket, 'close'))
  const part = Buffer.alloc(MIB)
  for (const { socket } of uploads) for (let at = 0; at < 32; at++) socket.write(part)
  await Promise.all(ends)
  const read = served.filter(({ bytesRead }) => bytesRead > MIB)
  t.equal(served.length, uploads.length)
  t.ok(read.length > 0 && read.length <= 4, `${read.length} were read`)
})

t.test('of small bodies the parameters come first, and the connection is kept', async (t) => {
  const { begin } = await listenInParts(t)
  const body = JSON.stringify({ title: 5 })
  const sent = head({ path: '/events', length: body.length }) + body
  const { answer } = begin(sent + sent)
  const said = await answer(/\}HTTP.*\}/s)
  t.equal(told(said), '400 rest_missing_callback_param')
  t.notMatch(said, /connection: close/i)
})

t.test('small bodies of who may not write are bounded as well', async (t) => {
  const { begin } = await listenInParts(t)
  const small = head({ path: '/events', length: 65_536 })
  const all = Array.from({ length: 257 }, () => begin(`${small}{`))
  t.equal(told(await firstOf(all)), '401 rest_forbidden')
  t.equal(all.filter(({ said }) => said() !== '').length, 1, 'one that was too many')
})

t.test('bodies of those who may are bounded by what they say, and by what comes', async (t) => {
  const { begin, credentials } = await listenInParts(t)
  const { authorization } = credentials.author
  const form = 'Content-Type: multipart/form-data; boundary=b\r\n'
  for (const sent of [
    { length: 10 * MIB + 1 },
    { length: 11 * MIB + 1, more: form },
    { path: '/events', length: MIB + 1 },
    { path: '/events', length: 2 * MIB + 1, more: form },
  ])
    t.equal(
      told(await begin(head({ authorization, ...sent })).answer()),
      '413 rest_payload_too_large',
      JSON.stringify(sent),
    )
  const untyped = head({ authorization, length: 1 }).replace(/Content-Type: .*\r\n/, '')
  t.equal(told(await begin(`${untyped}x`).answer()), '400 rest_invalid_param', 'a picture needs no type')
  const chunk = `${(MIB / 2).toString(16)}\r\n${'x'.repeat(MIB / 2)}\r\n`
  const chunked = begin(head({ authorization, path: '/events' }) + chunk.repeat(3))
  t.equal(told(await chunked.answer()), '413 rest_payload_too_large')
})

t.test('uploads at a time are bounded for a credential and for the process', async (t) => {
  const { begin, credentials, author } = await listenInParts(t)
  const upload = (who: 'author' | 'editor' | 'administrator') =>
    begin(head({ authorization: credentials[who].authorization, length: 10 * MIB }))
  const first = ['author', 'author', 'author', 'author'] as const
  const authors = first.map(upload)
  const refused = await firstOf(authors)
  t.match(refused, /^HTTP\/1.1 429 .*"code":"rest_rate_limited"/s)
  t.match(refused, /retry-after: 1\r\n/)
  const editors = first.map(() => upload('editor'))
  t.match(await firstOf(editors), /^HTTP\/1.1 429 /)
  t.match(await upload('administrator').answer(), /^HTTP\/1.1 503 .*"code":"rest_overloaded"/s)
  const open = [...authors, ...editors].filter(({ said }) => said() === '')
  t.equal(open.length, 6)
  t.match(await author.post('/events', EVENT), { status: 201 }, 'records have room of their own')
  for (const { socket } of open) socket.destroy()
  const bytes = await draw(20, 20)
  const headers = { 'content-type': 'image/png' }
  let status = 0
  while (status !== 201) ({ status } = await author.post('/media', bytes, { headers }))
  t.equal(status, 201, 'there is room again')
})

t.test('a client that asks first is told to go on, or refused without', async (t) => {
  const { begin, credentials } = await listenInParts(t)
  const { authorization } = credentials.author
  const more = 'Expect: 100-continue\r\nContent-Type: image/png\r\n'
  const bytes = await draw(20, 20)
  const { answer, socket } = begin(head({ authorization, length: bytes.length, more }))
  t.equal(await answer(/\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(bytes)
  t.match(await answer(/201 Created.*\}/s), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/)
  const refused = await begin(head({ length: bytes.length, more })).answer()
  t.match(refused, /^HTTP\/1.1 401 /)
  t.match(refused, /\r\nconnection: close\r\n/i)
})

/** What the first of these is told that gets an answer. */
const firstOf = (all: { answer(): Promise<string> }[]) => Promise.race(all.map(({ answer }) => answer()))
