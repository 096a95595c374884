import { sql } from 'drizzle-orm'
import { media, posts, terms } from '../../../drizzle/tables.ts'
import { describeDifference, keyOf } from '../../features/nodes/comparison.ts'
import type { Db } from '../../kernel/database/db.ts'
import { unusable } from '../../kernel/database/file.ts'
import type { RowDifference } from '../../kernel/database/replica.ts'
import { noteDerived } from '../../kernel/database/stored-settings.ts'
import type { Site } from '../../kernel/site.ts'
import type { MediaFolder } from '../media/folder.ts'
import { removeLoose } from '../records/media/files.ts'
import { derivePosts, mendPosts, mendTerms, nextPosts, nextTerms } from './derived.ts'
import type { Difference, Found } from './difference.ts'
import { begun, damagesOf, type Inspectors, readAhead } from './inspectors.ts'
import { type Files, leftFiles, nextPictures } from './lost.ts'
import { checkWords, mendWords } from './words.ts'

export type Inspection = {
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
  const words = inspectors && begun(inspectors.run('words'))
  const ahead = inspectors && readAhead(db, inspectors)
  const { differences } = await damages
  differences.forEach(found)
  if (differences.length > 0) return // further checks of a damaged file would be meaningless
  const rows = await compared(db, inspection)
  rows.map(toDifference).forEach(found)
  if (remove && rows.length > 0) await db.replica!.truth.mend(rows)
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
  if (remove && differs) await db.replica?.truth.announce()
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
    return (await replica?.truth.compare()) ?? []
  } catch (error) {
    if (!unreachable) throw error
    unreachable((error as Error).message)
    return []
  }
}

const toDifference = (row: RowDifference): Difference => {
  const [id] = keyOf(row.table, (row.here ?? row.inTruth)!)
  return { kind: 'copy', id: typeof id === 'number' ? id : 0, what: describeDifference(row) }
}

/** Lost files only come back from a backup. */
const picturesOf = (db: Db, files: Files): Part => ({ next: (after) => nextPictures(db, files, after) })

const sizeOf = ({ read }: Db, table: typeof posts | typeof terms | typeof media) =>
  read.get<{ size: number }>(sql`select count(*) as size from ${table}`).size
const brokenReferences = ({ read }: Db) =>
  read
    .all<{ table: string; rowid: number; parent: string }>(sql`PRAGMA foreign_key_check`)
    .map(({ table, rowid: id, parent }): Difference => {
      return { kind: 'reference', id, what: `row ${id} of ${table} points to nothing in ${parent}` }
    })
