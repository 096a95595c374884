import { pipeline } from 'node:stream/promises'
import { type CsvError, type Parser, parse } from 'csv-parse'
import type { DateOrder } from '../../../../schemas/imports.ts'
import { invalid } from '../../../kernel/errors.ts'
import { inTurns, PIECE, piecesOf, type Task } from '../../../kernel/tasks/scheduler.ts'
import { partsOf } from '../../../kernel/text/text.ts'
import { addDays } from '../../../kernel/time/dates.ts'
import { CSV_COLUMNS, type CsvColumn } from '../../exports/csv.ts'
import { type Body, digestOf, type Fault, type Item, idOf, namedBy } from './items.ts'

type Row = { record: string[]; info: { lines: number } }

const REQUIRED: CsvColumn[] = ['title', 'start_date']
/** Columns of members that are sent as they are. */
const PLAIN = [
  ...(['title', 'timezone', 'status', 'i18n_language', 'slug', 'description', 'excerpt', 'website'] as const),
  ...(['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link', 'ticketed'] as const),
  ...(['event_status', 'event_status_reason', 'attendance_mode', 'virtual_url', 'cost'] as const),
] as const
/** Columns of a table at most, and bytes of a row: by a request, an event is no larger. */
const MOST_COLUMNS = 1_000
const LONGEST_ROW = 2 ** 20
const SEPARATORS = [',', ';', '\t']
/** The ends of rows. To look for the one that a file has costs a search for each of its bytes, if it has none. */
const ENDS = ['\r\n', '\n', '\r']

