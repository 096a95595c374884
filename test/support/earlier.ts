import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { APPLICATION_ID } from '../../src/kernel/database/file.ts'
import { MIGRATIONS, readMigrations } from '../../src/kernel/database/migrations.ts'

/** The folder of databases that earlier programs wrote: for each migration, the rows of one that ends with it. */
export const EARLIER = fileURLToPath(new URL('../fixtures/earlier/', import.meta.url))

type Row = Record<string, unknown>

/** Rows that are different each time, or secret: a fixture needs the tables, not these values. */
const PLAIN = `UPDATE application_passwords SET hash = 'none';
  UPDATE settings SET value = 'none' WHERE name = 'token_key'`

/** A text as SQL, with control characters by their number so that it stays readable. */
const quoted = (text: string) =>
  `'${text.replaceAll("'", "''")}'`.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what fragments have as markers
    /[\u0000-\u0008]/g,
    (sign) => `'||char(${sign.codePointAt(0)})||'`,
  )

function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (!Buffer.isBuffer(value)) return String(value ?? 'NULL')
  const text = value.toString()
  const isText = Buffer.from(text).equals(value) && /^\{/.test(text)
  return isText ? `CAST(${quoted(text)} AS BLOB)` : `X'${value.toString('hex')}'`
}

/** The tables that have rows of their own, those in which a text index keeps its contents among them. */
const tablesOf = (db: Database.Database) =>
  db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .pluck()
    .all() as string[]

/** The rows of a database as SQL for `load`. */
export function dump(file: string): string {
  const db = new Database(file)
  db.exec(PLAIN)
  const lines = tablesOf(db).flatMap((table) => [
    `DELETE FROM "${table}";`,
    ...(db.prepare(`SELECT * FROM "${table}"`).all() as Row[]).map(
      (row) =>
        `INSERT INTO "${table}" (${Object.keys(row)}) VALUES (${Object.values(row).map(literal).join(', ')});`,
    ),
  ])
  db.close()
  return `${lines.join('\n')}\n`
}

/** Makes an empty database as the program made it whose last migration this was. */
function begin(file: string, tag: string) {
  const db = new Database(file).unsafeMode() // the tables of a text index are restored as they were
  db.pragma(`application_id = ${APPLICATION_ID}`)
  const program = tag < '0010' ? '' : ', program text'
  db.exec(`CREATE TABLE migrations (tag text PRIMARY KEY, at integer NOT NULL${program})`)
  for (const known of readMigrations()) {
    db.exec(readFileSync(join(MIGRATIONS, `${known.tag}.sql`), 'utf8'))
    if (known.tag === tag) break
  }
  db.pragma('foreign_keys = OFF') // here, because a migration turns them on
  return db
}

/** Makes a database file as the program left it whose last migration this was. */
export function load(file: string, tag: string) {
  const db = begin(file, tag)
  db.exec(readFileSync(join(EARLIER, `${tag}.sql`), 'utf8'))
  db.close()
}

/**
 * Writes the rows of a database file as the program had them whose last migration this was: all columns that it had, and in place of those
 * that are gone these expressions.
 */
export function setBack(file: string, tag: string, gone: Record<string, Record<string, string>>) {
  const newer = `${file}.newer`
  renameSync(file, newer)
  const db = begin(file, tag)
  db.exec(`ATTACH '${newer}' AS newer`)
  const columnsOf = (schema: string, table: string) =>
    db.prepare('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema) as string[]
  for (const table of tablesOf(db)) {
    const known = columnsOf('newer', table)
    const from: Record<string, string> = { ...gone[table] }
    for (const name of columnsOf('main', table)) if (known.includes(name)) from[name] = `"${name}"`
    if (known.length === 0) continue
    db.exec(`DELETE FROM main."${table}";
      INSERT INTO main."${table}" (${Object.keys(from).map((name) => `"${name}"`)}) SELECT ${Object.values(from)} FROM newer."${table}"`)
  }
  db.prepare('DELETE FROM migrations WHERE tag > ?').run(tag)
  db.close()
}
