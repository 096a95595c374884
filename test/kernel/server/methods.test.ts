import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { seed } from '../../support/seed.ts'

const ONE = 'DELETE, GET, HEAD, PATCH, POST, PUT, OPTIONS'
const MANY = 'GET, HEAD, POST, OPTIONS'
const READ = 'GET, HEAD, OPTIONS'
/** Every address with the methods that it has. */
const ALLOWED: Record<string, string> = {
  '': READ,
  '/doc': READ,
  '/doc/openapi-3.0.json': READ,
  '/doc/start.js': READ,
  '/doc/static/swagger-ui.css': READ,
  ...Object.fromEntries(
    ['events', 'venues', 'organizers', 'categories', 'tags'].flatMap((plural) => [
      [`/${plural}`, MANY],
      [`/${plural}/1`, ONE],
    ]),
  ),
  '/events/by-slug/x': ONE,
  '/venues/by-slug/x': ONE,
  '/organizers/by-slug/x': ONE,
  '/media': MANY,
  '/media/1': 'DELETE, GET, HEAD, PATCH, OPTIONS',
}
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const

t.test('a method that an address lacks is 405, and Allow says which it has', async (t) => {
  const { administrator, anonymous } = await build(t)
  for (const [path, allow] of Object.entries(ALLOWED)) {
    for (const method of METHODS.filter((name) => !allow.split(', ').includes(name))) {
      for (const client of [anonymous, administrator]) {
        const { status, body, headers } = await client.send({ method, url: ROOT + path } as never)
        t.same(
          [status, headers.allow, body.code, body.data],
          [405, allow, 'rest_method_not_allowed', { status: 405 }],
          `${method} ${path}`,
        )
        t.match(body.message, allow)
      }
    }
  }
})

t.test('OPTIONS is 204 with Allow and nothing else, at every mount', async (t) => {
  const { anonymous } = await build(t)
  for (const root of [ROOT, '/es/wp-json/tribe/events/v1'])
    for (const [path, allow] of Object.entries(ALLOWED)) {
      const { status, headers, text } = await anonymous.send({ method: 'OPTIONS', url: root + path })
      t.same([status, headers.allow, text], [204, allow, ''], `${root}${path}`)
    }
})

t.test('addresses that two routes share have the methods of the nearer one', async (t) => {
  const { app } = await build(t)
  for (const [path, allow] of [
    ['/users/1/passkeys/options', 'POST, OPTIONS'],
    ['/users/1/passkeys/7', 'DELETE, GET, HEAD, OPTIONS'],
    ['/events/1.ics', READ],
    ['/events/1.pdf', ONE],
    ['/events/by-slug/restore', ONE],
    ['/events/1/restore/?x=1', 'POST, OPTIONS'],
  ] as const) {
    const lacks = METHODS.find((name) => name !== 'HEAD' && !allow.includes(name))!
    for (const method of [lacks, 'OPTIONS'] as const) {
      const { statusCode, headers } = await app.inject({ method: method as 'PUT', url: ROOT + path })
      t.same([statusCode, headers.allow], [method === 'OPTIONS' ? 204 : 405, allow], `${method} ${path}`)
    }
  }
})

t.test('OPTIONS of an address that leads nowhere is 404', async (t) => {
  const { anonymous } = await build(t, { env: { PAGES: 'off' } })
  for (const url of ['/', '/nowhere', `${ROOT}/nowhere`, `${ROOT}/events/1/2`, `${ROOT}/-site/event/x`])
    for (const headers of [{}, { origin: 'https://a.test', 'access-control-request-method': 'GET' }])
      t.match(
        await anonymous.send({ method: 'OPTIONS', url, headers }),
        { status: 404, body: { code: 'rest_no_route', data: { status: 404 } } },
        url,
      )
})

t.test('pages of any origin may read, also what headers say', async (t) => {
  const { anonymous, editor } = await build(t)
  await editor.post('/events', EVENT)
  const headers = { origin: 'https://elsewhere.test' }
  for (const answer of [
    await anonymous.get('/events', undefined, { headers }),
    await anonymous.get('/events/999', undefined, { headers }),
    await anonymous.send({ method: 'HEAD', url: `${ROOT}/events`, headers }),
    await anonymous.send({ method: 'OPTIONS', url: `${ROOT}/events`, headers }),
    await anonymous.send({
      method: 'OPTIONS',
      url: `${ROOT}/events/1`,
      headers: { ...headers, 'access-control-request-method': 'GET' },
    }),
  ]) {
    t.equal(answer.headers['access-control-allow-origin'], '*')
    const exposed = answer.headers['access-control-expose-headers']!.toLowerCase().split(', ')
    for (const name of [
      'link',
      'etag',
      'location',
      'retry-after',
      'x-tec-total',
      'x-tec-totalpages',
      'x-wp-total',
      'x-wp-totalpages',
      'x-ignored-fields',
    ])
      t.ok(exposed.includes(name), name)
  }
})

