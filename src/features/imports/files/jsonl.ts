import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { sql } from 'drizzle-orm'
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
  settings as stored,
  terms,
  users,
  venues,
} from '../../../../drizzle/tables.ts'
import type { MediaFile, MediaFolder } from '../../../calendar/media/folder.ts'
import type { Actor, Store } from '../../../calendar/store.ts'
import { invalid } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/input/readers.ts'
import { toHtml } from '../../../kernel/text/html.ts'
import { readUrl, toSlug } from '../../../kernel/text/text.ts'
import { readZone } from '../../../kernel/time/dates.ts'
import { FORM } from '../../exports/export.ts'
import { columnsOf, LINE_KINDS, type Line, type LineKind } from '../../exports/lines.ts'
import { openReport, type Report } from './items.ts'
import { type AddOptions, type Files, openAdding } from './jsonl-records.ts'

/** What the first line of an export tells. */
export type Head = {
  timezone: string
  languages: string[]
  currency: string
  site_id?: unknown
  settings?: unknown
  /** How many lines there are about records. */
  total: number
}

/** How an export is imported. */
type JsonlOptions = Pick<AddOptions, 'caller' | 'dry' | 'users'> & {
  by: Actor
  files: Files
  progress?: (done: number, total: number) => void
  onEntry?: Parameters<typeof openReport>[0]
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Lines that share a commit. */
const BATCH = 100
type Parsed = { line: Line | undefined; number: number; text: string }
const NO_RECORD = {
  id: undefined,
  outcome: 'refused' as const,
  reason: 'is no record of an export',
  remarks: [],
}

/** Reads the first line of an export. Throws 400 if it is none, or one of a later version. */
export function readHead(text: string): Head {
  const head = parse(text.replace(/^\ufeff/, ''))
  if (head?.kind !== 'calendar' || typeof head.form !== 'number')
    throw invalid({ file: 'is no export of Almanac: its first line must tell of a calendar.' })
  if (head.form > FORM)
    throw invalid({ file: 'was written by a later version of Almanac; update this one first.' })
  const { timezone, languages, currency, site_id, settings, counts } = head
  const isSound =
    typeof timezone === 'string' &&
    readZone(timezone) === timezone &&
    Array.isArray(languages) &&
    languages.every((language) => typeof language === 'string') &&
    typeof currency === 'string'
  if (!isSound)
    throw invalid({ file: 'is damaged: its first line lacks the time zone, the languages or the currency.' })
  const total = Object.values(isObject(counts) ? counts : {}).reduce<number>(
    (sum, n) => sum + (Number(n) || 0),
    0,
  )
  return { timezone, languages, currency, site_id, settings, total }
}

/** What a record is called in a report. */
const nameOf = ({ kind, id, title, name, login, file, of }: Record<string, unknown>) =>
  String(title || name || login || file || (kind === 'revision' ? `of ${of}` : id))

/** Whether a parsed line tells of a record. */
const isLine = (line: Record<string, unknown> | undefined): line is Line =>
  line !== undefined &&
  LINE_KINDS.includes(line.kind as never) &&
  Number.isSafeInteger(line.id) &&
  (line.id as number) > 0

/**
 * Imports an export that `exportLines` wrote, from its lines. Where there are no records, IDs, slugs and all dates stay as they were. Where there are,
 * what has a slug that a record of its kind has here is taken to be that record and left as it is; the others are added with new IDs.
 */
export async function importLines(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  { files, progress = () => {}, onEntry, ...how }: JsonlOptions,
): Promise<Report> {
  const { report, add } = openReport(onEntry)
  let head: Head | undefined
  let additions: ReturnType<typeof openAdding> | undefined
  let number = 0
  let records = 0
  let isWhole = false
  let batch: Parsed[] = []
  const flush = async (total: number) => {
    const all = batch
    batch = []
    const became = await Promise.all(all.map(({ line }) => line && additions!.add(line, readLine(line))))
    for (const [at, { line, number, text }] of all.entries()) {
      const { id, ...rest } = became[at] ?? NO_RECORD
      const known = line ? { kind: line.kind, name: nameOf(line) } : { kind: 'line', name: text.slice(0, 40) }
      add({ line: number, ...known, ...rest, ...(id && { id }) })
    }
    progress(records, Math.max(total, records))
  }
  for await (const text of lines) {
    number++
    if (!head) {
      head = readHead(text)
      additions = openAdding(store.db, store.site, { ...how, files, zone: head.timezone })
      continue
    }
    if (text.trim() === '') continue
    const read = parse(text)
    if (read?.kind === 'end') {
      isWhole = read.lines === records
      continue
    }
    const line = isLine(read) ? read : undefined
    // what others name is imported before them; files of pictures are read one after the other
    const most = how.dry || line?.kind === 'media' ? 1 : BATCH
    if (batch.length >= most || batch[0]?.line?.kind !== line?.kind) await flush(head.total)
    batch.push({ line, number, text })
    records++
  }
  if (!head) throw invalid({ file: 'is empty.' })
  await flush(head.total)
  if (!isWhole)
    add({
      line: number,
      kind: 'line',
      name: 'the end',
      outcome: 'refused',
      reason: 'is missing: the file has lost lines',
      remarks: [],
    })
  if (!how.dry && additions!.keepsIds) await importSettings(store, head, how.by, additions!.mediaId)
  return report
}

/** What distinguishes a calendar: its name in the settings that a database keeps, and what it looks like. */
const IDENTITY = 'site_id'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Imports the identity and the branding of the calendar, as far as they are sound. */
async function importSettings(
  store: Store,
  { site_id, settings }: Head,
  by: Actor,
  mediaId: (id: number) => number | undefined,
) {
  // this calendar continues the one that was exported
  if (typeof site_id === 'string' && UUID.test(site_id))
    await store.db.write(async (tx) => {
      await tx
        .insert(stored)
        .values({ name: IDENTITY, value: site_id })
        .onConflictDoUpdate({ target: stored.name, set: { value: sql`${site_id}` } })
    })
  const { name, color, logo, links, confirmed } = isObject(settings) ? settings : {}
  const isLink = (link: unknown) =>
    isObject(link) &&
    typeof link.text === 'string' &&
    typeof link.url === 'string' &&
    readUrl(link.url) === link.url
  const change = {
    ...(typeof name === 'string' && { name }),
    ...(typeof color === 'string' && /^#[\da-f]{6}$/i.test(color) && { color }),
    ...(typeof logo === 'number' && mediaId(logo) && { logo: mediaId(logo)! }),
    ...(Array.isArray(links) && links.every(isLink) && { links }),
    ...(confirmed === true && { confirmed: true as const }),
  }
  await store.settings.change(change, by, (_tx, work) => work())
}

/** How files of pictures begin, by their extension. */
const BEGINNINGS: Record<string, RegExp> = {
  '.jpg': /^\xff\xd8\xff/,
  '.png': /^\x89PNG\r\n/,
  '.gif': /^GIF8/,
  '.webp': /^RIFF.{4}WEBP/s,
  '.avif': /^.{4}ftyp/s,
}
/** Whether a file is what its name says. */
const isPicture = ({ name, bytes }: MediaFile) =>
  BEGINNINGS[extname(name)]?.test(bytes.subarray(0, 16).toString('latin1')) === true

/** The pictures of an export, which lie in a folder under the names that they have in MEDIA_DIR. */
export function openPictureFolder(
  dir: string,
  { files: notes }: Pick<Store['media'], 'files'>,
  folder: MediaFolder,
): Files {
  const isThere = async (name: string) =>
    (await stat(join(dir, name)).catch(() => undefined))?.isFile() === true
  const areKept = async (names: string[]) => (await folder.kept(names)).length === names.length
  async function has(names: string[]) {
    const found = await Promise.all(names.map(isThere))
    return !found.includes(false) || areKept(names)
  }
  return {
    has,
    async bring(names) {
      if (await areKept(names)) return null
      if (!(await has(names))) return undefined
      const files = await Promise.all(
        names.map(async (name): Promise<MediaFile> => ({ name, bytes: await readFile(join(dir, name)) })),
      )
      const loose = files.every(isPicture) ? await notes.claim(names) : undefined
      if (loose === undefined) return undefined
      const isWritten = await folder.write(files).catch(async (error) => {
        await notes.forget(loose)
        throw error
      })
      if (isWritten) return loose
      await notes.forget(loose)
      return undefined
    },
    drop: (loose) => notes.remove(loose, folder.remove),
  }
}

/** The tables that a line of a kind has rows of. */
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

type Columns = ReturnType<typeof columnsOf>
/** What a line of a kind may have: the columns of each of its rows. */
const COLUMNS = Object.fromEntries(
  LINE_KINDS.map((kind) => [
    kind,
    Object.entries(ROWS[kind]).map(([part, table]) => [part, columnsOf(table)] as const),
  ]),
) as Record<LineKind, (readonly [part: string, columns: Columns])[]>

/** The columns of rows that only some records have, by the column that tells so. */
const OPTIONAL_COLUMNS = Object.entries(OPTIONAL).map(
  ([part, [sign, table]]) => [part, sign, columnsOf(table)] as const,
)

/** The media types of pictures by their extension. */
const TYPES = new Map([
  ['jpg', 'image/jpeg'],
  ...['png', 'gif', 'webp', 'avif'].map((extension) => [extension, `image/${extension}`] as const),
])
const FILE = /^\d{4}\/\d{2}\/[^/\\\p{Cc}]+\.(\w+)$/u
const HASH = /^scrypt:[A-Za-z0-9+/]{22}==:[A-Za-z0-9+/]{43}=$/
const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

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

function readRow(columns: Columns, line: Row, problems: string[]): Row {
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
function readLine(line: Line): ReadLine {
  const problems: string[] = []
  const read = (columns: Columns) => readRow(columns, line, problems)
  const parts = Object.fromEntries(COLUMNS[line.kind].map(([part, columns]) => [part, read(columns)]))
  for (const [part, sign, columns] of OPTIONAL_COLUMNS)
    if (line[sign] !== undefined && 'post' in parts) parts[part] = read(columns)
  return { parts, problems }
}
