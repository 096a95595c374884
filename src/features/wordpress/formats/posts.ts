import { type Context, escaped, type Links, link, moment, type Own, rendered, type Where } from './shown.ts'

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
