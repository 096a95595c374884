import { MOST_DATES } from '../../../calendar/recurrence/recurrence.ts'
import type { Store } from '../../../calendar/store.ts'
import { openDates } from './dates.ts'
import { digestIn, type Item, kindOf } from './item.ts'
import { missingText, problemsText, type ReadBody, reasonOf } from './reading.ts'
import { openRecords, type RecordOptions } from './records.ts'
import { type Entry, openReport, type Report } from './report.ts'

export type WriteOptions = RecordOptions & {
  read: ReadBody
  progress?: ((done: number, total: number) => void) | undefined
  hear?: Parameters<typeof openReport>[0]
  /** After it nothing more is written; what was written stays. */
  signal?: AbortSignal
}

const most = MOST_DATES.toLocaleString('en')
const OTHER: Record<string, string> = {
  event: 'is a series in the file, and a single event here: delete it here first',
  series: 'is a single event in the file, and a series here: delete it here first',
}

/**
 * Writes the events and series of a file, each by the operations that requests use; several events share a commit. An event is known by
 * its source and its ID there: it is updated if something differs.
 */
export async function writeItems(
  store: Store,
  items: readonly Item[],
  options: WriteOptions,
): Promise<Report> {
  const { read, dry, following, progress, signal } = options
  const { report, add } = openReport(options.hear)
  const records = await openRecords(store, options)
  const { find, run, write } = records
  const writeDates = openDates(store, records, options, { report, add })

  async function writeItem(item: Item): Promise<Omit<Became, 'isSame'>> {
    const kind = kindOf(item)
    const remarks = [...item.remarks]
    const refused = (reason: string) => ({ outcome: 'refused' as const, reason, remarks })
    if (item.refused !== undefined) return refused(item.refused)
    const { value, problems, missing } = read(kind, item.body)
    const wrong = [missingText(missing, item), problemsText(problems, item)].filter(Boolean)
    if (wrong.length > 0) return refused(wrong.join(' '))
    const known = await find(item)
    if (known?.isOwn && item.isPartial) return { outcome: 'present', id: known.id, remarks: [] }
    if (known && known.kind !== kind && !following) return refused(OTHER[known.kind]!)
    let since = ''
    try {
      const { why, ...result } = await run(
        ...[item, value, remarks],
        async (w, input) => {
          const result = await write(w, item, known, input)
          if (kind === 'series' && result.outcome !== 'present')
            since = await store.imports.since(w.tx, result.id)
          return result
        },
        async (w, { outcome, id }) => {
          if (outcome === 'present') return
          // what lacks something is looked at again
          const isWhole = remarks.length === item.remarks.length && item.dates.length === 0
          await following?.note(w, { kind, id }, isWhole ? digestIn(item) : '')
          if (item.version && !following) await store.imports.noteVersions(w.tx, id, { '': item.version })
        },
      )
      if (since !== '') remarks.push(`has more than ${most} dates: those before ${since} are left out`)
      return { ...result, since, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return refused(reasonOf(error, item))
    }
  }

  /** What becomes of an item; one that its source gave so before is not written. */
  async function take(item: Item) {
    const same = following && (await find(item))
    const isSame = same && same.kind === kindOf(item) && following.isSame(same, digestIn(item))
    if (isSame) return { isSame, outcome: 'unchanged' as const, id: same.id, remarks: item.remarks }
    return { isSame: false, ...(await writeItem(item)) }
  }

  async function tell(item: Item, { isSame, since, ...became }: Became) {
    const { line, name, body } = item
    const start = !isSame && typeof body.start_date === 'string' && { start_date: body.start_date }
    add({ line, kind: kindOf(item), name, ...start, ...became })
    if (isSame || became.outcome === 'refused' || became.outcome === 'present') return
    // what would be added has no dates yet
    const isNew = became.outcome === 'added'
    await writeDates(item, { id: dry && isNew ? undefined : became.id, since }, isNew)
  }

  let size = 1
  for (let done = 0; done < items.length && !signal?.aborted; ) {
    const batch = batchOf(items, done, size)
    const began = performance.now()
    const became = await Promise.all(batch.map(take))
    size = Math.max(1, Math.min(MOST, Math.floor((batch.length * TURN) / (performance.now() - began))))
    for (const [at, item] of batch.entries()) {
      await tell(item, became[at]!)
      done++
      progress?.(done, items.length)
    }
  }
  return report
}
type Became = Omit<Entry, 'line' | 'kind' | 'name'> & { isSame: boolean; since?: string }

/** Milliseconds that events which share a commit should take the writer, and how many share one at most. */
const TURN = 25
const MOST = 100

/** Whether an item has a commit of its own: a series with all of its dates, and what waits for its picture. */
const isAlone = (item: Item) => kindOf(item) === 'series' || Boolean(item.body.image)

/** Items that share a commit, each with another ID: readers refuse copies. */
function batchOf(items: readonly Item[], from: number, size: number): Item[] {
  const batch = items.slice(from, from + size)
  const alone = batch.findIndex(isAlone)
  return alone === -1 ? batch : batch.slice(0, Math.max(1, alone))
}
