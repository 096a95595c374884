import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { networksOf } from '../../src/kernel/rate-limits.ts'
import { openFairSemaphore, openSemaphore } from '../../src/kernel/tasks/semaphore.ts'
import { must, refusal } from '../support/answers.ts'
import { type Api, basicAuth, build, EVENT, ROOT } from '../support/app.ts'

// a minute lasts as long as the tests, on machines of every speed
mock.timers.enable({ apis: ['Date'], now: Date.now() })
t.teardown(() => mock.timers.reset())

const LIMITS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const
const limitsOf = (headers: Record<string, string>) => LIMITS.map((name) => headers[name])

/** The status of a read from this address, with these headers. */
const from = async ({ anonymous }: Api, remoteAddress: string, headers = {}) =>
  (await anonymous.get('/events', undefined, { remoteAddress, headers })).status

t.test('neither reads nor writes have a limit unless one is set, and then all say so', async (t) => {
  for (const [env, ...told] of [
    [{}, [], [], []],
    [{ RATE_LIMIT: '600' }, ['600', '599', '60'], ['600', '598', '60'], ['600', '599', '60']],
  ] as const) {
    const { anonymous, editor } = await build(t, { env, fresh: true })
    const first = await editor.post('/events', EVENT)
    const second = await editor.patch(`/events/${first.body.id}`, {})
    const answers = [first, second, await anonymous.get('/events')]
    t.same(
      answers.map(({ headers }) => limitsOf(headers).filter(Boolean)),
      told,
    )
    const other = await anonymous.send({ method: 'OPTIONS', url: `${ROOT}/events` })
    t.equal(limitsOf(other.headers).some(Boolean), told[0].length > 0, 'other methods as well')
  }
})

t.test('who asks too often is told when to come back', async (t) => {
  const api = await build(t, { env: { RATE_LIMIT: '3' } })
  for (const left of ['2', '1', '0']) {
    const { status, headers } = await api.anonymous.get('/events')
    t.same([status, headers['ratelimit-remaining']], [200, left])
  }
  const { status, body, headers } = await api.anonymous.get('/events')
  t.equal(status, 429)
  t.equal(headers['retry-after'], '60')
  t.match(limitsOf(headers), ['3', '0', '60'])
  t.same(body, {
    code: 'rest_rate_limited',
    message: 'Too many requests; try again in 60 seconds.',
    data: { status: 429, retry_after: 60 },
  })
  t.equal((await api.anonymous.get('/venues')).status, 429, 'all addresses count together')
  t.equal((await api.anonymous.post('/events', EVENT)).status, 429)
  mock.timers.tick(59_000)
  t.equal((await api.anonymous.get('/venues')).headers['retry-after'], '1')
  mock.timers.tick(1_000)
  t.equal((await api.anonymous.get('/venues')).headers['ratelimit-remaining'], '2')
})

t.test('each credential has its own limit, and each address without one', async (t) => {
  const api = await build(t, { env: { RATE_LIMIT: '1' } })
  const { authorization, id } = api.credentials.editor
  const other = await api.app.store.tokens.add(id, 'other', ['read'], null)
  const [password] = [await api.app.store.users.addPassword(id, 'other')]
  for (const [address, headers] of [
    ['192.0.2.1', {}],
    ['192.0.2.2', {}],
    ['192.0.2.1', { authorization }],
    ['192.0.2.1', { authorization: `Bearer ${other.token}` }],
    ['192.0.2.1', { authorization: basicAuth('editor', password.password) }],
    ['2001:db8:1:1::1', {}],
    ['2001:db8:1:2::1', {}],
  ] as const) {
    t.equal(await from(api, address, headers), 200, `${address} ${JSON.stringify(headers)}`)
    t.equal(await from(api, address, headers), 429)
  }
  t.equal(await from(api, '192.0.2.9', { authorization }), 429, 'a credential is the same everywhere')
  t.equal(await from(api, '2001:db8:1:1:ffff::2'), 429, 'a network of IPv6 is one client')
  t.equal(await from(api, '::ffff:192.0.2.1'), 429, 'and an address in the form of the other family')
})

