import type { Caller } from '../../kernel/access/rights.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import {
  BEGINS_IN_WORD,
  ENDS_IN_WORD,
  RUNS,
  type SearchTerms,
  type Term,
  UNSPACED,
} from '../../kernel/text/search.ts'
import type { Post } from '../formats/records.ts'
import type { LiveIndex } from '../index/event-index.ts'
import { Bitmap, NO_ROW, type RowSet, type Rows } from '../index/rows.ts'
import { addJoined, addStored, type Blocks, blockIn, eachMask, keepCommon } from './posting-lists.ts'

export type Searched = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>

/** The text by which everyone can find an event: of a protected event only the title (D29). */
export const openText = ({ folded, folded_title, password_hash }: Omit<Searched, 'id'>) =>
  password_hash === null ? folded : folded_title
/** The text by which callers who may edit a protected event can find it; empty if it is not protected. */
export const sealedText = ({ folded, password_hash }: Omit<Searched, 'id'>) =>
  password_hash === null ? '' : folded

/** Whether the text of an event matches a search; `opened` says whether to search protected texts. */
export function matchesSearch(event: Searched, { wanted, unwanted }: SearchTerms, opened: boolean): boolean {
  const text = opened ? event.folded : openText(event)
  return wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
}

/** Letters, digits and marks in a row, of scripts whose texts have spaces between words. */
const SPACED = new RegExp(`(?:(?!${UNSPACED.source})${RUNS.source.slice(0, -1)})+`, 'gu')
const ALL_SPACED = new RegExp(`^${SPACED.source}$`, 'u')
/** Longer words are kept as pieces of twice this length, so that each part of this length is within one of them. */
const PART = 32
/** Stands where a word or a piece of one was cut from more letters. */
const CUT = '+'
/** Stands before a character or a pair of characters, as it stands before no word. */
export const GRAM = ' '
/** Longer parts of words are looked for in the words, shorter ones have a gram of their own. */
const LONGEST_GRAM = 2
/** Grams that are looked up for a term; more would hardly make fewer events likely. */
const MOST_GRAMS = 6

/** Adds a word, or its pieces if it is long. */
function addWord(word: string, isCut: { before: boolean; after: boolean }, to: Set<string>) {
  const letters = word.length > 2 * PART ? [...word] : [word]
  let at = 0
  for (let isLast = false; !isLast; at += PART) {
    isLast = letters.length <= at + 2 * PART
    const before = at > 0 || isCut.before ? CUT : ''
    const after = !isLast || isCut.after ? CUT : ''
    to.add(before + letters.slice(at, at + 2 * PART).join('') + after)
  }
}

/** Adds the words of a folded text to a set, and returns it. What scripts without spaces write between them are no words. */
export function wordsOf(folded: string, to = new Set<string>()): Set<string> {
  for (const run of folded.match(RUNS) ?? []) {
    if (!UNSPACED.test(run)) addWord(run, { before: false, after: false }, to)
    else
      for (const { 0: word, index } of run.matchAll(SPACED))
        addWord(word, { before: index > 0, after: index + word.length < run.length }, to)
  }
  return to
}

/** Greater than any code point. Two code points become one number, which costs a third of two strings in a set. */
const BASE = 2 ** 21
const SPACE = 32

/** All characters of a folded text, and all pairs that stand side by side, without white space: a number each. */
export function gramsOf(folded: string): Set<number> {
  const found = new Set<number>()
  let last = 0
  for (let at = 0; at < folded.length; at++) {
    const code = folded.codePointAt(at)!
    if (code > 0xffff) at++
    if (code > SPACE) {
      found.add(code)
      if (last > SPACE) found.add(last * BASE + code)
    }
    last = code
  }
  return found
}

/** A gram as a token. */
const tokenOf = (gram: number) =>
  GRAM +
  (gram < BASE ? String.fromCodePoint(gram) : String.fromCodePoint(Math.floor(gram / BASE), gram % BASE))
/** The number of a gram that is a token. */
export const gramOf = (token: string) =>
  [...token.slice(GRAM.length)].reduce((number, character) => number * BASE + character.codePointAt(0)!, 0)

/** By what a folded text is found: its words, and its grams. */
export const tokensOf = (folded: string): Set<string> =>
  wordsOf(folded, new Set([...gramsOf(folded)].map(tokenOf)))

/** A part of words: where they begin with it, end with it, or anywhere. */
export type Part = { text: string; begins: boolean; ends: boolean }
/** What all texts with a term have. If it is exact, no other texts have it, and none has to be read. */
export type Plan = { parts: Part[]; grams: string[]; isExact: boolean }

