import { chmodSync, copyFileSync, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { PRIVATE } from '../../support/modes.ts'
import { APPLICATION_ID, claim, explain, sync, unusable } from './file.ts'
import { checkKnown } from './migrations.ts'

export type Copying = {
  /** Overwrites an existing file. */
  force?: boolean
  /** Called with the number of pages copied, and of all pages. */
  progress(done: number, total: number): void
}
/** The contents of a database. */
export type Contents = {
  bytes: number
  events: number
  venues: number
  organizers: number
  /** UTC time of the last write; empty if there was none. */
  last_write_utc: string
}

/** 4 MB a step, so that other work runs between steps. */
const PAGES = 1_000

/**
 * Copies the database to `file` while servers may write to it. The copy is a verified snapshot; if it fails, there is no file.
 * Throws `unusable`, also if the folder is missing, which may be a disk that is not mounted.
 */
export async function backup(
  database: string,
  file: string,
  { force = false, progress }: Copying,
): Promise<Contents> {
  if (!existsSync(database)) throw unusable(database, 'does not exist')
  if (isSame(database, file)) throw unusable(file, 'is the database itself')
  if (!existsSync(dirname(file)))
    throw unusable(file, `the folder ${resolve(dirname(file))} does not exist; mount or create it first`)
  if (existsSync(file) && !force) throw unusable(file, 'exists already; --force overwrites it')
  const partial = `${file}.partial`
  try {
    return await write(database, file, partial, progress)
  } catch (error) {
    throw explain(error as Error, file)
  }
}

async function write(database: string, file: string, partial: string, progress: Copying['progress']) {
  try {
    rmSync(partial, { force: true })
    await copy(database, partial, progress)
    own(partial)
    const contents = inspect(partial)
    sync(partial)
    renameSync(partial, file)
    sync(dirname(file))
    return contents
  } finally {
    rmSync(partial, { force: true })
  }
}

/**
 * Replaces the database with a backup, completely or not at all. The previous database remains as `.before-restore`. `verified` is
 * called once the backup was found to be whole, before anything is replaced; what it throws ends the restore. Throws `unusable`, also
 * if a server or another program has the database open.
 */
export async function restore(
  database: string,
  file: string,
  { force = false, progress, verified }: Copying & { verified(): void },
): Promise<Contents> {
  if (!existsSync(file)) throw unusable(file, 'does not exist')
  if (isSame(database, file)) throw unusable(file, 'is the database itself')
  const before = `${database}.before-restore`
  if (existsSync(database) && existsSync(before) && !force)
    throw unusable(before, 'is there from the last time; move it away, or overwrite it with --force')
  try {
    inspect(file)
    verified()
    if (existsSync(database)) setAside(database, before)
    await copy(file, database, progress)
    own(database)
    return inspect(database)
  } catch (error) {
    throw explain(error as Error, database)
  }
}

const isSame = (one: string, other: string) =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)

/** The online backup of SQLite inside a transaction. Without the transaction, it would restart with every write of another process. */
async function copy(from: string, to: string, progress: Copying['progress']) {
  claim(to)
  const source = new Database(from, { readonly: true })
  try {
    source.exec('BEGIN; SELECT count(*) FROM sqlite_master')
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        progress(totalPages - remainingPages, totalPages)
        return PAGES
      },
    })
  } finally {
    source.close()
  }
}

/** Makes a copied file a database of its own, in one file: that of a node is no replica of PostgreSQL any more. */
function own(file: string) {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = DELETE')
    if (db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'replica'").pluck().get() === 1)
      db.exec('DELETE FROM replica')
  } finally {
    db.close()
  }
}

/** Copies the database to `before`. Leaving WAL mode requires exclusive access, which shows whether the database is in use. */
function setAside(database: string, before: string) {
  const old = new Database(database, { timeout: 0 })
  try {
    old.pragma('journal_mode = DELETE')
    mustBeOurs(old, database)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code?.startsWith('SQLITE_BUSY'))
      throw unusable(database, 'is in use; stop the server, and whatever else has it open')
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(String(code))) throw error
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(database + end)) renameSync(database + end, before + end)
    return
  } finally {
    old.close()
  }
  copyFileSync(database, before)
  chmodSync(before, PRIVATE.file)
  sync(before)
}

function mustBeOurs(db: Database.Database, file: string) {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(file, 'is not a database of Almanac')
}

/** What a file holds. Throws `unusable` unless it is an intact database of this or an older Almanac. */
export function inspect(file: string): Contents {
  try {
    return contentsOf(file)
  } catch (error) {
    throw explain(error as Error, file)
  }
}

function contentsOf(file: string): Contents {
  const db = new Database(file, { readonly: true })
  try {
    mustBeOurs(db, file)
    const [damage] = db.pragma('integrity_check') as { integrity_check: string }[]
    if (damage!.integrity_check !== 'ok') throw unusable(file, `is damaged: ${damage!.integrity_check}`)
    const broken = db.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0) throw unusable(file, `has ${broken.length} rows that point nowhere`)
    const number = (query: string) => db.prepare(query).pluck().get() as number
    checkKnown(db, file)
    return {
      bytes: statSync(file).size,
      events: number("SELECT count(*) FROM posts WHERE kind = 'event'"),
      venues: number('SELECT count(*) FROM venues'),
      organizers: number('SELECT count(*) FROM organizers'),
      last_write_utc: db
        .prepare("SELECT coalesce((SELECT at_utc FROM changes ORDER BY seq DESC LIMIT 1), '')")
        .pluck()
        .get() as string,
    }
  } finally {
    db.close()
  }
}
