import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { getTableColumns, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import type { SQLiteInsertValue, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import * as tables from '../../../drizzle/tables.ts'
import { checkOurs, claim, explain } from './file.ts'
import { marked } from './marks.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { openQueue } from './queue.ts'
import { openTurn, type Turn } from './turn.ts'

export type Queries = BetterSQLite3Database<typeof tables>

/** An open database: one connection that reads, one that writes. */
export type Db = {
  /** Sees what is committed. */
  read: Queries
  /**
   * Runs `work` alone in a transaction and gives what it gives; when it throws, nothing of it remains.
   * Works that arrive in the same turn of the event loop share one commit, a savepoint each.
   */
  write<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /** The rows of a query in SQL's own words, as arrays of columns; prepared once. For the few that every request waits for. */
  rows<T extends unknown[]>(query: string, ...values: unknown[]): T[]
  /**
   * Runs `work` on one state of the database: no commit falls between its queries. What else reads meanwhile sees that state
   * as well: for commands and at start.
   */
  view<T>(work: () => Promise<T>): Promise<T>
  /** Writes that are waiting or under way. */
  waiting(): number
  /** Bytes of the database file and of its write-ahead log. */
  sizes(): { database: number; wal: number }
  /** A number that grows with every commit of this or another process, as of this turn. */
  version(): number
  /** Brings everything into the database file itself, and closes it. */
  close(): void
}

export type Durability = 'full' | 'normal'

/** A statement that each connection prepares once: building a query costs ten times as much as running it. */
export function prepared<T>(build: (db: Queries) => T): (db: Queries) => T {
  const statements = new WeakMap<Queries, T>()
  return (db) => {
    const known = statements.get(db)
    if (known) return known
    const statement = build(db)
    statements.set(db, statement)
    return statement
  }
}

/** Values for every column of a table, to be given when the statement runs. */
export const columnsOf = <T extends SQLiteTable>(table: T) =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]),
  ) as SQLiteInsertValue<T> & SQLiteUpdateSetSource<T>

/** For every column of a table the value that an insert was given: what an upsert sets where the row is there. */
export const excludedOf = <T extends SQLiteTable>(table: T) =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.raw(`excluded.${name}`)]),
  ) as SQLiteUpdateSetSource<T>

/**
 * Opens the database at `file` (made with its folder when missing, for the own user alone; `:memory:` for one that vanishes) and brings
 * its tables up to date. Throws `unusable` when the file is not Almanac's, is read-only or newer than this program.
 */
export function openDb(file: string, durability: Durability = 'full', migrations = MIGRATIONS): Db {
  const opened: Database.Database[] = []
  const connect = () => {
    const db = new Database(file)
    opened.push(db)
    checkOurs(db, file)
    configure(db, durability)
    return db
  }
  try {
    if (file !== ':memory:') claim(file)
    const writer = connect()
    migrate(writer, file, migrations)
    const reader = file === ':memory:' ? writer : connect()
    const turn = openTurn(reader)
    const queue = openQueue(writer, drizzle(writer, { schema: tables }), turn)
    return {
      read: drizzle(reader, { schema: tables }),
      write: (work) => queue.write(marked(work)),
      rows: openRows(reader, turn),
      async view(work) {
        turn.end()
        reader.exec('BEGIN')
        try {
          return await work()
        } finally {
          reader.exec('COMMIT')
        }
      },
      waiting: queue.waiting,
      sizes: () => ({ database: sizeOf(file), wal: sizeOf(`${file}-wal`) }),
      version: turn.version,
      close() {
        turn.end()
        if (reader !== writer) close(reader)
        checkpoint(writer)
        close(writer)
      },
    }
  } catch (error) {
    opened.forEach(close)
    throw explain(error as Error & { code?: string }, file)
  }
}

/** Prepared statements by their text: what varies stands in values, so that there are few. */
function openRows(db: Database.Database, turn: Turn): Db['rows'] {
  const statements = new Map<string, Database.Statement>()
  return (query, ...values) => {
    let statement = statements.get(query)
    if (!statement) {
      statement = db.prepare(query).raw()
      statements.set(query, statement)
    }
    turn.begin()
    return statement.all(...values) as never
  }
}

const close = (db: Database.Database) => void db.close()
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Whoever reads beside us (a backup, a replicator) keeps the log; it is for them to finish then. */
function checkpoint(db: Database.Database) {
  if (!db.open) return
  db.pragma('busy_timeout = 0')
  db.pragma('wal_checkpoint(TRUNCATE)')
}

/** The order matters: nothing may wait for a lock before busy_timeout stands. */
function configure(db: Database.Database, durability: Durability) {
  db.pragma('busy_timeout = 5000') // another process may be writing: wait instead of failing
  db.pragma('journal_mode = WAL') // readers never wait for the writer
  db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`) // FULL: an answered write survives power loss
  db.pragma('foreign_keys = ON') // off by default in SQLite
  db.pragma('wal_autocheckpoint = 4000') // 16 MB: fewer checkpoints under a load of writes
  db.pragma('cache_size = -16000') // 16 MB of pages a connection
  db.pragma('temp_store = MEMORY')
}
