import type { Pictures } from '../../../calendar/media/pictures.ts'
import { MOST_DATES } from '../../../calendar/recurrence/recurrence.ts'
import type { PostInput, Store, Write, Writer } from '../../../calendar/store.ts'
import type { FeedState } from '../feeds/feed-import.ts'
import type { Provenance } from '../store.ts'
import {
  type Body,
  digestIn,
  type Entry,
  type Item,
  type Kind,
  kindOf,
  missingText,
  type OpenReport,
  openBodies,
  problemOfPicture,
  problemsText,
  reasonOf,
  whyOlder,
} from './items.ts'

export type WriteOptions = RecordOptions & {
  progress?: ((done: number, total: number) => void) | undefined
  /** After it nothing more is written; what was written stays. */
  signal?: AbortSignal
}

const most = MOST_DATES.toLocaleString('en')
const OTHER: Record<string, string> = {
  event: 'is a series in the file, and a single event here: delete it here first',
  series: 'is a single event in the file, and a series here: delete it here first',
}

/**
 * Writes the events and series of a file, each by the operations that requests use, and reports what became of them; several events share a
 * commit. An event is known by its source and its ID there: it is updated if something differs.
 */
export async function writeItems(
  store: Store,
  items: readonly Item[],
  reporting: OpenReport,
  options: WriteOptions,
): Promise<void> {
  const { dry, feedState, progress, signal } = options
  const read = openBodies(store.site.languages)
  const records = await openRecords(store, options)
  const { find, run, write } = records
  const writeDates = openDates(store, records, { ...options, read }, reporting)

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
    if (known && known.kind !== kind && !feedState) return refused(OTHER[known.kind]!)
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
          await feedState?.note(w, { kind, id }, isWhole ? digestIn(item) : '')
          if (item.version && !feedState) await store.imports.noteVersions(w.tx, id, { '': item.version })
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
    const same = feedState && (await find(item))
    const isSame = same && same.kind === kindOf(item) && feedState.isSame(same, digestIn(item))
    if (isSame) return { isSame, outcome: 'unchanged' as const, id: same.id, remarks: item.remarks }
    return { isSame: false, ...(await writeItem(item)) }
  }

  async function addToReport(item: Item, { isSame, since, ...became }: ItemResult) {
    const { line, name, body } = item
    const start = !isSame && typeof body.start_date === 'string' && { start_date: body.start_date }
    reporting.add({ line, kind: kindOf(item), name, ...start, ...became })
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

type DateOptions = Pick<RecordOptions, 'dry' | 'provenance' | 'feedState'> & {
  read: ReturnType<typeof openBodies>
}

/** Writes the dates of series that are unlike the others, and tells what became of them. */
function openDates(
  store: Store,
  { run, update }: Records,
  { read, dry, provenance, feedState }: DateOptions,
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
    if (dates.length === 0 && !(feedState && body.recurrence)) return
    const { troubles } = report
    const given = series === undefined ? [] : await store.records.dates([series])
    const ids = new Map(given.map(({ recurrence_id, post_id }) => [recurrence_id, post_id]))
    const isTaken = series !== undefined && !feedState
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
    if (series === undefined || !feedState) return
    const told = new Set(dates.map(({ recurrence_id }) => recurrence_id))
    for (const { recurrence_id, post_id } of given)
      if (!told.has(recurrence_id) && feedState.isOwn(post_id)) await giveBack(post_id, series)
    if (!dry && report.troubles === troubles)
      await store.db.write((tx) => feedState.note({ tx }, { kind: 'series', id: series }, digestIn(item)))
  }

  /** Lets a date that is like the others again follow its series. */
  const giveBack = (id: number, series: number) =>
    run({ body: {} }, {}, [], async (w) => {
      if ((await feedState!.whyDateLeft(w, series, id)) !== undefined) return { outcome: 'present', id }
      const result = await update(w, 'event', id, { overrides: [] })
      await feedState!.note(w, { kind: 'event', id }, '')
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
        const why = older ?? (await feedState?.whyDateLeft(w, series!, id))
        if (why !== undefined) return { outcome: 'present', id, why }
        const result = await update(w, 'event', id, input)
        if (provenance && isNew) await store.imports.noteDate(w.tx, provenance, id)
        await feedState?.note(w, { kind: 'event', id }, OWN)
        return result
      })
      return { ...result, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error, date), remarks }
    }
  }

  return writeDates
}

/** A record here. */
export type Found = { kind: Kind; id: number }
export type InTransaction = Pick<Write, 'tx'>

/** What is noted of a date that is unlike the others, in place of a digest. */
export const OWN = 'own'

/** How records are written. */
type RecordOptions = {
  pictures: Pick<Pictures, 'bring' | 'discard'>
  writer: Writer
  /** The name of the other system, under which its IDs are kept. */
  source: string
  /** The status of new events that tell none. */
  status?: string | undefined
  /** Nothing stays written. */
  dry: boolean
  /** The import that what is made is noted for. */
  provenance?: Provenance | undefined
  /** What is remembered of a source that is read again and again. */
  feedState?: FeedState | undefined
}

/** What became of a record; `why` it was left as it is. */
export type Result = Pick<Entry, 'outcome'> & { id: number; why?: string }

