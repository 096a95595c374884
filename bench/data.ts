import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { getTableColumns, getTableName, is, sql, type Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as tables from '../drizzle/tables.ts'
import { packed } from '../src/calendar/formats/packed.ts'
import { deriveListing, renderDocument } from '../src/calendar/records/derived.ts'
import { toRefs } from '../src/calendar/records/rows.ts'
import { openMerging, saveSearch } from '../src/calendar/search/indexing.ts'
import { readConfig } from '../src/config.ts'
import { withBar } from '../src/kernel/cli.ts'
import { EVERYTHING } from '../src/kernel/database/changes.ts'
import { openDb, type Queries } from '../src/kernel/database/db.ts'
import { readMigrations } from '../src/kernel/database/migrations.ts'
import { DERIVATION, writeStoredSettings } from '../src/kernel/database/stored-settings.ts'
import { openRandom } from './seed/random.ts'
import { type Event, openRecords, type Sizes, sizesOf } from './seed/records.ts'

/** A database file in a folder: with so many events of the benchmarks' data, or with 0 a path at which there is none yet. */
export async function fileWith(events: number, folder: string): Promise<string> {
  const file = join(folder, 'a.db')
  if (events > 0) copyFileSync((await openData(events)).file, file)
  return file
}

const BATCH = 5_000

/** Fills an empty database whose tables are there: records as rows, and what is derived by the service's own functions. */
async function fill(file: string, sizes: Sizes, progress: (done: number, total: number) => void) {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  db.pragma('temp_store = MEMORY')
  db.pragma('cache_size = -1000000')
  const tx = drizzle(db, { schema: tables })
  const rows = openRows(db)
  const records = openRecords(sizes, openRandom(sizes.events))

  db.exec('begin')
  rows.users({ id: 1, login: 'bench', role: 'administrator', created_utc: '2026-11-20 00:00:00' })
  for (const term of records.terms()) rows.terms(term)
  for (let at = 0; at < sizes.venues; at++) {
    const { post, venue } = records.venue(at)
    rows.posts(post)
    rows.venues(venue)
    rows.documents(documentOf({ post, venue }))
  }
  for (let at = 0; at < sizes.organizers; at++) {
    const { post, organizer } = records.organizer(at)
    rows.posts(post)
    rows.organizers(organizer)
    rows.documents(documentOf({ post, organizer }))
  }
  for (let at = 0; at < sizes.events; at++) {
    const { post, event, links } = records.event(at)
    rows.posts(post)
    rows.events(event)
    for (const link of links) rows.links(link)
    derive(tx, rows, post, event, links)
    if (at % BATCH !== BATCH - 1) continue
    db.exec('commit; begin')
    progress(at + 1, sizes.events)
  }
  db.exec(
    'update terms set count = (select count(*) from links where kind = terms.taxonomy and target_id = terms.id)',
  )
  rows.changes({ kind: EVERYTHING, record_id: 0, operation: 'create', at_utc: '2026-11-20 00:00:00' })
  db.exec('commit')
  db.close()
  await indexTexts(file)
}

/** Brings all texts into the index of words, which a service does beside its requests. */
async function indexTexts(file: string) {
  const db = openDb(file, { durability: 'normal' })
  const { merge } = openMerging(db)
  while ((await merge()) > 0);
  await db.local(async (tx) => tx.run(sql`analyze`))
  db.close()
}

/** Everything that a write of an event derives from it: worked out as a write does, inserted without asking what was there. */
function derive(tx: Queries, rows: Rows, post: Event['post'], event: Event['event'], linked: Event['links']) {
  saveSearch(tx, post, undefined)
  rows.documents(documentOf({ post, event }, linked))
  rows.listings(deriveListing(post, event))
}

type Rendered = Pick<Parameters<typeof renderDocument>[0], 'post'> &
  Partial<Parameters<typeof renderDocument>[0]>
const documentOf = (record: Rendered, links: Event['links'] = []) => ({
  post_id: record.post.id,
  ...packed(
    renderDocument(
      { event: null, venue: null, organizer: null, image: null, ...record },
      toRefs(links.map(({ kind, target_id: id }) => ({ kind, id }))),
      { currency: 'USD' },
    ),
  ),
})

type Row = Record<string, unknown>
type Rows = Record<keyof typeof tables, (row: Row) => void>

/** Inserts rows into each table: what people wrote goes around the service's own writes, which check it. */
export const openRows = (db: Database.Database): Rows =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([name, table]) =>
      is(table, SQLiteTable) ? [[name, inserter(db, table)]] : [],
    ),
  ) as Rows

function inserter(db: Database.Database, table: Table) {
  const columns = Object.values(getTableColumns(table))
  const statement = db.prepare(
    `insert into ${getTableName(table)} (${columns.map((column) => column.name)}) values (${columns.map(() => '?')})`,
  )
  return (row: Row) => {
    statement.run(
      columns.map((column) => {
        const value = row[column.name] ?? column.default ?? null
        return value === null ? null : column.mapToDriverValue(value)
      }),
    )
  }
}

const FOLDER = process.env.BENCH_DATA ?? fileURLToPath(new URL('data/', import.meta.url))

/** Part of the names of data sets, another one when they have other data. */
const EDITION = 'packed'

export type DataSet = Sizes & { file: string }

/** A database with so many events, the same bytes of answers on every machine; made once and kept in `bench/data/` (or BENCH_DATA). */
export async function openData(events: number): Promise<DataSet> {
  const file = join(FOLDER, `${events}-${EDITION}.db`)
  const sizes = sizesOf(events)
  if (!existsSync(file)) await make(file, sizes)
  const db = new Database(file, { readonly: true })
  const applied = db.prepare('select count(*) from migrations').pluck().get()
  const isReady =
    applied === readMigrations().length && db.prepare('select count(*) from site').pluck().get() === 1
  db.close()
  if (!isReady) await bringUpToDate(file)
  return { file, ...sizes }
}

/** Its data is taken as what this program derives with the default settings, so that a start does not derive it again. */
async function bringUpToDate(file: string) {
  const db = openDb(file)
  await db.write((tx) => writeStoredSettings(tx, readConfig({}), DERIVATION))
  db.close()
}

async function make(file: string, sizes: Sizes) {
  mkdirSync(FOLDER, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  removeDb(unfinished)
  openDb(unfinished).close()
  const label = `Making ${sizes.events.toLocaleString('en')} events`
  await withBar({ terminal: process.stderr.isTTY }, label, (progress) => fill(unfinished, sizes, progress))
  await bringUpToDate(unfinished)
  renameSync(unfinished, file)
  removeDb(unfinished)
}

export function removeDb(file: string) {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

/** An empty folder for the time of a benchmark. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const copies = new Set<string>()
process.on('exit', () => copies.forEach(removeDb))
let made = 0
/** A copy to write into, gone when `remove` is called, or at the end. */
export function copyData({ file }: DataSet): { file: string; remove(): void } {
  const copy = join(FOLDER, `copy-${process.pid}-${++made}.db`)
  copies.add(copy)
  copyFileSync(file, copy)
  return {
    file: copy,
    remove() {
      removeDb(copy)
      copies.delete(copy)
    },
  }
}
