import type Database from 'better-sqlite3'

/**
 * What a reader sees in one turn of the event loop is one state of the database: a transaction from the first read to the
 * turn's end. Others' commits are seen from the next turn on: whoever heard of one asks in a later turn. It takes SQLite's
 * locks, which cost as much as all else of a kept answer, once a turn instead of once a query.
 */
export function openTurn(db: Database.Database) {
  const begin = db.prepare('BEGIN')
  const rollback = db.prepare('ROLLBACK')
  const dataVersion = db.prepare('PRAGMA data_version').pluck()
  /** Commits of the writer, which a connection that it shares does not count as another's. */
  let commits = 0
  let isOpen = false
  let seen = 0
  const look = () => commits + (dataVersion.get() as number)
  const end = () => {
    if (isOpen && db.inTransaction) rollback.run() // nothing was written; a commit would fail where the file is damaged
    isOpen = false
  }
  const turn = {
    /** To be called before a read. */
    begin() {
      if (isOpen || db.inTransaction) return
      begin.run()
      isOpen = true
      setImmediate(end)
      seen = look()
    },
    /** To be called before a transaction that writes: in memory readers share its connection. */
    end,
    /** To be called after each commit, which is seen at once. */
    noteCommit() {
      commits++
      end()
    },
    version() {
      turn.begin()
      return isOpen ? seen : look()
    },
  }
  return turn
}
export type Turn = ReturnType<typeof openTurn>
