import { and, eq, sql } from 'drizzle-orm'
import { externals, posts, type Version } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { columnsOf, type Db, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError, type ErrorCode, forbidden, type Problems } from '../../kernel/errors.ts'
import { toSlug } from '../../kernel/text/text.ts'
import type { External, Post } from '../formats/records.ts'
import { canEdit, canGive, canRead } from '../rights.ts'
import { postRows } from './rows.ts'
import { isOpen, isReadable, type View } from './visibility.ts'
import type { PostInput, Reading, Write } from './write.ts'

export type PostKind = Post['kind']
/** How a URL names a record: by ID or by slug, which are treated alike (D7). */
export type Key = ({ id: number } | { slug: string }) & {
  /** Selects the translation into this language, if there is one that the caller may read (D21, R12). */
  language?: string | undefined
}

const NOT_FOUND = {
  event: 'rest-event-not-found',
  series: 'series-not-found',
  venue: 'venue-not-found',
  organizer: 'organizer-not-found',
} as const
const code = (kind: PostKind, suffix: 'not-accessible' | 'is-in-trash') => `${kind}-${suffix}` as ErrorCode

/** The record that a URL names for a caller, in any status. */
export async function seekPost(
  db: Queries,
  kind: PostKind,
  key: Key,
  caller: Caller,
): Promise<Post | undefined> {
  const post = await ('id' in key ? findById(db, kind, key.id) : findBySlug(db, kind, key.slug))
  return post && translated(db, post, key.language, caller)
}

/** The record that a URL names for a caller, in any status; throws the 404 of its kind if there is none. */
async function findPost(db: Queries, kind: PostKind, key: Key, caller: Caller): Promise<Post> {
  return mustExist(await seekPost(db, kind, key, caller), kind, key)
}
function mustExist(post: Post | undefined, kind: PostKind, key: Key): Post {
  if (post) return post
  throw postNotFound(kind, key)
}
/** The 404 of a record. */
const postNotFound = (kind: PostKind, key: Key) =>
  new ApiError(
    NOT_FOUND[kind],
    `There is no ${kind} with ${'id' in key ? `ID ${key.id}` : `the slug "${key.slug}"`}.`,
  )
const byId = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(and(eq(posts.id, sql.placeholder('id')), eq(posts.kind, sql.placeholder('kind'))))
    .prepare(),
)
const bySlug = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(and(eq(posts.kind, sql.placeholder('kind')), eq(posts.slug, sql.placeholder('slug'))))
    .prepare(),
)
/** The record of a kind with this ID, in any status. */
export async function findById(db: Queries, kind: PostKind, id: number): Promise<Post | undefined> {
  return (await byId(db).execute({ kind, id }))[0]
}
/** The record that an address names: by its slug, or by its ID where no record has that slug. Throws 404. */
async function findAddressed(db: Queries, kind: PostKind, slug: string, caller: Caller): Promise<Post> {
  const named = await seekPost(db, kind, { slug }, caller)
  const numbered = !named && /^\d{1,15}$/.test(slug) ? await findById(db, kind, Number(slug)) : named
  return mustExist(numbered, kind, { slug })
}
const owned = prepared((db) =>
  db
    .select({ id: posts.id, status: posts.status, author_id: posts.author_id })
    .from(posts)
    .where(and(eq(posts.id, sql.placeholder('id')), eq(posts.kind, sql.placeholder('kind'))))
    .prepare(),
)
/** The members of a record that decide who may see it. */
export async function findOwned(
  db: Queries,
  kind: PostKind,
  id: number,
): Promise<Pick<Post, 'id' | 'status' | 'author_id'> | undefined> {
  return (await owned(db).execute({ kind, id }))[0]
}
/** The slugs that a text in a URL may mean, closest first: the text itself, and the slug made from it, which is that of a slug that was decoded (R15). */
function* readingsOf(text: string): Generator<string> {
  yield text.toLowerCase()
  const slug = toSlug(text)
  if (slug) yield slug // drafts may have none
}

