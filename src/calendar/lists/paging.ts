import { LRUCache } from 'lru-cache'
import type { Db } from '../../kernel/database/db.ts'
import { first } from '../../kernel/sorting.ts'
import { finish, type Task } from '../../kernel/tasks/scheduler.ts'
import type { Span } from '../days.ts'
import { ALWAYS, type DateLimit, type Histogram, windowOf } from '../index/day-histogram.ts'
import type { LiveIndex, openEventIndex } from '../index/event-index.ts'
import { Bitmap, inSteps, type RowSet, SparseSet } from '../index/rows.ts'
import {
  openSortOrders,
  openWindowBitmaps,
  pageAlong,
  type SortedRows,
  type SortKey,
} from '../index/sort-orders.ts'
import type { Candidates, EventChecks } from './candidates.ts'
import type { IdPage, Occurrences, Paging, ResolvedSelection, Selection } from './selection.ts'

/**
 * How a page of a list is found. A list is a set of events, which is kept for its filters (`openCandidateSets`), and a page is cut out of it in the
 * first of these ways, as `STRATEGIES` below has them, that serves the set. What it costs to find the set is in `candidates.ts`:
 *
 * | way       | serves                                                         | costs, of 100,000 events                             |
 * | --------- | -------------------------------------------------------------- | ---------------------------------------------------- |
 * | `ordered` | by end, last change or title: sets of many events              | 15 to 30 µs for the first page, 100 µs for 1,000th   |
 * | `sorted`  | by these: sets of few; by start: up to 5,000 not counted       | 20 µs for 250 events, 100 µs for 5,000               |
 * | `counted` | by start: sets that are counted by day, or serve their second  | 10 to 40 µs, 200 for the last page;                  |
 * |           | page, and whatever no other way serves                         | to count 1 to 2 ms, once for a set                   |
 * | `walked`  | by start: first pages of more events not counted               | 20 to 30 µs for dates that were asked for before,    |
 * |           |                                                                | up to 1 ms for others                                |
 *
 * `ordered` reads all events in their order until the page is full, so a high page of a small set reads nearly all. `sorted` reads all events of
 * the set. `counted` has the number of events by the day they start on and their length. These give the total of any window of whole days, and the
 * days that a page is of; only the events of these days are read. `walked` reads the days from the first one of the window on until the page is
 * full, which is soon where the set is large; after 20,000 events it gives up, and the set is counted. Its total is the number of bits that the
 * set shares with the events within the dates, which are kept for dates that return.
 *
 * Two ways lead past the table: `atOnce` serves small pages of sets that are current and counted without a task, as for most requests; and `named`
 * checks events that are given by ID (`include`), and makes no set. The figures are of one core, a set and a page alone; docs/performance.md has
 * those of whole requests, docs/decisions/lists.md the reasons.
 */
type Strategy = {
  serves(selection: Selection, set: CandidateSet, page: Paging): boolean
  /** Undefined if the page does not come soon. */
  find(selection: ResolvedSelection, set: CandidateSet, page: Paging): Task<IdPage | undefined>
}

/** Events of a set, not counted by day, of which all are read for a page. */
const MOST_SORTED = 5_000
/** Events that are read for a page of a larger one. */
const MOST_WALKED = 20_000
/** Events of a page that is made at once; those of a larger one are made in steps. */
const MOST_AT_ONCE = 1_000
/** Events that are read in one step: a few milliseconds. */
const STEP = 1_000

const skipped = ({ page, per_page }: Paging) => (page - 1) * per_page

/** Whether the events of dates begin with one of the days from the first one of their window on. */
function haveFirstDay(dates: DateLimit[]): boolean {
  const window = windowOf(dates)
  return window !== undefined && (window.from > -Infinity || window.endFrom === -Infinity)
}

