import type Database from 'better-sqlite3'
import { getTableColumns, getTableName, is, type Table } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as tables from '../../drizzle/tables.ts'

type Row = Record<string, unknown>
export type Rows = Record<keyof typeof tables, (row: Row) => void>

/** Inserts rows into each table: what people wrote goes around the service's own writes, which check it. */
export const openRows = (db: Database.Database): Rows =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([name, table]) =>
      is(table, SQLiteTable) ? [[name, inserter(db, table)]] : [],
    ),
  ) as Rows

function inserter(db: Database.Database, table: Table) {
  const columns = Object.values(getTableColumns(table))
  const statement = db.prepare(
    `insert into ${getTableName(table)} (${columns.map((column) => column.name)}) values (${columns.map(() => '?')})`,
  )
  return (row: Row) => {
    statement.run(
      columns.map((column) => {
        const value = row[column.name] ?? column.default ?? null
        return value === null ? null : column.mapToDriverValue(value)
      }),
    )
  }
}
