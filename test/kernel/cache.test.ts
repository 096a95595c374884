import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openZip } from '../../src/kernel/output/negotiation.ts'
import { must } from '../support/answers.ts'
import { type Answer, type Api, build, EVENT, NOW, ROOT } from '../support/app.ts'
import { addresses, conditional, seed } from '../support/seed.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const kept = ({ headers }: Answer, names: string[]) => names.map((name) => headers[name])

/** Whether an address has formats besides JSON. */
const isNegotiated = (path: string) =>
  /^\/(events(\/\d+)?|(categories|tags|venues|organizers)\/\d+)$/.test(path)

t.test('every read has a strong ETag, and who has it already gets a 304 without a body', async (t) => {
  const api = await build(t)
  for (const path of await addresses(api)) {
    const first = await api.anonymous.get(path)
    const { etag } = first.headers as { etag: string }
    t.match(etag, /^"[\da-z]{6,13}"$/, path)
    const lists = [etag, `W/${etag}`, '*', ` * `, `"a", W/"b" ,${etag}`, `"x", W/${etag} , ${etag}`]
    // without what is kept, with it, and without again
    for (const url of [`${path}?a=1`, path])
      for (const list of lists) {
        const own = url === path ? etag : (await api.anonymous.get(url)).headers.etag!
        const answer = await conditional(api, url, { 'if-none-match': list.replaceAll(etag, own) })
        const sent = list.includes(`W/${etag}`) ? `W/${own}` : own
        t.same([answer.status, answer.text, answer.headers.etag], [304, '', sent], `${url} ${list}`)
        for (const name of ['content-length', 'content-type']) t.notOk(answer.headers[name], name)
        t.same(
          kept(answer, ['vary', 'cache-control', 'access-control-allow-origin']),
          [`Authorization, Accept-Encoding${isNegotiated(path) ? ', Accept' : ''}`, 'public, no-cache', '*'],
          'what caches need is there',
        )
      }
    for (const list of ['"a"', etag.slice(0, -1), ''])
      t.equal((await conditional(api, path, { 'if-none-match': list })).status, 200, `${path} ${list}`)
  }
})

t.test('HEAD answers what GET answers, without the body', async (t) => {
  const api = await build(t)
  const names = ['etag', 'last-modified', 'cache-control', 'content-length', 'content-type', 'vary', 'link']
  for (const path of await addresses(api)) {
    api.clock.now += MINUTE
    const head = await conditional(api, path, {}, 'HEAD')
    const get = await api.anonymous.get(path)
    t.same([head.status, head.text, kept(head, names)], [200, '', kept(get, names)], path)
    const known = await conditional(api, path, { 'if-none-match': get.headers.etag! }, 'HEAD')
    t.same([known.status, known.text], [304, ''], path)
  }
})

t.test('an answer from the cache has the headers of one that was made', async (t) => {
  for (const env of [{}, { RATE_LIMIT: '1000' }, { MAX_AGE: '60', CORS_ORIGINS: 'https://a.test' }]) {
    const api = await build(t, { env: env as Record<string, string> })
    for (const path of await addresses(api)) {
      await api.anonymous.get(path)
      const [made, cached] = [await api.anonymous.get(path), await api.anonymous.get(path)]
      const all = ({ headers: { connection: _, ...rest } }: Answer) => ({
        ...rest,
        'ratelimit-remaining': '',
        'x-request-id': '',
      })
      t.same(all(cached), all(made), path)
      t.equal(cached.text, made.text)
      const page = await conditional(api, path, { origin: 'https://b.test' })
      t.equal(page.headers['access-control-allow-origin'], '*', 'pages of any origin may read it')
      t.match(page.headers['access-control-expose-headers'], /ETag/)
    }
  }
})

