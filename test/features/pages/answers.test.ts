import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT, NOW } from '../../support/app.ts'
import { attributesOf, BROWSER, visit } from '../../support/pages.ts'

const ask = (headers: Record<string, string>) => ({ headers: { ...BROWSER.headers, ...headers } })

t.test('pages are kept and revalidated like lists', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', { ...EVENT, slug: 'one', venue: { venue: 'Hall' }, tags: ['live'] }))
  for (const path of ['/', '/events/', '/event/one/', '/venue/hall/', '/events/tag/live/']) {
    const made = [await visit(api, path), await visit(api, path), await visit(api, path)]
    t.equal(new Set(made.map(({ text }) => text)).size, 1, path)
    for (const name of ['etag', 'content-type', 'cache-control', 'vary', 'content-security-policy'])
      t.equal(new Set(made.map(({ headers }) => headers[name])).size, 1, `${path} ${name}`)
    const [{ headers }] = made as [(typeof made)[0]]
    t.same([headers.vary, headers['cache-control']], ['Authorization, Accept-Encoding', 'public, no-cache'])
    const known = await api.anonymous.get(`/${path}`, undefined, ask({ 'if-none-match': headers.etag! }))
    t.same([known.status, known.text], [304, ''], path)
    t.equal((await api.anonymous.send({ method: 'HEAD', url: path })).headers.etag, headers.etag)
  }
  t.ok(api.app.cacheCounts.hits > 0)
  const before = (await visit(api, '/')).headers.etag
  await must(api.editor.post('/events', { ...EVENT, title: 'Another' }))
  t.not((await visit(api, '/')).headers.etag, before, 'a write is seen at once')
})

t.test('a list follows the clock', async (t) => {
  const api = await build(t)
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Soon over',
      start_date: '2026-11-21 09:00:00',
      end_date: '2026-11-21 09:01:00',
    }),
  )
  const isShown = async () => /Soon over/.test((await visit(api, '/events/')).text)
  for (let time = 0; time < 3; time++) t.ok(await isShown())
  api.clock.now = NOW + 60_000
  t.notOk(await isShown())
})

t.test('a page may request only its own files, which never change', async (t) => {
  const api = await build(t)
  const { headers, text } = await visit(api, '/events/')
  t.equal(
    headers['content-security-policy'],
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none';font-src 'self'",
  )
  t.match(headers['permissions-policy'], /camera=\(\), .*geolocation=\(\), .*publickey-credentials-get=\(\)/)
  t.notMatch(text, / style="| on\w+="|<style/)
  const files = [
    ...attributesOf(text, 'link', 'href').filter((href) => href.startsWith('/assets/')),
    ...attributesOf(text, 'script', 'src'),
  ]
  t.equal(files.length, 3)
  for (const file of files) {
    const answer = await api.anonymous.get(`/${file}`)
    t.match(
      answer,
      { status: 200, headers: { 'cache-control': 'public, max-age=31536000, immutable' } },
      file,
    )
  }
  t.equal((await api.anonymous.get('//assets/calendar-0.css')).status, 404)
})

t.test('what browsers do not ask for stays as it was', async (t) => {
  const api = await build(t, { fresh: true })
  for (const [path, accept] of [
    ['/nowhere', '*/*'],
    ['/nowhere', 'application/json'],
    ['/calendar/events/v1/nowhere', BROWSER.headers.accept],
    ['/calendar/events/v1/events/99', BROWSER.headers.accept],
  ] as const) {
    const { status, headers, body } = await api.anonymous.get(`/${path}`, undefined, { headers: { accept } })
    t.match(
      [status, headers['content-type'], body],
      [404, 'application/json; charset=utf-8', { code: String }],
      path,
    )
    t.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'")
  }
  t.match((await visit(api, '/nowhere')).headers.vary, /Accept, /)
  const wrong = await api.anonymous.get('//', undefined, ask({ authorization: 'Bearer no' }))
  t.match([wrong.status, wrong.headers['content-type']], [401, 'text/html; charset=utf-8'])
})

t.test('a failure is told with the number of its request', async (t) => {
  const api = await build(t)
  api.app.store.db.close()
  const { status, text } = await visit(api, '/ca/')
  t.equal(status, 500)
  t.match(text, 'Alguna cosa ha fallat')
  t.match(text, /<p class="kind">\w+-\w+<\/p>/)
})

