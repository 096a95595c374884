import { GRAM, type Part } from '../../rules/text/tokens.ts'
import type { Task } from '../../support/scheduler.ts'
import type { Db } from '../sqlite/db.ts'

/** Words in a stretch, which one step looks through. */
const STRETCH = 16_384
/** Words that one step reads. */
const BATCH = 5_000
const NEXT = `select id, word from words where id > ? order by id limit ${BATCH}`

/** Words in one text with a line for each. */
type Stretch = { text: string; starts: Uint32Array; ids: Uint32Array }
type Row = [id: number, word: string]

function stretchOf(rows: Row[]): Stretch {
  const starts = new Uint32Array(rows.length)
  let at = 1
  for (const [place, [, word]] of rows.entries()) {
    starts[place] = at
    at += word.length + 1
  }
  return {
    text: `\n${rows.map(([, word]) => word).join('\n')}\n`,
    starts,
    ids: Uint32Array.from(rows, ([id]) => id),
  }
}
const rowsOf = ({ text, ids }: Stretch): Row[] =>
  text
    .slice(1, -1)
    .split('\n')
    .map((word, at) => [ids[at]!, word])

/** Adds words to the last stretch, and begins another where that is full. */
function append(stretches: Stretch[], rows: Row[]) {
  const last = stretches.at(-1)
  const all = last && last.ids.length < STRETCH ? [...rowsOf(stretches.pop()!), ...rows] : rows
  for (let from = 0; from < all.length; from += STRETCH)
    stretches.push(stretchOf(all.slice(from, from + STRETCH)))
}

/** Adds the IDs of the words of a stretch in which a text occurs. */
function find({ text, starts, ids }: Stretch, wanted: string, to: number[]) {
  const skip = wanted[0] === '\n' ? 1 : 0
  let place = 0
  for (let at = text.indexOf(wanted); at >= 0; ) {
    while (place + 1 < starts.length && starts[place + 1]! <= at + skip) place++
    to.push(ids[place]!)
    const end = place + 1 < starts.length ? starts[place + 1]! - 1 : text.length
    at = text.indexOf(wanted, end)
  }
}

/** Text whose characters take a byte each: in stretches of their own, words are searched faster than beside others. */
const NARROW = /^[\0-\xff]*$/

/** All words of texts, in memory, from which none ever goes. It says nothing of who may see a word: only what events a caller finds by it does. */
export function openVocabulary({ rows }: Pick<Db, 'rows'>) {
  const narrow: Stretch[] = []
  const wide: Stretch[] = []
  let last = 0
  return {
    /** Adds the words that were committed since. */
    *follow(): Task<void> {
      for (let next = rows<Row>(NEXT, last); next.length > 0; next = rows<Row>(NEXT, last)) {
        const words = next.filter(([, word]) => word[0] !== GRAM)
        append(
          narrow,
          words.filter(([, word]) => NARROW.test(word)),
        )
        append(
          wide,
          words.filter(([, word]) => !NARROW.test(word)),
        )
        last = next.at(-1)![0]
        yield
      }
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
