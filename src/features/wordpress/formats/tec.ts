import { type PostType, postShown } from './posts.ts'
import { moment, type Own } from './shown.ts'

const idsOf = (value: Own | Own[]): number[] => [value].flat().map(({ id }) => id)
const secondsBetween = (from: string, to: string) =>
  (Date.parse(`${moment(to)}Z`) - Date.parse(`${moment(from)}Z`)) / 1_000

/** What `tec/v1` adds to the post of an event: its dates, places and organizers. */
const eventMembers = (own: Own, now: string) => ({
  start_date: own.start_date,
  start_date_utc: own.utc_start_date,
  end_date: own.end_date,
  end_date_utc: own.utc_end_date,
  timezone: own.timezone,
  duration: secondsBetween(own.utc_start_date, own.utc_end_date),
  multiday: own.start_date.slice(0, 10) !== own.end_date.slice(0, 10),
  is_past: own.utc_end_date <= now,
  is_now: own.utc_start_date <= now && now < own.utc_end_date,
  all_day: own.all_day,
  featured: own.featured,
  sticky: own.sticky,
  cost: own.cost,
  website: own.website,
  organizers: idsOf(own.organizer),
  venues: idsOf(own.venue),
})

/** What `tec/v1` adds to the post of a venue or organizer, by the member of ours. */
const PLACED: Record<string, string> = {
  address: 'address',
  city: 'city',
  country: 'country',
  province: 'province',
  state: 'state',
  stateprovince: 'state_province',
  zip: 'zip',
  phone: 'phone',
  website: 'website',
  email: 'email',
  geo_lat: 'lat',
  geo_lng: 'lng',
}

/** A record as `tec/v1` shows it (reference §8). `now` is the time in UTC, `YYYY-MM-DD HH:MM:SS`. */
export function tecShown(type: PostType, own: Own, now: string) {
  const post = postShown(type, own, 'view')
  if (type === 'tribe_events') return { ...post, ...eventMembers(own, now) }
  const placed = Object.entries(PLACED).filter(([name]) => own[name] !== undefined)
  return { ...post, ...Object.fromEntries(placed.map(([name, shown]) => [shown, own[name]])) }
}
