// Writes the fixture of the last migration: `npm run fixture`. With the folder of another version, that of its last migration.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrations } from '../../src/kernel/database/migrations.ts'
import { dump, EARLIER } from './earlier.ts'
import { freePort } from './ports.ts'
import { watch } from './process.ts'

const home = resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'almanac-fixture-'))
const port = await freePort()
const file = join(folder, 'a.db')
const env = {
  ...process.env,
  ...{ DATABASE: file, MEDIA_DIR: join(folder, 'media'), PORT: String(port), LOG_LEVEL: 'error' },
  ...{ TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', LANGUAGES: 'en,ca' },
}

const DAY = { start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' }
const RECORDS: [path: string, body: object][] = [
  ['categories', { name: 'Arts' }],
  ['categories', { name: 'Music', parent: 1 }],
  ['tags', { name: 'Open air' }],
  ['venues', { venue: 'Hall', address: 'Carrer Nou 1', city: 'Vic', geo_lat: 41.93, geo_lng: 2.25 }],
  ['organizers', { organizer: 'Choir', email: 'choir@example.org' }],
  [
    'events',
    {
      ...{ ...DAY, title: 'Concert — “Música”', description: '<p>Ünïcödé 音楽祭</p>', cost: '10' },
      ...{ categories: [2], tags: [3], venue: 1, organizer: 2, featured: true },
    },
  ],
  ['events', { ...DAY, title: 'Exhibition', end_date: '2027-02-01 18:00:00', cost: '$5 - $8', venue: 1 }],
  ['events', { ...DAY, title: 'Festival', all_day: true, timezone: 'America/New_York' }],
  ['events', { ...DAY, title: 'Members only', password: 'hush', description: 'A secret place', venue: 1 }],
  ['events', { ...DAY, title: 'Draft', status: 'draft' }],
  ['events', { ...DAY, title: 'Later', date: '2030-01-01 00:00:00' }],
  ['events', { ...DAY, title: 'Hidden', hide_from_listings: true }],
  ['events', { ...DAY, title: 'Cancelled' }],
]

function almanac(words: string[]) {
  const args = ['--import', 'tsx', join(home, 'src/main.ts'), ...words]
  const child = spawn(process.execPath, args, { cwd: home, env })
  return { child, ...watch(child) }
}

// a first start makes the database
const served = almanac(['serve'])
try {
  await served.said(/answers at/)
  const added = almanac(['user', 'add', 'maria', '--role', 'administrator'])
  await added.ended
  const [, password] = /: ((\w{4} ?){6})\n/.exec(added.output()) ?? []
  const authorization = `Basic ${btoa(`maria:${password}`)}`
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/calendar/events/v1/${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as { id: number }
  }
  for (const [path, body] of RECORDS) {
    const made = await send('POST', path, body)
    if ('title' in body && body.title === 'Cancelled') await send('DELETE', `events/${made.id}`)
  }
  served.child.kill('SIGTERM')
  await served.ended
  const { tag } = readMigrations(join(home, 'drizzle/migrations/')).at(-1)!
  mkdirSync(EARLIER, { recursive: true })
  writeFileSync(join(EARLIER, `${tag}.sql`), `-- Written by \`npm run fixture\`.\n${dump(file)}`)
  process.stdout.write(`${tag}\n`)
} finally {
  served.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
