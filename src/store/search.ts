import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Bits, read } from '../bits.ts'
import type { SearchTerms } from '../search.ts'
import { type Db, prepared, type Queries } from './db.ts'
import { beforeCommit } from './queue.ts'
import type { Post } from './render.ts'

/** Words that are shorter have no trigram: `grams` knows their characters and pairs of characters. */
const SHORTEST = 3
/** In `grams`, stands before what comes from a text under a password. */
const SEALED = 's'

type Searched = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>

/** What everyone may find an event by: of one under a password only the title (D29). */
const openText = ({ folded, folded_title, password_hash }: Searched) =>
  password_hash === null ? folded : folded_title
/** What those find it by who may edit it. */
const sealedText = ({ folded, password_hash }: Searched) => (password_hash === null ? undefined : folded)

const hex = (code: number) => code.toString(16)
const codeOf = (character: string) => character.codePointAt(0)!
/** Code points are below: two of them make one number, which costs a third of two texts in a set. */
const BASE = 2 ** 21

/** Every character of a text and every pair, as tokens of `grams`. */
function gramsOf(text: string, sign = ''): string[] {
  const singles = new Set<number>()
  const pairs = new Set<number>()
  let last = -1
  for (const character of text) {
    const code = codeOf(character)
    singles.add(code)
    if (last >= 0) pairs.add(last * BASE + code)
    last = code
  }
  return [
    ...[...singles].map((code) => sign + hex(code)),
    ...[...pairs].map((pair) => `${sign}${hex(Math.floor(pair / BASE))}x${hex(pair % BASE)}`),
  ]
}
/** The token of a word that is one or two characters. */
const gramOf = (word: string) => [...word].map((character) => hex(codeOf(character))).join('x')

/** What `grams` holds of an event. */
export const tokensOf = (event: Searched) => {
  const sealed = sealedText(event)
  return [...gramsOf(openText(event)), ...(sealed === undefined ? [] : gramsOf(sealed, SEALED))]
}

/** FTS5's tables, as far as they are written; Drizzle has no virtual tables. */
const index = (name: string, column: string) =>
  sqliteTable(name, { id: integer('rowid').primaryKey(), text: text(column).notNull() })
type Index = ReturnType<typeof index>
const searchIndex = index('search', 'folded')
const sealedIndex = index('sealed', 'folded')
const gramsIndex = index('grams', 'tokens')
const insertInto = (table: Index) =>
  prepared((db) =>
    db
      .insert(table)
      .values({ id: sql.placeholder('id'), text: sql.placeholder('text') })
      .prepare(),
  )
const deleteFrom = (table: Index) =>
  prepared((db) =>
    db
      .delete(table)
      .where(eq(table.id, sql.placeholder('id')))
      .prepare(),
  )
const insertSearch = insertInto(searchIndex)
const insertSealed = insertInto(sealedIndex)
const insertGrams = insertInto(gramsIndex)
const deleteSearch = deleteFrom(searchIndex)
const deleteSealed = deleteFrom(sealedIndex)
const deleteGrams = deleteFrom(gramsIndex)

/** Keeps the index of texts right after a write to an event; `before` is undefined for a new one. */
export function saveSearch(tx: Queries, event: Searched, before: Searched | undefined) {
  if (before && openText(before) === openText(event) && sealedText(before) === sealedText(event)) return
  beforeCommit(tx, async () => {
    if (before) await remove(tx, before)
    await addSearch(tx, event)
  })
}

/** Takes an event that goes for good out of the index. */
export function dropSearch(tx: Queries, event: Searched) {
  beforeCommit(tx, () => remove(tx, event))
}

/** Indexes an event anew, whatever the index knows of it. */
export function rebuildSearch(tx: Queries, event: Searched) {
  beforeCommit(tx, async () => {
    await remove(tx, event)
    await deleteSealed(tx).execute({ id: event.id })
    await addSearch(tx, event)
  })
}

/** Indexes an event that the index does not know. */
export async function addSearch(tx: Queries, event: Searched) {
  const { id } = event
  const secret = sealedText(event)
  await insertSearch(tx).execute({ id, text: openText(event) })
  if (secret !== undefined) await insertSealed(tx).execute({ id, text: secret })
  await insertGrams(tx).execute({ id, text: tokensOf(event).join(' ') })
}

async function remove(tx: Queries, event: Searched) {
  const { id } = event
  await deleteSearch(tx).execute({ id })
  if (sealedText(event) !== undefined) await deleteSealed(tx).execute({ id })
  await deleteGrams(tx).execute({ id })
}

