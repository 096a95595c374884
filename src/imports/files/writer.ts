import type { Pictures } from '../../media/pictures.ts'
import type { Input, Noting, PostInput, Store, Write, Writer } from '../../store/store.ts'
import { ApiError, type Problems } from '../../support/errors.ts'
import { type Body, digestOf, type Item, type OwnDate } from './item.ts'
import { type Entry, openReport, type Report } from './report.ts'

/** Reads a body as a request that would create an event or a series: its members, or what is wrong with them. */
export type ReadBody = (
  kind: 'event' | 'series',
  body: Body,
) => { value: Body; problems: Problems; missing: string[]; unknown: string[] }

export type WriteOptions = {
  read: ReadBody
  pictures: Pick<Pictures, 'bring' | 'discard'>
  writer: Writer
  /** The name of the other system, under which its IDs are kept. */
  source: string
  /** The status of new events that tell none. */
  status?: string | undefined
  /** Nothing stays written. */
  dry: boolean
  /** The import that what is made is noted for. */
  noting?: Noting | undefined
  /** What is remembered of a source that is read again and again. */
  following?: Following | undefined
  progress?: ((done: number, total: number) => void) | undefined
  hear?: Parameters<typeof openReport>[0]
}

type Kind = 'event' | 'series'
type InTransaction = Pick<Write, 'tx'>
/** A record here. */
export type Found = { kind: Kind; id: number }
/** `why` it was left as it is. */
type Result = Pick<Entry, 'outcome'> & { id: number; why?: string }

/** Remembers what a source gave, so that only what changed there is written, and what was edited here is left. */
export type Following = {
  /** Whether a record is as the source gives it. */
  isSame(found: Found, digest: string): boolean
  /** Why a record is not to be written; undefined if it may be. */
  whyLeft(w: InTransaction, found: Found): Promise<string | undefined>
  /** The same of a date of a series. */
  whyDateLeft(w: InTransaction, series: number, id: number): Promise<string | undefined>
  /** Writes a series, and remembers the state of its dates that followed it. */
  keep<T>(w: InTransaction, series: number, work: () => Promise<T>): Promise<T>
  /** Moves to the trash what is of the other kind in the source now. */
  replace(w: Write, found: Found): Promise<void>
  /** Whether a date of a series was unlike the others. */
  isOwn(id: number): boolean
  note(w: InTransaction, found: Found, digest: string): Promise<void>
}
/** What is noted of a date that is unlike the others, in place of a digest. */
export const OWN = 'own'

/** What undoes a write of which one only wants to know what it would do. */
class Undone extends Error {
  result: Result
  constructor(result: Result) {
    super()
    this.result = result
  }
}

const WORDS = /^Invalid parameters?\. /
const told = (problems: Problems) =>
  Object.entries(problems)
    .map(([name, problem]) => `${name}: ${problem}`)
    .join(' ')

/** The message of an error that is about what was sent; others are thrown. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  return error.message.replace(WORDS, '')
}
/** What an item is remembered by. */
const digestIn = ({ body, dates }: Item) =>
  digestOf(
    body,
    dates.map(({ line: _, ...date }) => date),
  )
/** Whether an error is about a picture alone. */
const isOfPicture = (error: unknown) =>
  error instanceof ApiError && Object.keys((error.data.params as object | undefined) ?? {}).join() === 'image'

/**
 * Writes the events and series of a file, each by the operations that requests use, in a transaction of its own. An event is known by its source
 * and its ID there: it is updated if something differs.
 */
