import { and, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import { documents, links, posts, terms } from '../../../../drizzle/tables.ts'
import { ALL, type Refreshing, recordChange, refreshTerms } from '../../../kernel/database/changes.ts'
import { prepared, type Queries } from '../../../kernel/database/db.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { Post, TermRow } from '../../formats/records.ts'
import type { LinkKind } from './links.ts'

type Grouped = { id: number; translation_group: number | null }

/** The sets of translations of a record before and after a write. */
const groupsOf = (was: Grouped | undefined, is: Grouped | undefined) =>
  [was, is].flatMap((record) => record?.translation_group ?? [])

/** The other posts in the sets of translations of a post, before and after a write. */
export async function postPeers(tx: Queries, was: Post | undefined, is: Post | undefined) {
  const groups = groupsOf(was, is)
  return tx
    .select({ id: posts.id, kind: posts.kind, status: posts.status })
    .from(posts)
    .where(and(inArray(posts.translation_group, groups), ne(posts.id, (is ?? was)!.id)))
}

/** The other terms in the sets of translations of a term, before and after a write. */
export async function termPeers(tx: Queries, was: TermRow | undefined, is: TermRow | undefined) {
  const groups = groupsOf(was, is)
  return tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(inArray(terms.translation_group, groups), ne(terms.id, (is ?? was)!.id)))
}

/** The posts that have a picture. */
export const postsWith = async (tx: Queries, image: number): Promise<number[]> =>
  (await tx.select({ id: posts.id }).from(posts).where(eq(posts.image_id, image))).map(({ id }) => id)

/** The members of a translation that the other posts of its set show; none if it is in the trash. */
export const shownToPeers = (post: Post | undefined) =>
  post === undefined || post.translation_group === null || post.status === 'trash'
    ? ''
    : [post.translation_group, post.language, post.status === 'publish' || post.author_id].join(' ')

/** Stores a new set of translations in the documents of its records: the first one was in no set before. */
export async function joinPeers(tx: Queries, { id, translation_group: group }: Post) {
  const others = tx
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.translation_group, group!), ne(posts.id, id)))
  await tx
    .update(documents)
    .set({ translation_group: group })
    .where(and(inArray(documents.post_id, others), sql`${documents.translation_group} is not ${group}`))
}

/** The members of a term that events show, except its count. */
export const shownInEvents = (term: TermRow | undefined) =>
  term && JSON.stringify([term.name, term.slug, term.description, term.parent_id])

/** Removes the links to a deleted record from all events and their documents. */
export async function unlinkAll(tx: Queries, kind: LinkKind, target: number) {
  const path = `$.${kind}`
  const left = sql`(select json_group_array(value) from json_each(${documents.refs}, ${path}) where value <> ${target})`
  const linked = and(eq(links.kind, kind), eq(links.target_id, target))
  await tx
    .update(documents)
    .set({ refs: sql`json_set(${documents.refs}, ${path}, json(${left}))` })
    .where(inArray(documents.post_id, tx.select({ id: links.event_id }).from(links).where(linked)))
  await tx.delete(links).where(linked)
}

const hiddenAmong = prepared((db) =>
  db
    .select({ id: terms.id })
    .from(terms)
    .where(
      and(
        eq(terms.hidden, true),
        sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`,
      ),
    )
    .prepare(),
)

/** These terms and all above them: an event shows the parent of its category. */
const withAncestors = (ids: number[]) =>
  sql`(with recursive above(id) as (select value from json_each(${JSON.stringify(ids)})
    union select parent_id from terms join above using (id) where parent_id <> 0) select id from above)`

/**
 * Shows hidden terms to everybody, with all above them, when an event that everybody sees has them. Whoever follows is told of them as
 * new, and of their translations, which show them from now on. Returns the terms that were hidden.
 */
export async function revealTerms(tx: Queries, ids: number[], how: Refreshing): Promise<number[]> {
  if (ids.length === 0) return []
  const hidden = await hiddenAmong(tx).execute({ ids: JSON.stringify(ids) })
  if (hidden.length === 0) return []
  const shown = await tx
    .update(terms)
    .set({ hidden: false, modified_utc: toWall(how.now, 'UTC') })
    .where(and(eq(terms.hidden, true), sql`${terms.id} in ${withAncestors(hidden.map(({ id }) => id))}`))
    .returning()
  // not seen before, so without what it was
  for (const { id, taxonomy } of shown)
    await recordChange(tx, { kind: taxonomy, id, operation: 'publish', ...how, touched: ALL })
  const revealed = shown.map(({ id }) => id)
  const groups = shown.flatMap(({ translation_group }) => translation_group ?? [])
  const peers = await tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(inArray(terms.translation_group, groups), notInArray(terms.id, revealed)))
  await refreshTerms(
    tx,
    peers.map(({ id }) => id),
    'refresh',
    how,
  )
  return revealed
}
