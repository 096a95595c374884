import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { fromRoot, VERSION } from '../../package.ts'
import { APPLICATION_ID, unusable } from './file.ts'

export const MIGRATIONS = fileURLToPath(fromRoot('drizzle/migrations/'))

type Migration = { tag: string; when: number }

/** The migrations of this program, oldest first. */
export function readMigrations(folder = MIGRATIONS): Migration[] {
  return JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')).entries
}

/** Called before each migration of a database that is upgraded. */
export type OnMigration = (step: { tag: string; number: number; of: number }) => void

/** The number of migrations applied to a database. */
const countApplied = (db: Database.Database): number =>
  db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'migrations'").pluck().get() === 0
    ? 0
    : (db.prepare('SELECT count(*) FROM migrations').pluck().get() as number)

/** Whether an earlier program wrote the database. A new one has no migrations yet. */
export function isEarlier(db: Database.Database, folder: string): boolean {
  const applied = countApplied(db)
  return applied > 0 && applied < readMigrations(folder).length
}

/** Throws if the database has migrations that this program does not know, before anything is written to it. */
export function checkKnown(db: Database.Database, file: string, folder = MIGRATIONS) {
  if (countApplied(db) <= readMigrations(folder).length) return
  const program = programOf(db)
  throw unusable(
    file,
    `was written by a newer Almanac${program ? ` (${program}; this is ${VERSION})` : ''}; start that version, or restore a backup that this version made. Nothing was changed in it`,
  )
}

/** The version that applied the last migration; undefined if it is unknown, or that of this program. */
function programOf(db: Database.Database): string | undefined {
  if (!hasProgram(db)) return undefined
  const program = db.prepare('SELECT program FROM migrations ORDER BY rowid DESC').pluck().get()
  return program === VERSION ? undefined : ((program as string | null) ?? undefined)
}

const hasProgram = (db: Database.Database) =>
  (db.pragma('table_info(migrations)') as { name: string }[]).some(({ name }) => name === 'program')

/**
 * Applies missing migrations, one process at a time, with foreign keys off (rebuilding a table would delete its children). If none
 * are missing it writes nothing, so a database can be opened while another process writes constantly.
 */
export function migrate(
  db: Database.Database,
  file: string,
  folder: string,
  onMigration: OnMigration = () => {},
) {
  const known = readMigrations(folder)
  if (countApplied(db) === known.length) return
  db.pragma('foreign_keys = OFF')
  db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.exec('CREATE TABLE IF NOT EXISTS migrations (tag text PRIMARY KEY, at integer NOT NULL, program text)')
    if (!hasProgram(db)) db.exec('ALTER TABLE migrations ADD COLUMN program text')
    const applied = countApplied(db)
    for (const [at, { tag, when }] of known.slice(applied).entries()) {
      onMigration({ tag, number: at + 1, of: known.length - applied })
      db.exec(readFileSync(join(folder, `${tag}.sql`), 'utf8'))
      db.prepare('INSERT INTO migrations (tag, at, program) VALUES (?, ?, ?)').run(tag, when, VERSION)
    }
    const broken = db.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0)
      throw unusable(file, `has ${broken.length} rows that point nowhere; restore a backup`)
  }).immediate()
  db.pragma('foreign_keys = ON')
}

const blanks = new Map<string, Buffer>()

/** What a temporary database begins as: the bytes of one without rows, migrated once in a process. */
export function blankOf(folder: string): Buffer {
  const known = blanks.get(folder)
  if (known) return known
  const db = new Database(':memory:')
  migrate(db, ':memory:', folder)
  const blank = db.serialize()
  db.close()
  blanks.set(folder, blank)
  return blank
}
