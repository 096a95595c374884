import { FLAGS, openCalendar, STATUSES, TRAIT_BITS } from '../index/calendar.ts'
import { type Changes, EVERYTHING } from '../sqlite/changes.ts'
import type { Db } from '../sqlite/db.ts'
import { openMoves } from './moves.ts'
import { inRanges } from './ranges.ts'
import type { Steps } from './slices.ts'

/** Writes to events after which everything is read again instead of following each. */
const MOST_CHANGED = 5_000
/** Changes of all kinds after which nobody looks how many of them these are. */
const MOST_MISSED = 200_000
/** Rows that are read at a time, when all are. */
const ROWS = { first: 1_000, shortest: 1_000 }
/** Changed events that are read at a time. */
const BATCH = 100

/** The columns of a calendar, each as an array of JSON. */
const COLUMNS = [
  'event_id',
  `case status ${STATUSES.map((status) => `when '${status}' then ${TRAIT_BITS[status]}`).join(' ')} end + ${FLAGS.map((flag) => `${TRAIT_BITS[flag]} * ${flag}`).join(' + ')}`,
  'language',
  'author_id',
  'coalesce(parent_id, 0)',
  ...['starts', 'ends', 'utc_starts', 'utc_ends'],
]
const READ = `select ${COLUMNS.map((column) => `json_group_array(${column})`)} from listings`
const READ_RANGE = `${READ} where event_id between ? and ?`
const READ_SOME = `${READ} where event_id in (select value from json_each(?))`

/** The calendar of all events, as it is committed, and the last writes to it. Both follow the changes of this process and of others. */
export function openListed(db: Db, changes: Changes) {
  const calendar = openCalendar()
  const moves = openMoves(MOST_CHANGED)
  let seen: number | undefined

  function read(query: string, ...values: unknown[]) {
    const [row] = db.rows<string[]>(query, ...values)
    const [ids, traits, languages, authors, parents, starts, ends, utcStarts, utcEnds] = row!.map((column) =>
      JSON.parse(column),
    )
    for (let at = 0; at < ids.length; at++)
      calendar.put({
        id: ids[at],
        traits: traits[at],
        language: languages[at],
        author: authors[at],
        parent: parents[at],
        starts: starts[at],
        ends: ends[at],
        utcStarts: utcStarts[at],
        utcEnds: utcEnds[at],
      })
  }

  function* load(): Steps<void> {
    seen = undefined
    moves.forget()
    const { seq } = changes.latest()
    const [[last]] = db.rows<[number]>('select coalesce(max(event_id), 0) from listings') as [[number]]
    calendar.clear(last)
    yield* inRanges(last, (from, to) => read(READ_RANGE, from, to), ROWS)
    calendar.fill()
    moves.forget()
    seen = seq
  }

  /** Takes events out of where they were, and puts them where they are now. */
  function move(ids: number[]) {
    for (const id of ids) {
      const isThere = calendar.has(id)
      moves.add({
        id,
        start: isThere ? calendar.startOf(id) : 0,
        length: isThere ? calendar.lengthOf(id) : 0,
      })
      calendar.remove(id)
    }
    read(READ_SOME, JSON.stringify(ids))
  }

  return {
    calendar,
    moves,
    isBehind: () => changes.latest().seq !== seen,
    /** Brings everything up to what is committed. */
    *follow(): Steps<void> {
      while (seen !== changes.latest().seq) {
        const { seq } = changes.latest()
        const isFar = seen === undefined || seq < seen || seq - seen > MOST_MISSED
        const missed = isFar ? [] : changes.after(seen!, MOST_CHANGED + 1)
        if (isFar || missed.length > MOST_CHANGED || missed.some(({ kind }) => kind === EVERYTHING)) {
          yield* load()
          continue
        }
        const ids = [...new Set(missed.filter(({ kind }) => kind === 'event').map(({ id }) => id))]
        yield
        while (ids.length > 0) {
          move(ids.splice(0, BATCH))
          yield
        }
        seen = seq
      }
    },
  }
}
export type Listed = ReturnType<typeof openListed>
