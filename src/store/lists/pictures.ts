import { count, desc, sql } from 'drizzle-orm'
import { media } from '../../../drizzle/tables.ts'
import { type Caller, canReadOthers, canWrite } from '../../rules/roles.ts'
import type { Scheduler, Task } from '../../support/scheduler.ts'
import { readablePictures } from '../records/media/media.ts'
import type { Db } from '../sqlite/db.ts'
import { charged } from './price.ts'
import type { Spend } from './selections/selection.ts'

type Page = { page: number; per_page: number }

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

  return {
    /** A page of IDs that a caller sees, newest first, and how many there are; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    list: (page: Page, caller: Caller, spend?: Spend) =>
      scheduler.run(charged(canReadOthers(caller) ? pageOfAll(page) : pageOf(page, caller), spend)),
  }
}
