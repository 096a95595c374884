import { isDeepStrictEqual } from 'node:util'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { type FocalPoint, type MediaSize, media, posts } from '../../../../drizzle/tables.ts'
import { STATUSES } from '../../../../schemas/common.ts'
import type { MediaUpdate } from '../../../../schemas/media.ts'
import { type Actor, record } from '../../../kernel/access/audit-log.ts'
import {
  type Caller,
  canEditImage,
  canReadOthers,
  canWrite,
  openOwn,
  readingLimits,
} from '../../../kernel/access/roles.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError, forbidden } from '../../../kernel/errors.ts'
import type { Site } from '../../../kernel/site.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { MediaRow } from '../../formats/records.ts'
import { withinLimits } from '../limits.ts'
import { project } from '../projection/project.ts'
import type { Write } from '../write.ts'
import { type LooseFiles, noteLoose, openFiles, settle } from './files.ts'

/** An image whose files are already in MEDIA_DIR, but have no row yet. */
export type NewMedia = {
  file: string
  mime_type: string
  extension: string
  width: number
  height: number
  filesize: number
  sizes: Record<string, MediaSize>
  origin_url: string | null
  /** The note about its files, which ends when the row is inserted. */
  loose: number
}

type AltTexts = NonNullable<MediaUpdate['alt_texts']>
/** Texts about a picture by language: null removes one, and null for all of a kind removes these. Those that are left out stay. */
type PictureTexts = { alt_texts?: AltTexts | null; captions?: AltTexts }
/** What is set of a picture: its texts, and its focal point, of which null is the centre. */
export type PictureUpdate = PictureTexts & { focal_point?: FocalPoint | null }

/** All files of a picture. */
export const filesOf = ({ file, sizes }: Pick<NewMedia, 'file' | 'sizes'>): string[] => [
  file,
  ...Object.values(sizes).map((size) => size.file),
]

/** A point as it is stored: the centre is none. */
const pointOf = (point: FocalPoint | null): FocalPoint | null =>
  point === null || (point.x === 0.5 && point.y === 0.5) ? null : { x: point.x, y: point.y }

/** Adds an image; returns its ID. */
export async function insertMedia(
  w: Pick<Write, 'tx' | 'site' | 'now'>,
  { loose, ...picture }: NewMedia,
  author: number,
): Promise<number> {
  await settle(w.tx, loose)
  const [row] = await w.tx
    .insert(media)
    .values({
      ...picture,
      author_id: author,
      date_utc: toWall(w.now, 'UTC'),
    })
    .returning({ id: media.id })
  await project(w, 'media', { after: row! })
  return row!.id
}

const unknown = (id: number) => new ApiError('media-not-found', `There is no media file with ID ${id}.`)

async function find(db: Queries, id: number): Promise<MediaRow> {
  const [row] = await db.select().from(media).where(eq(media.id, id))
  if (!row) throw unknown(id)
  return row
}

/** What a caller does not see is as what does not exist (R19). */
async function findSeen(db: Queries, id: number, caller: Caller): Promise<MediaRow> {
  const row = await find(db, id)
  if (!(await canReadPicture(db, id, caller))) throw unknown(id)
  return row
}

/** Throws unless the picture exists, and is the caller's or they may delete those of others. */
async function findOwn(
  db: Queries,
  id: number,
  caller: Caller,
  verb: 'change' | 'delete',
): Promise<MediaRow> {
  const row = await find(db, id)
  if (!canEditImage(caller, row)) throw forbidden(true, `${verb} images of others`)
  return row
}

/** Deletes the row of a picture, and removes it from all records; returns its files, which are deleted after the commit. */
export async function eraseMedia(
  w: Pick<Write, 'tx' | 'site' | 'now' | 'caller' | 'by'>,
  row: MediaRow,
): Promise<LooseFiles> {
  const { tx, now } = w
  const { id } = row
  const shown = await tx.update(posts).set({ image_id: null }).where(eq(posts.image_id, id)).returning()
  await tx.delete(media).where(eq(media.id, id))
  for (const post of shown)
    await project(w, 'post', { before: { post: { ...post, image_id: id } }, after: { post } })
  await project(w, 'media', { before: row })
  await record(w, 'record_deleted', { kind: 'media', id }, { file: row.file })
  const names = filesOf(row)
  return { id: await noteLoose(tx, names, true, now), names }
}

/** Texts by language after an update. */
const textsAfter = (before: Record<string, string>, set: AltTexts | null = {}): Record<string, string> =>
  set === null
    ? {}
    : Object.fromEntries(
        Object.entries({ ...before, ...set }).filter((text): text is [string, string] => text[1] !== null),
      )

/** Runs a write in its transaction, after the check of `If-Match`. */
type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

