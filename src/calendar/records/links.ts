import { and, eq, sql } from 'drizzle-orm'
import { links, type Refs, terms } from '../../../drizzle/tables.ts'
import { columnsOf, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Post } from '../formats/records.ts'

export type LinkKind = (typeof links.$inferSelect)['kind']
export const LINK_KINDS = ['venue', 'organizer', 'category', 'tag'] as const satisfies readonly LinkKind[]

const linkRows = prepared((db) =>
  db
    .select({ kind: links.kind, id: links.target_id })
    .from(links)
    .where(eq(links.event_id, sql.placeholder('event')))
    .orderBy(links.position)
    .prepare(),
)

const deleteLinks = prepared((db) =>
  db
    .delete(links)
    .where(and(eq(links.event_id, sql.placeholder('event')), eq(links.kind, sql.placeholder('kind'))))
    .prepare(),
)
const insertLink = prepared((db) => db.insert(links).values(columnsOf(links)).prepare())
const addToCount = prepared((db) =>
  db
    .update(terms)
    .set({ count: sql`${terms.count} + ${sql.placeholder('by')}` })
    .where(eq(terms.id, sql.placeholder('id')))
    .prepare(),
)

/** Everything that an event is linked to, in the order given. */
export async function linksOf(tx: Queries, event: number): Promise<Refs> {
  return toRefs(await linkRows(tx).execute({ event }))
}

/** Everything that an event is linked to, in the order given, read without awaiting anything. */
export const linksNow = (db: Queries, event: number): Refs => toRefs(linkRows(db).all({ event }))

/** Links in their order, by kind. */
export function toRefs(rows: { kind: LinkKind; id: number }[]): Refs {
  const ids = (kind: LinkKind) => rows.filter((row) => row.kind === kind).map((row) => row.id)
  return { category: ids('category'), tag: ids('tag'), venue: ids('venue'), organizer: ids('organizer') }
}

export const NO_REFS = toRefs([])

/** Changes the links of one kind from `before` to `after`. */
export async function setLinks(
  tx: Queries,
  event: number,
  kind: LinkKind,
  before: number[],
  after: number[],
) {
  if (after.length === before.length && after.every((id, at) => id === before[at])) return
  if (before.length > 0) await deleteLinks(tx).execute({ event, kind })
  for (const [position, target_id] of after.entries())
    await insertLink(tx).execute({ event_id: event, kind, target_id, position })
}

/** Updates the counts of terms after a change of the status or links of an event; returns the terms whose counts changed. */
export async function recount(tx: Queries, before: number[], after: number[]): Promise<number[]> {
  const left = before.filter((id) => !after.includes(id))
  const joined = after.filter((id) => !before.includes(id))
  for (const id of left) await addToCount(tx).execute({ id, by: -1 })
  for (const id of joined) await addToCount(tx).execute({ id, by: 1 })
  return [...left, ...joined]
}

/** The terms that count an event with these links: published ones are counted, also those under a password (D38). */
export const countedIn = (post: Pick<Post, 'status'> | undefined, { category, tag }: Refs): number[] =>
  post?.status === 'publish' ? [...category, ...tag] : []

/** The terms that everybody sees in an event with these links. */
export const shownIn = (post: Pick<Post, 'status' | 'password_hash'> | undefined, refs: Refs): number[] =>
  post?.password_hash === null ? countedIn(post, refs) : []
