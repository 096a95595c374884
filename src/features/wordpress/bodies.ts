import type { FastifyRequest } from 'fastify'
import type { Service } from '../../calendar/resource/service.ts'
import { isObject } from '../../kernel/input/readers.ts'
import { without } from '../../kernel/input/validator.ts'
import type { PostType } from './formats.ts'

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
  ({ store }: Service, { caller }: FastifyRequest): Knows =>
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
