import { and, eq, ne, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { posts, terms } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import type { Clearable } from '../../../schemas/input.ts'
import type { Actor } from '../../kernel/access/audit-log.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Join } from '../../kernel/database/context.ts'
import { columnsOf, prepared, type Queries } from '../../kernel/database/db.ts'
import { forbidden } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { toSlug, withSuffix } from '../../kernel/text/text.ts'
import { toEpoch, toUtc, toWall } from '../../kernel/time/dates.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import { hasDates, isDraft, type Post } from '../formats/records.ts'
import { canEdit, canPublish, isWithin } from '../rights.ts'
import { foldAll } from './derived.ts'
import { insertMedia, type NewMedia } from './media.ts'
import { type PostKind, trashedSlug } from './posts.ts'

/** A write in progress: its transaction, its caller and its context. */
export type Write = {
  tx: Queries
  /** Joins a transaction that is open; absent of a write that has one of its own. */
  join?: Join | undefined
  site: Site
  caller: Caller
  /** The caller, and from where the write comes, for the audit log. */
  by: Actor
  /** Unix milliseconds, the same for the whole write. */
  now: number
  /** Language of new records that have none. */
  language: string
  /** Pictures given by URL: the ID of a known one, or the files of a new one. */
  pictures: Map<string, number | NewMedia>
  /** Ignored members, for `X-Ignored-Fields`. */
  ignored: string[]
  /** The body as it was sent, before it was read. */
  given: Record<string, unknown>
  /** Created terms, for `X-Created-Terms`. */
  created: { plural: string; id: number; name: string }[]
  /** The ID that the record which this write creates keeps, and those of the dates of a series that get one: they have to be free. */
  ids?: { own?: number | undefined; ofDate?: (date: string) => number | undefined }
  /** What is written is from elsewhere, where a series may have more dates than one has here (R26); `since` is the first that it has there. */
  long?: { since?: string | undefined }
  /** Of a write to a translation group: the series whose occurrences are still to be synchronized, and the new group of series by the one that they had. */
  translations?: { pending: Set<number>; begun: Map<number, number> }
}

/** What is known of a write that the service itself may do: without `caller` it does. */
export type ServiceWrite = Pick<Write, 'tx' | 'site' | 'now'> &
  Partial<Pick<Write, 'caller' | 'translations' | 'ids'>>
/** What is read for a caller, inside a write or before it. */
export type Reading = Pick<Write, 'tx' | 'caller'>

/** The members that the inputs of the three kinds share. */
export type PostInput = {
  author?: number | null
  date?: string | null
  date_utc?: string | null
  status?: Status | null
  title?: string | null
  slug?: string | null
  description?: Clearable<string>
  excerpt?: Clearable<string>
  image?: Clearable<{ id: number } | { url: string }>
  post_parent?: number | null
  translation_of?: number | null
  i18n_language?: string | null
  password_hash?: string | null
  source?: string | null
  external_id?: string | null
}

/** The slug after a write (R8). `automatic` says whether drafts get one from their title as well. */
async function slugAfter(
  w: Write,
  kind: PostKind,
  title: string,
  input: PostInput,
  status: Status,
  automatic: boolean,
  self?: Post,
): Promise<string> {
  const id = self?.id ?? 0
  const fromTitle = toSlug(title)
  if (input.slug) return freePostSlug(w.tx, kind, input.slug, id)
  // from the body: a title that is sent back as shown is not in the input
  if (input.slug === null && self && w.given.title)
    return freePostSlug(w.tx, kind, fromTitle || String(self.id), id)
  if (self?.status === 'trash' && self.untrashed_slug)
    return freePostSlug(w.tx, kind, self.untrashed_slug, id)
  if (self && self.status !== 'trash' && (self.slug || status === 'trash')) return self.slug
  if (!automatic && isDraft(status)) return ''
  return freePostSlug(w.tx, kind, fromTitle || (self ? String(self.id) : kind), id)
}

async function imageAfter(w: Write, input: PostInput, self?: Post): Promise<number | null> {
  if (input.image === undefined) return self?.image_id ?? null
  if (input.image === null) return null
  if ('id' in input.image) return input.image.id
  const picture = w.pictures.get(input.image.url)!
  if (typeof picture === 'number') return picture
  const id = await insertMedia(w, picture, w.caller!.id)
  w.pictures.set(input.image.url, id)
  return id
}

/**
 * The translation group after a write. A translation replaces its original in requests for its language, so only callers who may
 * edit the original may link to it; throws 403.
 */
async function translationGroupAfter(w: Write, input: PostInput, self?: Post): Promise<number | null> {
  if (input.translation_of === undefined) return self?.translation_group ?? null
  if (input.translation_of === null) return null
  const [row] = await w.tx.select().from(posts).where(eq(posts.id, input.translation_of))
  const original = row!
  if (original.translation_group !== null && original.translation_group === self?.translation_group)
    return original.translation_group
  if (!canEdit(w.caller, original)) throw forbidden(true, `add a translation to this ${original.kind}`)
  // events at a translation of a venue are within the limits that name the venue, so nobody extends their own
  if (self && original.kind === 'venue' && isWithin(w.caller, original) && !isWithin(w.caller, self))
    throw forbidden(true, 'make this venue a translation of one to which your rights are limited')
  const group = original.translation_group ?? (await newTranslationGroup(w.tx, posts))
  if (original.translation_group === null)
    await w.tx.update(posts).set({ translation_group: group }).where(eq(posts.id, original.id))
  return group
}

const { id: _, ...COLUMNS } = columnsOf(posts)
/** When a record was changed that is written now, in the zone of the site and in UTC. */
export const modified = ({ now, site }: Pick<Write, 'now' | 'site'>) => ({
  modified: toWall(now, site.zone),
  modified_utc: toWall(now, 'UTC'),
})

const insertNext = prepared((db) => db.insert(posts).values(COLUMNS).returning({ id: posts.id }).prepare())
const insertKept = prepared((db) =>
  db.insert(posts).values(columnsOf(posts)).returning({ id: posts.id }).prepare(),
)
/** Inserts a row of `posts` with an ID that is free, or with the next one; that of `post` is ignored. Returns it. */
export async function insertPost(tx: Queries, post: Post, id?: number): Promise<number> {
  const [made] = await (id === undefined
    ? insertNext(tx).execute(post)
    : insertKept(tx).execute({ ...post, id }))
  return made!.id
}
/** The indexed columns. If none of them changes, SQLite does not touch the indexes. */
const INDEXED = [
  'kind',
  'status',
  'slug',
  'date',
  'date_utc',
  'folded_title',
  'author_id',
  'translation_group',
  'image_id',
  'parent_id',
] as const
const update = (columns: SQLiteUpdateSetSource<typeof posts>) =>
  prepared((db) =>
    db
      .update(posts)
      .set(columns)
      .where(eq(posts.id, sql.placeholder('id')))
      .prepare(),
  )
const updateAll = update(COLUMNS)
const updateTexts = update(
  Object.fromEntries(
    Object.entries(COLUMNS).filter(([name]) => !(INDEXED as readonly string[]).includes(name)),
  ),
)

/**
 * Writes the shared part of a new or changed record and returns the row. `texts` are those, besides the
 * title, that searches use. Records in the input were checked before.
 */
export async function savePost(
  w: Write,
  kind: PostKind,
  title: string,
  input: PostInput,
  texts: string[],
  self?: Post,
): Promise<Post> {
  const { status, date, date_utc } = publication(w, kind, input, self)
  const slug = await slugAfter(w, kind, title, input, status, !hasDates(kind), self)
  const { folded, folded_title } = foldAll(title, texts)
  const post: Post = {
    id: self?.id ?? 0,
    kind,
    status,
    title,
    // a record created in the trash keeps its slug, as in the reference
    slug: self && status === 'trash' ? trashedSlug(slug) : slug,
    untrashed_slug: status === 'trash' ? slug : null,
    // what is in the trash is restored or refused, so this is the status of before
    untrashed_status: status === 'trash' ? ((self?.status ?? null) as Post['untrashed_status']) : null,
    description: textAfter(input.description, self?.description),
    excerpt: textAfter(input.excerpt, self?.excerpt),
    author_id: input.author ?? self?.author_id ?? w.caller!.id,
    language: input.i18n_language ?? self?.language ?? w.language,
    translation_group: await translationGroupAfter(w, input, self),
    image_id: await imageAfter(w, input, self),
    parent_id: input.post_parent === undefined ? (self?.parent_id ?? null) : input.post_parent || null,
    date,
    date_utc,
    ...modified(w),
    password_hash: input.password_hash === undefined ? (self?.password_hash ?? null) : input.password_hash,
    folded,
    folded_title,
  }
  if (!self) {
    post.id = await insertPost(w.tx, post, w.ids?.own)
    return post
  }
  await updatePost(w.tx, post, self)
  return post
}

/** Writes the row of a post, which was `before`. */
export async function updatePost(tx: Queries, post: Post, before: Post) {
  const isMoved = INDEXED.some((name) => post[name] !== before[name])
  await (isMoved ? updateAll : updateTexts)(tx).execute(post)
}

/** A text after a write: absent keeps, null clears (D1, D24). */
export const textAfter = (given: string | null | undefined, stored: string | undefined) =>
  given === undefined ? (stored ?? '') : (given ?? '')

/** A number for a new translation group: one that no record has, as a group outlives the record it began with. */
export async function newTranslationGroup(tx: Queries, table: typeof posts | typeof terms): Promise<number> {
  const next = sql<number>`coalesce(max(${table.translation_group}), 0) + 1`
  const [row] = await tx.select({ next }).from(table)
  return row!.next
}

/**
 * Status and publication dates after a write (D36, reference §4.5). `publish` from a contributor becomes `pending`; with a future date
 * it becomes `future`. A date that was sent, or with which the record was published, is kept whatever the status becomes (D1).
 */
function publication(
  w: Write,
  kind: PostKind,
  input: PostInput,
  self?: Post,
): Pick<Post, 'status' | 'date' | 'date_utc'> {
  const { zone } = w.site
  const read = (value: string, as: string) => inZone(readMoment(value, { now: w.now, zone: as })!, as)
  const here = toWall(w.now, zone)
  let status = input.status ?? self?.status ?? (canPublish(w.caller) ? 'publish' : 'draft')
  if (input.status && !canPublish(w.caller) && (status === 'publish' || status === 'future'))
    status = 'pending'
  let date = self?.date ?? here
  let utc = self?.date_utc ?? ''
  if (input.date_utc) {
    utc = read(input.date_utc, 'UTC')
    date = input.date ? read(input.date, zone) : toWall(toEpoch(utc, 'UTC'), zone)
  } else if (input.date) {
    date = read(input.date, zone)
    // a new date of a venue or organizer does not change its date in UTC, as recorded
    if (!self || hasDates(kind)) utc = toUtc(date, zone)
  }
  // without a date in the input, a record has that of its first publication; drafts, also in the trash, have none yet
  const waits = isDraft(status) || (status === 'trash' && self !== undefined)
  if (utc === '' && !waits) {
    if (date <= here) date = here
    utc = toUtc(date, zone)
  }
  if (status === 'publish' || status === 'future') status = utc > toWall(w.now, 'UTC') ? 'future' : 'publish'
  return { status, date, date_utc: utc }
}

/** Finds slugs that are free among the records of a table and a kind. */
function openFreeSlugs(table: typeof posts | typeof terms, kind: SQLiteColumn) {
  const others = prepared((db) =>
    db
      .select({ id: table.id })
      .from(table as typeof posts)
      .where(
        and(
          eq(kind, sql.placeholder('kind')),
          eq(table.slug, sql.placeholder('slug')),
          ne(table.id, sql.placeholder('self')),
        ),
      )
      .limit(1)
      .prepare(),
  )
  return (tx: Queries, kind: string, slug: string, self: number) =>
    free(slug, async (slug) => (await others(tx).execute({ kind, slug, self })).length > 0)
}

/** The slug, or the first of `slug-2`, `slug-3`, ... that no other record of the kind has (R8). */
export const freePostSlug = openFreeSlugs(posts, posts.kind)

/** The slug, or the first numbered one that no other term of the taxonomy has (R8). */
export const freeTermSlug = openFreeSlugs(terms, terms.taxonomy)

/** Numbers that are tried one by one. */
const FIRST = 20

/** If more slugs are taken, halving finds a free number after a taken one. */
async function free(slug: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  if (!(await isTaken(slug))) return slug
  const isNumberTaken = (number: number) => isTaken(withSuffix(slug, number))
  for (let number = 2; number <= FIRST; number++)
    if (!(await isNumberTaken(number))) return withSuffix(slug, number)
  let low = FIRST
  let high = 2 * FIRST
  while (await isNumberTaken(high)) {
    low = high
    high *= 2
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isNumberTaken(middle)) low = middle
    else high = middle
  }
  return withSuffix(slug, high)
}

/** The row of a post as it is in the trash. */
export const trashedPost = ({ site, now }: Pick<Write, 'site' | 'now'>, post: Post): Post => ({
  ...post,
  status: 'trash',
  date_utc: post.date_utc || toUtc(post.date, site.zone),
  slug: trashedSlug(post.slug),
  untrashed_slug: post.slug,
  untrashed_status: post.status as Post['untrashed_status'],
  ...modified({ site, now }),
})
