import { type ImportOptions, MOST_SHOWN } from '../../../schemas/imports.ts'
import type { Pictures } from '../../calendar/media/pictures.ts'
import { openBodies } from '../../calendar/readers.ts'
import type { Store, Write, Writer } from '../../calendar/store.ts'
import { inTurns } from '../../kernel/tasks/scheduler.ts'
import { type FileReport, importEvents } from './files/import.ts'
import type { Entry } from './files/report.ts'
import { decode } from './files/text.ts'
import { REMOVAL_ORDER, removeRecord } from './site/removals.ts'
import type { NamedRecord } from './site/sync-state.ts'
import type { Imported, ImportRun, RecordKind } from './store.ts'

/** A file as it came. */
export type ImportFile = { bytes: Uint8Array; name: string; form: 'ics' | 'csv' }
/** How an import tells how far it is, and what ends it early. */
export type ImportControls = { progress?: (done: number, total: number) => void; signal: AbortSignal }
/** What came of a file, and its first records. */
export type ImportedFile = FileReport & { first: Entry[] }

/** Imports for requests. */
export type Importing = {
  /**
   * Imports a file, or tells what would come. Throws what is wrong with the file as a whole, and with the options. `progress` is told how many
   * events of how many were looked at. After the signal nothing more is imported; what was imported stays.
   */
  importFile(
    file: ImportFile,
    options: ImportOptions,
    writer: Writer,
    controls: ImportControls,
  ): Promise<ImportedFile>
  /** Takes back what an import made; undefined if there is no such import. */
  undo(run: number, writer: Writer): Promise<Undone | undefined>
}

/** The name of what an import was from, and whether that is a file. */
export function fromOf({ source }: Pick<ImportRun, 'source'>) {
  const isFile = source.startsWith('file:')
  return { from: isFile ? source.slice('file:'.length) : source, kind: isFile ? 'file' : 'site' }
}

/** Rows of a table that are held in memory at once for a request. */
const MOST_ROWS = 100_000

/** Imports of files and their undoing, for requests. */
export function openImporting(store: Store, pictures: Pick<Pictures, 'bring' | 'discard'>): Importing {
  const read = openBodies(store.site.languages)
  return {
    async importFile(
      { bytes, name, form },
      { dry_run: dry = false, source = form, ...options },
      writer,
      controls,
    ) {
      const { timezone, status, media = false, date_order: order } = options
      const first: Entry[] = []
      const onEntry = (entry: Entry) => {
        if (first.length < MOST_SHOWN && entry.kind !== 'date' && entry.kind !== 'line') first.push(entry)
      }
      const report = await importEvents(store, await inTurns(decode(bytes)), {
        form,
        media,
        zone: timezone || undefined,
        read,
        pictures,
        writer,
        source,
        status,
        dry,
        onEntry,
        order,
        file: name,
        mostRows: MOST_ROWS,
        ...controls,
      })
      return { ...report, first }
    },
    undo: (run, writer) => undoImport(store, writer, run),
  }
}

/** What the undoing of an import took back, by kind, and what stayed and why. */
export type Undone = {
  run: number
  source: string
  counts: Partial<Record<RecordKind, { trashed: number; stayed: number }>>
  stayed: NamedRecord[]
}

const EDITED = 'it was edited here since'
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
    const { kind, record_id: key } = row
    let became: { name: string; why: string | undefined } | undefined
    const guard = async <T>(tx: Write['tx'], work: () => Promise<T>): Promise<T> => {
      const state = await imports.state(tx, kind, key)
      // deleted by somebody, or with its series
      if (state === undefined || state.status === 'trash') return { id: key } as T
      const series = kind === 'event' ? await imports.seriesOf(tx, key) : undefined
      // what becomes of its series becomes of it
      if (series !== undefined && byRecord.has(`series ${series}`)) return { id: key } as T
      const why = await whyStays(tx, row, state.version)
      became = { name: state.name, why }
      if (why !== undefined) return { id: key } as T
      const done = await work()
      await noteGone(tx, row)
      return done
    }
    await removeRecord(store, writer, { kind, id: key }, guard)
    if (became === undefined) return
    const { name, why } = became
    undone.counts[kind] ??= { trashed: 0, stayed: 0 }
    undone.counts[kind][why === undefined ? 'trashed' : 'stayed']++
    if (why !== undefined) undone.stayed.push({ kind, id: key, name, why })
  }

  for (const kind of REMOVAL_ORDER) for (const row of rows) if (row.kind === kind) await takeBack(row)
  const sum = (what: 'trashed' | 'stayed') =>
    Object.values(undone.counts).reduce((total, own) => total + own[what], 0)
  const totals = { undone: (known.counts.undone ?? 0) + sum('trashed'), stayed: sum('stayed') }
  await imports.undone(run, totals, writer.by)
  return undone
}
