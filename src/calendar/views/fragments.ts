import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { terms } from '../../../drizzle/tables.ts'
import { type Changes, openFollowing, type Row } from '../../kernel/database/changes.ts'
import { type Db, prepared } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { type Origin, place } from '../formats/json.ts'
import { renderEmbeddedTerm, renderTerm } from '../formats/v1.ts'
import { openStored, type StoredPost } from './stored.ts'

/** JSON bytes in parts, which are joined once. */
export type Json = Buffer[]

/** The fragment of a record, for one mount. */
export type PostFragment = Omit<StoredPost, 'body' | 'blanked'> & {
  /** Its own members as an open object; `translations` is included only if it is empty. */
  own: Json
  /** Its own members, blanked for callers without the password of the event. */
  blanked: Json | null
}
export type TermFragment = {
  own: Buffer
  embedded: Buffer
  /** The folded name, by which terms are ordered. */
  name: string
  translation_group: number | null
  count: number
  /** The last change after which `count` was right. */
  seen: number
}

const MOST_BYTES = 16 * 2 ** 20
const MOST_TERMS = 10_000

const COUNTS = 'select id, count from terms where id in (select value from json_each(?))'
const termsById = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)

export const NO_TRANSLATIONS = Buffer.from(',"translations":{}')

/** Greater than any number of mounts; combined with an ID it gives a key. */
const MOST_ROOTS = 2 ** 10

/**
 * Fragments by ID. Those of venues, organizers and terms are few and occur in many responses, so they are cached by mount until a
 * change names their record. The records that a response is about are read each time: few of many occur twice, and caching a
 * record that is not requested again costs more than reading it.
 */
export function openFragments(db: Db, changes: Changes, site: Pick<Site, 'currency'>) {
  const stored = openStored(db, site)
  const cachedLinked = new LRUCache<number, PostFragment>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ own }) => own[0]!.length + 500,
  })
  // counted by size: with `max` it would allocate places for all of them at the start
  const cachedTerms = new LRUCache<number, TermFragment>({ maxSize: MOST_TERMS, sizeCalculation: () => 1 })
  const roots: string[] = []
  const follow = openFollowing(changes, ['venue', 'organizer', 'category', 'tag'], { on: forget, reset })
  let seen = follow()

  function forget({ kind, id, operation }: Row) {
    if (kind === 'venue' || kind === 'organizer')
      for (const number of roots.keys()) cachedLinked.delete(id * MOST_ROOTS + number)
    else if (operation !== 'recount') cachedTerms.clear()
  }
  function reset() {
    cachedLinked.clear()
    cachedTerms.clear()
  }

  function numberOf({ root }: Origin): number {
    const known = roots.indexOf(root)
    return known >= 0 ? known : roots.push(root) - 1
  }

  function load<T extends object>(
    cached: LRUCache<number, T>,
    ids: number[],
    origin: Origin,
    fetch: (missing: number[], origin: Origin) => [number, T][],
    isRight = (_: T) => true,
  ): Map<number, T> {
    const number = numberOf(origin)
    const found = new Map<number, T>()
    const missing: number[] = []
    for (const id of ids) {
      const fragment = cached.get(id * MOST_ROOTS + number)
      if (fragment && isRight(fragment)) found.set(id, fragment)
      else missing.push(id)
    }
    if (missing.length > 0)
      for (const [id, fragment] of fetch(missing, origin)) {
        cached.set(id * MOST_ROOTS + number, fragment)
        found.set(id, fragment)
      }
    return found
  }

  /** A fragment from what is stored. It is written out member by member, because copies by rest and spread take a tenth of a list. */
  function fragmentOf(post: StoredPost, origin: Origin): PostFragment {
    const { id, status, author_id, translation_group, refs } = post
    const ownOf = (json: Buffer) => {
      const parts = place(json, origin)
      if (translation_group === null) parts.push(NO_TRANSLATIONS)
      return parts
    }
    const [own, blanked] = [ownOf(post.body), post.blanked && ownOf(post.blanked)]
    return { id, status, author_id, translation_group, protected: post.protected, refs, own, blanked }
  }
  const fetchPosts = (ids: number[], origin: Origin) =>
    stored.posts(ids).map((post): [number, PostFragment] => [post.id, fragmentOf(post, origin)])
  const fetchLinked = (ids: number[], origin: Origin) =>
    fetchPosts(ids, origin).map(([id, fragment]): [number, PostFragment] => [
      id,
      { ...fragment, own: [Buffer.concat(fragment.own)] },
    ])
  /** Cached terms whose count has not changed since; events change the counts of their terms. */
  function recount(ids: number[], origin: Origin): [number, TermFragment][] {
    const number = numberOf(origin)
    const cached = ids.filter((id) => cachedTerms.has(id * MOST_ROOTS + number))
    if (cached.length === 0) return []
    return db.rows<[number, number]>(COUNTS, JSON.stringify(cached)).flatMap(([id, count]) => {
      const term = cachedTerms.get(id * MOST_ROOTS + number)!
      return term.count === count ? [[id, { ...term, seen }]] : []
    })
  }
  function fetchTerms(ids: number[], origin: Origin): [number, TermFragment][] {
    const right = recount(ids, origin)
    const known = new Set(right.map(([id]) => id))
    const missing = ids.filter((id) => !known.has(id))
    if (missing.length === 0) return right
    const rows = termsById(db.read).all({ ids: JSON.stringify(missing) })
    return right.concat(
      rows.map((row) => {
        const { id, folded_name: name, translation_group, count } = row
        const own = Buffer.concat(place(renderTerm(row), origin))
        const embedded = Buffer.concat(place(renderEmbeddedTerm(row), origin))
        return [id, { own, embedded, name, translation_group, count, seen }]
      }),
    )
  }

  return {
    /** Drops the entries of records that this or another process has written since the last call. */
    follow() {
      seen = follow()
    },
    /** The records that a response is about. */
    records: (ids: number[], origin: Origin) => new Map(fetchPosts(ids, origin)),
    /** Venues and organizers inside events. */
    linked: (ids: number[], origin: Origin) => load(cachedLinked, ids, origin, fetchLinked),
    terms: (ids: number[], origin: Origin) =>
      load(cachedTerms, ids, origin, fetchTerms, (term) => term.seen === seen),
    /** The JSON-LD of records. It is part of single reads only, and so not cached. */
    jsonLd: (ids: number[], origin: Origin): Map<number, Json> =>
      new Map([...stored.jsonLd(ids)].map(([id, json]) => [id, place(json, origin)])),
    onDamage: stored.onDamage,
  }
}
