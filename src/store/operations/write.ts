import type { Caller } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { invalid } from '../../support/errors.ts'
import { hashPassword, isPassword } from '../../support/passwords.ts'
import { openSemaphore } from '../../support/semaphore.ts'
import type { Actor } from '../changes/audit.ts'
import type { Write } from '../records/write.ts'
import type { Db } from '../sqlite/db.ts'

/** Who writes, from where, and in which language what has none. */
export type Writer = { caller: Caller; by: Actor; language: string }

/** What is written: the members as they were read and as they were sent, and the list of those that are ignored. */
export type Input<T> = { body: T; given: Record<string, unknown>; ignored: string[] }

/** Gets the images that an input refers to, and deletes the files of those that got no row. */
export type Images = {
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
    { body, given, ignored }: Input<I>,
    images: Images,
    work: (write: Write, input: I) => Promise<T>,
  ): Promise<{ done: T; created: Write['created'] }> {
    const { password } = body as { password?: string | null }
    // first, so that a refused password leaves no images to discard
    const input = password === undefined ? body : { ...body, password_hash: await hashOf(password) }
    const found = await images.bring(input as Record<string, unknown>, writer.caller)
    try {
      const created: Write['created'] = []
      // a copy, because the changes of a failed write must be undone
      const done = await db.write((tx) =>
        work({ ...checking(writer, given), tx, pictures: new Map(found), ignored, created }, input),
      )
      return { done, created }
    } catch (error) {
      await images.discard(found)
      throw error
    }
  }

  return { checking, write }
}
