import { partsOf } from '../../../kernel/text/text.ts'
import { CSV_COLUMNS, type CsvColumn } from '../../files/csv.ts'

/** A column that is read: of ours, or one of others that says a part of one. */
export type Column =
  | CsvColumn
  | ('start_time' | 'end_time' | 'location' | 'private')
  | ('venue_address_2' | 'venue_stateprovince' | 'venue_description' | 'organizer_description')
export type Cells = Partial<Record<Column, string>>

/** What The Events Calendar, Google Calendar and Outlook call a column, in small letters, as far as they mean what we have. */
const NAMES: Partial<Record<Column, string[]>> = {
  title: ['event name', 'subject'],
  description: ['event description'],
  excerpt: ['event excerpt'],
  start_date: ['event start date', 'start date'],
  start_time: ['event start time', 'start time'],
  end_date: ['event end date', 'end date'],
  end_time: ['event end time', 'end time'],
  all_day: ['all day event'],
  timezone: ['event time zone', 'event timezone', 'time zone'],
  location: ['location'],
  venue: ['event venue name', 'venue name'],
  venue_address: ['venue address'],
  venue_address_2: ['venue address 2'],
  venue_city: ['venue city'],
  venue_stateprovince: ['venue state/province', 'venue state', 'venue province'],
  venue_zip: ['venue zip'],
  venue_country: ['venue country'],
  venue_phone: ['venue phone'],
  venue_website: ['venue website'],
  venue_description: ['venue description'],
  organizer: [
    ...['event organizer name', 'event organizer name(s)', 'event organizer name(s) or id(s)'],
    ...['meeting organizer', 'organizer name'],
  ],
  organizer_email: ['organizer email'],
  organizer_phone: ['organizer phone'],
  organizer_website: ['organizer website'],
  organizer_description: ['organizer description'],
  categories: ['event category', 'event categories', 'category'],
  tags: ['event tags', 'tag'],
  cost: ['event cost'],
  website: ['event website'],
  image: ['event featured image', 'venue featured image', 'organizer featured image'],
  private: ['private'],
  featured: ['feature event'],
  sticky: ['event sticky in month view'],
  hide_from_listings: ['hide event from event listings'],
  show_map: ['event show map'],
  show_map_link: ['event show map link'],
}
const MEANT = new Map(
  Object.entries(NAMES).flatMap(([column, names]) => names.map((name) => [name, column as Column])),
)

/** The column that a name stands for; undefined if nobody knows it. */
export function columnOf(name: string): Column | undefined {
  const own = name.trim().toLowerCase()
  return CSV_COLUMNS.find((column) => column === own) ?? MEANT.get(own)
}

const ADDRESSES = ['website', 'virtual_url', 'image', 'venue_website', 'organizer_website'] as const
const TRUTHS = [
  'all_day',
  'featured',
  'sticky',
  'hide_from_listings',
  'show_map',
  'show_map_link',
  'ticketed',
] as const
/** The name of a host, and what may follow it. */
const BARE = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#:].*)?$/u

/** What people write for yes and for no in a table. */
const YES = /^(?:true|1|yes|on|y|x)$/i
const NO = /^(?:no|off|n)$/i

/** Cells in the form of ours: truths as people write them, addresses that lack their beginning, a place in one text, and what is private. */
export function tidy(cells: Cells): Cells {
  const { location, private: hidden, venue_address_2: second, ...own } = cells
  for (const name of TRUTHS) {
    if (YES.test(own[name] ?? '')) own[name] = 'true'
    if (NO.test(own[name] ?? '')) own[name] = 'false'
  }
  for (const name of ADDRESSES) if (BARE.test(own[name] ?? '')) own[name] = `https://${own[name]}`
  const [venue = '', ...address] = partsOf(location ?? '')
  if (/^https?:\/\//i.test(location ?? ''))
    Object.assign(own, { virtual_url: location, attendance_mode: 'online' })
  else if (venue !== '')
    Object.assign(own, { venue, ...(address.length > 0 && { venue_address: address.join(', ') }) })
  if (second) own.venue_address = [own.venue_address, second].filter(Boolean).join(', ')
  if (YES.test(hidden ?? '')) own.status ??= 'private'
  return own
}
