import type { Pictures } from '../../media/pictures.ts'
import type { Input, Noting, PostInput, Store, Write, Writer } from '../../store/store.ts'
import { ApiError, type Problems } from '../../support/errors.ts'
import type { Body, Item, OwnDate } from './item.ts'
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
  progress?: ((done: number, total: number) => void) | undefined
  hear?: Parameters<typeof openReport>[0]
}

type Kind = 'event' | 'series'
type Result = Pick<Entry, 'outcome'> & { id: number }

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
  const { read, pictures, writer, source, dry, noting, progress } = options
  const { report, add } = openReport(options.hear)
  const identity = await store.identity()
  const nothing = { bring: async () => new Map(), discard: async () => {} }

  /** The record that an item is of, and which kind it is. */
  async function find(item: Item): Promise<{ kind: Kind; id: number; isOwn: boolean } | undefined> {
    const { external_id } = item
    const external = { source: item.source ?? source, external_id }
    const own = external_id.endsWith(`@${identity}`) ? Number.parseInt(external_id, 10) : Number.NaN
    for (const kind of ['event', 'series'] as const) {
      const post = Number.isNaN(own) ? undefined : await store.posts.byId(kind, own)
      if (post) return { kind, id: post.id, isOwn: true }
      const id = await store.called(store.db.read, kind, external)
      if (id !== undefined) return { kind, id, isOwn: false }
    }
    return undefined
  }

  /** Runs a write; a dry one is undone. */
  async function run(input: Input<Body>, work: (w: Write, input: Body) => Promise<Result>): Promise<Result> {
    const { image: _, ...bare } = input.body
    const run = async (w: Write, given: Body): Promise<Result> => {
      const since = noting === undefined ? 0 : await store.imports.lastChange(w.tx)
      const result = await work(w, given)
      if (dry) throw new Undone(result)
      if (noting !== undefined) await store.imports.noteMade(w.tx, noting, since)
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
  async function runPictured(given: Body, value: Body, remarks: string[], work: Parameters<typeof run>[1]) {
    try {
      return await run({ body: value, given, ignored: [], isLong: 'recurrence' in given }, work)
    } catch (error) {
      if (!isOfPicture(error)) throw error
      remarks.push(`its picture was not taken: ${reasonOf(error)}`)
      const { image: _, ...rest } = value
      return run({ body: rest, given, ignored: [], isLong: 'recurrence' in given }, work)
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
    if (known && known.kind !== kind) return refused(OTHER[known.kind])
    const external = { source: item.source ?? source, external_id: item.external_id }
    try {
      const result = await runPictured(item.body, value, remarks, (w, input) =>
        known ? update(w, kind, known.id, input) : create(w, kind, input, external),
      )
      return { ...result, remarks }
    } catch (error) {
      return refused(reasonOf(error))
    }
  }

  /** Writes the dates of a series that are unlike the others; of one that would be new they are only read. */
  async function writeDates({ name, dates }: Item, series: number | undefined, isNew: boolean) {
    if (dates.length === 0) return
    const given = series === undefined ? [] : await store.records.dates([series])
    const ids = new Map(given.map(({ recurrence_id, post_id }) => [recurrence_id, post_id]))
    for (const date of dates) {
      const { line, recurrence_id } = date
      const entry = { line, kind: 'date', name: `${name}, ${recurrence_id}` }
      const id = ids.get(recurrence_id)
      if (series !== undefined && id === undefined)
        add({ ...entry, outcome: 'refused', reason: 'is no date of its series', remarks: [] })
      else {
        const became = await writeDate(date, id, isNew)
        add({
          ...entry,
          ...became,
          ...(isNew && became.outcome !== 'refused' && { outcome: 'added' as const }),
        })
      }
    }
  }

  async function writeDate(
    { body }: OwnDate,
    id: number | undefined,
    isNew: boolean,
  ): Promise<Omit<Entry, 'line' | 'kind' | 'name'>> {
    const { value, problems } = read('event', body)
    if (Object.keys(problems).length > 0) return { outcome: 'refused', reason: told(problems), remarks: [] }
    if (id === undefined) return { outcome: 'added', remarks: [] }
    const remarks: string[] = []
    try {
      return {
        ...(await runPictured(body, value, remarks, async (w, input) => {
          const result = await update(w, 'event', id, input)
          if (noting && isNew) await store.imports.noteDate(w.tx, noting, id)
          return result
        })),
        remarks,
      }
    } catch (error) {
      return { outcome: 'refused', reason: reasonOf(error), remarks }
    }
  }

  let done = 0
  for (const item of items) {
    const { line, name } = item
    const kind = item.body.recurrence ? 'series' : 'event'
    const { start_date } = item.body
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
