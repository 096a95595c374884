import { LRUCache } from 'lru-cache'
import type { EventOrder } from '../../../schemas/event-query.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import type { DateLimit } from './day-histogram.ts'
import type { LiveIndex } from './event-index.ts'
import { Bitmap, NO_ROW, type RowSet } from './rows.ts'

/** Rows that one step sorts or merges. */
const STEP = 5_000
/** Rows that one step passes. */
const PASSED = 20_000

/** Sorts rows in steps: small pieces first, then merges ever larger ones. */
function* sort(
  rows: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Generator<void, Uint32Array<ArrayBuffer>, void> {
  for (let from = 0; from < rows.length; from += STEP) {
    rows.subarray(from, from + STEP).sort(compare)
    yield
  }
  let pieces = rows
  let merged = new Uint32Array(rows.length)
  for (let length = STEP; length < rows.length; length *= 2) {
    for (let from = 0, at = 0; from < rows.length; from += 2 * length) {
      const middle = Math.min(from + length, rows.length)
      const end = Math.min(middle + length, rows.length)
      for (let left = from, right = middle; at < end; at++) {
        const isLeft = right >= end || (left < middle && compare(pieces[left]!, pieces[right]!) < 0)
        merged[at] = pieces[isLeft ? left++ : right++]!
        if (at % STEP === 0) yield
      }
    }
    ;[pieces, merged] = [merged, pieces]
  }
  return pieces
}

/**
 * Events in the order of a key, then of their IDs. Keys and IDs are stored here, since the index may give a row to another event
 * before this order learns of it.
 */
export function openSortedRows<Key extends number | string>() {
  const keys: Key[] = []
  const ids: number[] = []
  let rows = new Uint32Array(0)
  let size = 0
  const compare = (a: number, b: number) =>
    keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : ids[a]! - ids[b]!

  /** The number of events before an event. */
  function placeOf(row: number) {
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(rows[middle]!, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    compare,
    size: () => size,
    at: (place: number) => rows[place]!,
    /** Adds an event. Call it for all events before `sort`. */
    add(row: number, id: number, key: Key) {
      keys[row] = key
      ids[row] = id
    },
    /** Sorts all added events. */
    *sort(): Generator<void, void, void> {
      rows = new Uint32Array(ids.length)
      ids.forEach((_, row) => {
        rows[size++] = row
      })
      rows = yield* sort(rows.subarray(0, size), compare)
    },
    insert(row: number, id: number, key: Key) {
      keys[row] = key
      ids[row] = id
      const place = placeOf(row)
      if (size === rows.length) {
        const larger = new Uint32Array(1024 + Math.ceil(size * 1.25))
        larger.set(rows)
        rows = larger
      }
      rows.copyWithin(place + 1, place, size++)
      rows[place] = row
    },
    /** Removes the event in this row, if there is one. */
    remove(row: number) {
      if (ids[row] === undefined) return
      const place = placeOf(row)
      rows.copyWithin(place, place + 1, size--)
      delete ids[row]
      delete keys[row]
    },
  }
}
export type SortedRows = Pick<ReturnType<typeof openSortedRows>, 'compare' | 'size' | 'at'>

/** The events of an order, from either end, that are in a set: `take` of them after the first `skip`. */
export function* pageAlong(
  order: SortedRows,
  events: RowSet,
  descending: boolean,
  skip: number,
  take: number,
): Generator<void, number[], void> {
  const rows: number[] = []
  const last = order.size() - 1
  let left = skip
  for (let place = 0; place <= last && rows.length < take; place++) {
    if (place % PASSED === PASSED - 1) yield
    const row = order.at(descending ? last - place : place)
    if (!events.has(row)) continue
    if (left > 0) left--
    else rows.push(row)
  }
  return rows
}

/** What lists are ordered by, other than the start. */
export type SortKey = Exclude<EventOrder, 'start'>
type Key = number | string
type CachedOrder = { at: number; order: ReturnType<typeof openSortedRows<Key>> }

/** Queries for keys: of one event by its ID, and of the next thousand `after` the last, as JSON arrays. */
type Queries = { one: string; next: string; after(id: number, key: Key): Key[] }
const ofListings = (key: string): Queries => ({
  one: `select ${key} from listings where event_id = ?`,
  next: `select json_group_array(event_id), json_group_array(${key}) from (select event_id, ${key} from listings where event_id > ? order by event_id limit 1000)`,
  after: (id) => [id],
})
const QUERIES: Record<SortKey, Queries> = {
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
export function openSortOrders({ rows }: Db, { index, journal }: LiveIndex) {
  const cached = new Map<SortKey, CachedOrder>()

  /** Moves written events to their current position; returns false if it is no longer known which were written. */
  function* catchUp(by: SortKey, known: CachedOrder): Task<boolean> {
    while (known.at < journal.end()) {
      const entry = journal.at(known.at)
      if (!entry) return false
      known.order.remove(entry.row)
      // only the last of several writes counts
      const row = journal.latest(entry.id) === known.at ? index.rowOf(entry.id) : NO_ROW
      // none if the event has just been deleted; the change follows later
      const [found] = row === NO_ROW ? [] : rows<[Key]>(QUERIES[by].one, entry.id)
      if (found) known.order.insert(row, entry.id, found[0])
      known.at++
      yield
    }
    return true
  }

  function* make(by: SortKey): Task<CachedOrder> {
    const made: CachedOrder = { at: journal.end(), order: openSortedRows() }
    const { next, after } = QUERIES[by]
    for (let last = after(0, ''); last.length > 0; ) {
      const [found] = rows<[string, string]>(next, ...last)
      const [ids, keys]: [number[], Key[]] = [JSON.parse(found![0]), JSON.parse(found![1])]
      for (const [at, id] of ids.entries()) {
        const row = index.rowOf(id)
        if (row !== NO_ROW) made.order.add(row, id, keys[at]!)
      }
      last = ids.length === 0 ? [] : after(ids.at(-1)!, keys.at(-1)!)
      yield
    }
    yield* made.order.sort()
    return made
  }

  return {
    /** All events in an order as of now. */
    *get(by: SortKey): Task<CachedOrder['order']> {
      for (;;) {
        const known = cached.get(by) ?? (yield* make(by))
        cached.set(by, known)
        if (yield* catchUp(by, known)) return known.order
        cached.delete(by)
      }
    },
  }
}

/** Dates of lists that are remembered, each with a bit for each event. */
const MOST_WINDOWS = 8
/** Events that one step compares with dates. */
const COMPARED = 20_000

/** All events within some dates, as of a number of `journal`. */
type WindowBitmap = { at: number; rows: Bitmap }

/** The events within the dates that many lists share, such as the default ones: by them, what lies in a large set is counted at once. */
export function openWindowBitmaps({ index, journal }: Pick<LiveIndex, 'index' | 'journal'>) {
  /** By dates that were asked for; without a bitmap if that was once. */
  const cached = new LRUCache<string, { window?: WindowBitmap }>({ max: MOST_WINDOWS })

  /** Moves written events to where they are; returns false if it is no longer known which were written. */
  function catchUp(window: WindowBitmap, isWithin: (row: number) => boolean): boolean {
    for (; window.at < journal.end(); window.at++) {
      const write = journal.at(window.at)
      if (!write) return false
      window.rows.delete(write.row)
      const row = index.rowOf(write.id)
      if (row !== NO_ROW && isWithin(row)) window.rows.add(row)
    }
    return true
  }

  function* make(isWithin: (row: number) => boolean): Task<WindowBitmap> {
    const window = { at: journal.end(), rows: new Bitmap(index.size()) }
    for (let row = 0; row < index.size(); row++) {
      if (isWithin(row)) window.rows.add(row)
      if (row % COMPARED === COMPARED - 1) yield
    }
    return window
  }

  return {
    /** Whether dates were asked for before. */
    has: (dates: DateLimit[]) => cached.has(JSON.stringify(dates)),
    /** The events within dates as of now; undefined if these are asked for the first time, since to look at all events would not pay. */
    *get(dates: DateLimit[]): Task<Bitmap | undefined> {
      const known = cached.get(JSON.stringify(dates))
      if (!known) {
        cached.set(JSON.stringify(dates), {})
        return undefined
      }
      const isWithin = index.within(dates)
      while (!known.window || !catchUp(known.window, isWithin)) known.window = yield* make(isWithin)
      return known.window.rows
    },
  }
}
