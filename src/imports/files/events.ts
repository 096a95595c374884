import type { Store } from '../../store/store.ts'
import { readCsv } from './csv.ts'
import { readCalendars } from './ical/calendar.ts'
import { openReport, type Report } from './report.ts'
import { type WriteOptions, writeItems } from './writer.ts'

/** How a file of events is imported. */
export type FileOptions = WriteOptions & {
  form: 'ics' | 'csv'
  /** The time zone of times that have none; by default that of the site. */
  zone?: string | undefined
  /** Whether pictures are downloaded. */
  media: boolean
}

/** Imports events from the text of a file of iCalendar or CSV; with `dry` it only tells what would come. */
export async function importEvents(store: Store, text: string, options: FileOptions): Promise<Report> {
  const { form, media, zone = store.site.zone, hear } = options
  const {
    items,
    faults,
    remarks = [],
  } = form === 'csv'
    ? readCsv(text, { media })
    : { ...readCalendars(text, { zone, media, languages: store.site.languages }), remarks: [] }
  if (form === 'csv') for (const item of items) item.body = { timezone: zone, ...item.body }
  const { report, add } = openReport(hear)
  for (const { line, text: name, reason } of faults)
    add({ line, kind: 'line', name, outcome: 'refused', reason, remarks: [] })
  for (const remark of remarks)
    add({ line: 1, kind: 'line', name: 'the first', outcome: 'present', remarks: [remark] })
  const written = await writeItems(store, items, options)
  return {
    counts: { ...report.counts, ...written.counts },
    told: [...report.told, ...written.told],
    troubles: report.troubles + written.troubles,
  }
}
