import type { EventOrder } from '../../../schemas/event-query.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { metered, type Task } from '../../kernel/tasks/scheduler.ts'
import type { SearchTerms, Term, Terms } from '../../kernel/text/search.ts'
import type { DateLimit } from '../index/day-histogram.ts'
import type { Traits } from '../index/event-index.ts'
import type { Seen } from '../records/access.ts'
import type { LinkKind } from '../records/links.ts'
import type { LinkTargets } from './names.ts'

/** What a list selects from all events: filters, dates and order. Each query becomes a selection. */
export type Selection = Traits & {
  /** Set if the rights of who asks are limited: of others than this author only published events are selected, and those within the limits. */
  limited?: Seen['limited']
  /** One ID of each kind has to match. */
  links: Partial<Record<LinkKind, number[]>>
  /** Whether it takes place at one of these venues. */
  located?: { at: number[]; is: boolean } | undefined
  /** `caller` may edit some protected events, and searches them as well. */
  search?: (SearchTerms & { caller: Caller }) | undefined
  /** What a person looks for, in texts and in the names of what events are linked to. `caller` as in `search`. */
  query?: (Terms & { caller: Caller }) | undefined
  /** Only these events, by ID. */
  include?: number[] | undefined
  /** All have to hold. */
  dates: DateLimit[]
  /** Which of its events stands for each series; absent if all of them do. */
  series?: 'first' | 'last' | undefined
  order: { by: EventOrder; descending: boolean }
  /** Is told of each step that is made for it. */
  spend?: Spend | undefined
}
/** A term with the records whose names have it now. */
export type ResolvedTerm = Term & { targets: LinkTargets }
/** What a person looks for, with what has it in its name now. */
export type ResolvedTerms = { wanted: ResolvedTerm[]; unwanted: ResolvedTerm[]; caller: Caller }
/** A selection as of now: as JSON, two that select the same are the same. */
export type ResolvedSelection = Omit<Selection, 'query'> & { query?: ResolvedTerms | undefined }

/** Takes so many units of work from a budget. */
export type Spend = (units: number) => void

/** The page of a selection, and the page size. */
export type Paging = { page: number; per_page: number }
/** The IDs on a page, and the number of events on all pages. */
export type IdPage = {
  total: number
  ids: number[]
  /** How many events of its series each one stands for, by ID, if one stands for all. */
  occurrences?: Occurrences | undefined
}
/** Numbers of events by the ID of the one that stands for them. */
export type Occurrences = ReadonlyMap<number, number>

/** Units of work that a step of a list costs, and more for each word, which every text is searched for. */
const PRICE = 2
const PRICE_OF_WORD = 0.4

/** What a step costs that looks for so many words. */
export const stepCost = (words = 0): number => PRICE + words * PRICE_OF_WORD

/** A task that looks for so many words, each step of which is charged to whoever asks. */
export const charged = <T>(task: Task<T>, spend: Spend | undefined, words = 0): Task<T> =>
  spend ? metered(task, stepCost(words), spend) : task
