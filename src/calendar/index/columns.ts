import { STATUSES, type Status } from '../../../schemas/common.ts'
import { EVENT_FLAGS, type EventFlag, forEach } from '../../../schemas/event-flags.ts'
import { EVENT_STATES, type EventStates, STATE_NAMES } from '../../../schemas/event-states.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import type { Limit } from './histogram.ts'

/** An event; its times are seconds since 1970-01-01 00:00:00 of the same clock. */
export type Entry = {
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
export type Columns = ReturnType<typeof emptyColumns>

/** The first and the last second that are within limits. */
function rangeOf(limits: Limit[]): [least: number, most: number] {
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
export function openColumns() {
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
  const timeOf = ({ side }: Limit) => (side === 'modified' ? modified : side === 'start' ? utcStart : utcEnd)

  return {
    columns,
    numberOf,
    put(row: number, slot: number, length: number, entry: Entry) {
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
    within(limits: Limit[]): (row: number) => boolean {
      if (limits.length === 0) return () => true
      const isOther = ({ side, utc }: Limit) => utc || side === 'modified'
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
export const statusBits = (statuses: readonly Status[]) =>
  statuses.reduce((all, status) => all | TRAIT_BITS[status], 0)
/** The status in the bits of an event. */
export const statusOf = (traits: number) => STATUSES.find((status) => traits & TRAIT_BITS[status])!
