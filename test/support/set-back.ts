import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type Database from 'better-sqlite3'
import type { App } from '../../src/app.ts'

/** Tables that no test writes to, and what SQLite keeps of its own. */
const OWN = /^(migrations|sqlite_(?!sequence))/
/** The tables of a full-text search have shadows, which are emptied with them. */
const isSearch = (sql: string | null) => /^CREATE VIRTUAL TABLE/i.test(sql ?? '')

/**
 * Remembers what an application on a database in memory has stored, and gives what sets it back to that: rows of all tables, and files of
 * pictures. What it keeps in memory sees another history of changes, as after a backup was restored, and reads anew. Numbers of changes
 * go on, so that none is used twice. Gives false if that can not be: the application was closed; it listened, which leaves connections and
 * jobs behind; its tables have others or triggers beside them, or limits;
 * a part of the store was replaced;
 * rows were written past the store, which no change tells of; or it keeps numbers of words, which only grow.
 */
export function openSetBack({ store, server, log }: App, mediaDir?: string) {
  const db = (store.db.read as unknown as { $client: Database.Database }).$client
  const all = db.prepare<[], { name: string; sql: string | null }>(
    "select name, sql from sqlite_master where type = 'table'",
  )
  const found = all.all().filter(({ name }) => !OWN.test(name))
  const searches = found.filter(({ sql }) => isSearch(sql)).map(({ name }) => name)
  const isShadow = (name: string) => searches.some((search) => name.startsWith(`${search}_`))
  const tables = found
    .map(({ name }) => name)
    .filter(
      (name) =>
        !searches.includes(name) && !isShadow(name) && !['sqlite_sequence', 'audit_gate'].includes(name),
    )

  const rowsOf = (name: string) => db.prepare(`select * from ${name}`).raw().all() as unknown[][]
  const filled = tables.flatMap((name) => {
    if (name === 'changes') return []
    const rows = rowsOf(name)
    const add = rows[0] && db.prepare(`insert into ${name} values (${rows[0].map(() => '?')})`)
    return add ? [() => rows.forEach((row) => void add.run(...row))] : []
  })
  const numbers = db.prepare('select name, seq from sqlite_sequence').raw().all() as [string, number][]

  const changed = tables.map((name) => ({
    isFilled: db.prepare(`select exists (select 1 from ${name})`).pluck(),
    empty: db.prepare(`delete from ${name}`),
  }))
  const emptied = searches.map((name) => db.prepare(`insert into ${name}(${name}) values ('delete-all')`))
  const last = db.prepare("select coalesce(max(seq), 0) from sqlite_sequence where name = 'changes'").pluck()
  const forgetNumbers = db.prepare('delete from sqlite_sequence')
  const number = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
  const openGate = db.prepare('insert into audit_gate values (1)')
  const closeGate = db.prepare('delete from audit_gate')

  function rows() {
    db.pragma('defer_foreign_keys = ON')
    const seq = last.get() as number
    openGate.run()
    for (const { isFilled, empty } of changed) if (isFilled.get()) empty.run()
    for (const search of emptied) search.run()
    for (const fill of filled) fill()
    closeGate.run()
    forgetNumbers.run()
    for (const [name, seq] of numbers) if (name !== 'changes') number.run(name, seq)
    number.run('changes', seq + 1)
  }

  let hasListened = false
  server.once('listening', () => {
    hasListened = true
  })
  const schema = () => [
    ...['schema_version', 'max_page_count', 'query_only', 'foreign_keys'].map((name) =>
      db.pragma(name, { simple: true }),
    ),
    db.prepare('select count(*) from sqlite_temp_master').pluck().get(),
  ]
  const before = schema()
  /** What tests may put others in the place of. */
  const parts = () => [log, ...Object.values(store)].flatMap((part) => Object.values(part))
  const made = parts()
  const isReplaced = () => parts().some((part, at) => typeof made[at] === 'function' && part !== made[at])
  let began = last.get()
  const written = db.prepare('select exists (select 1 from posts) or exists (select 1 from terms)').pluck()
  const isIndexed = db.prepare('select exists (select 1 from words)').pluck()
  return async () => {
    if (hasListened || !db.open) return false
    await store.db.idle()
    const isPast = last.get() === began && written.get()
    if (isIndexed.get() || isPast || isReplaced() || !isDeepStrictEqual(schema(), before)) return false
    await store.db.write(async () => rows())
    store.changes.latest()
    began = last.get()
    if (mediaDir !== undefined) removeFiles(mediaDir)
    return true
  }
}

/** Leaves the folders, of which some applications know that they are there. */
function removeFiles(folder: string) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) rmSync(join(entry.parentPath, entry.name))
}
