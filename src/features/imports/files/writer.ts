import { MOST_DATES } from '../../../calendar/recurrence/recurrence.ts'
import type { Store } from '../../../calendar/store.ts'
import { digestIn, type Item, kindOf, whyOlder } from './item.ts'
import { OWN, openRecords, type RecordOptions, type Records, type Result } from './records.ts'
import {
  type Entry,
  missingText,
  type OpenReport,
  openReport,
  problemsText,
  type ReadBody,
  type Report,
  reasonOf,
} from './report.ts'

export type WriteOptions = RecordOptions & {
  read: ReadBody
  progress?: ((done: number, total: number) => void) | undefined
  onEntry?: Parameters<typeof openReport>[0]
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
  const { report, add } = openReport(options.onEntry)
  const records = await openRecords(store, options)
  const { find, run, write } = records
  const writeDates = openDates(store, records, options, { report, add })

  async function writeItem(item: Item): Promise<Omit<ItemResult, 'isSame'>> {
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
        item,
        value,
        remarks,
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
  async function importItem(item: Item) {
    const same = following && (await find(item))
    const isSame = same && same.kind === kindOf(item) && following.isSame(same, digestIn(item))
    if (isSame) return { isSame, outcome: 'unchanged' as const, id: same.id, remarks: item.remarks }
    return { isSame: false, ...(await writeItem(item)) }
  }

  async function addToReport(item: Item, { isSame, since, ...became }: ItemResult) {
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
    const became = await Promise.all(batch.map(importItem))
    size = Math.max(1, Math.min(MOST, Math.floor((batch.length * TURN) / (performance.now() - began))))
    for (const [at, item] of batch.entries()) {
      await addToReport(item, became[at]!)
      done++
      progress?.(done, items.length)
    }
  }
  return report
}
type ItemResult = Omit<Entry, 'line' | 'kind' | 'name'> & { isSame: boolean; since?: string }

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

type DateOptions = Pick<RecordOptions, 'dry' | 'noting' | 'following'> & { read: ReadBody }

/** Writes the dates of series that are unlike the others, and tells what became of them. */
function openDates(
  store: Store,
  { run, update }: Records,
  { read, dry, noting, following }: DateOptions,
  { report, add }: Pick<OpenReport, 'report' | 'add'>,
) {
  /** Writes the dates of a series that are unlike the others, from its first one on; of one that would be new they are only read. */
  async function writeDates(
    item: Item,
    { id: series, since = '' }: { id: number | undefined; since?: string | undefined },
    isNew: boolean,
  ) {
    const { name, body } = item
    const dates = item.dates.filter(({ recurrence_id }) => recurrence_id >= since)
    if (dates.length === 0 && !(following && body.recurrence)) return
    const { troubles } = report
    const given = series === undefined ? [] : await store.records.dates([series])
    const ids = new Map(given.map(({ recurrence_id, post_id }) => [recurrence_id, post_id]))
    const isTaken = series !== undefined && !following
    const taken = isTaken ? await store.imports.versions(store.db.read, series) : {}
    const versions: typeof taken = {}
    for (const date of dates) {
      const { line, recurrence_id } = date
      const entry = { line, kind: 'date', name: `${name}, ${recurrence_id}` }
      const id = ids.get(recurrence_id)
      if (series !== undefined && id === undefined)
        add({
          ...entry,
          outcome: 'refused',
          reason: 'is later than the dates that its series has so far',
          remarks: [],
        })
      else {
        const older = whyOlder(date.version, taken[recurrence_id])
        const became = await writeDate({ ...item, ...date }, { id, series, older }, isNew)
        if (date.version && ['updated', 'unchanged'].includes(became.outcome))
          versions[recurrence_id] = date.version
        add({
          ...entry,
          ...became,
          ...(isNew && became.outcome !== 'refused' && { outcome: 'added' as const }),
        })
      }
    }
    if (isTaken && !dry) await store.db.write((tx) => store.imports.noteVersions(tx, series, versions))
    if (series === undefined || !following) return
    const told = new Set(dates.map(({ recurrence_id }) => recurrence_id))
    for (const { recurrence_id, post_id } of given)
      if (!told.has(recurrence_id) && following.isOwn(post_id)) await giveBack(post_id, series)
    if (!dry && report.troubles === troubles)
      await store.db.write((tx) => following.note({ tx }, { kind: 'series', id: series }, digestIn(item)))
  }

  /** Lets a date that is like the others again follow its series. */
  const giveBack = (id: number, series: number) =>
    run({ body: {} }, {}, [], async (w) => {
      if ((await following!.whyDateLeft(w, series, id)) !== undefined) return { outcome: 'present', id }
      const result = await update(w, 'event', id, { overrides: [] })
      await following!.note(w, { kind: 'event', id }, '')
      return result
    })

  async function writeDate(
    date: Pick<Item, 'body' | 'nameOf'>,
    { id, series, older }: { id: number | undefined; series: number | undefined; older: string | undefined },
    isNew: boolean,
  ): Promise<Omit<Entry, 'line' | 'kind' | 'name'>> {
    const { value, problems } = read('event', date.body)
    if (Object.keys(problems).length > 0)
      return { outcome: 'refused', reason: problemsText(problems, date), remarks: [] }
    if (id === undefined) return { outcome: 'added', remarks: [] }
    const remarks: string[] = []
    try {
      const { why, ...result } = await run(date, value, remarks, async (w, input): Promise<Result> => {
        const why = older ?? (await following?.whyDateLeft(w, series!, id))
        if (why !== undefined) return { outcome: 'present', id, why }
        const result = await update(w, 'event', id, input)
        if (noting && isNew) await store.imports.noteDate(w.tx, noting, id)
        await following?.note(w, { kind: 'event', id }, OWN)
        return result
      })
      return { ...result, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error, date), remarks }
    }
  }

  return writeDates
}
