import { renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { asc, gt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../../drizzle/tables.ts'
import { saveDocument } from '../records/document.ts'
import type { Queries } from '../sqlite/db.ts'
import { claim, unusable } from '../sqlite/file.ts'
import { MIGRATIONS, migrate } from '../sqlite/migrations.ts'
import { addSearch } from '../sqlite/text-index.ts'
import { raiseCounters } from './apply.ts'
import { type Head, headFor } from './history.ts'
import { TABLES, type Table } from './rows.ts'
import type { Session } from './session.ts'

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
export async function takeCopy(session: Session, file: string, progress: Progress): Promise<number> {
  const partial = `${file}.partial`
  const db = openPartial(partial)
  try {
    migrate(db, partial, MIGRATIONS)
    db.pragma('foreign_keys = OFF')
    const tx = drizzle(db, { schema: tables })
    const seq = await fill(session, db, tx, progress)
    db.close()
    install(partial, file)
    return seq
  } finally {
    if (db.open) rmSync(partial, { force: true })
    db.close()
  }
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

/** Puts a copy in the place of another, which nothing may have open. */
export function install(from: string, file: string) {
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  renameSync(from, file)
}

async function fill(
  session: Session,
  db: Database.Database,
  tx: Queries,
  progress: Progress,
): Promise<number> {
  const head = await beginSnapshot(session)
  const sizes = await sizesOf(session)
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0) + sizes.get('posts')!
  let done = 0
  const step = (rows: number) => {
    done += rows
    progress(done, total)
  }
  for (const table of TABLES) {
    const insert = db.prepare(table.upsert)
    for await (const rows of rowsThere(session, table)) {
      db.transaction(() => insert.run(`[${rows}]`))()
      step(rows.length)
    }
  }
  await session.run('commit')
  raiseCounters(tx, head.counters)
  await deriveAll(db, tx, step)
  const { seq, commit_id, origin } = head
  await tx.insert(tables.replica).values({ id: 1, seq, commit_id, origin })
  return seq
}

/** Begins a transaction that sees one state of all tables; returns its head. */
export async function beginSnapshot(session: Session): Promise<Head> {
  const [head] = await session.ask<Head>(
    `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; ${headFor(0)}`,
  )
  return head!
}

async function sizesOf(session: Session): Promise<Map<string, number>> {
  const counts = TABLES.map(({ name }) => `select '${name}' as name, count(*) as size from almanac.${name}`)
  const rows = await session.ask<{ name: string; size: number }>(counts.join(' union all '), FETCH)
  return new Map(rows.map(({ name, size }) => [name, size]))
}

/** All rows of a table in PostgreSQL as JSON, in the order of their keys, in the session's transaction. */
export async function* rowsThere(session: Session, table: Table): AsyncGenerator<string[]> {
  const { name, keys, toJsonThere } = table
  const order = keys.map(
    (key) =>
      `"${key}"${table.columns.find((column) => column.name === key)!.type === 'text' ? ' collate "C"' : ''}`,
  )
  await session.run(
    `declare rows_of cursor for select ${toJsonThere} as row from almanac.${name} order by ${order}`,
    FETCH,
  )
  for (;;) {
    const rows = await session.ask<{ row: string }>(`fetch ${ROWS} from rows_of`, FETCH)
    if (rows.length > 0) yield rows.map(({ row }) => row)
    if (rows.length < ROWS) break
  }
  await session.run('close rows_of')
}

/** Derives what all posts of an empty copy show, and are found by. */
async function deriveAll(db: Database.Database, tx: Queries, step: (posts: number) => void) {
  const settings = tx.select({ currency: tables.site.currency }).from(tables.site).get()
  for (let after = 0; ; ) {
    const batch = tx
      .select()
      .from(tables.posts)
      .where(gt(tables.posts.id, after))
      .orderBy(asc(tables.posts.id))
      .limit(POSTS)
      .all()
    if (batch.length === 0) return
    db.exec('begin')
    for (const post of batch) {
      await saveDocument(tx, settings!, { post })
      if (post.kind === 'event') await addSearch(tx, post)
    }
    db.exec('commit')
    after = batch.at(-1)!.id
    step(batch.length)
    await new Promise(setImmediate)
  }
}
