import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Column, getTableColumns, getTableName, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import type { SQLiteInsertValue, SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import * as tables from '../../../drizzle/tables.ts'
import { marked, writeContext } from './context.ts'
import { alone, checkOurs, claim, connectTo, explain, isAlone } from './file.ts'
import { blankOf, checkKnown, isEarlier, MIGRATIONS, migrate, type OnMigration } from './migrations.ts'
import { CHECKPOINT, type Group, openQueue, writers } from './queue.ts'
import type { Copied } from './replica.ts'

/** Makes the parameter of a statement from the values that it is run with. */
type Reader = (values: Record<string, unknown>) => unknown
/** What a column of a result is: of a table, or an expression. */
type Selected = { path: string[]; field: Column | SQL | SQL.Aliased }
/** What Drizzle's prepared statements have inside. */
type Inside = {
  query: { params: unknown[] }
  stmt: Database.Statement
  fields?: Selected[]
  /** For each table of a join whether it has a row in every result; undefined without a join. */
  joinsNotNullableMap?: Record<string, boolean>
  executeMethod: 'run' | 'all' | 'get' | 'values'
} & Record<'run' | 'all' | 'get' | 'values' | 'execute', (values?: Record<string, unknown>) => unknown>

function named(values: Record<string, unknown>, name: string): unknown {
  if (name in values) return values[name]
  throw new Error(`A statement has no value for ${name}.`)
}

/** How a parameter is read: a value by its name, in the form that the database has; or what never changes. */
function readerOf(param: unknown): Reader {
  if (is(param, Placeholder)) return (values) => named(values, param.name)
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param
  const { encoder } = param
  const { name } = param.value
  // most columns store a value as it is
  return encoder.mapToDriverValue === Column.prototype.mapToDriverValue
    ? (values) => named(values, name)
    : (values) => encoder.mapToDriverValue(named(values, name))
}

/**
 * Has a prepared statement of Drizzle look up once, and not at each run, what its parameters and rows are made of, which takes as long as SQLite
 * does.
 */
export function quicken<T>(statement: T): T {
  const inside = statement as Inside
  const { stmt, executeMethod } = inside
  if (!stmt) return statement // prepared without Drizzle
  const readers = inside.query.params.map(readerOf)
  const fill = (values: Record<string, unknown> = {}) => {
    const filled = new Array<unknown>(readers.length)
    for (let at = 0; at < filled.length; at++) filled[at] = readers[at]!(values)
    return filled
  }
  if (inside.fields) {
    const rowOf = openMapper(statement)
    stmt.raw()
    inside.all = (values) => (stmt.all(fill(values)) as unknown[][]).map(rowOf)
    inside.get = (values) => {
      const columns = stmt.get(fill(values)) as unknown[] | undefined
      return columns && rowOf(columns)
    }
  } else inside.run = (values) => stmt.run(fill(values))
  inside.execute = async (values) => inside[executeMethod](values)
  return statement
}

/** A column of a row, and how its value is read; undefined if it is stored as it is. */
type Field = { name: string; decode: ((value: unknown) => unknown) | undefined }
/** The columns that make one member of a row, which is an object of its own if it has a name. */
type Member = { name: string | undefined; fields: Field[]; key: number }

function fieldOf({ path, field }: Selected): Field {
  const name = path.at(-1)!
  if (!is(field, Column)) return { name, decode: undefined }
  const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
  return { name, decode: isPlain ? undefined : (value) => field.mapFromDriverValue(value) }
}

/**
 * Makes rows of a prepared select from arrays of its columns, as Drizzle does, in a third of its time and memory: what each column needs is looked
 * up once and not for each row. A table that was joined and has no row is null, which its first column that may not be null tells.
 */
export function openMapper<T>(statement: unknown): (columns: unknown[]) => T {
  const { fields: selected, joinsNotNullableMap: joined } = statement as Required<Inside>
  const members: Member[] = []
  for (const one of selected) {
    const { path, field } = one
    const name = path.length > 1 ? path[0] : undefined
    if (members.length === 0 || members.at(-1)!.name !== name) members.push({ name, fields: [], key: -1 })
    const member = members.at(-1)!
    const isSure = is(field, Column) && field.notNull && joined?.[getTableName(field.table)] === false
    if (isSure && member.key < 0) member.key = member.fields.length
    member.fields.push(fieldOf(one))
  }
  return (columns) => {
    const row: Record<string, unknown> = {}
    let at = 0
    for (const { name, fields, key } of members) {
      const from = at
      at += fields.length
      if (name !== undefined && key >= 0 && columns[from + key] === null) {
        row[name] = null
        continue
      }
      const part: Record<string, unknown> = name === undefined ? row : {}
      for (let next = 0; next < fields.length; next++) {
        const { name, decode } = fields[next]!
        const value = columns[from + next]
        part[name] = decode === undefined || value === null ? value : decode(value)
      }
      if (name !== undefined) row[name] = part
    }
    return row as T
  }
}

export type Queries = BetterSQLite3Database<typeof tables>

/** An open database: one connection that reads, one that writes. */
export type Db = Partial<Copied> & {
  /** Reads committed data. */
  read: Queries
  /**
   * Runs `work` in a transaction of the only writer, and returns its result; if it throws, it is rolled back. Jobs that arrive in
   * the same turn of the event loop share one commit, with a savepoint for all but the first; one of many rows, which `isLong`, has its own.
   */
  write<T>(work: (tx: Queries) => Promise<T>, isLong?: boolean): Promise<T>
  /** Runs `work` in a transaction of the only writer, for rows that hold for this file alone, such as notes about files beside it. No other copy gets them. */
  local<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /** The rows of an SQL query as arrays of columns, prepared once. For the few queries that every request waits for. */
  rows<T extends unknown[]>(query: string, ...values: unknown[]): T[]
  /**
   * Runs `work` on one state of the database, without commits between its queries. All other reads see that state too, so it is for
   * commands and the start.
   */
  view<T>(work: () => Promise<T>): Promise<T>
  /** Whether the disk had no room to open it in the usual way: it can be read, and by this process alone. */
  isTight: boolean
  /** Whether this process does what only one may do for all copies, such as sending webhooks. */
  leads(): boolean
  /** A number that grows when this process leads again after a time in which another one may have. */
  term(): number
  /** Calls `listener` once rows of one of these tables that another copy wrote are here. Never where the file is the truth. */
  onApplied(tables: string[], listener: () => void): void
  /** Number of writes that are waiting or running. */
  waiting(): number
  /** Resolves once nothing is being written. What waits for another copy does not count: closing ends it. */
  idle(): Promise<void>
  /** Bytes of the database file and of its write-ahead log. */
  sizes(): { database: number; wal: number }
  /** A number that grows with every commit of this or another process, read once a turn. */
  version(): number
  /**
   * Checkpoints the write-ahead log and closes the database. Returns what kept it from the first, such as a full disk: what was written then
   * stays in the log, and the database is closed all the same.
   */
  close(): Error | undefined
}

export type Durability = 'full' | 'normal'

/** How a database is opened. */
export type Opening = {
  /** Whether an acknowledged write survives a loss of power, or the end of the process alone. Default: full. */
  durability?: Durability
  /** The folder of the migrations. */
  migrations?: string
  onMigration?: OnMigration
  /** Makes what takes part in each group commit, for the connection that writes. */
  group?: (writer: Database.Database, tx: Queries) => Group
}

/** A statement that each connection prepares once: building a query costs ten times as much as running it. */
export function prepared<T>(build: (db: Queries) => T): (db: Queries) => T {
  const statements = new WeakMap<Queries, T>()
  return (db) => {
    const known = statements.get(db)
    if (known) return known
    const statement = quicken(build(db))
    statements.set(db, statement)
    return statement
  }
}

/** Placeholders for every column of a table. */
export const columnsOf = <T extends SQLiteTable>(table: T) =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]),
  ) as SQLiteInsertValue<T> & SQLiteUpdateSetSource<T>

