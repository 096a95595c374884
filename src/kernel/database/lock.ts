import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { claim, explain, unusable } from './file.ts'

/** Milliseconds between two tries. */
const EVERY = 100

const is = (codes: RegExp) => (error: unknown) => codes.test(String((error as { code?: string }).code))
const isBusy = is(/^SQLITE_BUSY/)
const isUnwritable = is(/^SQLITE_(READONLY|CANTOPEN|FULL|IOERR)/)

/** The locks of this process: one that nothing refers to would be closed with the garbage. */
const held = new Set<Database.Database>()

/** Holds the lock, if nobody does, and writes down who does. Throws SQLITE_BUSY. */
function take(lock: Database.Database) {
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
  for (let isTold = false; ; isTold = true) {
    try {
      take(lock)
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
      if (!isTold) print(`${database} is served by ${holder}; waiting up to ${stopTimeout} s for its end.\n`)
    }
    await wait(EVERY)
  }
}