/** The record whose slug best matches a text in a URL (R8, R15). */
async function findBySlug(db: Queries, kind: PostKind, text: string): Promise<Post | undefined> {
  for (const slug of readingsOf(text)) {
    const [post] = await bySlug(db).execute({ kind, slug })
    if (post) return post
  }
  return undefined
}

/** The slug of a record in the trash (D30). */
export const trashedSlug = (slug: string) => `${slug}__trashed`

/** Throws the 403 that a single read by this caller gets, if any (D8, D30). */
function checkReadable(post: Post, caller: Caller) {
  if (isReadable(post, caller)) return
  if (post.kind === 'event' && post.status === 'trash')
    throw new ApiError('event-no-longer-available', 'This event is in the trash.')
  throw new ApiError(
    code(post.kind, 'not-accessible'),
    `This ${post.kind} is not published, and you may not read it.`,
  )
}

/** The translation of a record into `language` if there is one that the caller may read, otherwise the record (D21). */
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

/** The record to change. Throws 404 if it does not exist, 403 if the caller may not change it. */
export const findEditable = async (w: Write, kind: PostKind, key: Key, verb: string): Promise<Post> =>
  editable(w.caller, kind, key, verb, await seekPost(w.tx, kind, key, w.caller))

/** The record to change, among those already found. Throws 404 if it does not exist, 403 if the caller may not change it. */
export function editable(
  caller: Caller,
  kind: PostKind,
  key: Key,
  verb: string,
  found: Post | undefined,
): Post {
  const post = mustExist(found, kind, key)
  if (!canEdit(caller, post)) throw forbidden(true, `${verb} this ${kind}`)
  return post
}

/** Throws 410 for an update of a record in the trash, unless it has a status that restores the record (D30). */
export function checkNotInTrash(post: Post, status?: Status | null) {
  if (post.status === 'trash' && (!status || status === 'trash'))
    throw new ApiError(
      code(post.kind, 'is-in-trash'),
      `This ${post.kind} is in the trash; send a \`status\` to restore it.`,
    )
}

/** Throws 403 if the author is not the caller and the caller is not an editor (D39). */
export function checkAuthor(caller: Caller, author: number | null | undefined, self?: Post) {
  if (author && author !== (self?.author_id ?? caller!.id) && !canGive(caller))
    throw forbidden(true, 'set another author')
}

/** Finds events, venues and organizers in committed data. */
export function openPosts({ read }: Pick<Db, 'read'>) {
  /** The record for a single read by this caller; throws the error of the read. */
  async function readable(kind: PostKind, key: Key, caller: Caller): Promise<Post> {
    const post = await findPost(read, kind, key, caller)
    checkReadable(post, caller)
    return post
  }
  return {
    /** The record with this ID, in any status. */
    byId: (kind: PostKind, id: number) => findById(read, kind, id),
    /** The record that a URL names for a caller, in any status. */
    seek: (kind: PostKind, key: Key, caller: Caller) => seekPost(read, kind, key, caller),
    /** The record that a URL names for a caller, in any status. Throws the 404 of its kind if there is none. */
    find: (kind: PostKind, key: Key, caller: Caller) => findPost(read, kind, key, caller),
    /** The record that an address names: by its slug, or by its ID where no record has that slug. Throws 404. */
    addressed: (kind: PostKind, slug: string, caller: Caller) => findAddressed(read, kind, slug, caller),
    /** The record in the trash that had this slug before. */
    trashed: (kind: PostKind, slug: string) => seekPost(read, kind, { slug: trashedSlug(slug) }, undefined),
    readable,
    /** The event for a single read by this caller; throws the error of the read if they may not see all of it. */
    async open(
      key: Key,
      view: Pick<View, 'caller' | 'opens'>,
      kind: 'event' | 'series' = 'event',
    ): Promise<Post> {
      const post = await readable(kind, key, view.caller)
      if (await isOpen(post, view)) return post
      throw new ApiError(
        'event-password-protected',
        `This ${kind} is protected; send its password as \`password\`.`,
      )
    },
    /** The record to change. Throws 404 if it does not exist, 403 if the caller may not change it. */
    editable: async (kind: PostKind, key: Key, caller: Caller): Promise<Post> =>
      editable(caller, kind, key, 'change', await seekPost(read, kind, key, caller)),
    isReadable,
    /** The 404 of a record. */
    unknown: postNotFound,
  }
}

