import { STATUSES, type Status } from '../../../schemas/common.ts'
import { EVENT_FLAGS, type EventFlag, forEach } from '../../../schemas/event-flags.ts'
import { EVENT_STATES, type EventStates, STATE_NAMES } from '../../../schemas/event-states.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Changes, EVERYTHING } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import type { Span } from '../days.ts'
import { canOpen } from '../rights.ts'
import { countByDay, type DateLimit, halfDayOf, openDays } from './day-histogram.ts'
import { Bitmap, NO_ROW, openRows, type RowSet } from './rows.ts'

/** An event; its times are seconds since 1970-01-01 00:00:00 of the same clock. */
export type EventEntry = {
  id: number
  /** Its status, flags and states, as `TRAIT_BITS`. */
  traits: number
  language: string
  author: number
  /** 0 is none. */
  parent: number
  starts: number
  ends: number
  utcStarts: number
  utcEnds: number
  /** The last change, in UTC. */
  modified: number
}

const emptyColumns = () => ({
  /** 0 if the row is free. */
  traits: new Uint32Array(0),
  /** Numbers of languages, apart from the traits, so that neither takes bits from the other. */
  languages: new Uint16Array(0),
  authors: new Uint32Array(0),
  parents: new Float64Array(0),
  /** The slot of the half of a day in which events start, and the number of halves until they end. */
  slots: new Uint32Array(0),
  lengths: new Int32Array(0),
  starts: new Float64Array(0),
  ends: new Float64Array(0),
  /** The difference between the wall clock and UTC. */
  startOffsets: new Int32Array(0),
  endOffsets: new Int32Array(0),
  modified: new Uint32Array(0),
})

/** The first and the last second that are within limits. */
function rangeOf(limits: DateLimit[]): [least: number, most: number] {
  let [least, most] = [-Infinity, Infinity]
  for (const { than, value } of limits) {
    if (than === '>=') least = Math.max(least, value)
    else if (than === '>') least = Math.max(least, Math.floor(value) + 1)
    else if (than === '<=') most = Math.min(most, value)
    else most = Math.min(most, Math.ceil(value) - 1)
  }
  return [least, most]
}

/** Dates and flags of events in columns by row, some 50 bytes an event. */
function openColumns() {
  const columns = emptyColumns()
  const languages = new Map<string, number>()

  /** The number of a language. */
  function numberOf(language: string) {
    const known = languages.get(language)
    if (known !== undefined) return known
    languages.set(language, languages.size + 1)
    return languages.size
  }
  /** Resizes the columns to so many rows and keeps their contents. */
  function resize(length: number) {
    for (const [name, column] of Object.entries(columns)) {
      const other = new (column.constructor as Uint32ArrayConstructor)(length)
      other.set(column.subarray(0, length) as Uint32Array)
      columns[name as 'traits'] = other
    }
  }

  const utcStart = (row: number) => columns.starts[row]! + columns.startOffsets[row]!
  const utcEnd = (row: number) => columns.ends[row]! + columns.endOffsets[row]!
  const modified = (row: number) => columns.modified[row]!
  const timeOf = ({ side }: DateLimit) =>
    side === 'modified' ? modified : side === 'start' ? utcStart : utcEnd

  return {
    columns,
    numberOf,
    put(row: number, slot: number, length: number, entry: EventEntry) {
      if (row >= columns.traits.length) resize(1024 + Math.ceil(row * 1.25))
      columns.traits[row] = entry.traits
      columns.languages[row] = numberOf(entry.language)
      columns.authors[row] = entry.author
      columns.parents[row] = entry.parent
      columns.slots[row] = slot
      columns.lengths[row] = length
      columns.starts[row] = entry.starts
      columns.ends[row] = entry.ends
      columns.startOffsets[row] = entry.utcStarts - entry.starts
      columns.endOffsets[row] = entry.utcEnds - entry.ends
      columns.modified[row] = entry.modified
    },
    /** Removes all events, and allocates space for so many. */
    clear(count: number) {
      resize(0)
      resize(count)
    },
    /** Whether an event lies within all limits. Those of wall clocks, which most lists have, are compared without a call for each. */
    within(limits: DateLimit[]): (row: number) => boolean {
      if (limits.length === 0) return () => true
      const isOther = ({ side, utc }: DateLimit) => utc || side === 'modified'
      const own = limits.filter((limit) => !isOther(limit))
      const [from, to] = rangeOf(own.filter(({ side }) => side === 'start'))
      const [endFrom, endTo] = rangeOf(own.filter(({ side }) => side === 'end'))
      const isWithin = (row: number) => {
        const starts = columns.starts[row]!
        const ends = columns.ends[row]!
        return starts >= from && starts <= to && ends >= endFrom && ends <= endTo
      }
      const tests = limits.filter(isOther).map((limit) => {
        const time = timeOf(limit)
        const [least, most] = rangeOf([limit])
        return (row: number) => time(row) >= least && time(row) <= most
      })
      return tests.length === 0 ? isWithin : (row) => isWithin(row) && tests.every((test) => test(row))
    },
    /** The bytes of all arrays. */
    bytes: () => Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0),
  }
}

