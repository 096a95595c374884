import type Database from 'better-sqlite3'
import { TABLES, type Table } from './rows.ts'

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
    /** What was written since the last `clear` or `take`; undefined if nothing was. */
    take(): Written | undefined {
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
export type WrittenRows = ReturnType<typeof openWrittenRows>
