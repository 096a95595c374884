import type { Store, Write } from '../../../calendar/store.ts'
import type { Imported, ImportSource, RecordKind } from '../store.ts'
import type { SourceRecord } from './source-records.ts'

const keyOf = (kind: RecordKind, id: number) => `${kind} ${id}`

/** What an import remembers: which record here each one of the source is, and which ones it saw. */
export async function openSyncState(store: Store, source: ImportSource, run: number) {
  const rows = new Map<string, Imported>()
  for (const row of await store.imports.of(source.id)) rows.set(keyOf(row.kind, row.remote_id), row)
  const seen = new Set<string>()

  return {
    source,
    run,
    rows: () => rows.values(),
    find: (kind: RecordKind, id: number) => rows.get(keyOf(kind, id)),
    /** The record here, unless it is gone. */
    recordOf(kind: RecordKind, id: number): number | undefined {
      const row = rows.get(keyOf(kind, id))
      return row === undefined || row.gone ? undefined : row.record_id
    },
    /** Notes that the source has a record; false if that was noted before. */
    markSeen(kind: RecordKind, id: number): boolean {
      const key = keyOf(kind, id)
      const isNew = !seen.has(key)
      seen.add(key)
      return isNew
    },
    isSeen: (kind: RecordKind, id: number) => seen.has(keyOf(kind, id)),
    /** How many records of a kind, or of all, the source had. */
    alive: (kind?: RecordKind) =>
      [...rows.values()].filter((row) => !row.gone && (kind === undefined || row.kind === kind)).length,
    /** Notes, in the transaction that wrote it, which record this is, and its state after that. */
    async note(
      { tx }: Pick<Write, 'tx'>,
      { kind, id: remote_id }: Pick<SourceRecord, 'kind' | 'id'>,
      more: Pick<Imported, 'record_id' | 'digest' | 'version'> & Partial<Imported>,
    ) {
      const known = rows.get(keyOf(kind, remote_id))
      const made_run = known?.record_id === more.record_id ? known.made_run : run
      const row = { source_id: source.id, kind, remote_id, made_run, gone: false, ...more, run_id: run }
      await store.imports.note(tx, row)
      rows.set(keyOf(kind, remote_id), row)
    },
  }
}
export type SyncState = Awaited<ReturnType<typeof openSyncState>>

/** What became of a record. `left` were edited here since, `kept` are gone from the source but stay. */
export const OUTCOMES = ['created', 'changed', 'same', 'left', 'refused', 'gone', 'kept'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A record that is named, and why. */
export type NamedRecord = { kind: RecordKind; id: number; name: string; why: string }
/** Events that look like dates of one series: the IDs and the name that they have at the source. */
export type Alike = { name: string; ids: number[]; rule: string }

/** What an import did, or would do. */
export type SiteReport = {
  source: string
  /** The number under which the import is remembered; 0 of one that wrote nothing. */
  run: number
  dry_run: boolean
  counts: Partial<Record<RecordKind, Partial<Record<Outcome, number>>>>
  /** Records that were not imported. */
  refused: NamedRecord[]
  /** Records that were left as they are. */
  left: NamedRecord[]
  /** What is missing of records that were imported. */
  notes: NamedRecord[]
  /** Events that `--series` would make series. */
  alike: Alike[]
}

/** Collects what happens to records. */
export function openSiteReport(source: string, run: number) {
  const dry_run = run === 0
  const report: SiteReport = { source, run, dry_run, counts: {}, refused: [], left: [], notes: [], alike: [] }

  const count = (kind: RecordKind, outcome: Outcome, many = 1) => {
    if (many === 0) return
    const own = report.counts[kind] ?? {}
    report.counts[kind] = { ...own, [outcome]: (own[outcome] ?? 0) + many }
  }
  return {
    report,
    count,
    /** Notes what became of a record, and why where that is not plain. */
    add({ kind, id, name }: Pick<SourceRecord, 'kind' | 'id' | 'name'>, outcome: Outcome, why = '') {
      count(kind, outcome)
      if (outcome === 'refused' || outcome === 'left') report[outcome].push({ kind, id, name, why })
    },
    /** Notes what a record lacks that was imported. */
    note({ kind, id, name }: Pick<SourceRecord, 'kind' | 'id' | 'name'>, why: string) {
      report.notes.push({ kind, id, name, why })
    },
    /** How many records of all kinds have each outcome. */
    totals(): Record<string, number> {
      const all: Record<string, number> = {}
      for (const own of Object.values(report.counts))
        for (const [outcome, many] of Object.entries(own)) all[outcome] = (all[outcome] ?? 0) + many
      return all
    },
  }
}
export type Reporting = ReturnType<typeof openSiteReport>
