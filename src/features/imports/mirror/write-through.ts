import type { Around, RecordWrite } from '../../../calendar/resource/writes.ts'
import { canPublish } from '../../../calendar/rights.ts'
import type { Actor, Guard, Store } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/credential-audit.ts'
import type { Caller } from '../../../kernel/access/rights.ts'
import { ApiError, type ErrorCode } from '../../../kernel/errors.ts'
import { mountOf } from '../../../kernel/server/mounts.ts'
import { later } from '../../../kernel/tasks/jobs.ts'
import { importCalendar, type SiteImport, type SourceChange } from '../site/site-import.ts'
import { findRoot, openChanges, openSource, readRoot } from '../site/source.ts'
import { idOf, type SourceJson } from '../site/source-records.ts'
import { openWeb, type WebOptions } from '../site/web.ts'
import type { Imported } from '../store.ts'
import type { MirrorOptions } from './mirror.ts'
import { openRequestBuilder, openSender, sourceFailed } from './source-requests.ts'

/** A write that was checked here, and is to be made at the source of a mirror. */
export type ForwardedWrite = {
  kind: RecordWrite['kind']
  verb: RecordWrite['verb']
  /** The record here; absent of one that is created. */
  id?: number | undefined
  /** The members that were sent, as they were read. */
  body: Record<string, unknown>
  /** What the address says beside the record. */
  query: { apply_to?: string; translations?: string; force?: boolean; reassign?: number }
  /** The status that the record gets by the role of the caller, where that decides. */
  status?: string | undefined
  /** The language of the address. */
  language?: string | undefined
  /** The `Idempotency-Key`. */
  key?: string | undefined
  caller: NonNullable<Caller>
  by: Actor
}

/** Makes a write at the source of a mirror and imports what comes of it. Returns the record here. */
type WriteThrough = (write: ForwardedWrite) => Promise<number>

/** The errors of writes that a mirror may forward. */
export const WRITE_THROUGH_ERRORS: ErrorCode[] = ['source_refused', 'source_failed']

type DryRun = { id?: number; status?: string | undefined }

/** Makes a write with all that is checked before and within it, and takes it back. Returns what the record would be. */
async function dryRun(
  { imports }: Pick<Store, 'imports'>,
  kind: ForwardedWrite['kind'],
  write: (guard: Guard) => Promise<unknown>,
): Promise<DryRun> {
  const found: DryRun = {}
  const back = new Error('taken back')
  const guard: Guard = async (tx, work) => {
    const done = await work()
    if (typeof done === 'number') {
      found.id = done
      found.status = (await imports.state(tx, kind, done))?.status
    }
    throw back
  }
  await write(guard).catch((error) => {
    if (error !== back) throw error
  })
  return found
}

/** In a mirror that forwards writes: tries a write here, and makes it at the source instead. */
export const openForwarding =
  (store: Store, writeThrough: WriteThrough): Around =>
  async (request, { kind, verb, find }, write) => {
    const tried = await dryRun(store, kind, write)
    const id = find ? await find() : tried.id
    const caller = request.caller!
    return writeThrough({
      kind,
      verb,
      caller,
      by: actorOf(request),
      ...(verb !== 'create' && { id }),
      body: (request.body ?? {}) as Record<string, unknown>,
      query: request.query as ForwardedWrite['query'],
      ...(!canPublish(caller) && { status: tried.status }),
      language: mountOf(request)!.language,
      key:
        request.routeOptions.config.repeatable && (request.headers['idempotency-key'] as string | undefined),
    })
  }

export type WriteThroughOptions = Pick<
  MirrorOptions,
  'store' | 'pictures' | 'web' | 'address' | 'category'
> & {
  /** Runs one thing that concerns the source at a time. */
  exclusively: Mutex
  /** Imports at once what the source says to have changed, if that is followed here. It is called while a write excludes others. */
  poll(signal: AbortSignal): Promise<unknown>
  /** Milliseconds that a write waits for others, and for what it asks of the source beside the write. */
  timeoutMs?: number
}
/** A source, and the import under which what is imported of it is remembered. */
type Target = { root: string; of: number; run: number }

