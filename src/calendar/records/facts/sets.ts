import { isDeepStrictEqual } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { posts } from '../../../../drizzle/tables.ts'
import { SHARED_FIELDS, SHARED_IF_CHANGED, SPAN_FIELDS } from '../../../../schemas/shared-fields.ts'
import { type Caller, canEdit, canReadAll } from '../../../kernel/access/roles.ts'
import { type Db, prepared, type Queries } from '../../../kernel/database/db.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { Post } from '../../formats/records.ts'
import { findStored } from '../event-rows.ts'
import { organizerWrites } from '../organizers.ts'
import { findById, type PostKind } from '../posts.ts'
import { findSeriesRow } from '../series/rows.ts'
import { venueWrites } from '../venues.ts'
import type { Write } from '../write.ts'
import { eventFields, type Fields, linkedFields, pick } from './facts.ts'

type Reading = Pick<Write, 'tx' | 'caller'>

/** The facts of a record, for a record in a language. */
export async function sharedFieldsOf(w: Reading, post: Post, language: string): Promise<Fields> {
  if (post.kind === 'venue') return linkedFields(post, await venueWrites.rowOf(w.tx, post.id))
  if (post.kind === 'organizer') return linkedFields(post, await organizerWrites.rowOf(w.tx, post.id))
  const row = post.kind === 'series' ? await findSeriesRow(w.tx, post.id) : undefined
  return eventFields(w, await findStored(w.tx, post), language, row)
}

const groupMembers = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(
      and(
        eq(posts.translation_group, sql.placeholder('set')),
        eq(posts.kind, sql.placeholder('kind')),
        sql`${posts.id} <> ${sql.placeholder('id')}`,
      ),
    )
    .orderBy(posts.id)
    .prepare(),
)

/** The other records in the set of translations of a record, in any status. */
export const translationsOf = async (
  tx: Queries,
  { id, kind, translation_group: set }: Pick<Post, 'id' | 'kind' | 'translation_group'>,
): Promise<Post[]> => (set === null ? [] : groupMembers(tx).execute({ id, kind, set }))

/** Those of them that a caller may edit. */
export const editableTranslations = async ({ tx, caller }: Reading, post: Post): Promise<Post[]> =>
  (await translationsOf(tx, post)).filter((other) => canEdit(caller, other))

/** The names of some facts that differ. */
const differing = (one: Fields, other: Fields, names: readonly string[]): string[] =>
  names.filter((name) => name in one && name in other && !isDeepStrictEqual(one[name], other[name]))

/**
 * The facts that a write to a record applies to its set: those that were sent, and those of places and of publication that it changed.
 * When it takes place is shared as a whole, as is how it repeats.
 */
export function namesToShare(kind: PostKind, sent: Fields, before: Fields, after: Fields): string[] {
  const given = (names: readonly string[]) => names.filter((name) => sent[name] !== undefined)
  const facts = given(SHARED_FIELDS[kind])
  const span = isTimed(sent) ? SPAN_FIELDS : []
  const own = differing(before, after, given(SHARED_IF_CHANGED[kind]))
  const publication = own.some((name) => PUBLICATION.includes(name)) ? PUBLICATION : []
  return [...new Set([...facts, ...span, ...own, ...publication])]
}

/** Whether a write says when a record takes place. */
export const isTimed = (sent: Fields) => [...SPAN_FIELDS, 'recurrence'].some((name) => sent[name] !== undefined)

const PUBLICATION = ['date', 'date_utc']

/** What a member of a set is to be sent, so that it has those facts that a write to another shares; undefined if it has them. */
export async function inputToShare(w: Write, from: Post, to: Post, names: string[]): Promise<Fields | undefined> {
  const wanted = await sharedFieldsOf(w, from, to.language)
  const isRestored = names.includes('status') && wanted.status !== 'trash'
  if (to.status === 'trash' && !isRestored) return undefined
  const changed = differing(wanted, await sharedFieldsOf(w, to, to.language), names)
  if (changed.length === 0) return undefined
  // one that is published at a later time waits for it in all languages
  const waits =
    wanted.status === 'future' || (wanted.status === 'publish' && to.date_utc > toWall(w.now, 'UTC'))
  const publication = changed.includes('status') && waits ? PUBLICATION : []
  const isMoved = changed.some((name) => SPAN_FIELDS.includes(name))
  const rule = names.includes('recurrence') ? ['recurrence'] : []
  return pick(wanted, [...changed, ...publication, ...(isMoved ? [...SPAN_FIELDS, ...rule] : [])])
}

/** Of a record that a caller may edit: the facts in which its translations differ, by language. Who sees less of one is not told of it. */
export function openDifferences({ read }: Pick<Db, 'read'>) {
  return async (
    kind: PostKind,
    id: number,
    caller: Caller,
  ): Promise<[language: string, names: string[]][]> => {
    const w = { tx: read, caller }
    const post = await findById(read, kind, id)
    if (!post || !canEdit(caller, post)) return []
    const found: [string, string[]][] = []
    for (const other of await translationsOf(read, post)) {
      if (other.status === 'trash' || !canReadAll(caller, other)) continue
      const own = await sharedFieldsOf(w, other, other.language)
      const names = differing(await sharedFieldsOf(w, post, other.language), own, SHARED_FIELDS[kind])
      if (names.length > 0) found.push([other.language, names])
    }
    return found.sort(([one], [other]) => (one < other ? -1 : 1))
  }
}
