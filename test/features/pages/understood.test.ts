import t from 'tap'
import { reduce } from '../../../src/kernel/cache.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'

const hits = async ({ app, anonymous }: Api, path: string) => {
  const before = app.cacheCounts.hits
  const { status, text, headers } = await anonymous.get(`/${path}`)
  return { isHit: app.cacheCounts.hits > before, status, text, etag: headers.etag }
}

t.test('a URL is reduced to what a route understands, in one spelling', async (t) => {
  const names = ['category', 'page']
  for (const [url, reduced] of [
    ['/events/', '/events/'],
    ['/events/?', '/events/'],
    ['/events/?x=1&&=&a[]=2', '/events/'],
    [
      '/events/?x=1&category=a%20b&page=2&category%5B%5D=c',
      '/events/?category=a%20b&page=2&category%5B%5D=c',
    ],
    ['/%65vents/m%C3%BAsica%2F?page=2#x', '/events/m%c3%basica%2f?page=2#x'],
    ['http://any.test/events/?x', '/events/'],
    ['/events/%', '/events/%'],
  ] as const)
    t.equal(reduce(url, names), reduced, url)
})

t.test('pages and site maps have one response for all parameters without an effect', async (t) => {
  for (const RATE_LIMIT of ['off', '1000']) {
    const api = await build(t, { env: { RATE_LIMIT } })
    await must(
      api.editor.post('/events', { ...EVENT, slug: 'one', categories: ['Music'], venue: { venue: 'Hall' } }),
    )
    for (const path of [
      ...['/', '/events/', '/events/?category=music', '/events/month/2026-12/', '/events/day/2026-12-01/'],
      ...['/event/one/', '/venue/hall/', '/events/category/music/?page=1', '/embed/?view=list&count=3'],
      ...['/sitemap.xml', '/sitemap-event-1.xml', '/sitemap-list-1.xml', '/robots.txt'],
    ]) {
      const plain = await hits(api, path)
      t.equal(plain.status, 200, path)
      const and = path.includes('?') ? '&' : '?'
      await hits(api, `${path}${and}x=1`)
      for (const more of ['x=2', 'a[]=1&a[b]=2', `utm_source=${'y'.repeat(2000)}`, 'password=x']) {
        const { isHit, text, etag } = await hits(api, path + and + more)
        t.same([isHit, text, etag], [true, plain.text, plain.etag], `${path} ${more}`)
      }
      t.ok((await hits(api, path)).isHit)
    }
    const spelled = await hits(api, '/%73itemap-event-1.xml?x')
    t.ok(spelled.isHit, 'in any spelling')
  }
})

t.test('what a route understands has a response of its own, and links say nothing else', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', { ...EVENT, categories: ['Music'] }))
  await must(api.editor.post('/events', { ...EVENT, title: 'Talk' }))
  for (let time = 0; time < 3; time++) await hits(api, '/events/?x=1')
  const { text } = await hits(api, '/events/?category=music&x=1')
  t.match(text, '<link rel="canonical" href="http://calendar.test/events/?category=music">')
  t.notMatch(text, 'x=1')
  t.notMatch(text, 'Talk')
  const { headers } = await api.anonymous.get('//events/month/?month=3&year=2027&category=music&x=1')
  t.equal(headers.location, '/events/month/2027-03/?category=music')
  const own = await api.anonymous.get('/events?x=1')
  t.equal(own.headers['x-ignored-parameters'], 'x', 'the API names them, so they are a part of its responses')
})

t.test('over a connection as well', async (t) => {
  const api = await build(t, { fresh: true })
  await api.app.listen({ port: 0 })
  const base = `http://127.0.0.1:${(api.app.server.address() as { port: number }).port}`
  for (let at = 0; at < 5; at++) t.equal((await fetch(`${base}/sitemap-list-1.xml?x=${at}`)).status, 200)
  t.same(api.app.cacheCounts, { hits: 3, misses: 2 })
})
