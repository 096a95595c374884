import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import { links, media, posts, users } from '../../drizzle/tables.ts'
import type { Clearable, Status } from '../../schemas/common.ts'
import { inZone, readMoment, toEpoch, toUtc, toWall } from '../dates.ts'
import { ApiError, type ErrorCode, forbidden, type Problems } from '../errors.ts'
import { type Caller, canEdit, canEditOthers, canPublish, canRead, canWrite } from '../roles.ts'
import { fold, toSlug } from '../text.ts'
import { type Operation, recordChange } from './changes.ts'
import type { Db, Queries } from './db.ts'
import { saveDocument } from './documents.ts'
import { countTerms, linksOf, unlinkEverywhere } from './links.ts'
import { insertMedia, type NewMedia } from './media.ts'
import type { Post } from './render.ts'
import type { Site } from './site.ts'
import { freePostSlug } from './slugs.ts'

export type PostKind = Post['kind']
/** How a record is named in a path; the two are treated alike (D7). */
export type Key = { id: number } | { slug: string }

/** A write in progress: its transaction, who writes, and what was brought along. */
export type Write = {
  tx: Queries
  site: Site
  caller: Caller
  /** Unix milliseconds, the same for the whole write. */
  now: number
  /** Language of what is created without one. */
  language: string
  /** Pictures given by URL: the ID of a known one, or the files of a new one. */
  pictures: Map<string, number | NewMedia>
  /** What could not be taken, for `X-Ignored-Fields`. */
  ignored: string[]
}

/** What the three kinds have in common on input. */
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
}

const NOT_FOUND = {
  event: 'rest-event-not-found',
  venue: 'venue-not-found',
  organizer: 'organizer-not-found',
} as const
const code = (kind: PostKind, suffix: 'not-accessible' | 'is-in-trash') => `${kind}-${suffix}` as ErrorCode

/** The record that a path names, whatever its status. Throws the kind's 404. */
export async function findPost(db: Queries, kind: PostKind, key: Key): Promise<Post> {
  const post = 'id' in key ? await findById(db, kind, key.id) : await findBySlug(db, kind, key.slug)
  if (!post)
    throw new ApiError(
      NOT_FOUND[kind],
      `There is no ${kind} with ${'id' in key ? `ID ${key.id}` : `the slug "${key.slug}"`}.`,
    )
  return post
}
export async function findById(db: Queries, kind: PostKind, id: number): Promise<Post | undefined> {
  const [post] = await db
    .select()
    .from(posts)
    .where(and(eq(posts.id, id), eq(posts.kind, kind)))
  return post
}
/** Slugs in paths match without case (R8); stored ones are percent-encoded. */
async function findBySlug(db: Queries, kind: PostKind, slug: string): Promise<Post | undefined> {
  const encoded = encodeURIComponent(slug).toLowerCase()
  const [post] = await db
    .select()
    .from(posts)
    .where(and(eq(posts.kind, kind), eq(posts.slug, encoded)))
  return post
}

/** Throws the 403 that a single read by this caller gets, if any (D8, D30). */
export function checkReadable(post: Post, caller: Caller) {
  if (post.kind === 'event' && post.status === 'trash')
    throw new ApiError('event-no-longer-available', 'This event is in the trash.')
  if (post.status === 'trash' ? canEdit(caller, post) : canRead(caller, post)) return
  throw new ApiError(
    code(post.kind, 'not-accessible'),
    `This ${post.kind} is not published, and you may not read it.`,
  )
}

/** The translation of a record into `language` where there is one that the caller may read, else the record (D21). */
export async function translated(
  db: Queries,
  post: Post,
  language: string | undefined,
  caller: Caller,
): Promise<Post> {
  if (language === undefined || post.language === language || post.translation_group === null) return post
  const same = and(
    eq(posts.translation_group, post.translation_group),
    eq(posts.language, language),
    eq(posts.kind, post.kind),
  )
  const [other] = await db.select().from(posts).where(same)
  return other && other.status !== 'trash' && canRead(caller, other) ? other : post
}

