import { STATUSES } from '../../../schemas/common.ts'
import { EVENT_FLAGS } from '../../../schemas/event-flags.ts'
import { EVENT_STATES, STATE_NAMES } from '../../../schemas/event-states.ts'
import { type Changes, EVERYTHING } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { openEventIndex, TRAIT_BITS } from './event-index.ts'
import { NO_ROW } from './rows.ts'

/** Writes to events after which everything is read again instead of following each. */
const MOST_CHANGED = 5_000
/** Changes of all kinds after which writes to events are no longer counted. */
const MOST_MISSED = 200_000
/** Changed events that are read at a time. */
const BATCH = 100

/** SQL for the bit of a column that has one of a few words. */
const bitOf = (column: string, words: readonly (keyof typeof TRAIT_BITS)[]) =>
  `case ${column} ${words.map((word) => `when '${word}' then ${TRAIT_BITS[word]}`).join(' ')} end`
const TRAITS = [
  bitOf('status', STATUSES),
  ...STATE_NAMES.map((name) => bitOf(name, EVENT_STATES[name])),
  ...EVENT_FLAGS.map((flag) => `${TRAIT_BITS[flag]} * ${flag}`),
].join(' + ')
/** The columns of a index, each as an array of JSON. */
const COLUMNS = [
  'event_id',
  TRAITS,
  'language',
  'author_id',
  'coalesce(parent_id, 0)',
  ...['starts', 'ends', 'utc_starts', 'utc_ends', 'modified'],
]
const read = (rows: string) => `select ${COLUMNS.map((column) => `json_group_array(${column})`)} from ${rows}`
const READ_NEXT = read('(select * from listings where event_id > ? order by event_id limit 1000)')
const READ_SOME = read('listings where event_id in (select value from json_each(?))')

/** The committed index of all events, and the last writes to it. Both follow the changes of all processes. */
export function openLiveIndex(db: Db, changes: Changes) {
  const index = openEventIndex()
  const journal = openJournal(MOST_CHANGED)
  let seen: number | undefined

  /** Puts the events of a query into the index and returns their IDs. */
  function put(query: string, ...values: unknown[]): number[] {
    const [row] = db.rows<string[]>(query, ...values)
    const [ids, traits, languages, authors, parents, starts, ends, utcStarts, utcEnds, modified] = row!.map(
      (column) => JSON.parse(column),
    )
    for (let at = 0; at < ids.length; at++)
      index.put({
        id: ids[at],
        traits: traits[at],
        language: languages[at],
        author: authors[at],
        parent: parents[at],
        starts: starts[at],
        ends: ends[at],
        utcStarts: utcStarts[at],
        utcEnds: utcEnds[at],
        modified: modified[at],
      })
    return ids
  }

  function* load(): Task<void> {
    seen = undefined
    journal.forget()
    const { seq } = changes.latest()
    const [[count]] = db.rows<[number]>('select count(*) from listings') as [[number]]
    index.clear(count)
    for (let ids = put(READ_NEXT, 0); ids.length > 0; ids = put(READ_NEXT, ids.at(-1))) yield
    index.fill()
    journal.forget()
    seen = seq
  }

  /** Updates events, then removes deleted ones: last, so that no other event gets their rows. */
  function move(ids: number[]) {
    const before = ids.map((id): Entry => {
      const row = index.rowOf(id)
      if (row === NO_ROW) return { id, row, start: 0, length: 0, series: 0 }
      const series = index.seriesOf(row)
      return { id, row, start: index.startOf(row), length: index.lengthOf(row), series }
    })
    const existing = new Set(put(READ_SOME, JSON.stringify(ids)))
    for (const moved of before) {
      journal.add({ ...moved, row: index.rowOf(moved.id) })
      if (!existing.has(moved.id)) index.remove(moved.id)
    }
  }

  return {
    index,
    journal,
    isStale: () => changes.latest().seq !== seen,
    /** Updates everything to the committed state. */
    *refresh(): Task<void> {
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
export type LiveIndex = ReturnType<typeof openLiveIndex>

/**
 * A write to an event. `row` is its row before the write or, if it is new, its row now; `start`, `length` and `series`
 * are those before the write, as in the index. A row goes to another event only after this was noted.
 */
type Entry = { id: number; row: number; start: number; length: number; series: number }

/**
 * The last writes to events, in order, with growing numbers. A kept list remembers the number that it has reached, and catches up
 * when it is used.
 */
function openJournal(most: number) {
  let first = 0
  let journal: Entry[] = []
  const latest = new Map<number, number>()
  const end = () => first + journal.length
  return {
    /** The number of the next write. */
    end,
    /** The number of the first known write. */
    first: () => first,
    add(entry: Entry) {
      if (journal.length >= most) {
        const gone = journal.splice(0, most >> 1)
        first += gone.length
        for (const { id } of gone) if (latest.get(id)! < first) latest.delete(id)
      }
      latest.set(entry.id, end())
      journal.push(entry)
    },
    /** Undefined if it is no longer known. */
    at: (number: number): Entry | undefined => journal[number - first],
    /** The number of the last known write to an event. */
    latest: (id: number) => latest.get(id),
    /** Discards all earlier writes. */
    forget() {
      first = end() + 1
      journal = []
      latest.clear()
    },
  }
}