const lengthOf = (text: string) => [...text].length

/** How a term is looked for. */
export function planOf({ text, how }: Pick<Term, 'text' | 'how'>): Plan {
  if (how === 'within' && lengthOf(text) <= LONGEST_GRAM)
    return { parts: [], grams: [GRAM + text], isExact: true }
  const parts: Part[] = []
  const grams: string[] = []
  for (const { 0: run, index: from } of text.matchAll(SPACED)) {
    const to = from + run.length
    const begins = from === 0 ? how !== 'within' : !ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from))
    const ends = to === text.length ? how === 'whole' : !BEGINS_IN_WORD.test(text.slice(to, to + 2))
    const isLong = lengthOf(run) > PART
    const part = isLong
      ? { text: [...run].slice(0, PART).join(''), begins, ends: false }
      : { text: run, begins, ends }
    if (run === text) return { parts: [part], grams: [], isExact: !isLong }
    // many words begin or end with one or two letters
    if (lengthOf(run) <= LONGEST_GRAM && !(begins && ends)) grams.push(GRAM + run)
    else parts.push(part)
  }
  const others = [...gramsOf(text)]
    .map(tokenOf)
    .filter((gram) => !ALL_SPACED.test(gram.slice(1)))
    .sort((a, b) => b.length - a.length)
  return { parts, grams: [...grams, ...others].slice(0, MOST_GRAMS), isExact: false }
}

/** Words in a stretch, which one step looks through. */
const STRETCH = 8_192
/** Words in a line of a stretch. */
const LINE = 32
/** Words that one step reads, as one text: to hand out each row takes several times as long as to find it. */
const BATCH = 5_000
const NEXT_WORDS = `select max(id), group_concat(id), group_concat(word, char(10))
  from (select id, word from words where id > ? order by id limit ${BATCH})`

/** Marks of three characters in a row. Several share one: what has a mark may have what it stands for. */
const MARKS = 2_048
const markOf = (text: string, at: number) =>
  (Math.imul(text.charCodeAt(at), 0x2c1b3c6d) ^
    Math.imul(text.charCodeAt(at + 1), 0x297a2d39) ^
    Math.imul(text.charCodeAt(at + 2), 0x9e3779b1)) >>>
  21

/** Words in lines, each a text with a row for each word, and for each mark a bit for each line that has it: `width` numbers of 32 bits. */
type Stretch = { lines: string[]; starts: Uint16Array; ids: Uint32Array; marks: Uint32Array; width: number }
/** Words, and the ID of each. */
type Words = { ids: number[]; words: string[] }

function stretchOf({ ids, words }: Words): Stretch {
  const starts = new Uint16Array(ids.length)
  const lines: string[] = []
  const width = Math.ceil(ids.length / LINE / 32)
  const marks = new Uint32Array(MARKS * width)
  for (let from = 0; from < ids.length; from += LINE) {
    const some = words.slice(from, from + LINE)
    let start = 1
    for (let place = 0; place < some.length; place++) {
      starts[from + place] = start
      start += some[place]!.length + 1
    }
    const text = `\n${some.join('\n')}\n`
    const line = lines.push(text) - 1
    for (let at = 0; at + 2 < text.length; at++)
      marks[markOf(text, at) * width + (line >>> 5)]! |= 1 << (line & 31)
  }
  return { lines, starts, ids: Uint32Array.from(ids), marks, width }
}

/** Moves words into stretches while there are at least so many. The last stretch is filled first, and what is in it never waits. */
function append(stretches: Stretch[], { ids, words }: Words, least: number) {
  if (ids.length < least) return
  if (stretches.at(-1)?.ids.length !== STRETCH)
    for (const last of stretches.splice(-1)) {
      ids.unshift(...last.ids)
      words.unshift(...last.lines.flatMap((text) => text.slice(1, -1).split('\n')))
    }
  while (ids.length >= least)
    stretches.push(stretchOf({ ids: ids.splice(0, STRETCH), words: words.splice(0, STRETCH) }))
}

/** Adds the IDs of the words of a line in which a text occurs. */
function findIn({ lines, starts, ids }: Stretch, line: number, wanted: string, to: number[]) {
  const text = lines[line]!
  const skip = wanted[0] === '\n' ? 1 : 0
  const after = Math.min(ids.length, (line + 1) * LINE)
  let place = line * LINE
  for (let at = text.indexOf(wanted); at >= 0; ) {
    while (place + 1 < after && starts[place + 1]! <= at + skip) place++
    to.push(ids[place]!)
    if (place + 1 === after) break
    at = text.indexOf(wanted, starts[place + 1]! - 1)
  }
}

