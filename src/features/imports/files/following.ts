import type { Write } from '../../../calendar/store.ts'
import type { Kind } from './item.ts'

/** A record here. */
export type Found = { kind: Kind; id: number }
type InTransaction = Pick<Write, 'tx'>

/** Remembers what a source gave, so that only what changed there is written, and what was edited here is left. */
export type Following = {
  /** Whether a record is as the source gives it. */
  isSame(found: Found, digest: string): boolean
  /** Why a record is not to be written; undefined if it may be. */
  whyLeft(w: InTransaction, found: Found): Promise<string | undefined>
  /** Why a date of a series is not to be written; undefined if it may be. */
  whyDateLeft(w: InTransaction, series: number, id: number): Promise<string | undefined>
  /** Writes a series, and remembers the state of its dates that followed it. */
  keep<T>(w: InTransaction, series: number, work: () => Promise<T>): Promise<T>
  /** Moves to the trash what is of the other kind in the source now. */
  replace(w: Write, found: Found): Promise<void>
  /** Whether a date of a series was unlike the others. */
  isOwn(id: number): boolean
  note(w: InTransaction, found: Found, digest: string): Promise<void>
}
/** What is noted of a date that is unlike the others, in place of a digest. */
export const OWN = 'own'
