import type { Span } from '../../../rules/time/month.ts'
import { finish, type Task } from '../../../support/scheduler.ts'
import { Few, type Numbers } from '../../index/bits.ts'
import { ALWAYS, type Histogram } from '../../index/histogram.ts'
import { windowOf } from '../../index/limits.ts'
import { cut, type Order } from '../../index/order.ts'
import type { Db } from '../../sqlite/db.ts'
import type { Listed } from './listed.ts'
import { openOrders } from './orders.ts'
import type { Found, Page, Selection } from './selection.ts'

/** The events that match filters, and their counts by day. */
type Counted = { members: Numbers; histogram: Histogram | undefined }
/** Events that are looked at in one step: a few milliseconds. */
const STRETCH = 1_000
const firstOf = ({ page, per_page }: Page) => (page - 1) * per_page

/** Cuts pages out of sets of events, in the order of a selection, then by ID. */
export function openPages(db: Db, listed: Listed) {
  const { calendar } = listed
  const orders = openOrders(db, listed)

  /** A page by local start (R7): the counts show on which days its events are. Pauses after so many events. */
  function* byStart({ dates, order }: Selection, { members, histogram }: Counted, page: Page): Task<Found> {
    const isWithin = calendar.within(dates)
    const window = windowOf(dates) ?? ALWAYS
    const total = histogram!.count(window)
    const left = Math.max(0, Math.min(page.per_page, total - firstOf(page)))
    const skip = order.descending ? total - firstOf(page) - left : firstOf(page)
    const ids: number[] = []
    let unpaused = 0
    for (const { day, skip: before, take } of histogram!.slice(window, skip, left)) {
      const rows = [...calendar.at(day)]
      const there = rows.filter((row) => members.has(row) && isWithin(row)).slice(before, before + take)
      for (const row of there) ids.push(calendar.idOf(row))
      unpaused += rows.length
      if (unpaused < STRETCH) continue
      unpaused = 0
      yield
    }
    return { total, ids: order.descending ? ids.reverse() : ids }
  }

  /** The rows of a page of a small set, which is sorted. */
  function sort(rows: number[], descending: boolean, compare: Order['compare'], page: Page): number[] {
    rows.sort(descending ? (a, b) => compare(b, a) : compare)
    return rows.slice(firstOf(page), firstOf(page) + page.per_page)
  }

  function* comparing({ by }: Selection['order']): Task<Order['compare']> {
    return by === 'start' ? calendar.byStart : (yield* orders.bring(by)).compare
  }

  return {
    /** Prepares an order. */
    *prepare(by: Selection['order']['by']): Task<void> {
      if (by !== 'start') yield* orders.bring(by)
    },
    /** A page of a set by start that is small: at once. */
    byStart: (selection: Selection, counted: Counted, page: Page): Found =>
      finish(byStart(selection, counted, page)),
    /** When the events of a set take place, in the order of their starts. Limits are whole days. */
    spans({ dates }: Selection, { members, histogram }: Counted): Span[] {
      const isWithin = calendar.within(dates)
      return histogram!
        .slice(windowOf(dates)!, 0, Infinity)
        .flatMap(({ day }) => [...calendar.at(day)].filter((row) => members.has(row) && isWithin(row)))
        .map(calendar.spanOf)
    },
    /** A page of a set. */
    *of(selection: Selection, counted: Counted, page: Page): Task<Found> {
      const { by, descending } = selection.order
      if (by === 'start') return yield* byStart(selection, counted, page)
      const { members } = counted
      const sorted = yield* orders.bring(by)
      const rows =
        members instanceof Few
          ? sort([...members], descending, sorted.compare, page)
          : yield* cut(sorted, members, descending, firstOf(page), page.per_page)
      return { total: members.count(), ids: rows.map(calendar.idOf) }
    },
    /** A page of the events with these IDs. */
    *ofSome({ order }: Selection, named: () => Task<number[]>, page: Page): Task<Found> {
      const rows = yield* named()
      const compare = yield* comparing(order)
      const total = rows.length
      return { total, ids: sort(rows, order.descending, compare, page).map(calendar.idOf) }
    },
  }
}