/** Finds pages of IDs in the order of a selection, then by ID. */
export function openPaging(
  db: Db,
  live: LiveIndex,
  sets: Pick<CandidateSets, 'get' | 'getCounted' | 'rowsOf'>,
) {
  const { index } = live
  const orders = openSortOrders(db, live)
  const windows = openWindowBitmaps(live)

  /** Whether more pages of a set are likely: not of a search that the events of its dates count. */
  const isWorthCounting = ({ search, query, dates }: Selection, { isUsed, events }: CandidateSet) =>
    isUsed && !((search ?? query) && events.count() > MOST_SORTED && windows.has(dates))
  const isOtherwiseOrdered = ({ order }: Selection) => order.by !== 'start'
  const areFew = ({ events }: CandidateSet) => events instanceof SparseSet || events.count() <= MOST_SORTED
  const isNear = ({ order }: Selection, page: Paging) =>
    !order.descending && skipped(page) + page.per_page <= MOST_WALKED

  /** What none of them serves, and a set whose page does not come soon, is counted. */
  const STRATEGIES: Strategy[] = [
    { serves: (list, { events }) => isOtherwiseOrdered(list) && events instanceof Bitmap, find: ordered },
    { serves: isOtherwiseOrdered, find: sorted },
    { serves: (list, set) => set.histogram !== undefined || isWorthCounting(list, set), find: counted },
    { serves: (_, set) => areFew(set), find: sorted },
    { serves: (list, _, page) => isNear(list, page) && haveFirstDay(list.dates), find: walked },
  ]

  /** Counts the set by day, unless it is. */
  function* counted(selection: ResolvedSelection, set: CandidateSet, page: Paging): Task<IdPage> {
    return yield* byCounts(selection, set.histogram ? set : yield* sets.getCounted(selection), page)
  }

  /** A page of a set that is counted by day. */
  function* byCounts({ dates, order }: Selection, set: CandidateSet, page: Paging): Task<IdPage> {
    const total = set.histogram!.count(windowOf(dates) ?? ALWAYS)
    const left = Math.max(0, Math.min(page.per_page, total - skipped(page)))
    const skip = order.descending ? total - skipped(page) - left : skipped(page)
    const ids = yield* readDays(set, dates, skip, left, index.idOf)
    return { total, ids: order.descending ? ids.reverse() : ids, occurrences: set.occurrences }
  }

  /** What `read` says of the events of a set that is counted by day, in their order: of at most `take` after the first `skip`. */
  function* readDays<T>(
    { events, histogram }: CandidateSet,
    dates: DateLimit[],
    skip: number,
    take: number,
    read: (row: number) => T,
  ): Task<T[]> {
    const isWithin = index.within(dates)
    const found: T[] = []
    let unpaused = 0
    for (const day of histogram!.slice(windowOf(dates) ?? ALWAYS, skip, take)) {
      const rows = [...index.startingIn(day.day)]
      const selected = rows.filter((row) => events.has(row) && isWithin(row))
      for (const row of selected.slice(day.skip, day.skip + day.take)) found.push(read(row))
      unpaused += rows.length
      if (unpaused < STEP) continue
      unpaused = 0
      yield
    }
    return found
  }

  function* sorted({ dates, order }: Selection, set: CandidateSet, page: Paging): Task<IdPage> {
    const compare = yield* comparison(order)
    const isWithin = index.within(dates)
    const rows: number[] = []
    set.events.each((row) => {
      if (isWithin(row)) rows.push(row)
    })
    const total = rows.length
    return { total, ids: pageOf(rows, order, compare, page), occurrences: set.occurrences }
  }

  /** Undefined if the page does not come soon. */
  function* walked({ dates }: Selection, set: CandidateSet, page: Paging): Task<IdPage | undefined> {
    const events = set.events as Bitmap
    const total = yield* countWithin(events, dates)
    const isWithin = index.within(dates)
    const wanted = Math.min(total, skipped(page) + page.per_page)
    const rows: number[] = []
    let read = 0
    for (const half of index.halfDaysFrom(windowOf(dates)!.from)) {
      if (rows.length >= wanted) break
      if (read > MOST_WALKED) return undefined
      const all = index.startingIn(half)
      for (const row of all) if (events.has(row) && isWithin(row)) rows.push(row)
      read += all.length
    }
    return { total, ids: rows.slice(skipped(page), wanted).map(index.idOf), occurrences: set.occurrences }
  }

  function* ordered({ order }: Selection, set: CandidateSet, page: Paging): Task<IdPage> {
    const { events, occurrences } = set
    const all = yield* orders.get(order.by as SortKey)
    const rows = yield* pageAlong(all, events, order.descending, skipped(page), page.per_page)
    return { total: events.count(), ids: rows.map(index.idOf), occurrences }
  }

  /** How many events of a set are within dates. */
  function* countWithin(events: Bitmap, dates: DateLimit[]): Task<number> {
    const known = yield* windows.get(dates)
    if (known) return events.common(known)
    const isWithin = index.within(dates)
    let total = 0
    yield* inSteps(events, (rows) => {
      for (let at = 0; at < rows.length; at++) if (isWithin(rows[at]!)) total++
    })
    return total
  }

  function* comparison({ by }: Selection['order']): Task<SortedRows['compare']> {
    return by === 'start' ? index.byStart : (yield* orders.get(by)).compare
  }

  /** The IDs on a page of some events. */
  function pageOf(
    rows: number[],
    { descending }: Selection['order'],
    compare: SortedRows['compare'],
    page: Paging,
  ): number[] {
    const inOrder = descending ? (a: number, b: number) => compare(b, a) : compare
    return first(rows, skipped(page) + page.per_page, inOrder)
      .slice(skipped(page))
      .map(index.idOf)
  }

  return {
    /** Prepares an order, which takes long for the first time. */
    *prepare(by: Selection['order']['by']): Task<void> {
      if (by !== 'start') yield* orders.get(by)
    },
    /** A page of a selection. */
    *find(selection: ResolvedSelection, page: Paging): Task<IdPage> {
      const set = yield* sets.get(selection)
      for (const { serves, find } of STRATEGIES) {
        if (!serves(selection, set, page)) continue
        const found = yield* find(selection, set, page)
        set.isUsed = true
        if (found) return found
      }
      return yield* counted(selection, set, page)
    },
    /** A small page of a set that is current and counted by day; undefined if it is another. */
    atOnce(selection: Selection, set: CandidateSet | undefined, page: Paging): IdPage | undefined {
      const isSmall = selection.order.by === 'start' && page.per_page <= MOST_AT_ONCE
      return isSmall && set?.histogram ? finish(byCounts(selection, set, page)) : undefined
    },
    /** A page of those of these events that a selection matches, its dates apart. */
    *named(selection: ResolvedSelection, ids: number[], page: Paging): Task<IdPage> {
      const { order, series } = selection
      const all = yield* sets.rowsOf(selection, ids)
      const { rows, occurrences } = series
        ? yield* onePerSeries(index, all, series)
        : { rows: all, occurrences: undefined }
      const total = rows.length
      return { total, ids: pageOf(rows, order, yield* comparison(order), page), occurrences }
    },
    /** When the events of a selection take place, in the order of their starts. Its limits are whole days. */
    *spans(selection: ResolvedSelection): Task<Span[]> {
      return yield* readDays(yield* sets.getCounted(selection), selection.dates, 0, Infinity, index.spanOf)
    },
  }
}

