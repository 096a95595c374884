import { LRUCache } from 'lru-cache'
import { finish, type Task } from '../../../kernel/tasks/scheduler.ts'
import { Bits, type Numbers } from '../../index/bits.ts'
import { type Histogram, windowOf } from '../../index/histogram.ts'
import type { Listed } from './listed.ts'
import type { Fits, openMembers } from './members.ts'
import { MOST_SORTED } from './pages.ts'
import type { Occurrences, Selection, Settled } from './selection.ts'
import { oneOfEach } from './series.ts'
import type { Windows } from './windows.ts'

/** Greatest size in bytes of all cached sets together. */
const MOST_BYTES = 24_000_000
const MOST_SETS = 500
/** How often a set is counted in steps while others write; then all at once. */
const ATTEMPTS = 3
/** Approximate bytes of an entry of a map. */
const BYTES = 40

/** The events of a selection and their counts by day, as of a number of `journal`. Its dates apply as well, unless counts serve them. */
type CachedSelection = {
  selection: Settled
  at: number
  members: Numbers
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
export function keyOf(selection: Settled): string {
  const { order: _, dates, ...filters } = selection
  return JSON.stringify(isCounted(selection) ? filters : { ...filters, dates })
}

/**
 * The sets of events that filters mean, cached by their filters, each with its counts by day if these were needed. A set catches up with writes at
 * its next use, and is made again if it can not.
 */
export function openSets(
  { calendar, journal }: Pick<Listed, 'calendar' | 'journal'>,
  { select, compact }: ReturnType<typeof openMembers>,
  fits: Fits['fits'],
  windows: Pick<Windows, 'has'>,
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
  function* make(selection: Settled): Task<CachedSelection> {
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
      const histogram = attempts > 0 ? yield* calendar.tally(members) : finish(calendar.tally(members))
      if (cached.at === at && journal.end() === at) cached.histogram = histogram
    }
    return false
  }

  /** The events of a selection by all that is not looked up by words, records and dates, which searches share. */
  function* plain({ search: _, query: __, located: ___, ...rest }: Settled): Task<Numbers> {
    const { members } = yield* bring({ ...rest, links: {}, dates: [], series: undefined })
    return members
  }

  /** The current state of a set. */
  function* bring(selection: Settled): Task<CachedSelection> {
    const key = keyOf(selection)
    const known = cache.get(key)
    if (known && (yield* catchUp(known))) return known
    const cached = yield* make(selection)
    cache.set(key, cached)
    return cached
  }

  /** The current state of a set, counted by day. */
  function* counted(selection: Settled): Task<CachedSelection> {
    for (;;) {
      const cached = yield* bring(selection)
      const was = cached.histogram
      if (!(yield* count(cached))) continue
      if (!was) {
        // with the size that it has now
        cache.delete(keyOf(selection))
        cache.set(keyOf(selection), cached)
      }
      return cached
    }
  }

  /**
   * The current state of a set for a page. Sets of which more pages are likely are counted by day if pages are by start: those that served one before, unless
   * they were found by words and others have the same dates.
   */
  function* forPage(selection: Settled): Task<CachedSelection> {
    const found = yield* bring(selection)
    const { order, search, query, dates } = selection
    const isLikely =
      found.isUsed && !((search ?? query) && found.members.count() > MOST_SORTED && windows.has(dates))
    found.isUsed = true
    return order.by === 'start' && isLikely ? yield* counted(selection) : found
  }

  /** The members of a set that fulfil a condition. */
  function within(members: Numbers, isWithin: (row: number) => boolean): Numbers {
    const bits = new Bits(calendar.size())
    members.each((row) => {
      if (isWithin(row)) bits.add(row)
    })
    return compact(bits)
  }

  /** The events of a set of which one stands for each series. */
  function* stand(all: Numbers, which: 'first' | 'last') {
    const found: number[] = []
    all.each((row) => found.push(row))
    const { rows, occurrences } = yield* oneOfEach(calendar, found, which)
    const bits = new Bits(calendar.size())
    for (const row of rows) bits.add(row)
    return { members: compact(bits), occurrences }
  }

  /** The rows of the events that are named and selected. Their dates do not matter. */
  function* named(selection: Settled, ids: number[]): Task<number[]> {
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
