import { type Caller, canEdit } from '../../rules/roles.ts'
import { Bits, Few, type Numbers } from './bits.ts'
import { type Histogram, openHistogram } from './histogram.ts'

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export const FLAGS = ['hidden', 'featured', 'ticketed', 'protected'] as const
const TRAITS = [...STATUSES, ...FLAGS]
/** What lists are filtered by, a bit each: statuses, then flags. */
export const TRAIT_BITS = Object.fromEntries(TRAITS.map((name, at) => [name, 1 << at])) as Record<
  (typeof TRAITS)[number],
  number
>
type Status = (typeof STATUSES)[number]
/** The number of an event's language stands above all of these. */
const LANGUAGE_SHIFT = TRAITS.length
const ALL_LANGUAGES = -1 << LANGUAGE_SHIFT

/** Events of some statuses; where an author is named, of others only what is published. */
export type Where = {
  statuses: readonly Status[]
  author?: number | undefined
  hidden?: boolean | undefined
  featured?: boolean | undefined
  ticketed?: boolean | undefined
  language?: string | undefined
  parent?: number | undefined
  /** Where something that passwords protect is filtered by: of events under one, those that this caller may edit (R13). */
  opened?: { by?: Caller } | undefined
}
/** An event; its times are seconds since 1970-01-01 00:00:00 of the same clock. */
export type Entry = {
  id: number
  /** Its status and flags, as `TRAIT_BITS`. */
  traits: number
  language: string
  author: number
  /** 0 is none. */
  parent: number
  starts: number
  ends: number
  utcStarts: number
  utcEnds: number
}
/** What an event's start or end is compared with, as its columns are. */
export type Limit = { side: 'start' | 'end'; than: '>=' | '<=' | '<' | '>'; value: number; utc: boolean }

const DAY = 86_400
/** Halves of days that are counted in a step. */
const DAYS = 250
/**
 * The half of a day in which a time lies, counted from 1970: all of a day but its last second, or that second. Windows of
 * whole days end on last seconds, and so do events that last all day: halves tell `<` from `<=` there.
 */
const halfOf = (time: number) => 2 * Math.floor(time / DAY) + (((time % DAY) + DAY) % DAY === DAY - 1 ? 1 : 0)

/** The smallest half that a limit lets through, or the largest; undefined where a half would be cut. */
export function halfLimit({ than, value, utc }: Limit): { least?: number; most?: number } | undefined {
  if (utc) return undefined
  const half = halfOf(value)
  const isLast = half % 2 !== 0
  if (than === '>=' && (isLast || value % DAY === 0)) return { least: half }
  if (than === '<=' && isLast) return { most: half }
  if (than === '<' && (isLast || value % DAY === 0)) return { most: half - 1 }
  return than === '>' && isLast ? { least: half + 1 } : undefined
}

/** The events that start in a half of a day. */
type Day = { half: number; ids: Uint32Array; sorted: boolean }
const NOBODY = new Uint32Array(0)

/**
 * Every event's dates and flags, in columns by ID, some 50 bytes each: what lists are made from, in one pass over memory where
 * no index of a table would serve all pairs of filters. It holds no texts and no links.
 */
