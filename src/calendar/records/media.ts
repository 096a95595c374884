import { isDeepStrictEqual } from 'node:util'
import { eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { type FocalPoint, loose_files, type MediaSize, media, posts } from '../../../drizzle/tables.ts'
import { STATUSES } from '../../../schemas/common.ts'
import type { MediaUpdate } from '../../../schemas/media.ts'
import { type Actor, record } from '../../kernel/access/audit-log.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError, forbidden } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'
import type { MediaRow } from '../formats/records.ts'
import { canEditImage, canReadOthers, canWrite, openOwn, readingLimits } from '../rights.ts'
import { withinLimits } from './limited-rights.ts'
import type { Guard } from './operations.ts'
import { project } from './projection.ts'
import type { Write } from './write.ts'

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
  /** What it shows and what stands below it, where it is made of another one. */
  alt_texts?: Record<string, string>
  captions?: Record<string, string>
  /** The note about its files, which ends when the row is inserted. */
  loose: number
}

type AltTexts = NonNullable<MediaUpdate['alt_texts']>
/** Texts about a picture by language: null removes one, and null for all of a kind removes these. Those that are left out stay. */
type PictureTexts = { alt_texts?: AltTexts | null; captions?: AltTexts }
/** What is set of a picture: its texts, and its focal point, of which null is the centre. */
type PictureUpdate = PictureTexts & { focal_point?: FocalPoint | null }

/** All files of a picture. */
export const filesOf = ({ file, sizes }: Pick<NewMedia, 'file' | 'sizes'>): string[] => [
  file,
  ...Object.values(sizes).map((size) => size.file),
]

/** A point as it is stored: the centre is none. */
const storedPoint = (point: FocalPoint | null): FocalPoint | null =>
  point === null || (point.x === 0.5 && point.y === 0.5) ? null : { x: point.x, y: point.y }

/** Adds an image; returns its ID. */
export async function insertMedia(
  w: Pick<Write, 'tx' | 'site' | 'now'>,
  { loose, ...picture }: NewMedia,
  author: number,
): Promise<number> {
  await endNote(w.tx, loose)
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

const mediaNotFound = (id: number) => new ApiError('media-not-found', `There is no media file with ID ${id}.`)

async function findMedia(db: Queries, id: number): Promise<MediaRow> {
  const [row] = await db.select().from(media).where(eq(media.id, id))
  if (!row) throw mediaNotFound(id)
  return row
}

/** What a caller does not see is as what does not exist (R19). */
async function findSeen(db: Queries, id: number, caller: Caller): Promise<MediaRow> {
  const row = await findMedia(db, id)
  if (!(await canReadPicture(db, id, caller))) throw mediaNotFound(id)
  return row
}

/** Throws unless the picture exists, and is the caller's or they may delete those of others. */
async function findOwn(
  db: Queries,
  id: number,
  caller: Caller,
  verb: 'change' | 'delete',
): Promise<MediaRow> {
  const row = await findMedia(db, id)
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
  return { id: await noteLooseFiles(tx, names, true, now), names }
}

/** Texts by language after an update. */
const textsAfter = (before: Record<string, string>, set: AltTexts | null = {}): Record<string, string> =>
  set === null
    ? {}
    : Object.fromEntries(
        Object.entries({ ...before, ...set }).filter((text): text is [string, string] => text[1] !== null),
      )

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
        const focal_point = set.focal_point === undefined ? row.focal_point : storedPoint(set.focal_point)
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
export const SHOWN = sql`status = 'publish' and password_hash is null and image_id is not null`

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

export type LooseFiles = { id: number; names: string[] }

/** Milliseconds after which an upload or deletion counts as interrupted, and its files as left behind. */
const LEFT_AFTER = 3_600_000

/** Whether a row of `media` or a note has one of these names. */
async function areTaken(tx: Queries, names: string[]): Promise<boolean> {
  const wanted = sql`(select value from json_each(${JSON.stringify(names)}))`
  const [taken] = tx.all(
    sql`select 1 from media where file in ${wanted} union all select 1 from loose_files, json_each(loose_files.names) as name where name.value in ${wanted} limit 1`,
  )
  return taken !== undefined
}

/** Notes the files of a row for deletion, in the transaction that deletes the row. */
export async function noteLooseFiles(
  tx: Queries,
  names: string[],
  given_up: boolean,
  now: number,
): Promise<number> {
  const [row] = await tx
    .insert(loose_files)
    .values({ names, given_up, noted_utc: toWall(now, 'UTC') })
    .returning({ id: loose_files.id })
  return row!.id
}

/** Ends a note in the transaction that creates the row for its files; throws if another process has revoked the note. */
export async function endNote(tx: Queries, id: number) {
  const [row] = await tx.delete(loose_files).where(eq(loose_files.id, id)).returning()
  if (row && !row.given_up) return
  throw new ApiError(
    'rest_not_ready',
    'The image was discarded, because it took too long or the service was restarted; send it again.',
    { retry_after: 1 },
  )
}

/** The notes of interrupted work, whose files were left behind. */
export const leftBehind = (db: Queries, now: number): Promise<LooseFiles[]> =>
  db
    .select({ id: loose_files.id, names: loose_files.names })
    .from(loose_files)
    .where(lt(loose_files.noted_utc, toWall(now - LEFT_AFTER, 'UTC')))

/**
 * Deletes the files of a note and ends it, in one transaction, so that nobody takes their names or inserts a row for them meanwhile.
 * Deletes nothing if the note is gone. Returns false, and keeps the note, if `unlink` did not delete all files.
 */
export const removeLoose = (db: Db, id: number, unlink: (names: string[]) => boolean): Promise<boolean> =>
  db.local(async (tx) => {
    const [note] = await tx.select().from(loose_files).where(eq(loose_files.id, id))
    if (note && !unlink(note.names)) return false
    await tx.delete(loose_files).where(eq(loose_files.id, id))
    return true
  })

/** Notes about files without a row. They are made before the files, so that all files of a killed process are found. */
const openFiles = (db: Db, clock: () => number) => ({
  /** Reserves names for files that will be written; returns undefined if one is taken. */
  claim: (names: string[]): Promise<number | undefined> =>
    db.local(async (tx) =>
      (await areTaken(tx, names)) ? undefined : noteLooseFiles(tx, names, false, clock()),
    ),
  /** Deletes the files of a note, and ends it. */
  remove: (id: number, unlink: (names: string[]) => boolean) => removeLoose(db, id, unlink),
  /** Ends a note whose files were not written. */
  async forget(id: number) {
    await db.local(async (tx) => void (await tx.delete(loose_files).where(eq(loose_files.id, id))))
  },
  /** The notes about files that are to be deleted. */
  givenUp: (): Promise<LooseFiles[]> =>
    db.read.select().from(loose_files).where(eq(loose_files.given_up, true)).execute(),
  /** Revokes all notes: from then on no row can be inserted for their files, and they may be deleted. */
  async giveUp(): Promise<LooseFiles[]> {
    const noted = await db.read.select().from(loose_files)
    if (noted.length > 0)
      await db.local(async (tx) => void (await tx.update(loose_files).set({ given_up: true })))
    return noted.length > 0 ? db.read.select().from(loose_files) : []
  },
})
