import { sql } from 'drizzle-orm'
import type { Queries } from './db.ts'
import type { Post } from './render.ts'

/** Words that are shorter have no trigram, and are looked for in every text. */
const SHORTEST = 3

type Searched = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>

/** What everyone may find an event by: of one under a password only the title (D29). */
const publicText = ({ folded, folded_title, password_hash }: Searched) =>
  password_hash === null ? folded : folded_title

/** Keeps the index of texts right after a write to an event; `before` is undefined for a new one. */
export async function saveSearch(tx: Queries, event: Searched, before: Searched | undefined) {
  const text = publicText(event)
  if (before && publicText(before) === text) return
  if (before) await dropSearch(tx, event.id)
  await tx.run(sql`insert into search (rowid, folded) values (${event.id}, ${text})`)
}

/** Whether the index knows exactly as much text of an event as it has to: the index tells numbers, never the text. */
export function isSearchRight(db: Queries, event: Searched): boolean {
  const row = db.get<{ sz: Buffer } | undefined>(sql`select sz from search_docsize where id = ${event.id}`)
  const trigrams = Math.max(0, [...publicText(event)].length - SHORTEST + 1)
  return row !== undefined && readVarint(row.sz) === trigrams
}

/** SQLite's integer of variable length: seven bits a byte, the highest first. */
function readVarint(bytes: Buffer): number {
  let value = 0
  for (const byte of bytes) value = value * 128 + (byte & 0x7f)
  return value
}

/** Indexes an event anew, whatever the index knows of it. */
export async function rebuildSearch(tx: Queries, event: Searched) {
  await dropSearch(tx, event.id)
  await saveSearch(tx, event, undefined)
}

/** Takes an event that goes for good out of the index. */
export async function dropSearch(tx: Queries, id: number) {
  await tx.run(sql`delete from search where rowid = ${id}`)
}

/** Whether the index can tell where these folded texts occur. */
export const isIndexed = (words: string[]) => words.every((word) => [...word].length >= SHORTEST)

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

/** The IDs of events in whose public text all of these occur, as a subquery. */
export const found = (words: string[]) =>
  sql`(select rowid from search where search match ${words.map(quoted).join(' AND ')})`
