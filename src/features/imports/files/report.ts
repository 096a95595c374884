/** What became of a record of a file, or would become of it. */
export type Entry = {
  /** The line of the file that it begins in. */
  line: number
  kind: string
  /** What it is called there. */
  name: string
  /** Its first date, as the file has it. */
  start_date?: string
  /** `present` was here before, and is left as it is; `unchanged` is here as the file has it. */
  outcome: 'added' | 'updated' | 'unchanged' | 'present' | 'refused'
  /** The ID here, where there is one. */
  id?: number
  /** Why it was refused. */
  reason?: string
  /** What of it could not be taken. */
  remarks: string[]
}
type Counts = Record<Entry['outcome'], number>

/** What became of a file: how many records of each kind, and those of which something could not be taken. */
export type Report = {
  counts: Record<string, Counts>
  /** Records that were refused, or that lack something: at most `TOLD`. */
  told: Entry[]
  /** How many there are of these. */
  troubles: number
  /** How often parts of events were left out that have no place here, by their names in the file. */
  left_out?: Record<string, number>
}

/** Entries that a report names one by one. */
export const TOLD = 1_000

/** A report to which entries are added; `hear` is told each of them. */
export function openReport(hear: (entry: Entry) => void = () => {}) {
  const report: Report = { counts: {}, told: [], troubles: 0 }
  return {
    report,
    add(entry: Entry) {
      const counts = report.counts[entry.kind] ?? {
        ...{ added: 0, updated: 0, unchanged: 0, present: 0, refused: 0 },
      }
      report.counts[entry.kind] = counts
      counts[entry.outcome]++
      if (entry.outcome === 'refused' || entry.remarks.length > 0) {
        report.troubles++
        if (report.told.length < TOLD) report.told.push(entry)
      }
      hear(entry)
    },
  }
}
export type OpenReport = ReturnType<typeof openReport>
