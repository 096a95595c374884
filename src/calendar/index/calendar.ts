import { type Caller, canOpen } from '../../kernel/access/roles.ts'
import type { Span } from '../days.ts'
import { Bits, type Numbers } from './bits.ts'
import { type Entry, maskOf, openColumns, statusBits, statusOf, TRAIT_BITS, type Traits } from './columns.ts'
import { openDays, tally } from './days.ts'
import { halfOf } from './histogram.ts'
import { NOWHERE, openRows } from './rows.ts'

/**
 * The dates and flags of all events, in columns by row. Lists are made from them in one pass over memory, since no index of a table
 * would serve all pairs of filters. It holds no texts and no links.
 */
export function openCalendar() {
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
  function compile({ statuses, author, parent, language, opened, flags, states }: Traits) {
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
    /** NOWHERE if the event is not in the calendar. */
    rowOf,
    addRows: rows.addRows,
    /** Greater than every row. */
    size: rows.size,
    compile,
    within,
    /** Whether only the author of an event and those who may see all events see it, and the author is not this one. */
    isKeptFrom: (author: number) => (row: number) =>
      (columns.traits[row]! & TRAIT_BITS.publish) === 0 && columns.authors[row] !== author,
    mayEdit: (caller: Caller, id: number) => opensRow(caller, rowOf(id)),
    /** Whether an event is under no password, or the caller may edit it. */
    opens: (caller: Caller) => (row: number) =>
      (columns.traits[row]! & TRAIT_BITS.protected) === 0 || opensRow(caller, row),
    /** The half of a day in which an event starts, and the number of halves until it ends. */
    startOf: (row: number) => days.halfAt(columns.slots[row]!),
    lengthOf: (row: number) => columns.lengths[row]!,
    /** The series that an event is a date of; 0 for a single event. A parent that is no event is a series. */
    seriesOf(row: number): number {
      const parent = columns.parents[row] ?? 0
      return parent !== 0 && rowOf(parent) === NOWHERE ? parent : 0
    },
    /** When an event takes place on its own wall clock. */
    spanOf: (row: number): Span => ({
      id: idOf(row),
      starts: columns.starts[row]!,
      ends: columns.ends[row]!,
    }),
    /** Adds or moves an event. An event that exists keeps its row. */
    put(entry: Entry) {
      const row = rows.take(entry.id)
      if (isFilled && columns.traits[row]) days.delete(columns.slots[row]!, row)
      const half = halfOf(entry.starts)
      const slot = days.slotAt(half)
      stored.put(row, slot, halfOf(entry.ends) - half, entry)
      if (isFilled) days.add(slot, row)
    },
    /** Removes an event. Its row goes to the next new event. */
    remove(id: number) {
      const row = rowOf(id)
      if (row === NOWHERE) return
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
    at: days.at,
    halvesFrom: days.halvesFrom,
    /** The events that match a selection. */
    select(traits: Traits): Bits {
      const isIn = compile(traits)
      const bits = new Bits(rows.size())
      for (let row = 0; row < rows.size(); row++) if (isIn(row)) bits.add(row)
      return bits
    },
    /** Counts the events of a set in steps. If events are added or removed between steps, the counts are wrong. */
    tally: (members: Numbers) => tally(members, days, columns),
    /** The bytes of all arrays. They depend on the number of events, not on their IDs. */
    bytes: () => rows.bytes() + stored.bytes() + days.bytes(),
  }
}
