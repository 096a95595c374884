import type { Store } from '../../store/store.ts'
import { openDates } from './dates.ts'
import type { Kind } from './following.ts'
import { digestIn, type Item } from './item.ts'
import { problemsText, type ReadBody } from './reading.ts'
import { openRecords, type RecordOptions, reasonOf } from './records.ts'
import { type Entry, openReport, type Report } from './report.ts'

export type WriteOptions = RecordOptions & {
  read: ReadBody
  progress?: ((done: number, total: number) => void) | undefined
  hear?: Parameters<typeof openReport>[0]
}

const OTHER = {
  event: 'is a series in the file, and a single event here: delete it here first',
  series: 'is a single event in the file, and a series here: delete it here first',
}

/**
 * Writes the events and series of a file, each by the operations that requests use, in a transaction of its own. An event is known by its source
 * and its ID there: it is updated if something differs.
 */
export async function writeItems(
  store: Store,
  items: readonly Item[],
  options: WriteOptions,
): Promise<Report> {
  const { read, source, dry, following, progress } = options
  const { report, add } = openReport(options.hear)
  const records = await openRecords(store, options)
  const { find, run, write } = records
  const writeDates = openDates(store, records, options, { report, add })

  async function writeItem(item: Item): Promise<Omit<Entry, 'line' | 'kind' | 'name'> & { since?: string }> {
    const kind: Kind = item.body.recurrence ? 'series' : 'event'
    const remarks = [...item.remarks]
    const refused = (reason: string) => ({ outcome: 'refused' as const, reason, remarks })
    if (item.refused !== undefined) return refused(item.refused)
    const { value, problems, missing } = read(kind, item.body)
    const lacking = missing.map((name) => `${name} is missing.`).join(' ')
    if (lacking || Object.keys(problems).length > 0)
      return refused([lacking, problemsText(problems)].filter(Boolean).join(' '))
    const known = await find(item)
    if (known?.isOwn && item.isPartial) return { outcome: 'present', id: known.id, remarks: [] }
    if (known && known.kind !== kind && !following) return refused(OTHER[known.kind])
    const external = { source: item.source ?? source, external_id: item.external_id }
    let since = ''
    try {
      const { why, ...result } = await run(
        ...[item.body, value, remarks],
        async (w, input) => {
          const result = await write(w, kind, known, input, external)
          if (kind === 'series' && result.outcome !== 'present')
            since = await store.imports.since(w.tx, result.id)
          return result
        },
        async (w, { outcome, id }) => {
          // what lacks something is looked at again
          const isWhole = remarks.length === item.remarks.length && item.dates.length === 0
          if (outcome !== 'present') await following?.note(w, { kind, id }, isWhole ? digestIn(item) : '')
        },
      )
      if (since !== '') remarks.push(`has more than 1,500 dates: those before ${since} are left out`)
      return { ...result, since, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return refused(reasonOf(error))
    }
  }

  let done = 0
  for (const item of items) {
    const { line, name } = item
    const kind = item.body.recurrence ? 'series' : 'event'
    const { start_date } = item.body
    const same = following && (await find(item))
    if (same && same.kind === kind && following.isSame(same, digestIn(item))) {
      add({ line, kind, name, outcome: 'unchanged', id: same.id, remarks: item.remarks })
      progress?.(++done, items.length)
      continue
    }
    const { since, ...became } = await writeItem(item)
    add({ line, kind, name, ...(typeof start_date === 'string' && { start_date }), ...became })
    // what would be added has no dates yet
    const isNew = became.outcome === 'added'
    if (became.outcome !== 'refused' && became.outcome !== 'present')
      await writeDates(item, { id: dry && isNew ? undefined : became.id, since }, isNew)
    progress?.(++done, items.length)
  }
  return report
}
