import type { EventBus } from './domain-events.ts'

/** Settings that stored data depends on, and that the database therefore keeps. */
export type StoredSettings = {
  timezone: string
  /** The first one is the default. */
  languages: string[]
  currency: string
}

/** The part of the configuration that the stores need. */
export type Site = {
  /** Unix milliseconds (R6). */
  clock(): number
  zone: string
  currency: string
  /** The first one is the default. */
  languages: readonly string[]
  /** How many days ahead series have dates; `OCCURRENCE_DAYS` if it is absent. */
  occurrenceDays?: number
  /** Where writes tell what they change, for features that act on it; absent where there are none. */
  domainEvents?: EventBus
}

/** Days ahead for which series have dates: as many as lists without dates look ahead. */
export const OCCURRENCE_DAYS = 730
