import { storedStem } from '../../kernel/text/text.ts'
import { toEpoch, toWall } from '../../kernel/time/dates.ts'

/** A record as its own endpoints show it, of which the forms of WordPress are made: what is hidden there is hidden here. */
// biome-ignore lint/suspicious/noExplicitAny: members differ by kind
export type Own = Record<string, any>

/** Where the REST API of WordPress is, without a slash at the end: `https://cal.example/wp-json`. */
export type Where = { rest: string }

/** Whether a record is shown for a page, or to be changed, with what was written beside what is rendered. */
export type Context = 'view' | 'embed' | 'edit'

const ESCAPES: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;' }

/** One line of plain text as HTML. */
const escaped = (text: string) => text.replace(/[&<>]/g, (character) => ESCAPES[character]!)

/** A text, as HTML and, to be changed, as it was written. */
export const rendered = (context: Context, html: string, raw: string = html) => ({
  rendered: html,
  ...(context === 'edit' && { raw }),
})

/** A local time, `2026-12-01T20:00:00`. */
export const moment = (wall: string) => wall.replace(' ', 'T')

/** Links of a record: relation and addresses. */
export type Links = Record<string, ({ href: string } & Record<string, unknown>)[]>

/** One link. */
export const link = (href: string, more: Record<string, unknown> = {}) => [{ href, ...more }]

/** The kinds of records that WordPress knows as posts, by the member that is their title. */
export type PostType = (typeof POST_TYPES)[number]
/** Their names. */
export const POST_TYPES = ['tribe_events', 'tribe_venue', 'tribe_organizer'] as const
export const TITLES = { tribe_events: 'title', tribe_venue: 'venue', tribe_organizer: 'organizer' } as const

/** The title of a record, as plain text. */
export const titleOf = (type: PostType, own: Own): string => own[TITLES[type]]

const idsOf = (records: Own[]): number[] => records.map(({ id }) => id)

/** The ID of the picture of a record; 0 without one. */
export const pictureOf = ({ image }: Own): number => (image ? image.id : 0)

/** A record as a post of WordPress: dates in the time zone of the site, terms and picture by ID. */
export function postShown(type: PostType, own: Own, context: Context) {
  const title = titleOf(type, own)
  const hidden = own.protected === true
  const text = (html = '') => ({ ...rendered(context, html), protected: hidden })
  const all = {
    id: own.id,
    date: moment(own.date),
    date_gmt: moment(own.date_utc),
    guid: rendered(context, own.url),
    modified: moment(own.modified),
    modified_gmt: moment(own.modified_utc),
    slug: own.slug,
    status: own.status,
    type,
    link: own.url,
    title: rendered(context, escaped(title), title),
    content: text(own.description),
    excerpt: text(own.excerpt),
    author: Number(own.author),
    featured_media: pictureOf(own),
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: type === 'tribe_events' ? metaOf(own) : [],
    ...(type === 'tribe_events' && { tags: idsOf(own.tags), tribe_events_cat: idsOf(own.categories) }),
  }
  if (context !== 'embed') return all
  const { id, date, slug, status, link, author, featured_media } = all
  return { id, date, slug, status, type, link, title: all.title, author, featured_media }
}

/** The fields in which The Events Calendar keeps when, where and by whom an event is. */
const metaOf = ({ venue, organizer, ...own }: Own) => ({
  _EventStartDate: own.start_date,
  _EventEndDate: own.end_date,
  _EventStartDateUTC: own.utc_start_date,
  _EventEndDateUTC: own.utc_end_date,
  _EventTimezone: own.timezone,
  _EventAllDay: own.all_day,
  ...(venue?.id && { _EventVenueID: venue.id }),
  ...(organizer?.length > 0 && { _EventOrganizerID: idsOf(organizer) }),
  _EventCost: own.cost,
  _EventURL: own.website,
})

