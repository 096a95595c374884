import { LRUCache } from 'lru-cache'
import { finish, type Task } from '../../kernel/tasks/scheduler.ts'
import { type Histogram, windowOf } from '../index/day-histogram.ts'
import type { LiveIndex, openEventIndex } from '../index/event-index.ts'
import { Bitmap, type RowSet } from '../index/rows.ts'
import type { Candidates, EventChecks } from './candidates.ts'
import type { Occurrences, ResolvedSelection, Selection } from './selections.ts'

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
const STEP = 5_000

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
    if (at % STEP === STEP - 1) yield
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
