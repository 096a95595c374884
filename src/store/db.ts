import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../drizzle/tables.ts'

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
  /**
   * A number that grows with every commit of this or another process. Of another's it tells from the next turn of the event
   * loop on, for whoever heard of such a commit asks in a later turn; or at once, if `now` is given.
   */
  version(now?: boolean): number
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

/** A database that can't be used: one line for the operator. */
export const unusable = (file: string, why: string) =>
  Object.assign(new Error(`${file}: ${why}`), { unusable: true })

export const APPLICATION_ID = 0x414c4d4e // "ALMN"
const MIGRATIONS = fileURLToPath(new URL('../../drizzle/migrations/', import.meta.url))

/**
 * Opens the database at `file` (made with its folder when missing; `:memory:` for one that vanishes) and brings
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
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
    const writer = connect()
    migrate(writer, file, migrations)
    const reader = file === ':memory:' ? writer : connect()
    const queue = openQueue(writer)
    return {
      read: drizzle(reader, { schema: tables }),
      write: queue.write,
      rows: openRows(reader),
      async view(work) {
        reader.exec('BEGIN')
        try {
          return await work()
        } finally {
          reader.exec('COMMIT')
        }
      },
      waiting: queue.waiting,
      sizes: () => ({ database: sizeOf(file), wal: sizeOf(`${file}-wal`) }),
      version: openVersion(reader),
      close() {
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
function openRows(db: Database.Database): Db['rows'] {
  const statements = new Map<string, Database.Statement>()
  return (query, ...values) => {
    let statement = statements.get(query)
    if (!statement) {
      statement = db.prepare(query).raw()
      statements.set(query, statement)
    }
    return statement.all(...values) as never
  }
}

/** Commits of this process, by whatever connection. */
let commits = 0

/** Asks SQLite once a turn for the commits of others: asking takes locks, which cost more than all else of a kept answer. */
function openVersion(db: Database.Database): Db['version'] {
  const dataVersion = db.prepare('PRAGMA data_version').pluck()
  let seen = Number.NaN
  let others = 0
  const forget = () => {
    seen = Number.NaN
  }
  return (now = false) => {
    if (now || seen !== commits) {
      if (Number.isNaN(seen)) setImmediate(forget)
      seen = commits
      others = dataVersion.get() as number
    }
    return commits + others
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

const READ_ONLY = 'is read-only; Almanac needs to write to it and its folder'
const NO_ACCESS = 'can not be opened; check the path, and that the file and its folder are writable'

/** What a failure to open means to an operator. */
export function explain(error: Error & { code?: string }, file: string): Error {
  const code = error.code ?? ''
  if (code === 'SQLITE_NOTADB') return unusable(file, 'is not an SQLite database')
  if (code.startsWith('SQLITE_CORRUPT')) return unusable(file, 'is damaged; restore a backup')
  if (code.startsWith('SQLITE_READONLY')) return unusable(file, READ_ONLY)
  return code.startsWith('SQLITE_CANTOPEN') || /^E[A-Z]+$/.test(code) ? unusable(file, NO_ACCESS) : error
}

/** Throws before anything is written to a database that is not ours. */
export function checkOurs(db: Database.Database, file: string) {
  const tables = db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number
  if (tables > 0 && db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(file, 'is a database of another program')
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

type Migration = { tag: string; when: number }

/** The migrations of this program, oldest first. */
export function readMigrations(folder = MIGRATIONS): Migration[] {
  return JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')).entries
}

/** How many migrations a database has seen. */
const countApplied = (db: Database.Database): number =>
  db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'migrations'").pluck().get() === 0
    ? 0
    : (db.prepare('SELECT count(*) FROM migrations').pluck().get() as number)

/**
 * Applies what is missing, one process at a time, foreign keys off meanwhile (a rebuilt table would delete its children).
 * Where nothing is, nothing is written: the database may be opened beside a process that writes all the time.
 */
function migrate(db: Database.Database, file: string, folder: string) {
  const known = readMigrations(folder)
  if (countApplied(db) === known.length) return
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.exec('CREATE TABLE IF NOT EXISTS migrations (tag text PRIMARY KEY, at integer NOT NULL)')
    const applied = countApplied(db)
    if (applied > known.length) throw unusable(file, 'was written by a newer Almanac; start that version')
    for (const { tag, when } of known.slice(applied)) {
      db.exec(readFileSync(join(folder, `${tag}.sql`), 'utf8'))
      db.prepare('INSERT INTO migrations (tag, at) VALUES (?, ?)').run(tag, when)
    }
    const broken = applied < known.length ? (db.pragma('foreign_key_check') as unknown[]) : []
    if (broken.length > 0)
      throw unusable(file, `has ${broken.length} rows that point nowhere; restore a backup`)
  }).immediate()
  db.pragma('foreign_keys = ON')
}

type Job = {
  work(tx: Queries): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Settled = { job: Job; value?: unknown; error?: unknown }

/** One writer: the works of a turn of the event loop go into one transaction, so that they share one sync to disk. */
function openQueue(db: Database.Database) {
  const tx = drizzle(db, { schema: tables })
  let waiting: Job[] = []
  let underWay = 0
  let running = false

  async function runOne(job: Job): Promise<Settled> {
    db.exec('SAVEPOINT one')
    try {
      const value = await job.work(tx)
      db.exec('RELEASE one')
      return { job, value }
    } catch (error) {
      // a full disk may have rolled back everything: nothing may be written after that, and all have failed
      if (!db.inTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { job, error }
    }
  }

  async function runAll(jobs: Job[]): Promise<Settled[]> {
    try {
      db.exec('BEGIN IMMEDIATE')
      const settled: Settled[] = []
      for (const job of jobs) settled.push(await runOne(job))
      db.exec('COMMIT')
      commits++
      return settled
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      return jobs.map((job) => ({ job, error }))
    }
  }

  async function drain() {
    running = true
    while (waiting.length > 0) {
      const jobs = waiting
      waiting = []
      underWay = jobs.length
      for (const { job, value, error } of await runAll(jobs))
        error === undefined ? job.resolve(value) : job.reject(error)
      underWay = 0
    }
    running = false
  }

  return {
    waiting: () => waiting.length + underWay,
    write<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
        if (!running) {
          running = true
          setImmediate(drain)
        }
      })
    },
  }
}
