import { eq } from 'drizzle-orm'
import { settings } from '../../drizzle/tables.ts'
import { must } from '../support/answers.ts'
import type { Api } from '../support/app.ts'
import { EVENT, ROOT } from '../support/given.ts'

const HOUR = 3_600_000
/** What hidden records and what passwords protect are recognised by. */
export const SECRET = 'zzsecretzz'

/** A picture without files, whose name is the same in every calendar. */
export async function pictureOf({ app, credentials }: Api, name: string): Promise<number> {
  const { media } = app.store
  const file = `2026/11/${name}.png`
  const loose = (await media.files.claim([file]))!
  const size = { width: 40, height: 30, filesize: 99 }
  const picture = { file, mime_type: 'image/png', extension: 'png', ...size, sizes: {}, origin_url: null }
  return media.create({ ...picture, loose }, { id: credentials.author.id, role: 'author' })
}

/** What everybody sees, with the same IDs and times in each calendar; and how far one has come who follows it. */
export async function seedPublic(api: Api) {
  const { app, editor, anonymous } = api
  await app.store.db.write(async (tx) => {
    await tx.update(settings).set({ value: 'the-same' }).where(eq(settings.name, 'site_id'))
  })
  const image = String(await pictureOf(api, 'poster'))
  const hall = await must(editor.post('/venues', { venue: 'Hall', image, geo_lat: 41, geo_lng: 2 }))
  const host = await must(editor.post('/organizers', { organizer: 'Troupe' }))
  const above = await must(editor.post('/categories', { name: 'Arts' }))
  const category = await must(editor.post('/categories', { name: 'Music', parent: above.id }))
  const unused = await must(editor.post('/tags', { name: 'Unused' }))
  const shown = { image, organizer: host.id, categories: [category.id], tags: ['Live'], featured: true }
  const event = await must(editor.post('/events', { ...EVENT, ...shown, venue: hall.id }))
  const other = await must(editor.post('/events', { ...EVENT, title: 'Nit', i18n_language: 'ca' }))
  const own = await must(editor.post('/events', { ...EVENT, title: 'Quiet', hide_from_listings: true }))
  const closed = await must(editor.post('/events', { ...EVENT, title: 'Closed', password: 'sesame' }))
  api.clock.now += HOUR
  const begun = await must(anonymous.get('/changes'))
  const partly = await must(anonymous.get('/changes?per_page=2'))
  return {
    ids: {
      events: [event.id, other.id, own.id] as number[],
      venues: [hall.id] as number[],
      organizers: [host.id] as number[],
      categories: [above.id, category.id] as number[],
      tags: [unused.id, event.tags[0].id] as number[],
      media: [Number(image)],
    },
    closed: closed.id as number,
    tokens: [begun.next_sync_token, partly.next_sync_token] as string[],
  }
}
export type Public = Awaited<ReturnType<typeof seedPublic>>

/** Records of all kinds in all hidden statuses, and what belongs to them; returns the IDs of one of each kind. */
export async function hideMuch(api: Api, { ids }: Public) {
  const { administrator: admin, clock } = api
  const secret = { description: SECRET, image: String(await pictureOf(api, SECRET)) }
  const linked = { categories: [...ids.categories, `${SECRET} category`], tags: [`${SECRET} tag`] }
  const [hall, host] = [ids.venues[0], ids.organizers[0]]
  const hidden: Record<string, number> = {}
  for (const status of ['draft', 'pending', 'private', 'future', 'trash'] as const) {
    const when = status === 'future' ? { date: '2027-05-01 10:00:00' } : {}
    const own = { ...secret, ...when, status: status === 'trash' ? 'draft' : status }
    for (const [plural, least] of [
      ['venues', { venue: SECRET }],
      ['organizers', { organizer: SECRET }],
      [
        'events',
        { ...EVENT, title: SECRET, slug: `${SECRET}-${status}`, ...linked, venue: hall, organizer: host },
      ],
    ] as const) {
      const { id } = await must(admin.post(`/${plural}`, { ...least, ...own }))
      if (status === 'trash') await must(admin.delete(`/${plural}/${id}`))
      else hidden[plural] = id
      clock.now += 1000
    }
  }
  // of what everybody sees: a translation, a host and a child that few see, and what a password protects
  const draft = { ...EVENT, title: SECRET, i18n_language: 'ca', status: 'draft' }
  const translation = await must(admin.post('/events', { ...draft, translation_of: ids.events[0] }))
  await must(
    admin.post('/events', { ...EVENT, title: SECRET, status: 'private', post_parent: ids.events[0] }),
  )
  const guarded = { ...secret, cost: '77', venue: hall, organizer: host, tags: [`${SECRET} guarded`] }
  hidden.translation = translation.id
  return { hidden, guarded }
}