/** The links of a post; those that are `embeddable` can be read with it. */
export function postLinks(type: PostType, own: Own, { rest }: Where): Links {
  const picture = pictureOf(own)
  const terms = (taxonomy: string, base: string) =>
    ({ href: `${rest}/wp/v2/${base}?post=${own.id}`, taxonomy, embeddable: true }) as const
  return {
    self: link(`${rest}/wp/v2/${type}/${own.id}`),
    collection: link(`${rest}/wp/v2/${type}`),
    about: link(`${rest}/wp/v2/types/${type}`),
    ...(picture !== 0 && {
      'wp:featuredmedia': link(`${rest}/wp/v2/media/${picture}`, { embeddable: true }),
    }),
    ...(type === 'tribe_events' && {
      'wp:term': [terms('post_tag', 'tags'), terms('tribe_events_cat', 'tribe_events_cat')],
    }),
  }
}

/** The addresses of taxonomies in `wp/v2`, with their names there. `categories` are those of events too. */
export const TAXONOMIES = {
  tags: 'post_tag',
  tribe_events_cat: 'tribe_events_cat',
  categories: 'category',
} as const
export type TermBase = keyof typeof TAXONOMIES

/** A category or tag as a term of WordPress. `url` is that of its page. */
export const termShown = (base: TermBase, own: Own) => ({
  id: own.id,
  count: own.count,
  description: own.description,
  link: own.url,
  name: escaped(own.name),
  slug: own.slug,
  taxonomy: TAXONOMIES[base],
  ...(base !== 'tags' && { parent: own.parent }),
  meta: [],
})

/** The links of a term. */
export const termLinks = (base: TermBase, own: Own, { rest }: Where): Links => ({
  self: link(`${rest}/wp/v2/${base}/${own.id}`),
  collection: link(`${rest}/wp/v2/${base}`),
  about: link(`${rest}/wp/v2/taxonomies/${TAXONOMIES[base]}`),
  'wp:post_type': link(`${rest}/wp/v2/tribe_events?${base}=${own.id}`),
})

/** How a picture is read: the language of its texts, and the time zone of the site. */
type Read = { language: string; zone: string }

const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** The text in a language, or else the first there is. */
const textIn = (texts: Record<string, string>, language: string) =>
  texts[language] ?? Object.values(texts)[0] ?? ''

/**
 * A picture, with its `captions`, as an attachment of WordPress. Its title is the name of the file that was uploaded; its texts are those in a
 * language, or else the first there are.
 */
export function mediaShown(own: Own, context: Context, { language, zone }: Read) {
  const uploaded = toWall(toEpoch(own.date_utc, 'UTC'), zone)
  const name = nameOf(own.source_url)
  const title = storedStem(name)
  const size = (url: string, { width, height, filesize }: Own) => ({
    file: nameOf(url),
    width,
    height,
    filesize,
    mime_type: own.mime_type,
    source_url: url,
  })
  const sizes = Object.entries(own.sizes as Record<string, Own>).map(([name, one]) => [
    name,
    size(one.url, one),
  ])
  return {
    id: own.id,
    date: moment(uploaded),
    date_gmt: moment(own.date_utc),
    guid: rendered(context, own.source_url),
    modified: moment(uploaded),
    modified_gmt: moment(own.date_utc),
    slug: title,
    status: 'inherit',
    type: 'attachment',
    link: own.source_url,
    title: rendered(context, escaped(title), title),
    author: Number(own.author),
    caption: rendered(context, textIn(own.captions, language)),
    description: rendered(context, ''),
    alt_text: textIn(own.alt_texts, language),
    media_type: 'image',
    mime_type: own.mime_type,
    media_details: {
      width: own.width,
      height: own.height,
      file: name,
      filesize: own.filesize,
      sizes: { ...Object.fromEntries(sizes), full: size(own.source_url, own) },
    },
    source_url: own.source_url,
  }
}

/** The links of a picture. */
export const mediaLinks = (own: Own, { rest }: Where): Links => ({
  self: link(`${rest}/wp/v2/media/${own.id}`),
  collection: link(`${rest}/wp/v2/media`),
  about: link(`${rest}/wp/v2/types/attachment`),
})