const externalOf = prepared((db) =>
  db
    .select({ source: externals.source, external_id: externals.external_id })
    .from(externals)
    .where(eq(externals.post_id, sql.placeholder('id')))
    .prepare(),
)
const externalOwner = prepared((db) =>
  db
    .select({ id: externals.post_id })
    .from(externals)
    .where(
      and(
        eq(externals.kind, sql.placeholder('kind')),
        eq(externals.source, sql.placeholder('source')),
        eq(externals.external_id, sql.placeholder('external_id')),
      ),
    )
    .prepare(),
)
const upsertExternal = prepared((db) =>
  db
    .insert(externals)
    .values(columnsOf(externals))
    // which versions were taken is not known to who names a record
    .onConflictDoUpdate({
      target: externals.post_id,
      set: { ...excludedOf(externals), versions: externals.versions },
    })
    .prepare(),
)
/** What another system calls a record; null if none does. */
export const findExternal = async (tx: Queries, id: number): Promise<External | null> =>
  (await externalOf(tx).execute({ id }))[0] ?? null

/** The ID of the record of a kind that another system calls so; undefined if there is none. */
export const findByExternal = async (
  tx: Queries,
  kind: Post['kind'],
  { source, external_id }: External,
): Promise<number | undefined> => (await externalOwner(tx).execute({ kind, source, external_id }))[0]?.id

/** Stores what another system calls a record, which is free; null removes it. */
export async function storeExternal(
  tx: Queries,
  { id, kind }: Pick<Post, 'id' | 'kind'>,
  external: (External & { versions?: Record<string, Version> }) | null,
) {
  if (external) await upsertExternal(tx).execute({ post_id: id, kind, versions: {}, ...external })
  else await postRows.external.drop(tx, id)
}

type Sent = Pick<PostInput, 'source' | 'external_id'>

const isSent = ({ source, external_id }: Sent) => source !== undefined || external_id !== undefined

/** What another system calls a record after a write: absent members keep what is stored, null clears them. */
const externalAfter = ({ source, external_id }: Sent, stored: External | null) => ({
  source: source === undefined ? (stored?.source ?? null) : source,
  external_id: external_id === undefined ? (stored?.external_id ?? null) : external_id,
})

/** The problem of one of both members without the other. */
export async function checkExternal(w: Pick<Write, 'tx'>, sent: Sent, self?: Post): Promise<Problems> {
  if (!isSent(sent)) return {}
  const { source, external_id } = externalAfter(sent, self ? await findExternal(w.tx, self.id) : null)
  if ((source === null) === (external_id === null)) return {}
  return source === null
    ? { source: 'is needed beside external_id; null for both removes them.' }
    : { external_id: 'is needed beside source; null for both removes them.' }
}

/**
 * Writes what another system calls a record, whose input was checked before, and gives it; undefined if nothing is sent of it. Throws 409 if
 * another record of the kind is called so, also one in the trash.
 */
export async function saveExternal(
  w: Reading,
  post: Pick<Post, 'id' | 'kind'>,
  sent: Sent,
  isNew: boolean,
): Promise<External | null | undefined> {
  if (!isSent(sent)) return undefined
  const stored = isNew ? null : await findExternal(w.tx, post.id)
  const { source, external_id } = externalAfter(sent, stored)
  const external = source !== null && external_id !== null ? { source, external_id } : null
  const other = external && (await findByExternal(w.tx, post.kind, external))
  if (other && other !== post.id) throw await alreadyUsed(w, post.kind, other)
  await storeExternal(w.tx, post, external)
  return external
}

async function alreadyUsed({ tx, caller }: Reading, kind: Post['kind'], id: number) {
  const isSeen = canRead(caller, (await findOwned(tx, kind, id))!)
  return new ApiError(
    'external_id_taken',
    `${isSeen ? `The ${kind} ${id}` : `Another ${kind}`} has this source and external_id. PUT to /by-external/… updates the record that has them.`,
  )
}
