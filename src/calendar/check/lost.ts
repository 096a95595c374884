import { asc, gt, inArray } from 'drizzle-orm'
import { media } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { MediaFolder } from '../media/folder.ts'
import { leftBehind } from '../records/media/files.ts'
import { filesOf } from '../records/media/media.ts'
import { BATCH, type Difference, type Found } from './difference.ts'

/** The operations on the folder of images that the check uses. */
export type Files = Pick<MediaFolder, 'trouble' | 'present' | 'kept'>

/** The next images after this ID, and those that lack files. One whose row has been deleted during the check is not reported. */
export async function nextPictures(db: Db, { kept }: Files, after: number): Promise<Found> {
  const rows = await db.view(() =>
    db.read
      .select({ id: media.id, file: media.file, sizes: media.sizes })
      .from(media)
      .where(gt(media.id, after))
      .orderBy(asc(media.id))
      .limit(BATCH),
  )
  const found = new Set(await kept(rows.flatMap(filesOf)))
  const lacking = rows.flatMap((row): Difference[] => {
    const lost = filesOf(row).filter((name) => !found.has(name))
    return lost.length > 0
      ? [{ kind: 'picture', id: row.id, what: `picture ${row.id} lacks ${lost.join(', ')}` }]
      : []
  })
  const ids = rows.map(({ id }) => id)
  // files are deleted after their row, so if the row still exists they should have existed
  const lasting = new Set(await db.view(() => idsAmong(db, lacking)))
  return { ids, differences: lacking.filter(({ id }) => lasting.has(id)) }
}

const idsAmong = async ({ read }: Db, differences: Difference[]) => {
  const ids = differences.map(({ id }) => id)
  return (await read.select({ id: media.id }).from(media).where(inArray(media.id, ids))).map(({ id }) => id)
}

/** The files without an image, except those of uploads and deletions in progress. */
export async function leftFiles(db: Db, { present }: Files, now: number): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const { id, names } of await db.view(() => leftBehind(db.read, now))) {
    const left = await present(names)
    if (left.length > 0) differences.push({ kind: 'file', id, what: `no picture has ${left.join(', ')}` })
  }
  const lasting = new Set((await db.view(() => leftBehind(db.read, now))).map(({ id }) => id))
  return differences.filter(({ id }) => lasting.has(id))
}
