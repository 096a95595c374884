import type { Pictures } from '../../../calendar/media/pictures.ts'
import type { Input, PostInput, Store, Write, Writer } from '../../../calendar/store.ts'
import type { Noting } from '../store.ts'
import { type Body, type Item, type Kind, kindOf, whyOlder } from './item.ts'
import { type Entry, problemOfPicture } from './report.ts'

/** A record here. */
export type Found = { kind: Kind; id: number }
type InTransaction = Pick<Write, 'tx'>

/** Remembers what a source gave, so that only what changed there is written, and what was edited here is left. */
export type Following = {
  /** Whether a record is as the source gives it. */
  isSame(found: Found, digest: string): boolean
  /** Why a record is not to be written; undefined if it may be. */
  whyLeft(w: InTransaction, found: Found): Promise<string | undefined>
  /** Why a date of a series is not to be written; undefined if it may be. */
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

/** How records are written. */
export type RecordOptions = {
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
  { pictures, writer, source, status, dry, noting, following }: RecordOptions,
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

  /** Runs a write; a dry one is undone. `afterwards` comes last in its transaction. */
  async function run(
    input: Input<Body>,
    work: (w: Write, input: Body) => Promise<Result>,
    afterwards: (w: Write, result: Result) => Promise<void>,
  ): Promise<Result> {
    const { image: _, ...bare } = input.body
    const run = async (w: Write, given: Body): Promise<Result> => {
      const since = noting === undefined ? 0 : await store.imports.lastChange(w.tx)
      const result = await work({ ...w, long: {} }, given)
      if (dry) throw new DryRunResult(result)
      if (noting !== undefined) await store.imports.noteMade(w.tx, noting, since)
      await afterwards(w, result)
      return result
    }
    try {
      const sent = dry ? { ...input, body: bare } : input
      return (await store.write(writer, sent, dry ? nothing : pictures, run)).done
    } catch (error) {
      if (error instanceof DryRunResult) return error.result
      throw error
    }
  }

  /** Writes again without the picture, if that can not be had. */
  async function runPictured(
    { body: given }: Pick<Item, 'body'>,
    value: Body,
    remarks: string[],
    work: Parameters<typeof run>[1],
    afterwards: Parameters<typeof run>[2] = async () => {},
  ) {
    try {
      return await run({ body: value, given, ignored: [], isLong: 'recurrence' in given }, work, afterwards)
    } catch (error) {
      const problem = problemOfPicture(error)
      if (problem === undefined) throw error
      const { image: _, ...rest } = value
      remarks.push(`its picture ${given.image} was not taken: ${problem}`)
      return run({ body: rest, given, ignored: [], isLong: 'recurrence' in given }, work, afterwards)
    }
  }

  /** Updates a record if something differs. One in the trash comes back. */
  async function update(w: Write, kind: Kind, id: number, input: Body): Promise<Result> {
    const former = await store.former(w, kind, { id })
    const was = noting && (await store.imports.state(w.tx, kind, id))!
    const sent = { ...(former.status !== undefined && { status: former.status }), ...input } as PostInput
    const isWritten = await store.unlessSame(w.tx, kind, id, () =>
      kind === 'series'
        ? store.series.update(w, { id }, sent as never, false)
        : writes[kind].update(w, { id }, sent as never),
    )
    if (was && isWritten) await store.imports.noteWritten(w.tx, noting, kind, id, was.version)
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
    following
      ? following.whyLeft(w, known)
      : whyOlder(version, (await store.imports.versions(w.tx, known.id))[''])

  /** Updates the record that is known, or creates one; what was edited here since a feed gave it, and what a later file gave, is left. */
  async function write(w: Write, item: Item, known: Found | undefined, input: Body): Promise<Result> {
    const kind = kindOf(item)
    if (!known) return create(w, kind, input, externalOf(item))
    const why = await whyLeft(w, item, known)
    if (why !== undefined) return { outcome: 'present', id: known.id, why }
    if (known.kind !== kind) {
      await following!.replace(w, known)
      return create(w, kind, input, externalOf(item))
    }
    const work = () => update(w, kind, known.id, input)
    return following && kind === 'series' ? following.keep(w, known.id, work) : work()
  }

  return { find, run: runPictured, update, write }
}
export type Records = Awaited<ReturnType<typeof openRecords>>
