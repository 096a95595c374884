import { basename, extname } from 'node:path'
import { sql } from 'drizzle-orm'
import { type Caller, canReadAll } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import type { MediaRow, Post } from '../formats/records.ts'
import { isReadable } from '../records/access.ts'
import { charged } from './price.ts'
import type { Spend } from './selections/selection.ts'

/** A record that shows a picture: as its own, or in a text. */
export type Use = Pick<Post, 'id' | 'kind' | 'title' | 'slug' | 'status' | 'language'> & {
  as: 'image' | 'text'
}
/** Records that show a picture, as many as are told, and how many there are. */
export type Uses = { uses: Use[]; total: number }

/** IDs whose texts are looked at in a step. */
const STEP = 2_000
/** Uses that are told. */
const MOST = 100

type Row = Omit<Use, 'as'> & Pick<Post, 'author_id' | 'password_hash'> & { own: 0 | 1 }

/** Where pictures are shown. */
export function openUses(db: Pick<Db, 'read'>, scheduler: Scheduler) {
  /** Looks at all records, because texts name pictures by their files; in steps, so that others do not wait. */
  function* all({ id, file }: Pick<MediaRow, 'id' | 'file'>, caller: Caller): Task<Uses> {
    // sizes begin like the file itself
    const name = basename(file, extname(file))
    const { last } = db.read.get<{ last: number | null }>(sql`select max(id) as last from posts`)
    const found: Uses = { uses: [], total: 0 }
    for (let after = 0; after < (last ?? 0); after += STEP) {
      yield
      const rows = db.read.all<Row>(
        sql`select id, kind, title, slug, status, language, author_id, password_hash, image_id is ${id} as own
          from posts where id > ${after} and id <= ${after + STEP}
          and (image_id = ${id} or instr(description, ${name}) > 0 or instr(excerpt, ${name}) > 0)`,
      )
      for (const { own, author_id, password_hash, ...use } of rows) {
        const post = { ...use, author_id, password_hash } as Post
        const isSeen = post.status === 'trash' ? isReadable(post, caller) : canReadAll(caller, post)
        if (!isSeen) continue
        found.total++
        if (found.uses.length < MOST) found.uses.push({ ...use, as: own ? 'image' : 'text' })
      }
    }
    return found
  }
  return async (picture: Pick<MediaRow, 'id' | 'file'>, caller: Caller, spend?: Spend): Promise<Uses> =>
    scheduler.run(charged(all(picture, caller), spend))
}
