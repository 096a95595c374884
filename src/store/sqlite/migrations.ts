import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { fromRoot } from '../../package.ts'
import { APPLICATION_ID, unusable } from './file.ts'

export const MIGRATIONS = fileURLToPath(fromRoot('drizzle/migrations/'))

type Migration = { tag: string; when: number }

/** The migrations of this program, oldest first. */
export function readMigrations(folder = MIGRATIONS): Migration[] {
  return JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')).entries
}

/** The number of migrations applied to a database. */
const countApplied = (db: Database.Database): number =>
  db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'migrations'").pluck().get() === 0
    ? 0
    : (db.prepare('SELECT count(*) FROM migrations').pluck().get() as number)

/**
 * Applies missing migrations, one process at a time, with foreign keys off (rebuilding a table would delete its children). If none
 * are missing it writes nothing, so a database can be opened while another process writes constantly.
 */
export function migrate(db: Database.Database, file: string, folder: string) {
  const known = readMigrations(folder)
  if (countApplied(db) === known.length) return
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.exec('CREATE TABLE IF NOT EXISTS migrations (tag text PRIMARY KEY, at integer NOT NULL)')
    const applied = countApplied(db)
    if (applied > known.length) throw unusable(file, 'was written by a newer Almanac; start that version')
    for (const { tag, when } of known.slice(applied)) {
      db.exec(readFileSync(join(folder, `${tag}.sql`), 'utf8'))
      db.prepare('INSERT INTO migrations (tag, at) VALUES (?, ?)').run(tag, when)
    }
    const broken = db.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0)
      throw unusable(file, `has ${broken.length} rows that point nowhere; restore a backup`)
  }).immediate()
  db.pragma('foreign_keys = ON')
}
