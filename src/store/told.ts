import Database from 'better-sqlite3'
import type { AuditCode } from '../../schemas/audit-codes.ts'
import { type Actor, type Details, record } from './changes/audit.ts'
import { noteThere } from './postgres/log/audit.ts'
import { openDb } from './sqlite/db.ts'
import { isEarlier, MIGRATIONS } from './sqlite/migrations.ts'

/** Where a calendar is: in PostgreSQL if there is a URL, else in a file. */
export type Place = { url?: string | undefined; file?: string | undefined }

/** Tells the audit log of a calendar what a command did with all of it. A file of an earlier version has no such log yet, and is left alone. */
export async function noteAt({ url, file }: Place, by: Actor, code: AuditCode, details: Details) {
  if (url !== undefined) return noteThere(url, by, code, details)
  if (!isCurrent(file!)) return
  const db = openDb(file!)
  try {
    await db.write((tx) => record({ tx, site: { clock: Date.now }, by }, code, undefined, details))
  } finally {
    db.close()
  }
}

function isCurrent(file: string): boolean {
  const db = new Database(file, { readonly: true })
  try {
    return !isEarlier(db, MIGRATIONS)
  } finally {
    db.close()
  }
}