t.test('what is kept is compressed for those who read gzip', async (t) => {
  const api = await build(t)
  await seed(api)
  const gzip = { 'accept-encoding': 'br;q=1, gzip' }
  const plain = await api.anonymous.get('/events')
  let zipped = plain
  for (let at = 0; at < 1_000 && zipped.headers['content-encoding'] === undefined; at++) {
    await new Promise(setImmediate)
    zipped = await conditional(api, '/events', gzip)
  }
  const { etag, 'content-length': length } = zipped.headers
  t.match(zipped.headers, { 'content-encoding': 'gzip', vary: /Accept-Encoding/ })
  t.equal(etag, `W/${plain.headers.etag}`, 'other bytes of the same value (RFC 9110 §8.8.3)')
  t.ok(Number(length) < plain.text.length)
  t.equal(zipped.text, plain.text)
  for (const accepted of ['br', 'gzip;q=0', 'gzip; q=0.0, br', 'x-gzipped', ''])
    t.notOk((await conditional(api, '/events', { 'accept-encoding': accepted })).headers['content-encoding'])
  for (const tag of [etag!, plain.headers.etag!])
    for (const more of [gzip, {}]) {
      const answer = await conditional(api, '/events', { ...more, 'if-none-match': tag })
      t.same([answer.status, answer.headers.etag], [304, tag], 'as the client has it (RFC 9111 §4.3.4)')
    }

  await must(api.editor.post('/events', EVENT))
  t.equal((await conditional(api, '/events', gzip)).body.total, 2, 'made anew')
  const small = '/tags?per_page=1&search=nothing'
  for (let at = 0; at < 9; at++)
    t.notOk((await conditional(api, small, gzip)).headers['content-encoding'], 'too little to be worth it')
})

t.test('what is not kept is compressed quickly', async (t) => {
  const api = await build(t)
  await seed(api)
  const gzip = { 'accept-encoding': 'gzip' }
  for (const client of [api.anonymous, api.editor]) {
    const get = (more: Record<string, string> = {}) =>
      client.get(`/events?x=${Math.random()}`, undefined, { headers: more })
    const [plain, zipped] = [await get(), await get(gzip)]
    t.match(zipped.headers, { 'content-encoding': 'gzip', vary: /Accept-Encoding/ })
    t.notOk(plain.headers['content-encoding'])
    t.ok(Number(zipped.headers['content-length']) < plain.text.length)
    t.equal(zipped.body.total, 1)
    const known = await get({ ...gzip, 'if-none-match': zipped.headers.etag! })
    t.match(known, { status: known.headers.etag === zipped.headers.etag ? 304 : 200 })
    t.notOk(
      (await client.get(`/tags?per_page=1&search=nothing&x=${Math.random()}`, undefined, { headers: gzip }))
        .headers['content-encoding'],
    )
  }
  const path = `/events/${(await must(api.editor.post('/events', EVENT))).id}`
  const zipped = await api.editor.get(path, undefined, { headers: gzip })
  const known = await api.editor.get(path, undefined, {
    headers: { ...gzip, 'if-none-match': zipped.headers.etag! },
  })
  t.match(known, { status: 304, headers: { etag: zipped.headers.etag! } })
  t.notOk(known.headers['content-encoding'])
  const many = await Promise.all(
    Array.from({ length: 5 }, (_, at) => api.editor.get(`${path}?x=${at}`, undefined, { headers: gzip })),
  )
  for (const { body } of many)
    t.equal(body.id, zipped.body.id, 'whether it is compressed or another is at this time')
})

t.test('one response is compressed at a time, and others are sent as they are', async (t) => {
  const zip = openZip()
  const first = zip(Buffer.alloc(1_000_000))
  t.equal(zip(Buffer.from('meanwhile')), undefined)
  t.ok((await first)!.length < 10_000)
  t.equal(gunzipSync((await zip(Buffer.from('afterwards')))!).toString(), 'afterwards')

  const api = await build(t)
  await seed(api)
  const paths = ['/events', '/events?per_page=1']
  for (const path of [...paths, ...paths]) await api.anonymous.get(path)
  const zipped = new Set<string>()
  while (zipped.size < paths.length) {
    for (const path of paths)
      if ((await conditional(api, path, { 'accept-encoding': 'gzip' })).headers['content-encoding'])
        zipped.add(path)
    await new Promise(setImmediate)
  }
  t.same([...zipped].sort(), paths, 'each in its turn')
})