t.test('only pages of configured origins may write', async (t) => {
  const { anonymous, editor } = await build(t, { env: { CORS_ORIGINS: 'https://desk.test' } })
  const ask = (origin: string, method: string) =>
    anonymous.send({
      method: 'OPTIONS',
      url: `${ROOT}/events`,
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization, content-type',
      },
    })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, headers } = await ask('https://desk.test', method)
    t.match(
      { status, headers },
      {
        status: 204,
        headers: {
          'access-control-allow-origin': 'https://desk.test',
          'access-control-allow-methods': MANY,
          'access-control-allow-headers': 'authorization, content-type',
          vary: /Origin/,
        },
      },
    )
    const other = await ask('https://elsewhere.test', method)
    t.equal(other.headers['access-control-allow-origin'], undefined, `${method} from elsewhere`)
  }
  for (const [origin, expected, allowed] of [
    ['https://desk.test', 201, 'https://desk.test'],
    ['https://elsewhere.test', 403, undefined],
  ] as const) {
    const { status, headers } = await editor.post('/events', EVENT, { headers: { origin } })
    t.same([status, headers['access-control-allow-origin']], [expected, allowed])
  }
})

t.test('HEAD answers like GET, without the body', async (t) => {
  const { anonymous, editor } = await build(t)
  const { body: event } = await editor.post('/events', EVENT)
  await editor.post('/events', EVENT)
  for (const path of [
    '',
    '/doc',
    '/events?per_page=1',
    `/events/${event.id}`,
    `/events/by-slug/${event.slug}`,
    '/venues',
    '/events/999',
    '/events?page=0',
    '/events?page=99',
    '/nowhere',
  ]) {
    const got = await anonymous.get(path)
    const head = await anonymous.send({ method: 'HEAD', url: ROOT + path })
    t.same([head.status, head.text], [got.status, ''], path)
    const { connection: _, 'x-request-id': own, ...headers } = head.headers
    t.ok(own, 'each has an ID of its own')
    t.match(got.headers, headers, `${path}: the same headers`)
    t.match(Number(headers['content-length']), Buffer.byteLength(got.text))
  }
})

const BASE = 'http://calendar.test'
const OTHER = '/ca/wp-json/tribe/events/v1'

t.test('addresses that lead nowhere are 404 rest_no_route', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  await seed(api)
  const nowhere = [
    '/',
    '/calendar',
    '/calendar/events',
    '/calendar/events/v1x/events',
    '/calendar/events/v2/events',
    '/xx/calendar/events/v1/events',
    '/ca/ca/calendar/events/v1/events',
    '/wp-json/ca/tribe/events/v1/events',
    '/calendar/events/v1//events',
    '//calendar/events/v1/events',
    '/Calendar/events/v1/events',
    '/nowhere',
    ...[
      '/nowhere',
      '/Events',
      '/events/abc',
      '/events/-1',
      '/events/1.5',
      '/events/1e3',
      '/events/0x1',
      '/events/1/2',
      '/events/by-slug/',
      '/events/by-slug/a/b',
      `/events/by-slug/${'a'.repeat(2001)}`,
      '/categories/by-slug/arts',
      '/doc/x',
      '/events/1%2F',
      '/events%2F1',
    ].map((path) => ROOT + path),
  ]
  for (const path of nowhere) {
    const { status, body, headers } = await api.administrator.get(`/${path}`)
    t.same(
      { status, code: body.code, data: body.data },
      { status: 404, code: 'rest_no_route', data: { status: 404 } },
      path,
    )
    t.match(headers, { 'content-type': 'application/json; charset=utf-8' })
  }
})

t.test('no request can name the routes outside of the mounts by their inner prefix', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  const event = await seed(api)
  const { headers } = await api.anonymous.get(`//event/${event.slug}/`)
  t.equal(headers.location, `${BASE}${ROOT}/events/${event.id}`, 'the address of a record leads to it')
  const names = ['-site', '%2Dsite', '%2dsite', '-s%69te', '%2D%73%69%74%65', '-site/-site', '-sitemap']
  for (const name of names)
    for (const root of ['', ROOT, OTHER])
      for (const path of [`/event/${event.slug}`, '/media/x.png', ''])
        t.match(
          await api.anonymous.get(`/${root}/${name}${path}`),
          { status: 404, body: { code: 'rest_no_route' } },
          `${root}/${name}${path}`,
        )
})

