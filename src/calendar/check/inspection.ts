import { asc, gt, inArray, sql } from 'drizzle-orm'
import { media, posts, terms } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import { unusable } from '../../kernel/database/file.ts'
import { type Comparison, keyOf, type RowDifference } from '../../kernel/database/replica.ts'
import { noteDerived } from '../../kernel/database/stored-settings.ts'
import type { Site } from '../../kernel/site.ts'
import type { MediaFolder } from '../media/folder.ts'
import { filesOf, leftBehind, removeLoose } from '../records/media.ts'
import {
  BATCH,
  type Difference,
  derivePosts,
  type Found,
  mendPosts,
  mendTerms,
  nextPosts,
  nextTerms,
} from './derived.ts'
import { checkWords, mendWords } from './words.ts'

type Inspection = {
  /** Called for each difference. */
  found(difference: Difference): void
  /** Called with the number of records checked, and of all records. */
  progress(done: number, total: number): void
  /** Called if a copy can not be compared with PostgreSQL; if this is missing, the check fails. */
  unreachable?(why: string): void
  /** Other processes, which read for a check so that it takes less time. */
  inspectors?: Inspectors | undefined
}

/** The records of one table: `next` checks those after an ID, `mend` corrects them. */
type Part = {
  next(after: number): Promise<Found>
  mend?(differences: Difference[], after: number): Promise<unknown>
}

/**
 * Verifies the database file, compares derived data with its sources, and images with their files. It writes nothing and blocks
 * no writer.
 */
export const check = (db: Db, site: Site, files: Files, inspection: Inspection) =>
  walk(db, site, files, inspection)

/**
 * Does what `check` does, recreates derived data that differs, one transaction a batch, and deletes orphaned files. Running servers
 * clear their caches. Throws `unusable` if such a file can not be deleted.
 */
export const rebuild = (db: Db, site: Site, folder: MediaFolder, inspection: Inspection) =>
  walk(db, site, folder, inspection, async ({ id, what }) => {
    if (!(await removeLoose(db, id, folder.remove)))
      throw unusable('MEDIA_DIR', `${what}, and it can not be deleted; check who may write there`)
  })

/** Repairs where it is given how files that were left behind are removed. */
async function walk(
  db: Db,
  site: Site,
  files: Files,
  inspection: Inspection,
  remove?: (left: Difference) => Promise<void>,
) {
  const { progress, inspectors } = inspection
  let differs = false
  const found = (difference: Difference) => {
    if (difference.kind !== 'picture') differs = true
    inspection.found(difference)
  }
  const damages = inspectors ? inspectors.run('integrity') : damagesOf(db)
  const words = inspectors && started(inspectors.run('words'))
  const ahead = inspectors && readAhead(db, inspectors)
  const { differences } = await damages
  differences.forEach(found)
  if (differences.length > 0) return // further checks of a damaged file would be meaningless
  const rows = await compared(db, inspection)
  rows.map((row) => toDifference(row, db.replica!.comparison)).forEach(found)
  if (remove && rows.length > 0) await db.replica!.comparison.mend(rows)
  brokenReferences(db).forEach(found)
  const trouble = await files.trouble()
  const pictures = sizeOf(db, media)
  if (trouble && pictures > 0) found({ kind: 'picture', id: 0, what: `${trouble}: no picture has its files` })
  const [ofPosts, ofTerms] = derivedParts(db, site)
  const parts = [ahead ?? ofPosts, ofTerms, ...(trouble ? [] : [picturesOf(db, files)])]
  const total = sizeOf(db, posts) + sizeOf(db, terms) + (trouble ? 0 : pictures)
  await pass(parts, total, remove !== undefined, { found, progress })
  const wrong = (await (words ?? checkWords(db))).differences
  wrong.forEach(found)
  if (remove && wrong.length > 0) await mendWords(db, site, wrong)
  if (remove) await noteDerived(db)
  if (remove && differs) await db.replica?.comparison.announce()
  const left = await leftFiles(db, files, site.clock())
  left.forEach(found)
  if (remove) for (const difference of left) await remove(difference)
}

