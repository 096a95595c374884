import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../../../drizzle/tables.ts'
import type { Session } from '../connection/session.ts'
import { countersOf } from '../log/apply.ts'
import {
  type Ask,
  askOf,
  compareRows,
  jsonOf,
  keyJsonOf,
  rowsHere,
  type TableDifference,
} from '../tables/comparison.ts'
import { type Head, headFor } from '../tables/history.ts'
import { literal, removeThere, TABLES, type Table, upsertThere } from '../tables/rows.ts'
import { commitAnew, mustBeCurrent, withSession } from '../tables/schema.ts'
import { deriveAll, fill, makeFile, NAMES, openSteps, type Progress, readTruth, sizeOf } from './copy.ts'

/** Milliseconds for a batch of rows, and rows in one. */
const BATCH = 60_000
const ROWS = 1_000

/**
 * Changes what PostgreSQL keeps by work on a file of its own, beside that of the node: takes all rows into it, lets `work` change it, and
 * writes the rows that differ then, in one transaction. Nobody else writes meanwhile, and all nodes take their copies anew afterwards.
 */
export async function changeTruth<T>(
  { url, file }: { url: string; file: string },
  progress: Progress,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const changed = `${file}.changed`
  try {
    return await withSession(url, async (session) => {
      await mustBeCurrent(session, url)
      await takeAll(session, changed, progress)
      const result = await work(changed)
      await giveBack(session, url, changed)
      return result
    })
  } finally {
    rmSync(changed, { force: true })
  }
}

/** All rows in a file of its own, while nobody can write others. */
const takeAll = (session: Session, file: string, progress: Progress) =>
  makeFile(file, async (db, tx) => {
    const results = await session.run(
      `begin; set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 0;
        set local standard_conforming_strings = on; lock table almanac.head in exclusive mode; ${headFor(0)}`,
      BATCH,
    )
    const { counters } = results.at(-1)!.rows[0] as Head
    const { total, step } = openSteps(progress)
    total(await sizeOf(session, [...NAMES, 'posts']))
    await fill(session, db, step)
    await deriveAll(db, tx, counters, step)
  })

/** Writes all rows of a file that PostgreSQL has otherwise. */
async function giveBack(session: Session, url: string, file: string) {
  const db = new Database(file, { readonly: true })
  try {
    const ask = askOf(db)
    for (const table of TABLES) await giveTable(session, ask, table)
    const counters = countersOf(drizzle(db, { schema: tables }))
    await commitAnew(session, url, counters)
  } finally {
    db.close()
  }
}

async function giveTable(session: Session, ask: Ask, table: Table) {
  let set: string[] = []
  let gone: string[] = []
  const array = (members: string[]) => `${literal(`[${members}]`)}::json`
  async function flush() {
    if (gone.length > 0) await session.run(removeThere(table, array(gone)), BATCH)
    if (set.length > 0) await session.run(upsertThere(table, array(set)), BATCH)
    set = []
    gone = []
  }
  await compareRows(
    table,
    { here: rowsHere(ask, table), inTruth: readTruth(session, table) },
    {
      async differs({ here, inTruth }: TableDifference) {
        if (here) set.push(jsonOf(table, here))
        else gone.push(keyJsonOf(table, inTruth!))
        if (set.length + gone.length >= ROWS) await flush()
      },
      step() {},
    },
  )
  await flush()
}
