import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Post } from '../../formats/records.ts'
import type { SearchTerms } from '../../rules/text/words.ts'
import { prepared, type Queries } from './db.ts'
import { beforeCommit } from './queue.ts'

/** Shorter words have no trigram; `grams` holds characters and pairs of characters for them. */
export const SHORTEST = 3
/** The prefix in `grams` for tokens of texts that a password protects. */
export const SEALED = 's'

type Searched = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>

/** The text by which everyone can find an event: of a protected event only the title (D29). */
const openText = ({ folded, folded_title, password_hash }: Searched) =>
  password_hash === null ? folded : folded_title
/** The text by which callers who may edit a protected event can find it. */
const sealedText = ({ folded, password_hash }: Searched) => (password_hash === null ? undefined : folded)

const hex = (code: number) => code.toString(16)
const codeOf = (character: string) => character.codePointAt(0)!
/** Greater than any code point. Two code points become one number, which costs a third of two strings in a set. */
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
export const gramOf = (word: string) => [...word].map((character) => hex(codeOf(character))).join('x')

/** The tokens of an event in `grams`. */
export const tokensOf = (event: Searched) => {
  const sealed = sealedText(event)
  return [...gramsOf(openText(event)), ...(sealed === undefined ? [] : gramsOf(sealed, SEALED))]
}

/** An FTS5 table, for writing; Drizzle has no virtual tables. */
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

/** Updates the text index after a write of an event; `before` is undefined for a new one. */
export function saveSearch(tx: Queries, event: Searched, before: Searched | undefined) {
  if (before && openText(before) === openText(event) && sealedText(before) === sealedText(event)) return
  beforeCommit(tx, async () => {
    if (before) await remove(tx, before)
    await addSearch(tx, event)
  })
}

/** Removes a permanently deleted event from the index. */
export function dropSearch(tx: Queries, event: Searched) {
  beforeCommit(tx, () => remove(tx, event))
}

/** Indexes an event again, whatever the index holds of it. */
export function rebuildSearch(tx: Queries, event: Searched) {
  beforeCommit(tx, async () => {
    await remove(tx, event)
    await deleteSealed(tx).execute({ id: event.id })
    await addSearch(tx, event)
  })
}

/** Adds an event to the index. */
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

/** Whether the index holds the right amount of text of an event. The index stores sizes, not the text itself. */
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

/** Reads a variable-length integer of SQLite: seven bits a byte, the highest first. */
function readVarint(bytes: Buffer): number {
  let value = 0
  for (const byte of bytes) value = value * 128 + (byte & 0x7f)
  return value
}

/** Whether the text of an event matches a search; `opened` says whether to search protected texts. */
export function matches(event: Searched, { wanted, unwanted }: SearchTerms, opened: boolean): boolean {
  const text = opened ? event.folded : openText(event)
  return wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
}
