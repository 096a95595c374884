import { sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import { checkWords } from '../../../src/calendar/check/words.ts'
import { type Bitmap, openRows } from '../../../src/calendar/index/rows.ts'
import { dropSearch, openMerging, saveSearch } from '../../../src/calendar/search/indexing.ts'
import type { Searched } from '../../../src/calendar/search/text-index.ts'
import { isExact, openTextMatches, type TextTerm } from '../../../src/calendar/search/text-index.ts'
import type { Caller } from '../../../src/kernel/access/rights.ts'
import { type Db, openDb } from '../../../src/kernel/database/db.ts'
import { finish, type Task } from '../../../src/kernel/tasks/scheduler.ts'
import { hasTerm } from '../../../src/kernel/text/search.ts'

/** A caller who may edit every event. */
export const EDITOR = { id: 1, role: 'editor' } as unknown as Caller

const ROW = {
  ...{ kind: 'event', status: 'publish', title: '', slug: '', description: '', excerpt: '', language: 'en' },
  ...{ date: '', date_utc: '', modified: '', modified_utc: '', author_id: 1 },
} as const

/** Events with texts, written as records are, and found by the index of words. */
export function openTexts(file = ':memory:') {
  const db = openDb(file, { durability: 'normal' })
  db.read.run("insert or ignore into users (id, login, role, created_utc) values (1, 'editor', 'editor', '')")
  const index = openRows()
  const events = new Map<number, Searched>()
  return {
    ...openReader(db, index, events),
    db,
    events,
    ...openMerging(db),
    /** Creates, changes or with undefined deletes an event. */
    write: (id: number, after: Omit<Searched, 'id'> | undefined) =>
      db.write(async (tx) => {
        const before = events.get(id)
        if (after) {
          const event = { id, ...after }
          tx.insert(posts)
            .values({ ...ROW, ...event, slug: `${id}` } as typeof posts.$inferInsert)
            .onConflictDoUpdate({ target: posts.id, set: after })
            .run()
          saveSearch(tx, event, before)
          index.assign(id)
          events.set(id, event)
        } else if (before) {
          tx.run(sql`delete from posts where id = ${id}`)
          dropSearch(tx, before)
          index.release(id)
          events.delete(id)
        }
      }),
    /** What the index has other than texts say. */
    check: async () => (await checkWords(db)).differences,
  }
}

/** Looks for terms in events that may be written by another process. */
export function openReader(
  db: Pick<Db, 'rows'>,
  index: Pick<ReturnType<typeof openRows>, 'rowOf' | 'idOf' | 'size' | 'addRows'>,
  events: Map<number, Searched>,
) {
  const textFor = (caller: Caller, { folded, folded_title, password_hash }: Searched) =>
    caller || password_hash === null ? folded : folded_title
  const hasOwn = (term: TextTerm, caller: Caller, id: number) =>
    hasTerm(textFor(caller, events.get(id)!), term)
  const { unindexed, find, recheck } = openTextMatches(
    db,
    // each question is after a write
    { index: index as never, journal: { end: () => Number.NaN } },
    { mayEdit: (caller) => caller !== undefined },
  )
  function* matching(terms: TextTerm[], caller: Caller): Task<Bitmap> {
    const late = yield* unindexed()
    const found: Bitmap = yield* find(terms, caller)
    yield* recheck(found, late, (id) => terms.every((term) => hasOwn(term, caller, id)))
    return found
  }
  return {
    /** The IDs of the events that have all terms, by the index; what is not exact is read. `between` is called between two steps. */
    async find(terms: TextTerm[], caller: Caller, between = async () => {}): Promise<number[]> {
      const task = matching(terms, caller)
      for (;;) {
        const { done, value } = task.next()
        await between()
        if (!done) continue
        const ids: number[] = []
        value.each((row) => ids.push(index.idOf(row)))
        const isRight = terms.every(isExact)
        return ids
          .filter((id) => isRight || terms.every((term) => hasOwn(term, caller, id)))
          .sort((a, b) => a - b)
      }
    },
    /** The same by the index at once. */
    findNow: (terms: TextTerm[], caller: Caller) => finish(matching(terms, caller)),
    /** The IDs of the events that have all terms, by reading all. */
    scan: (terms: TextTerm[], caller: Caller): number[] =>
      [...events.keys()]
        .filter((id) => terms.every((term) => hasOwn(term, caller, id)))
        .sort((a, b) => a - b),
  }
}