export function openMedia(db: Db, site: Site) {
  return {
    files: openFiles(db, site.clock),
    /** The picture, if the caller sees it; throws 404 otherwise. */
    find: (id: number, caller: Caller) => findSeen(db.read, id, caller),
    findOwn: (id: number, caller: Caller, verb: 'change' | 'delete') => findOwn(db.read, id, caller, verb),
    /** The picture that was downloaded from `url` before, or whose own file has this path. */
    async known(url: string, file: string | undefined): Promise<number | undefined> {
      const [row] = await db.read
        .select({ id: media.id })
        .from(media)
        .where(file === undefined ? eq(media.origin_url, url) : eq(media.file, file))
      return row?.id
    },
    /** Whether a picture has a file of this path, in full or in another size. */
    async hasFile(name: string): Promise<boolean> {
      const full = name.replace(/-\d+x\d+(\.\w+)$/, '$1')
      const rows = await db.read
        .select({ file: media.file, sizes: media.sizes })
        .from(media)
        .where(inArray(media.file, [name, full]))
      return rows.flatMap(filesOf).includes(name)
    },
    create: (picture: NewMedia, caller: NonNullable<Caller>) =>
      db.write((tx) => insertMedia({ tx, site, now: site.clock() }, picture, caller.id)),
    /** The captions of pictures by language, by ID. */
    async captions(ids: number[]): Promise<Map<number, Record<string, string>>> {
      const { id, captions } = media
      const rows = await db.read.select({ id, captions }).from(media).where(inArray(id, ids))
      return new Map(rows.map((row) => [row.id, row.captions]))
    },
    /** Sets texts and the focal point of a picture. Records with it are told as refreshed, because their pages follow both. */
    describe(id: number, set: PictureUpdate, caller: Caller, guard: Guard): Promise<void> {
      const describe = async (tx: Queries) => {
        const row = await findOwn(tx, id, caller, 'change')
        const alt_texts = textsAfter(row.alt_texts, set.alt_texts)
        const captions = textsAfter(row.captions, set.captions)
        const focal_point = set.focal_point === undefined ? row.focal_point : pointOf(set.focal_point)
        const { alt_texts: texts, captions: below, focal_point: point } = row
        if (isDeepStrictEqual([alt_texts, captions, focal_point], [texts, below, point])) return
        const now = site.clock()
        await tx.update(media).set({ alt_texts, captions, focal_point }).where(eq(media.id, id))
        await project({ tx, site, now, caller }, 'media', { before: row, after: row })
      }
      return db.write((tx) => guard(tx, () => describe(tx)))
    },
    /** Deletes the row, and removes the image from all records; returns the files to delete. */
    remove(id: number, by: Actor, guard: Guard): Promise<LooseFiles> {
      const erase = async (tx: Queries) => {
        const { caller } = by
        const row = await findOwn(tx, id, caller, 'delete')
        return eraseMedia({ tx, site, now: site.clock(), caller, by }, row)
      }
      return db.write((tx) => guard(tx, () => erase(tx)))
    },
  }
}
export type Media = ReturnType<typeof openMedia>

/** Records that everybody may read: their pictures are in an index of their own, `posts_shown_image`. */
const SHOWN = sql`status = 'publish' and password_hash is null and image_id is not null`

/** The records of a caller that they may read, in full: what a password protects only with the right to edit it. */
function ownOf(caller: NonNullable<Caller>): SQL {
  const open = openOwn(caller, STATUSES)
  const editable = sql`status in (select value from json_each(${JSON.stringify(open)}))`
  return sql`author_id = ${caller.id} and image_id is not null and status <> 'trash' and (password_hash is null or ${editable})`
}

/** The records of others that a caller with limits may read, if they have limits. */
function withinOf(caller: Caller): SQL | undefined {
  const limits = readingLimits(caller)
  return limits && sql`image_id is not null and status <> 'trash' and ${withinLimits(posts.id, limits)}`
}

/** A query of the pictures that a caller sees: those that a record shows which they may read (R19), and their own uploads. */
export function readablePictures(caller: Caller): SQL {
  // SQLite would rather read all that is published
  const shown = sql`select image_id as id from posts indexed by posts_shown_image where ${SHOWN}`
  if (!canWrite(caller)) return sql`${shown} group by image_id`
  const within = withinOf(caller)
  const own = sql`select image_id from posts where ${ownOf(caller!)}`
  const all = within ? sql`${own} union select image_id from posts where ${within}` : own
  return sql`${shown} union ${all} union select id from media where author_id = ${caller!.id}`
}

/** Whether a caller sees a picture that exists. */
export async function canReadPicture(db: Queries, id: number, caller: Caller): Promise<boolean> {
  if (canReadOthers(caller)) return true
  const within = withinOf(caller)
  const own = canWrite(caller) ? sql`(${SHOWN}) or (${ownOf(caller!)})` : SHOWN
  const among = within ? sql`${own} or (${within})` : own
  const shown = sql`exists (select 1 from posts where image_id = ${id} and (${among}))`
  const uploaded = canWrite(caller)
    ? sql`exists (select 1 from media where id = ${id} and author_id = ${caller!.id})`
    : sql`false`
  return db.get<{ sees: 0 | 1 }>(sql`select ${shown} or ${uploaded} as sees`).sees === 1
}
