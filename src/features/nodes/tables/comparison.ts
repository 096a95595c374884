import type Database from 'better-sqlite3'
import type { RowDifference } from '../../../kernel/database/replica.ts'
import type { Table } from './rows.ts'

/** A row as values in the order of its table's columns, the same on both sides. */
export type Row = unknown[]

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

/** A row as PostgreSQL writes it in JSON. */
export function rowOf({ columns }: Table, json: string): Row {
  const members = JSON.parse(json) as Record<string, unknown>
  return columns.map(({ name }) => members[name])
}

/** A row as JSON, by the names of columns. */
export const jsonOf = ({ columns }: Table, row: Row): string =>
  JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))

/** The values by which a row is found. */
export const keyOf = ({ keys, columns }: RowDifference['table'], row: Row): Row =>
  keys.map((key) => row[columns.findIndex(({ name }) => name === key)])

/** The key of a row as a JSON object. */
export const keyJsonOf = (table: Table, row: Row): string =>
  JSON.stringify(Object.fromEntries(keyOf(table, row).map((value, at) => [table.keys[at]!, value])))

/** Texts as bytes, as both databases order them. */
const order = (one: unknown, other: unknown): number =>
  typeof one === 'number'
    ? one - (other as number)
    : Buffer.compare(Buffer.from(one as string), Buffer.from(other as string))

function orderOf(table: Table, here: Row | undefined, inTruth: Row | undefined): number {
  if (!here) return 1
  if (!inTruth) return -1
  const keys = keyOf(table, inTruth)
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
  pages: { here: Iterator<Row[]>; inTruth: AsyncIterator<Row[]> },
  { differs, step }: { differs(difference: TableDifference): unknown; step(count: number): void },
) {
  const nextHere = openCursor(pages.here)
  const nextInTruth = openCursor(pages.inTruth)
  let here = await nextHere()
  let inTruth = await nextInTruth()
  for (let seen = 1; here || inTruth; seen++) {
    const which = orderOf(table, here, inTruth)
    if (which < 0) await differs({ table, here: here! })
    else if (which > 0) await differs({ table, inTruth: inTruth! })
    else if (here!.some((value, at) => value !== inTruth![at]))
      await differs({ table, here: here!, inTruth: inTruth! })
    if (which >= 0) inTruth = await nextInTruth()
    if (which <= 0) here = await nextHere()
    if (seen % ROWS === 0 || !(here || inTruth)) step(((seen - 1) % ROWS) + 1)
  }
}

/** What a difference is, for people. */
export function tellDifference({ table, here, inTruth }: RowDifference): string {
  const row = `row ${keyOf(table, (here ?? inTruth)!).join('/')} of ${table.name}`
  if (!inTruth) return `${row} is not in PostgreSQL`
  if (!here) return `${row} is in PostgreSQL only`
  const names = table.columns.flatMap(({ name }, at) => (here[at] === inTruth[at] ? [] : [name]))
  return `${row} is another one in PostgreSQL (${names.join(', ')})`
}