t.test('name, logo, colour and style sheet of the site', async (t) => {
  const logo = join(t.testdir({ 'logo.SVG': '<svg/>', 'own.css': 'body{color:red}' }), 'logo.SVG')
  const own = join(t.testdirName, 'own.css')
  const api = await build(t, {
    env: { SITE_NAME: 'Vic & Co', SITE_LOGO: logo, SITE_STYLESHEET: own, SITE_COLOR: '#0af' },
  })
  const { text } = await visit(api, '/events/')
  const [image] = attributesOf(text, 'img', 'src')
  t.match(text, `<img src="${image}" alt="Vic &amp; Co">`)
  t.match(await api.anonymous.get(`/${image}`), { status: 200, headers: { 'content-type': 'image/svg+xml' } })
  const [style, second] = attributesOf(text, 'link', 'href').filter((href) => href.endsWith('.css'))
  t.equal((await api.anonymous.get(`/${second}`)).text, 'body{color:red}')
  t.match((await api.anonymous.get(`/${style}`)).text, /:root,:host\{--site-accent:#[0-9a-f]{6}\}/)
  writeFileSync(own, '')
  await t.rejects(build(t, { env: { SITE_LOGO: `${logo}.png` } }), {
    message: `SITE_LOGO is ${logo}.png, which can not be read: ENOENT`,
    unusable: true,
  })
})

t.test('header, footer, menu and links of the site', async (t) => {
  const folder = t.testdir({
    'header.html':
      '<p>Town of <a href="https://town.test">Vic</a></p><script>alert(1)</script><p onclick="x()">B</p>',
    'footer.en.html': '<p>In English</p>',
    'footer.ca.html': '<p>En català</p>',
    'footer.es.html': '',
  })
  const env = {
    SITE_HEADER: join(folder, 'header.html'),
    SITE_FOOTER: join(folder, 'footer.{language}.html'),
    SITE_MENU: 'Town & hall https://town.test/?a=1&b=2; Library /library/',
    SITE_LINKS: 'Legal notice /legal/',
  }
  const api = await build(t, { env })
  const { text } = await visit(api, '/')
  t.match(text, '<div class="own frame"><p>Town of <a href="https://town.test">Vic</a></p>\n<p>B</p></div>')
  t.notMatch(text, /alert|onclick/, 'sanitised as descriptions are')
  t.match(text, '<li><a href="https://town.test/?a=1&amp;b=2">Town &amp; hall</a></li>')
  t.match(text, '<ul class="links"><li><a href="/legal/">Legal notice</a></li></ul>')
  t.match(text, '<p>In English</p>')
  t.match((await visit(api, '/ca/events/')).text, '<p>En català</p>')
  t.notMatch((await visit(api, '/')).text, 'En català')
  await t.rejects(build(t, { env: { SITE_FOOTER: join(folder, '{language}.html') } }), {
    message: `SITE_FOOTER is ${join(folder, 'en.html')}, which can not be read: ENOENT`,
    unusable: true,
  })
})

t.test('without pages the addresses of records lead to the API, and there is nothing else', async (t) => {
  const api = await build(t, { env: { PAGES: 'off', BASE_URL: 'http://calendar.test/agenda' } })
  await must(api.editor.post('/events', { ...EVENT, slug: 'one' }))
  t.equal((await visit(api, '/event/one/')).status, 302)
  for (const path of [
    '/',
    '/agenda',
    '/agenda/',
    '/events/',
    '/ca/',
    '/assets/x.css',
    '/ca/event/one/',
    '/nowhere',
  ]) {
    const { status, body } = await visit(api, path)
    t.match([status, body], [404, { code: 'rest_no_route' }], path)
  }
})

t.test(
  'a BASE_URL with a path is in every link of a page, whether a proxy removes the path or not',
  async (t) => {
    const api = await build(t, { env: { BASE_URL: 'https://example.test/agenda' } })
    await must(
      api.editor.post('/events', { ...EVENT, slug: 'one', venue: { venue: 'Hall' }, categories: ['Jazz'] }),
    )
    for (const way of ['', '/agenda']) {
      for (const path of [
        '/',
        '/events/?page=1',
        '/event/one/',
        '/venue/hall/',
        '/events/category/jazz/',
        '/ca/',
        '/es/events',
        '/ca/event/one/',
      ]) {
        const { status, text } = await visit(api, way + path)
        t.equal(status, 200, way + path)
        const links = ['a', 'link', 'form', 'script', 'img'].flatMap((element) =>
          ['href', 'src', 'action'].flatMap((name) => attributesOf(text, element, name)),
        )
        const own = links.filter(
          (link) => !/^(https:\/\/(calendar\.google|outlook\.live)\.com\/|#)/.test(link),
        )
        t.same(
          own.filter((link) => !/^(https:\/\/example\.test)?\/agenda\//.test(link)),
          [],
          path,
        )
        t.match(text, '<link rel="canonical" href="https://example.test/agenda/')
      }
      t.match(await visit(api, `${way}/en/events/`), {
        status: 301,
        headers: { location: '/agenda/events/' },
      })
      t.equal((await visit(api, `${way}/ca/nowhere`)).status, 404)
      const [style] = attributesOf((await visit(api, `${way}/`)).text, 'link', 'href').filter((href) =>
        href.endsWith('.css'),
      )
      t.equal((await visit(api, style!.replace('/agenda', way))).status, 200)
    }
    for (const path of ['/agenda', '/agenda?page=1']) t.equal((await visit(api, path)).status, 200, path)
    t.equal((await visit(api, '/agendas')).status, 404)
  },
)
