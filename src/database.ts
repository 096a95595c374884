import type { AuditCode } from '../schemas/audit-codes.ts'
import type { Config } from './calendar/config.ts'
import type { Share } from './calendar/media/folder.ts'
import type { DatabaseLog, SharedDatabase } from './features/host.ts'
import { FEATURES } from './features.ts'
import { type Actor, type Details, record } from './kernel/access/audit-log.ts'
import { type Db, openDb } from './kernel/database/db.ts'
import { connectTo, unusable } from './kernel/database/file.ts'
import { isEarlier, MIGRATIONS } from './kernel/database/migrations.ts'
import { redacted } from './kernel/settings.ts'

/** How a database is opened that several machines may share. */
type Opening = {
  /** Where operators read of a copy, which follows what others write then. */
  log?: DatabaseLog
  /** The clock of this machine, in Unix milliseconds. */
  machine?: () => number
  features?: typeof FEATURES
}

/** What opens and keeps the calendar at a URL. Throws `unusable` if none of the features does. */
export function sharedAt(url: string, features = FEATURES): SharedDatabase {
  const found = features.find(({ sharedDatabase }) => sharedDatabase)
  if (found) return found.sharedDatabase!
  throw unusable(
    redacted(url),
    'is no file, and this service lacks the feature "nodes", which knows PostgreSQL; set DATABASE to the path of a file',
  )
}

/** Opens the configured database to read and write: the file, or the copy of what PostgreSQL keeps. */
export async function openDatabase(
  config: Config,
  { log, machine = Date.now, features }: Opening = {},
): Promise<Db> {
  const { database: file, durability, postgres: url } = config
  if (url === undefined) return mustBeOwn(openDb(file, { durability }), file)
  return sharedAt(url, features).open({ url, file }, config, machine, log)
}

/** Where the nodes keep the files of pictures for each other; undefined if there is one node, whose folder has them all. */
export const openShare = (
  { postgres }: Pick<Config, 'postgres'>,
  features?: typeof FEATURES,
): Share | undefined =>
  postgres === undefined ? undefined : sharedAt(postgres, features).openShare(postgres)

/** Opens the configured database beside the process that writes to it. */
export function openBeside({ database, durability, postgres }: Config, features?: typeof FEATURES): Db {
  const db = openDb(database, { durability })
  return postgres === undefined ? db : { ...db, ...sharedAt(postgres, features).openBeside(postgres) }
}

/** The database, unless it is the copy of a node: what is written to that is lost. */
export function mustBeOwn(db: Db, database: string): Db {
  if (db.rows('SELECT 1 FROM replica').length === 0) return db
  db.close()
  throw unusable(
    database,
    'is the copy of a node, and PostgreSQL keeps the truth; set DATABASE to its URL, or make a database of its own: `almanac backup` there',
  )
}

/** A log for a database that is opened before its service has one: lines are kept until `open` gives one. */
export function openEarlyLog(): DatabaseLog & { open(log: DatabaseLog): void } {
  let log: DatabaseLog | undefined
  const waiting: ((log: DatabaseLog) => void)[] = []
  const write = (line: (log: DatabaseLog) => void) => void (log ? line(log) : waiting.push(line))
  return {
    warn: (what, message) => write((log) => log.warn(what, message)),
    error: (what, message) => write((log) => log.error(what, message)),
    open(opened) {
      log = opened
      for (const line of waiting.splice(0)) line(opened)
    },
  }
}

/** Where a calendar is: in PostgreSQL if there is a URL, else in a file. */
export type Place = { url?: string | undefined; file?: string | undefined }

/** Tells the audit log of a calendar what a command did with all of it. A file of an earlier version has no such log yet, and is left alone. */
export async function noteAt({ url, file }: Place, by: Actor, code: AuditCode, details: Details) {
  if (url !== undefined) return sharedAt(url).note(url, by, code, details)
  if (!isCurrent(file!)) return
  const db = openDb(file!)
  try {
    await db.write((tx) => record({ tx, site: { clock: Date.now }, by }, code, undefined, details))
  } finally {
    db.close()
  }
}

function isCurrent(file: string): boolean {
  const db = connectTo(file, { readonly: true })
  try {
    return !isEarlier(db, MIGRATIONS)
  } finally {
    db.close()
  }
}
