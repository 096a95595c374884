import type { Db } from '../../kernel/database/db.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import type { Term } from '../../kernel/text/search.ts'
import { addJoined, addStored, type Blocks, blockIn, keepCommon } from '../index/postings.ts'
import { type Plan, planOf } from './tokens.ts'
import { openVocabulary } from './vocabulary.ts'

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
const NEXT = `select event_id from unindexed where event_id > ? order by event_id limit ${WAITING}`

/** The events in which words occur, as far as they are indexed. */
export function openPostings({ rows }: Pick<Db, 'rows'>) {
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
     * The events whose texts are not indexed as they are, or are being indexed. Ask for them before `having`, which tells of them what it
     * likes, and is right about others unless they are written meanwhile.
     */
    *unindexed(): Task<number[]> {
      const ids: number[] = []
      for (let next = rows<[number]>(NEXT, 0); next.length > 0; next = rows<[number]>(NEXT, ids.at(-1))) {
        for (const [id] of next) ids.push(id)
        yield
      }
      return ids
    },
    /** The indexed events that have what all plans ask for, in the texts that everyone finds or in those under a password. */
    *having(terms: Pick<Term, 'text' | 'how'>[], sealed: boolean): Task<Blocks> {
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
export type Postings = ReturnType<typeof openPostings>
