import { LRUCache } from 'lru-cache'
import { finish, type Task } from '../../kernel/tasks/scheduler.ts'
import { type Histogram, windowOf } from '../index/days.ts'
import type { openEventIndex } from '../index/event-index.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { Bitmap, type RowSet } from '../index/row-set.ts'
import type { openCandidates } from './candidates.ts'
import type { EventChecks } from './event-checks.ts'
import { MOST_SORTED, type WindowBitmaps } from './pages.ts'
import type { Occurrences, ResolvedSelection, Selection } from './selection.ts'

/** Greatest size in bytes of all cached sets together. */
const MOST_BYTES = 24_000_000
const MOST_SETS = 500
/** How often a set is counted in steps while others write; then all at once. */
const ATTEMPTS = 3
/** Approximate bytes of an entry of a map. */
const BYTES = 40

/** The events of a selection and their counts by day, as of a number of `journal`. Its dates apply as well, unless counts serve them. */
type CachedSelection = {
  selection: ResolvedSelection
  at: number
  members: RowSet
  /** Undefined until the counts are needed. */
  histogram: Histogram | undefined
  /** Only if one event stands for each series. */
  occurrences?: Occurrences | undefined
  /** Whether it served a page before. */
  isUsed: boolean
  isIn(row: number): boolean
}

/** Whether the histogram of the set without dates can serve the dates, since it counts whole days. */
const isCounted = ({ order, dates, series }: Selection) =>
  !series && (dates.length === 0 || (order.by === 'start' && windowOf(dates) !== undefined))
/** The key of a cached set. */
export function cacheKeyOf(selection: ResolvedSelection): string {
  const { order: _, dates, ...filters } = selection
  return JSON.stringify(isCounted(selection) ? filters : { ...filters, dates })
}

/**
 * The sets of events that filters mean, cached by their filters, each with its counts by day if these were needed. A set catches up with writes at
 * its next use, and is made again if it can not.
 */