/** Writes that only few see: afterwards everybody gets what they got before. */
export async function changeHidden(api: Api, of: Record<string, number>) {
  const { administrator: admin, clock, anonymous } = api
  const tags = (await must(admin.get('/tags?hide_empty=false&per_page=50'))).tags as {
    id: number
    name: string
  }[]
  const tag = tags.find(({ name }) => / (tag|renamed)$/.test(name))!
  const media = (await must(admin.get('/media'))).media as { id: number; source_url: string }[]
  const picture = media.find(({ source_url }) => source_url.includes(SECRET))!
  for (const [path, body] of [
    [`/venues/${of.venues}`, { venue: `${SECRET} again` }],
    [`/organizers/${of.organizers}`, { organizer: `${SECRET} again` }],
    [`/events/${of.events}`, { title: `${SECRET} again`, status: 'draft' }],
    [`/events/${of.translation}`, { i18n_language: 'es' }],
    [`/tags/${tag.id}`, { name: `${SECRET} renamed`, i18n_language: 'ca' }],
    [`/media/${picture.id}`, { alt_texts: { en: SECRET } }],
  ] as const) {
    await must(admin.patch(path, body))
    clock.now += 1000
  }
  await must(admin.delete(`/events/${of.translation}?force=true`))
  const user = await must(admin.post('/users', { login: `${SECRET}${clock.now}`, role: 'editor' }))
  await must(admin.post('/tokens', { user: user.id, name: SECRET, scopes: ['read'] }))
  await anonymous.get('/events')
}

const LISTS = ['events', 'venues', 'organizers', 'categories', 'tags']
const WIDE = 'start_date=2000-01-01&end_date=2100-01-01'

