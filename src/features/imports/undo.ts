import type { Store, Write, Writer } from '../../calendar/store.ts'
import { EDITED, REMOVAL_ORDER, removeRecord } from './site/removals.ts'
import type { NamedRecord } from './site/sync-state.ts'
import type { Imported, RecordKind } from './store.ts'

/** What the undoing of an import took back, by kind, and what stayed and why. */
export type Undone = {
  run: number
  source: string
  counts: Partial<Record<RecordKind, { trashed: number; stayed: number }>>
  stayed: NamedRecord[]
}

/** Of a record that is gone already, or goes with its series. */
const PASSED = ''
const DATE_EDITED = 'one of its dates was edited here since'
const HELD = 'events here have it'
const OF_ANOTHER = 'it is a date of a series that was here before'

/**
 * Takes back what an import made: moves records to the trash, and deletes terms. What was edited here since stays, and so do venues, organizers and
 * terms of events that stay. Records that the import changed stay as they are. Undefined if there is no such import.
 */
export async function undoImport(store: Store, writer: Writer, run: number): Promise<Undone | undefined> {
  const { imports } = store
  const known = await imports.run(run)
  if (known === undefined) return undefined
  const rows = await imports.madeBy(run)
  const byRecord = new Map(rows.map((row) => [`${row.kind} ${row.record_id}`, row]))
  const undone: Undone = { run, source: known.source, counts: {}, stayed: [] }

  /** Why a record is not taken back, which has this state. */
  async function whyStays(tx: Write['tx'], { kind, record_id: id, version }: Imported, now: string) {
    if (now !== version) return EDITED
    if (kind === 'series') {
      const own = await imports.ownDates(tx, id)
      const isAsMade = (date: (typeof own)[number]) =>
        byRecord.get(`event ${date.id}`)?.version === date.version
      return own.every(isAsMade) ? undefined : DATE_EDITED
    }
    if (kind === 'event') return (await imports.seriesOf(tx, id)) === undefined ? undefined : OF_ANOTHER
    return (await imports.isHeld(tx, kind, id)) ? HELD : undefined
  }

  /** Notes that a record is taken back, and with a series its dates. */
  async function noteGone(tx: Write['tx'], row: Imported) {
    const { kind, record_id: id } = row
    const after = await imports.state(tx, kind, id)
    await imports.note(tx, { ...row, version: after?.version ?? '', gone: true })
    if (kind !== 'series') return
    for (const date of await imports.dates(tx, id)) {
      const own = byRecord.get(`event ${date.id}`)
      if (own) await imports.note(tx, { ...own, version: date.version, gone: true })
    }
  }

  async function takeBack(row: Imported) {
    const { kind, record_id: id } = row
    let name: string | undefined
    const whyNot = async (tx: Write['tx']) => {
      const state = await imports.state(tx, kind, id)
      // deleted by somebody, or with its series
      if (state === undefined || state.status === 'trash') return PASSED
      const series = kind === 'event' ? await imports.seriesOf(tx, id) : undefined
      // what becomes of its series becomes of it
      if (series !== undefined && byRecord.has(`series ${series}`)) return PASSED
      name = state.name
      return whyStays(tx, row, state.version)
    }
    const why = await removeRecord(store, writer, { kind, id }, whyNot, (tx) => noteGone(tx, row))
    if (name === undefined) return
    undone.counts[kind] ??= { trashed: 0, stayed: 0 }
    undone.counts[kind][why === undefined ? 'trashed' : 'stayed']++
    if (why !== undefined) undone.stayed.push({ kind, id, name, why })
  }

  for (const kind of REMOVAL_ORDER) for (const row of rows) if (row.kind === kind) await takeBack(row)
  const sum = (what: 'trashed' | 'stayed') =>
    Object.values(undone.counts).reduce((total, own) => total + own[what], 0)
  const totals = { undone: (known.counts.undone ?? 0) + sum('trashed'), stayed: sum('stayed') }
  await imports.undone(run, totals, writer.by)
  return undone
}
