import { type SQL, sql } from 'drizzle-orm'
import { STATUSES } from '../../../../schemas/common.ts'
import { type Caller, canEdit, canReadOthers, canWrite } from '../../../rules/roles.ts'
import type { Queries } from '../../sqlite/db.ts'

/** Records that everybody may read: their pictures are in an index of their own, `posts_shown_image`. */
const SHOWN = sql`status = 'publish' and password_hash is null and image_id is not null`

/** The records of a caller that they may read, in full: what a password protects only with the right to edit it. */
function ownOf(caller: NonNullable<Caller>): SQL {
  const open = STATUSES.filter((status) => canEdit(caller, { author_id: caller.id, status }))
  const editable = sql`status in (select value from json_each(${JSON.stringify(open)}))`
  return sql`author_id = ${caller.id} and image_id is not null and status <> 'trash' and (password_hash is null or ${editable})`
}

/** A query of the pictures that a caller sees: those that a record shows which they may read (R19), and their own uploads. */
export function seenBy(caller: Caller): SQL {
  // SQLite would rather read all that is published
  const shown = sql`select image_id as id from posts indexed by posts_shown_image where ${SHOWN}`
  if (!canWrite(caller)) return sql`${shown} group by image_id`
  const own = sql`select image_id from posts where ${ownOf(caller!)}`
  return sql`${shown} union ${own} union select id from media where author_id = ${caller!.id}`
}

/** Whether a caller sees a picture that exists. */
export async function seesPicture(db: Queries, id: number, caller: Caller): Promise<boolean> {
  if (canReadOthers(caller)) return true
  const among = canWrite(caller) ? sql`(${SHOWN}) or (${ownOf(caller!)})` : SHOWN
  const shown = sql`exists (select 1 from posts where image_id = ${id} and (${among}))`
  const uploaded = canWrite(caller)
    ? sql`exists (select 1 from media where id = ${id} and author_id = ${caller!.id})`
    : sql`false`
  return db.get<{ sees: 0 | 1 }>(sql`select ${shown} or ${uploaded} as sees`).sees === 1
}
