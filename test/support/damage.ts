import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import type { Test } from 'tap'
import { documents, listings, posts } from '../../drizzle/tables.ts'
import { checkWords } from '../../src/calendar/check/words.ts'
import { saveDocument } from '../../src/calendar/records/derived.ts'
import type { Db, Queries } from '../../src/kernel/database/db.ts'
import type { Site } from '../../src/kernel/site.ts'
import { must } from './answers.ts'
import { EVENT } from './given.ts'
import type { Records } from './store.ts'

type Derived = {
  documents: Map<number, unknown>
  listings: Map<number, unknown>
}

/** What the store keeps beside the tables that say it: by record. */
async function readDerived(tx: Queries): Promise<Derived> {
  return {
    documents: new Map((await tx.select().from(documents)).map((row) => [row.post_id, row])),
    listings: new Map((await tx.select().from(listings)).map((row) => [row.event_id, row])),
  }
}

const COUNTED = sql`select count(*) from links join posts on posts.id = links.event_id and posts.status = 'publish' and posts.kind = 'event' where links.kind = terms.taxonomy and links.target_id = terms.id`

/** Thrown so that nothing of the rebuild remains. */
const UNDONE = new Error('undone')

/** What of the derived data (documents, rows of lists, counts, the index of words) differs from a rebuild from scratch; nothing is changed. */
export async function findDifferences(db: Db, site: Site): Promise<string[]> {
  const found: string[] = []
  const look = async (tx: Queries) => {
    for (const [name, count, right] of tx.values<[string, number, number]>(
      sql`select name, count, (${COUNTED}) from terms where count <> (${COUNTED})`,
    ))
      found.push(`the count of "${name}" is ${count}, not ${right}`)
    const stored = await readDerived(tx)
    for (const table of [documents, listings]) await tx.delete(table)
    for (const post of await tx.select().from(posts)) await saveDocument(tx, site, { post })
    const rebuilt = await readDerived(tx)
    for (const part of ['documents', 'listings'] as const)
      for (const id of new Set([...stored[part].keys(), ...rebuilt[part].keys()]))
        if (!isDeepStrictEqual(stored[part].get(id), rebuilt[part].get(id)))
          found.push(
            `${part} of ${id} differ: ${print(stored[part].get(id))} not ${print(rebuilt[part].get(id))}`,
          )
    throw UNDONE
  }
  await db.write(look).catch((error) => {
    if (error !== UNDONE) throw error
  })
  for (const { what } of (await checkWords(db)).differences) found.push(what)
  return found
}

const print = (row: unknown) =>
  JSON.stringify(row, (_, value) => (value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value))

/** What SQLite itself finds wrong with the file. */
export function findDamage(db: Db): string[] {
  const integrity = db.read.values<[string]>(sql`pragma integrity_check`).map(([text]) => text)
  const nowhere = db.read.values(sql`pragma foreign_key_check`).map((row) => `points nowhere: ${row}`)
  return [...integrity.filter((text) => text !== 'ok'), ...nowhere]
}

/** Changes a file behind the program's back. */
export function tamper(file: string, query: string) {
  const db = new Database(file)
  db.pragma('foreign_keys = OFF')
  db.exec(query)
  db.close()
}

/** Records of every kind: event 2 at venue 1 by organizer 3, protected event 4, series 5 and its dates. */
export async function fillWithKinds({ editor }: Records) {
  await must(editor.create('venue', { venue: 'Hall', city: 'Vic' }))
  await must(
    editor.create('event', {
      ...{ ...EVENT, title: '"Quoted" \\ {[}]', venue: 1, organizer: { organizer: 'Choir' } },
      ...{ categories: ['Music'], tags: ['late'], website: 'https://a.test/' },
    }),
  )
  await must(editor.create('event', { ...EVENT, title: 'Locked', password: 'hush', venue: 1 }))
  await must(editor.create('event', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
}

/** A disk of so many megabytes, which `fill` fills to the last byte and `free` empties again; a sentence where none can be had. */
export function openSmallDisk(t: Pick<Test, 'teardown'>, megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'almanac-test', folder], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return `a small disk needs the right to mount one: ${(error as Error).message.trim()}`
  }
  t.teardown(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const handle = openSync(filler, 'a')
      try {
        for (let size = 65_536; size >= 1; )
          try {
            writeSync(handle, Buffer.alloc(size))
          } catch {
            size = Math.floor(size / 2)
          }
      } finally {
        closeSync(handle)
      }
    },
    free: () => rmSync(filler),
  }
}
