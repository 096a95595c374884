import type { AuditCode } from '../schemas/audit-codes.ts'
import type { Share } from './calendar/media/folder.ts'
import { findMarkerInTruth, noteInTruth } from './features/nodes/direct.ts'
import { positionOf } from './features/nodes/log-position.ts'
import { openReplica } from './features/nodes/node.ts'
import { openSharedFiles } from './features/nodes/pictures.ts'
import { addressOf } from './features/nodes/session.ts'
import type { NodeLog } from './features/nodes/status.ts'
import { type Actor, type Details, record } from './kernel/access/audit-log.ts'
import { type Db, type Durability, openDb } from './kernel/database/db.ts'
import { connectTo, unusable } from './kernel/database/file.ts'
import { isEarlier, MIGRATIONS } from './kernel/database/migrations.ts'

/** Which database, and how it is written to. */
type Location = {
  database: string
  durability: Durability
  postgres: string | undefined
  logDays: number
  host: string
  port: number
}

/**
 * Opens the configured database to read and write: the file, or the copy of what PostgreSQL keeps. With `log`, a copy follows what
 * other nodes write.
 */
export async function openDatabase(location: Location, log?: NodeLog, machine = Date.now): Promise<Db> {
  const { database, durability, postgres, logDays } = location
  if (postgres === undefined) return mustBeOwn(openDb(database, { durability }), database)
  return openReplica({ url: postgres, file: database, logDays, address: addressOf(location), machine }, log)
}

/** Where the nodes keep the files of pictures for each other; undefined if there is one node, whose folder has them all. */
export const openShare = ({ postgres }: Pick<Location, 'postgres'>): Share | undefined =>
  postgres === undefined ? undefined : openSharedFiles(postgres)

/** Opens the configured database beside the process that writes to it. */
export function openBeside({ database, durability, postgres }: Location): Db {
  const db = openDb(database, { durability })
  return postgres === undefined
    ? db
    : { ...db, fresh: async () => 1, findMarkerInTruth: (id) => findMarkerInTruth(postgres, id) }
}
/** The database, unless it is the copy of a node: what is written to that is lost. */
export function mustBeOwn(db: Db, database: string): Db {
  if (!positionOf(db.read)) return db
  db.close()
  throw unusable(
    database,
    'is the copy of a node, and PostgreSQL keeps the truth; set DATABASE to its URL, or make a database of its own: `almanac backup` there',
  )
}

/** Where a calendar is: in PostgreSQL if there is a URL, else in a file. */
export type Place = { url?: string | undefined; file?: string | undefined }

/** Tells the audit log of a calendar what a command did with all of it. A file of an earlier version has no such log yet, and is left alone. */
export async function noteAt({ url, file }: Place, by: Actor, code: AuditCode, details: Details) {
  if (url !== undefined) return noteInTruth(url, by, code, details)
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
