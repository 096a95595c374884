import type Database from 'better-sqlite3'
import { is } from 'drizzle-orm'
import {
  getTableConfig,
  SQLiteBoolean,
  type SQLiteColumn,
  SQLiteReal,
  SQLiteText,
  SQLiteTextJson,
} from 'drizzle-orm/sqlite-core'
import { truthOf } from '../../../drizzle/postgres.ts'
import { TRUTH } from '../../../drizzle/tables.ts'
import { DERIVATION } from '../../kernel/database/stored-settings.ts'

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
  toJsonThere: string
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

/** In both: updates all columns of a row that is there. */
function onConflict(keys: string[], columns: Column[]): string {
  const others = columns.map(({ name }) => name).filter((name) => !keys.includes(name))
  return `on conflict (${keys.map(quoted)}) do update set ${others.map((name) => `${quoted(name)} = excluded.${quoted(name)}`)}`
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
  const there = columns.map(({ name, isJson }) => `'${name}', ${quoted(name)}${isJson ? '::text' : ''}`)
  const among = `(${keys.map(quoted)}) in (select ${keys.map(from)} from json_each(?))`
  return {
    name,
    keys,
    columns,
    toJson: `json_object(${columns.map(({ name }) => `'${name}', t.${quoted(name)}`)})`,
    toJsonThere: `json_build_object(${there})::text`,
    upsert: `insert into main.${name} (${[...columns.map(({ name }) => quoted(name)), ...local.map(([name]) => name)]})
      select ${[...columns.map(({ name }) => from(name)), ...local.map(([, value]) => value)]} from json_each(?) where true
      ${onConflict(keys, columns)}`,
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

/** In PostgreSQL: a JSON array, which is an expression there, as rows of these columns. */
const recordset = (array: string, columns: Column[]) =>
  `json_to_recordset(${array}) as r(${columns.map(({ name, type }) => `${quoted(name)} ${type}`)})`
const keysOf = ({ keys, columns }: Table) => columns.filter(({ name }) => keys.includes(name))

/** In PostgreSQL: inserts or updates the rows of a JSON array, which is an expression there. */
export function upsertThere({ name, keys, columns }: Table, array: string): string {
  const values = columns.map(({ name, isJson }) => `r.${quoted(name)}${isJson ? '::json' : ''}`)
  return `insert into almanac.${name} (${columns.map(({ name }) => quoted(name))})
    select ${values} from ${recordset(array, columns)}
    ${onConflict(keys, columns)}`
}

/** In PostgreSQL: deletes the rows with the keys of a JSON array, which is an expression there. */
export function removeThere(table: Table, array: string): string {
  const { name, keys } = table
  const same = keys.map((key) => `t.${quoted(key)} = r.${quoted(key)}`).join(' and ')
  const allowed = name === 'audit' ? "set local almanac.audit_retention = 'on'; " : ''
  return `${allowed}delete from almanac.${name} t using ${recordset(array, keysOf(table))} where ${same}`
}

/** In PostgreSQL: the rows with the keys of a JSON array, as JSON. */
export function rowsAmong(table: Table, array: string): string {
  const { name, keys, toJsonThere } = table
  const among = `(${keys.map(quoted)}) in (select ${keys.map(quoted)} from ${recordset(array, keysOf(table))})`
  return `select ${toJsonThere} as row from almanac.${name} where ${among}`
}

/** A row as values in the order of its table's columns, the same on both sides. */
export type Row = unknown[]

/** A row as PostgreSQL writes it in JSON. */
export function rowOf({ columns }: Table, json: string): Row {
  const members = JSON.parse(json) as Record<string, unknown>
  return columns.map(({ name }) => members[name])
}

/** The names of the files of pictures, in PostgreSQL. */
export const filesIn = (pictures: string) =>
  `(select file from ${pictures} union all select size.value->>'file' from ${pictures}, json_each(${pictures}.sizes) as size)`

/** In PostgreSQL: deletes the files of the pictures with the keys of a JSON array, which is an expression there. */
export const removeFilesThere = (array: string) =>
  `with gone as (select m.file, m.sizes from almanac.media m join json_to_recordset(${array}) as r(id bigint) on m.id = r.id)
    delete from almanac.files where name in ${filesIn('gone')}`

/** What a group wrote, as the JSON of `log.rows`, and by tables. */
export type Written = { rows: string; tables: { table: Table; set: boolean; gone: boolean }[] }

const NONE = '[]'

/** The key of a row in `written`, as a JSON array. */
const keyOf = ({ keys }: Table, row: 'new' | 'old') => `json_array(${keys.map((key) => `${row}."${key}"`)})`

function triggersOf(table: Table): string {
  const note = (row: 'new' | 'old') => `insert into written values ('${table.name}', ${keyOf(table, row)});`
  const columns = table.columns.map(({ name }) => `"${name}"`)
  const on = (event: string, rows: ('new' | 'old')[], name = event) =>
    `create temp trigger written_${table.name}_${name} after ${event} on main.${table.name} begin ${rows.map(note).join(' ')} end;`
  return [
    on('insert', ['new']),
    on('delete', ['old']),
    on(`update of ${columns}`, ['old', 'new'], 'update'),
  ].join('\n')
}

/**
 * Collects which rows of the tables of truth a connection writes, by temporary triggers, so that no write can forget to tell. What
 * savepoints roll back is not collected.
 */
export function openWrittenRows(db: Database.Database) {
  // without a unique key: the conflict clause of a statement also holds for what its triggers do
  db.exec('create temp table written (name text not null, key text not null)')
  for (const table of TABLES) db.exec(triggersOf(table))
  const names = db.prepare('select distinct name from temp.written').pluck()
  const clear = db.prepare('delete from temp.written')
  const statements = TABLES.map((table) => {
    const parts = table.keys.map((_, at) => `json_extract(key, '$[${at}]') as k${at}`)
    const keys = `(select distinct ${parts} from temp.written where name = '${table.name}')`
    const same = table.keys.map((key, at) => `t."${key}" = k.k${at}`).join(' and ')
    const gone = table.keys.map((key, at) => `'${key}', k.k${at}`)
    return {
      table,
      set: db
        .prepare(
          `select json_group_array(${table.toJson}) from ${keys} k join main.${table.name} t on ${same}`,
        )
        .pluck(),
      gone: db
        .prepare(
          `select json_group_array(json_object(${gone})) from ${keys} k where not exists (select 1 from main.${table.name} t where ${same})`,
        )
        .pluck(),
    }
  })
  return {
    /** Forgets what was collected. */
    clear: () => void clear.run(),
    /** What was written since the last `clear` or `collect`; undefined if nothing was. */
    collect(): Written | undefined {
      const written = new Set(names.all() as string[])
      if (written.size === 0) return undefined
      const tables: Written['tables'] = []
      const members: string[] = []
      for (const { table, ...read } of statements) {
        if (!written.has(table.name)) continue
        const set = read.set.get() as string
        const gone = read.gone.get() as string
        tables.push({ table, set: set !== NONE, gone: gone !== NONE })
        members.push(`"${table.name}":{"set":${set},"gone":${gone}}`)
      }
      clear.run()
      return { rows: `{${members.join(',')}}`, tables }
    },
  }
}
