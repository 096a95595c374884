import { type Caller, canEdit } from '../../rules/roles.ts'
import { Bits, type Numbers } from './bits.ts'
import { type Entry, openColumns } from './columns.ts'
import { openDays } from './days.ts'
import { halfOf } from './limits.ts'
import { NOWHERE, openRows } from './rows.ts'
import { tally } from './tally.ts'
import { maskOf, statusBits, statusOf, TRAIT_BITS, type Traits } from './traits.ts'

/**
 * Every event's dates and flags, in columns by row: what lists are made from, in one pass over memory where no index of a table
 * would serve all pairs of filters. It holds no texts and no links.
 */
export function openCalendar() {
  const { idOf, rowOf, ...rows } = openRows()
  const { columns, within, numberOf, ...stored } = openColumns()
  const byStart = (a: number, b: number) => columns.starts[a]! - columns.starts[b]! || idOf(a) - idOf(b)
  const days = openDays(byStart)
  /** Whether the days hold their events: not while all are read, to be put there at once. */
  let isFilled = true

  const mayEditRow = (caller: Caller, row: number) =>
    canEdit(caller, { author_id: columns.authors[row]!, status: statusOf(columns.traits[row]!) })

  /** Whether an event is what a selection asks of it. */
  function compile({ statuses, author, parent, language, opened, flags }: Traits) {
    const { mask, value } = maskOf({ flags, opened })
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
        (editor === undefined || (own & TRAIT_BITS.protected) === 0 || mayEditRow(editor, row))
      )
    }
  }

  return {
    idOf,
    /** NOWHERE for an event that is not there. */
    rowOf,
    parts: rows.parts,
    /** All rows are smaller. */
    size: rows.size,
    compile,
    within,
    mayEdit: (caller: Caller, id: number) => mayEditRow(caller, rowOf(id)),
    /** The half of a day in which an event starts, and how many later it ends. */
    startOf: (row: number) => days.halfAt(columns.slots[row]!),
    lengthOf: (row: number) => columns.lengths[row]!,
    /** Puts an event where it is now. It keeps its row. */
    put(entry: Entry) {
      const row = rows.take(entry.id)
      if (isFilled && columns.traits[row]) days.delete(columns.slots[row]!, row)
      const half = halfOf(entry.starts)
      const slot = days.slotAt(half)
      stored.put(row, slot, halfOf(entry.ends) - half, entry)
      if (isFilled) days.add(slot, row)
    },
    /** Takes an event out. Its row is given to the next that comes. */
    remove(id: number) {
      const row = rowOf(id)
      if (row === NOWHERE) return
      days.delete(columns.slots[row]!, row)
      columns.traits[row] = 0
      rows.release(id)
    },
    /** To be called when all are put after `clear`: that one by one would take longer. */
    fill() {
      days.fill(columns.slots.subarray(0, rows.size()))
      isFilled = true
    },
    /** Forgets all, and makes room for so many; days hold events again after `fill`. */
    clear(count: number) {
      isFilled = false
      rows.clear(count)
      stored.clear(count)
      days.clear()
    },
    /** By local start, then ID (R7). */
    byStart,
    /** Rows of the events that start in a half, in order. */
    at: days.at,
    /** The events that are what a selection asks of them. */
    select(traits: Traits): Bits {
      const isIn = compile(traits)
      const bits = new Bits(rows.size())
      for (let row = 0; row < rows.size(); row++) if (isIn(row)) bits.add(row)
      return bits
    },
    /** Counts the events of a set, in steps: what is put or removed between them makes the counts wrong. */
    tally: (members: Numbers) => tally(members, days, columns),
    /** Of all arrays: it grows with the number of events, whatever their IDs. */
    bytes: () => rows.bytes() + stored.bytes() + days.bytes(),
  }
}
