import type { ImportEntry, ImportOptions } from '../../../schemas/imports.ts'
import type { ImportRun, Writer } from '../../calendar/store.ts'

/** A file as it came. */
export type ImportFile = { bytes: Uint8Array; name: string; form: 'ics' | 'csv' }
/** How an import tells how far it is, and what ends it early. */
export type ImportWay = { progress?: (done: number, total: number) => void; signal: AbortSignal }
/** What became of a record of a file; of a table of venues or organizers it is one of these. */
export type Entry = Omit<ImportEntry, 'kind'> & { kind: string }
/** What came of a file: the number of the import, 0 if nothing was written. */
export type Imported = {
  run: number
  counts: Record<string, Record<string, number>>
  first: Entry[]
  told: Entry[]
  troubles: number
  left_out?: Record<string, number>
}
/** What the undoing of an import took back. */
export type Undone = {
  run: number
  source: string
  counts: Record<string, { trashed: number; stayed: number }>
  stayed: { kind: string; id: number; name: string; why: string }[]
}

/** Imports for requests, as the wiring gives them: the importing itself stands above HTTP. */
export type Importing = {
  /**
   * Imports a file, or tells what would come. Throws what is wrong with the file as a whole, and with the options. `progress` is told how many
   * events of how many were looked at. After the signal nothing more is taken; what was taken stays.
   */
  take(file: ImportFile, options: ImportOptions, writer: Writer, way: ImportWay): Promise<Imported>
  /** Takes back what an import made; undefined if there is no such import. */
  undo(run: number, writer: Writer): Promise<Undone | undefined>
}

/** The name of what an import was from, and whether that is a file. */
export function fromOf({ source }: Pick<ImportRun, 'source'>) {
  const isFile = source.startsWith('file:')
  return { from: isFile ? source.slice('file:'.length) : source, kind: isFile ? 'file' : 'site' }
}
