import { runInNewContext } from 'node:vm'
import t from 'tap'
import { build, ROOT } from './support/app.ts'
import { documentOf } from './support/document.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

t.test('the documentation is a page for browsers and JSON for everyone else', async (t) => {
  const { app, anonymous } = await build(t)
  for (const accept of [BROWSER, 'text/html']) {
    const { status, headers, text } = await anonymous.get('/doc', undefined, { headers: { accept } })
    t.match({ status, headers }, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    t.match(headers.vary, /accept/i, 'caches keep both apart')
    t.match(text, '<title>Almanac API</title>', 'under its own title')
  }
  for (const accept of [undefined, '*/*', 'application/json', 'application/yaml', '']) {
    const headers = accept === undefined ? {} : { accept }
    const answer = await anonymous.get('/doc', undefined, { headers })
    t.match(
      answer.headers,
      { 'content-type': 'application/json; charset=utf-8', vary: /accept/i },
      `${accept}`,
    )
    t.same(answer.body, documentOf(app), `${accept}`)
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
    t.same(JSON.parse(JSON.stringify(started[0]!.spec)), documentOf(app, mount))
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