/** Checks the records of all parts in batches, and corrects those that differ if `mends`. */
async function pass(parts: Part[], total: number, mends: boolean, { found, progress }: Inspection) {
  let done = 0
  for (const { next, mend } of parts) {
    for (let after = 0; ; ) {
      const { ids, differences } = await next(after)
      if (ids.length === 0) break
      differences.forEach(found)
      if (mends && differences.length > 0) await mend?.(differences, after)
      after = ids.at(-1)!
      done += ids.length
      progress(done, total)
      await new Promise(setImmediate)
    }
  }
}

/** Recreates all derived data that differs, and notes that it is as this program derives it. */
export async function derive(db: Db, site: Site, inspection: Inspection) {
  await pass(derivedParts(db, site), sizeOf(db, posts) + sizeOf(db, terms), true, inspection)
  await noteDerived(db)
}

const derivedParts = (db: Db, site: Site): [ofPosts: Part, ofTerms: Part] => [
  {
    next: (after) => db.view(() => nextPosts(db.read, site, after)),
    mend: (differences, after) => mend(db, site, differences, () => nextPosts(db.read, site, after)),
  },
  {
    next: (after) => db.view(() => nextTerms(db.read, after)),
    mend: (differences) => db.write((tx) => mendTerms(tx, site, differences)),
  },
]

/**
 * Corrects posts that differ. A node recreates what its copy alone has, and writes only if PostgreSQL has the same mistake: then it is
 * corrected for all.
 */
async function mend(db: Db, site: Site, differences: Difference[], again: () => Promise<Found>) {
  let left = differences
  if (db.replica) {
    await db.local((tx) => derivePosts(tx, site, differences))
    left = (await db.view(again)).differences.filter(({ kind }) => kind !== 'record')
  }
  if (left.length > 0) await db.write((tx) => mendPosts(tx, site, left))
}

/** The rows of a copy that differ from PostgreSQL; none of a file that is the truth. */
async function compared({ replica }: Db, { unreachable }: Inspection): Promise<RowDifference[]> {
  try {
    return (await replica?.comparison.compare()) ?? []
  } catch (error) {
    if (!unreachable) throw error
    unreachable((error as Error).message)
    return []
  }
}

const toDifference = (row: RowDifference, comparison: Pick<Comparison, 'describe'>): Difference => {
  const [id] = keyOf(row.table, (row.here ?? row.there)!)
  return { kind: 'copy', id: typeof id === 'number' ? id : 0, what: comparison.describe(row) }
}

/** Lost files only come back from a backup. */
const picturesOf = (db: Db, files: Files): Part => ({ next: (after) => nextPictures(db, files, after) })

const sizeOf = ({ read }: Db, table: typeof posts | typeof terms | typeof media) =>
  read.get<{ size: number }>(sql`select count(*) as size from ${table}`).size
const brokenReferences = ({ read }: Db) =>
  read
    .all<{ table: string; rowid: number | null; parent: string }>(sql`PRAGMA foreign_key_check`)
    .map(({ table, rowid, parent }): Difference => {
      // links have no numbers
      const row = rowid === null ? 'a row' : `row ${rowid}`
      return { kind: 'reference', id: rowid ?? 0, what: `${row} of ${table} points to nothing in ${parent}` }
    })

/** A part of a check: that of the file, of the index of words, or of the posts after one ID and up to another. */
export type Job = 'integrity' | 'words' | { after: number; until: number }
/** Processes that share the reading of a check. */
export type Inspectors = {
  /** Does a job as soon as a process is free, in the order of the calls. */
  run(job: Job): Promise<Found>
}

/** IDs of one job: some tenths of a second. */
const RANGE = 1_000

