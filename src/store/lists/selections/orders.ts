import type { EventOrder } from '../../../../schemas/event-query.ts'
import type { Task } from '../../../support/scheduler.ts'
import { openOrder } from '../../index/order.ts'
import { NOWHERE } from '../../index/rows.ts'
import type { Db } from '../../sqlite/db.ts'
import type { Listed } from './listed.ts'

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
  const kept = new Map<By, CachedOrder>()

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
        const known = kept.get(by) ?? (yield* make(by))
        kept.set(by, known)
        if (yield* catchUp(by, known)) return known.order
        kept.delete(by)
      }
    },
  }
}
