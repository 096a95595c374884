import { isDeepStrictEqual } from 'node:util'
import { eq, sql } from 'drizzle-orm'
import { documents, posts } from '../../../drizzle/tables.ts'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import type { PostKind } from '../records/posts.ts'

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
const textOf = (document: Buffer | null) => document?.toString().replace(WRITTEN, '')

/** A record as its responses show it to all who may read it, but for the time of its last change. */
async function currentState(tx: Queries, id: number) {
  const [found] = await stateRow(tx).execute({ id })
  const { body, blanked, ...rest } = found!.document
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
