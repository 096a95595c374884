import type { EventOrder } from '../../../../schemas/event-query.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { first } from '../../../kernel/tasks/collections.ts'
import { finish, type Task } from '../../../kernel/tasks/scheduler.ts'
import { type Bits, Few, inSteps, type Numbers } from '../../index/bits.ts'
import { ALWAYS, type Histogram, type Limit, windowOf } from '../../index/histogram.ts'
import { cut, type Order, openOrder } from '../../index/order.ts'
import { NOWHERE } from '../../index/rows.ts'
import type { Span } from '../../time/month.ts'
import type { Listed } from './listed.ts'
import type { Found, Occurrences, Page, Selection } from './selection.ts'
import { oneOfEach } from './series.ts'
import type { Windows } from './windows.ts'

/** The events that match filters, and their counts by day. */
type Counted = { members: Numbers; histogram: Histogram | undefined; occurrences?: Occurrences | undefined }
/** Events that are looked at in one step: a few milliseconds. */
const STRETCH = 1_000
/** Events of a set that is not counted by day of which all are looked at for a page. */
export const MOST_SORTED = 5_000
/** Events that are looked at for a page of a larger set. */
const MOST_LOOKED_AT = 20_000
const firstOf = ({ page, per_page }: Page) => (page - 1) * per_page

/** Cuts pages out of sets of events, in the order of a selection, then by ID. */
export function openPages(db: Db, listed: Listed, windows: Pick<Windows, 'bring'>) {
  const { calendar } = listed
  const orders = openOrders(db, listed)

  /** A page by local start (R7) of a set that is counted by day: the counts show on which days its events are. Pauses after so many events. */
  function* byDay({ dates, order }: Selection, { members, ...counts }: Counted, page: Page): Task<Found> {
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
  function ofSmall({ dates, order }: Selection, { members, occurrences }: Counted, page: Page): Found {
    const isWithin = calendar.within(dates)
    const rows: number[] = []
    members.each((row) => {
      if (isWithin(row)) rows.push(row)
    })
    const ids = sort(rows, order.descending, calendar.byStart, page).map(calendar.idOf)
    return { total: rows.length, ids, occurrences }
  }

  /** How many events of a set are within dates. */
  function* totalOf(members: Bits, dates: Limit[]): Task<number> {
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
    page: Page,
  ): Task<Found | undefined> {
    const window = windowOf(dates)
    if (!window || order.descending || (window.from === -Infinity && window.endFrom > -Infinity))
      return undefined
    if (firstOf(page) + page.per_page > MOST_LOOKED_AT) return undefined
    const total = yield* totalOf(members as Bits, dates)
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
  function sort(rows: number[], descending: boolean, compare: Order['compare'], page: Page): number[] {
    const ordered = descending ? (a: number, b: number) => compare(b, a) : compare
    return first(rows, firstOf(page) + page.per_page, ordered).slice(firstOf(page))
  }

  function* comparing({ by }: Selection['order']): Task<Order['compare']> {
    return by === 'start' ? calendar.byStart : (yield* orders.bring(by)).compare
  }

  return {
    /** Prepares an order. */
    *prepare(by: Selection['order']['by']): Task<void> {
      if (by !== 'start') yield* orders.bring(by)
    },
    byDay,
    /** A small page of a set that is counted by day: at once. */
    byDayNow: (selection: Selection, counted: Counted, page: Page): Found =>
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
    *of(selection: Selection, counted: Counted, page: Page): Task<Found | undefined> {
      const { by, descending } = selection.order
      const { members, occurrences } = counted
      if (by === 'start') {
        if (counted.histogram) return yield* byDay(selection, counted, page)
        const isSmall = members instanceof Few || members.count() <= MOST_SORTED
        return isSmall ? ofSmall(selection, counted, page) : yield* ofLarge(selection, counted, page)
      }
      const sorted = yield* orders.bring(by)
      const rows =
        members instanceof Few
          ? sort([...members], descending, sorted.compare, page)
          : yield* cut(sorted, members, descending, firstOf(page), page.per_page)
      return { total: members.count(), ids: rows.map(calendar.idOf), occurrences }
    },
    /** A page of the events with these IDs. */
    *ofSome({ order, series }: Selection, named: () => Task<number[]>, page: Page): Task<Found> {
      const all = yield* named()
      const { rows, occurrences } = series
        ? yield* oneOfEach(calendar, all, series)
        : { rows: all, occurrences: undefined }
      const compare = yield* comparing(order)
      const total = rows.length
      return { total, ids: sort(rows, order.descending, compare, page).map(calendar.idOf), occurrences }
    },
  }
}

type By = Exclude<EventOrder, 'start'>
type Key = number | string
type CachedOrder = { at: number; order: ReturnType<typeof openOrder<Key>> }

/** Queries for keys: of one event by its ID, and of the next thousand `after` the last, as JSON arrays. */
type Queries = { one: string; next: string; after(id: number, key: Key): Key[] }
const ofListings = (key: string): Queries => ({
  one: `select ${key} from listings where event_id = ?`,
  next: `select json_group_array(event_id), json_group_array(${key}) from (select event_id, ${key} from listings where event_id > ? order by event_id limit 1000)`,
  after: (id) => [id],
})
const QUERIES: Record<By, Queries> = {
  end: ofListings('ends'),
  modified: ofListings('modified'),
  // by an index with both columns: the rows of posts are long
  title: {
    one: 'select folded_title from posts where id = ?',
    next: "select json_group_array(id), json_group_array(folded_title) from (select id, folded_title from posts where kind = 'event' and (folded_title, id) > (?, ?) order by folded_title, id limit 1000)",
    after: (id, title) => [title, id],
  },
}

/**
 * All events in orders other than by start. Each is built at its first use, and catches up with writes
 * at each later use, so that no list sorts.
 */
export function openOrders({ rows }: Db, { calendar, journal }: Listed) {
  const cached = new Map<By, CachedOrder>()

  /** Moves written events to their current position; returns false if it is no longer known which were written. */
  function* catchUp(by: By, known: CachedOrder): Task<boolean> {
    while (known.at < journal.end()) {
      const entry = journal.at(known.at)
      if (!entry) return false
      known.order.remove(entry.row)
      // only the last of several writes counts
      const row = journal.latest(entry.id) === known.at ? calendar.rowOf(entry.id) : NOWHERE
      // none if the event has just been deleted; the change follows later
      const [found] = row === NOWHERE ? [] : rows<[Key]>(QUERIES[by].one, entry.id)
      if (found) known.order.insert(row, entry.id, found[0])
      known.at++
      yield
    }
    return true
  }

  function* make(by: By): Task<CachedOrder> {
    const made: CachedOrder = { at: journal.end(), order: openOrder() }
    const { next, after } = QUERIES[by]
    for (let last = after(0, ''); last.length > 0; ) {
      const [found] = rows<[string, string]>(next, ...last)
      const [ids, keys]: [number[], Key[]] = [JSON.parse(found![0]), JSON.parse(found![1])]
      for (const [at, id] of ids.entries()) {
        const row = calendar.rowOf(id)
        if (row !== NOWHERE) made.order.add(row, id, keys[at]!)
      }
      last = ids.length === 0 ? [] : after(ids.at(-1)!, keys.at(-1)!)
      yield
    }
    yield* made.order.sort()
    return made
  }

  return {
    /** All events in an order as of now. */
    *bring(by: By): Task<CachedOrder['order']> {
      for (;;) {
        const known = cached.get(by) ?? (yield* make(by))
        cached.set(by, known)
        if (yield* catchUp(by, known)) return known.order
        cached.delete(by)
      }
    },
  }
}
