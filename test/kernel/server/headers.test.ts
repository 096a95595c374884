import { runInNewContext } from 'node:vm'
import t from 'tap'
import { unfilled } from '../../../src/kernel/openapi/page.ts'
import { VERSION } from '../../../src/package.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { connectTo } from '../../support/connection.ts'
import { documentOf } from '../../support/document.ts'
import { elementsOf } from '../../support/hostile.ts'

const DATA_POLICY = "default-src 'none';frame-ancestors 'none'"
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';')

t.test('every answer tells browsers what it is, and what may be done with it', async (t) => {
  const { anonymous, editor } = await build(t)
  for (const answer of [
    await anonymous.get('/events'),
    await anonymous.get('/events/999'),
    await anonymous.get('/nowhere'),
    await anonymous.get('//nowhere'),
    await anonymous.get('//media/nothing.jpg'),
    await anonymous.get('/doc/start.js'),
    await anonymous.get('/events', undefined, { headers: { authorization: 'x' } }),
    await editor.post('/events', {}),
    await anonymous.send({ method: 'OPTIONS', url: `${ROOT}/events` }),
    await anonymous.delete('/events'),
  ]) {
    t.match(answer.headers, {
      'content-security-policy': DATA_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'x-frame-options': 'DENY',
      date: 'Sat, 21 Nov 2026 09:00:00 GMT',
    })
    t.notOk(answer.headers['permissions-policy'], 'of no use to data')
    const { server, 'x-powered-by': powered, 'strict-transport-security': strict } = answer.headers
    t.same([server, powered, strict], [undefined, undefined, undefined])
  }
  const secure = await build(t, { env: { BASE_URL: 'https://calendar.test' } })
  const { headers } = await secure.anonymous.get('/events')
  t.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
})

