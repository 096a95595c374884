import { constants } from 'node:fs'
import { access, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { openMediaFolder, type Share } from '../../calendar/media/folder.ts'
import type { Store } from '../../calendar/store.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { SHARED } from '../../kernel/database/file.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { VERSION } from '../../package.ts'
import type { Feed, Format } from '../feeds/formats/format.ts'
import { nextOf, openWholeSeries } from '../feeds/streaming.ts'
import { countLines, type LineKind, readLines } from './lines.ts'

/** Where an export goes. */
type Target = {
  /** Takes a line with its end. */
  write(text: string): Promise<unknown> | unknown
  /** Takes a file of a picture by its name; false if it is missing. */
  picture(name: string): Promise<boolean>
}
type Exported = { counts: Record<LineKind, number>; files: number; missing: string[] }
type Progress = (done: number, total: number) => void

/** The file of an export in its folder, and the folder of its pictures. */
export const LINES = 'calendar.jsonl'
export const PICTURES = 'media'

/** The version of the form of exports. */
export const FORM = 1

/**
 * Writes everything as JSON Lines: a line about the calendar, one for each user, picture, term, venue, organizer, series, event and revision,
 * and one that tells that the file is whole. Credentials, webhooks and the audit log are not part of it.
 */
export async function exportLines(
  store: Store,
  target: Target,
  progress: Progress = () => {},
): Promise<Exported> {
  const { zone: timezone, languages, currency, clock } = store.site
  const { logo_file: _, ...settings } = store.settings.chosen()
  const counts = countLines(store.db.read)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const site_id = await store.identity()
  const exported_utc = toWall(clock(), 'UTC')
  const head = { kind: 'calendar', form: FORM, program: VERSION, exported_utc, site_id }
  await target.write(print({ ...head, timezone, languages, currency, settings, counts }))
  const done: Exported = { counts: { ...counts }, files: 0, missing: [] }
  for (const kind of Object.keys(counts) as LineKind[]) done.counts[kind] = 0
  let lines = 0
  await readLines(store.db, async (line, files) => {
    for (const name of files)
      if (await target.picture(name)) done.files++
      else done.missing.push(name)
    await target.write(print(line))
    done.counts[line.kind]++
    progress(++lines, total)
  })
  await target.write(print({ kind: 'end', lines }))
  return done
}

const print = (line: object) => `${JSON.stringify(line)}\n`

/** Events that are read and written at a time. */
const BATCH = 20

/** Writes events as a caller sees them in a format, in the order of their IDs given; `base` and `title` are those of the calendar. */
export async function exportEvents(
  store: Store,
  { base, title, caller }: { base: string; title: string; caller: Caller },
  format: Format,
  ids: number[],
  write: (text: string) => unknown,
): Promise<void> {
  const { site } = store
  const feed: Feed = {
    single: false,
    title,
    description: title,
    self: base,
    home: base,
    next: undefined,
    base,
    host: base.replace(/^\w+:\/\//, ''),
    site: await store.identity(),
    language: site.languages[0]!,
    timezone: site.zone,
    updated: undefined,
    earliest: () => store.lists.earliest(ids),
  }
  const repeating = openWholeSeries(store, caller, { head: feed, ids }, format)
  const writer = format.open(feed)
  await write(writer.head())
  const left = repeating.left(ids)
  for (let some = nextOf(left, BATCH); some.length > 0; some = nextOf(left, BATCH)) {
    const events = (await store.records.posts(some, { caller })) as EventRecord[]
    const series = await repeating.find(events, async (all) => all)
    for (const part of repeating.arrange(events, series))
      await write('dates' in part ? writer.series!(part) : writer.event(part))
  }
  await write(writer.foot())
}

/** Whether there is a file or a folder of this name. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Writes a file by way of another name, so that it is whole or not there; nobody else may read it. */
export async function writeWhole<T>(
  path: string,
  work: (write: (text: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`
  const file = await open(partial, 'w', 0o600)
  try {
    const done = await work((text) => file.write(text))
    await file.sync()
    await file.close()
    await rename(partial, path)
    return done
  } catch (error) {
    await file.close().catch(() => {})
    await rm(partial, { force: true })
    throw error
  }
}

/** Copies files of pictures, from other nodes where this one lacks them; false if nobody has a file. */
export function openCopying(from: string, to: string, share: Share | undefined) {
  const folder = openMediaFolder(from, share)
  return async ({ media }: Store, name: string): Promise<boolean> => {
    await folder.ensure(name, () => media.hasFile(name))
    if (!(await exists(join(from, name)))) return false
    const path = join(to, name)
    await mkdir(dirname(path), { recursive: true, mode: SHARED.folder })
    await copyFile(join(from, name), path, constants.COPYFILE_FICLONE)
    return true
  }
}
