import type Database from 'better-sqlite3'

/** A database that can't be used: one line for the operator. */
export const unusable = (file: string, why: string) =>
  Object.assign(new Error(`${file}: ${why}`), { unusable: true })

export const APPLICATION_ID = 0x414c4d4e // "ALMN"

const READ_ONLY = 'is read-only; Almanac needs to write to it and its folder'
const NO_ACCESS = 'can not be opened; check the path, and that the file and its folder are writable'

/** What a failure to open means to an operator. */
export function explain(error: Error & { code?: string }, file: string): Error {
  const code = error.code ?? ''
  if (code === 'SQLITE_NOTADB') return unusable(file, 'is not an SQLite database')
  if (code.startsWith('SQLITE_CORRUPT')) return unusable(file, 'is damaged; restore a backup')
  if (code.startsWith('SQLITE_READONLY')) return unusable(file, READ_ONLY)
  return code.startsWith('SQLITE_CANTOPEN') || /^E[A-Z]+$/.test(code) ? unusable(file, NO_ACCESS) : error
}

/** Throws before anything is written to a database that is not ours. */
export function checkOurs(db: Database.Database, file: string) {
  const tables = db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() as number
  if (tables > 0 && db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(file, 'is a database of another program')
}
