import { and, eq, sql } from 'drizzle-orm'
import { externals, type Version } from '../../../drizzle/tables.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError, type Problems } from '../../kernel/errors.ts'
import type { External, Post } from '../formats/records.ts'
import { canRead } from '../rights.ts'
import { findOwned } from './posts.ts'
import type { PostInput, Reading, Write } from './write.ts'

const externalOf = prepared((db) =>
  db
    .select({ source: externals.source, external_id: externals.external_id })
    .from(externals)
    .where(eq(externals.post_id, sql.placeholder('id')))
    .prepare(),
)
const externalOwner = prepared((db) =>
  db
    .select({ id: externals.post_id })
    .from(externals)
    .where(
      and(
        eq(externals.kind, sql.placeholder('kind')),
        eq(externals.source, sql.placeholder('source')),
        eq(externals.external_id, sql.placeholder('external_id')),
      ),
    )
    .prepare(),
)
const upsertExternal = prepared((db) =>
  db
    .insert(externals)
    .values(columnsOf(externals))
    // which versions were taken is not known to who names a record
    .onConflictDoUpdate({
      target: externals.post_id,
      set: { ...excludedOf(externals), versions: externals.versions },
    })
    .prepare(),
)
const deleteExternal = prepared((db) =>
  db
    .delete(externals)
    .where(eq(externals.post_id, sql.placeholder('id')))
    .prepare(),
)

/** What another system calls a record; null if none does. */
export const findExternal = async (tx: Queries, id: number): Promise<External | null> =>
  (await externalOf(tx).execute({ id }))[0] ?? null

/** The ID of the record of a kind that another system calls so; undefined if there is none. */
export const findByExternal = async (
  tx: Queries,
  kind: Post['kind'],
  { source, external_id }: External,
): Promise<number | undefined> => (await externalOwner(tx).execute({ kind, source, external_id }))[0]?.id

/** Stores what another system calls a record, which is free; null removes it. */
export async function storeExternal(
  tx: Queries,
  { id, kind }: Pick<Post, 'id' | 'kind'>,
  external: (External & { versions?: Record<string, Version> }) | null,
) {
  if (external) await upsertExternal(tx).execute({ post_id: id, kind, versions: {}, ...external })
  else await deleteExternal(tx).execute({ id })
}

type Sent = Pick<PostInput, 'source' | 'external_id'>

const isSent = ({ source, external_id }: Sent) => source !== undefined || external_id !== undefined

/** What another system calls a record after a write: absent members keep what is stored, null clears them. */
const externalAfter = ({ source, external_id }: Sent, stored: External | null) => ({
  source: source === undefined ? (stored?.source ?? null) : source,
  external_id: external_id === undefined ? (stored?.external_id ?? null) : external_id,
})

/** The problem of one of both members without the other. */
export async function checkExternal(w: Pick<Write, 'tx'>, sent: Sent, self?: Post): Promise<Problems> {
  if (!isSent(sent)) return {}
  const { source, external_id } = externalAfter(sent, self ? await findExternal(w.tx, self.id) : null)
  if ((source === null) === (external_id === null)) return {}
  return source === null
    ? { source: 'is needed beside external_id; null for both removes them.' }
    : { external_id: 'is needed beside source; null for both removes them.' }
}

/**
 * Writes what another system calls a record, whose input was checked before, and gives it; undefined if nothing is sent of it. Throws 409 if
 * another record of the kind is called so, also one in the trash.
 */
export async function saveExternal(
  w: Reading,
  post: Pick<Post, 'id' | 'kind'>,
  sent: Sent,
  isNew: boolean,
): Promise<External | null | undefined> {
  if (!isSent(sent)) return undefined
  const stored = isNew ? null : await findExternal(w.tx, post.id)
  const { source, external_id } = externalAfter(sent, stored)
  const external = source !== null && external_id !== null ? { source, external_id } : null
  const other = external && (await findByExternal(w.tx, post.kind, external))
  if (other && other !== post.id) throw await alreadyUsed(w, post.kind, other)
  await storeExternal(w.tx, post, external)
  return external
}

async function alreadyUsed({ tx, caller }: Reading, kind: Post['kind'], id: number) {
  const isSeen = canRead(caller, (await findOwned(tx, kind, id))!)
  return new ApiError(
    'external_id_taken',
    `${isSeen ? `The ${kind} ${id}` : `Another ${kind}`} has this source and external_id. PUT to /by-external/… updates the record that has them.`,
  )
}
