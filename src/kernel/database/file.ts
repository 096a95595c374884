import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'

/** Modes of files and folders for the user of the service only. The umask can remove permissions, but not add any. */
export const PRIVATE = { file: 0o600, folder: 0o700 }

/** Modes of files and folders that the group may also read: images, for a web server that serves their folder. */
export const SHARED = { file: 0o640, folder: 0o750 }

/** The file beside the database that holds the password of the first user until its operator deletes it. */
export const FIRST_PASSWORD = 'first-password'

/** The error about an unusable database: one line for the operator. */
export const unusable = (file: string, why: string) =>
  Object.assign(new Error(`${file}: ${why}`), { unusable: true })

export const APPLICATION_ID = 0x414c4d4e // "ALMN"

const READ_ONLY = 'is read-only; Almanac needs to write to it and its folder'
const BUSY = 'is in use by another process, which upgrades or restores it; try again when it has ended'
const FULL = 'can not be written, because the disk is full; free some space'
const NO_ACCESS = 'can not be opened; check the path, and that the file and its folder are writable'

/** What is wrong with a database, after a code of SQLite or of the system, and what to do about it; undefined for other errors. */
export function reasonOf({ code = '' }: { code?: string }): string | undefined {
  if (code === 'SQLITE_NOTADB') return 'is not an SQLite database'
  if (code.startsWith('SQLITE_CORRUPT')) return 'is damaged; restore a backup'
  if (code.startsWith('SQLITE_READONLY')) return READ_ONLY
  if (code.startsWith('SQLITE_IOERR')) return `can not be read (${code}); check the path and the disk`
  if (code.startsWith('SQLITE_BUSY')) return BUSY
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return FULL
  return code.startsWith('SQLITE_CANTOPEN') || /^E[A-Z]+$/.test(code) ? NO_ACCESS : undefined
}

/** Explains a failure to open or to write a database to the operator. */
export function explain(error: Error & { code?: string }, file: string): Error {
  const reason = reasonOf(error)
  return reason === undefined ? error : unusable(file, reason)
}

/** Tells the operator that the disk of a database is full. */
export const noRoom = (file: string): Error => unusable(file, FULL)

/**
 * A connection to a file. Where the disk has no room for the index that SQLite makes beside a database which nobody has open, the connection
 * keeps it in memory, and then no other one can be opened beside it (`isAlone`).
 */
export function connectTo(file: string, options: Database.Options = {}): Database.Database {
  const db = new Database(file, options)
  try {
    db.pragma('schema_version')
    return db
  } catch (error) {
    db.close()
    if (!/^SQLITE_(IOERR_SHM|FULL)/.test((error as { code: string }).code)) throw error
    const own = new Database(file)
    own.pragma('locking_mode = EXCLUSIVE') // before the first access, so that SQLite makes no file beside it
    return own
  }
}
export const isAlone = (db: Database.Database) => db.pragma('locking_mode', { simple: true }) === 'exclusive'

/** Throws if the database belongs to another program, before anything is written to it. */
export function checkOurs(db: Database.Database, file: string) {
  const tables = db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number
  if (tables > 0 && db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(file, 'is a database of another program')
}

/**
 * Runs `work` on a connection that no other process can have the database open beside. A running service keeps in memory what `work`
 * changes, and programs of earlier versions would go on writing as they know it. Throws `unusable` if another one has it open.
 */
export function alone<T>(file: string, work: (db: Database.Database) => T): T {
  const db = openAlone(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** A connection that no other process can have the database open beside, until it is closed. Throws `unusable` if another one has. */
export function openAlone(file: string): Database.Database {
  const db = new Database(file, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE') // before the first access, so that SQLite takes the lock with it
    db.pragma('journal_mode = WAL')
    db.exec('BEGIN IMMEDIATE; COMMIT')
    return db
  } catch (error) {
    db.close()
    if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error
    throw unusable(
      file,
      'is in use; stop the service, and whatever else has it open, then try again. Nothing was changed in it',
    )
  }
}

/** Flushes a file, or the names in a folder, to disk. */
export function sync(path: string) {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/**
 * Creates a missing file with its folder, which other users can not read. SQLite uses it as a new database, and gives the same mode
 * to its log. An existing file is not opened, because closing it would release the locks that this process has on it.
 */
export function claim(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE.folder })
  try {
    closeSync(openSync(file, 'wx', PRIVATE.file))
  } catch {
    // it exists, or SQLite will report the error
  }
}

/** The database and the files beside it that users other than their owner have any permission for, each with its mode. */
export const exposed = (database: string): [file: string, mode: string][] =>
  [database, `${database}-wal`, `${database}-shm`, join(dirname(database), FIRST_PASSWORD)]
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const mode = exposureOf(file)
      return mode === undefined ? [] : [[file, mode]]
    })

