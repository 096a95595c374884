import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { COUNTED } from '../../../drizzle/tables.ts'
import { openDb } from './db.ts'
import { APPLICATION_ID, claim, connectTo, explain, PRIVATE, sync, unusable } from './file.ts'
import { blankOf, checkKnown, MIGRATIONS } from './migrations.ts'

export type Copying = {
  /** Overwrites an existing file. */
  force?: boolean
  /** Called with the number of pages copied, and of all pages. */
  progress(done: number, total: number): void
}
/** The contents of a database. */
export type Contents = Record<keyof typeof COUNTED, number> & {
  bytes: number
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
 * Replaces the database with a backup, completely or not at all: with a copy that was opened beside it as the service opens it, which
 * upgrades it. The previous database remains as `.before-restore`. `verified` is called once the backup was found to be whole; what it
 * throws ends the restore. Throws `unusable`, also if a server or another program has the database open.
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
  const partial = `${database}.restoring`
  try {
    inspect(file)
    verified()
    discard(partial)
    await copy(file, partial, progress)
    const contents = tryOut(partial, file)
    if (existsSync(database)) {
      setAside(database, before)
      ownAs(partial, database)
    }
    renameSync(partial, database)
    sync(dirname(database))
    return contents
  } catch (error) {
    discard(partial)
    throw explain(error as Error, database)
  }
}

/** Opens a copy of a backup as the service does, and makes it one file. Throws `unusable`, which names the backup. */
function tryOut(partial: string, file: string): Contents {
  try {
    own(partial)
    openDb(partial).close()
    own(partial)
    mustHaveAll(partial)
    sync(partial)
    return contentsOf(partial)
  } catch (error) {
    const { message } = explain(error as Error, partial)
    throw unusable(file, `can not be used as a database: ${message.replace(`${partial}: `, '')}`)
  }
}

/** The columns of tables, and the names of indexes and triggers, each in a line. */
const PARTS = `SELECT m.type || ' ' || m.name || coalesce(' with ' || c.name, '') FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c
  ON m.type = 'table' WHERE m.name NOT LIKE 'sqlite_%'`

/** Throws if something is missing that a database of this program has. */
function mustHaveAll(file: string) {
  const parts = (db: Database.Database) => {
    try {
      return db.prepare<[], string>(PARTS).pluck().all()
    } finally {
      db.close()
    }
  }
  const found = new Set(parts(new Database(file, { readonly: true })))
  const missing = parts(new Database(blankOf(MIGRATIONS))).find((part) => !found.has(part))
  if (missing !== undefined) throw unusable(file, `lacks the ${missing}`)
}

/** Gives a file the owner and mode of the one whose place it takes, so that its service may go on writing where an administrator restores. */
function ownAs(file: string, old: string) {
  const found = statSync(old, { throwIfNoEntry: false })
  if (!found) return // what is no database was moved away
  chmodSync(file, found.mode & 0o777)
  if (process.getuid?.() === 0) chownSync(file, found.uid, found.gid)
}

const discard = (file: string) => {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true })
}

const isSame = (one: string, other: string) =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)

/** The online backup of SQLite inside a transaction. Without the transaction, it would restart with every write of another process. */
async function copy(from: string, to: string, progress: Copying['progress']) {
  claim(to)
  const source = connectTo(from, { readonly: true })
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

/** Makes a copied file a database of its own, in one file: where it was a copy of what is kept elsewhere, it is none any more. */
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
    checkKnown(db, file)
    return {
      bytes: statSync(file).size,
      ...(Object.fromEntries(
        Object.entries(COUNTED).map(([name, query]) => [name, db.prepare(query).pluck().get()]),
      ) as Record<keyof typeof COUNTED, number>),
      last_write_utc: db
        .prepare("SELECT coalesce((SELECT at_utc FROM changes ORDER BY seq DESC LIMIT 1), '')")
        .pluck()
        .get() as string,
    }
  } finally {
    db.close()
  }
}