/** The sign that separates the columns: the one that the first line has most of. */
function separatorOf(text: string): string {
  const [head = ''] = text.slice(0, PIECE).split(/\r?\n/, 1)
  const count = (sign: string) => head.split(sign).length
  return SEPARATORS.reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/** The texts of a cell that has several: divided by semicolons or, without any, by commas. */
const listOf = (cell: string) =>
  cell
    .split(cell.includes(';') ? ';' : ',')
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** The members of a record that stands inside of an event, without those whose cell is empty. */
function inside(cells: Cells, kind: 'venue' | 'organizer'): Body {
  const own = Object.entries(cells).filter(([name]) => name.startsWith(`${kind}_`))
  return Object.fromEntries(own.map(([name, cell]) => [name.slice(kind.length + 1), cell]))
}

const placeOf = (cells: Cells): Body => ({
  ...inside(cells, 'venue'),
  ...(cells.venue_geo_lat && {
    geo_lat: Number(cells.venue_geo_lat),
    geo_lng: Number(cells.venue_geo_lng),
  }),
})

function linksOf(cells: Cells): Body {
  const { venue, organizer } = cells
  const names = organizer === undefined ? [] : listOf(organizer)
  return {
    ...(cells.categories && { categories: listOf(cells.categories) }),
    ...(cells.tags && { tags: listOf(cells.tags) }),
    ...(venue && { venue: [{ venue, ...placeOf(cells) }] }),
    ...(names.length > 0 && {
      organizer: names.map((name) => ({
        organizer: name,
        ...(names.length === 1 && inside(cells, 'organizer')),
      })),
    }),
  }
}

function recurrenceOf({ rrule, rdate, exdate }: Cells): Body {
  if (rrule === undefined && rdate === undefined) return {}
  const dates = { rdate: listOf(rdate ?? ''), exdate: listOf(exdate ?? '') }
  return { recurrence: { ...(rrule !== undefined && { rrule }), ...dates } }
}

/** What a table is of that has no events: venues or organizers, a row each. */
const LINKED = ['venue', 'organizer'] as const
type Linked = (typeof LINKED)[number]
const linkedIn = (columns: (Column | undefined)[]): Linked | undefined =>
  REQUIRED.some((name) => columns.includes(name)) ? undefined : LINKED.find((kind) => columns.includes(kind))

function linkedBody(kind: Linked, cells: Cells): Body {
  const { [kind]: name, status, i18n_language } = cells
  return {
    ...(kind === 'venue' ? placeOf(cells) : inside(cells, kind)),
    ...(name && { [kind]: name }),
    ...(status && { status }),
    ...(i18n_language && { i18n_language }),
  }
}

function eventBody(cells: Cells, days: Days): Body {
  const body: Body = { ...timesOf(cells, days), ...linksOf(cells), ...recurrenceOf(cells) }
  for (const name of PLAIN) if (cells[name] !== undefined) body[name] = cells[name]
  return body
}

/** The record of a row: a venue or an organizer if the table is of these, else an event. */
function itemOf(kind: Linked | undefined, cells: Cells, line: number, media: boolean, days: Days): Item {
  const { title = '', venue, image, external_id, source } = cells
  const body = kind ? linkedBody(kind, cells) : eventBody(cells, days)
  const known = kind ? [kind, cells[kind], body.address, body.city] : [title, body.start_date, venue]
  return {
    ...(kind && { kind }),
    line,
    name: kind ? (cells[kind] ?? '') : title,
    body: media && image !== undefined ? { ...body, image } : body,
    dates: [],
    remarks: [],
    external_id: external_id === undefined ? digestOf(...known) : idOf(external_id),
    ...(source !== undefined && { source }),
  }
}

/** The columns of a file by their place, and the names that are not known. Throws 400 if one is missing that is needed. */
function columnsOf(head: string[]) {
  if (head.length > MOST_COLUMNS)
    throw invalid({ file: `has ${head.length} columns in its first line; it may have ${MOST_COLUMNS}.` })
  const columns = head.map(columnOf)
  const missing = REQUIRED.filter((name) => !columns.includes(name))
  const kind = linkedIn(columns)
  if (missing.length > 0 && kind === undefined)
    throw invalid({
      file: `has no column ${missing.join(' and ')} in its first line; known columns are ${CSV_COLUMNS.join(', ')}, and those of The Events Calendar, Google Calendar and Outlook.`,
    })
  return {
    kind,
    columns,
    unknown: head.filter((name, at) => name.trim() !== '' && columns[at] === undefined),
  }
}

/** The names of the columns of a file by the members that they hold. */
const namesOf = (columns: (Column | undefined)[], head: string[]) =>
  Object.fromEntries(
    columns.flatMap((column, at) =>
      column === undefined
        ? []
        : [[column.replace(/^(?=rrule$|rdate$|exdate$)/, 'recurrence.'), head[at]!.trim()]],
    ),
  )

/** The bytes of a table for its parser, in pieces. Throws 400 if a row does not end, or there are more than `most`. */
async function* boundedOf(bytes: Buffer, { info }: Parser, most = Number.POSITIVE_INFINITY) {
  let [sent, began, known] = [0, 0, 0]
  for await (const piece of piecesOf(bytes)) {
    const ended = info.records + info.empty_lines
    if (ended > known) [began, known] = [sent, ended]
    if (info.records > most)
      throw invalid({
        file: `has more than ${most.toLocaleString('en')} rows; divide it, or import it by a command.`,
      })
    if (sent - began > LONGEST_ROW)
      throw invalid({
        file: `has a row of more than ${LONGEST_ROW} bytes up to line ${info.lines}: is a quote not closed?`,
      })
    sent += piece.length
    yield piece
  }
}

/** How a table is read: `order` is that of days and months, where no date of the file tells it; it may have `most` rows. */
type TableOptions = { media: boolean; order?: DateOrder | undefined; most?: number | undefined }

/** Reads a table of events, or of venues or organizers, a row each, by the names in its first line. Rows that can not be read are told; an empty cell says nothing. */
export async function readCsv(text: string, options: TableOptions): Promise<Table> {
  const faults: Fault[] = []
  const [said = '', sign] = /^\ufeff?(?:sep=(.)\r?\n)?/i.exec(text)!
  const plain = text.slice(said.length)
  const above = sign === undefined ? 0 : 1
  const parser = parse({
    delimiter: sign ?? separatorOf(plain),
    record_delimiter: ENDS,
    info: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip(error?: CsvError) {
      const { lines = 0 } = error as unknown as { lines?: number }
      faults.push({
        line: lines + above,
        text: '',
        reason: 'has a cell that begins with a quote (") and does not end with one',
      })
    },
  })
  const bytes = Buffer.from(plain)
  const read: Promise<Row[]> = parser.toArray()
  const [rows] = await Promise.all([read, pipeline(boundedOf(bytes, parser, options.most), parser)])
  return inTurns(itemsIn(rows, { above, faults }, options))
}

/** What a table has: records, rows that can not be read, and what is to be said of all of it. */
type Table = { items: Item[]; faults: Fault[]; remarks: string[] }

/** What rows have in these columns. */
function* datesIn(rows: Row[], columns: number[]) {
  for (const { record } of rows) for (const at of columns) yield record[at]?.trim() ?? ''
}

/** The records of the rows of a table, of which the first has its names. `above` it are so many lines. */
function* itemsIn(
  [first, ...rows]: Row[],
  { above, faults }: { above: number; faults: Fault[] },
  { media, order }: TableOptions,
): Task<Table> {
  const { kind, columns, unknown } = columnsOf(first?.record ?? [])
  const dates = columns.flatMap((name, at) => (name === 'start_date' || name === 'end_date' ? [at] : []))
  const days = yield* openDays(datesIn(rows, dates), order)
  const nameOf = namedBy(namesOf(columns, first!.record))
  const items: Item[] = []
  const known = new Map<string, number>()
  for (const { record, info } of rows) {
    yield
    const begins = info.lines + above - record.join('').split('\n').length + 1
    if (record.length > columns.length && record.slice(columns.length).some((cell) => cell.trim() !== '')) {
      faults.push({
        line: begins,
        text: record[0]!.slice(0, 40),
        reason: `has ${record.length} cells, and the first line ${columns.length}: is a text with a separator in quotes?`,
      })
      continue
    }
    const cells: Cells = {}
    for (const [at, name] of columns.entries()) {
      const cell = record[at]?.trim().replace(/^'(?=[=+\-@\t])/, '') ?? ''
      if (cell !== '' && name !== undefined) cells[name] = cell
    }
    if (Object.keys(cells).length === 0) continue
    const item: Item = { ...itemOf(kind, tidy(cells), begins, media, days), nameOf }
    const key = `${item.source} ${item.external_id}`
    const before = known.get(key)
    if (before !== undefined)
      item.refused = `is the ${kind ?? 'event'} of line ${before} again${kind ? '' : '; another one has another title, start or venue, or an external_id of its own'}`
    else known.set(key, begins)
    items.push(item)
  }
  const remarks = [
    ...(unknown.length > 0 ? [`columns that are not known are left out: ${unknown.join(', ')}`] : []),
    ...(days.isGuessed
      ? [
          'no date tells whether its day or its month comes first; the month is taken, as in 05/31/2027 (date order mdy)',
        ]
      : []),
  ]
  return { items, faults, remarks }
}

/** A column that is read: of ours, or one of others that says a part of one. */
export type Column =
  | CsvColumn
  | ('start_time' | 'end_time' | 'location' | 'private')
  | ('venue_address_2' | 'venue_stateprovince' | 'venue_description' | 'organizer_description')
type Cells = Partial<Record<Column, string>>

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
function columnOf(name: string): Column | undefined {
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
