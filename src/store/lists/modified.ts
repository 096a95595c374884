import { and, gt, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { secondsOf, type Wall } from '../../rules/time/dates.ts'
import type { Limit } from '../index/limits.ts'

/** Limits of the last change in UTC, neither of which is within. */
export type Modified = { after?: Wall | undefined; before?: Wall | undefined }

/** The condition on the column of the last change. */
export const modifiedWithin = (column: SQLiteColumn, { after, before }: Modified = {}): SQL | undefined =>
  and(
    after === undefined ? undefined : gt(column, after),
    before === undefined ? undefined : lt(column, before),
  )

/** The limits of lists of events. */
export function modifiedLimits({ after, before }: Modified): Limit[] {
  const limits: Limit[] = []
  if (after !== undefined) limits.push({ side: 'modified', than: '>', value: secondsOf(after), utc: true })
  if (before !== undefined) limits.push({ side: 'modified', than: '<', value: secondsOf(before), utc: true })
  return limits
}