t.test('the page of the documentation works under its policy: all scripts are files of ours', async (t) => {
  const { anonymous } = await build(t)
  const asPage = { headers: { accept: 'text/html,*/*;q=0.8' } }
  for (const mount of [ROOT, '/ca/calendar/events/v1', '/wp-json/tribe/events/v1']) {
    const { text, headers } = await anonymous.get(`/${mount}/doc`, undefined, asPage)
    t.equal(headers['content-security-policy'], PAGE_POLICY)
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
    t.match(headers.vary, /accept/)
    let scripts = 0
    for (const { name, attribs, children } of elementsOf(text)) {
      for (const attribute of Object.keys(attribs)) t.notMatch(attribute, /^on|^style$/)
      if (name === 'script') {
        scripts++
        t.same(children, [], 'no script stands in the page')
      }
      const file = attribs.src ?? attribs.href
      if (!file) continue
      t.match(file, new RegExp(`^${mount}/doc/`), 'no other host')
      const loaded = await anonymous.get(`/${file}`)
      t.equal(loaded.status, 200, file)
      const type = { script: /javascript/, link: /css|image\/png/ }[name as 'script' | 'link']
      t.match(loaded.headers['content-type'], type)
    }
    t.equal(scripts, 2)
    const { text: start } = await anonymous.get(`/${mount}/doc/start.js`)
    t.match(start, `"version":"${VERSION}"`)
    t.notMatch(start, /<|https?:\/\/[^\s"]*\.js\b/)
  }
})

t.test('pages of any origin may read, with or without credentials of their own', async (t) => {
  const { anonymous, editor } = await build(t)
  const headers = { origin: 'https://anywhere.test' }
  for (const answer of [
    await anonymous.get('/events', undefined, { headers }),
    await editor.get('/events', undefined, { headers }),
    await anonymous.get('/events/999', undefined, { headers }),
    await anonymous.get('/events', undefined, { headers: { ...headers, authorization: 'x' } }),
  ]) {
    t.equal(answer.headers['access-control-allow-origin'], '*')
    t.equal(answer.headers['access-control-allow-credentials'], undefined, 'cookies have no meaning')
    t.match(answer.headers['access-control-expose-headers'], /RateLimit-Limit.*Retry-After.*Link.*ETag/)
  }
  const preflight = {
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  }
  const asked = await anonymous.send({
    method: 'OPTIONS',
    url: `${ROOT}/events`,
    headers: { ...headers, ...preflight },
  })
  t.match(asked, {
    status: 204,
    headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization' },
  })
})

t.test('a write from a page is taken from our own origin and from those that are named', async (t) => {
  const { editor, anonymous, fingerprint } = await build(t, { env: { CORS_ORIGINS: 'https://desk.test' } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [origin, host, expected] of [
    [undefined, 'calendar.test', 201],
    ['https://desk.test', 'calendar.test', 201],
    ['http://calendar.test', 'inside:3000', 201],
    ['http://localhost:3000', 'localhost:3000', 201],
    ['https://evil.test', 'calendar.test', 403],
    ['https://desk.test.evil.test', 'calendar.test', 403],
    ['http://desk.test', 'calendar.test', 403],
    ['http://calendar.test:81', 'calendar.test', 403],
    ['null', 'calendar.test', 403],
    ['', 'calendar.test', 403],
  ] as const) {
    const before = await fingerprint()
    const headers = { ...form, host, ...(origin !== undefined && { origin }) }
    const body = new URLSearchParams(EVENT).toString()
    const { status, body: answer } = await editor.post('/events', body, { headers })
    t.equal(status, expected, `${origin} at ${host}`)
    if (expected === 201) continue
    t.equal(answer.code, 'rest_forbidden')
    t.match(answer.message, /CORS_ORIGINS/)
    t.equal(await fingerprint(), before)
  }
  for (const method of ['put', 'patch', 'delete'] as const)
    t.equal(
      (await anonymous[method]('/events/1', {}, { headers: { origin: 'https://evil.test' } })).status,
      403,
    )
})

t.test('when the service itself fails, nobody is told how', async (t) => {
  const { app, anonymous, editor } = await build(t, { env: { PAGES: 'off' } })
  app.store.db.close()
  for (const answer of [
    await anonymous.get('/events'),
    await anonymous.get('/venues/1'),
    await anonymous.get('/categories'),
    await anonymous.get('/media/1'),
    await anonymous.get('//event/concert/'),
    await editor.get('/events'),
    await editor.post('/events', EVENT),
    await editor.delete('/tags/1'),
  ]) {
    const id = answer.body.data.request_id
    t.match(id, /^\w+-\w+$/)
    t.same(
      [answer.status, answer.body],
      [
        500,
        {
          code: 'internal_server_error',
          message: `An unexpected error occurred. Request ID: ${id}.`,
          data: { status: 500, request_id: id },
        },
      ],
    )
    t.notMatch(JSON.stringify(answer), /select|sqlite|database|\.ts:|node_modules|connection is/i)
  }
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('the documentation is a page for browsers and JSON for everyone else', async (t) => {
  const { app, anonymous } = await build(t)
  for (const accept of [BROWSER, 'text/html']) {
    const { status, headers, text } = await anonymous.get('/doc', undefined, { headers: { accept } })
    t.match({ status, headers }, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    t.match(headers.vary, /accept/i, 'caches keep both apart')
    t.match(text, '<title>Almanac API</title>', 'under its own title')
  }
  const document = documentOf(app)
  for (const accept of [undefined, '*/*', 'application/json', 'application/yaml', '']) {
    const headers = accept === undefined ? {} : { accept }
    const answer = await anonymous.get('/doc', undefined, { headers })
    t.match(
      answer.headers,
      { 'content-type': 'application/json; charset=utf-8', vary: /accept/i },
      `${accept}`,
    )
    t.same(answer.body, document, `${accept}`)
  }
})

t.test('all that the page needs is served beside it, at every mount', async (t) => {
  const { anonymous } = await build(t)
  for (const mount of [ROOT, '/ca/calendar/events/v1', '/wp-json/tribe/events/v1']) {
    const { text } = await anonymous.get(`/${mount}/doc`, undefined, { headers: { accept: BROWSER } })
    const named = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!)
    t.ok(named.every((address) => address.startsWith(`${mount}/doc/`)))
    const types = await Promise.all(
      named.map(async (address) => {
        const { status, headers } = await anonymous.get(`/${address}`)
        return [address.slice(mount.length), status, headers['content-type']]
      }),
    )
    t.same(types, [
      ['/doc/static/swagger-ui.css', 200, 'text/css; charset=utf-8'],
      ['/doc/static/favicon-32x32.png', 200, 'image/png'],
      ['/doc/style.css', 200, 'text/css; charset=utf-8'],
      ['/doc/static/swagger-ui-bundle.js', 200, 'application/javascript; charset=utf-8'],
      ['/doc/start.js', 200, 'text/javascript; charset=utf-8'],
    ])
  }
})

t.test('the page starts with the document of its own mount', async (t) => {
  const { app, anonymous } = await build(t)
  for (const mount of [ROOT, '/es/wp-json/tribe/events/v1']) {
    const { text } = await anonymous.get(`/${mount}/doc/start.js`)
    const started: Record<string, unknown>[] = []
    runInNewContext(text, { SwaggerUIBundle: (options: Record<string, unknown>) => started.push(options) })
    t.equal(started.length, 1)
    t.equal(started[0]!.dom_id, '#swagger-ui')
    const spec = JSON.parse(JSON.stringify(started[0]!.spec))
    t.same(spec, unfilled(documentOf(app, mount)))
    t.match(spec.components.parameters.Page, { example: undefined, description: / Example: `1`\.$/ })
    t.notMatch(text, '<', 'and nothing in it could end a script')
  }
})

t.test('only the assets of the page are served', async (t) => {
  const { anonymous } = await build(t)
  for (const path of [
    '/doc/static/',
    '/doc/static/nothing.js',
    '/doc/static/..%2f..%2fpackage.json',
    '/doc/nothing',
  ]) {
    const { status, body } = await anonymous.get(path)
    t.match({ path, status, body }, { path, status: 404, body: { code: 'rest_no_route' } })
  }
})

const LIST = '/events?category=jazz&s=x&limit=5&start_date_after=today&per_page=3&context=view&_locale=user'

t.test('parameters of an address that nobody understands are named on every answer', async (t) => {
  const lines: { level: number; ignored?: string[] }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { anonymous, editor, app } = await build(t, { logger: { level: 'debug', stream } })
  const named = async (path: string, client = anonymous) =>
    (await client.get(path)).headers['x-ignored-parameters']
  for (const time of ['made', 'made and kept', 'kept'])
    t.equal(await named(LIST), 'category, s, limit, start_date_after', time)
  t.equal(app.cacheCounts.hits, 1)
  t.same(lines.find(({ ignored }) => ignored)?.ignored, ['category', 's', 'limit', 'start_date_after'])
  t.equal(lines.find(({ ignored }) => ignored)?.level, 20)
  const cases: [path: string, expected: string | undefined][] = [
    ['/events?per_page=0&foo=1', 'foo'],
    ['/events/999?id=1', 'id'],
    ['/events?fo[o]=1&b%20a%0d=2', 'fo, b%20a%0D'],
    ['/?namespace=calendar/events/v1&x', 'x'],
    ['/media?i18n_language=ca', 'i18n_language'],
    ['/events?orderby=date&order=desc', 'orderby'],
    ['/events?orderby=Title&order=down', 'order'],
    ['/events?_method=DELETE', '_method'],
    ['/events?_wpnonce=1&rest_route=/&_=9&categories=1&tags[]=2', undefined],
    ['/nothing?x=1', undefined],
  ]
  for (const [path, expected] of cases) t.equal(await named(path), expected, path)
  const made = await editor.post('/events?titel=Jazz&dry_run=1', EVENT)
  t.equal(made.headers['x-ignored-parameters'], 'titel, dry_run')
  t.equal(
    (await editor.patch(`/events/${made.body.id}?title=New`, {})).headers['x-ignored-parameters'],
    undefined,
  )
  t.equal((await editor.delete(`/events/${made.body.id}?forced=1`)).headers['x-ignored-parameters'], 'forced')
  t.match(
    (await anonymous.send({ url: '/calendar/events/v1/events', headers: { origin: 'https://a.test' } }))
      .headers,
    {
      'access-control-expose-headers': /X-Ignored-Parameters.*X-Created-Terms/,
    },
  )
  await app.listen({ port: 0 })
  const connection = await connectTo((app.server.address() as { port: number }).port, () => true)
  for (const _ of [1, 2, 3])
    t.equal(
      (await connection.send('GET', '/calendar/events/v1/events?colour=red')).headers['x-ignored-parameters'],
      'colour',
    )
  connection.close()
})

t.test('a write names the terms that it made, and misspelt members inside what it links', async (t) => {
  const { editor } = await build(t)
  const jazz = await must(editor.post('/categories', { name: 'Jazz' }))
  const sent = {
    ...EVENT,
    categories: ['jazz', 'Rock, heavy'],
    tags: ['Été'],
    venue: { venue: 'Hall', adress: 'Main Street 1' },
    organizer: [
      { organizer: 'A', mail: 'a' },
      { organizer: 'B', mail: 'b' },
    ],
    colour: 'red',
  }
  const { status, headers, body } = await editor.post('/events', sent)
  t.equal(status, 201)
  const rock = body.categories.find(({ id }: { id: number }) => id !== jazz.id)
  t.equal(
    headers['x-created-terms'],
    `categories[${rock.id}]=Rock%2C%20heavy, tags[${body.tags[0].id}]=%C3%89t%C3%A9`,
  )
  t.equal(headers['x-ignored-fields'], 'colour, venue.adress, organizer.mail')
  const again = await editor.patch(`/events/${body.id}`, { categories: ['jazz'], venue: body.venue.id })
  t.equal(again.headers['x-created-terms'], undefined)
  t.equal(again.headers['x-ignored-fields'], undefined)
})

t.test('_fields is a list in every form', async (t) => {
  const { anonymous, editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  for (const query of [
    '_fields=id,title',
    '_fields[]=id&_fields[]=title',
    '_fields=id&_fields=title',
    '_fields[0]=id,title',
  ])
    t.same(Object.keys((await anonymous.get(`/events/${id}?${query}`)).body), ['id', 'title'], query)
  t.equal((await anonymous.get(`/events/${id}?_fields=`)).status, 400)
  t.equal((await anonymous.get(`/events/${id}?_fields[]=`)).status, 400)
})
