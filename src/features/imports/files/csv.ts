import { pipeline } from 'node:stream/promises'
import { type CsvError, type Parser, parse } from 'csv-parse'
import type { DateOrder } from '../../../../schemas/imports.ts'
import { invalid } from '../../../kernel/errors.ts'
import { inTurns, PIECE, piecesOf, type Task } from '../../../kernel/tasks/scheduler.ts'
import { CSV_COLUMNS, type CsvColumn } from '../../exports/csv.ts'
import { type Cells, type Column, columnOf, type Days, openDays, tidy, timesOf } from './csv-columns.ts'
import { type Body, digestOf, type Fault, type Item, idOf } from './item.ts'
import { namedBy } from './report.ts'

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

function linkedOf(kind: Linked, cells: Cells, line: number, media: boolean): Item {
  const { [kind]: name, image, external_id, source, status, i18n_language } = cells
  const own = kind === 'venue' ? placeOf(cells) : inside(cells, kind)
  const body = {
    ...own,
    ...(name && { [kind]: name }),
    ...(status && { status }),
    ...(i18n_language && { i18n_language }),
  }
  return {
    kind,
    line,
    name: name ?? '',
    dates: [],
    remarks: [],
    body: media && image ? { ...body, image } : body,
    external_id: external_id === undefined ? digestOf(kind, name, own.address, own.city) : idOf(external_id),
    ...(source !== undefined && { source }),
  }
}

function itemOf(cells: Cells, line: number, media: boolean, days: Days): Item {
  const { title = '', venue, external_id, source } = cells
  const body: Body = { ...timesOf(cells, days), ...linksOf(cells), ...recurrenceOf(cells) }
  for (const name of PLAIN) if (cells[name] !== undefined) body[name] = cells[name]
  if (media && cells.image !== undefined) body.image = cells.image
  return {
    line,
    name: title,
    body,
    dates: [],
    remarks: [],
    external_id: external_id === undefined ? digestOf(title, body.start_date, venue) : idOf(external_id),
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
    const tidied = tidy(cells)
    const read = kind ? linkedOf(kind, tidied, begins, media) : itemOf(tidied, begins, media, days)
    const item: Item = { ...read, nameOf }
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