t.test('X-Forwarded-For counts only from proxies that are trusted', async (t) => {
  for (const [proxy, forwarded, second] of [
    ['off', '198.51.100.1', 429],
    ['on', '198.51.100.1', 200],
    ['on', 'unknown', 200],
    ['192.0.2.1', '198.51.100.1', 200],
    ['192.0.2.0/24, loopback', '198.51.100.1', 200],
    ['10.0.0.0/8', '198.51.100.1', 429],
    ['192.0.2.1', '198.51.100.1, 203.0.113.1', 200],
  ] as const) {
    const api = await build(t, { env: { RATE_LIMIT: '1', TRUST_PROXY: proxy } })
    t.equal(await from(api, '192.0.2.1', { 'x-forwarded-for': '203.0.113.9' }), 200)
    const got = await from(api, '192.0.2.1', { 'x-forwarded-for': forwarded })
    t.equal(got, second, `${proxy}: ${forwarded}`)
  }
  const api = await build(t, { env: { RATE_LIMIT: '1', TRUST_PROXY: '192.0.2.1' } })
  t.equal(await from(api, '192.0.2.1', { 'x-forwarded-for': '203.0.113.1, 198.51.100.1' }), 200)
  t.equal(
    await from(api, '192.0.2.1', { 'x-forwarded-for': '203.0.113.2, 198.51.100.1' }),
    429,
    'what the client wrote itself does not count',
  )
})

t.test('many guesses at once are not hashed more often, and one that is right only once', async (t) => {
  const api = await build(t)
  const { login, password } = await must(api.administrator.post('/users', { login: 'maria', role: 'editor' }))
  const { users } = api.app.store
  const { verify } = users
  let hashed = 0
  users.verify = (...args) => {
    hashed++
    return verify(...args)
  }
  const right = { authorization: basicAuth(login, password) }
  const fine = await Promise.all(Array.from({ length: 20 }, () => from(api, '192.0.2.1', right)))
  t.ok(fine.every((status) => status === 200))
  t.equal(hashed, 1)

  const guess = (n: number) => ({ authorization: basicAuth('maria', `guess ${n}`) })
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, n) => from(api, '192.0.2.1', guess(n))))
  t.equal(statuses.filter((status) => status === 401).length, 60)
  t.equal(statuses.filter((status) => status === 429).length, 40)
  t.equal(hashed, 61)

  const many = Array.from({ length: 100 }, (_, n) => from(api, `2001:db8::${n + 1}`, guess(n)))
  const network = await Promise.all(many)
  t.equal(network.filter((status) => status === 401).length, 60, 'a network of IPv6 is one address')
  t.equal(hashed, 121)
})

