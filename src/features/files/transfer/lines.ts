import { getTableColumns } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  events,
  externals,
  media,
  occurrences,
  organizers,
  posts,
  revisions,
  series,
  terms,
  users,
  venues,
} from '../../../../drizzle/tables.ts'
import { toHtml } from '../../../kernel/text/html.ts'
import { readUrl, toSlug } from '../../../kernel/text/text.ts'
import { readZone } from '../../../kernel/time/dates.ts'

/** The kinds of lines of an export, in their order: what a line names comes before it. */
export const LINE_KINDS = [
  ...(['user', 'media', 'category', 'tag', 'venue', 'organizer', 'series', 'event', 'revision'] as const),
] as const
export type LineKind = (typeof LINE_KINDS)[number]
/** A record as an export has it: the columns of its tables by name, without what is derived from others. */
export type Line = { kind: LineKind; id: number } & Record<string, unknown>

const ROWS = {
  user: { own: users },
  media: { own: media },
  category: { own: terms },
  tag: { own: terms },
  venue: { post: posts, own: venues },
  organizer: { post: posts, own: organizers },
  series: { post: posts, own: events, rule: series },
  event: { post: posts, own: events },
  revision: { own: revisions },
} satisfies Record<LineKind, Record<string, SQLiteTable>>

/** Rows that only some records have; they are there if a line has the first of their columns. */
const OPTIONAL = { occurrence: ['series_id', occurrences], external: ['source', externals] } as const

/** Columns that an import makes anew, or that say to which record a row belongs. */
const DERIVED = new Set([
  ...['post_id', 'kind', 'taxonomy', 'folded', 'folded_title', 'folded_name', 'count'],
])

type Columns = [name: string, column: SQLiteColumn][]
/** The columns of a table that lines have. */
const shownOf = (table: SQLiteTable): Columns =>
  Object.entries(getTableColumns(table)).filter(([name]) => !DERIVED.has(name))

/** What a line of a kind may have: the columns of each of its rows. */
const COLUMNS = Object.fromEntries(
  LINE_KINDS.map((kind) => [
    kind,
    Object.entries(ROWS[kind]).map(([part, table]) => [part, shownOf(table)] as const),
  ]),
) as Record<LineKind, [part: string, columns: Columns][]>

/** The columns of rows that only some records have, by the column that tells so. */
const OPTIONAL_COLUMNS = Object.entries(OPTIONAL).map(
  ([part, [sign, table]]) => [part, sign, shownOf(table)] as const,
)

/** Those members of rows that a line has. */
export function shown(table: SQLiteTable, row: object): Record<string, unknown> {
  const values = row as Record<string, unknown>
  return Object.fromEntries(shownOf(table).map(([name]) => [name, values[name]]))
}

/** The members of a line that name other records of an event, and of what kind these are. */
export const LINKS = {
  venue: 'venue',
  organizer: 'organizer',
  categories: 'category',
  tags: 'tag',
} as const

/** The media types of pictures by their extension. */
const TYPES = new Map([
  ['jpg', 'image/jpeg'],
  ...['png', 'gif', 'webp', 'avif'].map((extension) => [extension, `image/${extension}`] as const),
])
const FILE = /^\d{4}\/\d{2}\/[^/\\\p{Cc}]+\.(\w+)$/u
const HASH = /^scrypt:[A-Za-z0-9+/]{22}==:[A-Za-z0-9+/]{43}=$/
const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string')
const isTextByName = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isPart = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1

/** Whether a text is a local time that exists in the calendar. */
const isWall = (text: string) =>
  WALL.test(text) && new Date(`${text.replace(' ', 'T')}Z`).toJSON()?.slice(0, 19) === text.replace(' ', 'T')

/** Whether a text is the path of a file of a picture. */
const isFile = (value: unknown) => typeof value === 'string' && TYPES.has(FILE.exec(value)?.[1] ?? '')
const isSize = (value: unknown) =>
  isObject(value) && isFile(value.file) && [value.width, value.height, value.filesize].every(isCount)
const isVersion = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && typeof value[1] === 'string'

type Check = [is: (value: never) => boolean, wanted: string]
const check = <T>(is: (value: T) => boolean, wanted: string): Check => [is as Check[0], wanted]
const either = (text: string, is: (text: string) => boolean) => text === '' || is(text)
const isSlug = (text: string) => either(text.replace(/__trashed$/, ''), (slug) => toSlug(slug) === slug)
const TEXTS = check(isTexts, 'must be a list of texts')
const SLUG = check(isSlug, 'must consist of small letters, digits and hyphens')
const MOMENT = check((text: string) => either(text, isWall), 'must be a time such as 2026-12-05 19:30:00')
const DATE = check(
  (text: string) => either(text, () => /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(text)),
  'must be a date of a series',
)
const BY_LANGUAGE = check(isTextByName, 'must be an object of texts by language')

