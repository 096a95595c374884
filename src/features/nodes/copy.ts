import { existsSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { asc, gt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../../drizzle/tables.ts'
import { saveDocument } from '../../calendar/records/derived.ts'
import { saveSearch } from '../../calendar/search/indexing.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { alone, checkOurs, claim, explain, sync, unusable } from '../../kernel/database/file.ts'
import { MIGRATIONS, migrate, readMigrations } from '../../kernel/database/migrations.ts'
import { DERIVATION } from '../../kernel/database/stored-settings.ts'
import { redacted } from '../../kernel/settings.ts'
import type { DatabaseLog, Progress, SharedCalendar } from '../host.ts'
import { raiseCounters } from './apply.ts'
import { beginSnapshot, divergenceOf, type Head, headFor, type Position } from './log.ts'
import { type Row, rowOf, TABLES, type Table } from './rows.ts'
import { explainPostgres, prepareSchema } from './schema.ts'
import { ConnectionLost, connect, isPostgresError, type Session } from './session.ts'

/** Rows that are fetched at a time, and posts that are derived in one transaction. */
const ROWS = 2_000
const POSTS = 500
/** Milliseconds for a batch of rows. */
const FETCH = 60_000

/**
 * Takes all tables of truth in one snapshot into a new file, derives everything, and notes up to which group it has them. The file is
 * complete, or not there. Returns the group.
 */
export const takeCopy = (session: Session, file: string, progress: Progress): Promise<number> =>
  makeFile(file, async (db, tx) => {
    const head = await beginSnapshot(session)
    const step = openSteps(progress, await sizeOf(session, DERIVED_TOO))
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
      throw isPostgresError(error) || error instanceof ConnectionLost ? error : explain(error, file)
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

export type Step = (count: number) => void

/** Counts what was done of a total. */
export function openSteps(progress: Progress, total: number): Step {
  let done = 0
  return (count) => {
    done += count
    progress(done, total)
  }
}

/** Puts a copy in the place of another, which nothing may have open. */
export function install(from: string, file: string) {
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  renameSync(from, file)
}

/** Reads all rows of the session's snapshot into empty tables. */
export async function fill(session: Session, db: Database.Database, step: Step) {
  for (const table of TABLES) {
    const insert = db.prepare(table.upsert)
    for await (const rows of jsonRowsThere(session, table)) {
      db.transaction(() => insert.run(`[${rows}]`))()
      step(rows.length)
    }
  }
}

/** The tables of truth by name. */
export const NAMES = TABLES.map(({ name }) => name)

/** The tables of a new copy; what posts show is derived as well. */
export const DERIVED_TOO = [...NAMES, 'posts']

/** The number of rows of these tables in PostgreSQL. */
export async function sizeOf(session: Session, names: string[]): Promise<number> {
  const counts = names.map((name) => `(select count(*) from almanac.${name})`).join(' + ')
  const [row] = await session.ask<{ size: string }>(`select (${counts}) as size`, FETCH)
  return Number(row!.size)
}

/** All rows of a table in PostgreSQL as JSON, in the order of their keys, in the session's transaction. */
export async function* jsonRowsThere(session: Session, table: Table): AsyncGenerator<string[]> {
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

/** All rows of a table in PostgreSQL as values, in the order of their keys. */
export async function* rowsThere(session: Session, table: Table): AsyncGenerator<Row[]> {
  for await (const page of jsonRowsThere(session, table)) yield page.map((row) => rowOf(table, row))
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

let copies = 0
/** Copies that this process took in the place of one that could not be followed. */
export const copiesTaken = () => copies

/**
 * Makes the tables in PostgreSQL and the copy ready: makes or upgrades what is missing there, and takes the copy if there is none, or
 * none that can follow. Where PostgreSQL does not answer, and there is a copy, it says so and leaves all as it is. Throws `unusable`
 * if that can not be done.
 */
export async function prepareCopy(
  { url, file }: SharedCalendar,
  output: { print(text: string): void; progress: Progress },
) {
  const copy = peekCopy(file)
  let session: Session
  try {
    session = await connect(url)
  } catch (error) {
    const explained = explainPostgres(error as Error, url)
    if (!copy || 'why' in copy) throw explained
    output.print(
      `${explained.message}. The service answers reads from ${file} until it is there again; writes are refused.\n`,
    )
    return
  }
  try {
    await prepareSchema(session, url)
    const why = copy && (await whyStale(session, copy))
    if (copy && !why) return
    if (why) {
      mustBeUnused(file)
      output.print(`THE COPY ${file} IS THROWN AWAY AND TAKEN ANEW: ${why}.\n`)
    }
    const began = performance.now()
    const seq = await takeCopy(session, file, output.progress)
    if (why) copies++
    output.print(
      `${file} has what ${redacted(url)} keeps, up to group ${seq}: taken in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`,
    )
  } catch (error) {
    throw explainPostgres(error as Error, url)
  } finally {
    session.cut()
  }
}

/** Why a copy can not be followed; undefined if it can. */
async function whyStale(session: Session, copy: Position | { why: string }): Promise<string | undefined> {
  if ('why' in copy) return copy.why
  const [head] = await session.ask<Head>(headFor(copy.seq))
  const divergence = divergenceOf(head!, copy)
  return divergence?.kind === 'stale' ? divergence.why : undefined
}

/** Throws if a service has the copy open: it takes it anew by itself. What is damaged may be open. */
function mustBeUnused(file: string) {
  try {
    alone(file, () => {})
  } catch (error) {
    if ('unusable' in (error as Error)) throw error
  }
}

/**
 * Takes a copy beside the one that is in use, and puts it in its place once `close` has closed that. Tables of an earlier program are
 * upgraded before, as at a start. Throws, with nothing closed, if they are of a newer one.
 */
export async function renewCopy({ url, file }: SharedCalendar, log: DatabaseLog, close: () => Promise<void>) {
  const session = await connect(url)
  try {
    await prepareSchema(session, url)
    const seq = await takeCopy(session, `${file}.new`, () => {})
    copies++
    log.warn({ seq }, 'the copy was taken anew; this node starts again on it')
  } finally {
    session.cut()
  }
  await close()
  install(`${file}.new`, file)
}

/** The group of the copy in a file; why it can not be used; undefined if there is none. Throws if the file is something else. */
function peekCopy(file: string): Position | { why: string } | undefined {
  if (!existsSync(file)) return undefined
  const db = new Database(file, { timeout: 1_000 })
  try {
    return readCopy(db, file)
  } finally {
    db.close()
  }
}

function readCopy(db: Database.Database, file: string): Position | { why: string } | undefined {
  try {
    checkOurs(db, file)
    const tables = db
      .prepare("select count(*) from sqlite_master where name in ('replica', 'posts')")
      .pluck()
      .get()
    if (tables === 0) return undefined
    const position =
      tables === 2 && (db.prepare('select seq, commit_id, origin from replica').get() as Position | undefined)
    if (!position)
      throw unusable(
        file,
        'is a database of its own, not a copy of what PostgreSQL keeps; name another file in REPLICA, or move it there: almanac move',
      )
    if ((db.prepare('select count(*) from migrations').pluck().get() as number) !== readMigrations().length)
      return { why: 'another version of Almanac made it' }
    const derivation = db.prepare('select derivation from site').pluck().get()
    return derivation === undefined || derivation === DERIVATION
      ? position
      : { why: 'another version of Almanac derived its data' }
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_'))
      return { why: `it can not be read (${(error as Error).message})` }
    throw error
  }
}
