import { SaxesParser } from 'saxes'
import t from 'tap'
import { PART_SIZE } from '../../../src/calendar/lists/sitemap.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, visit } from '../../support/pages.ts'

const SITE = 'http://calendar.test'
type Entry = { loc: string; lastmod?: string; links: Record<string, string> }

/** The entries of a site map, read by a parser that refuses what is not well-formed. */
function entriesOf(xml: string): Entry[] {
  const entries: Entry[] = []
  const parser = new SaxesParser({ xmlns: true })
  let text = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, attributes }) => {
    text = ''
    if (local === 'url' || local === 'sitemap') entries.push({ loc: '', links: {} })
    if (local === 'link') entries.at(-1)!.links[attributes.hreflang!.value] = attributes.href!.value
  })
  parser.on('text', (more) => {
    text += more
  })
  parser.on('closetag', ({ local }) => {
    if (local === 'loc' || local === 'lastmod') entries.at(-1)![local] = text
  })
  parser.write(xml).close()
  return entries
}
const read = async (api: Api, path: string) => {
  const { status, text, headers } = await api.anonymous.get(`/${path}`)
  if (status !== 200 || headers['content-type'] !== 'application/xml; charset=utf-8')
    throw new Error(`${path} is ${status}`)
  return entriesOf(text)
}
/** All pages of all parts. */
async function readAll(api: Api): Promise<Entry[]> {
  const parts = await read(api, '/sitemap.xml')
  return (await Promise.all(parts.map(({ loc }) => read(api, loc.slice(SITE.length))))).flat()
}

t.test('robots.txt names the site map, at the root and below BASE_URL', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'https://example.test/agenda' } })
  for (const path of ['/robots.txt', '/agenda/robots.txt']) {
    const { status, text, headers } = await api.anonymous.get(`/${path}`)
    t.same(
      [status, headers['content-type'], text],
      [
        200,
        'text/plain; charset=utf-8',
        'User-agent: *\nDisallow:\n\nSitemap: https://example.test/agenda/sitemap.xml\n',
      ],
    )
  }
  t.match((await api.anonymous.get('//agenda/sitemap.xml')).text, '<loc>https://example.test/agenda/sitemap')
})

t.test('the site map has every page that anybody may see, and each answers at its own address', async (t) => {
  const api = await build(t)
  const about = { venue: { venue: 'Hall & Co' }, organizer: { organizer: 'Café Müller' } }
  const own = { ...EVENT, ...about, categories: ['Music'], tags: ['Live'] }
  await must(api.editor.post('/events', { ...own, title: 'حفلة في الحديقة' }))
  const one = await must(api.editor.post('/events', { ...EVENT, slug: 'one', language: 'en' }))
  await must(
    api.editor.post('/events', { ...EVENT, slug: 'un', i18n_language: 'ca', translation_of: one.id }),
  )
  await must(
    api.editor.post('/events', {
      ...EVENT,
      slug: 'over',
      start_date: '2001-01-01 10:00:00',
      end_date: '2001-01-01 11:00:00',
    }),
  )
  const all = await readAll(api)
  const paths = all.map(({ loc }) => loc.slice(SITE.length)).sort()
  t.equal(new Set(paths).size, paths.length, 'each stands there once')
  const inAll = (path: string) => ['', '/ca', '/es'].map((prefix) => prefix + path)
  t.same(
    paths.filter((path) => !path.includes('%')),
    [
      ...inAll('/'),
      ...inAll('/events/'),
      ...['today', 'tomorrow', 'weekend', 'next-7-days', 'online', 'free', 'subscribe'].flatMap((page) =>
        inAll(`/events/${page}/`),
      ),
      ...inAll('/events/category/music/'),
      ...inAll('/events/tag/live/'),
      ...inAll('/organizer/cafe-muller/'),
      ...inAll('/venue/hall-co/'),
      ...['/event/one/', '/event/over/', '/event/un/'],
    ].sort(),
  )
  for (const { loc, lastmod, links } of all) {
    const { status, text } = await visit(api, loc.slice(SITE.length))
    t.equal(status, 200, loc)
    const alternates = attributesOf(text, 'link', 'hreflang')
    const canonical = /<link rel="canonical" href="([^"]*)">/.exec(text)![1]
    t.equal(canonical, loc, 'the page knows itself at this address')
    t.same(alternates.sort(), Object.keys(links).sort(), `${loc} names the same languages`)
    for (const [language, href] of Object.entries(links)) {
      t.match(text, `<link rel="alternate" hreflang="${language}" href="${href}">`)
      const back = all.find((one) => one.loc === href)
      t.same(back?.links, links, `${href} names them as well`)
    }
    if (!/\/(events\/)?$/.test(loc.slice(SITE.length).replace(/^\/(ca|es)/, '')))
      t.match(lastmod, /^2026-11-21T09:00:0\dZ$/, loc)
  }
  t.same(all.find(({ loc }) => loc.endsWith('/event/un/'))!.links, {
    en: `${SITE}/event/one/`,
    ca: `${SITE}/event/un/`,
    'x-default': `${SITE}/event/one/`,
  })
})

