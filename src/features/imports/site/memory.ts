import type { Imported, ImportSource, RecordKind, Store, Write } from '../../../calendar/store.ts'
import type { Taken } from './taken.ts'

const keyOf = (kind: RecordKind, id: number) => `${kind} ${id}`

/** What an import remembers: which record here each one of the source is, and which ones it saw. */
export async function openMemory(store: Store, source: ImportSource, run: number) {
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
    see(kind: RecordKind, id: number): boolean {
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
      { kind, id: remote_id }: Pick<Taken, 'kind' | 'id'>,
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
export type Memory = Awaited<ReturnType<typeof openMemory>>
