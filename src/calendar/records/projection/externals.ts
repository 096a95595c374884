import { and, eq, sql } from 'drizzle-orm'
import { externals, type Version } from '../../../../drizzle/tables.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../../kernel/database/db.ts'
import type { External, Post } from '../../formats/records.ts'

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
