import { eq, sql } from 'drizzle-orm'
import { replica } from '../../../../drizzle/tables.ts'
import { type Db, prepared, type Queries } from '../../../kernel/database/db.ts'

/** The group of writes up to which a copy has what PostgreSQL keeps, and which tables these are. */
export type Position = { seq: number; commit_id: string; origin: string }

const stored = prepared((db) => db.select().from(replica).prepare())

/** How far a copy is; undefined for a file that is no copy. */
export const positionOf = (db: Queries): Position | undefined => stored(db).get()

/** Notes how far a copy is, in the transaction that brought it there. */
export async function notePosition(tx: Queries, { seq, commit_id }: Pick<Position, 'seq' | 'commit_id'>) {
  await tx.update(replica).set({ seq, commit_id }).where(eq(replica.id, 1))
}

/** How often a copy was mended: whoever runs on it has other data in memory then. */
export const mendedOf = (db: Db): number => db.rows<[number]>('pragma user_version')[0]![0]

/** Notes that a copy was mended. */
export const noteMended = (db: Db) =>
  db.local(async (tx) => void tx.run(sql.raw(`pragma user_version = ${mendedOf(db) + 1}`)))