t.test('a record that was read compressed can be written with its ETag', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const { etag } = (await api.anonymous.get(`/events/${id}`)).headers as { etag: string }
  const headers = { 'if-match': `W/${etag}` }
  t.equal((await api.editor.patch(`/events/${id}`, { title: 'Other' }, { headers })).status, 200)
  t.equal((await api.editor.patch(`/events/${id}`, { title: 'More' }, { headers })).status, 412)
})

t.test('If-Modified-Since is answered by the time of the last write', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const path = `/events/${id}`
  t.notOk((await api.anonymous.get(path)).headers['last-modified'], 'a write could follow in this second')
  api.clock.now += MINUTE
  for (const url of [`${path}?a=1`, path, path, path]) {
    const { headers } = await api.anonymous.get(url)
    t.equal(headers['last-modified'], new Date(NOW).toUTCString(), url)
    const since = async (moment: number, more = {}) =>
      (await conditional(api, url, { 'if-modified-since': new Date(moment).toUTCString(), ...more })).status
    t.same([await since(NOW), await since(NOW + SECOND), await since(NOW - SECOND)], [304, 304, 200], url)
    t.equal(await since(NOW, { 'if-none-match': '"other"' }), 200, 'If-None-Match stands above it')
    t.equal((await conditional(api, url, { 'if-modified-since': 'yesterday' })).status, 200)
  }
  t.notOk((await api.anonymous.get('/events')).headers['last-modified'], 'a list that changes with time')

  // the clock goes back, and a write follows in a second that was used before
  const before = (await api.anonymous.get(path)).headers['last-modified']!
  api.clock.now = NOW - MINUTE
  await must(api.editor.patch(path, { title: 'Other' }))
  api.clock.now = NOW + MINUTE
  t.equal((await conditional(api, path, { 'if-modified-since': before })).status, 200)
})

t.test(
  'a response changes when other settings are given to the same data, and not with each start',
  async (t) => {
    t.testdir()
    const file = join(t.testdirName, 'almanac.db')
    const start = (hour: number, env = {}) =>
      build(t, { now: NOW + hour * 60 * MINUTE, users: hour === 0, env: { DATABASE: file, ...env } })
    const first = await start(0)
    const { id } = await must(first.editor.post('/events', EVENT))
    const told = async (api: Api) => {
      api.clock.now += MINUTE
      return (await api.anonymous.get(`/events/${id}`)).headers['last-modified']
    }
    const at = (hour: number) => new Date(NOW + hour * 60 * MINUTE).toUTCString()
    t.equal(await told(first), at(0))
    const [again, other] = [await start(1), await start(2, { SITE_NAME: 'Other' })]
    t.equal(await told(again), at(0))
    t.equal(await told(other), at(2))
    t.equal(await told(again), at(0), 'a process with other settings goes on')
    t.equal(await told(await start(3)), at(3), 'what was shown meanwhile is known to others')
    again.clock.now = NOW + 4 * 60 * MINUTE
    t.equal(await told(again), at(3))

    const db = new Database(file)
    db.exec("create trigger kept before update on settings begin select raise(abort, 'no'); end")
    db.close()
    t.equal(await told(await start(4, { SITE_NAME: 'Other' })), at(4), 'where that can not be kept')
  },
)