/** Records of these statuses that the caller may read one by one (D8, D36); without statuses the default ones. */
export function visible(caller: Caller, statuses: readonly (Status | 'any')[] | undefined): SQL | undefined {
  if (!canWrite(caller)) return eq(posts.status, 'publish')
  const all = statuses === undefined || statuses.includes('any')
  const wanted = all ? ne(posts.status, 'trash') : inArray(posts.status, statuses as Status[])
  if (canEditOthers(caller)) return wanted
  return and(wanted, or(eq(posts.status, 'publish'), eq(posts.author_id, caller!.id)))
}

/** Throws 401 or 403 where the caller may not write this kind at all; before existence is looked at (R8). */
export function checkMayWrite(caller: Caller, what: string) {
  if (!canWrite(caller)) throw forbidden(caller !== undefined, what)
}

/** The record to change. Throws 404, and 403 where it is somebody else's business. */
export async function findEditable(w: Write, kind: PostKind, key: Key, verb: string): Promise<Post> {
  checkMayWrite(w.caller, `${verb} ${kind}s`)
  const post = await findPost(w.tx, kind, key)
  if (!canEdit(w.caller, post)) throw forbidden(true, `${verb} this ${kind}`)
  return post
}

/** Throws the 410 of an update of something in the trash, unless it carries a status (D30). */
export function checkNotInTrash(post: Post, status?: Status | null) {
  if (post.status === 'trash' && !status)
    throw new ApiError(
      code(post.kind, 'is-in-trash'),
      `This ${post.kind} is in the trash; send a \`status\` to restore it.`,
    )
}

/** What is wrong with the records that an input names (author, image, parent, translation). */
export async function checkPostInput(
  w: Write,
  kind: PostKind,
  input: PostInput,
  self?: Post,
): Promise<Problems> {
  const problems: Problems = {}
  if (input.author) {
    const [user] = await w.tx.select({ id: users.id }).from(users).where(eq(users.id, input.author))
    if (!user) problems.author = `There is no user with ID ${input.author}.`
  }
  if (input.image && 'id' in input.image) {
    const [row] = await w.tx.select({ id: media.id }).from(media).where(eq(media.id, input.image.id))
    if (!row)
      problems.image = `There is no image with ID ${input.image.id}; upload one at /media or give its URL.`
  }
  if (input.post_parent) {
    const parent = await findById(w.tx, 'event', input.post_parent)
    if (!parent) problems.post_parent = `There is no event with ID ${input.post_parent}.`
    else if (parent.id === self?.id) problems.post_parent = 'An event can not be its own parent.'
  }
  if (input.translation_of) {
    const original = await findById(w.tx, kind, input.translation_of)
    const language = input.i18n_language ?? self?.language ?? w.language
    if (!original || !canRead(w.caller, original))
      problems.translation_of = `There is no ${kind} with ID ${input.translation_of}.`
    else if (original.id === self?.id) problems.translation_of = `A record can not be its own translation.`
    else if (await hasLanguage(w, original, language, self))
      problems.translation_of = `This ${kind} exists in the language "${language}" already.`
  } else if (
    input.i18n_language &&
    self &&
    self.translation_group !== null &&
    (await hasLanguage(w, self, input.i18n_language, self))
  )
    problems.i18n_language = `A translation into "${input.i18n_language}" exists already.`
  return problems
}

async function hasLanguage(w: Write, original: Post, language: string, self?: Post): Promise<boolean> {
  if (original.id !== self?.id && original.language === language) return true
  if (original.translation_group === null) return false
  const others = await w.tx
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.translation_group, original.translation_group), eq(posts.language, language)))
  return others.some((other) => other.id !== self?.id && other.id !== original.id)
}

/** Throws 403 where the author set is not the caller and the caller not an editor (D39). */
export function checkAuthor(caller: Caller, author: number | null | undefined, self?: Post) {
  if (author && author !== (self?.author_id ?? caller!.id) && !canEditOthers(caller))
    throw forbidden(true, 'set another author')
}

const isDraft = (status: string) => status === 'draft' || status === 'pending'