const TRAITS = [...STATUSES, ...EVENT_FLAGS, ...STATE_NAMES.flatMap((name) => EVENT_STATES[name])]
/** The filters of lists, one bit each: statuses, flags, and the values of states. */
export const TRAIT_BITS = forEach(TRAITS, (name) => 1 << TRAITS.indexOf(name))

/** The conditions of a selection on events themselves: statuses; with an author, only published events of others. */
export type Traits = {
  statuses: readonly Status[]
  author?: number | undefined
  flags: Partial<Record<EventFlag, boolean>>
  /** The values of each state that match. */
  states?: { [N in keyof EventStates]?: readonly EventStates[N][] | undefined }
  language?: string | undefined
  parent?: number | undefined
  /** Set if a filter concerns protected data: it then matches only the protected events that this caller may edit (R13). */
  opened?: { by?: Caller } | undefined
}

/**
 * The bits that are compared, and the value that each must have. An event has one value of each state, so one of several matches
 * if it has none of the others.
 */
export function maskOf({ flags, states = {}, opened }: Pick<Traits, 'flags' | 'states' | 'opened'>) {
  let mask = opened && !opened.by ? TRAIT_BITS.protected : 0
  let value = 0
  for (const name of EVENT_FLAGS) {
    if (flags[name] === undefined) continue
    mask |= TRAIT_BITS[name]
    if (flags[name]) value |= TRAIT_BITS[name]
  }
  for (const name of STATE_NAMES) {
    const wanted: readonly string[] = states[name] ?? EVENT_STATES[name]
    for (const state of EVENT_STATES[name]) if (!wanted.includes(state)) mask |= TRAIT_BITS[state]
  }
  return { mask, value }
}

/** The bits of statuses, of which an event has one. */
const statusBits = (statuses: readonly Status[]) =>
  statuses.reduce((all, status) => all | TRAIT_BITS[status], 0)
/** The status in the bits of an event. */
const statusOf = (traits: number) => STATUSES.find((status) => traits & TRAIT_BITS[status])!

/**
 * The dates and flags of all events, in columns by row. Lists are made from them in one pass over memory, since no index of a table
 * would serve all pairs of filters. It holds no texts and no links.
 */