t.test('other caches keep what everyone may read for MAX_AGE, and nothing else', async (t) => {
  const api = await build(t, { env: { MAX_AGE: '3600', TIMEZONE: 'Europe/Madrid' } })
  const { id } = await must(api.editor.post('/events', EVENT))
  const secret = await must(api.editor.post('/events', { ...EVENT, password: 'sesame' }))
  const control = async (path: string, client = api.anonymous) =>
    (await client.get(path)).headers['cache-control']
  for (const path of ['/events', `/events/${id}`, '/venues', '/categories', '/media'])
    for (const _ of [1, 2, 3]) {
      t.equal(await control(path), 'public, max-age=3600', path)
      t.equal(await control(path, api.editor), 'private, no-cache', path)
      t.match((await api.editor.get(path)).headers.vary, /^Authorization, Accept-Encoding(, Accept)?$/)
    }
  t.equal(await control(`/events/${secret.id}?password=sesame`), 'no-store')
  t.equal(await control(`/events/${secret.id}?password=wrong`), 'no-store')
  t.equal(await control(`/events/${secret.id}`), 'private, no-cache', 'a refusal')
  t.equal(await control('/events/999'), 'private, no-cache', 'an error')
  t.equal(await control('/users', api.administrator), 'no-store')
  t.equal(
    await control('/events?start_date=%2B1%20hour&strict_dates=true'),
    'public, no-cache',
    'this moment',
  )

  const midnight = Date.parse('2026-11-22T00:00:00+01:00')
  api.clock.now = midnight - MINUTE
  t.equal(await control('/events'), 'public, max-age=60', 'until the default window moves')
  t.equal(await control(`/events/${id}`), 'public, max-age=3600')
  await must(api.editor.post('/events', { ...EVENT, date_utc: '2026-11-21 23:00:20' }))
  for (const _ of [1, 2, 3])
    t.equal(await control(`/events/${id}`), 'public, max-age=80', 'until a publication')
})

t.test('mounts and languages have answers of their own', async (t) => {
  const api = await build(t)
  await seed(api)
  const roots = ['/calendar/events/v1', '/wp-json/tribe/events/v1', '/ca/calendar/events/v1']
  for (const _ of [1, 2, 3])
    for (const root of roots) {
      const { body } = await api.anonymous.get(`/${root}/events`)
      t.ok(body.rest_url.startsWith(`http://calendar.test${root}/events`), root)
      t.equal(body.total, root.startsWith('/ca/') ? 0 : 1, root)
    }
})

t.test('where reads are counted, those from the cache count as well', async (t) => {
  const api = await build(t, { env: { RATE_LIMIT: '3' } })
  const left = []
  for (const _ of [1, 2, 3, 4]) {
    const { status, headers } = await api.anonymous.get('/events')
    left.push([status, headers['ratelimit-remaining']])
  }
  t.same(left, [
    [200, '2'],
    [200, '1'],
    [200, '0'],
    [429, '0'],
  ])
})

t.test('over the network they are counted before all else, by client and up to the limit', async (t) => {
  const { app } = await build(t, { env: { RATE_LIMIT: '4', TRUST_PROXY: 'loopback' } })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const read = async (client: string) => {
    const headers = { 'x-forwarded-for': client }
    const answer = await fetch(`${origin}${ROOT}/events`, { headers })
    await answer.text()
    const { limit, remaining, reset } = Object.fromEntries(
      ['limit', 'remaining', 'reset'].map((name) => [name, answer.headers.get(`ratelimit-${name}`)]),
    )
    return [answer.status, limit, remaining, Number(reset) > 0]
  }
  for (const left of ['3', '2', '1', '0']) t.same(await read('192.0.2.1'), [200, '4', left, true])
  t.equal(app.cacheCounts.hits, 2)
  t.same(await read('192.0.2.1'), [429, '4', '0', true])
  t.same(await read('192.0.2.2'), [200, '4', '3', true], 'each client has its own')
  t.equal(app.cacheCounts.hits, 3)
})

t.test('what is too long to be asked for twice is answered as well', async (t) => {
  const api = await build(t)
  await seed(api)
  const path = `/events?a=${'x'.repeat(1_100)}`
  const first = await api.anonymous.get(path)
  t.same((await api.anonymous.get(path)).body, first.body)
})

t.test('HEAD answers 304 like GET, also when the answer was not kept', async (t) => {
  const api = await build(t)
  await api.editor.post('/events', EVENT)
  const { headers } = await api.editor.get('/events')
  for (const method of ['HEAD', 'GET'] as const) {
    const answer = await api.editor.send({
      ...{ method, url: `${ROOT}/events`, headers: { 'if-none-match': headers.etag! } },
    })
    t.same([answer.status, answer.text], [304, ''], method)
  }
})

