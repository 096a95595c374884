import { sql } from 'drizzle-orm'
import { dropSearch, rebuildSearch } from '../../../calendar/search/unindexed.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { unusable } from '../../../kernel/database/file.ts'
import type { Truth } from '../../../kernel/database/replica.ts'
import type { Session } from '../connection/session.ts'
import { redacted } from '../connection/url.ts'
import { applyGroups, postsOf, writeRows } from '../log/apply.ts'
import { compareRows, keyJsonOf, keyOf, rowsHere, type TableDifference } from '../tables/comparison.ts'
import { type Group, type Head, headFor, partingOf } from '../tables/history.ts'
import { noteMended, positionOf } from '../tables/position.ts'
import { literal, TABLES, type Table, truthAmong } from '../tables/rows.ts'
import { withSession } from '../tables/schema.ts'
import { readTruth } from './copy.ts'

/** Milliseconds for what a copy lacks, and for rows that differ. */
const READ = 60_000
/** Keys that are asked for at a time. */
const KEYS = 500

/** Compares the copy of a node with PostgreSQL, and mends it. */
export function openTruth(db: Db, url: string): Truth {
  const withLock = <T>(lock: string, work: (session: Session) => Promise<T>): Promise<T> =>
    withSession(url, async (session) => {
      const { seq } = positionOf(db.read)!
      const results = await session.run(`begin isolation level ${lock}; ${headFor(seq)}`, READ)
      const head = results.at(-1)!.rows[0] as Head
      const parting = partingOf(head, positionOf(db.read)!)
      if (parting)
        throw unusable(redacted(url), 'the copy can not follow it; start the service of this node again')
      const groups = await session.ask<Group>(
        `select seq, commit_id, rows from almanac.log where seq > ${seq} order by seq`,
        READ,
      )
      await db.local((tx) => applyGroups(tx, groups))
      return work(session)
    })

  return {
    compare: () =>
      withLock(COMPARING, (session) =>
        db.view(async () => {
          positionOf(db.read) // from here on the reader sees this group
          await session.run('rollback to savepoint reading')
          const differences: TableDifference[] = []
          const noted = { differs: (one: TableDifference) => differences.push(one), step() {} }
          for (const table of TABLES)
            await compareRows(
              table,
              { here: rowsHere(db.rows, table), inTruth: readTruth(session, table) },
              noted,
            )
          return differences
        }),
      ),
    mend: (differences: TableDifference[]) =>
      withLock(MENDING, async (session) => {
        const rows: string[] = []
        for (const table of TABLES) {
          const own = differences.filter((difference) => difference.table === table)
          if (own.length > 0) rows.push(await currentOf(session, table, own))
        }
        const ids = differences.flatMap(({ table, here, inTruth }) =>
          table.name === 'posts' ? (keyOf(table, (here ?? inTruth)!) as number[]) : [],
        )
        await db.local((tx) => replace(tx, `{${rows}}`, ids))
      }),
    tell: () => noteMended(db),
  }
}

const PATIENT = 'set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 0'
/** Waits until no group is being written, sees the state then, and lets others write again at the end of the savepoint. */
const COMPARING = `repeatable read; ${PATIENT}; savepoint reading; lock table almanac.head in exclusive mode`
/** Lets nobody write meanwhile. */
const MENDING = `read committed; ${PATIENT}; lock table almanac.head in exclusive mode`

/** What PostgreSQL has of rows that differ, as a member of what a group wrote. */
async function currentOf(session: Session, table: Table, differences: TableDifference[]): Promise<string> {
  const keys = differences.map(({ here, inTruth }) => keyJsonOf(table, (here ?? inTruth)!))
  const set: string[] = []
  for (let at = 0; at < keys.length; at += KEYS) {
    const array = `${literal(`[${keys.slice(at, at + KEYS)}]`)}::json`
    set.push(...(await session.ask<{ row: string }>(truthAmong(table, array), READ)).map(({ row }) => row))
  }
  const gone = differences.flatMap(({ here, inTruth }) => (inTruth ? [] : [keyJsonOf(table, here!)]))
  return `"${table.name}":{"set":[${set}],"gone":[${gone}]}`
}

/** Writes rows, and indexes posts among them again. */
async function replace(tx: Queries, rows: string, ids: number[]) {
  tx.run(sql`pragma defer_foreign_keys = on`)
  const before = postsOf(tx, ids)
  await writeRows(tx, rows)
  const after = postsOf(tx, ids)
  for (const post of after) if (post.kind === 'event') rebuildSearch(tx, post)
  const left = new Set(after.map(({ id }) => id))
  for (const post of before) if (post.kind === 'event' && !left.has(post.id)) dropSearch(tx, post)
}