const damaged = (lines: string[]): Found => ({
  ids: [],
  differences: lines.map((what) => ({ kind: 'integrity', id: 0, what })),
})
/** The messages of SQLite about the file, or its error if it can not check it. */
async function damagesOf({ rows }: Pick<Db, 'rows'>): Promise<Found> {
  try {
    return damaged(
      rows<[string]>('PRAGMA integrity_check').flatMap(([line]) => (line === 'ok' ? [] : [line])),
    )
  } catch (error) {
    return damaged([(error as Error).message])
  }
}

/** Does a job with a connection of its own. Each batch of posts is of one moment, whoever writes. */
export async function inspect(db: Db, site: Site, job: Job): Promise<Found> {
  if (job === 'integrity') return damagesOf(db)
  if (job === 'words') return checkWords(db)
  const found: Found = { ids: [], differences: [] }
  for (let { after } = job; ; ) {
    const { ids, differences } = await db.view(() => nextPosts(db.read, site, after, job.until))
    if (ids.length === 0) return found
    found.ids.push(...ids)
    found.differences.push(...differences)
    after = ids.at(-1)!
  }
}

/** At least the last ID, read without the table itself, which may be damaged. */
const LAST = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'posts'"

/** A job whose failure is told where it is waited for, unless the file itself is damaged. */
function started(job: Promise<Found>): Promise<Found> {
  job.catch(() => {})
  return job
}

/** Has all posts checked at once by others; `next` gives what they found by ranges, in order. */
function readAhead({ rows }: Pick<Db, 'rows'>, { run }: Inspectors) {
  const ranges: Promise<Found>[] = []
  const [[last]] = rows<[number]>(LAST) as [[number]]
  for (let after = 0; after < last; after += RANGE) {
    const isLast = after + RANGE >= last
    ranges.push(started(run({ after, until: isLast ? Number.MAX_SAFE_INTEGER : after + RANGE })))
  }
  return {
    async next(): Promise<Found> {
      for (let range = ranges.shift(); range; range = ranges.shift()) {
        const found = await range
        if (found.ids.length > 0) return found
      }
      return { ids: [], differences: [] }
    },
  }
}

/** The operations on the folder of images that the check uses. */
type Files = Pick<MediaFolder, 'trouble' | 'present' | 'kept'>

/** The next images after this ID, and those that lack files. One whose row has been deleted during the check is not reported. */
async function nextPictures(db: Db, { kept }: Files, after: number): Promise<Found> {
  const rows = await db.view(() =>
    db.read
      .select({ id: media.id, file: media.file, sizes: media.sizes })
      .from(media)
      .where(gt(media.id, after))
      .orderBy(asc(media.id))
      .limit(BATCH),
  )
  const found = new Set(await kept(rows.flatMap(filesOf)))
  const lacking = rows.flatMap((row): Difference[] => {
    const lost = filesOf(row).filter((name) => !found.has(name))
    return lost.length > 0
      ? [{ kind: 'picture', id: row.id, what: `picture ${row.id} lacks ${lost.join(', ')}` }]
      : []
  })
  const ids = rows.map(({ id }) => id)
  // files are deleted after their row, so if the row still exists they should have existed
  const lasting = new Set(await db.view(() => idsAmong(db, lacking)))
  return { ids, differences: lacking.filter(({ id }) => lasting.has(id)) }
}

const idsAmong = async ({ read }: Db, differences: Difference[]) => {
  const ids = differences.map(({ id }) => id)
  return (await read.select({ id: media.id }).from(media).where(inArray(media.id, ids))).map(({ id }) => id)
}

/** The files without an image, except those of uploads and deletions in progress. */
async function leftFiles(db: Db, { present }: Files, now: number): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const { id, names } of await db.view(() => leftBehind(db.read, now))) {
    const left = await present(names)
    if (left.length > 0) differences.push({ kind: 'file', id, what: `no picture has ${left.join(', ')}` })
  }
  const lasting = new Set((await db.view(() => leftBehind(db.read, now))).map(({ id }) => id))
  return differences.filter(({ id }) => lasting.has(id))
}
