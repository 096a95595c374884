import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'
import { links, listings, posts, terms } from '../../../drizzle/tables.ts'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import { type Caller, has, type LimitSet, type Limits, type Role } from '../../kernel/access/rights.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError, type Problems } from '../../kernel/errors.ts'
import type { Post } from '../formats/records.ts'
import type { Origin } from '../formats/urls.ts'
import type { Traits } from '../index/event-index.ts'
import {
  canOpen,
  canRead,
  canReadOthers,
  canWrite,
  isWithin,
  type Owned,
  openOwn,
  RIGHTS,
  readingLimits,
} from '../rights.ts'
import type { Write } from './write.ts'

const among = (ids: SQL) => sql`(select value from json_each(${ids}))`
const given = (name: string) => among(sql`${sql.placeholder(name)}`)

const linkedTo = (kind: 'category' | 'venue', name: string) =>
  and(eq(links.kind, kind), sql`${links.target_id} in ${given(name)}`)
/** The link of a record to what a set names. */
const covering = prepared((db) =>
  db
    .select({ id: links.event_id })
    .from(links)
    .where(
      and(
        eq(links.event_id, sql.placeholder('id')),
        or(linkedTo('category', 'categories'), linkedTo('venue', 'venues')),
      ),
    )
    .limit(1)
    .prepare(),
)

/** The limits with the question that one connection answers. */
function bound(db: Queries, { given, sets }: Pick<Limits, 'given' | 'sets'>): Limits {
  const texts = sets.map(({ categories, venues }) => ({
    categories: JSON.stringify(categories),
    venues: JSON.stringify(venues),
  }))
  return {
    given,
    sets,
    covers: ({ id }) =>
      sets.every(
        ({ venues }, at) => venues.includes(id) || covering(db).get({ id, ...texts[at] }) !== undefined,
      ),
  }
}

/** A caller as a write sees them: their limits are compared with what the transaction has written so far. */
function callerIn(tx: Queries, caller: Caller): Caller {
  return caller?.limits ? { ...caller, limits: bound(tx, caller.limits) } : caller
}

/** A context of a write inside its transaction. */
export const inside = (w: Write, tx: Queries): Write => ({ ...w, tx, caller: callerIn(tx, w.caller) })

/** Categories with those below them, and the translations of all of these. A category that is gone stays as its number. */
const belowThem = prepared((db) =>
  db
    .select({ ids: sql<string>`json_group_array(id)` })
    .from(
      sql`(with recursive named(id) as (
        select value from json_each(${sql.placeholder('ids')})
        union
        select below.id from named join ${terms} below on below.parent_id = named.id and below.taxonomy = 'category'
        union
        select other.id from named join ${terms} own on own.id = named.id and own.translation_group is not null
          join ${terms} other on other.translation_group = own.translation_group and other.taxonomy = 'category')
        select id from named order by id)`,
    )
    .prepare(),
)
/** Venues with their translations. */
const withTranslations = prepared((db) =>
  db
    .select({ ids: sql<string>`json_group_array(id)` })
    .from(
      sql`(select value as id from json_each(${sql.placeholder('ids')})
        union
        select other.id from ${posts} own join ${posts} other on other.translation_group = own.translation_group and other.kind = 'venue'
        where own.kind = 'venue' and own.id in ${given('ids')} order by 1)`,
    )
    .prepare(),
)

/** The limits that sets mean now. */
const resolveLimits = (db: Queries, given: readonly LimitSet[]): Limits =>
  bound(db, {
    given,
    sets: given.map(({ categories, venues }) => ({
      categories: JSON.parse(belowThem(db).get({ ids: JSON.stringify(categories) })!.ids),
      venues: JSON.parse(withTranslations(db).get({ ids: JSON.stringify(venues) })!.ids),
    })),
  })

/** Combinations of limits whose meaning is remembered. */
const MOST_KNOWN = 500

/** What the limits of users and tokens mean now: read again once a category or a venue was written. */
export function openLimits(db: Db, changes: Changes) {
  const known = new LRUCache<string, Limits>({ max: MOST_KNOWN })
  const forget = () => known.clear()
  const follow = openFollowing(changes, ['category', 'venue'], { on: forget, reset: forget })
  return {
    /** The limits of a caller, of whom each set has to hold; undefined, and nothing is read, if there is none. */
    of(...stored: (LimitSet | null)[]): Limits | undefined {
      const given = stored.filter((set) => set !== null)
      if (given.length === 0) return undefined
      follow()
      const key = JSON.stringify(given)
      const limits = known.get(key) ?? resolveLimits(db.read, given)
      known.set(key, limits)
      return limits
    },
  }
}
export type OpenLimits = ReturnType<typeof openLimits>

/** Problems with limits that somebody with a role is to get; what they name that was named `before` may be gone. */
export async function limitProblems(
  tx: Queries,
  role: Role,
  limits: LimitSet | null,
  before: LimitSet | null = null,
): Promise<Problems> {
  if (limits === null) return {}
  if (role === 'administrator')
    return { limits: 'must be null for an administrator, who has the rights for all events.' }
  for (const [name, kind, known] of [
    ['categories', 'category', sql`select 1 from terms where taxonomy = 'category' and id = `],
    ['venues', 'venue', sql`select 1 from posts where kind = 'venue' and id = `],
  ] as const)
    for (const id of limits[name])
      if (!before?.[name].includes(id) && tx.get(sql`${known}${id}`) === undefined)
        return { limits: `There is no ${kind} with ID ${id}.` }
  return {}
}