t.test('a body that is too large is 413', async (t) => {
  const { editor, author, fingerprint } = await build(t)
  const before = await fingerprint()
  const text = 'x'.repeat(2 ** 20)
  const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=b' } }
  const field = (value: string) => `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n${value}\r\n`
  for (const [what, answer] of [
    ['JSON', editor.post('/events', { ...EVENT, description: text })],
    [
      'a form',
      editor.post('/events', `title=${text}`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
    ['anything else', editor.post('/events', text + text, { headers: { 'content-type': 'text/plain' } })],
    ['fields of a multipart form', editor.post('/events', `${field(`${text}x`)}--b--\r\n`, multipart)],
    ['fields together', editor.post('/events', `${field(text.slice(9)).repeat(2)}--b--\r\n`, multipart)],
    ['many fields', editor.post('/events', `${field('x').repeat(201)}--b--\r\n`, multipart)],
    [
      'a picture',
      author.post('/media', Buffer.alloc(10 * 2 ** 20 + 1), { headers: { 'content-type': 'image/jpeg' } }),
    ],
    ['a user', (await build(t)).administrator.post('/users', { login: text, role: 'editor' })],
  ] as const) {
    const { status, body } = await answer
    t.same([status, body.code, body.data.status], [413, 'rest_payload_too_large', 413], what)
  }
  t.equal(await fingerprint(), before)
  t.equal((await editor.post('/events', { ...EVENT, description: 'x'.repeat(100_001) })).status, 400, ROOT)
})

const LOCKED = '403 event-password-protected'
/** A wrong password. Most are such as no password can be: they count like others, and cost no hash. */
const guess = (n: number) => (n % 10 === 0 ? `guess${n}` : `%00guess${n}`)
const addLocked = (api: Api, title: string, password: string) =>
  must(api.editor.post('/events', { ...EVENT, title, password, description: 'secret' }))
const read = async ({ anonymous }: Api, id: number, password: string, remoteAddress = '192.0.2.1') => {
  const answer = await anonymous.get(`/events/${id}?password=${password}`, undefined, { remoteAddress })
  return answer.status === 200 ? 200 : refusal(answer)
}

t.test('wrong passwords of events are 60 a minute from one address', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'right')
  t.equal(await read(api, id, 'right'), 200)
  await addLocked(api, 'Two', 'other')
  const both = await api.anonymous.get('/events?password=neither', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(both.body.events.length, 2, 'a list counts once')
  for (let n = 0; n < 59; n++) t.equal(await read(api, id, guess(n)), LOCKED)
  const refused = await api.anonymous.get(`/events/${id}?password=more`, undefined, {
    remoteAddress: '192.0.2.1',
  })
  t.match(refused, { status: 429, body: { code: 'rest_rate_limited' }, headers: { 'retry-after': /^\d+$/ } })
  const list = await api.anonymous.get('/events?password=more', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(list.status, 429, 'lists count with single reads')
  t.equal(await read(api, id, 'right'), 200, 'what opened before still opens')
  t.equal(await read(api, id, 'right', '192.0.2.2'), 200, 'and other addresses may try')
  t.equal(await read(api, id, 'wrong', '192.0.2.2'), LOCKED)
  const { status } = await api.anonymous.get('/events', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(status, 200, 'reads without a password go on')
  await must(api.editor.get(`/events/${id}?password=wrong`, undefined, { remoteAddress: '192.0.2.1' }))
  const wrong = { authorization: `Basic ${btoa('nobody:wrong')}` }
  const login = await api.anonymous.get('/events', undefined, { remoteAddress: '192.0.2.1', headers: wrong })
  t.equal(login.status, 401, 'failed logins are counted apart')
})

t.test('guesses at the same moment are not worked out more often than one by one', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'right')
  const seen: Record<string, number> = {}
  for (let round = 0; round < 4; round++)
    for (const answer of await Promise.all(
      Array.from({ length: 25 }, (_, n) => read(api, id, `${round}-${n}`)),
    ))
      seen[answer] = (seen[answer] ?? 0) + 1
  t.same(seen, { [LOCKED]: 60, '429 rest_rate_limited': 40 })
})

t.test('a list tries a password for five events, and those that it opened stay open', async (t) => {
  const api = await build(t)
  for (let n = 0; n < 7; n++) await addLocked(api, `Event ${n}`, 'shared')
  const open = async () =>
    (await api.anonymous.get('/events?password=shared')).body.events.map(
      ({ description }: { description: string }) => description !== '',
    )
  t.same(await open(), [true, true, true, true, true, false, false])
  t.same(await open(), Array(7).fill(true))
  const ids: number[] = (await api.anonymous.get('/events')).body.events.map(({ id }: { id: number }) => id)
  await must(api.editor.patch(`/events/${ids[0]}`, { password: 'changed' }))
  t.same(await open(), [false, ...Array(6).fill(true)], 'a password that was changed opens nothing')
})

t.test('too many guesses of many addresses are 503, and logins do not wait behind them', async (t) => {
  const api = await build(t, { fresh: true })
  const { id } = await addLocked(api, 'One', 'right')
  const { password } = await must(api.administrator.post('/users', { login: 'maria', role: 'editor' }))
  const order: string[] = []
  const guesses = Array.from({ length: 60 }, async (_, n) => {
    const answer = await read(api, id, `guess${n}`, `192.0.2.${n}`)
    order.push(String(answer))
    return answer
  })
  const headers = { authorization: basicAuth('maria', password) }
  const login = api.anonymous.get('/events', undefined, { headers }).then(({ status }) => {
    order.push(`login ${status}`)
  })
  const answers = await Promise.all(guesses)
  await login
  t.equal(answers.filter((answer) => answer === LOCKED).length, 31, 'one at a time and thirty that wait')
  t.equal(answers.filter((answer) => answer === '503 rest_overloaded').length, 29)
  t.ok(order.indexOf('login 200') < order.lastIndexOf(LOCKED), 'the login was answered before the last guess')
  const { headers: told } = await api.anonymous.get(`/events/${id}?password=right`)
  t.equal(told['retry-after'], undefined, 'and then there is room again')
})

t.test('a password has no control characters, and none is overlooked', async (t) => {
  const api = await build(t, { fresh: true })
  const { id } = await addLocked(api, 'One', 'hunter2')
  for (const odd of ['hunter2%00', 'hunter2%00%00', '%00hunter2', 'hunter2%0A', 'hunter2%09'])
    t.equal(await read(api, id, odd), LOCKED, odd)
  t.equal(await read(api, id, 'hunter2'), 200)
  const before = await api.fingerprint()
  for (const password of ['a\0', 'a\nb', '\t', 'a\u0085', 'a\ud800']) {
    const said = JSON.stringify(password)
    t.equal(
      refusal(await api.editor.patch(`/events/${id}`, { password })),
      '400 rest_invalid_param password',
      said,
    )
    const created = await api.editor.post('/events', { ...EVENT, password })
    t.equal(refusal(created), '400 rest_invalid_param password', said)
  }
  t.equal(await api.fingerprint(), before)
  t.equal(await read(api, id, 'hunter2'), 200)
})

/** A work that ends when it is told to. */
function work() {
  const state = { running: false, end: () => {}, fail: () => {} }
  const run = () =>
    new Promise<string>((resolve, reject) => {
      state.running = true
      state.end = () => resolve('done')
      state.fail = () => reject(new Error('failed'))
    })
  return { state, run }
}

t.test('a few run at a time, a few wait, and what is beyond them is refused', async (t) => {
  const semaphore = openSemaphore(2, 2)
  const works = Array.from({ length: 5 }, work)
  const running = () => works.map(({ state }) => state.running)
  const [a, b, c, d, e] = works.map(({ run }) => semaphore(run)) as [Promise<string>, ...Promise<string>[]]
  await t.rejects(e!, { code: 'rest_overloaded', status: 503, data: { retry_after: 2 } })
  t.same(running(), [true, true, false, false, false])
  works[1]!.state.fail()
  await t.rejects(b!, { message: 'failed' })
  t.same(running(), [true, true, true, false, false], 'one that fails makes room as well')
  works[0]!.state.end()
  t.equal(await a, 'done')
  t.same(running(), [true, true, true, true, false], 'in the order in which they came')
  for (const { state } of works) state.end()
  t.same(await Promise.all([c, d]), ['done', 'done'])
  const [later, last] = [work(), work()]
  const ends = [semaphore(later.run), semaphore(last.run)]
  t.ok(later.state.running && last.state.running, 'there is room for as many as before')
  later.state.end()
  last.state.end()
  t.same(await Promise.all(ends), ['done', 'done'])
})

t.test('of those who wait, each client has its turn before one has another', async (t) => {
  const semaphore = openFairSemaphore({ all: 1, each: 1 })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const job = (name: string) =>
    semaphore.run(name[0]!, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (name === 'a2') throw new Error('failed')
      return name
    })
  const jobs = ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2'].map((name) =>
    job(name).catch(({ message }) => message),
  )
  while (begun.length < jobs.length) {
    await setImmediate()
    ends[begun.length - 1]!()
    await setImmediate()
  }
  ends.at(-1)!()
  t.same(await Promise.all(jobs), ['a1', 'failed', 'a3', 'b1', 'a4', 'c1', 'b2'])
  t.same(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  const last = job('d1')
  await setImmediate()
  ends.at(-1)!()
  t.equal(await last, 'd1', 'and then it is free')
})

