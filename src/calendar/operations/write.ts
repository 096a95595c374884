import { type ApplyTo, isToSeveral } from '../../../schemas/recurrence.ts'
import type { Actor } from '../../kernel/access/audit-log.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import { hashPassword, isPassword } from '../../kernel/access/secrets.ts'
import { type Changes, wasChanged } from '../../kernel/database/changes.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { hasDates, type Post } from '../formats/records.ts'
import { removedWith } from '../records/facts/removal.ts'
import { inside } from '../records/limits.ts'
import { findEditable, type Key, type PostKind, seekPost } from '../records/posts.ts'
import { openSeriesRemoval } from '../records/series/removal.ts'
import type { Terms } from '../records/terms/terms.ts'
import { erasePost, trashPost } from '../records/trash.ts'
import type { Write } from '../records/write.ts'
import type { Documents, Json, View } from '../views/documents.ts'

/** Who writes, from where, and in which language what has none. */
export type Writer = { caller: Caller; by: Actor; language: string }

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
  const checking = ({ caller, by, language }: Writer, given: Record<string, unknown> = {}): Write => ({
    tx: db.read,
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
      const done = await db.write(
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
  look(): Promise<Known | undefined>
  fits(known: Known): boolean
}

const PASS: Guard = (_tx, work) => work()

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
    if (condition === undefined) return write(PASS)
    const { seq } = changes.latest()
    const known = await condition.look()
    const fits = known !== undefined && condition.fits(known)
    return write(async (tx, work) => {
      const stale = !fits || (await wasChanged(tx, kind, known.id, seq))
      const done = await work()
      if (stale) throw changed()
      return done
    }, known?.id)
  }
}

const changed = () =>
  new ApiError(
    'rest_precondition_failed',
    'The record has changed: its ETag does not match If-Match. Read it again, and send the new ETag.',
  )

/** What is to be removed, for whom, and how it is shown; with `all` in all languages. */
type Removal<K> = { context: Write; key: K; view: View; guard: Guard; range?: Range; all?: boolean }

type Range = ApplyTo | undefined
/** How records of a kind are removed: dates of a series, and series, not alone. */
const removalOf = (kind: PostKind) =>
  hasDates(kind)
    ? openSeriesRemoval(kind)
    : {
        trash: (w: Write, key: Key, _range: Range) => trashPost(w, kind, key),
        erase: (w: Write, post: Post, _range: Range) => erasePost(w, post),
      }

/** Moves a record to the trash, with what goes with it. */
async function trashSet(
  w: Write,
  kind: PostKind,
  key: Key,
  { range, all }: Pick<Removal<Key>, 'range' | 'all'>,
) {
  const found = all ? await seekPost(w.tx, kind, key, w.caller) : undefined
  const others = found ? await removedWith(w, found, range) : []
  const post = await removalOf(kind).trash(w, key, range)
  for (const other of others)
    if (other.status !== 'trash')
      await removalOf(other.kind).trash(w, { id: other.id }, rangeFor(other, post, range))
  return post
}

/** Deletes a record permanently, with what goes with it. */
async function eraseSet(w: Write, post: Post, { range, all }: Pick<Removal<Key>, 'range' | 'all'>) {
  const others = all ? await removedWith(w, post, range) : []
  await removalOf(post.kind).erase(w, post, range)
  for (const other of others) await removalOf(other.kind).erase(w, other, rangeFor(other, post, range))
}

/** Series that are removed with one of their dates are removed whole. */
const rangeFor = (other: Post, post: Post, range: Range) => (other.kind === post.kind ? range : undefined)

/** Deletes records; each gives the record as it was before, or as it is in the trash. */
export function openRemoval(db: Pick<Db, 'write'>, documents: Documents) {
  return {
    /** Moves an event, venue or organizer to the trash, or deletes it permanently with `force` (D30). */
    async post(
      kind: PostKind,
      { context, key, view, guard, ...how }: Removal<Key>,
      force = false,
    ): Promise<Json | undefined> {
      const isLong = kind === 'series' || isToSeveral(how.range)
      if (!force) {
        const { id } = await db.write(
          (tx) => guard(tx, () => trashSet(inside(context, tx), kind, key, how)),
          isLong,
        )
        return (await documents.posts([id], view))[0]
      }
      const { id } = await findEditable(context, kind, key, 'delete')
      const [json] = await documents.posts([id], view)
      await db.write(
        (tx) =>
          guard(tx, async () => {
            const w = inside(context, tx)
            return eraseSet(w, await findEditable(w, kind, { id }, 'delete'), how)
          }),
        isLong,
      )
      return json
    },
    /** Deletes a term permanently. Its events get the term `heir` in its place, if there is one. */
    async term(
      terms: Pick<Terms, 'remove'>,
      { context, key: id, view, guard }: Removal<number>,
      heir: number | undefined,
    ): Promise<Json | undefined> {
      const [json] = await documents.terms([id], view)
      await db.write((tx) => guard(tx, () => terms.remove(inside(context, tx), id, heir)), true)
      return json
    },
  }
}
