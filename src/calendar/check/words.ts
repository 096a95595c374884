import { EVERYTHING, recordChange } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { openRows } from '../index/rows.ts'
import { rebuildSearch } from '../search/indexing.ts'
import { addStored, eachOf, emptyBlock } from '../search/posting-lists.ts'
import { GRAM, gramOf, gramsOf, openText, type Searched, sealedText, wordsOf } from '../search/text-index.ts'
import { BATCH, type Difference, type Found } from './derived.ts'

const WORDS = 'select id, word from words'
const UNINDEXED = 'select event_id from unindexed'
const POSTINGS = `select word, block, iif(length(postings.events) > 0, postings.events, coalesce(long_postings.events, x''))
  from postings left join long_postings using (word, block)
  where (postings.word, postings.block) > (?, ?) order by postings.word, postings.block limit 1000`
const TEXTS = `select id, folded, folded_title, password_hash from posts where kind = 'event' and id > ? order by id limit ${BATCH}`

const yielded = () => new Promise(setImmediate)

/** A number of 44 bits for a word, such that two sets of words hardly have the same sum. */
function markOf(word: number): number {
  const mixed = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d)
  const other = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return (mixed >>> 0) * 4096 + ((other ^ (other >>> 15)) & 4095)
}

const WRAP = 2 ** 52
/** The sum modulo 2^52, which is exact in any order of any number of words. */
function sumOfBoth(sum: number, mark: number): number {
  const next = sum + mark
  return next < WRAP ? next : next - WRAP
}

/** The sums of the words that the index has for each event. */
async function storedSums({ rows }: Db) {
  const events = openRows()
  const sums: number[] = []
  let last: [number, number] = [Number.MIN_SAFE_INTEGER, 0]
  const block = emptyBlock()
  for (;;) {
    const next = rows<[word: number, block: number, events: Buffer]>(POSTINGS, ...last)
    if (next.length === 0) return { events, sums }
    for (const [word, number, stored] of next) {
      const mark = markOf(word)
      block.fill(0)
      addStored(stored, block)
      eachOf(block, number, (id) => {
        const row = events.assign(id)
        sums[row] = sumOfBoth(sums[row] ?? 0, mark)
      })
      last = [word, number]
    }
    await yielded()
  }
}

/** Compares the index of words with the texts of all events, on one state of the database: what it lacks, and what it has too much. */
export const checkWords = (db: Db): Promise<Found> =>
  db.view(async () => {
    const words = new Map<string, number>()
    // by their numbers, which are found faster than texts
    const grams = new Map<number, number>()
    for (const [id, word] of db.rows<[number, string]>(WORDS))
      if (word[0] === GRAM) grams.set(gramOf(word), id)
      else words.set(word, id)
    const unindexed = new Set(db.rows<[number]>(UNINDEXED).map(([id]) => id))
    const { events, sums } = await storedSums(db)
    const differences: Difference[] = []
    const note = (id: number, what: string) =>
      differences.push({ kind: 'search', id, what: `event ${id} ${what}` })
    const sumOf = (text: string, sign: 1 | -1, before = 0) => {
      let sum = before
      for (const gram of gramsOf(text)) sum = sumOfBoth(sum, markOf(sign * (grams.get(gram) ?? 0)))
      for (const word of wordsOf(text)) sum = sumOfBoth(sum, markOf(sign * (words.get(word) ?? 0)))
      return sum
    }
    type Row = [id: number, folded: string, folded_title: string, password_hash: string | null]
    for (let next = db.rows<Row>(TEXTS, 0); next.length > 0; next = db.rows<Row>(TEXTS, next.at(-1)![0])) {
      for (const [id, folded, folded_title, password_hash] of next) {
        const event: Searched = { id, folded, folded_title, password_hash }
        const row = events.assign(id)
        const sum = sums[row] ?? 0
        sums[row] = 0
        if (!unindexed.has(id) && sum !== sumOf(sealedText(event), -1, sumOf(openText(event), 1)))
          note(id, 'stands wrong in the search index')
      }
      await yielded()
    }
    for (const [row, sum] of sums.entries()) {
      const id = events.idOf(row)
      if (sum !== 0 && !unindexed.has(id)) note(id, 'stands in the search index and does not exist')
    }
    return { ids: [], differences }
  })

/** Notes that events have to be indexed again, which running servers do; their searches are right at once. */
export async function mendWords(db: Db, { clock }: Site, differences: Difference[]) {
  await db.local(async (tx) => {
    for (const difference of differences) rebuildSearch(tx, difference)
  })
  // what servers keep of searches is thrown away; other nodes have another index
  if (!db.replica)
    await db.write((tx) => recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: clock() }))
}