/** Adds the IDs of the words of a stretch in which a text occurs. Only lines with all its marks can have it. */
function find(stretch: Stretch, wanted: string, to: number[]) {
  const { lines, marks, width } = stretch
  for (let part = 0; part < width; part++) {
    let likely = -1
    for (let at = 0; at + 2 < wanted.length && likely !== 0; at++)
      likely &= marks[markOf(wanted, at) * width + part]!
    for (; likely !== 0; likely &= likely - 1) {
      const line = part * 32 + 31 - Math.clz32(likely & -likely)
      if (line < lines.length) findIn(stretch, line, wanted, to)
    }
  }
}

/** Text whose characters take a byte each: in stretches of their own, words are searched faster than beside others. */
const NARROW = /^[\0-\xff]*$/

/** All words of texts, in memory, from which none ever goes. It says nothing of who may see a word: only what events a caller finds by it does. */
function openVocabulary({ rows }: Pick<Db, 'rows'>) {
  const narrow: Stretch[] = []
  const wide: Stretch[] = []
  const waiting = { narrow: { ids: [], words: [] } as Words, wide: { ids: [], words: [] } as Words }
  let last = 0
  const read = () => rows<[last: number | null, ids: string, words: string]>(NEXT_WORDS, last)[0]!
  const settle = (least: number) => {
    append(narrow, waiting.narrow, least)
    append(wide, waiting.wide, least)
  }
  return {
    /** Adds the words that were committed since. */
    *follow(): Task<void> {
      for (let [to, ids, words] = read(); to !== null; [to, ids, words] = read()) {
        const numbers = ids.split(',')
        for (const [at, word] of words.split('\n').entries()) {
          if (word[0] === GRAM) continue
          const those = NARROW.test(word) ? waiting.narrow : waiting.wide
          those.ids.push(Number(numbers[at]))
          those.words.push(word)
        }
        settle(STRETCH)
        last = to
        yield
      }
      settle(1)
    },
    /** The IDs of the words that have a part. */
    *having({ text, begins, ends }: Part): Task<number[]> {
      const wanted = (begins ? '\n' : '') + text + (ends ? '\n' : '')
      const found: number[] = []
      for (const stretch of NARROW.test(text) ? [...narrow, ...wide] : wide) {
        find(stretch, wanted, found)
        yield
      }
      return found
    },
  }
}

/** Rows of the index that one step reads, and words. */
const ROWS = 1_024
const WORDS = 512
const isLong = 'length(postings.events) = 0'
// few long values: to hand out each row takes several times as long as to find it
const SHORT_LISTS = `select group_concat(iif(${isLong}, null, block)), cast(group_concat(iif(${isLong}, null, events), x'00') as blob),
  json_group_array(word) filter (where ${isLong}) from postings where word in (select value from json_each(?))`
const LONG_LISTS = `select block, long_postings.events from postings join long_postings using (word, block)
  where word in (select value from json_each(?)) and ${isLong}`
const GRAM_ID = 'select id from words where word = ?'
/** Events that wait to be indexed which one step reads. */
const WAITING = 5_000
const NEXT_UNINDEXED = `select event_id from unindexed where event_id > ? order by event_id limit ${WAITING}`