/** The mode of a file as for chmod, if users other than its owner have any permission. Windows has no modes. */
export function exposureOf(file: string, platform = process.platform): string | undefined {
  if (platform === 'win32') return undefined
  const mode = statSync(file).mode & 0o777
  return mode & 0o077 ? mode.toString(8) : undefined
}

/** Milliseconds between two tries. */
const EVERY = 100

const is = (codes: RegExp) => (error: unknown) => codes.test(String((error as { code?: string }).code))
const isBusy = is(/^SQLITE_BUSY/)
const isUnwritable = is(/^SQLITE_(READONLY|CANTOPEN|FULL|IOERR)/)

/** The locks of this process: one that nothing refers to would be closed with the garbage. */
const held = new Set<Database.Database>()

/** Holds the lock, if nobody does, and writes down who does. Throws SQLITE_BUSY. */
function acquire(lock: Database.Database) {
  lock.exec('BEGIN IMMEDIATE')
  try {
    lock.exec('CREATE TABLE IF NOT EXISTS holder (pid, host, since_utc); DELETE FROM holder')
    lock.prepare("INSERT INTO holder VALUES (?, ?, datetime('now'))").run(process.pid, hostname())
    lock.exec('COMMIT')
  } catch {
    // the name is for people alone: on a full disk there is none
    if (lock.inTransaction) lock.exec('ROLLBACK')
  }
  lock.exec('BEGIN IMMEDIATE')
}

/** Who holds the lock, in words. */
function holderOf(lock: Database.Database): string {
  try {
    const { pid, host, since_utc } = lock.prepare('SELECT * FROM holder').get() as Record<string, string>
    return `process ${pid} on ${host} since ${since_utc} UTC`
  } catch {
    return 'another process'
  }
}

/**
 * Makes this process the only service on its database, until it ends: two would tell each webhook, mail and mirror twice. The lock is that of
 * the system on a file beside the database, so it is free as soon as its holder has ended, however that was. A service that is stopping
 * gets `stopTimeout` seconds. Then it throws `unusable`, which names the holder. Commands and backups take no part in this. Returns what frees it.
 */
export async function lockDatabase(
  { database, stopTimeout }: { database: string; stopTimeout: number },
  { print }: { print(text: string): void },
): Promise<() => void> {
  if (database === ':memory:') return () => {}
  const file = `${database}.lock`
  let lock: Database.Database
  try {
    claim(file)
    lock = new Database(file, { timeout: 0 })
  } catch {
    return () => {} // where no file can be made, the database says why it can not be opened
  }
  const end = performance.now() + stopTimeout * 1_000
  for (let isReported = false; ; isReported = true) {
    try {
      acquire(lock)
      held.add(lock)
      return () => {
        held.delete(lock)
        lock.close()
      }
    } catch (error) {
      if (isUnwritable(error)) return () => lock.close() // and neither can the database be written to
      if (!isBusy(error)) {
        lock.close()
        throw explain(error as Error, file)
      }
      const holder = holderOf(lock)
      if (performance.now() >= end) {
        lock.close()
        throw unusable(
          database,
          `is served by ${holder}; stop that one, or give this one another DATABASE. Several processes of one service are WORKERS`,
        )
      }
      if (!isReported)
        print(`${database} is served by ${holder}; waiting up to ${stopTimeout} s for its end.\n`)
    }
    await wait(EVERY)
  }
}
