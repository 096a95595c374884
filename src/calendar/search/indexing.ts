import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { blockOf, changed, SHORT } from './posting-lists.ts'
import { openText, type Searched, sealedText, tokensOf } from './text-index.ts'

type Client = { $client?: Database.Database }
/** Statements of a connection in plain SQL. */
export const statementsOf = <T>(build: (prepare: (query: string) => Database.Statement) => T) =>
  prepared(({ $client }: Queries & Client) => build((query) => $client!.prepare(query)))

// what may stand in the index: what stood there before the first of these writes, and what a merge added meanwhile
const notes = statementsOf((prepare) => ({
  change:
    prepare(`insert into unindexed (event_id, open, sealed, merge) values (?, ?, ?, 0) on conflict do update
    set open = open || char(10) || excluded.open, sealed = sealed || char(10) || excluded.sealed, merge = 0 where merge <> 0`),
  unknown: prepare(`insert into unindexed (event_id, merge) values (?, 0) on conflict do update
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
  notes(tx).unknown.run(id)
}

/** Events that are merged together, which are in memory with their words. */
export const MOST_MERGED = 4_096
/** Milliseconds of a step. */
const STEP = 3
/** Rows of the index that are looked up together for events whose texts are not known. */
const ROWS = 300
/** Merged events that one step notes. */
const NOTED = 500

/** Events that get a word, and that lose it, by ID. */
type Change = { added: number[]; removed: number[] }
type Changes = Map<string, Change>
/** The number of a word, with its change. */
type Entry = [word: number, change: Change]
type Row = { event_id: number; open: string | null; sealed: string | null }

const statements = statementsOf((prepare) => ({
  begin: prepare(
    'insert into unindexed (event_id, merge) values (0, 1) on conflict do update set merge = merge + 1 returning merge',
  ).pluck(),
  owner: prepare('select merge from unindexed where event_id = 0').pluck(),
  next: prepare('select event_id, open, sealed from unindexed where event_id > ? order by event_id limit 1'),
  texts: prepare("select id, folded, folded_title, password_hash from posts where id = ? and kind = 'event'"),
  claim: prepare('update unindexed set merge = ? where event_id = ?'),
  finish: prepare('delete from unindexed where merge = ? and event_id in (select value from json_each(?))'),
  idOf: prepare('select id from words where word = ?').pluck(),
  addWord: prepare('insert into words (word) values (?)'),
  read: prepare('select events from postings where word = ? and block = ?').pluck(),
  write: prepare('insert or replace into postings (word, block, events) values (?, ?, ?)'),
  remove: prepare('delete from postings where word = ? and block = ?'),
  readLong: prepare('select events from long_postings where word = ? and block = ?').pluck(),
  writeLong: prepare('insert or replace into long_postings (word, block, events) values (?, ?, ?)'),
  removeLong: prepare('delete from long_postings where word = ? and block = ?'),
  after: prepare(
    `select word, block from postings where (word, block) > (?, ?) order by word, block limit ${ROWS}`,
  ).raw(),
}))
type Statements = ReturnType<typeof statements>

const WAITING = `select count(*) from (select 1 from unindexed where event_id > 0 limit ${MOST_MERGED})`

/** Notes the words that an event gets and loses. */
function compare(id: number, was: Set<string>, is: Set<string>, changes: Changes) {
  const changeOf = (word: string) => {
    const known = changes.get(word)
    if (known) return known
    const change: Change = { added: [], removed: [] }
    changes.set(word, change)
    return change
  }
  for (const word of is) changeOf(word).added.push(id)
  for (const word of was) if (!is.has(word)) changeOf(word).removed.push(id)
}

const NOTHING = Buffer.alloc(0)

/** Changes the events of a word in one block. */
function write(all: Statements, word: number, block: number, { added, removed }: Change) {
  const own = all.read.get(word, block) as Buffer | undefined
  const wasLong = own?.length === 0
  const stored = wasLong ? (all.readLong.get(word, block) as Buffer | undefined) : own
  const events = changed(stored, removed, added)
  if (events && stored?.equals(events)) return
  const isLong = events !== undefined && events.length > SHORT
  if (isLong) all.writeLong.run(word, block, events)
  else if (wasLong) all.removeLong.run(word, block)
  if (!events) all.remove.run(word, block)
  else if (!isLong || !wasLong) all.write.run(word, block, isLong ? NOTHING : events)
}

/** Changes the events of a word. */
function writeAll(all: Statements, word: number, { added, removed }: Change) {
  const blocks = new Set([...added, ...removed].map(blockOf))
  for (const block of blocks) {
    const own = (ids: number[]) => (blocks.size === 1 ? ids : ids.filter((id) => blockOf(id) === block))
    write(all, word, block, { added: own(added), removed: own(removed) })
  }
}

/** Removes events from all words that have them, a row of the index at each call, which returns false when there are no more. */
function forgetting(ids: Map<number, number[]>): (all: Statements) => boolean {
  let rows: [word: number, block: number][] = [[Number.MIN_SAFE_INTEGER, 0]]
  let at = 0
  return (all) => {
    const row = rows[++at]
    if (row) {
      const [word, block] = row
      const removed = ids.get(block)
      if (removed) write(all, word, block, { added: [], removed })
      return true
    }
    rows = [rows.at(-1)!, ...(all.after.all(...rows.at(-1)!) as typeof rows)]
    at = 0
    return rows.length > 1
  }
}

class Ended extends Error {}

/** Brings texts that were written into the index of words: for the process that writes, one merge at a time. */
export function openMerging(db: Db) {
  /** Merges some events; what an earlier merge left half done is done again. Throws `Ended` if another process merges, or if it is to end. */
  async function mergeSome(most: number, signal: AbortSignal | undefined): Promise<number> {
    const own = await db.local(async (tx) => statements(tx).begin.get() as number)
    async function step<T>(work: (all: Statements) => T): Promise<T> {
      await nextTurn() // or all steps would share a turn
      return db.local(async (tx) => {
        const all = statements(tx)
        if (signal?.aborted || all.owner.get() !== own) throw new Ended()
        return work(all)
      })
    }
    /** Does work for several milliseconds a step, until it returns false. */
    async function repeat(work: (all: Statements) => boolean) {
      for (let isMore = true; isMore; )
        isMore = await step((all) => {
          const began = performance.now()
          while (work(all)) if (performance.now() - began >= STEP) return true
          return false
        })
    }

    /** The changes by the numbers of their words, of which some are new. */
    async function number(changes: Changes, sign: 1 | -1): Promise<Entry[]> {
      const entries: Entry[] = []
      const left = changes.entries()
      await repeat(({ idOf, addWord }) => {
        const { done, value } = left.next()
        if (done) return false
        const [word, change] = value
        const known = idOf.get(word) as number | undefined
        const isKnown = known !== undefined || change.added.length > 0
        if (isKnown) entries.push([sign * (known ?? Number(addWord.run(word).lastInsertRowid)), change])
        return true
      })
      return entries
    }

    const open: Changes = new Map()
    const sealed: Changes = new Map()
    const ids: number[] = []
    const unknown = new Map<number, number[]>()
    await repeat(({ next, texts, claim }) => {
      const row = next.get(ids.at(-1) ?? 0) as Row | undefined
      if (!row || ids.length === most) return false
      const { event_id: id } = row
      const event = texts.get(id) as Searched | undefined
      const tokens = (textOf: (event: Searched) => string) => tokensOf(event ? textOf(event) : '')
      if (row.open === null) unknown.set(blockOf(id), [...(unknown.get(blockOf(id)) ?? []), id])
      compare(id, tokensOf(row.open ?? ''), tokens(openText), open)
      compare(id, tokensOf(row.sealed ?? ''), tokens(sealedText), sealed)
      claim.run(own, id)
      ids.push(id)
      return true
    })
    if (unknown.size > 0) await repeat(forgetting(unknown))
    const entries = [...(await number(open, 1)), ...(await number(sealed, -1))]
    // neighbours share pages
    entries.sort(([a], [b]) => a - b)
    let at = 0
    await repeat((all) => {
      const entry = entries[at++]
      if (entry) writeAll(all, ...entry)
      return entry !== undefined
    })
    for (let from = 0; from < ids.length; from += NOTED)
      await step(({ finish }) => finish.run(own, JSON.stringify(ids.slice(from, from + NOTED))))
    return ids.length
  }

  return {
    /** How many events wait to be indexed, up to as many as one merge takes. */
    waiting: () => db.rows<[number]>(WAITING)[0]![0],
    /**
     * Brings events into the index in steps of a few milliseconds; returns how many. Searches find the same before, meanwhile and after. It may end at
     * any step, at the wish of `signal`, by a crash, or because another process has begun: what it left is done by the next.
     */
    async merge(signal?: AbortSignal, most = MOST_MERGED): Promise<number> {
      try {
        return await mergeSome(most, signal)
      } catch (error) {
        if (error instanceof Ended) return 0
        throw error
      }
    },
  }
}