/** The events in which words occur, as far as they are indexed. */
export function openTextIndex({ rows }: Pick<Db, 'rows'>) {
  const vocabulary = openVocabulary({ rows })

  /** The events with any of these words. */
  function* withAny(words: number[]): Task<Blocks> {
    const blocks: Blocks = new Map()
    for (let from = 0, count: number; from < words.length; from += count) {
      count = Math.min(WORDS, Math.ceil(ROWS / Math.max(1, blocks.size)))
      const some = JSON.stringify(words.slice(from, from + count))
      const [row] = rows<[string | null, Buffer | null, string]>(SHORT_LISTS, some)
      const [numbers, events, long] = row!
      if (numbers !== null) addJoined(events!, numbers.split(',').map(Number), blocks)
      yield
      if (long !== '[]')
        for (const [number, stored] of rows<[number, Buffer]>(LONG_LISTS, long))
          addStored(stored, blockIn(blocks, number))
      yield
    }
    return blocks
  }

  /** The words of each part and gram of a plan: an event has to have one of each. */
  function* wordsOf({ parts, grams }: Plan): Task<number[][]> {
    const all = grams.map((gram) => rows<[number]>(GRAM_ID, gram).map(([id]) => id))
    for (const part of parts) all.push(yield* vocabulary.having(part))
    return all
  }

  return {
    /** Reads the words that were added since. */
    follow: vocabulary.follow,
    /**
     * The events whose texts are not indexed as they are, or are being indexed. Ask for them before `find`, which may be wrong
     * about them, and is right about others unless they are written meanwhile.
     */
    *unindexed(): Task<number[]> {
      const ids: number[] = []
      for (
        let next = rows<[number]>(NEXT_UNINDEXED, 0);
        next.length > 0;
        next = rows<[number]>(NEXT_UNINDEXED, ids.at(-1))
      ) {
        for (const [id] of next) ids.push(id)
        yield
      }
      return ids
    },
    /** The indexed events that have what all plans ask for, in the texts that everyone finds or in those under a password. */
    *find(terms: Pick<Term, 'text' | 'how'>[], sealed: boolean): Task<Blocks> {
      yield* vocabulary.follow()
      const groups: number[][] = []
      for (const term of terms) groups.push(...(yield* wordsOf(planOf(term))))
      groups.sort((a, b) => a.length - b.length)
      let found: Blocks | undefined
      for (const group of groups) {
        const own: Blocks = yield* withAny(sealed ? group.map((id) => -id) : group)
        found = found ? keepCommon(found, own) : own
        if (found.size === 0) break
      }
      return found!
    },
  }
}

/** Blocks of events that one step puts into a set. */
const BLOCKS = 2
/** Texts that one step reads. */
export const TEXTS = 50
/** Number of events up to which reading their texts is faster than the index. */
export const MOST_TEXTS_READ = 300

/** What is looked for in texts. */
export type TextTerm = Pick<Term, 'text' | 'how'>

/** Whether the index finds a term only where it stands. */
export const isExact = (term: TextTerm) => planOf(term).isExact

/** Adds the rows of events whose IDs are read to a set. */
export const toRows = ({ rowOf }: Pick<Rows, 'rowOf'>, set: Pick<RowSet, 'add'>) => ({
  add(id: number) {
    const row = rowOf(id)
    if (row !== NO_ROW) set.add(row)
  },
})

type Fits = { mayEdit(caller: Caller, id: number): boolean }

/** Finds events by their texts. */
export function openTextMatches(
  db: Pick<Db, 'rows'>,
  { index, journal }: { index: LiveIndex['index']; journal: Pick<LiveIndex['journal'], 'end'> },
  { mayEdit }: Fits,
) {
  const words = openTextIndex(db)
  /** The events that waited when the last write was of a number. Since then none was added that a list will not hear of, and some may be indexed. */
  let known: { at: number; ids: number[] } | undefined

  function* inRows(blocks: Blocks): Task<Bitmap> {
    const bits = new Bitmap(index.size())
    const add = (first: number, mask: number) => index.addRows(first, mask, bits)
    const all = [...blocks]
    for (let from = 0; from < all.length; from += BLOCKS) {
      for (const [number, block] of all.slice(from, from + BLOCKS)) eachMask(block, number, add)
      yield
    }
    return bits
  }

  return {
    /** Reads the words of all texts. */
    load: words.follow,
    /** The events about which `find` may be wrong, until their texts are indexed. Ask for them first. */
    *unindexed(): Task<number[]> {
      const at = journal.end()
      if (known?.at !== at) known = { at, ids: yield* words.unindexed() }
      return known.ids
    },
    /** The events in which the caller finds all terms by the index. If not all of these are exact, others may be among them. */
    *find(terms: TextTerm[], caller: Caller): Task<Bitmap> {
      const found: Bitmap = yield* inRows(yield* words.find(terms, false))
      if (caller) {
        const sealed = yield* inRows(yield* words.find(terms, true))
        found.or(sealed.filter((row) => mayEdit(caller, index.idOf(row))))
      }
      return found
    },
    /** Looks at some events: adds those that fulfil a condition on their texts to a set, and removes the others. */
    *recheck(events: RowSet, ids: number[], condition: (id: number) => boolean): Task<void> {
      for (const [at, id] of ids.entries()) {
        if (at % TEXTS === TEXTS - 1) yield
        const row = index.rowOf(id)
        if (row === NO_ROW) continue
        if (condition(id)) events.add(row)
        else events.delete(row)
      }
    },
  }
}