const sizeIn = (table: string) =>
  sql<Buffer | null>`(select sz from ${sql.identifier(`${table}_docsize`)} where id = ${sql.placeholder('id')})`
const sizesOf = prepared((db) =>
  db
    .select({ search: sizeIn('search'), sealed: sizeIn('sealed'), grams: sizeIn('grams') })
    .from(sql`(select 1)`)
    .prepare(),
)

/** Whether the index knows exactly as much text of an event as it has to: the index tells numbers, never the text. */
export async function isSearchRight(db: Queries, event: Searched): Promise<boolean> {
  const [sizes] = await sizesOf(db).execute({ id: event.id })
  const is = (size: Buffer | null, right: number | null) => (size && readVarint(size)) === right
  const secret = sealedText(event)
  return (
    is(sizes!.search, trigrams(openText(event))) &&
    is(sizes!.sealed, secret === undefined ? null : trigrams(secret)) &&
    is(sizes!.grams, tokensOf(event).length)
  )
}
const trigrams = (text: string) => Math.max(0, [...text].length - SHORTEST + 1)

/** SQLite's integer of variable length: seven bits a byte, the highest first. */
function readVarint(bytes: Buffer): number {
  let value = 0
  for (const byte of bytes) value = value * 128 + (byte & 0x7f)
  return value
}

const isLong = (word: string) => [...word].length >= SHORTEST
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

/** Of words of so many letters every second trigram is asked for: of shorter ones it saves nothing, of longer ones trying takes long. */
const SPARSE = { least: 6, most: 12 }

/** Whether the trigrams at these places of a word fit into a stretch of its length in another way than as the word. */
function fitsOtherwise(letters: string[], places: number[]): boolean {
  const stretch: (string | undefined)[] = letters.map(() => undefined)
  const put = (next: number): boolean => {
    if (next === places.length) return letters.some((letter, at) => stretch[at] !== letter)
    const own = letters.slice(places[next]!, places[next]! + SHORTEST)
    for (let to = 0; to <= letters.length - SHORTEST; to++) {
      const before = stretch.slice(to, to + SHORTEST)
      if (own.some((letter, at) => (before[at] ?? letter) !== letter)) continue
      stretch.splice(to, SHORTEST, ...own)
      if (put(next + 1)) return true
      stretch.splice(to, SHORTEST, ...before)
    }
    return false
  }
  return put(0)
}

/**
 * What finds a long word: every second of its trigrams and the last, so near to each other that they fit only where the word
 * stands. Where they fit in another way as well, as those of "banana", all of them in a row.
 */
export function termOf(word: string): string {
  const letters = [...word]
  const last = letters.length - SHORTEST
  if (letters.length < SPARSE.least || letters.length > SPARSE.most) return quoted(word)
  const places = letters.flatMap((_, at) => ((at % 2 === 0 && at < last) || at === last ? [at] : []))
  if (fitsOtherwise(letters, places)) return quoted(word)
  const trigrams = places.map((at) => quoted(letters.slice(at, at + SHORTEST).join('')))
  return `NEAR(${trigrams.join(' ')}, ${last - 1})`
}

/** The events below `size` in which all words occur, or any of them; in what is open to all, or in what is under a password. */
export function found(
  { rows }: Db,
  words: string[],
  { sealed, all, size }: { sealed: boolean; all: boolean; size: number },
): Bits {
  const sign = sealed ? SEALED : ''
  const questions: [table: string, terms: string[]][] = [
    [sealed ? 'sealed' : 'search', words.filter(isLong).map(termOf)],
    ['grams', words.filter((word) => !isLong(word)).map((word) => quoted(sign + gramOf(word)))],
  ]
  const [first, second] = questions
    .filter(([, terms]) => terms.length > 0)
    .map(([table, terms]) => {
      const query = `select coalesce(cast(group_concat(rowid) as blob), x'') from ${table} where ${table} match ?`
      const [row] = rows<[Buffer]>(query, terms.join(all ? ' AND ' : ' OR '))
      return read(row![0], new Bits(size))
    })
  if (!second) return first!
  return all ? first!.and(second) : first!.or(second)
}

/** Whether an event's text answers a search; `opened` says whether what a password protects is searched. */
export function answers(event: Searched, { wanted, unwanted }: SearchTerms, opened: boolean): boolean {
  const text = opened ? event.folded : openText(event)
  return wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
}