t.test('a client has some places and some that wait; another has places beside it', async (t) => {
  const semaphore = openFairSemaphore({ all: 3, each: 2 }, { all: 4, each: 2 })
  const begun: string[] = []
  const enter = (name: string) => {
    const place = semaphore.place(name[0]!)
    place.enter(() => begun.push(name))
    return place
  }
  const [a1, a2, , a4] = ['a1', 'a2', 'a3', 'a4'].map(enter)
  t.same(begun, ['a1', 'a2'])
  t.throws(() => enter('a5'), { code: 'rest_overloaded' }, 'too many of one client wait')
  const b1 = enter('b1')
  t.same(begun, ['a1', 'a2', 'b1'], 'who has nothing yet does not wait for those who have')
  enter('b2')
  const c1 = enter('c1')
  t.throws(() => enter('d1'), { code: 'rest_overloaded' }, 'too many wait in all')
  a4!.leave()
  enter('d1')
  b1.leave()
  b1.leave()
  await setImmediate()
  t.same(begun.slice(3), ['b2'], 'one place is free once, and client a has all of its own')
  a1!.leave()
  await setImmediate()
  t.same(begun.slice(4), ['a3'])
  c1.leave()
  a2!.leave()
  await setImmediate()
  t.same(begun.slice(5), ['d1'], 'who has left the line is not begun')
})