export function openCandidateSets(
  { calendar, journal }: Pick<LiveIndex, 'calendar' | 'journal'>,
  { select, compact }: ReturnType<typeof openCandidates>,
  fits: EventChecks['fits'],
  windows: Pick<WindowBitmaps, 'has'>,
) {
  const cache = new LRUCache<string, CachedSelection>({
    max: MOST_SETS,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ members, histogram, occurrences }, key) =>
      members.bytes() +
      (histogram?.bytes() ?? 0) +
      (occurrences ? occurrences.size * BYTES : 0) +
      key.length +
      1,
  })

  /**
   * Moves written events to their current position; returns false if it is no longer known which were written, or if another event may
   * have to stand for a series.
   */
  function* catchUp(cached: CachedSelection): Task<boolean> {
    const { selection, members, histogram, isIn } = cached
    while (cached.at < journal.end()) {
      const number = cached.at
      const move = journal.at(number)
      if (!move) return false
      const { id, start, length } = move
      if (selection.series && (move.series || calendar.seriesOf(calendar.rowOf(id)))) return false
      if (members.has(move.row)) {
        members.delete(move.row)
        histogram?.add(start, length, -1)
      }
      const row = calendar.rowOf(id)
      // only the last of several writes counts
      if (journal.latest(id) === number && isIn(row) && fits(selection, id)) {
        members.add(row)
        histogram?.add(calendar.startOf(row), calendar.lengthOf(row), 1)
      }
      cached.at++
      yield
    }
    return true
  }

  /** Makes a set again; one with dates starts from the set without. Events written meanwhile are checked at the end. */
  function* make(selection: ResolvedSelection): Task<CachedSelection> {
    const { dates } = selection
    const withDates = !isCounted(selection)
    const isWanted = calendar.compile(selection)
    const isWithin = calendar.within(dates)
    const isIn = withDates ? (row: number) => isWanted(row) && isWithin(row) : isWanted
    for (;;) {
      const at = journal.end()
      const all = withDates
        ? within((yield* bring({ ...selection, dates: [], series: undefined })).members, isWithin)
        : yield* select(selection, isIn, () => plain(selection))
      const { members, occurrences } = selection.series
        ? yield* stand(all, selection.series)
        : { members: all, occurrences: undefined }
      const cached: CachedSelection = {
        ...{ selection, at, members, isIn, histogram: undefined, occurrences },
        isUsed: false,
      }
      if (yield* catchUp(cached)) return cached
    }
  }

  /** Counts the events of a set by day. Returns false if it can not catch up with writes. */
  function* count(cached: CachedSelection): Task<boolean> {
    for (let attempts = ATTEMPTS; yield* catchUp(cached); attempts--) {
      if (cached.histogram) return true
      const { at, members } = cached
      const histogram =
        attempts > 0 ? yield* calendar.countByDay(members) : finish(calendar.countByDay(members))
      if (cached.at === at && journal.end() === at) cached.histogram = histogram
    }
    return false
  }

  /** The events of a selection by all that is not looked up by words, records and dates, which searches share. */
  function* plain({ search: _, query: __, located: ___, ...rest }: ResolvedSelection): Task<RowSet> {
    const { members } = yield* bring({ ...rest, links: {}, dates: [], series: undefined })
    return members
  }

  /** The current state of a set. */
  function* bring(selection: ResolvedSelection): Task<CachedSelection> {
    const key = cacheKeyOf(selection)
    const known = cache.get(key)
    if (known && (yield* catchUp(known))) return known
    const cached = yield* make(selection)
    cache.set(key, cached)
    return cached
  }

  /** The current state of a set, counted by day. */
  function* counted(selection: ResolvedSelection): Task<CachedSelection> {
    for (;;) {
      const cached = yield* bring(selection)
      const was = cached.histogram
      if (!(yield* count(cached))) continue
      if (!was) {
        // with the size that it has now
        cache.delete(cacheKeyOf(selection))
        cache.set(cacheKeyOf(selection), cached)
      }
      return cached
    }
  }

  /**
   * The current state of a set for a page. Sets of which more pages are likely are counted by day if pages are by start: those that served one before, unless
   * they were found by words and others have the same dates.
   */
  function* forPage(selection: ResolvedSelection): Task<CachedSelection> {
    const found = yield* bring(selection)
    const { order, search, query, dates } = selection
    const isLikely =
      found.isUsed && !((search ?? query) && found.members.count() > MOST_SORTED && windows.has(dates))
    found.isUsed = true
    return order.by === 'start' && isLikely ? yield* counted(selection) : found
  }

  /** The members of a set that fulfil a condition. */
  function within(members: RowSet, isWithin: (row: number) => boolean): RowSet {
    const bits = new Bitmap(calendar.size())
    members.each((row) => {
      if (isWithin(row)) bits.add(row)
    })
    return compact(bits)
  }

  /** The events of a set of which one stands for each series. */
  function* stand(all: RowSet, which: 'first' | 'last') {
    const found: number[] = []
    all.each((row) => found.push(row))
    const { rows, occurrences } = yield* onePerSeries(calendar, found, which)
    const bits = new Bitmap(calendar.size())
    for (const row of rows) bits.add(row)
    return { members: compact(bits), occurrences }
  }

  /** The rows of the events that are named and selected. Their dates do not matter. */
  function* named(selection: ResolvedSelection, ids: number[]): Task<number[]> {
    const isWanted = calendar.compile(selection)
    const isWithin = calendar.within(selection.dates.filter(({ side }) => side === 'modified'))
    const rows: number[] = []
    for (const id of new Set(ids)) {
      const row = calendar.rowOf(id)
      if (isWanted(row) && isWithin(row) && fits(selection, id)) rows.push(row)
      yield
    }
    return rows
  }

  return {
    bring,
    counted,
    forPage,
    named,
    /** The set of a key, if it is cached and as it is now. */
    current(key: string): CachedSelection | undefined {
      const known = cache.get(key)
      return known?.at === journal.end() ? known : undefined
    },
  }
}

/** Events that one step passes. */
const STEP = 5_000

type Calendar = Pick<ReturnType<typeof openEventIndex>, 'seriesOf' | 'byStart' | 'idOf'>

/** Of some events the single ones, and of each series the first or the last by start, with the number of those it stands for by its ID. */
export function* onePerSeries(
  calendar: Calendar,
  all: number[],
  which: 'first' | 'last',
): Task<{ rows: number[]; occurrences: Occurrences }> {
  const rows: number[] = []
  const standing = new Map<number, { row: number; count: number }>()
  const side = which === 'first' ? -1 : 1
  for (const [at, row] of all.entries()) {
    if (at % STEP === STEP - 1) yield
    const series = calendar.seriesOf(row)
    if (series === 0) {
      rows.push(row)
      continue
    }
    const known = standing.get(series)
    if (!known) standing.set(series, { row, count: 1 })
    else {
      known.count++
      if (calendar.byStart(row, known.row) * side > 0) known.row = row
    }
  }
  const counts = new Map<number, number>()
  for (const { row, count } of standing.values()) {
    rows.push(row)
    counts.set(calendar.idOf(row), count)
  }
  return { rows, occurrences: counts }
}
