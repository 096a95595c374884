import { statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { prepare } from '../src/commands/prepare.ts'
import { readConfig } from '../src/config.ts'
import { readMigrations } from '../src/kernel/database/migrations.ts'
import { load } from '../test/support/earlier.ts'
import { temporaryFolder } from './data.ts'

// `npm run bench:upgrade [events]`: how long the first start takes on a database of the very first version.
const events = Number(process.argv[2] ?? 100_000)
const file = join(temporaryFolder(), 'a.db')
const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Copies the events of the fixture until there are enough of them. */
function multiply() {
  const db = new Database(file)
  const ids = db.prepare("SELECT id FROM posts WHERE kind = 'event'").pluck().all() as number[]
  const copies = Math.ceil(events / ids.length) - 1
  const columnsOf = (table: string) =>
    (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
  db.transaction(() => {
    for (const [table, key] of [
      ['posts', 'id'],
      ['events', 'post_id'],
      ['documents', 'post_id'],
      ['listings', 'event_id'],
      ['links', 'event_id'],
    ] as const) {
      const values = columnsOf(table).map((name) => {
        if (name === key) return `${key} + 100 * at`
        return table === 'posts' && name === 'slug' ? "slug || '-' || at" : `"${name}"`
      })
      db.exec(`WITH RECURSIVE copies (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM copies WHERE at < ${copies})
        INSERT INTO ${table} SELECT ${values} FROM ${table}, copies WHERE ${key} IN (${ids})`)
    }
  })()
  db.close()
}

const [first] = readMigrations()
load(file, first!.tag)
multiply()
say(
  `${cpus()[0]!.model}, Node.js ${process.version}: ${events.toLocaleString('en')} events, ${first!.tag}, ${size()}`,
)
let last = performance.now()
const began = last
await prepare(
  readConfig({ DATABASE: file, TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', LANGUAGES: 'en,ca' }),
  {
    terminal: false,
    print(text) {
      const now = performance.now()
      say(`${((now - last) / 1000).toFixed(1).padStart(6)} s  until: ${text.trim().replace(file, 'a.db')}`)
      last = now
    },
  },
)
say(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  in all; ${size()} afterwards`)

function size() {
  return `${Math.round(statSync(file).size / 1_000_000)} MB`
}
