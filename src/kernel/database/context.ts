import { AsyncLocalStorage } from 'node:async_hooks'
import type { Queries } from './db.ts'

/** What a write does in its transaction. */
export type Work<T> = (tx: Queries) => Promise<T>

/** What a request carries along to all writes that are begun for it. */
export type Carried = {
  /** The ID of the receipt that each of them leaves. */
  receipt?: string | undefined
  /** Wraps each of them, in its transaction. */
  around?: (<T>(work: Work<T>) => Work<T>) | undefined
  /** Runs it in a transaction that is open, instead of one of its own. */
  join?: (<T>(work: Work<T>) => Promise<T>) | undefined
}

const current = new AsyncLocalStorage<Carried>()

/** What is carried here; undefined of nearly all writes. */
export const carried = (): Carried | undefined => current.getStore()

/** Runs `work`; its writes carry this, beside what is carried here. */
export const carry = (more: Carried, work: () => void) =>
  current.run({ ...current.getStore(), ...more }, work)

/** Runs `work`; its writes carry nothing. */
export const carryNothing = <T>(work: () => T): T => current.exit(work)
