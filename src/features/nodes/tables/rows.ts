import { is } from 'drizzle-orm'
import {
  getTableConfig,
  SQLiteBoolean,
  type SQLiteColumn,
  SQLiteReal,
  SQLiteText,
  SQLiteTextJson,
} from 'drizzle-orm/sqlite-core'
import { truthOf } from '../../../../drizzle/postgres.ts'
import { TRUTH } from '../../../../drizzle/tables.ts'
import { DERIVATION } from '../../../kernel/database/stored-settings.ts'

/** A column of a table of truth: how JSON names it, and its type in PostgreSQL when it is read from JSON. */
type Column = { name: string; type: string; isJson: boolean }

/** A table of truth, and the SQL by which its rows travel as JSON: objects by the names of columns, JSON columns as texts. */
export type Table = {
  name: string
  keys: string[]
  columns: Column[]
  /** In SQLite: a row as a JSON object. */
  toJson: string
  /** In PostgreSQL: a row as a JSON object. */
  toJsonInTruth: string
  /** In SQLite: inserts or updates the rows of a JSON array. */
  upsert: string
  /** In SQLite: gives texts that have to be unique a value that collides with nothing, in rows that are about to be updated. */
  loosen: string | undefined
  /** In SQLite: deletes the rows with the keys of a JSON array. */
  remove: string
}

/** Columns of this file alone, with the value of a row that comes from elsewhere: what it shows is derived by this program. */
const LOCAL_VALUES: Record<string, Record<string, number>> = { site: { derivation: DERIVATION } }

const quoted = (name: string) => `"${name}"`

function typeOf(column: SQLiteColumn): string {
  if (is(column, SQLiteBoolean)) return 'boolean'
  if (is(column, SQLiteReal)) return 'double precision'
  return is(column, SQLiteText) || is(column, SQLiteTextJson) ? 'text' : 'bigint'
}

function describe(table: (typeof TRUTH)[number]): Table {
  const { name, columns: all, keys: identifying } = truthOf(table)
  const columns = all.map((column) => {
    return { name: column.name, type: typeOf(column), isJson: is(column, SQLiteTextJson) }
  })
  const keys = identifying.map((key) => key.name)
  const local = Object.entries(LOCAL_VALUES[name] ?? {})
  const unique = getTableConfig(table)
    .indexes.find(({ config }) => config.unique)
    ?.config.columns.at(-1)
  const single = getTableConfig(table).columns.find((column) => column.isUnique)
  const loosened = (unique as SQLiteColumn | undefined)?.name ?? single?.name
  const from = (name: string) => `json_extract(value, '$.${name}')`
  const inTruth = columns.map(({ name, isJson }) => `'${name}', ${quoted(name)}${isJson ? '::text' : ''}`)
  const among = `(${keys.map(quoted)}) in (select ${keys.map(from)} from json_each(?))`
  const set = columns
    .filter((column) => !keys.includes(column.name))
    .map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`)
  return {
    ...{ name, keys, columns },
    toJson: `json_object(${columns.map(({ name }) => `'${name}', t.${quoted(name)}`)})`,
    toJsonInTruth: `json_build_object(${inTruth})::text`,
    upsert: `insert into main.${name} (${[...columns.map(({ name }) => quoted(name)), ...local.map(([name]) => name)]})
      select ${[...columns.map(({ name }) => from(name)), ...local.map(([, value]) => value)]} from json_each(?) where true
      on conflict (${keys.map(quoted)}) do update set ${set}`,
    loosen:
      loosened &&
      `update main.${name} set ${quoted(loosened)} = char(1) || ${keys.join(" || ' ' || ")} where ${among}`,
    remove: `delete from main.${name} where ${among}`,
  }
}

/** The tables of truth, those first that others refer to. */
export const TABLES: readonly Table[] = TRUTH.map(describe)

/** A literal of PostgreSQL, whatever standard_conforming_strings says there. */
export const literal = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

const recordOf = (columns: Column[]) => columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')

/** In PostgreSQL: inserts or updates the rows of a JSON array, which is an expression there. */
export function upsertThere({ name, keys, columns }: Table, array: string): string {
  const values = columns.map(({ name, isJson }) => `r.${quoted(name)}${isJson ? '::json' : ''}`)
  const set = columns
    .filter((column) => !keys.includes(column.name))
    .map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`)
  return `insert into almanac.${name} (${columns.map(({ name }) => quoted(name))})
    select ${values} from json_to_recordset(${array}) as r(${recordOf(columns)})
    on conflict (${keys.map(quoted)}) do update set ${set}`
}

/** In PostgreSQL: deletes the rows with the keys of a JSON array, which is an expression there. */
export function removeThere({ name, keys, columns }: Table, array: string): string {
  const own = columns.filter((column) => keys.includes(column.name))
  const same = keys.map((key) => `t.${quoted(key)} = r.${quoted(key)}`).join(' and ')
  const allowed = name === 'audit' ? "set local almanac.audit_retention = 'on'; " : ''
  return `${allowed}delete from almanac.${name} t using json_to_recordset(${array}) as r(${recordOf(own)}) where ${same}`
}

/** In PostgreSQL: the rows with the keys of a JSON array, as JSON. */
export function truthAmong({ name, keys, columns, toJsonInTruth }: Table, array: string): string {
  const own = columns.filter((column) => keys.includes(column.name))
  const among = `(${keys.map(quoted)}) in (select ${keys.map(quoted)} from json_to_recordset(${array}) as r(${recordOf(own)}))`
  return `select ${toJsonInTruth} as row from almanac.${name} where ${among}`
}
