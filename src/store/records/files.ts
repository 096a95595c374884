import { eq, lt, sql } from 'drizzle-orm'
import { loose_files } from '../../../drizzle/tables.ts'
import { ApiError } from '../../errors.ts'
import { toWall } from '../../rules/dates.ts'
import type { Db, Queries } from '../sqlite/db.ts'

export type LooseFiles = { id: number; names: string[] }

/** Milliseconds after which no upload and no deletion is under way any more: its files were left behind. */
const LEFT_AFTER = 3_600_000

/** Whether a row of `media` or a note has one of these names. */
async function areTaken(tx: Queries, names: string[]): Promise<boolean> {
  const wanted = sql`(select value from json_each(${JSON.stringify(names)}))`
  const [taken] = tx.all(
    sql`select 1 from media where file in ${wanted} union all select 1 from loose_files, json_each(loose_files.names) as name where name.value in ${wanted} limit 1`,
  )
  return taken !== undefined
}

/** Notes, in the transaction that deletes a row, that its files are to go. */
export async function noteLoose(
  tx: Queries,
  names: string[],
  given_up: boolean,
  now: number,
): Promise<number> {
  const [row] = await tx
    .insert(loose_files)
    .values({ names, given_up, noted_utc: toWall(now, 'UTC') })
    .returning({ id: loose_files.id })
  return row!.id
}

/** Ends a note in the transaction that creates the row for its files; throws if another process has given them up. */
export async function settle(tx: Queries, id: number) {
  const [row] = await tx.delete(loose_files).where(eq(loose_files.id, id)).returning()
  if (row && !row.given_up) return
  throw new ApiError(
    'rest_not_ready',
    'The image was discarded, because it took too long or the service was restarted; send it again.',
    { retry_after: 1 },
  )
}

/** The notes that whoever made them did not end: their files were left behind. */
export const leftBehind = (db: Queries, now: number): Promise<LooseFiles[]> =>
  db
    .select({ id: loose_files.id, names: loose_files.names })
    .from(loose_files)
    .where(lt(loose_files.noted_utc, toWall(now - LEFT_AFTER, 'UTC')))

/**
 * Deletes the files of a note and ends it, in one transaction: nobody takes their names or makes a row for them meanwhile. Nothing is
 * deleted where the note is gone. Gives false, and keeps the note, where `unlink` did not delete all files.
 */
export const removeLoose = (db: Db, id: number, unlink: (names: string[]) => boolean): Promise<boolean> =>
  db.write(async (tx) => {
    const [note] = await tx.select().from(loose_files).where(eq(loose_files.id, id))
    if (note && !unlink(note.names)) return false
    await tx.delete(loose_files).where(eq(loose_files.id, id))
    return true
  })

/** Notes about files that no row names: made before the files are, so that nothing a killed process left behind is lost sight of. */
export const openFiles = (db: Db, clock: () => number) => ({
  /** Takes these names for files that will be written; undefined where one of them is taken. */
  claim: (names: string[]): Promise<number | undefined> =>
    db.write(async (tx) => ((await areTaken(tx, names)) ? undefined : noteLoose(tx, names, false, clock()))),
  /** Deletes the files of a note, and ends it. */
  remove: (id: number, unlink: (names: string[]) => boolean) => removeLoose(db, id, unlink),
  /** Ends a note whose files were not written. */
  async forget(id: number) {
    await db.write(async (tx) => void (await tx.delete(loose_files).where(eq(loose_files.id, id))))
  },
  /** Gives up all files that are noted: from then on no row can take them, and they may be deleted. */
  async giveUp(): Promise<LooseFiles[]> {
    const noted = await db.read.select().from(loose_files)
    if (noted.length > 0)
      await db.write(async (tx) => void (await tx.update(loose_files).set({ given_up: true })))
    return noted.length > 0 ? db.read.select().from(loose_files) : []
  },
})
