import { CSV_COLUMNS, type CsvColumn } from '../../formats/csv.ts'
import { partsOf } from '../../rules/text/text.ts'

/** A column that is read: of ours, or one of others that says a part of one. */
export type Column = CsvColumn | 'start_time' | 'end_time' | 'location' | 'private'
export type Cells = Partial<Record<Column, string>>

/** The columns of The Events Calendar, Google Calendar and Outlook by their names in small letters, as far as they mean what we have. */
const MEANT: Record<string, Column> = {
  ...{
    'event name': 'title',
    subject: 'title',
    'event description': 'description',
    'event excerpt': 'excerpt',
  },
  ...{ 'event start date': 'start_date', 'event end date': 'end_date', 'start date': 'start_date' },
  ...{ 'end date': 'end_date', 'event start time': 'start_time', 'event end time': 'end_time' },
  ...{ 'start time': 'start_time', 'end time': 'end_time', 'all day event': 'all_day' },
  ...{ 'event time zone': 'timezone', 'event timezone': 'timezone', 'time zone': 'timezone' },
  ...{
    'event venue name': 'venue',
    'event organizer name': 'organizer',
    'event organizer name(s)': 'organizer',
  },
  ...{
    'event organizer name(s) or id(s)': 'organizer',
    'meeting organizer': 'organizer',
    location: 'location',
  },
  ...{ 'event category': 'categories', 'event categories': 'categories', 'event tags': 'tags' },
  ...{
    'event cost': 'cost',
    'event website': 'website',
    'event featured image': 'image',
    private: 'private',
  },
  ...{ 'feature event': 'featured', 'event sticky in month view': 'sticky', 'event show map': 'show_map' },
  ...{ 'hide event from event listings': 'hide_from_listings', 'event show map link': 'show_map_link' },
}

/** The column that a name stands for; undefined if nobody knows it. */
export function columnOf(name: string): Column | undefined {
  const own = name.trim().toLowerCase()
  return CSV_COLUMNS.find((column) => column === own) ?? (Object.hasOwn(MEANT, own) ? MEANT[own] : undefined)
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
  const { location, private: hidden, ...own } = cells
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
  if (YES.test(hidden ?? '')) own.status ??= 'private'
  return own
}
