import { ROOT } from './given.ts'
import { SECRET } from './hidden.ts'

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
