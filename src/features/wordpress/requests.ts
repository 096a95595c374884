import { type TProperties, Type } from '@sinclair/typebox'
import * as c from '../../../schemas/common.ts'
import { ModifiedFilters, MomentFilter } from '../../../schemas/dates.ts'
import { type EventOrder, EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { ORDER_BY, type OrderBy } from '../../../schemas/term.ts'
import type { RecordRequest, Service } from '../../calendar/resource/service.ts'
import { isObject } from '../../kernel/input/readers.ts'
import { without } from '../../kernel/input/validator.ts'
import { POST_TYPES, type PostType } from './formats.ts'

/** Members of WordPress, and names that writers take for ours, with the members that they mean. */
const SHARED = {
  content: 'description',
  featured_media: 'image',
  featured_image: 'image',
  date_gmt: 'date_utc',
}
const MEANT: Record<PostType, Record<string, string>> = {
  tribe_events: {
    ...SHARED,
    venue_id: 'venue',
    venues: 'venue',
    organizer_id: 'organizer',
    organizer_ids: 'organizer',
    organizers: 'organizer',
    tribe_events_cat: 'categories',
  },
  tribe_venue: { ...SHARED, title: 'venue', state_province: 'stateprovince', lat: 'geo_lat', lng: 'geo_lng' },
  tribe_organizer: { ...SHARED, title: 'organizer' },
}
/** What The Events Calendar keeps in fields of its posts. */
const META: Record<string, string> = {
  _EventStartDate: 'start_date',
  _EventEndDate: 'end_date',
  _EventTimezone: 'timezone',
  _EventAllDay: 'all_day',
  _EventVenueID: 'venue',
  _EventOrganizerID: 'organizer',
  _EventCost: 'cost',
  _EventURL: 'website',
}
/** Members that WordPress also takes as `{ raw }`, and shows as `{ rendered }`. */
const TEXTS = ['title', 'content', 'excerpt', 'description']
/** Parameters of reads, which a write may have in its address. */
const OF_READS = ['_fields', '_embed', '_locale', '_wpnonce', '_', 'context']

type Body = Record<string, unknown>

/** Whether there is a picture with this ID that the writer sees. */
type Knows = (id: number) => Promise<boolean>

/** Looks for pictures as the caller of a request sees them. */
export const knowsPictures =
  ({ store }: Service, { caller }: Pick<RecordRequest, 'caller'>): Knows =>
  (id) =>
    store.media.find(id, caller).then(
      () => true,
      () => false,
    )

/** The body of a post in our members, without the parameters of reads. */
export const toPost = (type: PostType, sent: Body, knows: Knows): Promise<Body> =>
  tidied(type, withoutReads(sent), knows)

/**
 * A body with members of WordPress, and names that writers take for ours, as the members that they mean. A member of ours that is sent as well
 * wins, and the other one stays, to be named as ignored; so does a picture that does not exist, for which The Events Calendar refuses nothing.
 */
export async function tidied(type: PostType, sent: Body, knows: Knows): Promise<Body> {
  const { recurrence } = sent
  const isForeign =
    type === 'tribe_events' && recurrence !== undefined && recurrence !== null && !isOurs(recurrence)
  const body = isForeign ? without(sent, 'recurrence') : { ...sent }
  for (const name of TEXTS) if (isObject(body[name])) body[name] = plainOf(body[name])
  if (type === 'tribe_events') readMeta(body)
  for (const [name, own] of Object.entries(MEANT[type])) {
    if (body[name] === undefined || body[own] !== undefined) continue
    if (own === 'image' && !(await isPicture(body[name], knows))) continue
    // WordPress says 0 and false for no picture
    body[own] = own === 'image' && !body[name] ? null : body[name]
    delete body[name]
  }
  return body
}

/** Whether a recurrence is in our form: that of other programs, which The Events Calendar passes over, is not. */
const isOurs = (recurrence: unknown) =>
  isObject(recurrence) && ['rrule', 'rdate', 'exdate'].some((name) => name in recurrence)

/** Whether a value is a picture: none, the address of one, or the ID of one that exists. */
async function isPicture(value: unknown, knows: Knows): Promise<boolean> {
  if (!value || /^https?:/i.test(String(value))) return true
  return /^\d{1,15}$/.test(String(value)) && knows(Number(value))
}

/** A text that is sent as it is, or as WordPress shows it. */
export const plainOf = (text: unknown): unknown => (isObject(text) ? (text.raw ?? text.rendered) : text)

/** The body of a term in our members. */
export const toTerm = withoutReads

/** An empty slug asks for one. */
function withoutReads(sent: Body): Body {
  const isSaid = ([name, value]: [string, unknown]) =>
    !OF_READS.includes(name) && !(name === 'slug' && value === '')
  return Object.fromEntries(Object.entries(sent).filter(isSaid))
}

/** What says in UTC what other fields say in local time. */
const IN_UTC: Record<string, string> = { _EventStartDateUTC: 'start_date', _EventEndDateUTC: 'end_date' }

/** Takes the fields that have a meaning here out of `meta`, which goes when nothing is left in it. */
function readMeta(body: Body) {
  const { meta } = body
  if (typeof meta !== 'object' || meta === null) return
  const left = Object.entries(meta).filter(([name, value]) => {
    const own = Object.hasOwn(META, name) ? META[name] : undefined
    if (own === undefined || body[own] !== undefined) return true
    body[own] = value
    return false
  })
  if (left.every(([name]) => body[IN_UTC[name] ?? ''] !== undefined)) delete body.meta
}

// These routes are not in the document of the API, so their parameters have no descriptions.

/** Greatest number of entries per page, as in WordPress. A higher `per_page` is not refused. */
export const MOST = 100

const Word = <const T extends string>(words: readonly T[]) =>
  Type.Optional(c.read<T>('word', c.StringEnum(words)))

/** What every read takes. `_embed` is read as it was sent. */
export const readQuery = (languages: readonly string[]) => ({
  ...c.Fields,
  ...c.LanguageSelector(languages),
  context: Word(['view', 'embed', 'edit']),
})

const listQuery = (languages: readonly string[]) => ({
  ...readQuery(languages),
  page: c.Paging.page,
  per_page: c.Defaulted(Type.Integer(c.ID_LIMITS), 10),
  search: Type.Optional(Type.String({ maxLength: 1_600 })),
  slug: Type.Optional(
    c.read<string>('fields', Type.Array(Type.String({ maxLength: 2_000 })), { maxItems: 100 }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: c.GREATEST })),
  include: Type.Optional(c.Ids('', [1])),
  order: Word(['asc', 'desc']),
})

