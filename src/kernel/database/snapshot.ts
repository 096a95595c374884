import type Database from 'better-sqlite3'
import type { Db } from './db.ts'

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
  const look = () => commits + (dataVersion.get() as number)
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
      seen = look()
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
      return isOpen ? seen : look()
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