/** Greatest size in bytes of all cached sets together. */
const MOST_BYTES = 24_000_000
const MOST_SETS = 500
/** How often a set is counted in steps while others write; then all at once. */
const ATTEMPTS = 3
/** Approximate bytes of an entry of a map. */
const BYTES = 40

/** The events that filters select and their counts by day, as of a number of `journal`. Dates of the filters apply as well, unless counts serve them. */
export type CandidateSet = {
  selection: ResolvedSelection
  at: number
  events: RowSet
  /** Undefined until the counts are needed. */
  histogram: Histogram | undefined
  /** Only if one event stands for each series. */
  occurrences?: Occurrences | undefined
  /** Whether it served a page before. */
  isUsed: boolean
  isIn(row: number): boolean
}

/** Whether the histogram of the set without dates can serve the dates, since it counts whole days. */
const isServedByCounts = ({ order, dates, series }: Selection) =>
  !series && (dates.length === 0 || (order.by === 'start' && windowOf(dates) !== undefined))
/** The key of a cached set: all filters, and the dates unless counts serve them. */
export function keyOf(selection: ResolvedSelection): string {
  const { order: _, dates, ...filters } = selection
  return JSON.stringify(isServedByCounts(selection) ? filters : { ...filters, dates })
}

/**
 * The sets of events that filters select, cached by their filters, each with its counts by day if these were needed. A set catches up with writes
 * when it is next requested, and is made again if it can not.
 */