export function openCalendar() {
  let size = 0
  let traits = new Uint32Array(0)
  let authors = new Uint32Array(0)
  let parents = new Uint32Array(0)
  /** Which of `days` events start in, and how many halves later they end. */
  let slots = new Uint32Array(0)
  let lengths = new Int32Array(0)
  const times = { start: new Float64Array(0), end: new Float64Array(0) }
  /** From the wall clock to UTC. */
  const offsets = { start: new Int32Array(0), end: new Int32Array(0) }
  const days: Day[] = []
  /** Whether the days hold their events: not while all are read, to be put there at once. */
  let isFilled = true
  const slotOf = new Map<number, number>()
  let order: Uint32Array | undefined
  const languages = new Map<string, number>()

  const grow = <T extends Uint32Array | Float64Array | Int32Array>(column: T, length: number): T => {
    const larger = new (column.constructor as new (length: number) => T)(length)
    larger.set(column)
    return larger
  }
  /** Makes room for an ID, and for one in `spare` more. */
  function makeRoom(id: number, spare: number) {
    if (id < traits.length) return
    const length = 1024 + Math.ceil(id * (1 + 1 / spare))
    traits = grow(traits, length)
    authors = grow(authors, length)
    parents = grow(parents, length)
    slots = grow(slots, length)
    lengths = grow(lengths, length)
    for (const side of ['start', 'end'] as const) {
      times[side] = grow(times[side], length)
      offsets[side] = grow(offsets[side], length)
    }
  }
  function numberOf(language: string) {
    const known = languages.get(language)
    if (known !== undefined) return known
    languages.set(language, languages.size + 1)
    return languages.size
  }

  function slotAt(half: number) {
    const known = slotOf.get(half)
    if (known !== undefined) return known
    slotOf.set(half, days.length)
    order = undefined
    return days.push({ half, ids: NOBODY, sorted: true }) - 1
  }

  /** The slots of all halves in the order of time; histograms take them so. */
  function inOrder() {
    order ??= Uint32Array.from(days.keys()).sort((a, b) => days[a]!.half - days[b]!.half)
    return order
  }

  const byStart = (a: number, b: number) => times.start[a]! - times.start[b]! || a - b

  function remove(id: number) {
    if (!traits[id]) return
    traits[id] = 0
    const day = days[slots[id]!]!
    day.ids = day.ids.filter((other) => other !== id)
  }

  function append(day: Day, id: number) {
    const ids = new Uint32Array(day.ids.length + 1)
    ids.set(day.ids)
    ids[day.ids.length] = id
    day.ids = ids
    day.sorted = false
  }

  /** What `Where` asks of an event as numbers: bits that one has to have, and bits that have to be as given. */
  function compile({ statuses, author, parent, language, opened, ...flags }: Where) {
    let mask = 0
    let value = 0
    for (const [name, wanted] of Object.entries(flags)) {
      const bit = TRAIT_BITS[name as keyof typeof flags]
      if (wanted !== undefined) mask |= bit
      if (wanted) value |= bit
    }
    if (opened && !opened.by) mask |= TRAIT_BITS.protected
    const editor = opened?.by
    if (language !== undefined) {
      mask |= ALL_LANGUAGES
      value |= numberOf(language) << LANGUAGE_SHIFT
    }
    const any = statuses.reduce((all, status) => all | TRAIT_BITS[status], 0)
    return (id: number) => {
      const own = traits[id]!
      return (
        (own & any) !== 0 &&
        (own & mask) === value &&
        (parent === undefined || parents[id] === parent) &&
        (author === undefined || (own & TRAIT_BITS.publish) !== 0 || authors[id] === author) &&
        (editor === undefined || (own & TRAIT_BITS.protected) === 0 || mayEdit(editor, id))
      )
    }
  }

  const statusOf = (id: number) => STATUSES.find((status) => traits[id]! & TRAIT_BITS[status])!
  const mayEdit = (caller: Caller, id: number) =>
    canEdit(caller, { author_id: authors[id]!, status: statusOf(id) })

  return {
    mayEdit,
    /** The half of a day in which an event starts, and how many later it ends. */
    startOf: (id: number) => days[slots[id]!]!.half,
    lengthOf: (id: number) => lengths[id]!,
    compile,
    /** All IDs are smaller. */
    size: () => size,
    has: (id: number) => id < size && traits[id] !== 0,
    remove,
    put(entry: Entry) {
      const { id } = entry
      makeRoom(id, 4)
      size = Math.max(size, id + 1)
      remove(id)
      traits[id] = entry.traits | (numberOf(entry.language) << LANGUAGE_SHIFT)
      authors[id] = entry.author
      parents[id] = entry.parent
      times.start[id] = entry.starts
      times.end[id] = entry.ends
      offsets.start[id] = entry.utcStarts - entry.starts
      offsets.end[id] = entry.utcEnds - entry.ends
      const half = halfOf(entry.starts)
      const slot = slotAt(half)
      slots[id] = slot
      lengths[id] = halfOf(entry.ends) - half
      if (isFilled) append(days[slot]!, id)
    },
    /** To be called when all are put after `clear`: one array for all days makes no garbage, as growing ones would. */
    fill() {
      const counts = new Uint32Array(days.length)
      for (let id = 0; id < size; id++) if (traits[id]) counts[slots[id]!]!++
      const all = new Uint32Array(counts.reduce((sum, count) => sum + count, 0))
      let end = 0
      for (const [slot, day] of days.entries()) {
        const start = end
        end += counts[slot]!
        day.ids = all.subarray(start, end)
        day.sorted = false
      }
      for (let id = size - 1; id >= 0; id--) if (traits[id]) days[slots[id]!]!.ids[--counts[slots[id]!]!] = id
      isFilled = true
    },
    /** Forgets all, and makes room for those up to `largest`; days hold events again after `fill`. */
    clear(largest: number) {
      isFilled = false
      traits.fill(0)
      days.length = 0
      slotOf.clear()
      order = undefined
      makeRoom(largest, 20)
    },
    /** Whether an event lies within all limits. */
    within(limits: Limit[]): (id: number) => boolean {
      const tests = limits.map(({ side, than, value, utc }) => {
        const clock = times[side]
        const offset = offsets[side]
        const timeOf = utc ? (id: number) => clock[id]! + offset[id]! : (id: number) => clock[id]!
        if (than === '>=') return (id: number) => timeOf(id) >= value
        if (than === '<=') return (id: number) => timeOf(id) <= value
        return than === '<' ? (id: number) => timeOf(id) < value : (id: number) => timeOf(id) > value
      })
      return tests.length === 1 ? tests[0]! : (id) => tests.every((test) => test(id))
    },
    /** By local start, then ID (R7). */
    byStart,
    /** IDs of the events that start in a half, in order. */
    at(half: number): Uint32Array {
      const day = days[slotAt(half)]!
      if (!day.sorted) day.ids.sort(byStart)
      day.sorted = true
      return day.ids
    },
    /** The events that fulfil `where`. */
    select(where: Where): Bits {
      const isIn = compile(where)
      const bits = new Bits(size)
      for (let id = 0; id < size; id++) if (isIn(id)) bits.add(id)
      return bits
    },
    /** Counts the events of a set, in steps: what is put or removed between them makes the counts wrong. */
    *tally(members: Numbers): Generator<void, Histogram, void> {
      const histogram = openHistogram()
      if (members instanceof Few) {
        for (const id of members) histogram.add(days[slots[id]!]!.half, lengths[id]!, 1)
        return histogram
      }
      const short = new Uint32Array(days.length) // most events end on the day they start on
      const ends = new Uint32Array(days.length) // of the others, where those of a half end in `sorted`
      const ordered = Array.from(inOrder(), (slot) => ({ slot, half: days[slot]!.half }))
      members.each((id) => {
        ;(lengths[id] === 0 ? short : ends)[slots[id]!]!++
      })
      yield
      for (let slot = 1; slot < ends.length; slot++) ends[slot]! += ends[slot - 1]!
      const sorted = new Int32Array(ends.at(-1) ?? 0)
      const starts = ends.slice()
      members.each((id) => {
        if (lengths[id] !== 0) sorted[--starts[slots[id]!]!] = lengths[id]!
      })
      for (const [at, { slot, half }] of ordered.entries()) {
        if (at % DAYS === 0) yield
        if (short[slot]! > 0) histogram.add(half, 0, short[slot]!)
        const part = sorted.subarray(starts[slot], ends[slot]).sort()
        for (let first = 0, at = 1; at <= part.length; at++)
          if (part[at] !== part[first]) {
            histogram.add(half, part[first]!, at - first)
            first = at
          }
      }
      return histogram
    },
  }
}
