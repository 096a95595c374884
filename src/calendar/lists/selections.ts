import type { EventOrder } from '../../../schemas/event-query.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { finish, metered, type Scheduler, type Task } from '../../kernel/tasks/scheduler.ts'
import type { Corrections, SearchTerms, Term, Terms } from '../../kernel/text/search.ts'
import type { DateLimit } from '../index/day-histogram.ts'
import { openLiveIndex, type Traits } from '../index/event-index.ts'
import { SparseSet } from '../index/rows.ts'
import type { Span } from '../month-grid.ts'
import type { Seen } from '../records/access.ts'
import type { LinkKind } from '../records/rows.ts'
import { openCandidates, openEventChecks } from './candidates.ts'
import { openCorrections } from './corrections.ts'
import { type LinkTargets, openNames } from './names.ts'
import { keyOf, openCandidateSets, openPages } from './pages.ts'
import { openSuggestions, openTitles } from './suggestions.ts'

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

/** IDs of the next events. */
const NEXT =
  'select json_group_array(event_id) from (select event_id from listings where event_id > ? order by event_id limit 1000)'

/** How many words a selection looks for. */
const wordsOf = ({ search, query }: Selection) =>
  [search, query].reduce((sum, terms) => sum + (terms ? terms.wanted.length + terms.unwanted.length : 0), 0)

/**
 * All lists of events, from selections to pages of IDs. The dates and flags of all events are in memory (`index/event-index.ts`). What filters
 * select is found once (`candidates.ts`); it is kept as a set that catches up with writes when it is next requested, and a page is cut out of it
 * (`pages.ts`, which says in which ways). Work that takes longer than a moment is done in steps, each charged to whoever asks.
 */