export function openCandidateSets(
  { index, journal }: Pick<LiveIndex, 'index' | 'journal'>,
  candidates: Pick<Candidates, 'select' | 'compact'>,
  { matches }: Pick<EventChecks, 'matches'>,
) {
  const cache = new LRUCache<string, CandidateSet>({
    max: MOST_SETS,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ events, histogram, occurrences }, key) =>
      events.bytes() +
      (histogram?.bytes() ?? 0) +
      (occurrences ? occurrences.size * BYTES : 0) +
      key.length +
      1,
  })

  /**
   * Moves written events to their current position; returns false if it is no longer known which were written, or if another event may
   * have to stand for a series.
   */
  function* catchUp(set: CandidateSet): Task<boolean> {
    const { selection, events, histogram, isIn } = set
    while (set.at < journal.end()) {
      const number = set.at
      const write = journal.at(number)
      if (!write) return false
      const { id, start, length } = write
      if (selection.series && (write.series || index.seriesOf(index.rowOf(id)))) return false
      if (events.has(write.row)) {
        events.delete(write.row)
        histogram?.add(start, length, -1)
      }
      const row = index.rowOf(id)
      // only the last of several writes counts
      if (journal.latest(id) === number && isIn(row) && matches(selection, id)) {
        events.add(row)
        histogram?.add(index.startOf(row), index.lengthOf(row), 1)
      }
      set.at++
      yield
    }
    return true
  }

  /** Makes a set; one with dates starts from the set without. Events written meanwhile are checked at the end. */
  function* make(selection: ResolvedSelection): Task<CandidateSet> {
    const { dates, series } = selection
    const withDates = !isServedByCounts(selection)
    const isWanted = index.matcher(selection)
    const isWithin = index.within(dates)
    const isIn = withDates ? (row: number) => isWanted(row) && isWithin(row) : isWanted
    for (;;) {
      const at = journal.end()
      const all = withDates
        ? filtered((yield* get({ ...selection, dates: [], series: undefined })).events, isWithin)
        : yield* candidates.select(selection, isIn, () => withoutLookups(selection))
      const { events, occurrences } = series
        ? yield* reduceSeries(all, series)
        : { events: all, occurrences: undefined }
      const set: CandidateSet = {
        selection,
        at,
        events,
        histogram: undefined,
        occurrences,
        isUsed: false,
        isIn,
      }
      if (yield* catchUp(set)) return set
    }
  }

  /** Counts the events of a set by day. Returns false if it can not catch up with writes. */
  function* count(set: CandidateSet): Task<boolean> {
    for (let attempts = ATTEMPTS; yield* catchUp(set); attempts--) {
      if (set.histogram) return true
      const { at, events } = set
      const histogram = attempts > 0 ? yield* index.countByDay(events) : finish(index.countByDay(events))
      if (set.at === at && journal.end() === at) set.histogram = histogram
    }
    return false
  }

  /** The events of a selection by all that is not looked up by words, records and dates, which searches share. */
  function* withoutLookups({ search: _, query: __, located: ___, ...rest }: ResolvedSelection): Task<RowSet> {
    return (yield* get({ ...rest, links: {}, dates: [], series: undefined })).events
  }

  /** The set of a selection as it is now. */
  function* get(selection: ResolvedSelection): Task<CandidateSet> {
    const key = keyOf(selection)
    const known = cache.get(key)
    if (known && (yield* catchUp(known))) return known
    const set = yield* make(selection)
    cache.set(key, set)
    return set
  }

  /** The set of a selection as it is now, counted by day. */
  function* getCounted(selection: ResolvedSelection): Task<CandidateSet> {
    for (;;) {
      const set = yield* get(selection)
      const was = set.histogram
      if (!(yield* count(set))) continue
      if (!was) {
        // with the size that it has now
        cache.delete(keyOf(selection))
        cache.set(keyOf(selection), set)
      }
      return set
    }
  }

  /** The events of a set that fulfil a condition. */
  function filtered(events: RowSet, isWithin: (row: number) => boolean): RowSet {
    const bitmap = new Bitmap(index.size())
    events.each((row) => {
      if (isWithin(row)) bitmap.add(row)
    })
    return candidates.compact(bitmap)
  }

  /** The events of a set of which one stands for each series. */
  function* reduceSeries(all: RowSet, which: 'first' | 'last') {
    const found: number[] = []
    all.each((row) => found.push(row))
    const { rows, occurrences } = yield* onePerSeries(index, found, which)
    const bitmap = new Bitmap(index.size())
    for (const row of rows) bitmap.add(row)
    return { events: candidates.compact(bitmap), occurrences }
  }

  return {
    get,
    getCounted,
    /** The set of a key, if it is cached and as it is now. */
    peek(key: string): CandidateSet | undefined {
      const known = cache.get(key)
      return known?.at === journal.end() ? known : undefined
    },
    /** The rows of those of these events that a selection matches. No set is made, and of its dates only limits of the last change matter. */
    *rowsOf(selection: ResolvedSelection, ids: number[]): Task<number[]> {
      const isWanted = index.matcher(selection)
      const isWithin = index.within(selection.dates.filter(({ side }) => side === 'modified'))
      const rows: number[] = []
      for (const id of new Set(ids)) {
        const row = index.rowOf(id)
        if (isWanted(row) && isWithin(row) && matches(selection, id)) rows.push(row)
        yield
      }
      return rows
    },
  }
}
export type CandidateSets = ReturnType<typeof openCandidateSets>

/** Events that one step passes. */
const PASSED = 5_000

type Index = Pick<ReturnType<typeof openEventIndex>, 'seriesOf' | 'byStart' | 'idOf'>

/** Of some events the single ones, and of each series the first or the last by start, with the number of those it stands for by its ID. */
export function* onePerSeries(
  index: Index,
  all: number[],
  which: 'first' | 'last',
): Task<{ rows: number[]; occurrences: Occurrences }> {
  const rows: number[] = []
  const bySeries = new Map<number, { row: number; count: number }>()
  const side = which === 'first' ? -1 : 1
  for (const [at, row] of all.entries()) {
    if (at % PASSED === PASSED - 1) yield
    const series = index.seriesOf(row)
    if (series === 0) {
      rows.push(row)
      continue
    }
    const known = bySeries.get(series)
    if (!known) bySeries.set(series, { row, count: 1 })
    else {
      known.count++
      if (index.byStart(row, known.row) * side > 0) known.row = row
    }
  }
  const counts = new Map<number, number>()
  for (const { row, count } of bySeries.values()) {
    rows.push(row)
    counts.set(index.idOf(row), count)
  }
  return { rows, occurrences: counts }
}
