import t from 'tap'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const API = '/wp-json/tribe/events/v1'
const BASE = 'http://calendar.test'

t.test('the index below /wp-json names the site, its namespaces and its routes', async (t) => {
  const { anonymous } = await build(t, { env: { TIMEZONE: 'America/St_Johns', SITE_NAME: 'Agenda' } })
  for (const path of ['/wp-json', '/wp-json/', '/wp-json/?context=view']) {
    const { status, headers, body } = await anonymous.get(`/${path}`)
    t.equal(status, 200, path)
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.match(body, {
      name: 'Agenda',
      url: BASE,
      home: BASE,
      gmt_offset: -3.5,
      timezone_string: 'America/St_Johns',
      namespaces: ['tribe/events/v1'],
    })
    t.match(body.routes['/tribe/events/v1/events'], {
      namespace: 'tribe/events/v1',
      methods: ['GET', 'POST'],
      _links: { self: [{ href: `${BASE}${API}/events` }] },
    })
  }
  for (const url of ['/wp-json', '/wp-json/'])
    t.equal((await anonymous.send({ method: 'HEAD', url })).status, 200, url)
  t.same((await anonymous.get('//wp-json/?_fields=name')).body, { name: 'Agenda' })
  t.match((await anonymous.get('//ca/wp-json/')).body.routes['/tribe/events/v1/tags'], {
    _links: { self: [{ href: `${BASE}/ca${API}/tags` }] },
  })
})

t.test('the offset of the site follows its clock', async (t) => {
  const { anonymous, clock } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const offset = async () => (await anonymous.get('//wp-json/')).body.gmt_offset
  t.equal(await offset(), 1)
  clock.now = Date.parse('2027-07-01T00:00:00Z')
  t.equal(await offset(), 2)
})

t.test('what is not there answers in JSON, also to browsers', async (t) => {
  const { anonymous } = await build(t)
  for (const path of [
    '/wp-json/wp/v3',
    '/wp-json/tribe',
    '/wp-json//',
    '/wp-json/-site/events/',
    '/ca/wp-json/none',
    '/?rest_route=/none',
    '/index.php?rest_route=/tribe/events/v1/none',
    '/fr/wp-json/x',
    '/fr/wp-json',
    '/index.php/wp-json/none',
    '/fr/index.php/wp-json/wp/v2/tags',
    '/fr/?rest_route=/tribe/events/v1/events',
    '/none/deep/?rest_route=/tribe/events/v1/events',
    '/-site/events/?rest_route=/tribe/events/v1/events',
    '/wp-json/none?rest_route=/tribe/events/v1/events',
  ]) {
    const { status, headers, body } = await anonymous.get(`/${path}`, undefined, {
      headers: { accept: 'text/html' },
    })
    t.equal(status, 404, path)
    t.equal(headers['content-type'], 'application/json; charset=utf-8', path)
    t.match(body, { code: 'rest_no_route', data: { status: 404 } }, path)
  }
  t.equal((await anonymous.get('//wp-jsonx/')).status, 404)
  const html = { headers: { accept: 'text/html' } }
  for (const path of ['/ca/none', '/fr/wp-jsonx', '/event/wp-json/', '/events/wp-json'])
    t.match((await anonymous.get(`/${path}`, undefined, html)).headers['content-type'], 'text/html', path)
  t.equal((await anonymous.get('//healthz?rest_route=/tribe/events/v1/events')).body.events, undefined)
  t.equal((await anonymous.post('//wp-json/', {})).status, 405)
})

