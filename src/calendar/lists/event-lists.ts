import type { Caller } from '../../kernel/access/rights.ts'
import { type Changes, EVERYTHING, TOUCHED } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { finish, type Scheduler, type Task } from '../../kernel/tasks/scheduler.ts'
import type { Corrections, Term } from '../../kernel/text/search.ts'
import type { Span } from '../days.ts'
import { openLiveIndex } from '../index/event-index.ts'
import { SparseSet } from '../index/rows.ts'
import { canWrite } from '../rights.ts'
import { openCandidates, openEventChecks } from './candidates.ts'
import { openCorrections } from './corrections.ts'
import { openNames } from './names.ts'
import { keyOf, openCandidateSets, openPaging } from './paging.ts'
import {
  charged,
  type IdPage,
  openFilters,
  type Paging,
  type ResolvedSelection,
  type Selection,
} from './selection.ts'
import { openSuggestions, openTitles } from './suggestions.ts'

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
export function openSelections(
  db: Db,
  changes: Changes,
  scheduler: Scheduler,
  names = openNames(db, changes),
) {
  const live = openLiveIndex(db, changes)
  const { index } = live
  const checks = openEventChecks(db, live)
  const candidates = openCandidates(db, live, checks)
  const sets = openCandidateSets(live, candidates, checks)
  const pages = openPaging(db, live, sets)
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

const NO_CORRECTIONS: Corrections = new Map()

/** Lists of events. Lists of venues, organizers, series and terms are in `linked-records.ts`, of pictures in `media.ts`. */
export function openEventLists(db: Db, changes: Changes, scheduler: Scheduler) {
  const names = openNames(db, changes)
  const selections = openSelections(db, changes, scheduler, names)

  return {
    ...openFilters(db, changes, scheduler, names),
    ...selections,
    /** A selection with the words that occur nowhere taken as their nearest at a time in Unix milliseconds, and which these are. Throws 503 like `list`. */
    async correct(
      selection: Selection,
      now: number,
    ): Promise<{ selection: Selection; corrections: Corrections }> {
      const { query } = selection
      const corrections: Corrections = query
        ? await selections.correct(selection, Math.floor(now / 1_000))
        : NO_CORRECTIONS
      if (corrections.size === 0) return { selection, corrections }
      const wanted = query!.wanted.map((term) => ({ ...term, text: corrections.get(term.text) ?? term.text }))
      return { selection: { ...selection, query: { ...query!, wanted } }, corrections }
    },
    /** Those of these events, in their order, that match a selection now, its dates apart. */
    async stillMatching(selection: Selection, ids: number[]): Promise<number[]> {
      const page = { page: 1, per_page: ids.length }
      const found = new Set((await selections.list({ ...selection, include: ids }, page)).ids)
      return ids.filter((id) => found.has(id))
    },
    /** The last change of any of these events that the caller sees, or of something that they show. */
    lastChange: async (ids: number[], caller: Caller): Promise<LastChange> =>
      scheduler.run(lastChange(db, ids, canWrite(caller) ? 0 : TOUCHED.unseen)),
    /** The first start of any of these events or of their series, in UTC; undefined without one. */
    earliest: (ids: number[]): string | undefined =>
      db.rows<[string | null]>(EARLIEST, JSON.stringify(ids))[0]![0] ?? undefined,
    /** The events of a language that were added last and begin after a time in Unix seconds, as visitors see them. */
    newest: (language: string, after: number, count: number) => newest(db, language, after, count),
  }
}

const EARLIEST = `with shown(id) as (select value from json_each(?))
  select min(utc_start_date) from events where post_id in (
    select id from shown union select series_id from shown join occurrences on post_id = id)`

/**
 * The last change of something: its time in UTC, and how many there were in this second. Without a time, it is older than what is
 * still known.
 */
type LastChange = { at_utc: string | undefined; count: number }
type Row = [seq: number, kind: string, id: number, at_utc: string]

const BEFORE =
  'select seq, kind, record_id, at_utc from changes where seq < ? and (touched & ?) = 0 order by seq desc limit 500'
const GIVEN = 'select post_id from occurrences where series_id = ?'

/**
 * The last change of any of these events, or of something that they show, which touched nothing of `without`. Read from the end, where
 * the answer usually is. It says nothing of other records, as the number of a row would.
 */
export function* lastChange(
  { rows }: Pick<Db, 'rows'>,
  ids: Iterable<number>,
  without: number,
): Task<LastChange> {
  const among = new Set(ids)
  const last: LastChange = { at_utc: undefined, count: 0 }
  const gave = (series: number) => rows<[id: number]>(GIVEN, series).map(([id]) => id)
  let found = rows<Row>(BEFORE, Number.MAX_SAFE_INTEGER, without)
  while (found.length > 0) {
    for (const [, kind, id, at_utc] of found) {
      if (last.at_utc !== undefined && at_utc !== last.at_utc) return last
      const isShown =
        kind === 'event' ? among.has(id) : kind === 'series' && gave(id).some((one) => among.has(one))
      if (kind !== EVERYTHING && !isShown) continue
      last.at_utc = at_utc
      last.count++
    }
    yield
    found = rows<Row>(BEFORE, found.at(-1)![0], without)
  }
  return last
}

/** Among how many of the last IDs new events are looked for, whatever became of them. */
const LAST = 2_000
const NEWEST = `select max(event_id) from listings
  where event_id > (select max(event_id) from listings) - ${LAST}
    and status = 'publish' and not hidden and language = ? and utc_starts > ?
  group by coalesce(parent_id, -event_id) order by 1 desc limit ?`

/**
 * The IDs of events of a language that visitors see in lists, that were added last and begin after a time in Unix seconds: the newest
 * first, and one of each series.
 */
const newest = ({ rows }: Pick<Db, 'rows'>, language: string, after: number, count: number): number[] =>
  rows<[id: number]>(NEWEST, language, after, count).map(([id]) => id)