export function openSelections(db: Db, changes: Changes, scheduler: Scheduler) {
  const names = openNames(db, changes)
  const live = openLiveIndex(db, changes)
  const { index } = live
  const checks = openEventChecks(db, live)
  const candidates = openCandidates(db, live, checks)
  const sets = openCandidateSets(live, candidates, checks)
  const pages = openPages(db, live, sets)
  /** The sets and orders that are being made. */
  const making = new Map<string, Promise<unknown>>()
  let refreshing: Promise<void> | undefined

  /** Updates the index to the committed state; undefined if it is current. */
  function refresh(): Promise<void> | undefined {
    if (refreshing || !live.isStale()) return refreshing
    const run = scheduler.runFirst(live.refresh())
    if (run instanceof Promise)
      refreshing = run.finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  /** A selection with the records that have its words in their names, as of the last names. */
  function withTargets(selection: Selection): ResolvedSelection {
    const { query, ...rest } = selection
    if (!query) return selection as ResolvedSelection
    const { wanted, unwanted, caller } = query
    const resolved = (term: Term) => ({ ...term, targets: names.targets(term, caller) })
    return { ...rest, query: { wanted: wanted.map(resolved), unwanted: unwanted.map(resolved), caller } }
  }

  /** A selection as of now. */
  async function resolve(selection: Selection): Promise<ResolvedSelection> {
    if (selection.query) await scheduler.run(names.follow())
    return withTargets(selection)
  }
  /** A selection as of now, at once. */
  function resolveNow(selection: Selection): ResolvedSelection {
    if (selection.query) finish(names.follow())
    return withTargets(selection)
  }

  /** A task for a selection, each step of which is charged to whoever asks. */
  const chargedFor = <T>(selection: Selection, task: Task<T>): Task<T> =>
    charged(task, selection.spend, wordsOf(selection))

  /** Runs a task after all earlier ones of the same name, even if those fail. */
  async function oneAtATime<T>(name: string, task: () => Task<T>): Promise<T> {
    while (making.has(name)) await Promise.allSettled([making.get(name)])
    const made = scheduler.run(task())
    if (!(made instanceof Promise)) return made
    making.set(name, made)
    return made.finally(() => making.delete(name))
  }

  /** The events of a selection by ID, in any order of the selection. `ready` comes first; then all is of one moment, without steps. */
  const byId = {
    /** Follows the last writes, and with `all` finds the events of the selection, so that little is left for the moment itself. */
    async ready(given: Selection, all: boolean) {
      const stale = refresh()
      if (stale) await stale
      const selection = await resolve(given)
      if (!all || selection.include) return
      const key = keyOf(selection)
      if (!sets.peek(key)) await oneAtATime(key, () => chargedFor(selection, sets.get(selection)))
    },
    /** Those of these events that are selected now. */
    among(given: Selection, ids: number[]): Set<number> {
      finish(live.refresh())
      const selection = resolveNow(given)
      const isWithin = index.within(selection.include ? [] : selection.dates)
      const wanted = selection.include ? ids.filter((id) => selection.include!.includes(id)) : ids
      return new Set(finish(sets.rowsOf(selection, wanted)).filter(isWithin).map(index.idOf))
    },
    /** The first `most` selected events after this ID, by ID. */
    after(given: Selection, after: number, most: number): number[] {
      const { include } = given
      const first = (ids: Iterable<number>) =>
        [...ids]
          .filter((id) => id > after)
          .sort((a, b) => a - b)
          .slice(0, most)
      if (include) return first(byId.among(given, include))
      finish(live.refresh())
      const selection = resolveNow(given)
      const { events } = finish(sets.get(selection))
      const isWithin = index.within(selection.dates)
      const isIn = (row: number) => events.has(row) && isWithin(row)
      if (events instanceof SparseSet) return first([...events].filter(isWithin).map(index.idOf))
      const found: number[] = []
      for (let last = after; found.length < most; ) {
        const [[text]] = db.rows<[string]>(NEXT, last) as [[string]]
        const ids: number[] = JSON.parse(text)
        if (ids.length === 0) break
        for (const id of ids) if (isIn(index.rowOf(id))) found.push(id)
        last = ids.at(-1)!
      }
      return found.slice(0, most)
    },
  }

  const titles = openTitles(db, live, scheduler, (selection, page) =>
    pages.find(withTargets(selection), page),
  )
  const correct = openCorrections({
    changes,
    *find(selection) {
      return (yield* sets.get(withTargets(selection))).events.count()
    },
    *count(selection) {
      const resolved = withTargets(selection)
      return (yield* candidates.select(resolved, index.matcher(resolved))).count()
    },
    unindexed: candidates.unindexed,
    nearNames: names.near,
    nearTitles: titles.near,
  })

  /** A page of IDs in the order of the selection, and the total. Throws 503 if too many lists are waiting. */
  async function list(given: Selection, page: Paging): Promise<IdPage> {
    const stale = refresh()
    if (stale) await stale
    const selection = given.query ? await resolve(given) : (given as ResolvedSelection)
    const { include, order } = selection
    if (order.by !== 'start') await oneAtATime(`by ${order.by}`, () => pages.prepare(order.by))
    if (include) return scheduler.run(pages.named(selection, include, page))
    const key = keyOf(selection)
    return (
      pages.atOnce(selection, sets.peek(key), page) ??
      oneAtATime(key, () => chargedFor(selection, pages.find(selection, page)))
    )
  }

  return {
    byId,
    list,
    /** What visitors may mean by what they typed. Throws like `list`. */
    suggest: openSuggestions(names, titles, async () => {
      await refresh()
      await scheduler.run(names.follow())
    }),
    /** What the words that a person typed are taken as, where they occur nowhere. Throws like `list`. */
    async correct(selection: Selection, now: number): Promise<Corrections> {
      await refresh()
      await resolve(selection)
      return scheduler.run(chargedFor(selection, correct(selection, now)))
    },
    /** Reads the data that lists are made from, without steps. */
    load() {
      finish(live.refresh())
      finish(candidates.load())
    },
    /** When the events of a selection by start take place, whose limits are whole days. Throws like `list`. */
    async spans(given: Selection): Promise<Span[]> {
      await refresh()
      const selection = await resolve(given)
      const key = keyOf(selection)
      return oneAtATime(key, () =>
        sets.peek(key)?.histogram ? pages.spans(selection) : chargedFor(selection, pages.spans(selection)),
      )
    },
  }
}
