import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type Refs, terms } from '../../drizzle/tables.ts'
import { type Changes, EVERYTHING } from './changes.ts'
import { type Db, prepared } from './db.ts'
import { type Origin, type Post, place, renderEmbeddedTerm, renderTerm } from './render.ts'

/** A record's part of its answers, as one mount shows it. */
export type PostFragment = Pick<
  Post,
  'id' | 'kind' | 'status' | 'author_id' | 'translation_group' | 'password_hash'
> & {
  body: Buffer
  blanked: Buffer | null
  json_ld: Buffer
  refs: Refs | null
}
export type TermFragment = {
  own: Buffer
  embedded: Buffer
  /** Folded: what lists of terms are ordered by. */
  name: string
  translation_group: number | null
}

const MOST_BYTES = 32 * 2 ** 20
const MOST_TERMS = 10_000

const POSTS = `select id, kind, status, author_id, translation_group, password_hash, body, blanked, json_ld, refs
  from posts join documents on post_id = id where id in (select value from json_each(?))`
type PostColumns = [
  ...[id: number, kind: Post['kind'], status: Post['status'], author_id: number],
  ...[translation_group: number | null, password_hash: string | null],
  ...[body: Buffer, blanked: Buffer | null, json_ld: Buffer, refs: string | null],
]
const termsById = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)

/** Fragments by ID, kept in memory by mount until a change names their record. */
export function openFragments(db: Db, changes: Changes) {
  const keptPosts = new LRUCache<string, PostFragment>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, blanked, json_ld }) => body.length + json_ld.length + (blanked?.length ?? 0),
  })
  const keptTerms = new LRUCache<string, TermFragment>({ max: MOST_TERMS })
  const roots = new Set<string>()
  let seen = changes.latest().seq

  function load<T extends object>(
    kept: LRUCache<string, T>,
    ids: number[],
    { root }: Origin,
    fetch: (missing: string) => [number, T][],
  ): Map<number, T> {
    roots.add(root)
    const found = new Map<number, T>()
    const missing: number[] = []
    for (const id of ids) {
      const fragment = kept.get(`${id}:${root}`)
      if (fragment) found.set(id, fragment)
      else missing.push(id)
    }
    if (missing.length > 0)
      for (const [id, fragment] of fetch(JSON.stringify(missing))) {
        kept.set(`${id}:${root}`, fragment)
        found.set(id, fragment)
      }
    return found
  }

  return {
    /** Forgets what was written since the last look, by this or another process. Every event moves the counts of its terms. */
    follow() {
      if (changes.latest().seq === seen) return
      for (const { seq, kind, id } of changes.after(seen)) {
        seen = seq
        if (kind === EVERYTHING) keptPosts.clear()
        for (const root of roots) keptPosts.delete(`${id}:${root}`)
      }
      keptTerms.clear()
    },
    posts: (ids: number[], origin: Origin) =>
      load(keptPosts, ids, origin, (missing) =>
        db.rows<PostColumns>(POSTS, missing).map((columns): [number, PostFragment] => {
          const [
            id,
            kind,
            status,
            author_id,
            translation_group,
            password_hash,
            body,
            blanked,
            json_ld,
            refs,
          ] = columns
          const fragment = {
            ...{ id, kind, status, author_id, translation_group, password_hash },
            body: place(body, origin),
            blanked: blanked && place(blanked, origin),
            json_ld: place(json_ld, origin),
            refs: refs === null ? null : JSON.parse(refs),
          }
          return [id, fragment]
        }),
      ),
    terms: (ids: number[], origin: Origin) =>
      load(keptTerms, ids, origin, (missing) =>
        termsById(db.read)
          .all({ ids: missing })
          .map((row): [number, TermFragment] => {
            const { id, folded_name: name, translation_group } = row
            const own = place(renderTerm(row), origin)
            const embedded = place(renderEmbeddedTerm(row), origin)
            return [id, { own, embedded, name, translation_group }]
          }),
      ),
  }
}
