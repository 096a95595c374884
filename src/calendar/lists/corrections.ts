import { LRUCache } from 'lru-cache'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { type Corrections, distance, errorsIn, type Term } from '../../kernel/text/search.ts'
import type { Selection } from './selection.ts'

/** Classes of letters. One error of typing adds one class at most and takes one away. */
const CLASSES = 26
const ALL = 2 ** CLASSES - 1
const LONGEST = 63

/** The classes of the letters of a word, a bit each, and its length above them. */
function shapeOf(word: string): number {
  let shape = Math.min(word.length, LONGEST) << CLASSES
  for (let at = 0; at < word.length; at++) shape |= 1 << (word.charCodeAt(at) % CLASSES)
  return shape
}

function bitsIn(shape: number): number {
  let count = 0
  for (let left = shape; left !== 0; left &= left - 1) count++
  return count
}

/** Words in memory, among which those like another are found: most are told apart by their letters alone. */
export function openSpellings() {
  const places = new Map<string, number>()
  const words: string[] = []
  const shapes: number[] = []
  const uses: number[] = []

  return {
    /** Adds a word, or one more use of it. */
    add(word: string) {
      const place = places.get(word) ?? words.length
      if (place === words.length) {
        places.set(word, place)
        words.push(word)
        shapes.push(shapeOf(word))
        uses.push(0)
      }
      uses[place]!++
    },
    /** Takes away a use of a word, which is there, and the word with the last one. */
    delete(word: string) {
      const place = places.get(word)!
      if (--uses[place]! > 0) return
      const last = { word: words.pop()!, shape: shapes.pop()!, uses: uses.pop()! }
      places.delete(word)
      if (last.word === word) return
      words[place] = last.word
      shapes[place] = last.shape
      uses[place] = last.uses
      places.set(last.word, place)
    },
    /** Words with at most so many errors of typing, and how many these are. */
    near(word: string, most: number): Map<string, number> {
      const found = new Map<string, number>()
      const shape = shapeOf(word)
      const length = shape >>> CLASSES
      for (let at = 0; at < shapes.length; at++) {
        const other = shapes[at]!
        if (Math.abs((other >>> CLASSES) - length) > most) continue
        if (bitsIn((other ^ shape) & ALL) > 2 * most) continue
        const errors = distance(word, words[at]!, most)
        if (errors !== undefined) found.set(words[at]!, errors)
      }
      return found
    },
  }
}

/** Words with the same number of errors that are looked up, which takes a query each. */
const MOST_TRIED = 12
/** Events that may wait for the index while words are corrected: each of the words tried is looked for in all their texts. */
export const MOST_WAITING = 1_000
/** Corrections that are cached until the next write. */
const MOST_CACHED = 1_000

type Parts = {
  changes: Pick<Changes, 'latest'>
  /** The number of events of a selection whose set is kept, and of one that is rarely asked for again. */
  find(selection: Selection): Task<number>
  count(selection: Selection): Task<number>
  /** The events whose texts are not indexed yet. */
  unindexed(): Task<readonly number[]>
  /** Words of names that the caller sees, with at most so many errors of typing, and how many these are. */
  nearNames(word: string, most: number, caller: Caller): Map<string, number>
  /** The same of titles, which the caller may not see. `now` are seconds of UTC. */
  nearTitles(word: string, most: number, now: number): Task<Map<string, number>>
}

/** The events that a caller could find by a term alone, with the statuses and the language of a selection. */
const alone = ({ statuses, author, language, flags, query }: Selection, term: Term): Selection => ({
  statuses,
  author,
  language,
  flags: { hidden: flags.hidden },
  links: {},
  dates: [],
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
export function openCorrections({ changes, find, count, unindexed, nearNames, nearTitles }: Parts) {
  const cached = new LRUCache<string, { seq: number; word: string | undefined }>({ max: MOST_CACHED })

  function* correct(
    selection: Selection,
    { text }: Term,
    most: number,
    now: number,
  ): Task<string | undefined> {
    const words = new Map([
      ...nearNames(text, most, selection.query!.caller),
      ...(yield* nearTitles(text, most, now)),
    ])
    for (let errors = 1; errors <= most; errors++) {
      const tried = [...words.keys()].filter((word) => words.get(word) === errors).sort(byLikeness(text))
      let best: { word: string; events: number } | undefined
      for (const word of tried.slice(0, MOST_TRIED)) {
        const events = yield* count(alone(selection, { text: word, how: 'whole' }))
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
    const known = cached.get(key)
    if (known?.seq === seq) return known.word
    const occurs = (yield* count(own)) > 0
    const word = occurs ? undefined : yield* correct(selection, term, most, now)
    cached.set(key, { seq, word })
    return word
  }

  /** What the words of a selection are taken as. A selection that finds something stands as it is, and so do all while very many texts wait. */
  return function* (selection: Selection, now: number): Task<Corrections> {
    const corrections = new Map<string, string>()
    const isFound = !selection.include && (yield* find({ ...selection, dates: [], series: undefined })) > 0
    if (isFound || (yield* unindexed()).length > MOST_WAITING) return corrections
    for (const term of selection.query!.wanted) {
      const word = yield* wordFor(selection, term, now)
      if (word !== undefined) corrections.set(term.text, word)
    }
    return corrections
  }
}