/** For every column of a table the value of the insert; an upsert sets these if the row exists. */
export const excludedOf = <T extends SQLiteTable>(table: T) =>
  Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.raw(`excluded.${name}`)]),
  ) as SQLiteUpdateSetSource<T>

/**
 * Opens and migrates the database at `file`. A missing file is created with its folder, for the current user only; `:memory:` is
 * temporary. Throws `unusable` if the file is of another program, read-only, or newer than this program, and if it is older and another
 * process has it open.
 */
export function openDb(
  file: string,
  { durability = 'full', migrations = MIGRATIONS, onMigration, group }: Opening = {},
): Db {
  const opened: Database.Database[] = []
  const isTemporary = file === ':memory:'
  const connect = () => {
    const db = isTemporary ? new Database(blankOf(migrations)) : connectTo(file)
    opened.push(db)
    checkOurs(db, file)
    checkKnown(db, file, migrations)
    configure(db, durability)
    return db
  }
  try {
    if (!isTemporary) claim(file)
    let writer = connect()
    if (isEarlier(writer, migrations)) {
      close(writer)
      alone(file, (db) => migrate(db, file, migrations, onMigration))
      writer = connect()
    } else migrate(writer, file, migrations)
    correctStatistics(writer)
    const isTight = isAlone(writer)
    const reader = isTemporary || isTight ? writer : connect()
    const snapshot = openSnapshot(reader)
    const tx = drizzle(writer, { schema: tables })
    writers.add(writer)
    const queue = openQueue(writer, tx, snapshot, group?.(writer, tx))
    return {
      read: drizzle(reader, { schema: tables }),
      write(work, isLong) {
        const own = writeContext()
        if (!own) return queue.write(work, isLong)
        return queue.write(marked(own.around ? own.around(work) : work), isLong)
      },
      local: queue.local,
      rows: openRows(reader, snapshot),
      async view(work) {
        snapshot.end()
        reader.exec('BEGIN')
        try {
          return await work()
        } finally {
          reader.exec('COMMIT')
        }
      },
      isTight,
      leads: () => true,
      term: () => 0,
      onApplied() {},
      waiting: queue.waiting,
      idle: queue.idle,
      sizes: () => ({ database: sizeOf(file), wal: sizeOf(`${file}-wal`) }),
      version: snapshot.version,
      close() {
        writers.delete(writer)
        snapshot.end()
        if (reader !== writer) close(reader)
        const kept = checkpoint(writer)
        close(writer)
        return kept
      },
    }
  } catch (error) {
    opened.forEach(close)
    throw explain(error as Error & { code?: string }, file)
  }
}

