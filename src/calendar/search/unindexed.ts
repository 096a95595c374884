import type Database from 'better-sqlite3'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import type { SearchTerms } from '../../kernel/text/search.ts'
import type { Post } from '../formats/records.ts'

export type Searched = Pick<Post, 'id' | 'folded' | 'folded_title' | 'password_hash'>

/** The text by which everyone can find an event: of a protected event only the title (D29). */
export const openText = ({ folded, folded_title, password_hash }: Omit<Searched, 'id'>) =>
  password_hash === null ? folded : folded_title
/** The text by which callers who may edit a protected event can find it; empty if it is not protected. */
export const sealedText = ({ folded, password_hash }: Omit<Searched, 'id'>) =>
  password_hash === null ? '' : folded

type Client = { $client?: Database.Database }
/** Statements of a connection in plain SQL. */
export const statementsOf = <T>(build: (prepare: (query: string) => Database.Statement) => T) =>
  prepared(({ $client }: Queries & Client) => build((query) => $client!.prepare(query)))

// what may stand in the index: what stood there before the first of these writes, and what a merge added meanwhile
const notes = statementsOf((prepare) => ({
  change:
    prepare(`insert into unindexed (event_id, open, sealed, merge) values (?, ?, ?, 0) on conflict do update
    set open = open || char(10) || excluded.open, sealed = sealed || char(10) || excluded.sealed, merge = 0 where merge <> 0`),
  doubt: prepare(`insert into unindexed (event_id, merge) values (?, 0) on conflict do update
    set open = null, sealed = null, merge = 0 where merge <> 0`),
}))

/** Notes that the index does not have the texts of an event, after a write that changed them; `before` is undefined for a new one. */
export function saveSearch(tx: Queries, event: Searched, before: Searched | undefined) {
  if (before && openText(before) === openText(event) && sealedText(before) === sealedText(event)) return
  notes(tx).change.run(event.id, before ? openText(before) : '', before ? sealedText(before) : '')
}

/** Notes that the index has an event that was permanently deleted. */
export function dropSearch(tx: Queries, event: Searched) {
  notes(tx).change.run(event.id, openText(event), sealedText(event))
}

/** Notes that an event has to be indexed again, whatever the index holds of it. */
export function rebuildSearch(tx: Queries, { id }: Pick<Searched, 'id'>) {
  notes(tx).doubt.run(id)
}

/** Whether the text of an event matches a search; `opened` says whether to search protected texts. */
export function matches(event: Searched, { wanted, unwanted }: SearchTerms, opened: boolean): boolean {
  const text = opened ? event.folded : openText(event)
  return wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
}