t.test('pages lead to the API in headers and in their heads', async (t) => {
  const api = await build(t)
  await api.editor.post('/events', { ...EVENT, categories: ['Arts & crafts'], tags: ['Open air'] })
  const cases: [path: string, language: string, shown: string][] = [
    ['/', '', ''],
    ['/events/', '', ''],
    ['/events/month/2026-12/', '', ''],
    ['/ca/events/', '/ca', ''],
    ['/event/concert/', '', 'events/by-slug/concert'],
    ['/events/category/arts-crafts/', '', 'events/?categories=arts-crafts'],
    ['/events/tag/open-air/', '', 'events/?tags=open-air'],
    ['/event/none%22/', '', 'events/by-slug/none%22'],
  ]
  for (const [path, language, shown] of cases) {
    const { headers, text } = await api.anonymous.get(`/${path}`)
    t.match(
      headers,
      {
        link: `<${BASE}${language}/wp-json/>; rel="https://api.w.org/"`,
        'x-tec-api-version': 'v1',
        'x-tec-api-root': `${BASE}${language}${API}/${shown}`,
        'x-tec-api-origin': BASE,
      },
      path,
    )
    t.match(text, `<link rel="https://api.w.org/" href="${BASE}${language}/wp-json/">`, path)
    t.match(text, '<meta name="tec-api-version" content="v1">', path)
    t.match(text, `<meta name="tec-api-origin" content="${BASE}">`, path)
    t.match(text, `<link rel="alternate" href="${BASE}${language}${API}/">`, path)
  }
  const head = await api.anonymous.send({ method: 'HEAD', url: '/' })
  t.equal(head.headers['x-tec-api-root'], `${BASE}${API}/`)
  const found = /<(.*?)>; rel="https:\/\/api.w.org\/"/.exec(head.headers.link!)![1]!
  const { body } = await api.anonymous.get(`/${found.slice(BASE.length)}`)
  t.ok(body.namespaces.includes('tribe/events/v1'))
  const root = (await api.anonymous.get('//event/concert/')).headers['x-tec-api-root']!
  t.equal((await api.anonymous.get(`/${root.slice(BASE.length)}`)).body.title, 'Concert')
  for (const path of [`/${ROOT}/events`, '//assets/none.js', '//healthz'])
    t.equal((await api.anonymous.get(path)).headers['x-tec-api-root'], undefined, path)
})

t.test('rest_route is another way to the same answers, with every method', async (t) => {
  const { anonymous, editor } = await build(t)
  const created = await editor.post('//?rest_route=/tribe/events/v1/events', EVENT)
  t.equal(created.status, 201)
  const { id } = created.body
  const same = async (path: string, other: string) => {
    const [one, two] = [await anonymous.get(`/${path}`), await anonymous.get(`/${other}`)]
    t.same([one.status, one.body], [two.status, two.body], path)
    t.equal(one.headers['content-type'], 'application/json; charset=utf-8', path)
  }
  for (const front of [
    '/',
    '/index.php',
    '/index.php/',
    '/events/',
    '/event/concert',
    '/venue/none/',
    '/feed/',
  ])
    for (const [query, path] of [
      [`rest_route=/tribe/events/v1/events/${id}`, `${API}/events/${id}`],
      [`rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents%2F${id}`, `${API}/events/${id}`],
      [`rest_route=tribe/events/v1/events/${id}/`, `${API}/events/${id}`],
      ['per_page=1&rest_route=/tribe/events/v1/events&page=1', `${API}/events?per_page=1&page=1`],
      ['rest_route=/none&rest_route=/tribe/events/v1/tags', `${API}/tags`],
      ['rest_route=/tribe/events/v1/events/by-slug/con+cert', `${API}/events/by-slug/con%20cert`],
      ['rest_route=/', '/wp-json/'],
      ['rest_route=', '/wp-json/'],
    ] as const)
      await same(`${front}?${query}`, path)
  for (const path of ['/wp-json/', `${API}/events/${id}`, '/wp-json/wp/v2/tags?per_page=1'])
    await same(`/index.php${path}`, path)
  for (const front of ['/ca', '/ca/', '/ca/index.php', '/ca/events/list/'])
    await same(`${front}?rest_route=/tribe/events/v1/events`, `/ca${API}/events`)
  t.equal(
    (await anonymous.send({ method: 'HEAD', url: `/?rest_route=/tribe/events/v1/events/${id}` })).status,
    200,
  )
  const calendar = await anonymous.get('//?rest_route=/tribe/events/v1/events&ical=1')
  t.match(calendar.headers['content-type'], 'text/calendar')

  for (const front of ['/', '/index.php']) {
    const route = `/${front}?rest_route=/tribe/events/v1/events`
    const { body } = await editor.post(route, EVENT)
    const at = `${route}/${body.id}`
    t.equal((await anonymous.patch(at, { title: 'Other' })).status, 401)
    t.equal((await editor.patch(at, { title: 'Other' })).body.title, 'Other')
    t.equal((await editor.put(at, { title: 'Third' })).body.title, 'Third')
    t.equal((await editor.post(at, { title: 'Fourth' })).body.title, 'Fourth')
    t.equal((await anonymous.delete(at)).status, 401)
    t.equal((await editor.delete(at)).body.status, 'trash')
    t.equal((await editor.post(`${at}&_method=DELETE&force=true`)).status, 200)
    t.equal((await editor.get(at)).status, 404)
    const sent = await editor.post(
      `/${front}?rest_route=/wp/v2/media`,
      await draw(20, 20),
      raw('stage.png', 'image/png'),
    )
    t.match([sent.status, sent.body.media_type], [201, 'image'])
  }
})

