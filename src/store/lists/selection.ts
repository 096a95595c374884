import type { EventOrder } from '../../../schemas/event-query.ts'
import type { Caller } from '../../rules/roles.ts'
import type { SearchTerms } from '../../rules/words.ts'
import type { Limit } from '../index/limits.ts'
import type { Traits } from '../index/traits.ts'
import type { LinkKind } from '../records/links.ts'

/** What the store selects of all events for a list: filters, dates and order. What a query asks for becomes one of these. */
export type Selection = Traits & {
  /** Of the IDs of a kind one has to match. */
  links: Partial<Record<LinkKind, number[]>>
  /** Whether it takes place at one of these venues. */
  located?: { at: number[]; is: boolean } | undefined
  /** `caller` may edit some of what passwords protect, and searches there as well. */
  search?: (SearchTerms & { caller: Caller }) | undefined
  /** Only these events, by ID. */
  include?: number[] | undefined
  /** Every one has to hold. */
  dates: Limit[]
  order: { by: EventOrder; descending: boolean }
}

/** Which page of a selection, and how long its pages are. */
export type Page = { page: number; per_page: number }
/** The IDs on a page, and how many events there are on all. */
export type Found = { total: number; ids: number[] }
