import type Database from 'better-sqlite3'

/** Tables without an index that begin empty, grow with every write, and lose rows again: their size at one time says nothing of that at another. */
const GROWING = ['changes', 'unindexed'].map((name) => `'${name}'`).join()
/** What SQLite assumes of a table of which it knows nothing. */
const LARGE = '1048576'

const FOUND = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
const SMALL = `tbl IN (${GROWING}) AND stat <> '${LARGE}'`

/**
 * Has SQLite take tables that grow for large, whatever ANALYZE told it. If one was nearly empty then, SQLite would read all of it after every
 * write, where a few rows of its end are wanted. Writes nothing where nobody ran ANALYZE since the last start.
 */
export function enlarge(db: Database.Database) {
  const count = (query: string) => db.prepare(query).pluck().get() as number
  if (count(FOUND) === 0 || count(`SELECT count(*) FROM sqlite_stat1 WHERE ${SMALL}`) === 0) return
  db.exec(`UPDATE sqlite_stat1 SET stat = '${LARGE}' WHERE ${SMALL}; ANALYZE sqlite_schema`)
}