t.test('a rest_route that leads nowhere is refused, and never followed', async (t) => {
  const { anonymous } = await build(t)
  const cases: [route: string, status: number][] = [
    ['//evil.example/', 404],
    ['/?rest_route=/tribe/events/v1/events', 404],
    ['/wp-json/tribe/events/v1/events', 404],
    ['/tribe/events/v1/../../../healthz', 404],
    ['/tribe/events/v1/-site/version', 404],
    ['/-site/version', 404],
    ['%2F%2Fevil.example', 404],
    ['/tribe/events/v1/events%3Fper_page=1', 404],
    ['%zz', 400],
    [`/tribe/events/v1/${'a/'.repeat(3_000)}`, 404],
    ['/tribe/events/v1/events%00', 404],
  ]
  for (const [route, status] of cases) {
    const { status: told, headers, body } = await anonymous.get(`//?rest_route=${route}`)
    t.equal(told, status, route)
    t.equal(headers.location, undefined, route)
    t.equal(body.data.status, status, route)
  }
  t.match((await anonymous.get('//?other_rest_route=/')).headers['content-type'], 'text/html')
})

t.test('the answer of the front page is never that of a rest_route', async (t) => {
  const { anonymous } = await build(t)
  for (let again = 0; again < 3; again++) {
    t.match((await anonymous.get('//')).headers['content-type'], 'text/html')
    t.ok(Array.isArray((await anonymous.get('//?rest_route=/tribe/events/v1/events')).body.events))
    t.match((await anonymous.get('//events/')).headers['content-type'], 'text/html')
    t.ok(Array.isArray((await anonymous.get('//events/?rest_route=/tribe/events/v1/events')).body.events))
  }
})

t.test('all of it is below the path of BASE_URL, whether a proxy removes the path or not', async (t) => {
  const { anonymous } = await build(t, { env: { BASE_URL: 'https://example.test/agenda' } })
  for (const way of ['/agenda', '']) {
    t.equal((await anonymous.get(`/${way}/wp-json/`)).body.url, 'https://example.test/agenda')
    t.ok((await anonymous.get(`/${way}/?rest_route=/tribe/events/v1/events`)).body.events)
    t.equal((await anonymous.get(`/${way}/wp-json/none`)).body.code, 'rest_no_route')
    t.equal((await anonymous.get(`/${way}/`)).headers['x-tec-api-root'], `https://example.test/agenda${API}/`)
  }
})

t.test('without pages the addresses of the API are the same', async (t) => {
  const { anonymous } = await build(t, { env: { PAGES: 'off' } })
  t.equal((await anonymous.get('//wp-json/')).status, 200)
  t.equal((await anonymous.get('//?rest_route=/tribe/events/v1/events')).status, 200)
  t.equal((await anonymous.get('//')).status, 404)
})

t.test('without a compatibility prefix below /wp-json nothing of it is there', async (t) => {
  for (const COMPAT_PREFIXES of ['', '/other/v1']) {
    const { anonymous } = await build(t, { env: { COMPAT_PREFIXES } })
    for (const path of ['/wp-json', '/wp-json/', '/index.php?rest_route=/tribe/events/v1/events', '/feed/'])
      t.equal((await anonymous.get(`/${path}`)).status, 404, path)
    for (const path of ['/', '/?rest_route=/tribe/events/v1/events']) {
      const { headers, text } = await anonymous.get(`/${path}`)
      t.match(headers['content-type'], 'text/html', path)
      t.equal(headers['x-tec-api-root'], undefined)
      t.notMatch(text, /api\.w\.org|tec-api/)
    }
  }
})