/** Status and publication dates after a write (D36, reference §4.5): what contributors publish becomes pending, what lies ahead becomes future. */
export function publication(
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
  let utc = isDraft(status) && self && !isDraft(self.status) && kind === 'event' ? '' : (self?.date_utc ?? '')
  if (input.date_utc) {
    utc = read(input.date_utc, 'UTC')
    date = input.date ? read(input.date, zone) : toWall(toEpoch(utc, 'UTC'), zone)
  } else if (input.date) {
    date = read(input.date, zone)
    // a new date of a venue or organizer leaves its UTC twin, as recorded
    if (!self || kind === 'event') utc = isDraft(status) && utc === '' ? '' : toUtc(date, zone)
  }
  if (utc === '' && !isDraft(status)) {
    if (!input.date && date <= here) date = here
    utc = toUtc(date, zone)
  }
  if (status === 'publish' || status === 'future') status = utc > toWall(w.now, 'UTC') ? 'future' : 'publish'
  return { status, date, date_utc: utc }
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
  if (input.slug === null && self && input.title)
    return freePostSlug(w.tx, kind, fromTitle || String(self.id), id)
  if (self?.status === 'trash' && status !== 'trash' && self.untrashed_slug)
    return freePostSlug(w.tx, kind, self.untrashed_slug, id)
  if (self?.slug && self.status !== 'trash') return self.slug
  if (!automatic && isDraft(status)) return ''
  return freePostSlug(w.tx, kind, fromTitle || (self ? String(self.id) : kind), id)
}

async function imageAfter(w: Write, input: PostInput, self?: Post): Promise<number | null> {
  if (input.image === undefined) return self?.image_id ?? null
  if (input.image === null) return null
  if ('id' in input.image) return input.image.id
  const picture = w.pictures.get(input.image.url)!
  if (typeof picture === 'number') return picture
  const id = await insertMedia(w.tx, picture, w.caller!.id, w.now)
  w.pictures.set(input.image.url, id)
  return id
}

async function groupAfter(w: Write, input: PostInput, self?: Post): Promise<number | null> {
  if (input.translation_of === undefined) return self?.translation_group ?? null
  if (input.translation_of === null) return null
  const [original] = await w.tx.select().from(posts).where(eq(posts.id, input.translation_of))
  const group = original!.translation_group ?? original!.id
  if (original!.translation_group === null) {
    await w.tx.update(posts).set({ translation_group: group }).where(eq(posts.id, original!.id))
    await recordChange(w.tx, original!.kind, original!.id, 'update', w.now)
  }
  return group
}

/**
 * Writes the shared part of a new or changed record and gives the row. `searched` are the texts, beside the
 * title, in which it is found. What it names was checked before.
 */
export async function savePost(
  w: Write,
  kind: PostKind,
  title: string,
  input: PostInput,
  searched: string[],
  self?: Post,
): Promise<Post> {
  const { status, date, date_utc } = publication(w, kind, input, self)
  const trashing = self !== undefined && status === 'trash' && self.status !== 'trash'
  const slug = await slugAfter(w, kind, title, input, status, kind !== 'event', self)
  const values = {
    kind,
    status,
    title,
    slug: trashing ? trashedSlug(slug) : slug,
    untrashed_slug: trashing ? slug : status === 'trash' ? (self?.untrashed_slug ?? slug) : null,
    description: keep(input.description, self?.description),
    excerpt: keep(input.excerpt, self?.excerpt),
    author_id: input.author ?? self?.author_id ?? w.caller!.id,
    language: input.i18n_language ?? self?.language ?? w.language,
    translation_group: await groupAfter(w, input, self),
    image_id: await imageAfter(w, input, self),
    parent_id: input.post_parent === undefined ? (self?.parent_id ?? null) : input.post_parent || null,
    date,
    date_utc,
    modified: toWall(w.now, w.site.zone),
    modified_utc: toWall(w.now, 'UTC'),
    password_hash: input.password_hash === undefined ? (self?.password_hash ?? null) : input.password_hash,
    folded: [title, ...searched].map(fold).filter(Boolean).join('\n'),
    folded_title: fold(title),
  }
  const [post] = self
    ? await w.tx.update(posts).set(values).where(eq(posts.id, self.id)).returning()
    : await w.tx.insert(posts).values(values).returning()
  return post!
}

/** A text after a write: absent keeps, null clears (D1, D24). */
export const keep = (given: string | null | undefined, stored: string | undefined) =>
  given === undefined ? (stored ?? '') : (given ?? '')

const trashedSlug = (slug: string) => `${slug}__trashed`

