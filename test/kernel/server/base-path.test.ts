import t from 'tap'
import { almanac } from '../../support/almanac.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'

const BASE = 'https://example.test/agenda'
/** What a proxy passes on: the whole path, or the path without that of BASE_URL. */
const WAYS = ['/agenda', '']
const BROWSER = { headers: { accept: 'text/html' } }

t.test('a BASE_URL with a path is in every link, whether a proxy removes the path or not', async (t) => {
  const { anonymous, editor } = await build(t, { env: { BASE_URL: BASE, PAGES: 'off' } })
  const api = BASE + ROOT
  for (const [at, way] of WAYS.entries()) {
    const { headers, body } = await editor.post(`/${way}${ROOT}/events`, { ...EVENT, title: `Concert ${at}` })
    t.equal(headers.location, `${api}/events/${body.id}`)
    t.match(body, { rest_url: headers.location, url: `${BASE}/event/concert-${at}/` })
  }
  for (const way of WAYS) {
    const { body } = await anonymous.get(`/${way}${ROOT}/events?per_page=1`)
    t.match(body, { total: 2, rest_url: `${api}/events/?`, next_rest_url: `${api}/events/?` })
    t.equal(new URL(body.next_rest_url).searchParams.get('page'), '2')
    const catalan = await anonymous.get(`/${way}/ca${ROOT}/events`)
    t.match(catalan.body, { total: 0, rest_url: `${BASE}/ca${ROOT}/events/` })
    const { status, headers } = await anonymous.get(`/${way}/event/concert-0/`)
    t.match([status, headers.location], [302, `${api}/events/1`])
    for (const path of ['/healthz', '/version?x'])
      t.equal((await anonymous.get(`/${way}${path}`)).status, 200)
    t.equal((await anonymous.get(`/${way}/events/other`)).status, 404)
    t.equal((await anonymous.get(`/${way}${ROOT}/-site/version`)).status, 404)
  }
})

t.test('each page is at its address below the path, whether a proxy removes the path or not', async (t) => {
  const { anonymous, editor } = await build(t, { env: { BASE_URL: BASE } })
  const { body } = await editor.post('/events', {
    ...EVENT,
    ...{ title: 'Jazz', venue: { venue: 'Hall' }, organizer: { organizer: 'Club' }, tags: ['Free'] },
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
  })
  const own = body.url.slice(BASE.length + 1)
  const records = [own, 'series/jazz/', 'venue/hall/', 'organizer/club/', 'events/tag/free/']
  const lists = ['', 'events/', 'events/month/2026-11/', 'events/day/2026-11-20/', 'embed/', 'ca/events/']
  const files = ['embed.js', 'robots.txt', 'sitemap.xml', 'sitemap-list-1.xml']
  for (const way of WAYS) {
    for (const path of [...records, ...lists, ...files])
      t.equal((await anonymous.get(`/${way}/${path}`)).status, 200, path)
    const { status, headers } = await anonymous.get(`/${way}/en/series/other/`)
    t.match([status, headers.location], [301, '/agenda/series/other/'])
    for (const path of ['series/other/', 'series/', 'agenda/agenda/events/', 'sitemap-list-1xml'])
      t.equal((await anonymous.get(`/${way}/${path}`)).status, 404, path)
  }
})

t.test('images are at their address below the path', async (t) => {
  const { anonymous, author } = await build(t, { env: { BASE_URL: BASE } })
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="pixel.png"' }
  const { status, body } = await author.post('/media', pixel, { headers })
  t.equal(status, 201)
  t.ok(body.url.startsWith(`${BASE}/media/2026/11/pixel-`))
  for (const way of WAYS) {
    const answer = await anonymous.get(`/${body.url.replace(BASE, way)}`)
    t.match([answer.status, answer.headers['content-type']], [200, 'image/png'])
  }
  const event = await author.post('/events', { ...EVENT, image: body.url })
  t.equal(event.body.image.id, body.id, 'and known by it')
})

t.test('/doc finds its files and its server below the path', async (t) => {
  const { anonymous } = await build(t, { env: { BASE_URL: BASE } })
  for (const way of WAYS) {
    const { text } = await anonymous.get(`/${way}${ROOT}/doc`, undefined, BROWSER)
    const files = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file]) => file!)
    t.equal(files.length, 5)
    for (const file of files) {
      t.ok(file.startsWith(`/agenda${ROOT}/doc/`), file)
      t.equal((await anonymous.get(`/${way}${file.slice('/agenda'.length)}`)).status, 200)
    }
    const { body } = await anonymous.get(`/${way}${ROOT}/doc`)
    t.same(body.servers, [{ url: `/agenda${ROOT}` }])
    t.match((await anonymous.get(`/${way}${ROOT}/doc/start.js`)).text, `"servers":[{"url":"/agenda${ROOT}"}]`)
  }
  const { printed } = await almanac(':memory:', ['openapi'], false, { BASE_URL: BASE })
  t.same(JSON.parse(printed).servers, [{ url: `/agenda${ROOT}` }])
})

t.test('a path that is also the first word of addresses outside the API takes none of them', async (t) => {
  const { anonymous, editor } = await build(t, {
    env: { BASE_URL: 'https://example.test/events', PAGES: 'off' },
  })
  await editor.post('/events', { ...EVENT, tags: ['Jazz'] })
  for (const way of ['/events', '']) {
    const { status, headers } = await anonymous.get(`/${way}/events/tag/jazz/`)
    t.match([status, headers.location], [302, `https://example.test/events${ROOT}/tags/1`])
  }
})

t.test('a path that would make addresses ambiguous is refused', async (t) => {
  const message = `BASE_URL must not end with /ca, because /ca${ROOT} is a path of the API itself`
  await t.rejects(build(t, { env: { BASE_URL: 'https://example.test/ca/' } }), { message, unusable: true })
  await t.resolves(build(t, { env: { BASE_URL: 'https://example.test/ca', LANGUAGES: 'en' } }))
})
