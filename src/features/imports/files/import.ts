import type { DateOrder } from '../../../../schemas/imports.ts'
import type { Store } from '../../../calendar/store.ts'
import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { readCsv } from './csv.ts'
import { readCalendars } from './ical/calendar.ts'
import { mergeReports, openReport, type Report, totalsOf } from './report.ts'
import { type WriteOptions, writeItems } from './writer.ts'

/** How a file of events is imported. */
type FileImportOptions = WriteOptions & {
  form: 'ics' | 'csv'
  /** The time zone of times that have none; by default that of the site. */
  zone?: string | undefined
  /** Whether pictures are downloaded. */
  media: boolean
  /** The order of days and months in a table, where its dates do not tell. */
  order?: DateOrder | undefined
  /** Rows that a table may have; by default any number. */
  mostRows?: number
  /** What the file is called, under which the import is remembered. */
  file: string
}
/** What became of a file, and the number under which that is remembered: 0 of what wrote nothing. */
export type FileReport = Report & { run: number }

/** Imports events from the text of a file of iCalendar or CSV, and remembers it; with `dry` it only tells what would come. */
export async function importEvents(
  store: Store,
  text: string,
  options: FileImportOptions,
): Promise<FileReport> {
  const events = await readEvents(store, text, options)
  if (options.dry) return { ...(await writeEvents(store, events, options)), run: 0 }
  const { imports } = store
  const known = await imports.source(`file:${options.file}`)
  const { run, source } = await imports.begin({ ...known, keeps_ids: false })
  let report: Report | undefined
  try {
    report = await writeEvents(store, events, { ...options, noting: { source: source.id, run } })
    return { ...report, run }
  } finally {
    const counts = report === undefined ? {} : totalsOf(report)
    const isWhole = report !== undefined && !options.signal?.aborted
    await imports.end(run, source.pages, counts, !isWhole, options.writer.by)
  }
}

/** The events of a file, and what of it is none. */
async function readEvents(
  { site }: Store,
  text: string,
  { form, media, order, mostRows: most, zone = site.zone }: FileImportOptions,
) {
  if (form === 'ics')
    return {
      remarks: [],
      ...(await inTurns(readCalendars(text, { zone, media, languages: site.languages }))),
    }
  const { remarks = [], ...read } = await readCsv(text, { media, order, most })
  for (const item of read.items) if (item.kind === undefined) item.body = { timezone: zone, ...item.body }
  return { remarks, ...read }
}
type Events = Awaited<ReturnType<typeof readEvents>>

async function writeEvents(
  store: Store,
  { items, faults, remarks }: Events,
  options: FileImportOptions,
): Promise<Report> {
  const { report, add, addFault } = openReport(options.onEntry)
  for (const fault of faults) addFault(fault)
  for (const remark of remarks)
    add({ line: 1, kind: 'line', name: 'the first', outcome: 'present', remarks: [remark] })
  const written = await writeItems(store, items, options)
  const left_out: Record<string, number> = {}
  for (const { leftOut = [], refused } of items)
    if (refused === undefined) for (const name of leftOut) left_out[name] = (left_out[name] ?? 0) + 1
  return {
    ...(Object.keys(left_out).length > 0 && { left_out }),
    ...mergeReports(report, written),
  }
}
