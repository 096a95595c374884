import type { DateOrder } from '../../../../schemas/imports.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { partsOf } from '../../../kernel/text/text.ts'
import { addDays } from '../../../kernel/time/dates.ts'
import { CSV_COLUMNS, type CsvColumn } from '../../exports/csv.ts'

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

const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:[ ,T]+(.+))?$/
const TIME = /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?:[ \u202f]?([ap])\.?m\.?)?$/i

const two = (value: number | string) => String(value).padStart(2, '0')

/** A time of day as `20:00:00`, from `20:00`, `8:00 PM` or `8 pm`; undefined if it is none. */
function timeOf(text: string): string | undefined {
  const [all, hour, minute = '00', second = '00', half] = TIME.exec(text.trim()) ?? []
  if (all === undefined || (half === undefined && !all.includes(':'))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return hours > 23 || Number(minute) > 59 ? undefined : `${two(hours)}:${minute}:${second}`
}

/** How the dates of a table are read. */
export type Days = {
  isGuessed: boolean
  /** A date, perhaps with a time, in the form of the API; any other text as it is. */
  read(text: string): string
}

/**
 * Finds how the dates of a table are written: as `order` says, or as those tell in which one of both numbers is no month. With dots or
 * hyphens the day comes first, with slashes the month. `isGuessed` says that no date told.
 */
export function* openDays(texts: Iterable<string>, order?: DateOrder): Task<Days> {
  const told = { dmy: 0, mdy: 0 }
  let hasSlashes = false
  for (const text of texts) {
    const [, one, sign, other] = NUMBERS.exec(text) ?? []
    if (Number(one) > 12) told.dmy++
    if (Number(other) > 12) told.mdy++
    hasSlashes ||= sign === '/'
    yield
  }
  const isTold = told.dmy > 0 || told.mdy > 0
  const known = order ?? (isTold ? (told.dmy >= told.mdy ? 'dmy' : 'mdy') : undefined)
  return {
    isGuessed: known === undefined && hasSlashes,
    read(text) {
      const [all, one, sign, other, year, rest] = NUMBERS.exec(text) ?? []
      if (all === undefined) return text
      const isMonthFirst =
        Number(one) <= 12 && (Number(other) > 12 || (known ?? (sign === '/' ? 'mdy' : 'dmy')) === 'mdy')
      const [day, month] = isMonthFirst ? [other!, one!] : [one!, other!]
      const time = rest === undefined ? '' : ` ${timeOf(rest) ?? rest}`
      return `${year}-${two(month)}-${two(day)}${time}`
    },
  }
}
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
const MIDNIGHT = '00:00:00'

/**
 * When an event takes place: a start without a time is a whole day, an end that lacks is its start, and one without a day is on that of the
 * start or, if it is earlier then, on the next. Outlook ends whole days at the midnight after them.
 */
export function timesOf({ start_date = '', end_date, start_time, end_time, all_day }: Cells, days: Days) {
  const isWhole = all_day === 'true'
  const at = (day: string, time: string | undefined) =>
    time === undefined || isWhole || !isDay(day) ? day : `${day} ${timeOf(time) ?? time}`
  const first = days.read(start_date)
  const start = at(first, start_time)
  const last = end_date === undefined ? first : days.read(end_date)
  const end = end_date === undefined && end_time === undefined ? start : at(last, end_time)
  const isNext = end_date === undefined && end < start && isDay(last)
  const isAfter =
    isWhole &&
    isDay(last) &&
    last > first &&
    [start_time, end_time].every((time) => timeOf(time ?? '') === MIDNIGHT)
  const moved = (by: number) => addDays(`${last} ${MIDNIGHT}`, by).slice(0, 10)
  return {
    ...(start !== '' && { start_date: start }),
    ...(end !== '' && { end_date: isNext ? at(moved(1), end_time) : isAfter ? moved(-1) : end }),
    all_day: all_day ?? isDay(start),
  }
}
