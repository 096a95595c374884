import { renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { asc, gt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../../../drizzle/tables.ts'
import { saveDocument } from '../../../calendar/records/derived.ts'
import { saveSearch } from '../../../calendar/search/indexing.ts'
import type { Queries } from '../../../kernel/database/db.ts'
import { claim, explain, sync, unusable } from '../../../kernel/database/file.ts'
import { MIGRATIONS, migrate } from '../../../kernel/database/migrations.ts'
import { isSaid, Lost, type Session } from '../connection/session.ts'
import { raiseCounters } from '../log/apply.ts'
import { type Row, rowOf } from '../tables/comparison.ts'
import { type Head, headFor } from '../tables/history.ts'
import { TABLES, type Table } from '../tables/rows.ts'

/** Rows that are fetched at a time, and posts that are derived in one transaction. */
const ROWS = 2_000
const POSTS = 500
/** Milliseconds for a batch of rows. */
const FETCH = 60_000

export type Progress = (done: number, total: number) => void

/**
 * Takes all tables of truth in one snapshot into a new file, derives everything, and notes up to which group it has them. The file is
 * complete, or not there. Returns the group.
 */
export const takeCopy = (session: Session, file: string, progress: Progress): Promise<number> =>
  makeFile(file, async (db, tx) => {
    const head = await beginSnapshot(session)
    const { total, step } = openSteps(progress)
    total(await sizeOf(session, [...NAMES, 'posts'])) // which are derived as well
    await fill(session, db, step)
    await session.run('commit')
    await deriveAll(db, tx, head.counters, step)
    const { seq, commit_id, origin } = head
    await tx.insert(tables.replica).values({ id: 1, seq, commit_id, origin })
    return seq
  })

/** Makes a new file with empty tables and lets `work` fill it. The file is complete and on disk, or not there. */
export async function makeFile<T>(
  file: string,
  work: (db: Database.Database, tx: Queries) => Promise<T>,
): Promise<T> {
  const partial = `${file}.partial`
  let db: Database.Database | undefined
  const filled = async () => {
    db = openPartial(partial)
    migrate(db, partial, MIGRATIONS)
    db.pragma('foreign_keys = OFF')
    const made = await work(db, drizzle(db, { schema: tables }))
    db.close()
    sync(partial)
    install(partial, file)
    return made
  }
  return filled()
    .catch((error) => {
      throw isSaid(error) || error instanceof Lost ? error : explain(error, file)
    })
    .finally(() => {
      if (db?.open) rmSync(partial, { force: true })
      db?.close()
    })
}

/** A new file for a copy, which no other process has open. What one that was killed left is deleted. */
function openPartial(partial: string): Database.Database {
  const left = lock(partial)
  try {
    rmSync(partial)
    return lock(partial)
  } finally {
    left.close()
  }
}

function lock(partial: string): Database.Database {
  claim(partial)
  const db = new Database(partial, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = OFF') // if this ends early, the file is thrown away
    db.pragma('synchronous = OFF')
    db.pragma('cache_size = -64000')
    db.exec('BEGIN EXCLUSIVE; COMMIT')
    return db
  } catch {
    db.close()
    throw unusable(partial, 'another process takes this copy; try again when it has ended')
  }
}

/** Counts what was done of a total that is known later. */
export function openSteps(progress: Progress) {
  let done = 0
  let all = 0
  return {
    total: (size: number) => {
      all = size
    },
    step: (count: number) => {
      done += count
      progress(done, all)
    },
  }
}
export type Step = (count: number) => void

/** Puts a copy in the place of another, which nothing may have open. */
export function install(from: string, file: string) {
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  renameSync(from, file)
}

/** Reads all rows of the session's snapshot into empty tables. */
export async function fill(session: Session, db: Database.Database, step: Step) {
  for (const table of TABLES) {
    const insert = db.prepare(table.upsert)
    for await (const rows of rowsThere(session, table)) {
      db.transaction(() => insert.run(`[${rows}]`))()
      step(rows.length)
    }
  }
}

/** Begins a transaction that sees one state of all tables; returns its head. */
export async function beginSnapshot(session: Session): Promise<Head> {
  const [head] = await session.ask<Head>(
    `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; ${headFor(0)}`,
  )
  return head!
}

/** The tables of truth by name. */
export const NAMES = TABLES.map(({ name }) => name)

/** The number of rows of these tables in PostgreSQL. */
export async function sizeOf(session: Session, names: string[]): Promise<number> {
  const counts = names.map((name) => `(select count(*) from almanac.${name})`).join(' + ')
  const [row] = await session.ask<{ size: string }>(`select (${counts}) as size`, FETCH)
  return Number(row!.size)
}

/** All rows of a table in PostgreSQL as JSON, in the order of their keys, in the session's transaction. */
export async function* rowsThere(session: Session, table: Table): AsyncGenerator<string[]> {
  const { name, keys, toJsonInTruth } = table
  const order = keys.map(
    (key) =>
      `"${key}"${table.columns.find((column) => column.name === key)!.type === 'text' ? ' collate "C"' : ''}`,
  )
  await session.run(
    `declare rows_of cursor for select ${toJsonInTruth} as row from almanac.${name} order by ${order}`,
    FETCH,
  )
  for (;;) {
    const rows = await session.ask<{ row: string }>(`fetch ${ROWS} from rows_of`, FETCH)
    if (rows.length > 0) yield rows.map(({ row }) => row)
    if (rows.length < ROWS) break
  }
  await session.run('close rows_of')
}

/** All rows of a table in PostgreSQL as values, in the order of their keys. */
export async function* readTruth(session: Session, table: Table): AsyncGenerator<Row[]> {
  for await (const page of rowsThere(session, table)) yield page.map((row) => rowOf(table, row))
}

/** Derives what all posts of a new file show, and are found by, and notes how far IDs were given. */
export async function deriveAll(db: Database.Database, tx: Queries, counters: string, step: Step) {
  raiseCounters(tx, counters)
  const settings = tx.select({ currency: tables.site.currency }).from(tables.site).get()
  for (let after = 0; ; ) {
    const batch = tx
      .select()
      .from(tables.posts)
      .where(gt(tables.posts.id, after))
      .orderBy(asc(tables.posts.id))
      .limit(POSTS)
      .all()
    if (batch.length === 0) break
    db.exec('begin')
    for (const post of batch) {
      await saveDocument(tx, settings!, { post })
      if (post.kind === 'event') saveSearch(tx, post, undefined)
    }
    db.exec('commit')
    after = batch.at(-1)!.id
    step(batch.length)
    await new Promise(setImmediate)
  }
}
