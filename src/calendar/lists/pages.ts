import { LRUCache } from 'lru-cache'
import type { Db } from '../../kernel/database/db.ts'
import { first } from '../../kernel/tasks/ordered.ts'
import { finish, type Task } from '../../kernel/tasks/scheduler.ts'
import { ALWAYS, type DateLimit, type Histogram, windowOf } from '../index/days.ts'
import type { LiveIndex } from '../index/live-index.ts'
import { Bitmap, inSteps, type RowSet, SparseSet } from '../index/row-set.ts'
import { NO_ROW } from '../index/rows.ts'
import { openSortOrders, pageAlong, type SortedRows } from '../index/sort-orders.ts'
import type { Span } from '../time/month.ts'
import { onePerSeries } from './candidate-sets.ts'
import type { IdPage, Occurrences, Paging, Selection } from './selection.ts'

/** The events that match filters, and their counts by day. */
type Counted = { members: RowSet; histogram: Histogram | undefined; occurrences?: Occurrences | undefined }
/** Events that are looked at in one step: a few milliseconds. */
const STRETCH = 1_000
/** Events of a set that is not counted by day of which all are looked at for a page. */
export const MOST_SORTED = 5_000
/** Events that are looked at for a page of a larger set. */
const MOST_LOOKED_AT = 20_000
const firstOf = ({ page, per_page }: Paging) => (page - 1) * per_page

/** Cuts pages out of sets of events, in the order of a selection, then by ID. */
export function openPages(db: Db, listed: LiveIndex, windows: Pick<WindowBitmaps, 'bring'>) {
  const { calendar } = listed
  const orders = openSortOrders(db, listed)

  /** A page by local start (R7) of a set that is counted by day: the counts show on which days its events are. Pauses after so many events. */
  function* byDay({ dates, order }: Selection, { members, ...counts }: Counted, page: Paging): Task<IdPage> {
    const histogram = counts.histogram!
    const isWithin = calendar.within(dates)
    const window = windowOf(dates) ?? ALWAYS
    const total = histogram.count(window)
    const left = Math.max(0, Math.min(page.per_page, total - firstOf(page)))
    const skip = order.descending ? total - firstOf(page) - left : firstOf(page)
    const ids: number[] = []
    let unpaused = 0
    for (const { day, skip: before, take } of histogram.slice(window, skip, left)) {
      const rows = [...calendar.at(day)]
      const selected = rows.filter((row) => members.has(row) && isWithin(row)).slice(before, before + take)
      for (const row of selected) ids.push(calendar.idOf(row))
      unpaused += rows.length
      if (unpaused < STRETCH) continue
      unpaused = 0
      yield
    }
    return { total, ids: order.descending ? ids.reverse() : ids, occurrences: counts.occurrences }
  }

  /** A page by local start of a set that is small: all its events are looked at. */
  function ofSmall({ dates, order }: Selection, { members, occurrences }: Counted, page: Paging): IdPage {
    const isWithin = calendar.within(dates)
    const rows: number[] = []
    members.each((row) => {
      if (isWithin(row)) rows.push(row)
    })
    const ids = sort(rows, order.descending, calendar.byStart, page).map(calendar.idOf)
    return { total: rows.length, ids, occurrences }
  }

  /** How many events of a set are within dates. */
  function* totalOf(members: Bitmap, dates: DateLimit[]): Task<number> {
    const known = yield* windows.bring(dates)
    if (known) return members.common(known)
    const isWithin = calendar.within(dates)
    let total = 0
    yield* inSteps(members, (rows) => {
      for (let at = 0; at < rows.length; at++) if (isWithin(rows[at]!)) total++
    })
    return total
  }

  /**
   * A page by local start of a large set: the days are looked through from the first one on. Undefined if the page does not come soon, or if it is not
   * known where it begins.
   */
  function* ofLarge(
    { dates, order }: Selection,
    { members, occurrences }: Counted,
    page: Paging,
  ): Task<IdPage | undefined> {
    const window = windowOf(dates)
    if (!window || order.descending || (window.from === -Infinity && window.endFrom > -Infinity))
      return undefined
    if (firstOf(page) + page.per_page > MOST_LOOKED_AT) return undefined
    const total = yield* totalOf(members as Bitmap, dates)
    const isWithin = calendar.within(dates)
    const wanted = Math.min(total, firstOf(page) + page.per_page)
    const rows: number[] = []
    let lookedAt = 0
    for (const half of calendar.halvesFrom(window.from)) {
      if (rows.length >= wanted) break
      if (lookedAt > MOST_LOOKED_AT) return undefined
      const all = calendar.at(half)
      for (const row of all) if (members.has(row) && isWithin(row)) rows.push(row)
      lookedAt += all.length
    }
    return { total, ids: rows.slice(firstOf(page), wanted).map(calendar.idOf), occurrences }
  }

  /** The rows of a page of a small set, which is sorted. */
  function sort(rows: number[], descending: boolean, compare: SortedRows['compare'], page: Paging): number[] {
    const ordered = descending ? (a: number, b: number) => compare(b, a) : compare
    return first(rows, firstOf(page) + page.per_page, ordered).slice(firstOf(page))
  }

  function* comparing({ by }: Selection['order']): Task<SortedRows['compare']> {
    return by === 'start' ? calendar.byStart : (yield* orders.bring(by)).compare
  }

  return {
    /** Prepares an order. */
    *prepare(by: Selection['order']['by']): Task<void> {
      if (by !== 'start') yield* orders.bring(by)
    },
    byDay,
    /** A small page of a set that is counted by day: at once. */
    byDayNow: (selection: Selection, counted: Counted, page: Paging): IdPage =>
      finish(byDay(selection, counted, page)),
    /** When the events of a set take place, in the order of their starts. Limits are whole days. */
    *spans({ dates }: Selection, { members, histogram }: Counted): Task<Span[]> {
      const isWithin = calendar.within(dates)
      const found: Span[] = []
      let unpaused = 0
      for (const { day } of histogram!.slice(windowOf(dates)!, 0, Infinity)) {
        const rows = [...calendar.at(day)]
        for (const row of rows) if (members.has(row) && isWithin(row)) found.push(calendar.spanOf(row))
        unpaused += rows.length
        if (unpaused < STRETCH) continue
        unpaused = 0
        yield
      }
      return found
    },
    /** A page of a set; undefined if it has to be counted by day for it. */
    *of(selection: Selection, counted: Counted, page: Paging): Task<IdPage | undefined> {
      const { by, descending } = selection.order
      const { members, occurrences } = counted
      if (by === 'start') {
        if (counted.histogram) return yield* byDay(selection, counted, page)
        const isSmall = members instanceof SparseSet || members.count() <= MOST_SORTED
        return isSmall ? ofSmall(selection, counted, page) : yield* ofLarge(selection, counted, page)
      }
      const sorted = yield* orders.bring(by)
      const rows =
        members instanceof SparseSet
          ? sort([...members], descending, sorted.compare, page)
          : yield* pageAlong(sorted, members, descending, firstOf(page), page.per_page)
      return { total: members.count(), ids: rows.map(calendar.idOf), occurrences }
    },
    /** A page of the events with these IDs. */
    *ofSome({ order, series }: Selection, named: () => Task<number[]>, page: Paging): Task<IdPage> {
      const all = yield* named()
      const { rows, occurrences } = series
        ? yield* onePerSeries(calendar, all, series)
        : { rows: all, occurrences: undefined }
      const compare = yield* comparing(order)
      const total = rows.length
      return { total, ids: sort(rows, order.descending, compare, page).map(calendar.idOf), occurrences }
    },
  }
}

