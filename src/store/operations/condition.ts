import { ApiError } from '../../support/errors.ts'
import { type Changes, wasChanged } from '../changes/changes.ts'
import type { Queries } from '../sqlite/db.ts'

/** Runs a write inside its transaction, after the check. */
export type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

/** What a write depends on: the record as it is, if the caller may see it, and whether that is what the caller knows. */
export type Condition<Known extends { id: number }> = {
  look(): Promise<Known | undefined>
  fits(known: Known): boolean
}

const PASS: Guard = (_tx, work) => work()

/**
 * Writes on conditions. Each throws `rest_precondition_failed` unless its condition holds. Writes that share a transaction do not see
 * each other's responses, so the guard also checks inside the transaction whether the record was written since. All other errors come
 * first. The write is to the record that was looked at, where there is one: what an address means may change meanwhile.
 */
export function openConditions(changes: Pick<Changes, 'latest'>) {
  return async <Known extends { id: number }, T>(
    kind: string,
    condition: Condition<Known> | undefined,
    write: (guard: Guard, id?: number) => Promise<T>,
  ): Promise<T> => {
    if (condition === undefined) return write(PASS)
    const { seq } = changes.latest()
    const known = await condition.look()
    const fits = known !== undefined && condition.fits(known)
    return write(async (tx, work) => {
      const stale = !fits || (await wasChanged(tx, kind, known.id, seq))
      const done = await work()
      if (stale) throw changed()
      return done
    }, known?.id)
  }
}

const changed = () =>
  new ApiError(
    'rest_precondition_failed',
    'The record has changed: its ETag does not match If-Match. Read it again, and send the new ETag.',
  )