/** What happened to a record whose status went from one to the other. */
export function operationOf(before: Post | undefined, after: Post): Operation {
  if (!before) return 'create'
  if (after.status === 'trash' && before.status !== 'trash') return 'trash'
  if (before.status === 'trash' && after.status !== 'trash') return 'restore'
  return 'update'
}

/** Finishes a write: the document, and the row in `changes`. */
export async function finish(w: Write, post: Post, operation: Operation) {
  await saveDocument(w.tx, w.site, post.id)
  await recordChange(w.tx, post.kind, post.id, operation, w.now)
}

/** Keeps the counts of terms right when an event's status or links changed: takes away what counted before, adds what counts now. */
export async function recount(tx: Queries, before: number[], after: number[]) {
  await countTerms(
    tx,
    before.filter((id) => !after.includes(id)),
    -1,
  )
  await countTerms(
    tx,
    after.filter((id) => !before.includes(id)),
    1,
  )
}

/** The terms in whose counts this event stands. */
export async function countedTerms(
  tx: Queries,
  post: Pick<Post, 'id' | 'kind' | 'status'> | undefined,
): Promise<number[]> {
  if (post?.kind !== 'event' || post.status !== 'publish') return []
  const { category, tag } = await linksOf(tx, post.id)
  return [...category, ...tag]
}

/** DELETE: to the trash, or for good with `force` (D30). Gives the record as it was before it went for good, as it is in the trash otherwise. */
export async function trashPost(w: Write, kind: PostKind, key: Key): Promise<Post> {
  const post = await findEditable(w, kind, key, 'delete')
  if (post.status === 'trash')
    throw new ApiError(
      code(kind, 'is-in-trash'),
      `This ${kind} is in the trash already; \`force=true\` deletes it for good.`,
    )
  const before = await countedTerms(w.tx, post)
  const [trashed] = await w.tx
    .update(posts)
    .set({
      status: 'trash',
      date_utc: post.date_utc || toUtc(post.date, w.site.zone),
      slug: trashedSlug(post.slug),
      untrashed_slug: post.slug,
      modified: toWall(w.now, w.site.zone),
      modified_utc: toWall(w.now, 'UTC'),
    })
    .where(eq(posts.id, post.id))
    .returning()
  await recount(w.tx, before, [])
  await finish(w, trashed!, 'trash')
  return trashed!
}

/** Deletes a record for good, with its links. To be called once its last answer was put together. */
export async function erasePost(w: Write, post: Post) {
  await recount(w.tx, await countedTerms(w.tx, post), [])
  if (post.kind === 'event') {
    const children = await w.tx.select({ id: posts.id }).from(posts).where(eq(posts.parent_id, post.id))
    await w.tx.delete(links).where(eq(links.event_id, post.id))
    await w.tx.delete(posts).where(eq(posts.id, post.id))
    for (const child of children) {
      await saveDocument(w.tx, w.site, child.id)
      await recordChange(w.tx, 'event', child.id, 'update', w.now)
    }
  } else {
    await unlinkEverywhere(w.tx, post.kind, post.id)
    await w.tx.delete(posts).where(eq(posts.id, post.id))
  }
  await recordChange(w.tx, post.kind, post.id, 'delete', w.now)
}

/**
 * Publishes what was scheduled and has become due, so that time alone makes it visible (D36). Cheap when nothing is due.
 */
export function openSchedule(db: Db, site: Site) {
  const due = db.read
    .select({ at: sql<string | null>`min(${posts.date_utc})` })
    .from(posts)
    .where(eq(posts.status, 'future'))
    .prepare()
  let version = Number.NaN
  let next: string | null = null
  return {
    async settle() {
      if (db.version() !== version) {
        version = db.version()
        next = (await due.execute())[0]!.at
      }
      if (next !== null && next <= toWall(site.clock(), 'UTC')) await db.write((tx) => publishDue(tx, site))
    },
  }
}

async function publishDue(tx: Queries, site: Site) {
  const now = site.clock()
  const ripe = and(eq(posts.status, 'future'), sql`${posts.date_utc} <= ${toWall(now, 'UTC')}`)
  for (const post of await tx.update(posts).set({ status: 'publish' }).where(ripe).returning()) {
    await recount(tx, [], await countedTerms(tx, post))
    await saveDocument(tx, site, post.id)
    await recordChange(tx, post.kind, post.id, 'publish', now)
  }
}
