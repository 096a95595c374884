import type { Limit } from '../index/limits.ts'
import type { EventFilter } from '../lists/events.ts'
import type { OwnFilter } from '../lists/linked.ts'
import type { OwnTermFilter } from '../lists/terms.ts'

/** The kinds of records that can be followed, in the order in which a beginning lists them. */
export const KINDS = ['category', 'tag', 'venue', 'organizer', 'event'] as const
export type Kind = (typeof KINDS)[number]

/** The filters of lists, as they were read; each applies to the kinds whose lists have it. */
export type Filters = Omit<EventFilter, 'page' | 'per_page'> &
  Omit<OwnFilter, 'language'> &
  Omit<OwnTermFilter, 'language' | 'hide_empty'> & { hide_empty?: boolean }

/**
 * What is followed: kinds of records, and filters. What a filter meant at the beginning is kept: the limits of its dates, and the IDs of
 * terms that it named. It is plain JSON.
 */
export type Interest = {
  kinds: Kind[]
  filters: Filters
  /** All languages if absent. */
  language?: string
  /** The limits that the filters by date meant. */
  dates?: Limit[]
  /** The terms that the filters `categories` and `tags` meant. */
  categories?: number[]
  tags?: number[]
}

/** How far a follower has come: all that was written up to `at`, apart from the rest of a beginning. It is plain JSON. */
export type Cursor = {
  /** The number of the last row of the log that is done. */
  at: number
  /** The records that are still to be listed: from this kind on, those after this ID. */
  rest?: { kind: Kind; after: number; again?: true }
}
