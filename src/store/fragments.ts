import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Refs, terms } from '../../drizzle/tables.ts'
import { type Changes, EVERYTHING } from './changes.ts'
import { type Db, prepared } from './db.ts'
import { type Origin, type Post, place, renderEmbeddedTerm, renderTerm } from './render.ts'

/** A record's part of its answers, as one mount shows it. */
export type PostFragment = Pick<Post, 'id' | 'status' | 'author_id' | 'translation_group'> & {
  protected: boolean
  /** All members; without `translations` if it has some. */
  whole: Buffer
  /** The same of an event under a password, for those without it. */
  blanked: Buffer | null
  /** An event's links; null for venues and organizers. */
  refs: Refs | null
}
export type TermFragment = {
  own: Buffer
  embedded: Buffer
  /** Folded: what lists of terms are ordered by. */
  name: string
  translation_group: number | null
}

/** Of records that were asked for, and of those that are linked to them: few, in many answers, and not to be pushed out. */
const MOST_BYTES = 16 * 2 ** 20
const MOST_TERMS = 10_000

const POSTS = `select post_id, status, author_id, translation_group, protected, refs, body, blanked
  from documents where post_id in (select value from json_each(?))`
type PostColumns = [
  ...[id: number, status: Post['status'], author_id: number, translation_group: number | null],
  ...[isProtected: 0 | 1, refs: string | null, body: Buffer, blanked: Buffer | null],
]
const termsById = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)

export const NO_TRANSLATIONS = ',"translations":{}'

/** More mounts than a service can have; with an ID it makes a key. */
const MOST_ROOTS = 2 ** 10

/** Fragments by ID, kept in memory by mount until a change names their record. */
export function openFragments(db: Db, changes: Changes) {
  const keep = () =>
    new LRUCache<number, PostFragment>({
      maxSize: MOST_BYTES,
      sizeCalculation: ({ whole, blanked }) => whole.length + (blanked?.length ?? 0) + 500,
    })
  const keptRecords = keep()
  const keptLinked = keep()
  const keptTerms = new LRUCache<number, TermFragment>({ max: MOST_TERMS })
  const roots: string[] = []
  let seen = changes.latest().seq

  function numberOf({ root }: Origin): number {
    const known = roots.indexOf(root)
    return known >= 0 ? known : roots.push(root) - 1
  }

  function load<T extends object>(
    kept: LRUCache<number, T>,
    ids: number[],
    origin: Origin,
    fetch: (missing: number[], origin: Origin) => [number, T][],
  ): Map<number, T> {
    const number = numberOf(origin)
    const found = new Map<number, T>()
    const missing: number[] = []
    for (const id of ids) {
      const fragment = kept.get(id * MOST_ROOTS + number)
      if (fragment) found.set(id, fragment)
      else missing.push(id)
    }
    if (missing.length > 0)
      for (const [id, fragment] of fetch(missing, origin)) {
        kept.set(id * MOST_ROOTS + number, fragment)
        found.set(id, fragment)
      }
    return found
  }

  const fetchPosts = (ids: number[], origin: Origin) =>
    db.rows<PostColumns>(POSTS, JSON.stringify(ids)).map((columns): [number, PostFragment] => {
      const [id, status, author_id, translation_group, isProtected, refs, body, blanked] = columns
      const end = translation_group === null ? `${NO_TRANSLATIONS}}` : '}'
      const fragment = {
        ...{ id, status, author_id, translation_group, protected: isProtected === 1 },
        whole: place(body, origin, end),
        blanked: blanked && place(blanked, origin, end),
        refs: refs === null ? null : JSON.parse(refs),
      }
      return [id, fragment]
    })
  const fetchTerms = (ids: number[], origin: Origin) =>
    termsById(db.read)
      .all({ ids: JSON.stringify(ids) })
      .map((row): [number, TermFragment] => {
        const { id, folded_name: name, translation_group } = row
        const own = place(renderTerm(row), origin)
        const embedded = place(renderEmbeddedTerm(row), origin)
        return [id, { own, embedded, name, translation_group }]
      })

  return {
    /** Forgets what was written since the last look, by this or another process. Every event moves the counts of its terms. */
    follow() {
      if (changes.latest().seq === seen) return
      for (const { seq, kind, id } of changes.after(seen)) {
        seen = seq
        for (const kept of [keptRecords, keptLinked]) {
          if (kind === EVERYTHING) kept.clear()
          for (const number of roots.keys()) kept.delete(id * MOST_ROOTS + number)
        }
      }
      keptTerms.clear()
    },
    /** Records that answers are about. */
    records: (ids: number[], origin: Origin) => load(keptRecords, ids, origin, fetchPosts),
    /** Venues and organizers that stand inside of events. */
    linked: (ids: number[], origin: Origin) => load(keptLinked, ids, origin, fetchPosts),
    terms: (ids: number[], origin: Origin) => load(keptTerms, ids, origin, fetchTerms),
    /** The schema.org twins of records: of single answers only, and so not kept. */
    jsonLd: (ids: number[], origin: Origin): Map<number, Buffer> =>
      new Map(
        db
          .rows<[number, Buffer]>(
            'select post_id, json_ld from documents where post_id in (select value from json_each(?))',
            JSON.stringify(ids),
          )
          .map(([id, json]) => [id, place(json, origin)]),
      ),
  }
}