/** What a record of a kind may be here as well. */
const OTHERS: Record<Kind, Kind[]> = { event: ['series'], series: ['event'], venue: [], organizer: [] }

/** What undoes a write of which one only wants to know what it would do. */
class DryRunResult extends Error {
  result: Result
  constructor(result: Result) {
    super()
    this.result = result
  }
}

/** Writes single records by the operations that requests use, each in a transaction of its own. */
export async function openRecords(
  store: Store,
  { pictures, writer, source, status, dry, provenance, feedState }: RecordOptions,
) {
  const identity = await store.identity()
  const { events: event, series, venues: venue, organizers: organizer } = store
  const writes = { event, series, venue, organizer }
  const nothing = { bring: async () => new Map(), discard: async () => {} }

  const externalOf = (item: Item) => ({ source: item.source ?? source, external_id: item.external_id })

  /** The record that an item is of, and which kind it is: one of its own kind, else of the other. */
  async function find(item: Item): Promise<(Found & { isOwn: boolean }) | undefined> {
    const external = externalOf(item)
    const { external_id } = external
    const own = external_id.endsWith(`@${identity}`) ? Number.parseInt(external_id, 10) : Number.NaN
    const kindThere = kindOf(item)
    for (const kind of [kindThere, ...OTHERS[kindThere]]) {
      const post = Number.isNaN(own) ? undefined : await store.posts.byId(kind, own)
      if (post) return { kind, id: post.id, isOwn: true }
      const id = await store.called(store.db.read, kind, external)
      if (id !== undefined) return { kind, id, isOwn: false }
    }
    return undefined
  }

  /**
   * Runs a write; a dry one is undone. `afterwards` comes last in its transaction. It is written again without its picture, if that can not
   * be had.
   */
  async function run(
    { body: given }: Pick<Item, 'body'>,
    value: Body,
    remarks: string[],
    work: (w: Write, input: Body) => Promise<Result>,
    afterwards: (w: Write, result: Result) => Promise<void> = async () => {},
  ): Promise<Result> {
    const { image: _, ...bare } = value
    const within = async (w: Write, sent: Body): Promise<Result> => {
      const since = provenance === undefined ? 0 : await store.imports.lastChange(w.tx)
      const result = await work({ ...w, long: {} }, sent)
      if (dry) throw new DryRunResult(result)
      if (provenance !== undefined) await store.imports.noteMade(w.tx, provenance, since)
      await afterwards(w, result)
      return result
    }
    const send = async (body: Body) => {
      const input = { body, given, ignored: [], isLong: 'recurrence' in given }
      return (await store.write(writer, input, dry ? nothing : pictures, within)).done
    }
    try {
      return await send(dry ? bare : value)
    } catch (error) {
      if (error instanceof DryRunResult) return error.result
      const problem = problemOfPicture(error)
      if (problem === undefined) throw error
      remarks.push(`its picture ${given.image} was not taken: ${problem}`)
      return send(bare)
    }
  }

  /** Updates a record if something differs. One in the trash comes back. */
  async function update(w: Write, kind: Kind, id: number, input: Body): Promise<Result> {
    const former = await store.former(w, kind, { id })
    const was = provenance && (await store.imports.state(w.tx, kind, id))!
    const sent = { ...(former.status !== undefined && { status: former.status }), ...input } as PostInput
    const isWritten = await store.unlessSame(w.tx, kind, id, () =>
      kind === 'series'
        ? store.series.update(w, { id }, sent as never, false)
        : writes[kind].update(w, { id }, sent as never),
    )
    if (was && isWritten) await store.imports.noteWritten(w.tx, provenance, kind, id, was.version)
    return { outcome: isWritten ? 'updated' : 'unchanged', id }
  }

  /** Creates a record, or completes a venue or an organizer of the same name. */
  async function create(w: Write, kind: Kind, input: Body, external: object): Promise<Result> {
    const lacking =
      kind === 'venue' || kind === 'organizer' ? await writes[kind].completedBy(w, input as never) : undefined
    if (lacking !== undefined) return update(w, kind, lacking, input)
    const sent = { ...(status !== undefined && { status }), ...input, ...external } as never
    return { outcome: 'added', id: await writes[kind].create(w, sent) }
  }

  /** Why a record is left as it is; undefined if it may be written. What a feed gives is what holds now, so versions are compared of files. */
  const whyLeft = async (w: Write, { version }: Item, known: Found) =>
    feedState
      ? feedState.whyLeft(w, known)
      : whyOlder(version, (await store.imports.versions(w.tx, known.id))[''])

  /** Updates the record that is known, or creates one; what was edited here since a feed gave it, and what a later file gave, is left. */
  async function write(w: Write, item: Item, known: Found | undefined, input: Body): Promise<Result> {
    const kind = kindOf(item)
    if (!known) return create(w, kind, input, externalOf(item))
    const why = await whyLeft(w, item, known)
    if (why !== undefined) return { outcome: 'present', id: known.id, why }
    if (known.kind !== kind) {
      await feedState!.replace(w, known)
      return create(w, kind, input, externalOf(item))
    }
    const work = () => update(w, kind, known.id, input)
    return feedState && kind === 'series' ? feedState.keep(w, known.id, work) : work()
  }

  return { find, run, update, write }
}
export type Records = Awaited<ReturnType<typeof openRecords>>