/** Compares a read with one that no cache can know. */
async function fresh(t: Test, api: Api, path: string, why: string) {
  const made = await api.anonymous.get(`${path}${path.includes('?') ? '&' : '?'}bust=${Math.random()}`)
  const answer = await api.anonymous.get(path)
  const bare = ({ status, body: { rest_url: _, next_rest_url: __, ...rest } }: Answer) => ({ status, rest })
  t.same(bare(answer), bare(made), `${why}: ${path}`)
}

t.test('after every write the next read is fresh', async (t) => {
  const api = await build(t)
  const { editor, administrator } = api
  const paths = await addresses(api)
  const { events } = await must(editor.get('/events'))
  const [event] = events
  const record = `/events/${event.id}`
  const writes: [string, () => Promise<Answer>][] = [
    ['create', () => editor.post('/events', EVENT)],
    ['update', () => editor.patch(record, { title: 'Other' })],
    ['a venue that is shown inside', () => editor.patch(`/venues/${event.venue.id}`, { venue: 'House' })],
    ['an organizer', () => editor.put(`/organizers/${event.organizer[0].id}`, { organizer: 'Trio' })],
    ['a category', () => editor.post(`/categories/${event.categories[0].id}`, { name: 'Jazz' })],
    ['a tag', () => editor.patch(`/tags/${event.tags[0].id}`, { name: 'indoors' })],
    [
      'a translation',
      () => editor.post('/events', { ...EVENT, translation_of: event.id, i18n_language: 'ca' }),
    ],
    ['no more links', () => editor.patch(record, { categories: [], organizer: [] })],
    ['trash', () => editor.delete(record)],
    ['restore', () => editor.patch(record, { status: 'publish' })],
    ['a term deleted', () => editor.delete(`/tags/${event.tags[0].id}`)],
    ['a venue deleted', () => editor.delete(`/venues/${event.venue.id}?force=true`)],
    [
      'another author',
      () => administrator.delete(`/users/${api.credentials.editor.id}?reassign=${api.credentials.author.id}`),
    ],
    ['a picture', () => administrator.delete(paths.at(-1)!)],
    ['deleted', () => administrator.delete(`${record}?force=true`)],
  ]
  for (const [what, write] of writes) {
    for (const path of paths) await api.anonymous.get(path)
    await must(write())
    for (const path of paths) await fresh(t, api, path, what)
  }
})

t.test('nothing is stale when time passes', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'America/New_York' } })
  const at = (date: string) => api.editor.post('/events', { ...EVENT, start_date: date, end_date: date })
  for (const day of ['20', '21', '22']) await must(at(`2026-11-${day} 12:00:00`))
  await must(api.editor.post('/events', { ...EVENT, title: 'Later', date_utc: '2026-11-21 12:00:00' }))
  const list = async () => (await api.anonymous.get('/events')).body.total
  t.same([await list(), await list()], [3, 3], 'from yesterday on')
  api.clock.now = Date.parse('2026-11-21T12:00:00Z')
  const since = { 'if-modified-since': new Date(api.clock.now - SECOND).toUTCString() }
  const [later] = (await conditional(api, '/venues', since)).status === 200 ? [await list()] : []
  t.equal(later, 4, 'the publication that was due')
  api.clock.now = Date.parse('2026-11-22T05:00:00Z') - 1
  t.equal(await list(), 4)
  api.clock.now++
  t.same([await list(), await list()], [3, 3], 'midnight in New York')
  api.clock.now--
  t.equal(await list(), 4, 'the clock goes back')
})

t.test('a read that writes overtake is made again, and at last taken as it is', async (t) => {
  const { app, editor } = await build(t)
  const write = () => editor.post('/venues', { venue: 'Hall' })
  let reads = 0
  const read = async () => {
    if (++reads < 3) {
      await write()
      throw new Error('gone')
    }
    return reads
  }
  t.equal(await app.store.consistently({} as never, read), 3)
  await t.rejects(
    app.store.consistently({} as never, async () => {
      await write()
      throw new Error('gone')
    }),
    /gone/,
  )
})
