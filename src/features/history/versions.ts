import { eq } from 'drizzle-orm'
import { media, users } from '../../../drizzle/tables.ts'
import { type EventRow, isDraft, type Post } from '../../calendar/formats/records.ts'
import { inside } from '../../calendar/records/access.ts'
import { type EventWrite, eventRow } from '../../calendar/records/events.ts'
import type { Guard } from '../../calendar/records/operations.ts'
import { findById, findEditable, findOwned, type Key } from '../../calendar/records/posts.ts'
import type { Write } from '../../calendar/records/write.ts'
import { canRead } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import { valuesBefore } from './store.ts'

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
          const [event] = await eventRow(tx).execute({ id })
          const input = await inputOf(w, post, values, event!)
          await updates[kind](w, { id }, input)
          return { id, ignored: w.ignored }
        }),
      kind === 'series',
    )
}
