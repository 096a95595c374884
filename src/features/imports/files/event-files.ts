import type { DateOrder } from '../../../../schemas/imports.ts'
import type { Store } from '../../../calendar/store.ts'
import { inTurns, PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'
import { readCsv } from './csv.ts'
import { type WriteOptions, writeItems } from './event-writer.ts'
import { readCalendars } from './icalendar.ts'
import { type OpenReport, openReport, type Report, totalsOf } from './items.ts'

/** How a file of events is imported. */
type FileImportOptions = WriteOptions & {
  form: 'ics' | 'csv'
  /** The time zone of times that have none; by default that of the site. */
  zone?: string | undefined
  /** Whether pictures are downloaded. */
  media: boolean
  /** The order of days and months in a table, where its dates do not tell. */
  order?: DateOrder | undefined
  /** Rows that a table may have; by default any number. */
  mostRows?: number
  onEntry?: Parameters<typeof openReport>[0]
  /** What the file is called, under which the import is remembered. */
  file: string
}

/**
 * Imports events from the text of a file of iCalendar or CSV, and remembers it under the number `run`; with `dry` it only tells what would
 * come, and the number is 0.
 */
export async function importEvents(
  store: Store,
  text: string,
  options: FileImportOptions,
): Promise<Report & { run: number }> {
  const { imports } = store
  const { dry, signal, writer } = options
  const events = await readEvents(store, text, options)
  const reporting = openReport(options.onEntry)
  if (dry) return { ...(await writeEvents(store, events, reporting, options)), run: 0 }
  const known = await imports.source(`file:${options.file}`)
  const { run, source } = await imports.begin({ ...known, keeps_ids: false })
  let isWhole = false
  try {
    const provenance = { source: source.id, run }
    const report = await writeEvents(store, events, reporting, { ...options, provenance })
    isWhole = !signal?.aborted
    return { ...report, run }
  } finally {
    await imports.end(run, source.pages, totalsOf(reporting.report), !isWhole, writer.by)
  }
}

/** The events of a file, and what of it is none. */
async function readEvents(
  { site }: Store,
  text: string,
  { form, media, order, mostRows: most, zone = site.zone }: FileImportOptions,
) {
  if (form === 'ics')
    return {
      remarks: [],
      ...(await inTurns(readCalendars(text, { zone, media, languages: site.languages }))),
    }
  const { remarks = [], ...read } = await readCsv(text, { media, order, most })
  for (const item of read.items) if (item.kind === undefined) item.body = { timezone: zone, ...item.body }
  return { remarks, ...read }
}
type Events = Awaited<ReturnType<typeof readEvents>>

async function writeEvents(
  store: Store,
  { items, faults, remarks }: Events,
  { report, add, addFault }: OpenReport,
  options: FileImportOptions,
): Promise<Report> {
  for (const fault of faults) addFault(fault)
  for (const remark of remarks)
    add({ line: 1, kind: 'line', name: 'the first', outcome: 'present', remarks: [remark] })
  await writeItems(store, items, { report, add, addFault }, options)
  const left_out: Record<string, number> = {}
  for (const { leftOut = [], refused } of items)
    if (refused === undefined) for (const name of leftOut) left_out[name] = (left_out[name] ?? 0) + 1
  return { ...(Object.keys(left_out).length > 0 && { left_out }), ...report }
}

/** The signs of the code page of Windows from 128 to 159, where it differs from ISO 8859-1. */
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const ofWindows = (latin: string) =>
  latin.replace(/[\u0080-\u009f]/g, (sign) => SIGNS[sign.charCodeAt(0) - 128] as string)

/** A character of UTF-8 with more than one byte, each byte as a sign. */
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/
/** A character that a folded line of iCalendar has on both sides of the fold (RFC 5545 §3.1). */
const FOLDED = /([\xc2-\xf4][\x80-\xbf]{0,2})(\r?\n[ \t])([\x80-\xbf]{1,3})/g

/** A character at the end of a piece that may go on in the next, perhaps behind a fold. */
const UNFINISHED = /[\xc2-\xf4][^\xc2-\xf4]{0,8}$/

/** Bytes as signs in pieces, in none of which a character of UTF-8 ends that began in another. */
function* wholeSequences(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.toString('latin1', at, at + PIECE)
    const end = at + PIECE < bytes.length ? piece.search(UNFINISHED) : -1
    const whole = end < 0 ? piece : piece.slice(0, end)
    yield whole
    at += whole.length
  }
}

/** The text of bytes in an encoding, a piece in each step. */
function* textOf(bytes: Buffer, encoding: string, fatal = false): Task<string> {
  const decoder = new TextDecoder(encoding, { fatal })
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })
    yield
  }
  return text + decoder.decode()
}

/** The text of bytes in UTF-8; undefined if one of them is none. */
function* utf8(bytes: Buffer): Task<string | undefined> {
  try {
    return yield* textOf(bytes, 'utf-8', true)
  } catch {
    return undefined
  }
}

/**
 * The text of a file: in UTF-8 or, if a mark at its beginning says so, UTF-16. A line that is folded inside a character is folded after it. A
 * file without any character of several bytes that is UTF-8 is read as the code page of Windows; in all others a byte that is no
 * UTF-8 becomes `UNREADABLE`.
 */
export function* decode(file: Uint8Array): Task<string> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return yield* textOf(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return yield* textOf(bytes, 'utf-16be')
  const text = yield* utf8(bytes)
  if (text !== undefined) return text
  const pieces: string[] = []
  let isUtf8 = false
  for (const piece of wholeSequences(bytes)) {
    const unfolded = piece.replace(FOLDED, '$1$3$2')
    isUtf8 ||= SEQUENCE.test(unfolded)
    pieces.push(unfolded)
    yield
  }
  if (isUtf8) return yield* textOf(Buffer.from(pieces.join(''), 'latin1'), 'utf-8')
  let read = ''
  for (const piece of pieces) {
    read += ofWindows(piece)
    yield
  }
  return read
}
