import type { EventBus } from './store.ts'

/** Settings that stored data depends on, and that the database therefore keeps. */
export type StoredSettings = {
  timezone: string
  /** The first one is the default. */
  languages: string[]
  currency: string
}

/** The part of the configuration that the stores need. */
export interface Site {
  /** Unix milliseconds (R6). */
  clock(): number
  zone: string
  currency: string
  /** The first one is the default. */
  languages: readonly string[]
  /** Where writes tell what they change, for features that act on it; absent where there are none. */
  domainEvents?: EventBus
}
