import { LRUCache } from 'lru-cache'
import type { Changes } from '../../../kernel/database/changes.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { type Corrections, errorsIn, type Term } from '../../../kernel/text/search.ts'
import type { Names } from '../names.ts'
import type { Selection, Settled } from './selection.ts'

/** Words with the same number of errors that are looked up, which takes a query each. */
const MOST_TRIED = 12
/** Events that may wait for the index while words are corrected: each of the words tried is looked for in all their texts. */
export const MOST_WAITING = 1_000
/** Corrections that are kept until the next write. */
const MOST_KEPT = 1_000

type Parts = {
  changes: Pick<Changes, 'latest'>
  names: Names
  /** A selection as of now. */
  settle(selection: Selection): Settled
  /** The number of events of a selection whose set is kept, and of one that is rarely asked for again. */
  find(selection: Settled): Task<number>
  count(selection: Settled): Task<number>
  /** The events whose texts are not indexed yet. */
  waiting(): Task<readonly number[]>
  /** Words of texts with at most so many errors, which the caller may not see. `now` are seconds of UTC. */
  nearest(word: string, most: number, now: number): Task<Iterable<readonly [string, number]>>
}

/** The events that a caller could find by a term alone, with the statuses and the language of a selection. */
const alone = ({ statuses, author, language, flags, query }: Selection, term: Term): Selection => ({
  ...{ statuses, author, language, flags: { hidden: flags.hidden }, links: {}, dates: [] },
  order: { by: 'start', descending: false },
  query: { wanted: [term], unwanted: [], caller: query!.caller },
})

/** The order in which words are tried, which says nothing of what few may see. */
const byLikeness = (word: string) => (a: string, b: string) =>
  Number(a[0] !== word[0]) - Number(b[0] !== word[0]) || (a < b ? -1 : 1)

/**
 * Takes words that occur nowhere as their nearest: of those with the fewest errors, the one that most events have. What counts are the events that the
 * caller could find, so that no correction tells of a draft, of what a password protects or of a hidden event.
 */
export function openCorrections({ changes, names, settle, find, count, waiting, nearest }: Parts) {
  const kept = new LRUCache<string, { seq: number; word: string | undefined }>({ max: MOST_KEPT })

  function* correct(
    selection: Selection,
    { text }: Term,
    most: number,
    now: number,
  ): Task<string | undefined> {
    const words = new Map([
      ...names.near(text, most, selection.query!.caller),
      ...(yield* nearest(text, most, now)),
    ])
    for (let errors = 1; errors <= most; errors++) {
      const tried = [...words.keys()].filter((word) => words.get(word) === errors).sort(byLikeness(text))
      let best: { word: string; events: number } | undefined
      for (const word of tried.slice(0, MOST_TRIED)) {
        const events = yield* count(settle(alone(selection, { text: word, how: 'whole' })))
        if (events > (best?.events ?? 0)) best = { word, events }
      }
      if (best) return best.word
    }
    return undefined
  }

  /** The word that a term is taken as; undefined if it stands as it is. */
  function* wordFor(selection: Selection, term: Term, now: number): Task<string | undefined> {
    const most = term.quoted ? 0 : errorsIn(term.text)
    if (most === 0) return undefined
    const own = alone(selection, term)
    const key = JSON.stringify(own)
    const { seq } = changes.latest()
    const known = kept.get(key)
    if (known?.seq === seq) return known.word
    const occurs = (yield* count(settle(own))) > 0
    const word = occurs ? undefined : yield* correct(selection, term, most, now)
    kept.set(key, { seq, word })
    return word
  }

  /** What the words of a selection are taken as. A selection that finds something stands as it is, and so do all while very many texts wait. */
  return function* (selection: Selection, now: number): Task<Corrections> {
    const corrections = new Map<string, string>()
    const isFound =
      !selection.include && (yield* find(settle({ ...selection, dates: [], series: undefined }))) > 0
    if (isFound || (yield* waiting()).length > MOST_WAITING) return corrections
    for (const term of selection.query!.wanted) {
      const word = yield* wordFor(selection, term, now)
      if (word !== undefined) corrections.set(term.text, word)
    }
    return corrections
  }
}