/** Dates of lists that are remembered, each with a bit for each event. */
const MOST = 8
/** Events that one step looks at. */
const STEP = 20_000

/** All events within some dates, as of a number of `journal`. */
type Window = { at: number; rows: Bitmap }

/** The events within the dates that many lists share, such as the default ones: by them, what lies in a large set is counted at once. */
export function openWindowBitmaps({ calendar, journal }: Pick<LiveIndex, 'calendar' | 'journal'>) {
  /** By dates that were asked for; without a window if that was once. */
  const asked = new LRUCache<string, { window?: Window }>({ max: MOST })

  /** Moves written events to where they are; returns false if it is no longer known which were written. */
  function catchUp(window: Window, isWithin: (row: number) => boolean): boolean {
    for (; window.at < journal.end(); window.at++) {
      const move = journal.at(window.at)
      if (!move) return false
      window.rows.delete(move.row)
      const row = calendar.rowOf(move.id)
      if (row !== NO_ROW && isWithin(row)) window.rows.add(row)
    }
    return true
  }

  function* make(isWithin: (row: number) => boolean): Task<Window> {
    const window = { at: journal.end(), rows: new Bitmap(calendar.size()) }
    for (let row = 0; row < calendar.size(); row++) {
      if (isWithin(row)) window.rows.add(row)
      if (row % STEP === STEP - 1) yield
    }
    return window
  }

  return {
    /** Whether dates were asked for before. */
    has: (dates: DateLimit[]) => asked.has(JSON.stringify(dates)),
    /** The events within dates as of now; undefined if these are asked for the first time, since to look at all events would not pay. */
    *bring(dates: DateLimit[]): Task<Bitmap | undefined> {
      const known = asked.get(JSON.stringify(dates))
      if (!known) {
        asked.set(JSON.stringify(dates), {})
        return undefined
      }
      const isWithin = calendar.within(dates)
      while (!known.window || !catchUp(known.window, isWithin)) known.window = yield* make(isWithin)
      return known.window.rows
    },
  }
}
export type WindowBitmaps = ReturnType<typeof openWindowBitmaps>
