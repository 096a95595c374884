import type { Store } from '../../../calendar/store.ts'
import { OWN } from './following.ts'
import { digestIn, type Item, whyOlder } from './item.ts'
import { problemsText, type ReadBody, reasonOf } from './reading.ts'
import type { RecordOptions, Records, Result } from './records.ts'
import type { Entry, OpenReport } from './report.ts'

type DateOptions = Pick<RecordOptions, 'dry' | 'noting' | 'following'> & { read: ReadBody }

/** Writes the dates of series that are unlike the others, and tells what became of them. */
export function openDates(
  store: Store,
  { run, update }: Records,
  { read, dry, noting, following }: DateOptions,
  { report, add }: OpenReport,
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
