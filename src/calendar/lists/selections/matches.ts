import type { Caller } from '../../../kernel/access/roles.ts'
import type { Db } from '../../../kernel/database/db.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import type { Term } from '../../../kernel/text/search.ts'
import { Bits, type Numbers } from '../../index/bits.ts'
import { type Blocks, eachMask } from '../../index/postings.ts'
import { NOWHERE, type Rows } from '../../index/rows.ts'
import { openPostings } from '../../search/postings.ts'
import { planOf } from '../../search/tokens.ts'
import type { Listed } from './listed.ts'

/** Blocks of events that one step puts into a set. */
const BLOCKS = 2
/** Texts that one step reads. */
export const TEXTS = 50
/** Number of events up to which reading their texts is faster than the index. */
export const MOST_READ = 300

/** What is looked for in texts. */
export type Sought = Pick<Term, 'text' | 'how'>

/** Whether the index finds a term only where it stands. */
export const isExact = (term: Sought) => planOf(term).isExact

/** Adds the rows of events whose IDs are read to a set. */
export const toRows = ({ rowOf }: Pick<Rows, 'rowOf'>, set: Pick<Numbers, 'add'>) => ({
  add(id: number) {
    const row = rowOf(id)
    if (row !== NOWHERE) set.add(row)
  },
})

type Fits = { mayEdit(caller: Caller, id: number): boolean }

/** Finds events by their texts. */
export function openMatches(
  db: Pick<Db, 'rows'>,
  { calendar, journal }: { calendar: Listed['calendar']; journal: Pick<Listed['journal'], 'end'> },
  { mayEdit }: Fits,
) {
  const postings = openPostings(db)
  /** The events that waited when the last write was of a number. Since then none was added that a list will not hear of, and some may be indexed. */
  let known: { at: number; ids: number[] } | undefined

  function* inRows(blocks: Blocks): Task<Bits> {
    const bits = new Bits(calendar.size())
    const add = (first: number, mask: number) => calendar.addRows(first, mask, bits)
    const all = [...blocks]
    for (let from = 0; from < all.length; from += BLOCKS) {
      for (const [number, block] of all.slice(from, from + BLOCKS)) eachMask(block, number, add)
      yield
    }
    return bits
  }

  return {
    /** Reads the words of all texts. */
    load: postings.follow,
    /** The events of which `indexed` tells what it likes, until their texts are indexed. Ask for them first. */
    *waiting(): Task<number[]> {
      const at = journal.end()
      if (known?.at !== at) known = { at, ids: yield* postings.unindexed() }
      return known.ids
    },
    /** The events in which the caller finds all terms by the index. If not all of these are exact, others may be among them. */
    *indexed(terms: Sought[], caller: Caller): Task<Bits> {
      const found: Bits = yield* inRows(yield* postings.having(terms, false))
      if (caller) {
        const sealed = yield* inRows(yield* postings.having(terms, true))
        found.or(sealed.filter((row) => mayEdit(caller, calendar.idOf(row))))
      }
      return found
    },
    /** Looks at some events: adds those that fulfil a condition on their texts to a set, and removes the others. */
    *decide(members: Numbers, ids: number[], condition: (id: number) => boolean): Task<void> {
      for (const [at, id] of ids.entries()) {
        if (at % TEXTS === TEXTS - 1) yield
        const row = calendar.rowOf(id)
        if (row === NOWHERE) continue
        if (condition(id)) members.add(row)
        else members.delete(row)
      }
    },
  }
}
export type Matches = ReturnType<typeof openMatches>
