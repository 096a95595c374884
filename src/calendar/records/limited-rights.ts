import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'
import { links, posts, terms } from '../../../drizzle/tables.ts'
import type { Caller, LimitSet, Limits, Role } from '../../kernel/access/rights.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { ApiError, type Problems } from '../../kernel/errors.ts'
import { isWithin } from '../rights.ts'
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