export async function writeItems(
  store: Store,
  items: readonly Item[],
  options: WriteOptions,
): Promise<Report> {
  const { read, pictures, writer, source, dry, noting, following, progress } = options
  const { report, add } = openReport(options.hear)
  const identity = await store.identity()
  const nothing = { bring: async () => new Map(), discard: async () => {} }

  /** The record that an item is of, and which kind it is: one of its own kind, else of the other. */
  async function find(item: Item): Promise<(Found & { isOwn: boolean }) | undefined> {
    const { external_id } = item
    const external = { source: item.source ?? source, external_id }
    const own = external_id.endsWith(`@${identity}`) ? Number.parseInt(external_id, 10) : Number.NaN
    const kinds = ['event', 'series'] as const
    for (const kind of item.body.recurrence ? kinds.toReversed() : kinds) {
      const post = Number.isNaN(own) ? undefined : await store.posts.byId(kind, own)
      if (post) return { kind, id: post.id, isOwn: true }
      const id = await store.called(store.db.read, kind, external)
      if (id !== undefined) return { kind, id, isOwn: false }
    }
    return undefined
  }

  /** Runs a write; a dry one is undone. `settle` comes last in its transaction. */
  async function run(
    input: Input<Body>,
    work: (w: Write, input: Body) => Promise<Result>,
    settle: (w: Write, result: Result) => Promise<void>,
  ): Promise<Result> {
    const { image: _, ...bare } = input.body
    const run = async (w: Write, given: Body): Promise<Result> => {
      const since = noting === undefined ? 0 : await store.imports.lastChange(w.tx)
      const result = await work(w, given)
      if (dry) throw new Undone(result)
      if (noting !== undefined) await store.imports.noteMade(w.tx, noting, since)
      await settle(w, result)
      return result
    }
    try {
      const sent = dry ? { ...input, body: bare } : input
      return (await store.write(writer, sent, dry ? nothing : pictures, run)).done
    } catch (error) {
      if (error instanceof Undone) return error.result
      throw error
    }
  }

  /** Writes again without the picture, if that can not be had. */
  async function runPictured(
    given: Body,
    value: Body,
    remarks: string[],
    work: Parameters<typeof run>[1],
    settle: Parameters<typeof run>[2] = async () => {},
  ) {
    try {
      return await run({ body: value, given, ignored: [], isLong: 'recurrence' in given }, work, settle)
    } catch (error) {
      if (!isOfPicture(error)) throw error
      remarks.push(`its picture was not taken: ${reasonOf(error)}`)
      const { image: _, ...rest } = value
      return run({ body: rest, given, ignored: [], isLong: 'recurrence' in given }, work, settle)
    }
  }

  /** Updates a record if something differs. One in the trash comes back. */
  async function update(w: Write, kind: Kind, id: number, input: Body): Promise<Result> {
    const former = await store.former(w, kind, { id })
    const was = noting && (await store.imports.state(w.tx, kind, id))!
    const sent = { ...(former.status !== undefined && { status: former.status }), ...input } as PostInput
    const isWritten = await store.unlessSame(w.tx, kind, id, () =>
      kind === 'event'
        ? store.events.update(w, { id }, sent as never)
        : store.series.update(w, { id }, sent as never, false),
    )
    if (was && isWritten) await store.imports.noteWritten(w.tx, noting, kind, id, was.version)
    return { outcome: isWritten ? 'updated' : 'unchanged', id }
  }

  async function create(w: Write, kind: Kind, input: Body, external: object): Promise<Result> {
    const sent = {
      ...(options.status !== undefined && { status: options.status }),
      ...input,
      ...external,
    } as never
    return { outcome: 'added', id: await (kind === 'event' ? store.events : store.series).create(w, sent) }
  }

  /** Updates the record that is known, or creates one; what was edited here since a source gave it is left. */
  async function write(
    w: Write,
    kind: Kind,
    known: Found | undefined,
    input: Body,
    external: object,
  ): Promise<Result> {
    if (!known) return create(w, kind, input, external)
    const why = await following?.whyLeft(w, known)
    if (why !== undefined) return { outcome: 'present', id: known.id, why }
    if (known.kind !== kind) {
      await following!.replace(w, known)
      return create(w, kind, input, external)
    }
    const work = () => update(w, kind, known.id, input)
    return following && kind === 'series' ? following.keep(w, known.id, work) : work()
  }

  const OTHER = {
    event: 'is a series in the file, and a single event here: delete it here first',
    series: 'is a single event in the file, and a series here: delete it here first',
  }

  async function writeItem(item: Item): Promise<Omit<Entry, 'line' | 'kind' | 'name'>> {
    const kind: Kind = item.body.recurrence ? 'series' : 'event'
    const remarks = [...item.remarks]
    const refused = (reason: string) => ({ outcome: 'refused' as const, reason, remarks })
    if (item.refused !== undefined) return refused(item.refused)
    const { value, problems, missing } = read(kind, item.body)
    const lacking = missing.map((name) => `${name} is missing.`).join(' ')
    if (lacking || Object.keys(problems).length > 0)
      return refused([lacking, told(problems)].filter(Boolean).join(' '))
    const known = await find(item)
    if (known?.isOwn && item.isPartial) return { outcome: 'present', id: known.id, remarks: [] }
    if (known && known.kind !== kind && !following) return refused(OTHER[known.kind])
    const external = { source: item.source ?? source, external_id: item.external_id }
    try {
      const { why, ...result } = await runPictured(
        ...[item.body, value, remarks],
        (w, input) => write(w, kind, known, input, external),
        async (w, { outcome, id }) => {
          // what lacks something is looked at again
          const isWhole = remarks.length === item.remarks.length && item.dates.length === 0
          if (outcome !== 'present') await following?.note(w, { kind, id }, isWhole ? digestIn(item) : '')
        },
      )
      return { ...result, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return refused(reasonOf(error))
    }
  }

  /** Writes the dates of a series that are unlike the others; of one that would be new they are only read. */
  async function writeDates(item: Item, series: number | undefined, isNew: boolean) {
    const { name, dates, body } = item
    if (dates.length === 0 && !(following && body.recurrence)) return
    const { troubles } = report
    const given = series === undefined ? [] : await store.records.dates([series])
    const ids = new Map(given.map(({ recurrence_id, post_id }) => [recurrence_id, post_id]))
    for (const date of dates) {
      const { line, recurrence_id } = date
      const entry = { line, kind: 'date', name: `${name}, ${recurrence_id}` }
      const id = ids.get(recurrence_id)
      if (series !== undefined && id === undefined)
        add({ ...entry, outcome: 'refused', reason: 'is no date of its series', remarks: [] })
      else {
        const became = await writeDate(date, { id, series }, isNew)
        add({
          ...entry,
          ...became,
          ...(isNew && became.outcome !== 'refused' && { outcome: 'added' as const }),
        })
      }
    }
    if (series === undefined || !following) return
    const told = new Set(dates.map(({ recurrence_id }) => recurrence_id))
    for (const { recurrence_id, post_id } of given)
      if (!told.has(recurrence_id) && following.isOwn(post_id)) await giveBack(post_id, series)
    if (!dry && report.troubles === troubles)
      await store.db.write((tx) => following.note({ tx }, { kind: 'series', id: series }, digestIn(item)))
  }

  /** Lets a date that is like the others again follow its series. */
  const giveBack = (id: number, series: number) =>
    runPictured({}, {}, [], async (w) => {
      if ((await following!.whyDateLeft(w, series, id)) !== undefined) return { outcome: 'present', id }
      const result = await update(w, 'event', id, { overrides: [] })
      await following!.note(w, { kind: 'event', id }, '')
      return result
    })

  async function writeDate(
    { body }: OwnDate,
    { id, series }: { id: number | undefined; series: number | undefined },
    isNew: boolean,
  ): Promise<Omit<Entry, 'line' | 'kind' | 'name'>> {
    const { value, problems } = read('event', body)
    if (Object.keys(problems).length > 0) return { outcome: 'refused', reason: told(problems), remarks: [] }
    if (id === undefined) return { outcome: 'added', remarks: [] }
    const remarks: string[] = []
    try {
      const { why, ...result } = await runPictured(
        body,
        value,
        remarks,
        async (w, input): Promise<Result> => {
          const why = await following?.whyDateLeft(w, series!, id)
          if (why !== undefined) return { outcome: 'present', id, why }
          const result = await update(w, 'event', id, input)
          if (noting && isNew) await store.imports.noteDate(w.tx, noting, id)
          await following?.note(w, { kind: 'event', id }, OWN)
          return result
        },
      )
      return { ...result, remarks: why === undefined ? remarks : [...remarks, why] }
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error), remarks }
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
    const became = await writeItem(item)
    add({ line, kind, name, ...(typeof start_date === 'string' && { start_date }), ...became })
    // what would be added has no dates yet
    const isNew = became.outcome === 'added'
    if (became.outcome !== 'refused' && became.outcome !== 'present')
      await writeDates(item, dry && isNew ? undefined : became.id, isNew)
    progress?.(++done, items.length)
  }
  return report
}