const close = (db: Database.Database) => void db.close()
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Checkpoints the log, and returns what kept it from that, unless a write is under way, which closing undoes. A concurrent reader (a backup, a replicator) prevents this, and the last one to close does it. */
function checkpoint(db: Database.Database): Error | undefined {
  if (!db.open || db.inTransaction) return undefined
  try {
    db.pragma('busy_timeout = 0')
    db.pragma('wal_checkpoint(TRUNCATE)')
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** The order matters: busy_timeout has to be set before anything waits for a lock. */
function configure(db: Database.Database, durability: Durability) {
  db.pragma('busy_timeout = 5000') // another process may be writing: wait instead of failing
  db.pragma('journal_mode = WAL') // readers never wait for the writer
  db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`) // FULL: an acknowledged write survives power loss
  db.pragma('foreign_keys = ON') // off by default in SQLite
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT}`)
  db.pragma('cache_size = -16000') // 16 MB of pages a connection
  db.pragma('temp_store = MEMORY')
  planOnce(db)
}

/**
 * Has statements planned once. SQLite plans one anew each time a value is bound to its LIMIT, from which it learns how many rows are wanted, and that
 * takes several times as long as most of them run. From an expression it learns nothing.
 */
function planOnce(db: Database.Database) {
  const prepare = db.prepare.bind(db) as (query: string) => Database.Statement
  db.prepare = ((query: string) => prepare(query.replace(/\blimit \?/gi, 'limit 0 + ?'))) as typeof db.prepare
}

/**
 * Gives a reader one state of the database in each turn of the event loop: a transaction from the first read to the end of the turn.
 * Commits of other processes become visible in the next turn; whoever received their response asks in a later turn. It takes the
 * locks of SQLite once a turn instead of once a query; they cost as much as the rest of a cached response.
 */
export function openSnapshot(db: Database.Database) {
  const begin = db.prepare('BEGIN')
  const rollback = db.prepare('ROLLBACK')
  const dataVersion = db.prepare('PRAGMA data_version').pluck()
  /** Commits of the writer, which a connection that it shares does not count as another's. */
  let commits = 0
  let isOpen = false
  let seen = 0
  const currentVersion = () => commits + (dataVersion.get() as number)
  const end = () => {
    if (isOpen && db.inTransaction) rollback.run() // nothing was written; a commit would fail on a damaged file
    isOpen = false
  }
  const snapshot = {
    /** Begins a turn, unless one is open. Call it before a read. */
    begin() {
      if (isOpen || db.inTransaction) return
      begin.run()
      isOpen = true
      setImmediate(end)
      seen = currentVersion()
    },
    /** Ends all turns. Call it before a write transaction, because in memory readers share its connection. */
    end,
    /** To be called after each commit, which is seen at once. */
    noteCommit() {
      commits++
      end()
    },
    version() {
      snapshot.begin()
      return isOpen ? seen : currentVersion()
    },
  }
  return snapshot
}
export type Snapshot = ReturnType<typeof openSnapshot>

/** Reads rows in the snapshot of each turn. Its statements are prepared once, by their SQL, which are few because all variable parts are parameters. */
export function openRows(db: Database.Database, snapshot: Snapshot): Db['rows'] {
  const statements = new Map<string, Database.Statement>()
  return <T extends unknown[]>(query: string, ...values: unknown[]) => {
    let statement = statements.get(query)
    if (!statement) {
      statement = db.prepare(query).raw()
      statements.set(query, statement)
    }
    snapshot.begin()
    return statement.all(...values) as T[]
  }
}

/** Tables without an index that begin empty, grow with every write, and lose rows again: their size at one time says nothing of that at another. */
const GROWING = ['changes', 'unindexed'].map((name) => `'${name}'`).join()
/** What SQLite assumes of a table of which it knows nothing. */
const LARGE = '1048576'

const SMALL = `tbl IN (${GROWING}) AND stat <> '${LARGE}'`

/**
 * Has SQLite take tables that grow for large, whatever ANALYZE told it. If one was nearly empty then, SQLite would read all of it after every
 * write, where a few rows of its end are wanted. Samples of values are removed: with them, SQLite plans a statement anew for each value that it is
 * run with. Writes nothing where nobody ran ANALYZE since the last start.
 */
export function correctStatistics(db: Database.Database) {
  const count = (query: string) => db.prepare(query).pluck().get() as number
  const has = (table: string, rows = 'true') =>
    count(`SELECT count(*) FROM sqlite_master WHERE name = '${table}'`) > 0 &&
    count(`SELECT count(*) FROM ${table} WHERE ${rows}`) > 0
  const corrections = [
    ...(has('sqlite_stat1', SMALL) ? [`UPDATE sqlite_stat1 SET stat = '${LARGE}' WHERE ${SMALL}`] : []),
    ...(has('sqlite_stat4') ? ['DELETE FROM sqlite_stat4'] : []),
  ]
  if (corrections.length > 0) db.exec([...corrections, 'ANALYZE sqlite_schema'].join(';'))
}
