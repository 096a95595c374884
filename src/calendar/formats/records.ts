import type {
  events,
  externals,
  media,
  occurrences,
  organizers,
  posts,
  series,
  terms,
  venues,
} from '../../../drizzle/tables.ts'
import { NEVER } from '../../kernel/time/dates.ts'
import { buildCost, type Cost, currencyOf, NO_COST } from '../cost.ts'

export type Post = typeof posts.$inferSelect
export type EventRow = typeof events.$inferSelect
export type SeriesRow = typeof series.$inferSelect
export type OccurrenceRow = typeof occurrences.$inferSelect
export type VenueRow = typeof venues.$inferSelect
export type OrganizerRow = typeof organizers.$inferSelect
export type TermRow = typeof terms.$inferSelect
/** What another system calls a record. */
export type External = Pick<typeof externals.$inferSelect, 'source' | 'external_id'>
export type MediaRow = typeof media.$inferSelect

/** The own members of events, venues and organizers, without data for storage and search. */
type ShownPost = Omit<
  Post,
  | 'kind'
  | 'password_hash'
  | 'folded'
  | 'folded_title'
  | 'untrashed_slug'
  | 'untrashed_status'
  | 'translation_group'
  | 'image_id'
>
type OwnPost = ShownPost & {
  /** The picture, with the widths and heights of its smaller versions. */
  image: MediaRow | null
  /** Absent or null of most records. */
  external?: External | null
}
type OwnDated = OwnPost &
  Omit<EventRow, 'post_id' | 'cost'> & {
    cost: Cost
    /** ISO 4217, from the cost or the site; undefined if the cost names several currencies, or a sign that several share. */
    currency: string | undefined
  }
/** An event without the records that it is linked to. Local times are wall clocks of `timezone`, the others of UTC. */
export type OwnEvent = OwnDated & {
  kind: 'event'
  /** Which date of which series it is; null for a single event. */
  occurrence: OccurrenceRow | null
}
/** A series: the event that repeats, with its first date, and how it repeats. */
export type OwnSeries = OwnDated & { kind: 'series'; series: SeriesRow }
/** A venue without its translations; `stateprovince` is as shown: as given, else derived. */
export type OwnVenue = OwnPost & Omit<VenueRow, 'post_id'> & { kind: 'venue' }
/** An organizer without its translations. */
export type OwnOrganizer = OwnPost & Omit<OrganizerRow, 'post_id'> & { kind: 'organizer' }
export type Own = OwnEvent | OwnSeries | OwnVenue | OwnOrganizer

/** The other records of a translation group that the reader may see: IDs by language. */
type Translated = { translations: Record<string, number> }
export type VenueRecord = OwnVenue & Translated
export type OrganizerRecord = OwnOrganizer & Translated
type Related = Translated & {
  /** Whether visitors need a password. */
  protected: boolean
  /** Protected by a password that the reader lacks: the protected members are blank. */
  closed: boolean
  venues: VenueRecord[]
  organizers: OrganizerRecord[]
  /** By name. */
  categories: TermRow[]
  tags: TermRow[]
}
/** An event with the related records that the reader may see; without any if it is closed. */
export type EventRecord = OwnEvent & Related
/** A series with the records of its pattern. */
export type SeriesRecord = OwnSeries & Related
/** An event that a series gave, as far as one has to know it to write the series as one. */
export type SeriesDate = OccurrenceRow &
  Pick<Post, 'status' | 'modified_utc'> &
  Pick<EventRow, 'start_date' | 'utc_start_date' | 'utc_end_date'>
export type PostRecord = EventRecord | SeriesRecord | VenueRecord | OrganizerRecord
export type TermRecord = TermRow & Translated

/** Whether records of a kind have the members of events: an event, and a series of them. */
export const hasDates = (kind: Post['kind']): kind is 'event' | 'series' =>
  kind === 'event' || kind === 'series'

/** Not published. Such an event shows no UTC publication date, and may have no slug. */
export const isDraft = (status: string) => status === 'draft' || status === 'pending'

/** The UTC publication date as it is shown. */
export const shownDateUtc = (post: Pick<Post, 'kind' | 'status' | 'date_utc'>) =>
  (hasDates(post.kind) && isDraft(post.status) ? '' : post.date_utc) || NEVER

/** State or province as shown: the stored one, otherwise derived from the others (reference §2.4). */
export function stateProvince(venue: Omit<VenueRow, 'post_id'>): string {
  const american = ['', 'US', 'United States'].includes(venue.country)
  return venue.stateprovince || (american ? venue.state || venue.province : venue.province)
}

const ownDated = (post: ShownPost, event: EventRow, joined: Joined, siteCurrency: string) =>
  // Object.assign, because spreading into a literal of so many members takes V8 thirty times as long
  Object.assign({}, post, event, {
    image: joined.image,
    external: joined.external,
    cost: buildCost(event.cost, siteCurrency),
    currency: currencyOf(event.cost, siteCurrency),
  })

/** What rows of their own hold of a post. */
type Joined = Pick<OwnPost, 'image' | 'external'>

/** The own members of an event; amounts without a currency are in that of the site. */
export const ownEvent = (
  post: ShownPost,
  event: EventRow,
  joined: Joined,
  siteCurrency: string,
  occurrence: OccurrenceRow | null = null,
): OwnEvent =>
  Object.assign(ownDated(post, event, joined, siteCurrency), { kind: 'event' as const, occurrence })

/** The members of a series that are its own: without its venue, organizers, terms and translations. */
export const ownSeries = (
  post: ShownPost,
  { event, series }: { event: EventRow; series: SeriesRow },
  joined: Joined,
  siteCurrency: string,
): OwnSeries =>
  Object.assign(ownDated(post, event, joined, siteCurrency), { kind: 'series' as const, series })

/** The own members of a venue. */
export const ownVenue = (post: ShownPost, venue: VenueRow, { image, external }: Joined): OwnVenue =>
  Object.assign({}, post, venue, {
    kind: 'venue' as const,
    image,
    external,
    stateprovince: stateProvince(venue),
  })

/** The own members of an organizer. */
export const ownOrganizer = (
  post: ShownPost,
  organizer: OrganizerRow,
  { image, external }: Joined,
): OwnOrganizer => Object.assign({}, post, organizer, { kind: 'organizer' as const, image, external })

/** The blank values of protected members of an event (D29). */
const BLANKS = {
  description: '',
  excerpt: '',
  image: null,
  all_day: false,
  website: '',
  virtual_url: '',
  event_status_reason: '',
  cost: NO_COST,
  show_map: false,
  show_map_link: false,
  hide_from_listings: false,
  sticky: false,
  featured: false,
  ticketed: false,
}

/** An event or series as readers without its password see it. */
export const blanked = <E extends OwnEvent | OwnSeries>(event: E): E =>
  Object.assign(
    {},
    event,
    BLANKS,
    event.kind === 'event' && event.occurrence && { occurrence: { ...event.occurrence, overrides: [] } },
  )