/** Filters, pages, feeds and files that the document does not name one by one. */
export const MORE = [
  ...LISTS.flatMap((plural) => [`/${plural}?per_page=1&page=2`, `/${plural}?search=${SECRET}`]),
  ...['categories', 'tags'].flatMap((plural) => [
    `/${plural}?hide_empty=false`,
    `/${plural}?hide_empty=false&orderby=count&order=desc`,
    `/${plural}?slug=${SECRET}-tag&hide_empty=false`,
    ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((id) => [
      `/${plural}/${id}`,
      `/${plural}?include=${id}`,
      `/events?${plural}=${id}`,
    ]),
    `/${plural}/1?i18n_language=ca`,
    `/events?${plural}=${SECRET}-tag`,
    `/events?${plural}=${SECRET}+tag`,
    `/events?${plural}=${SECRET}+category`,
    `/changes?${plural}=${SECRET}-tag`,
    `/events.rss?${plural}=${SECRET}-tag`,
  ]),
  ...['venues', 'organizers'].flatMap((plural) => [
    `/${plural}?has_events=true`,
    `/${plural}?has_events=false`,
    `/${plural}?only_with_upcoming=true`,
  ]),
  ...[
    '',
    'i18n_language=ca',
    'when=all',
    'orderby=modified',
    'geoloc=true',
    'featured=false',
    'venue=1',
    'organizer=2',
  ].map((query) => `/events?${WIDE}&${query}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((id) => `/media/${id}`),
  ...['/media?per_page=1', '/media?page=2', `/events?modified_after=2026-11-21T11:30:00Z`],
  ...['event', 'venue', 'organizer', 'category', 'tag'].map((kind) => `/changes?kind=${kind}&per_page=1`),
]

/** What is typed of a hidden title, and of what everybody sees. */
const TYPED = [
  SECRET,
  SECRET.slice(0, 4),
  SECRET.toUpperCase(),
  `concert ${SECRET.slice(0, 5)}`,
  'con',
  'h',
  'mus',
]
/** What is suggested for it. */
export const SUGGESTED = TYPED.flatMap((text) =>
  ['', '&i18n_language=en', '&i18n_language=ca'].map(
    (language) => `${ROOT}/suggest?q=${encodeURIComponent(text)}${language}`,
  ),
)

/** IDs that hidden records have, and some that nothing has. */
const IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
/** Collections that clients of WordPress read. */
export const POSTS = ['tribe_events', 'tribe_venue', 'tribe_organizer']
/** Those of terms. */
export const TERMS = ['tribe_events_cat', 'tags']
/** Lists with filters and pages, terms and pictures, for clients of WordPress. */
export const WORDPRESS = [
  '/wp-json/',
  ...['', '/types', '/taxonomies', `/search?search=${SECRET}`, '/search?search=concert'].map(
    (path) => `/wp-json/wp/v2${path}`,
  ),
  ...[...POSTS, ...TERMS, 'media'].flatMap((name) =>
    [
      '',
      '?_embed=1&per_page=100',
      '?per_page=1&page=2',
      `?search=${SECRET}`,
      `?slug=${SECRET}-private`,
      `?slug=${SECRET}-tag&hide_empty=false`,
      '?hide_empty=false',
      '?orderby=id&order=asc',
      ...IDS.map((id) => `?include=${id}`),
    ].map((query) => `/wp-json/wp/v2/${name}${query}`),
  ),
  ...[...TERMS, 'media'].flatMap((name) => IDS.map((id) => `/wp-json/wp/v2/${name}/${id}?_embed=1`)),
  ...TERMS.flatMap((name) => IDS.map((id) => `/wp-json/wp/v2/tribe_events?${name}=${id}`)),
  ...['events', 'venues', 'organizers', 'categories', 'tags'].flatMap((name) =>
    ['', '?per_page=1&page=2', `?search=${SECRET}`, ...IDS.map((id) => `?include=${id}`)].map(
      (query) => `/wp-json/tec/v1/${name}${query}`,
    ),
  ),
]

/** Addresses outside of the API. */
export const PAGES = [
  ...[
    '/',
    '/events/',
    '/events/?past=1',
    '/events/month/',
    '/events/month/2026-12/',
    '/events/day/2026-12-01/',
  ],
  ...[
    '/event/concert/',
    '/venue/hall/',
    '/organizer/troupe/',
    '/events/category/music/',
    '/events/tag/live/',
  ],
  ...['', '-draft', '-private', '-future', '-trash', '-trash__trashed'].map(
    (rest) => `/event/${SECRET}${rest}/`,
  ),
  ...[`/venue/${SECRET}/`, `/organizer/${SECRET}/`, `/venue/${SECRET}__trashed/`],
  ...[`/events/tag/${SECRET}-tag/`, `/events/category/${SECRET}-category/`, `/events/?tag=${SECRET}-tag`],
  ...[
    `/events/?venue=${SECRET}`,
    `/events/?search=${SECRET}`,
    '/ca/',
    '/ca/events/',
    '/es/events/month/2026-12/',
  ],
  ...[
    '/robots.txt',
    '/sitemap.xml',
    '/sitemap-list-1.xml',
    '/embed.js',
    '/embed',
    '/embed/',
    '/desk',
    '/desk/',
  ],
  ...['event', 'venue', 'organizer', 'category', 'tag'].map((kind) => `/sitemap-${kind}-1.xml`),
  ...['/healthz', '/readyz', '/health', '/version', '/metrics', '/media/2026/11/none.png', '/nowhere'],
  ...['/calendar/events/v1', '/wp-json/tribe/events/v1/events', '/ca/calendar/events/v1/events'],
]