/** A condition on the ID of a record: each set allows it. */
export const withinLimits = (id: SQLiteColumn | SQL, { sets }: Limits): SQL =>
  and(
    ...sets.map(({ categories, venues }) => {
      const [some, places] = [
        among(sql`${JSON.stringify(categories)}`),
        among(sql`${JSON.stringify(venues)}`),
      ]
      const linked = sql`select event_id from links where (kind = 'category' and target_id in ${some}) or (kind = 'venue' and target_id in ${places})`
      return sql`(${id} in ${places} or ${id} in (${linked}))`
    }),
  )!

const namesOf = (tx: Queries, { categories, venues }: LimitSet) => {
  const named = tx
    .all<{ name: string }>(
      sql`select name from terms where id in ${among(sql`${JSON.stringify(categories)}`)} union all
        select title as name from posts where id in ${among(sql`${JSON.stringify(venues)}`)}`,
    )
    .map(({ name }) => `"${name}"`)
  return named.length > 0 ? named.join(', ') : 'nothing any more'
}

/** Throws 403 if a record that was written is not within the limits of the caller afterwards. */
export function checkWithin(w: Pick<Write, 'tx' | 'caller'>, record: { id: number }) {
  if (isWithin(callerIn(w.tx, w.caller), record)) return
  const { given } = w.caller!.limits!
  const allowed = given.map((set) => namesOf(w.tx, set)).join(', and also to ')
  throw new ApiError(
    'rest_forbidden',
    `Your rights are limited to ${allowed}: an event has to be in such a category or below it, or at such a venue, also after the change.`,
  )
}

/** Whether this caller may read the record (D8, D30). */
export const isReadable = (post: Post, caller: Caller): boolean =>
  post.status === 'trash' ? post.kind !== 'event' && canOpen(caller, post) : canRead(caller, post)

/** Records of these statuses that the caller may read one by one (D8, D36); without statuses the default ones. */
export function readablePosts(
  caller: Caller,
  statuses: readonly (Status | 'any')[] | undefined,
): SQL | undefined {
  if (!canWrite(caller)) return eq(posts.status, 'publish')
  const all = statuses === undefined || statuses.includes('any')
  const wanted = all ? ne(posts.status, 'trash') : inArray(posts.status, statuses as Status[])
  if (canReadOthers(caller)) return wanted
  const limits = readingLimits(caller)
  return and(
    wanted,
    or(
      eq(posts.status, 'publish'),
      eq(posts.author_id, caller!.id),
      limits && withinLimits(posts.id, limits),
    ),
  )
}

const NOT_TRASHED = ['publish', 'future', 'draft', 'pending', 'private'] as const

/** What decides whether a caller sees an event: its status, whose it is, and for callers with limits its links. */
export type Seen = Pick<Traits, 'statuses' | 'author'> & {
  /** Of others than this author only published events are seen, and those within the limits. */
  limited?: { author: number; limits: Limits } | undefined
}

/** The events that the caller may read one by one (D8, D36), with these statuses or the default ones. */
export function readableTraits(caller: Caller, { status }: { status?: (Status | 'any')[] }): Seen {
  if (!canWrite(caller)) return { statuses: ['publish'] }
  const all = status === undefined || status.includes('any')
  const statuses = all ? NOT_TRASHED : (status as Status[])
  if (canReadOthers(caller)) return { statuses, author: undefined }
  const limits = readingLimits(caller)
  return limits ? { statuses, limited: { author: caller!.id, limits } } : { statuses, author: caller!.id }
}

/** A condition on rows of `listings`: events that the caller may read one by one. */
export function readableListings(caller: Caller): SQL | undefined {
  const { statuses, author, limited } = readableTraits(caller, {})
  const own = limited?.author ?? author
  return and(
    eq(listings.hidden, false),
    inArray(listings.status, [...statuses]),
    own === undefined
      ? undefined
      : or(
          eq(listings.status, 'publish'),
          eq(listings.author_id, own),
          limited && withinLimits(listings.event_id, limited.limits),
        ),
  )
}

/** A condition on rows: not protected by a password, or editable by the caller (R13). */
export function openListings(caller: Caller): SQL | undefined {
  const limits = caller?.limits
  const opensOthers = has(caller, RIGHTS['change and delete records of others'])
  if (opensOthers && !limits) return undefined
  const own = openOwn(caller, STATUSES)
  return or(
    eq(listings.protected, false),
    own.length === 0 ? undefined : and(eq(listings.author_id, caller!.id), inArray(listings.status, own)),
    opensOthers && limits ? withinLimits(listings.event_id, limits) : undefined,
  )
}

/** The mount and the caller that records are shown for. */
export type View = {
  origin: Origin
  caller: Caller
  /** Whether this is a read of one record, which adds `json_ld`. */
  single: boolean
  /** Whether the password in the request has this hash; absent if the request has no password. */
  opens?: ((hash: string) => Promise<boolean>) | undefined
  /** Of events that stand for their series: for how many of its dates, by ID. */
  occurrences?: ReadonlyMap<number, number> | undefined
}

/** The linked records that the caller may see, in their order. */
export function shown<T extends Omit<Owned, 'id'>>(
  ids: number[],
  posts: Map<number, T>,
  caller: Caller,
): T[] {
  const found: T[] = []
  for (const id of ids) {
    const post = posts.get(id)
    if (post && post.status !== 'trash' && canRead(caller, { ...post, id })) found.push(post)
  }
  return found
}

/** Whether the caller sees all of an event: with its password, or with the right to edit it (D15). */
export async function isOpen(
  event: Pick<Post, 'id' | 'password_hash' | 'author_id' | 'status'>,
  { caller, opens }: Pick<View, 'caller' | 'opens'>,
): Promise<boolean> {
  if (event.password_hash === null || canOpen(caller, event)) return true
  return opens?.(event.password_hash) ?? false
}
