import { and, gt, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Wall } from '../../rules/time/dates.ts'

/** Limits of the last change in UTC, neither of which is within. */
export type Modified = { after?: Wall | undefined; before?: Wall | undefined }

/** The condition on the column of the last change. */
export const modifiedWithin = (column: SQLiteColumn, { after, before }: Modified = {}): SQL | undefined =>
  and(
    after === undefined ? undefined : gt(column, after),
    before === undefined ? undefined : lt(column, before),
  )
