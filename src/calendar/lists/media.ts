import { basename, extname } from 'node:path'
import { sql } from 'drizzle-orm'
import { media } from '../../../drizzle/tables.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import { fold, storedStem, toPlainText } from '../../kernel/text/text.ts'
import type { MediaRow, Post } from '../formats/records.ts'
import { readablePictures, SHOWN } from '../records/media.ts'
import { isReadable } from '../records/visibility.ts'
import { canReadAll, canReadOthers, canWrite } from '../rights.ts'
import { pageOf } from './linked-records.ts'
import { charged, type Paging, type Spend } from './selection.ts'

const NEWEST = sql`${media.id} desc`
/** Pictures that are looked for: by ID, by folded words in names and texts, by the readable parts of their names or by their names in full. */
type MediaFilter = {
  include?: number[] | undefined
  words?: string[] | undefined
  slugs?: string[] | undefined
  /** Languages, of which one has no alternative text. */
  without?: string[] | undefined
}

/** Pictures whose names and texts are read at once. */
const CHUNK = 500

/** `titles` are those of records that show it. */
type Described = { id: number; file: string; alt_texts: string; captions: string; titles: string | null }

/** Whether a picture is one of those that are looked for by name or text. */
function matches(row: Described, { words, slugs, without }: MediaFilter): boolean {
  const { file, alt_texts, captions, titles } = row
  if (without) {
    const known = JSON.parse(alt_texts)
    if (without.every((language) => known[language])) return false
  }
  const name = basename(file)
  if (slugs && !slugs.includes(storedStem(file)) && !slugs.includes(name.replace(/\.\w+$/, ''))) return false
  if (!words) return true
  const textsIn = (json: string) => Object.values<string>(JSON.parse(json))
  const texts = [...textsIn(alt_texts), ...textsIn(captions).map(toPlainText)]
  const folded = fold([name, ...texts, titles ?? ''].join('\n'))
  return words.every((word) => folded.includes(word))
}

/** Lists of pictures. */
export const openMediaLists = (db: Db, scheduler: Scheduler) => {
  /** How many everybody sees, until something is written. */
  let known = { version: Number.NaN, total: 0 }
  function totalOf(caller: Caller): number {
    const version = db.version()
    if (!canWrite(caller) && known.version === version) return known.total
    const [all] = db.read.all<{ total: number }>(
      sql`select count(*) as total from (${readablePictures(caller)})`,
    ) as [{ total: number }]
    if (!canWrite(caller)) known = { version, ...all }
    return all.total
  }
  /** Counts, then reads the page: both may look at every picture. */
  function* pageOfSeen({ page, per_page }: Paging, caller: Caller): Task<{ total: number; ids: number[] }> {
    const place = sql`limit ${per_page} offset ${(page - 1) * per_page}`
    const total = totalOf(caller)
    yield
    const rows = db.read.all<{ id: number }>(sql`${readablePictures(caller)} order by 1 desc ${place}`)
    return { total, ids: rows.map(({ id }) => id) }
  }

  /** Reads the names and texts of all pictures that a caller sees, a few hundred in a step. */
  function* pageOfSome(
    { page, per_page }: Paging,
    caller: Caller,
    filter: MediaFilter,
  ): Task<{ total: number; ids: number[] }> {
    const seen = canReadOthers(caller) ? sql`select id from media` : readablePictures(caller)
    const all = db.read.all<{ id: number }>(sql`${seen} order by 1 desc`).map(({ id }) => id)
    const likely = filter.include ? all.filter((id) => filter.include!.includes(id)) : all
    const found: number[] = []
    // what nobody else may read is no way to a picture
    const told = canReadOthers(caller) ? sql`status <> 'trash'` : SHOWN
    for (let at = 0; at < likely.length; at += CHUNK) {
      yield
      const ids = sql`select value from json_each(${JSON.stringify(likely.slice(at, at + CHUNK))})`
      const rows = db.read.all<Described>(
        sql`select id, file, alt_texts, captions, (select group_concat(title, char(10)) from posts where image_id = media.id and ${told}) as titles from media where id in (${ids}) order by id desc`,
      )
      found.push(...rows.filter((row) => matches(row, filter)).map(({ id }) => id))
    }
    return { total: found.length, ids: found.slice((page - 1) * per_page, page * per_page) }
  }

  return {
    /** A page of IDs of what is looked for, of those that a caller sees, newest first, and how many there are; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    search: (page: Paging, caller: Caller, filter: MediaFilter, spend?: Spend) =>
      scheduler.run(charged(pageOfSome(page, caller, filter), spend)),
    /** A page of IDs that a caller sees, newest first, and how many there are; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    list: (page: Paging, caller: Caller, spend?: Spend) =>
      scheduler.run(
        charged(
          canReadOthers(caller) ? pageOf(db, media, page, undefined, NEWEST) : pageOfSeen(page, caller),
          spend,
        ),
      ),
  }
}

/** A record that shows a picture: as its own, or in a text. */
type MediaUse = Pick<Post, 'id' | 'kind' | 'title' | 'slug' | 'status' | 'language'> & {
  as: 'image' | 'text'
}
/** Records that show a picture, as many as are told, and how many there are. */
export type MediaUses = { uses: MediaUse[]; total: number }

/** IDs whose texts are looked at in a step. */
const STEP = 2_000
/** Uses that are returned. */
const MOST = 100

type Row = Omit<MediaUse, 'as'> & Pick<Post, 'author_id' | 'password_hash'> & { own: 0 | 1 }

/** Where pictures are shown. */
export function openMediaUses(db: Pick<Db, 'read'>, scheduler: Scheduler) {
  /** Looks at all records, because texts name pictures by their files; in steps, so that others do not wait. */
  function* all({ id, file }: Pick<MediaRow, 'id' | 'file'>, caller: Caller): Task<MediaUses> {
    // sizes begin like the file itself
    const name = basename(file, extname(file))
    const { last } = db.read.get<{ last: number | null }>(sql`select max(id) as last from posts`)
    const found: MediaUses = { uses: [], total: 0 }
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
  return async (picture: Pick<MediaRow, 'id' | 'file'>, caller: Caller, spend?: Spend): Promise<MediaUses> =>
    scheduler.run(charged(all(picture, caller), spend))
}