t.test('translated venues, organizers and terms have one page in each language', async (t) => {
  const api = await build(t)
  const hall = await must(api.editor.post('/venues', { venue: 'Hall', slug: 'hall' }))
  const link = { i18n_language: 'ca', translation_of: hall.id }
  const sala = await must(api.editor.post('/venues', { venue: 'Sala', slug: 'sala', ...link }))
  const music = await must(api.editor.post('/categories', { name: 'Music' }))
  const musica = await must(
    api.editor.post('/categories', { name: 'Música', i18n_language: 'ca', translation_of: music.id }),
  )
  const vermut = await must(api.editor.post('/tags', { name: 'Vermut', i18n_language: 'ca' }))
  const more = { categories: [music.id, musica.id], tags: [vermut.id], venue: [hall.id, sala.id] }
  await must(api.editor.post('/events', { ...EVENT, slug: 'one', ...more }))
  const all = await readAll(api)
  const of = (part: string) => all.filter(({ loc }) => loc.includes(part)).map(({ loc }) => loc)
  t.same(
    of('/venue/'),
    ['/venue/hall/', '/es/venue/hall/', '/ca/venue/sala/'].map((path) => SITE + path),
  )
  t.same(
    of('/category/'),
    ['/events/category/music/', '/es/events/category/music/', '/events/category/musica/'].map(
      (path) => SITE + path,
    ),
  )
  t.same(
    of('/tag/'),
    ['/events/tag/vermut/', '/es/events/tag/vermut/'].map((path) => SITE + path),
  )
  const canonicalOf = async (path: string) =>
    /<link rel="canonical" href="([^"]*)">/.exec((await visit(api, path)).text)![1]
  for (const { loc, links } of all) {
    t.equal(await canonicalOf(loc.slice(SITE.length)), loc)
    for (const href of Object.values(links)) t.equal((await visit(api, href.slice(SITE.length))).status, 200)
  }
  t.equal(
    await canonicalOf('/es/venue/sala/'),
    `${SITE}/es/venue/hall/`,
    'of two venues that are one, Spanish readers find one',
  )
})

t.test('what is not for everybody is in no site map', async (t) => {
  const api = await build(t)
  const more = { organizer: { organizer: 'Secret guild' }, categories: ['Secret'], tags: ['secret'] }
  await must(api.editor.post('/events', { ...EVENT, ...more, slug: 'walled', password: 'sesame' }))
  await must(api.editor.post('/events', { ...EVENT, slug: 'unlisted', hide_from_listings: true }))
  for (const status of ['draft', 'pending', 'private'])
    await must(api.editor.post('/events', { ...EVENT, slug: `is-${status}`, status }))
  await must(api.editor.post('/events', { ...EVENT, slug: 'is-future', date: '2030-01-01 10:00:00' }))
  const { id } = await must(api.editor.post('/events', { ...EVENT, slug: 'is-trash' }))
  await must(api.editor.delete(`/events/${id}`))
  await must(api.editor.post('/venues', { venue: 'Sketch', status: 'draft' }))
  const all = await readAll(api)
  const found = all.filter(({ loc, links }) =>
    /walled|unlisted|is-|sketch/.test(JSON.stringify([loc, links])),
  )
  t.same(found, [])
  t.same(
    (await read(api, '/sitemap.xml')).map(({ loc }) => loc).filter((loc) => /-event-/.test(loc)),
    [],
    'a kind without pages has no part',
  )
  for (const path of ['/event/walled/', '/event/unlisted/'])
    t.match((await visit(api, path)).text, '<meta name="robots" content="noindex">', path)
})

t.test('a part has so many IDs, keeps its address, and is kept and revalidated', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', { ...EVENT, slug: 'first' }))
  await api.app.store.db.write(async (tx) => {
    tx.run(`update sqlite_sequence set seq = ${PART_SIZE * 120} where name = 'posts'`)
  })
  await must(api.editor.post('/events', { ...EVENT, slug: 'late' }))
  const parts = (await read(api, '/sitemap.xml')).filter(({ loc }) => /-event-/.test(loc))
  t.same(
    parts.map(({ loc }) => loc),
    [`${SITE}/sitemap-event-1.xml`, `${SITE}/sitemap-event-121.xml`],
  )
  t.match(parts[1]!.lastmod, /^2026-11-21T09:00:0\dZ$/)
  t.same(
    (await read(api, '/sitemap-event-121.xml')).map(({ loc }) => loc),
    [`${SITE}/event/late/`],
  )
  for (const path of ['/sitemap.xml', '/sitemap-event-1.xml', '/sitemap-list-1.xml', '/robots.txt']) {
    const { headers } = await api.anonymous.get(`/${path}`)
    const ask = { headers: { 'if-none-match': headers.etag! } }
    for (let time = 0; time < 3; time++)
      t.match(await api.anonymous.get(`/${path}`, undefined, ask), { status: 304, text: '' }, path)
    t.equal(headers['cache-control'], 'public, no-cache')
  }
  t.ok(api.app.cacheCounts.hits >= 4)
  for (const path of [
    '/sitemap-event-2.xml',
    '/sitemap-event-0.xml',
    '/sitemap-user-1.xml',
    '/sitemap-event-x.xml',
  ])
    t.match(await api.anonymous.get(`/${path}`), { status: 404, body: { code: 'rest_no_route' } }, path)
  await must(api.editor.post('/events', { ...EVENT, slug: 'later' }))
  t.match(
    (await api.anonymous.get('//sitemap-event-121.xml')).text,
    '/event/later/',
    'a write is seen at once',
  )
})

t.test('there is neither without pages', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  for (const path of ['/robots.txt', '/sitemap.xml', '/sitemap-list-1.xml'])
    t.match(await api.anonymous.get(`/${path}`), { status: 404, body: { code: 'rest_no_route' } }, path)
})
