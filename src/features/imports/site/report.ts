import type { RecordKind } from '../../../calendar/store.ts'
import type { Taken } from './taken.ts'

/** What became of a record. `left` were edited here since, `kept` are gone from the source but stay. */
export const OUTCOMES = ['created', 'changed', 'same', 'left', 'refused', 'gone', 'kept'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A record that is named, and why. */
export type Named = { kind: RecordKind; id: number; name: string; why: string }
/** Events that look like dates of one series: the IDs and the name that they have at the source. */
export type Alike = { name: string; ids: number[]; rule: string }

/** What an import did, or would do. */
export type Report = {
  source: string
  /** The number under which the import is remembered; 0 of one that wrote nothing. */
  run: number
  dry_run: boolean
  counts: Partial<Record<RecordKind, Partial<Record<Outcome, number>>>>
  /** Records that were not taken. */
  refused: Named[]
  /** Records that were left as they are. */
  left: Named[]
  /** What is missing of records that were taken. */
  notes: Named[]
  /** Events that `--series` would make series. */
  alike: Alike[]
}

/** Collects what happens to records. */
export function openReport(source: string, run: number) {
  const dry_run = run === 0
  const report: Report = { source, run, dry_run, counts: {}, refused: [], left: [], notes: [], alike: [] }

  const count = (kind: RecordKind, outcome: Outcome, many = 1) => {
    if (many === 0) return
    const own = report.counts[kind] ?? {}
    report.counts[kind] = { ...own, [outcome]: (own[outcome] ?? 0) + many }
  }
  return {
    report,
    count,
    /** Notes what became of a record, and why where that is not plain. */
    tell({ kind, id, name }: Pick<Taken, 'kind' | 'id' | 'name'>, outcome: Outcome, why = '') {
      count(kind, outcome)
      if (outcome === 'refused' || outcome === 'left') report[outcome].push({ kind, id, name, why })
    },
    /** Notes what a record lacks that was taken. */
    note({ kind, id, name }: Pick<Taken, 'kind' | 'id' | 'name'>, why: string) {
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
export type Reporting = ReturnType<typeof openReport>
