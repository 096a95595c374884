import type Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { dropSearch, rebuildSearch } from '../../calendar/search/indexing.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { unusable } from '../../kernel/database/file.ts'
import { type Comparison, keyOf, type RowDifference } from '../../kernel/database/replica.ts'
import { redacted } from '../../kernel/settings.ts'
import { applyGroups, postsOf, writeRows } from './apply.ts'
import { rowsThere } from './copy.ts'
import { divergenceOf, type Head, headFor, type LoggedGroup, noteMended, positionOf } from './log.ts'
import { literal, type Row, rowsAmong, TABLES, type Table } from './rows.ts'
import { withSession } from './schema.ts'
import type { Session } from './session.ts'

/** How a row of a table of truth differs here from PostgreSQL. */
export type TableDifference = RowDifference & { table: Table }

/** Runs a query in SQLite; rows are arrays of columns. */
export type Ask = (query: string, ...values: unknown[]) => Row[]

/** Asks an open file. */
export const askOf =
  (db: Database.Database): Ask =>
  (query, ...values) =>
    db.prepare(query).raw().all(values) as Row[]

/** Rows that are read at a time. */
const ROWS = 1_000

/** The rows of a table in SQLite in the order of their keys. */
export function* rowsHere(ask: Ask, { name, keys, columns }: Table): Generator<Row[]> {
  const list = (names: string[]) => names.map((name) => `"${name}"`).join(', ')
  const select = (after: string) =>
    `select ${list(columns.map(({ name }) => name))} from main.${name} ${after} order by ${list(keys)} limit ${ROWS}`
  const next = select(`where (${list(keys)}) > (${keys.map(() => '?')})`)
  const places = keys.map((key) => columns.findIndex(({ name }) => name === key))
  const booleans = columns.flatMap(({ type }, at) => (type === 'boolean' ? [at] : []))
  for (let page = ask(select('')); page.length > 0; ) {
    const last = page.at(-1)!
    for (const row of page) for (const at of booleans) if (row[at] !== null) row[at] = row[at] === 1
    yield page
    page = page.length < ROWS ? [] : ask(next, ...places.map((at) => last[at]))
  }
}

/** A row as JSON, by the names of columns. */
export const jsonOf = ({ columns }: Table, row: Row): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))

/** The key of a row as a JSON object. */
export const keyJsonOf = (table: Table, row: Row): string =>
  JSON.stringify(Object.fromEntries(keyOf(table, row).map((value, at) => [table.keys[at]!, value])))

/** Texts as bytes, as both databases order them. */
const order = (one: unknown, other: unknown): number =>
  typeof one === 'number'
    ? one - (other as number)
    : Buffer.compare(Buffer.from(one as string), Buffer.from(other as string))

function orderOf(table: Table, here: Row | undefined, there: Row | undefined): number {
  if (!here) return 1
  if (!there) return -1
  const keys = keyOf(table, there)
  for (const [at, value] of keyOf(table, here).entries()) {
    const differs = order(value, keys[at])
    if (differs !== 0) return differs
  }
  return 0
}

/** Rows one by one out of pages. */
function openCursor(pages: Iterator<Row[]> | AsyncIterator<Row[]>) {
  let page: Row[] = []
  let at = 0
  return async (): Promise<Row | undefined> => {
    if (at === page.length) {
      page = (await pages.next()).value ?? []
      at = 0
    }
    return page[at++]
  }
}

/** Compares a table row by row; both sides are read in the order of the keys. */
export async function compareRows(
  table: Table,
  pages: { here: Iterator<Row[]>; there: AsyncIterator<Row[]> },
  { differs, step }: { differs(difference: TableDifference): unknown; step(count: number): void },
) {
  const nextHere = openCursor(pages.here)
  const nextThere = openCursor(pages.there)
  let here = await nextHere()
  let there = await nextThere()
  for (let seen = 1; here || there; seen++) {
    const which = orderOf(table, here, there)
    if (which < 0) await differs({ table, here: here! })
    else if (which > 0) await differs({ table, there: there! })
    else if (here!.some((value, at) => value !== there![at]))
      await differs({ table, here: here!, there: there! })
    if (which >= 0) there = await nextThere()
    if (which <= 0) here = await nextHere()
    if (seen % ROWS === 0 || !(here || there)) step(((seen - 1) % ROWS) + 1)
  }
}

/** What a difference is, for people. */
export function describeDifference({ table, here, there }: RowDifference): string {
  const row = `row ${keyOf(table, (here ?? there)!).join('/')} of ${table.name}`
  if (!there) return `${row} is not in PostgreSQL`
  if (!here) return `${row} is in PostgreSQL only`
  const names = table.columns.flatMap(({ name }, at) => (here[at] === there[at] ? [] : [name]))
  return `${row} is another one in PostgreSQL (${names.join(', ')})`
}

/** Milliseconds for what a copy lacks, and for rows that differ. */
const READ = 60_000
/** Keys that are asked for at a time. */
const KEYS = 500

/** Compares the copy of a node with PostgreSQL, and mends it. */
export function openComparison(db: Db, url: string): Comparison {
  const withLock = <T>(lock: string, work: (session: Session) => Promise<T>): Promise<T> =>
    withSession(url, async (session) => {
      const { seq } = positionOf(db.read)!
      const results = await session.run(`begin isolation level ${lock}; ${headFor(seq)}`, READ)
      const head = results.at(-1)!.rows[0] as Head
      const divergence = divergenceOf(head, positionOf(db.read)!)
      if (divergence)
        throw unusable(redacted(url), 'the copy can not follow it; start the service of this node again')
      const groups = await session.ask<LoggedGroup>(
        `select seq, commit_id, rows from almanac.log where seq > ${seq} order by seq`,
        READ,
      )
      await db.local((tx) => applyGroups(tx, groups))
      return work(session)
    })

  return {
    describe: describeDifference,
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
              { here: rowsHere(db.rows, table), there: rowsThere(session, table) },
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
        const ids = differences.flatMap(({ table, here, there }) =>
          table.name === 'posts' ? (keyOf(table, (here ?? there)!) as number[]) : [],
        )
        await db.local((tx) => replace(tx, `{${rows}}`, ids))
      }),
    announce: () => noteMended(db),
  }
}

const PATIENT = 'set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 0'
/** Waits until no group is being written, sees the state then, and lets others write again at the end of the savepoint. */
const COMPARING = `repeatable read; ${PATIENT}; savepoint reading; lock table almanac.head in exclusive mode`
/** Lets nobody write meanwhile. */
const MENDING = `read committed; ${PATIENT}; lock table almanac.head in exclusive mode`

/** What PostgreSQL has of rows that differ, as a member of what a group wrote. */
async function currentOf(session: Session, table: Table, differences: TableDifference[]): Promise<string> {
  const keys = differences.map(({ here, there }) => keyJsonOf(table, (here ?? there)!))
  const set: string[] = []
  for (let at = 0; at < keys.length; at += KEYS) {
    const array = `${literal(`[${keys.slice(at, at + KEYS)}]`)}::json`
    set.push(...(await session.ask<{ row: string }>(rowsAmong(table, array), READ)).map(({ row }) => row))
  }
  const gone = differences.flatMap(({ here, there }) => (there ? [] : [keyJsonOf(table, here!)]))
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
