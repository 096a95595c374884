import type Database from 'better-sqlite3'

/** Functions that end the turns of the readers in this process, so that they see its commits at once. */
const turns = new Set<() => void>()
/** Ends all turns. Call it before a write transaction, because in memory readers share its connection. */
export const endTurns = () => turns.forEach((end) => void end())
/** Number of commits of this process, which `data_version` of its own connection does not count. */
let commits = 0
/** Counts a commit. Call it after each one. */
export function noteCommit() {
  commits++
  endTurns()
}

/**
 * Gives a reader one state of the database in each turn of the event loop: a transaction from the first read to the end of the turn.
 * Commits of other processes become visible in the next turn; whoever received their response asks in a later turn. It takes the
 * locks of SQLite once a turn instead of once a query; they cost as much as the rest of a cached response.
 */
export function openTurn(db: Database.Database) {
  const begin = db.prepare('BEGIN')
  const rollback = db.prepare('ROLLBACK')
  const dataVersion = db.prepare('PRAGMA data_version').pluck()
  let isOpen = false
  let seen = 0
  const look = () => commits + (dataVersion.get() as number)
  const end = () => {
    if (isOpen && db.inTransaction) rollback.run() // nothing was written; a commit would fail on a damaged file
    isOpen = false
  }
  turns.add(end)
  const turn = {
    /** Begins a turn, unless one is open. Call it before a read. */
    begin() {
      if (isOpen || db.inTransaction) return
      begin.run()
      isOpen = true
      setImmediate(end)
      seen = look()
    },
    end,
    version() {
      turn.begin()
      return isOpen ? seen : look()
    },
    close() {
      end()
      turns.delete(end)
    },
  }
  return turn
}
export type Turn = ReturnType<typeof openTurn>
