import type { RecordKind, Store, Write } from '../../../calendar/store.ts'
import type { Input } from './kinds.ts'
import type { Memory } from './memory.ts'
import type { Taken } from './taken.ts'

/** The events of the source by the series and the date that they are of. */
export type DatesOf = Map<number, Map<string, number>>
type InTransaction = Pick<Write, 'tx'>
type Stored = { id: number; date: string; version: string }

const SPAN = ['start_date', 'end_date', 'timezone', 'all_day']
/** The members of an input by the names under which a date differs from its series. */
const MEMBERS: Record<string, string[]> = { start_date: SPAN, end_date: SPAN, date: ['date_utc'] }

/** What a date of a series has of its own. */
export function overriddenOf(input: Input, overrides: string[]): Input {
  const names = new Set(overrides.flatMap((name) => MEMBERS[name] ?? [name]))
  return {
    ...Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name))),
    overrides,
  }
}

/** The dates of series that are taken. */
export function openSeriesDates(store: Store, memory: Memory, dates: DatesOf) {
  const { imports } = store
  const eventOf = (series: number, date: string) => dates.get(series)!.get(date)

  return {
    /**
     * Whether an event is a date of a series that was taken: the event here that has its date is remembered for it. `later` if the series has
     * no event for it yet.
     */
    async find(w: Write, { kind, id, date }: Taken): Promise<boolean | 'later'> {
      const record = date && memory.recordOf('series', date.series)
      if (kind !== 'event' || record === undefined) return false
      const [own] = await imports.dates(w.tx, record, date!.id)
      if (!own) return 'later'
      const row = memory.find('event', id)
      if (row?.record_id === own.id) return true
      // a single event that repeats by now, of which the series made another one
      if (row !== undefined && (await imports.state(w.tx, kind, row.record_id))?.version === row.version)
        await store.events.update(w, { id: row.record_id }, { status: 'trash' })
      await memory.note(w, { kind, id }, { record_id: own.id, digest: '', version: own.version })
      return true
    },
    /** What is sent for a date: what it has of its own, and its slug if that is another one. */
    async inputOf(w: InTransaction, { date }: Taken, record: number, input: Input): Promise<Input> {
      const state = await imports.state(w.tx, 'event', record)
      const own = overriddenOf(input, date!.overrides)
      return { ...own, ...(input.slug !== undefined && input.slug !== state!.slug && { slug: input.slug }) }
    },
    /** The first date of a series at the source. */
    firstOf: (series: number): string | undefined => [...dates.get(series)!.keys()].sort()[0],
    /** The IDs of the events of a series that are still to be made: those that are free are kept, others come after all that are taken. */
    async idsOf(w: InTransaction, series: number): Promise<(date: string) => number | undefined> {
      if (!memory.source.keeps_ids) return () => undefined
      const free = new Set<number>()
      for (const id of dates.get(series)!.values()) if (await imports.isFree(w.tx, 'event', id)) free.add(id)
      let last = Math.max(await imports.lastId(w.tx), series, ...dates.get(series)!.values())
      return (date) => {
        const id = eventOf(series, date)
        return id !== undefined && free.has(id) ? id : ++last
      }
    },
    /** Remembers the events of a series that was written, and the state of those that followed it and were not edited. */
    async note(w: InTransaction, series: number, record: number, before: Stored[]) {
      const was = new Map(before.map(({ id, version }) => [id, version]))
      for (const { id, date, version } of await imports.dates(w.tx, record)) {
        const remote = eventOf(series, date)
        const row = remote === undefined ? undefined : memory.find('event', remote)
        const kind: RecordKind = 'event'
        if (remote !== undefined && row === undefined)
          await memory.note(w, { kind, id: remote }, { record_id: id, digest: '', version })
        else if (row && row.record_id === id && row.version === was.get(id) && row.version !== version)
          await memory.note(w, { kind, id: remote! }, { ...row, version })
      }
    },
  }
}