t.test('a large job has all places of its client, and leaves them together', async (t) => {
  const semaphore = openFairSemaphore({ all: 4, each: 2 })
  const begun: string[] = []
  const enter = (name: string, places?: number) => {
    const place = semaphore.place(name[0]!, places)
    place.enter(() => begun.push(name))
    return place
  }
  const [page] = [enter('a page', 2), enter('a list'), enter('a second list')]
  enter('b page', 2)
  enter('c list')
  await setImmediate()
  t.same(begun, ['a page', 'b page'], 'all places are taken')
  page!.leave()
  for (let turn = 0; turn < 4; turn++) await setImmediate()
  t.same(begun.slice(2).sort(), ['a list', 'c list'], 'each client has one before one has another')
})

t.test('who waits is begun after a pause, one after each', async (t) => {
  let resume = () => {}
  const pause = () =>
    new Promise<void>((resolve) => {
      resume = resolve
    })
  const semaphore = openFairSemaphore({ all: 2, each: 1 }, undefined, pause)
  const begun: string[] = []
  const [a1, b1] = ['a1', 'b1', 'a2', 'b2'].map((name) => {
    const place = semaphore.place(name[0]!)
    place.enter(() => begun.push(name))
    return place
  })
  a1!.leave()
  b1!.leave()
  await setImmediate()
  t.same(begun, ['a1', 'b1'])
  resume()
  await setImmediate()
  t.same(begun, ['a1', 'b1', 'a2'])
  resume()
  await setImmediate()
  t.same(begun, ['a1', 'b1', 'a2', 'b2'])
})

t.test('jobs that wait share a turn as long as it is short', async (t) => {
  let pauses = 0
  const pause = async () => {
    pauses++
  }
  const begun: string[] = []
  const runAll = async (together: number) => {
    const semaphore = openFairSemaphore({ all: 1, each: 1 }, undefined, pause, together)
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => semaphore.run(name, async () => begun.push(name))))
    return pauses
  }
  t.equal(await runAll(60_000), 1, 'one pause before the first that waits')
  pauses = 0
  t.ok((await runAll(0)) >= 3, 'a turn that has no time left: a pause before each')
  t.same(begun, [...'abcdabcd'], 'in the order in which they came')
})

t.test('a client is in networks of its own and of others', async (t) => {
  for (const [ip, networks] of [
    ['2001:db8:1:2::3', ['8193:3512:1:2', '8193:3512:1', '8193:3512']],
    ['192.0.2.7', ['192.0.2.7', '192.0.2.']],
    ['::ffff:192.0.2.7', ['192.0.2.7', '192.0.2.']],
    ['unknown', ['unknown']],
  ] as const)
    t.same(networksOf({ ip }), networks, ip)
})
