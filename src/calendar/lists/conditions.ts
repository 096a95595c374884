import { and, asc, gt, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { posts, terms } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Wall } from '../../kernel/time/dates.ts'

/** The records of a list by ID. Every call is of one moment. */
export type ById = {
  /** Those of these records that are in the list. */
  among(ids: number[]): Set<number>
  /** The first `most` after this ID, by ID. */
  after(id: number, most: number): number[]
}

/** The records that fulfil a condition on their own table. */
export function openById(db: Db, table: typeof posts | typeof terms, where: SQL | undefined): ById {
  const read = (condition: SQL, most: number) =>
    db.read
      .select({ id: table.id })
      .from(table as typeof posts)
      .where(and(condition, where))
      .orderBy(asc(table.id))
      .limit(most)
      .all()
      .map(({ id }) => id)
  return {
    among: (ids) =>
      new Set(read(sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`, ids.length)),
    after: (id, most) => read(gt(table.id, id), most),
  }
}

/** Limits of the last change in UTC, neither of which is within. */
export type Modified = { after?: Wall | undefined; before?: Wall | undefined }

/** The condition on the column of the last change. */
export const modifiedWithin = (column: SQLiteColumn, { after, before }: Modified = {}): SQL | undefined =>
  and(
    after === undefined ? undefined : gt(column, after),
    before === undefined ? undefined : lt(column, before),
  )