/** The orders of events by the names that WordPress and The Events Calendar have for them. That of publication is that of the last change. */
export const ORDERS: Record<string, EventOrder> = {
  date: 'modified',
  id: 'modified',
  modified: 'modified',
  author: 'modified',
  parent: 'modified',
  include: 'start',
  relevance: 'start',
  event_date: 'start',
  event_date_utc: 'start',
  start_date: 'start',
  end_date: 'end',
  title: 'title',
  slug: 'title',
  name: 'title',
}

const terms = (plural: string) => Type.Optional(c.TermsFilter(plural, [1]))

/** Lists of posts of each kind. */
export const postQuery = (languages: readonly string[], of: TProperties) =>
  Type.Object({
    ...listQuery(languages),
    orderby: Word(Object.keys(ORDERS)),
    status: Type.Optional(c.StatusFilter),
    ...ModifiedFilters('posts', ''),
    ...of,
  })
/** Filters of venues and organizers only. */
export const ofLinked: TProperties = { exclude: Type.Optional(c.Ids('', [1])) }
/** Filters of events only. */
export const ofEvents: TProperties = {
  tags: terms('tags'),
  tribe_events_cat: terms('categories'),
  categories: terms('categories'),
  start_date: Type.Optional(MomentFilter('')),
  end_date: Type.Optional(MomentFilter('')),
  venue: Type.Optional(c.Ids('', [1])),
  organizer: Type.Optional(c.Ids('', [1])),
  featured: EventQuery.properties.featured,
  ...VisitorPassword,
}

/** Searches in posts of all kinds. */
export function searchQuery(languages: readonly string[]) {
  const { slug: _, order: __, ...query } = listQuery(languages)
  return Type.Object({
    ...query,
    type: Type.Optional(c.StringEnum(['post'])),
    subtype: Type.Optional(c.StringEnum(['any', ...POST_TYPES])),
  })
}

/** Lists of terms. */
export const termQuery = (languages: readonly string[]) =>
  Type.Object({
    ...listQuery(languages),
    orderby: Word(ORDER_BY),
    exclude: Type.Optional(c.Ids('', [1])),
    hide_empty: c.Defaulted(c.Truth(''), false),
    parent: Type.Optional(Type.Integer({ minimum: 0, maximum: c.GREATEST })),
    post: Type.Optional(c.IdFilter('', 1)),
  })

/** A list that was asked for. Members depend on its kind. */
export type Asked = {
  page: number
  per_page: number
  /** How many entries precede those that are asked for, instead of a page. */
  offset?: number
  context?: 'view' | 'embed' | 'edit'
  search?: string
  /** Slugs, separated by commas. */
  slug?: string
  include?: number[]
  exclude?: number[]
  order?: 'asc' | 'desc'
  orderby?: string
  status?: (c.Status | 'any')[]
  modified_after?: string
  modified_before?: string
  tags?: string[]
  tribe_events_cat?: string[]
  categories?: string[]
  start_date?: string
  end_date?: string
  venue?: number[]
  organizer?: number[]
  featured?: boolean
  hide_empty?: boolean
  parent?: number
  post?: number
}
export type { OrderBy }
