import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { readConfig } from '../src/config.ts'
import { withBar } from '../src/kernel/cli.ts'
import { openDb } from '../src/kernel/database/db.ts'
import { readMigrations } from '../src/kernel/database/migrations.ts'
import { DERIVATION, writeStoredSettings } from '../src/kernel/database/stored-settings.ts'
import { fill } from './seed/fill.ts'
import { type Sizes, sizesOf } from './seed/records.ts'

const FOLDER = process.env.BENCH_DATA ?? fileURLToPath(new URL('data/', import.meta.url))

/** Part of the names of data sets, another one when they have other data. */
const EDITION = 'words'

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

function removeDb(file: string) {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
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
