import { isDeepStrictEqual } from 'node:util'
import { eq, sql } from 'drizzle-orm'
import { documents, posts } from '../../../drizzle/tables.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { hashPassword, isPassword } from '../../kernel/access/secrets.ts'
import { type Changes, type Latest, wasChanged } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { unpackedDocument } from '../formats/packed.ts'
import { inside } from './limited-rights.ts'
import type { PostKind } from './posts.ts'
import type { Write } from './write.ts'

/** Who writes, from where, and in which language what has none. */
export type Writer = Pick<Write, 'caller' | 'by' | 'language' | 'join'>

/** What is written: the members as they were read and as they were sent, the list of those that are ignored, and whether many records may be written. */
export type Input<T> = { body: T; given: Record<string, unknown>; ignored: string[]; isLong: boolean }

/** Gets the images that an input refers to, and deletes the files of those that got no row. */
type Images = {
  bring(input: Record<string, unknown>, caller: Caller): Promise<Write['pictures']>
  discard(found: Write['pictures']): Promise<void>
}

/** Writes of records, each with its context. */
export function openWriting(db: Pick<Db, 'read' | 'write'>, site: Site) {
  /** New event passwords are hashed one at a time. */
  const inTurn = openSemaphore(1, 100)

  /** The hash of a new event password; null removes the password. */
  async function hashOf(password: string | null): Promise<string | null> {
    if (password === null) return null
    if (!isPassword(password)) throw invalid({ password: 'must be text without control characters.' })
    return inTurn(() => hashPassword(password))
  }

  /** A read-only context on committed data, for checks before a write. */
  const checking = ({ caller, by, language, join }: Writer, given: Record<string, unknown> = {}): Write => ({
    tx: db.read,
    join,
    site,
    caller,
    by,
    now: site.clock(),
    language,
    pictures: new Map(),
    ignored: [],
    given,
    created: [],
  })

  /**
   * Runs a write in its transaction, after hashing the password in its input and downloading the images that it refers to. Returns what
   * the write does, and the terms that it created.
   */
  async function write<I, T>(
    writer: Writer,
    { body, given, ignored, isLong }: Input<I>,
    images: Images,
    work: (write: Write, input: I) => Promise<T>,
  ): Promise<{ done: T; created: Write['created'] }> {
    const { password } = body as { password?: string | null }
    // first, so that a refused password leaves no images to discard
    const hash = password === undefined ? {} : { password_hash: await hashOf(password) }
    const found = await images.bring(body as Record<string, unknown>, writer.caller)
    try {
      const created: Write['created'] = []
      // a copy, because the changes of a failed write must be undone
      // the body as it is by then: a batch puts the IDs of its records into it
      const done = await (writer.join ?? db.write)(
        (tx) =>
          work(
            { ...inside(checking(writer, given), tx), pictures: new Map(found), ignored, created },
            password === undefined ? body : { ...body, ...hash },
          ),
        isLong,
      )
      return { done, created }
    } catch (error) {
      await images.discard(found)
      throw error
    }
  }

  return { checking, write }
}

/** Runs a write inside its transaction, after the check. */
export type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

/** What a write depends on: the record as it is, if the caller may see it, and whether that is what the caller knows. */
export type Condition<Known extends { id: number }> = {
  current(): Promise<Known | undefined>
  fits(known: Known): boolean
}

/** No check. */
export const UNCONDITIONAL: Guard = (_tx, work) => work()

/**
 * Writes on conditions. Each throws `rest_precondition_failed` unless its condition holds. Writes that share a transaction do not see
 * each other's responses, so the guard also checks inside the transaction whether the record was written since. All other errors come
 * first. The write is to the record that was looked at, where there is one: what an address means may change meanwhile.
 */
export function openConditions(changes: Pick<Changes, 'latest'>) {
  return async <Known extends { id: number }, T>(
    kind: string,
    condition: Condition<Known> | undefined,
    write: (guard: Guard, id?: number) => Promise<T>,
  ): Promise<T> => {
    if (condition === undefined) return write(UNCONDITIONAL)
    const { seq } = changes.latest()
    const known = await condition.current()
    const fits = known !== undefined && condition.fits(known)
    return write(async (tx, work) => {
      const stale = !fits || (await wasChanged(tx, kind, known.id, seq))
      const done = await work()
      if (stale) throw preconditionFailed()
      return done
    }, known?.id)
  }
}

const preconditionFailed = () =>
  new ApiError(
    'rest_precondition_failed',
    'The record has changed: its ETag does not match If-Match. Read it again, and send the new ETag.',
  )

const stateRow = prepared((db) =>
  db
    .select({ document: documents, password: posts.password_hash, language: posts.language })
    .from(posts)
    .innerJoin(documents, eq(documents.post_id, posts.id))
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/** The members that every write sets, in the document of a record, of which they stand at the beginning. */
const WRITTEN = /"modified":"[^"]*","modified_utc":"[^"]*",/
const textOf = (document: Buffer | null | undefined) => document?.toString().replace(WRITTEN, '')

/** A record as its responses show it to all who may read it, but for the time of its last change. */
async function currentState(tx: Queries, id: number) {
  const [found] = await stateRow(tx).execute({ id })
  const { body, blanked, ...rest } = unpackedDocument(found!.document)
  return { ...found, document: { ...rest, body: textOf(body), blanked: textOf(blanked) } }
}

/** Whether another record than this one was written since a row of the log. That others show it does not count. */
const wroteOthers = (tx: Queries, kind: PostKind, id: number, since: number) =>
  tx.get<{ others: number }>(
    sql`select exists (select 1 from changes where seq > ${since} and operation not in ('refresh', 'recount') and not (kind = ${kind} and record_id = ${id})) as others`,
  ).others === 1

/** Runs an update of a record in the caller's transaction, and undoes it if it leaves the record and all others as they were. Gives whether it stays. */
export async function undoIfUnchanged(
  tx: Queries,
  kind: PostKind,
  id: number,
  update: () => Promise<unknown>,
): Promise<boolean> {
  const before = await currentState(tx, id)
  const { seq } = tx.get<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from changes`)
  tx.run(sql`savepoint same`)
  await update()
  const isSame = isDeepStrictEqual(before, await currentState(tx, id)) && !wroteOthers(tx, kind, id, seq)
  if (isSame) tx.run(sql`rollback to same`)
  tx.run(sql`release same`)
  return !isSame
}

/** How often a read is repeated if writes are committed during it. */
const ATTEMPTS = 5

/**
 * Reads from one state of the data, however many queries they have, and notes the last write before it. If a write is committed between
 * the queries of a read, it is repeated, so that it never mixes two states. What is refused because too much is asked for is not.
 */
export function openConsistentReads(changes: Pick<Changes, 'latest'>) {
  async function attempt<T>(noted: { latest: Latest }, read: () => Promise<T>, left: number): Promise<T> {
    noted.latest = changes.latest()
    const [outcome] = await Promise.allSettled([read()])
    const overtaken = changes.latest().seq !== noted.latest.seq
    const isRefused = outcome.status === 'rejected' && outcome.reason.code === 'rest_overloaded'
    if (overtaken && !isRefused && left > 1) return attempt(noted, read, left - 1)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
  return <T>(noted: { latest: Latest }, read: () => Promise<T>): Promise<T> => attempt(noted, read, ATTEMPTS)
}
