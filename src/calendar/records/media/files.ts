import { eq, lt, sql } from 'drizzle-orm'
import { loose_files } from '../../../../drizzle/tables.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { toWall } from '../../../kernel/time/dates.ts'

export type LooseFiles = { id: number; names: string[] }

/** Milliseconds after which an upload or deletion counts as interrupted, and its files as left behind. */
const LEFT_AFTER = 3_600_000

/** Whether a row of `media` or a note has one of these names. */
async function areTaken(tx: Queries, names: string[]): Promise<boolean> {
  const wanted = sql`(select value from json_each(${JSON.stringify(names)}))`
  const [taken] = tx.all(
    sql`select 1 from media where file in ${wanted} union all select 1 from loose_files, json_each(loose_files.names) as name where name.value in ${wanted} limit 1`,
  )
  return taken !== undefined
}

/** Notes the files of a row for deletion, in the transaction that deletes the row. */
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

/** Ends a note in the transaction that creates the row for its files; throws if another process has revoked the note. */
export async function endNote(tx: Queries, id: number) {
  const [row] = await tx.delete(loose_files).where(eq(loose_files.id, id)).returning()
  if (row && !row.given_up) return
  throw new ApiError(
    'rest_not_ready',
    'The image was discarded, because it took too long or the service was restarted; send it again.',
    { retry_after: 1 },
  )
}

/** The notes of interrupted work, whose files were left behind. */
export const leftBehind = (db: Queries, now: number): Promise<LooseFiles[]> =>
  db
    .select({ id: loose_files.id, names: loose_files.names })
    .from(loose_files)
    .where(lt(loose_files.noted_utc, toWall(now - LEFT_AFTER, 'UTC')))

/**
 * Deletes the files of a note and ends it, in one transaction, so that nobody takes their names or inserts a row for them meanwhile.
 * Deletes nothing if the note is gone. Returns false, and keeps the note, if `unlink` did not delete all files.
 */
export const removeLoose = (db: Db, id: number, unlink: (names: string[]) => boolean): Promise<boolean> =>
  db.local(async (tx) => {
    const [note] = await tx.select().from(loose_files).where(eq(loose_files.id, id))
    if (note && !unlink(note.names)) return false
    await tx.delete(loose_files).where(eq(loose_files.id, id))
    return true
  })

/** Notes about files without a row. They are made before the files, so that all files of a killed process are found. */
export const openFiles = (db: Db, clock: () => number) => ({
  /** Reserves names for files that will be written; returns undefined if one is taken. */
  claim: (names: string[]): Promise<number | undefined> =>
    db.local(async (tx) => ((await areTaken(tx, names)) ? undefined : noteLoose(tx, names, false, clock()))),
  /** Deletes the files of a note, and ends it. */
  remove: (id: number, unlink: (names: string[]) => boolean) => removeLoose(db, id, unlink),
  /** Ends a note whose files were not written. */
  async forget(id: number) {
    await db.local(async (tx) => void (await tx.delete(loose_files).where(eq(loose_files.id, id))))
  },
  /** The notes about files that are to be deleted. */
  givenUp: (): Promise<LooseFiles[]> =>
    db.read.select().from(loose_files).where(eq(loose_files.given_up, true)).execute(),
  /** Revokes all notes: from then on no row can be inserted for their files, and they may be deleted. */
  async giveUp(): Promise<LooseFiles[]> {
    const noted = await db.read.select().from(loose_files)
    if (noted.length > 0)
      await db.local(async (tx) => void (await tx.update(loose_files).set({ given_up: true })))
    return noted.length > 0 ? db.read.select().from(loose_files) : []
  },
})