/** What values must be beside the type of their column. */
const CHECKS: Record<string, Check> = {
  slug: SLUG,
  untrashed_slug: SLUG,
  timezone: check((text: string) => readZone(text) === text, 'must be a time zone such as Europe/Madrid'),
  website: check((text: string) => either(text, (url) => readUrl(url) === url), 'must be a URL'),
  virtual_url: check(
    (text: string) => either(text, (url) => /^https?:/i.test(url) && readUrl(url) === url),
    'must be an http or https URL',
  ),
  password_hash: check((text: string) => HASH.test(text), 'must be a hash that an export has'),
  file: check(isFile, 'must be the path of a picture, such as 2026/11/poster.jpg'),
  mime_type: check((text: string) => [...TYPES.values()].includes(text), 'must be that of a picture'),
  extension: check((text: string) => TYPES.has(text), 'must be that of a picture'),
  sizes: check(
    (value) => isObject(value) && Object.values(value).every(isSize),
    'must be an object of files by the name of their size',
  ),
  focal_point: check((value) => isObject(value) && isPart(value.x) && isPart(value.y), 'must have x and y'),
  alt_texts: BY_LANGUAGE,
  captions: BY_LANGUAGE,
  until: DATE,
  since: DATE,
  recurrence_id: DATE,
  versions: check(
    (value) => isObject(value) && Object.values(value).every(isVersion),
    'must be an object of versions, each a SEQUENCE and a DTSTAMP',
  ),
  cost: TEXTS,
  rdate: TEXTS,
  exdate: TEXTS,
  overrides: TEXTS,
  fields: check(
    (value) =>
      isObject(value) && Object.values(value).every((pair) => Array.isArray(pair) && pair.length === 2),
    'must be an object of values before and after',
  ),
}
const checkOf = (name: string): Check | undefined =>
  CHECKS[name] ?? (/(^|_)(date|utc|modified)$/.test(name) ? MOMENT : undefined)

/** Why a value does not fit its column; undefined if it does. */
function misfit(name: string, column: SQLiteColumn, value: unknown): string | undefined {
  const { dataType, enumValues } = column
  if (dataType !== 'json' && typeof value !== dataType) return `must be a ${dataType}`
  if (typeof value === 'number' && column.columnType === 'SQLiteInteger' && !isCount(value))
    return 'must be a whole number'
  if (enumValues && !enumValues.includes(value as string)) return `must be one of ${enumValues.join(', ')}`
  const [is, wanted] = checkOf(name) ?? []
  return !is || is(value as never) ? undefined : wanted
}

/** HTML is sanitised again, whatever a file says that it is. */
function cleaned(name: string, value: unknown): unknown {
  if (name === 'description' || name === 'excerpt') return toHtml(value as string)
  if (name !== 'captions') return value
  return Object.fromEntries(
    Object.entries(value as Record<string, string>).map(([language, html]) => [language, toHtml(html)]),
  )
}

type Row = Record<string, unknown>
/** The rows that a line has, by their part, and what is wrong with it. */
export type ReadLine = { parts: Record<string, Row>; problems: string[] }

function readRow(columns: readonly (readonly [string, SQLiteColumn])[], line: Row, problems: string[]): Row {
  const row: Row = {}
  for (const [name, column] of columns) {
    const value = line[name]
    if (value === undefined && column.hasDefault && name !== 'id') row[name] = column.default
    else if ((value === undefined || value === null) && !column.notNull) row[name] = null
    else if (value === undefined || value === null) problems.push(`${name} is missing`)
    else {
      const problem = misfit(name, column, value)
      if (problem) problems.push(`${name} ${problem}`)
      else row[name] = cleaned(name, value)
    }
  }
  return row
}

/** Reads a line by the columns of its kind. Columns that it lacks have their defaults; what it has besides is left out. */
export function readLine(line: Line): ReadLine {
  const problems: string[] = []
  const read = (columns: readonly (readonly [string, SQLiteColumn])[]) => readRow(columns, line, problems)
  const parts = Object.fromEntries(COLUMNS[line.kind].map(([part, columns]) => [part, read(columns)]))
  for (const [part, sign, columns] of OPTIONAL_COLUMNS)
    if (line[sign] !== undefined && 'post' in parts) parts[part] = read(columns)
  return { parts, problems }
}
