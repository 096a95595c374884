import { and, asc, count, desc, eq, gte, inArray, sql } from 'drizzle-orm'
import { media, revisions, users } from '../../../drizzle/tables.ts'
import { type EventRow, isDraft, type Post } from '../../calendar/formats/records.ts'
import type { EventWrite } from '../../calendar/records/events.ts'
import { inside } from '../../calendar/records/limited-rights.ts'
import type { Guard } from '../../calendar/records/operations.ts'
import { findById, findEditable, findOwned, type Key } from '../../calendar/records/posts.ts'
import { postRows } from '../../calendar/records/rows.ts'
import type { Write } from '../../calendar/records/write.ts'
import { canRead } from '../../calendar/rights.ts'
import { columnsOf, type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import type { DomainEvents } from '../../kernel/store.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** A change of a record, with the login and the name of the user who made it: null if the user is gone, or if the service made it. */
export type Revision = typeof revisions.$inferSelect & { login: string | null; name: string | null }
type Paging = { page: number; per_page: number }

/** Rows that are removed in one transaction. */
const BATCH = 1_000
const DAY = 86_400_000

const insertRevision = prepared((db) => db.insert(revisions).values(columnsOf(revisions)).prepare())

/** Keeps what a write changed in a record, in its transaction. Without a user it was the service itself. */
export async function addRevision({ tx, now, id, by, fields }: DomainEvents['record.changed']) {
  await insertRevision(tx).execute({ id: null, post_id: id, at_utc: toWall(now, 'UTC'), by, fields })
}

const since = prepared((db) =>
  db
    .select()
    .from(revisions)
    .where(
      and(eq(revisions.post_id, sql.placeholder('post')), gte(revisions.id, sql.placeholder('revision'))),
    )
    .orderBy(asc(revisions.id))
    .prepare(),
)

/**
 * The values that members of a record had before one of its changes: those of the members that have been changed since. Undefined if the record
 * has no such change.
 */
async function valuesBefore(
  tx: Queries,
  post: number,
  revision: number,
): Promise<Record<string, unknown> | undefined> {
  const rows = await since(tx).execute({ post, revision })
  if (rows[0]?.id !== revision) return undefined
  const values: Record<string, unknown> = {}
  for (const { fields } of rows.toReversed())
    for (const [name, [before]] of Object.entries(fields)) values[name] = before
  return values
}

/** The changes of events and series: reading them, and removing what is old. */
export function openRevisions(db: Db, site: Pick<Site, 'clock'>) {
  return {
    /** A page of the changes of a record, the latest first, and how many there are. */
    async list(post: number, { page, per_page }: Paging): Promise<{ rows: Revision[]; total: number }> {
      const where = eq(revisions.post_id, post)
      const found = await db.read
        .select({ revision: revisions, login: users.login, name: users.name })
        .from(revisions)
        .leftJoin(users, eq(users.id, revisions.by))
        .where(where)
        .orderBy(desc(revisions.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(revisions).where(where)
      return { rows: found.map(({ revision, ...by }) => ({ ...revision, ...by })), total: all!.total }
    },
    /** Removes a batch of changes that are older than so many days. Returns whether there may be more of them. */
    async removeOld(days: number): Promise<boolean> {
      const before = toWall(site.clock() - days * DAY, 'UTC')
      // in the order of their IDs, which is that of their times, so that no index is needed
      const first = db.read
        .select({ id: revisions.id, at: revisions.at_utc })
        .from(revisions)
        .orderBy(asc(revisions.id))
        .limit(BATCH)
        .all()
      const old = first.filter(({ at }) => at < before).map(({ id }) => id)
      if (old.length === 0) return false
      await db.write(async (tx) => void (await tx.delete(revisions).where(inArray(revisions.id, old))))
      return old.length === BATCH
    },
  }
}

type Kind = 'event' | 'series'
type Update = (w: Write, key: Key, input: EventWrite) => Promise<number>
/** The change before which a record is brought back, for whom, and on which condition. */
type Wanted = { context: Write; id: number; revision: number; guard: Guard }

const SPAN = ['start_date', 'end_date', 'timezone', 'all_day'] as const

/** Whether a user or a picture still exists. */
const exists = (table: typeof users | typeof media) => async (w: Write, id: number) =>
  (await w.tx.select({ id: table.id }).from(table).where(eq(table.id, id))).length > 0

/** The records of a list of IDs that an event of this caller may be linked to. */
const linkable = (kind: 'venue' | 'organizer') => async (w: Write, value: unknown) => {
  const found: { id: number }[] = []
  for (const id of value as number[]) {
    const post = await findOwned(w.tx, kind, id)
    if (post && post.status !== 'trash' && canRead(w.caller, post)) found.push({ id })
    else w.ignored.push(`${kind}[${id}]`)
  }
  return found
}

/** The parent of an event, which may be gone. That of a date is its series, which only a change of the repetition changes. */
async function parentOf(w: Write, value: unknown, { parent_id }: Post) {
  const isFree = parent_id === null || (await findById(w.tx, 'event', parent_id)) !== undefined
  return isFree && (value === 0 || (await findById(w.tx, 'event', value as number))) ? value : undefined
}

/** How values that are stored in another form than they are sent become input; undefined if that is not possible. */
const READ: Record<string, (w: Write, value: unknown, post: Post) => Promise<unknown>> = {
  password: async () => undefined,
  author: async (w, value) => ((await exists(users)(w, value as number)) ? value : undefined),
  image: async (w, value) =>
    value === 0 ? null : (await exists(media)(w, value as number)) ? { id: value } : undefined,
  post_parent: parentOf,
  venue: linkable('venue'),
  organizer: linkable('organizer'),
}

/** The input of an update that brings values back. What is not possible any more is ignored, and named. */
async function inputOf(
  w: Write,
  post: Post,
  values: Record<string, unknown>,
  event: EventRow,
): Promise<EventWrite> {
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const read = READ[name]
    const sent = read ? await read(w, value, post) : value
    if (sent === undefined) w.ignored.push(name)
    else input[name] = sent
  }
  // a draft has no slug before it has one, and no date before it is published
  if (input.slug === '') delete input.slug
  if (isDraft(String(input.status ?? post.status))) delete input.date
  // a date alone would make an event of whole days a timed one
  if (SPAN.some((name) => name in input)) for (const name of SPAN) input[name] ??= event[name]
  return input as EventWrite
}

/** Brings events and series back to what they were before one of their changes. This is an update by the caller, with the rights that it takes. */
export function openVersions(db: Pick<Db, 'write'>, updates: Record<Kind, Update>) {
  return (kind: Kind, { context, id, revision, guard }: Wanted): Promise<{ id: number; ignored: string[] }> =>
    db.write(
      (tx) =>
        guard(tx, async () => {
          const w = { ...inside(context, tx), given: {}, ignored: [] as string[] }
          const post = await findEditable(w, kind, { id }, 'change')
          const values = await valuesBefore(tx, id, revision)
          if (!values)
            throw new ApiError('revision-not-found', `This ${kind} has no change with ID ${revision}.`)
          const event = await postRows.event.find(tx, id)
          const input = await inputOf(w, post, values, event!)
          await updates[kind](w, { id }, input)
          return { id, ignored: w.ignored }
        }),
      kind === 'series',
    )
}