t.test('a slash at the end makes no difference', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  for (const path of [
    '',
    '/doc',
    '/events',
    '/tags',
    `/events/${event.id}`,
    `/events/by-slug/${event.slug}`,
  ]) {
    const plain = await api.anonymous.get(path)
    const slash = await api.anonymous.get(`${path}/`)
    t.match(plain, { status: 200 })
    t.same(slash.text, plain.text, path)
    t.same((await api.anonymous.get(`${path}/?x=1`)).status, 200)
  }
  t.match(await api.editor.post('/tags/', { name: 'With a slash' }), { status: 201 })
  t.match(await api.editor.patch(`/events/${event.id}/`, { title: 'Slashed' }), { status: 200 })
})

t.test('an ID may have zeros in front, and one beyond all numbers is unknown', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  t.match(await api.anonymous.get(`/events/000${event.id}`), { status: 200, body: { id: event.id } })
  for (const id of ['0', '9007199254740993', '9'.repeat(400)])
    t.match(
      await api.anonymous.get(`/events/${id}`),
      { status: 404, body: { code: 'rest-event-not-found' } },
      id,
    )
})

t.test('an address that can not be decoded is 400', async (t) => {
  const { anonymous } = await build(t)
  for (const path of ['/%zz', '/events/%zz', '/events/by-slug/%', '/events/by-slug/%E0%A4%A', '/%ff']) {
    for (const root of [ROOT, OTHER, '']) {
      const { status, body } = await anonymous.get(`/${root}${path}`)
      t.match(
        { status, body },
        { status: 400, body: { code: 'rest_bad_request', data: { status: 400 } } },
        path,
      )
    }
  }
  t.match(await anonymous.get('/events?search=%zz'), { status: 200 }, 'a query is taken as far as it goes')
})

const by = (name: string) => ({ headers: { 'x-http-method-override': name } })

t.test('a POST stands for the method that it names, with all that goes with that', async (t) => {
  const { editor, author, anonymous, subscriber, app } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const path = `/events/${id}`
  t.match((await must(editor.post(`${path}?_method=PATCH`, { title: 'One' }))).title, 'One')
  const put = await editor.post(path, { title: 'Two' }, by('put'))
  t.match(put, { status: 200, body: { title: 'Two' } })
  t.equal(put.headers['x-ignored-fields'], undefined)
  t.equal(put.headers['x-ignored-parameters'], undefined)
  t.equal(refusal(await editor.post('/events', EVENT, by('PATCH'))), '405 rest_method_not_allowed')
  t.equal((await editor.post(`${path}?_method=PATCH`, { title: 'X' }, by('DELETE'))).body.status, 'publish')

  for (const client of [author, subscriber])
    t.equal(refusal(await client.post(`${path}?_method=DELETE`)), '403 rest_forbidden')
  t.equal(refusal(await anonymous.post(path, undefined, by('DELETE'))), '401 rest_forbidden')
  const stale = { headers: { ...by('DELETE').headers, 'if-match': '"old"' } }
  t.equal((await editor.post(path, undefined, stale)).status, 412)
  const foreign = { headers: { ...by('DELETE').headers, origin: 'https://evil.test' } }
  t.equal(refusal(await editor.post(path, undefined, foreign)), '403 rest_forbidden')
  t.equal(
    refusal(
      await editor.post(`${path}?_method=DELETE`, undefined, { headers: { origin: 'https://evil.test' } }),
    ),
    '403 rest_forbidden',
  )
  t.match(await must(editor.post(`${path}?_method=delete&force=1`)), { id })
  t.equal((await editor.get(path)).status, 404, 'it is gone')

  const { misses } = app.cacheCounts
  const list = await anonymous.post('/events?_method=GET', {})
  t.match(list, { status: 200, body: { events: [], total: 0 } })
  t.equal(list.headers['x-ignored-parameters'], undefined)
  t.equal(app.cacheCounts.misses, misses, 'what answers a POST is kept for no GET')
})

t.test('other methods stand for themselves, and a POST for nothing unknown', async (t) => {
  const { editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const path = `/events/${id}`
  t.equal((await editor.get(`${path}?_method=DELETE`)).body.id, id)
  t.equal((await editor.get(path, undefined, by('DELETE'))).body.id, id)
  t.equal((await editor.patch(`${path}?_method=DELETE`, { title: 'Kept' })).body.title, 'Kept')
  t.equal((await must(editor.post(`${path}?_method=post`, { title: 'Posted' }))).title, 'Posted')
  const before = (await editor.get(path)).body
  const unknown = await editor.post(`${path}?_method=REMOVE`, { title: 'X' })
  t.equal(refusal(unknown), '400 rest_invalid_param _method')
  t.match(unknown.body.message, /GET, PUT, PATCH, DELETE/)
  t.equal(
    refusal(await editor.post(path, { title: 'X' }, by('TRACE'))),
    '400 rest_invalid_param X-HTTP-Method-Override',
  )
  t.same((await editor.get(path)).body, before)
})