/** Forwards writes to the source of a mirror, and imports what comes of them. */
export function openWriteThrough(options: WriteThroughOptions): WriteThrough {
  const { store, pictures, exclusively, timeoutMs = 10_000 } = options
  const source = readRoot(options.address)
  const send = openSender(source, options.web)
  let found: { root: string; isAlmanac: boolean } | undefined

  /** Where the API of the source is, and whether it is one like this. */
  async function find() {
    if (found) return found
    const web = openWeb({ ...options.web, signal: AbortSignal.timeout(timeoutMs) })
    try {
      const root = await findRoot(web, source)
      found = { root, isAlmanac: await openChanges(web, root).isAvailable() }
      return found
    } catch (error) {
      throw sourceFailed(source, `can not be read: ${(error as Error).message}. Nothing was written.`)
    }
  }

  /** The record that was written as the source shows it, with the series that it is a date of; without it if it is gone. */
  async function changesOf({ kind, verb }: ForwardedWrite, shown: SourceJson, web: WebOptions, root: string) {
    const one = { kind, id: idOf(shown.id) }
    if (verb === 'delete' || shown.status === 'trash') return [one]
    const id = kind === 'event' ? idOf(shown.series) : 0
    const record = id > 0 ? await openSource(openWeb(web), root).one('series', id) : undefined
    const series: SourceChange[] = record ? [{ kind: 'series', id, record }] : []
    return [...series, { ...one, record: shown }]
  }

  const isAsImported = async ({ kind, record_id, version }: Imported) =>
    (await store.imports.state(store.db.read, kind, record_id))?.version === version

  /** Imports what was written at the source. Returns the record here; throws why it was not imported. */
  async function importResult(
    write: ForwardedWrite,
    shown: SourceJson,
    { root, of, run }: Target,
  ): Promise<number> {
    const { kind, verb, caller, by, query, body } = write
    const signal = AbortSignal.timeout(3 * timeoutMs)
    const web = { ...options.web, signal }
    const from: SiteImport = {
      store,
      pictures,
      web,
      root,
      category: options.category,
      progress() {},
      // who may not publish may own what was published there
      writer: { caller: { id: caller.id, role: 'administrator' }, by, language: store.site.languages[0]! },
    }
    const changes = await changesOf(write, shown, web, root)
    const { refused, left } = await importCalendar(from, { changes, run, force: true })
    // what it changed of other records is told by the source
    const isWide = kind === 'series' || verb === 'delete' || 'recurrence' in body
    if (isWide || query.apply_to || query.translations) await options.poll(signal).catch(() => {})
    const row = await store.imports.ofThere(of, kind, idOf(shown.id))
    if (row && (verb === 'delete' || (await isAsImported(row)))) return row.record_id
    throw new Error([...refused, ...left].map(({ why }) => why)[0] ?? 'it was written here meanwhile')
  }

  return async (write) => {
    const { root, isAlmanac } = await find()
    const { id: of } = await store.imports.source(root)
    const run = await store.imports.lastRun(of)
    if (run === undefined) throw notReady(`This mirror has not taken over ${source} yet.`)
    const requestFor = openRequestBuilder(store, { source, root, of, isAlmanac })
    const work = async () => {
      const shown = await send(await requestFor(write))
      const own = () => importResult(write, shown, { root, of, run })
      // once more, as another node may have taken it at the same time
      return own()
        .catch(own)
        .catch((error: Error) => {
          const why = `has made the write, but it was not taken here: ${error.message}. Do not send it again.`
          throw sourceFailed(source, why, { written: true, source_id: idOf(shown.id) })
        })
    }
    return exclusively(
      work,
      timeoutMs,
      `This mirror is taking over much of ${source}, or other writes wait for it.`,
    )
  }
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = 10

/** The 503 of a mirror that can not forward a write yet. */
const notReady = (why: string) =>
  new ApiError('rest_not_ready', `${why} Nothing was written; try again in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/**
 * Does one thing at a time, in the order in which they came: what was asked of a source before a write must not be imported after it. Throws a 503
 * with the words of `message` if the turn does not come in so many milliseconds.
 */
export function openMutex() {
  let last = Promise.resolve()
  return async <T>(work: () => Promise<T>, timeoutMs?: number, message = ''): Promise<T> => {
    const before = last
    let end!: () => void
    const own = new Promise<void>((resolve) => {
      end = resolve
    })
    last = before.then(() => own)
    try {
      await (timeoutMs === undefined ? before : orTimeout(before, timeoutMs, message))
      return await work()
    } finally {
      end()
    }
  }
}
type Mutex = ReturnType<typeof openMutex>

const orTimeout = (before: Promise<void>, timeoutMs: number, message: string) =>
  new Promise<void>((resolve, reject) => {
    const timer = later(() => reject(notReady(message)), timeoutMs)
    before.then(() => {
      timer.clear()
      resolve()
    })
  })
