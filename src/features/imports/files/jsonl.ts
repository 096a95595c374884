import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { MediaFile, MediaFolder } from '../../../calendar/media/folder.ts'
import type { Actor, Store } from '../../../calendar/store.ts'
import { invalid } from '../../../kernel/errors.ts'
import { readUrl } from '../../../kernel/text/text.ts'
import { readZone } from '../../../kernel/time/dates.ts'
import { FORM } from '../../files/export.ts'
import { type AddOptions, type Files, LINE_KINDS, type Line } from '../../files/transfer/transfer.ts'
import { openReport, type Report } from './report.ts'

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  let additions: ReturnType<Store['transfer']['add']> | undefined
  let number = 0
  let records = 0
  let isWhole = false
  let batch: Parsed[] = []
  const flush = async (total: number) => {
    const all = batch
    batch = []
    const became = await Promise.all(all.map(({ line }) => line && additions!.add(line)))
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
      additions = store.transfer.add({ ...how, files, zone: head.timezone })
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

/** Imports the identity and the branding of the calendar, as far as they are sound. */
async function importSettings(
  store: Store,
  { site_id, settings }: Head,
  by: Actor,
  mediaId: (id: number) => number | undefined,
) {
  await store.transfer.continue(site_id)
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