export function openEventIndex() {
  const { idOf, rowOf, ...rows } = openRows()
  const { columns, within, numberOf, ...stored } = openColumns()
  const byStart = (a: number, b: number) => columns.starts[a]! - columns.starts[b]! || idOf(a) - idOf(b)
  const days = openDays(byStart)
  /** Whether events are assigned to days: not while all are read, since they are then assigned together. */
  let isFilled = true

  /** Whether a caller sees what the password of an event protects. */
  const opensRow = (caller: Caller, row: number) =>
    canOpen(caller, {
      id: idOf(row),
      author_id: columns.authors[row]!,
      status: statusOf(columns.traits[row]!),
    })

  /** Whether an event matches a selection. */
  function matcher({ statuses, author, parent, language, opened, flags, states }: Traits) {
    const { mask, value } = maskOf({ flags, states, opened })
    const any = statusBits(statuses)
    const spoken = language === undefined ? undefined : numberOf(language)
    const editor = opened?.by
    return (row: number) => {
      const own = columns.traits[row]!
      return (
        (own & any) !== 0 &&
        (own & mask) === value &&
        (spoken === undefined || columns.languages[row] === spoken) &&
        (parent === undefined || columns.parents[row] === parent) &&
        (author === undefined || (own & TRAIT_BITS.publish) !== 0 || columns.authors[row] === author) &&
        (editor === undefined || (own & TRAIT_BITS.protected) === 0 || opensRow(editor, row))
      )
    }
  }

  return {
    idOf,
    /** `NO_ROW` if the event is not in the index. */
    rowOf,
    addRows: rows.addRows,
    /** Greater than every row. */
    size: rows.size,
    matcher,
    within,
    /** Whether only the author of an event and those who may see all events see it, and the author is not this one. */
    isKeptFrom: (author: number) => (row: number) =>
      (columns.traits[row]! & TRAIT_BITS.publish) === 0 && columns.authors[row] !== author,
    mayEdit: (caller: Caller, id: number) => opensRow(caller, rowOf(id)),
    /** Whether an event is under no password, or the caller may edit it. */
    isOpenTo: (caller: Caller) => (row: number) =>
      (columns.traits[row]! & TRAIT_BITS.protected) === 0 || opensRow(caller, row),
    /** The half of a day in which an event starts, and the number of halves until it ends. */
    startOf: (row: number) => days.halfAt(columns.slots[row]!),
    lengthOf: (row: number) => columns.lengths[row]!,
    /** The series that an event is a date of; 0 for a single event. A parent that is no event is a series. */
    seriesOf(row: number): number {
      const parent = columns.parents[row] ?? 0
      return parent !== 0 && rowOf(parent) === NO_ROW ? parent : 0
    },
    /** When an event takes place on its own wall clock. */
    spanOf: (row: number): Span => ({
      id: idOf(row),
      starts: columns.starts[row]!,
      ends: columns.ends[row]!,
    }),
    /** Adds or moves an event. An event that exists keeps its row. */
    put(entry: EventEntry) {
      const row = rows.assign(entry.id)
      if (isFilled && columns.traits[row]) days.delete(columns.slots[row]!, row)
      const half = halfDayOf(entry.starts)
      const slot = days.slotAt(half)
      stored.put(row, slot, halfDayOf(entry.ends) - half, entry)
      if (isFilled) days.add(slot, row)
    },
    /** Removes an event. Its row goes to the next new event. */
    remove(id: number) {
      const row = rowOf(id)
      if (row === NO_ROW) return
      days.delete(columns.slots[row]!, row)
      columns.traits[row] = 0
      rows.release(id)
    },
    /** Assigns all events to days; call it after adding them after `clear`. One by one would take longer. */
    fill() {
      days.fill(columns.slots.subarray(0, rows.size()))
      isFilled = true
    },
    /** Removes all events, and allocates space for so many; `fill` then assigns them to days. */
    clear(count: number) {
      isFilled = false
      rows.clear(count)
      stored.clear(count)
      days.clear()
    },
    /** By local start, then ID (R7). */
    byStart,
    /** Rows of the events that start in a half of a day, in order. */
    startingIn: days.at,
    halfDaysFrom: days.halfDaysFrom,
    /** The events that match a selection. */
    select(traits: Traits): Bitmap {
      const isIn = matcher(traits)
      const bits = new Bitmap(rows.size())
      for (let row = 0; row < rows.size(); row++) if (isIn(row)) bits.add(row)
      return bits
    },
    /** Counts the events of a set in steps. If events are added or removed between steps, the counts are wrong. */
    countByDay: (members: RowSet) => countByDay(members, days, columns),
    /** The bytes of all arrays. They depend on the number of events, not on their IDs. */
    bytes: () => rows.bytes() + stored.bytes() + days.bytes(),
  }
}

/** Writes to events after which everything is read again instead of following each. */
const MOST_CHANGED = 5_000
/** Changes of all kinds after which writes to events are no longer counted. */
const MOST_MISSED = 200_000
/** Changed events that are read at a time. */
const BATCH = 100

/** SQL for the bit of a column that has one of a few words. */
const bitOf = (column: string, words: readonly (keyof typeof TRAIT_BITS)[]) =>
  `case ${column} ${words.map((word) => `when '${word}' then ${TRAIT_BITS[word]}`).join(' ')} end`
const TRAITS_SQL = [
  bitOf('status', STATUSES),
  ...STATE_NAMES.map((name) => bitOf(name, EVENT_STATES[name])),
  ...EVENT_FLAGS.map((flag) => `${TRAIT_BITS[flag]} * ${flag}`),
].join(' + ')
/** The columns of a index, each as an array of JSON. */
const COLUMNS = [
  'event_id',
  TRAITS_SQL,
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
