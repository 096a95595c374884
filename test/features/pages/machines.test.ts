import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { fillWithDemo } from '../../support/demo.ts'
import { elementsOf } from '../../support/hostile.ts'
import { visit } from '../../support/pages.ts'
import { faultsOf } from '../../support/structured-data.ts'

const SITE = 'http://calendar.test'

/** What a page tells machines: the attributes of `link` and `meta`, and the data of its script elements. */
async function told(api: Api, path: string) {
  const { status, text } = await visit(api, path)
  const elements = elementsOf(text)
  const all = (name: string) => elements.filter((element) => element.name === name)
  const links = all('link').map(({ attribs }) => attribs)
  const named = (name: string) =>
    all('meta').find(({ attribs }) => attribs.name === name || attribs.property === name)?.attribs.content
  return {
    status,
    canonical: links.filter(({ rel }) => rel === 'canonical').map(({ href }) => href),
    languages: links.filter(({ hreflang }) => hreflang).map(({ hreflang }) => hreflang!),
    feeds: links.filter(({ rel, type }) => rel === 'alternate' && type).map(({ href }) => href!),
    named,
    isHidden: named('robots') === 'noindex',
    data: [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, data]) =>
      JSON.parse(data!),
    ),
  }
}

t.test('another spelling of an address leads to it for good', async (t) => {
  const api = await build(t)
  const { id, venue, organizer, categories, tags } = await must(
    api.editor.post('/events', {
      ...EVENT,
      slug: 'one',
      venue: { venue: 'Hall' },
      organizer: { organizer: 'حفلة' },
      categories: ['Folk Music'],
      tags: ['live'],
    }),
  )
  const guild = organizer[0]
  for (const [from, to] of [
    ['/event/ONE/', '/event/one/'],
    ['/event/One?page=2&x=%20', '/event/one/?page=2&x=%20'],
    [`/event/${id}/`, '/event/one/'],
    [`/ca/event/${id}/`, '/ca/event/one/'],
    ['/venue/HALL/?when=past', '/venue/hall/?when=past'],
    [`/venue/${venue.id}`, '/venue/hall/'],
    [`/es/venue/${venue.id}`, '/es/venue/hall/'],
    [`/organizer/${guild.id}/`, `/organizer/${guild.slug}/`],
    [`/events/category/${categories[0].id}/`, '/events/category/folk-music/'],
    ['/events/category/Folk%20Music/', '/events/category/folk-music/'],
    ['/ca/events/category/FOLK-music/', '/ca/events/category/folk-music/'],
    [`/events/tag/${tags[0].id}/`, '/events/tag/live/'],
    ['/en/events/tag/live/', '/events/tag/live/'],
  ] as const) {
    const { status, headers } = await visit(api, from)
    t.same([status, headers.location], [301, to], from)
    t.equal((await visit(api, to)).status, 200, to)
  }
  const icon = await visit(api, '/favicon.ico')
  t.same([icon.status, icon.headers['cache-control']], [302, 'public, max-age=86400'])
  t.match(await visit(api, String(icon.headers.location)), {
    ...{ status: 200, headers: { 'content-type': 'image/svg+xml' } },
  })
  for (const spelling of [guild.slug, guild.slug.toUpperCase(), encodeURI('حفلة')])
    t.equal((await visit(api, `/organizer/${spelling}/`)).status, 200, spelling)
  await must(api.editor.delete(`/events/${id}`))
  t.equal((await visit(api, `/event/${id}/`)).status, 410)
  const draft = await must(api.editor.post('/events', { ...EVENT, status: 'draft' }))
  for (const path of [`/event/${draft.id}/`, '/event/99999/', `/venue/${draft.id}/`])
    t.equal((await visit(api, path)).status, 404, path)
})

t.test('what is searched or filtered is not indexed, and every page of a list knows itself', async (t) => {
  const api = await build(t)
  const about = { venue: { venue: 'Hall' }, categories: ['Jazz'], tags: ['live'] }
  const { venue } = await must(api.editor.post('/events', { ...EVENT, ...about }))
  const more = { venue: [venue.id], categories: ['Jazz'], tags: ['live'] }
  for (let count = 0; count < 31; count++)
    await must(api.editor.post('/events', { ...EVENT, ...more, title: `Set ${count}` }))
  for (const [path, canonical, isHidden, languages] of [
    ['/', '/', false, 4],
    ['/?utm_source=x', '/', false, 4],
    ['/events/?page=1', '/events/', false, 4],
    ['/ca/events', '/ca/events/', false, 4],
    ['/events/?page=2', '/events/?page=2', false, 0],
    ['/?page=2', '/events/?page=2', false, 0],
    ['/events/?when=past', '/events/?when=past', false, 4],
    ['/?search=x', '/events/', true, 0],
    ['/events/?category=jazz', '/events/?category=jazz', true, 0],
    ['/events/?venue=hall&page=2', '/events/?venue=hall&page=2', true, 0],
    ['/venue/hall/', '/venue/hall/', false, 4],
    ['/venue/hall/?page=2', '/venue/hall/?page=2', false, 0],
    ['/venue/hall/?tag=live', '/venue/hall/?tag=live', true, 0],
    ['/es/venue/hall/?when=past', '/es/venue/hall/?when=past', false, 4],
    ['/events/tag/live/', '/events/tag/live/', false, 4],
    ['/events/tag/live/?page=2', '/events/tag/live/?page=2', false, 0],
    ['/events/category/jazz/?language=all', '/events/category/jazz/?language=all', true, 0],
  ] as const) {
    const found = await told(api, path)
    t.same(
      [found.status, found.canonical, found.isHidden, found.languages.length],
      [200, [SITE + canonical], isHidden, languages],
      path,
    )
    t.equal(found.named('og:url'), SITE + canonical, path)
  }
  for (const path of ['/event/none/', '/nowhere', '/events/?page=99'])
    t.match(await told(api, path), { status: 404, isHidden: true, languages: [] }, path)
})

t.test('previews have a title, an address, and a picture where there is one', async (t) => {
  const api = await build(t)
  const { editor } = api
  await fillWithDemo(api)
  await must(editor.post('/events', { ...EVENT, slug: 'plain', title: 'A "plain" <one> & more' }))
  const plain = await told(api, '/event/plain/')
  t.equal(plain.named('og:title'), 'A "plain" <one> & more')
  t.same([plain.named('twitter:card'), plain.named('og:image')], ['summary', undefined])
  const { events } = (await api.anonymous.get('/events?per_page=50&start_date=2020-01-01')).body
  let pictures = 0
  for (const { url, image, title } of events) {
    const { status, named, data, canonical } = await told(api, url.slice(SITE.length))
    t.equal(status, 200, url)
    t.same([named('og:title'), named('og:url'), canonical], [title, url, [url]])
    for (const one of data) t.same(faultsOf(one), [], url)
    if (!image) continue
    pictures++
    t.same([named('twitter:card'), named('og:image')], ['summary_large_image', image.url])
    t.equal((await api.anonymous.get(`/${image.url.slice(SITE.length)}`)).status, 200)
  }
  t.ok(pictures > 10)
  for (const feed of (await told(api, '/events/')).feeds)
    t.equal((await api.anonymous.get(`/${feed}`)).status, 200, `${feed} exists`)
})
