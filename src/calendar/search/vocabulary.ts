import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { GRAM, type Part } from './tokens.ts'

/** Words in a stretch, which one step looks through. */
const STRETCH = 8_192
/** Words in a line of a stretch. */
const LINE = 32
/** Words that one step reads. */
const BATCH = 5_000
const NEXT = `select id, word from words where id > ? order by id limit ${BATCH}`

/** Marks of three characters in a row. Several share one: what has a mark may have what it stands for. */
const MARKS = 2_048
const markOf = (text: string, at: number) =>
  (Math.imul(text.charCodeAt(at), 0x2c1b3c6d) ^
    Math.imul(text.charCodeAt(at + 1), 0x297a2d39) ^
    Math.imul(text.charCodeAt(at + 2), 0x9e3779b1)) >>>
  21

/** Words in lines, each a text with a row for each word, and for each mark a bit for each line that has it: `width` numbers of 32 bits. */
type Stretch = { lines: string[]; starts: Uint16Array; ids: Uint32Array; marks: Uint32Array; width: number }
type Row = [id: number, word: string]

function stretchOf(rows: Row[]): Stretch {
  const starts = new Uint16Array(rows.length)
  const lines: string[] = []
  const width = Math.ceil(rows.length / LINE / 32)
  const marks = new Uint32Array(MARKS * width)
  for (let from = 0; from < rows.length; from += LINE) {
    const words = rows.slice(from, from + LINE).map(([, word]) => word)
    let start = 1
    for (const [place, word] of words.entries()) {
      starts[from + place] = start
      start += word.length + 1
    }
    const text = `\n${words.join('\n')}\n`
    const line = lines.push(text) - 1
    for (let at = 0; at + 2 < text.length; at++)
      marks[markOf(text, at) * width + (line >>> 5)]! |= 1 << (line & 31)
  }
  return { lines, starts, ids: Uint32Array.from(rows, ([id]) => id), marks, width }
}
const rowsOf = ({ lines, ids }: Stretch): Row[] =>
  lines.flatMap((text) => text.slice(1, -1).split('\n')).map((word, at) => [ids[at]!, word])

/** Adds words to the last stretch, and begins another where that is full. */
function append(stretches: Stretch[], rows: Row[]) {
  const last = stretches.at(-1)
  const all = last && last.ids.length < STRETCH ? [...rowsOf(stretches.pop()!), ...rows] : rows
  for (let from = 0; from < all.length; from += STRETCH)
    stretches.push(stretchOf(all.slice(from, from + STRETCH)))
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
