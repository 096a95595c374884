import { basename } from 'node:path'
import { count, desc, sql } from 'drizzle-orm'
import { media } from '../../../drizzle/tables.ts'
import { type Caller, canReadOthers, canWrite } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import { fold, storedStem, toPlainText } from '../../kernel/text/text.ts'
import { readablePictures } from '../records/media/media.ts'
import { charged } from './price.ts'
import type { Spend } from './selections/selection.ts'

type Page = { page: number; per_page: number }
/** Pictures that are looked for: by ID, by folded words in names and texts, by the readable parts of their names or by their names in full. */
export type PictureFilter = {
  include?: number[] | undefined
  words?: string[] | undefined
  slugs?: string[] | undefined
}

/** Pictures whose names and texts are read at once. */
const CHUNK = 500

type Described = { id: number; file: string; alt_texts: string; captions: string }

/** Whether a picture is one of those that are looked for by name or text. */
function fits({ file, alt_texts, captions }: Described, { words, slugs }: PictureFilter): boolean {
  const name = basename(file)
  if (slugs && !slugs.includes(storedStem(file)) && !slugs.includes(name.replace(/\.\w+$/, ''))) return false
  if (!words) return true
  const textsIn = (json: string) => Object.values<string>(JSON.parse(json))
  const texts = [...textsIn(alt_texts), ...textsIn(captions).map(toPlainText)]
  const folded = fold([name, ...texts].join('\n'))
  return words.every((word) => folded.includes(word))
}

/** Lists of pictures. */
export const openPictureLists = (db: Db, scheduler: Scheduler) => {
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
  function* pageOf({ page, per_page }: Page, caller: Caller): Task<{ total: number; ids: number[] }> {
    const place = sql`limit ${per_page} offset ${(page - 1) * per_page}`
    const total = totalOf(caller)
    yield
    const rows = db.read.all<{ id: number }>(sql`${readablePictures(caller)} order by 1 desc ${place}`)
    return { total, ids: rows.map(({ id }) => id) }
  }
  function* pageOfAll({ page, per_page }: Page): Task<{ total: number; ids: number[] }> {
    const [all] = db.read.select({ total: count() }).from(media).all()
    yield
    const rows = db.read
      .select({ id: media.id })
      .from(media)
      .orderBy(desc(media.id))
      .limit(per_page)
      .offset((page - 1) * per_page)
      .all()
    return { total: all!.total, ids: rows.map(({ id }) => id) }
  }

  /** Reads the names and texts of all pictures that a caller sees, a few hundred in a step. */
  function* pageOfSome(
    { page, per_page }: Page,
    caller: Caller,
    filter: PictureFilter,
  ): Task<{ total: number; ids: number[] }> {
    const seen = canReadOthers(caller) ? sql`select id from media` : readablePictures(caller)
    const all = db.read.all<{ id: number }>(sql`${seen} order by 1 desc`).map(({ id }) => id)
    const likely = filter.include ? all.filter((id) => filter.include!.includes(id)) : all
    const found: number[] = []
    for (let at = 0; at < likely.length; at += CHUNK) {
      yield
      const ids = sql`select value from json_each(${JSON.stringify(likely.slice(at, at + CHUNK))})`
      const rows = db.read.all<Described>(
        sql`select id, file, alt_texts, captions from media where id in (${ids}) order by id desc`,
      )
      found.push(...rows.filter((row) => fits(row, filter)).map(({ id }) => id))
    }
    return { total: found.length, ids: found.slice((page - 1) * per_page, page * per_page) }
  }

  return {
    /** A page of IDs of what is looked for, of those that a caller sees, newest first, and how many there are; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    search: (page: Page, caller: Caller, filter: PictureFilter, spend?: Spend) =>
      scheduler.run(charged(pageOfSome(page, caller, filter), spend)),
    /** A page of IDs that a caller sees, newest first, and how many there are; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    list: (page: Page, caller: Caller, spend?: Spend) =>
      scheduler.run(charged(canReadOthers(caller) ? pageOfAll(page) : pageOf(page, caller), spend)),
  }
}
