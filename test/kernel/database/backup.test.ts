import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { openDb } from '../../../src/kernel/database/db.ts'
import { exposureOf } from '../../../src/kernel/database/file.ts'
import { warnAtStart } from '../../../src/run/serve.ts'
import { almanac } from '../../support/almanac.ts'
import { EVENT } from '../../support/given.ts'
import { draw, upload } from '../../support/pictures.ts'
import { seed } from '../../support/seed.ts'
import { openRecords } from '../../support/store.ts'

const count = (file: string) => {
  const db = new Database(file, { readonly: true })
  const found = db.prepare('SELECT count(*) FROM events').pluck().get() as number
  db.close()
  return found
}

t.test('a backup under a load of writes is one moment, whole, and comes back as it was', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const copy = join(t.testdirName, 'backups', 'copy.db')
  mkdirSync(join(t.testdirName, 'backups'))
  const calendar = await openRecords(t, { env: { DATABASE: file } })
  await seed(calendar)
  const description = 'x'.repeat(90_000)
  for (let at = 0; at < 100; at++) await calendar.editor.create('event', { ...EVENT, description })
  let acknowledged = count(file)
  let writing = true
  const load = (async () => {
    while (writing) {
      const { status } = await calendar.editor.create('event', { ...EVENT, description })
      if (status === 200) acknowledged++
    }
  })()
  const before = acknowledged
  const told = await almanac(file, ['backup', copy, '--json'])
  const after = acknowledged
  writing = false
  await load
  t.equal(told.code, 0, told.complained)
  const { events } = JSON.parse(told.printed)
  t.ok(after > before, 'writes went on')
  t.ok(events >= before && events <= after, `${before} <= ${events} <= ${after}`)
  t.equal(count(copy), events)
  t.strictSame(readdirSync(join(t.testdirName, 'backups')), ['copy.db'], 'one file')

  const busy = await almanac(file, ['restore', copy])
  t.strictSame(busy, {
    code: 1,
    printed: '',
    complained: `almanac: ${file}: is in use; stop the server, and whatever else has it open\n`,
  })
  calendar.store.db.close()
  t.equal(count(file), acknowledged)
  const restored = await almanac(file, ['restore', copy], true)
  t.equal(restored.code, 0, restored.complained)
  t.match(
    restored.printed,
    `${file} holds ${events} events, 1 venue, 2 organizers, last written at 2026-11-21 09:00:00 UTC, and was verified.\nThe previous database is ${file}.before-restore.\n`,
  )
  t.equal(count(file), events)
  t.equal(count(`${file}.before-restore`), acknowledged, 'nothing is lost')
  t.match(await almanac(file, ['check']), { code: 0 })
})

t.test('a backup overwrites nothing unless it is told to', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const copy = join(t.testdirName, 'copy.db')
  openDb(file).close()
  t.match(await almanac(file, ['backup', copy], true), {
    code: 0,
    printed: `${copy} holds 0 events, 0 venues, 0 organizers and was verified.\nImages are not included. Copy them now:\n  rsync -a ${t.testdirName}/media/ <folder>/\n`,
  })
  const refusals = [
    [['backup', copy], `${copy}: exists already; --force overwrites it`],
    [['backup', file, '--force'], `${file}: is the database itself`],
    [['restore', file], `${file}: is the database itself`],
    [['restore', join(t.testdirName, 'none.db')], `${join(t.testdirName, 'none.db')}: does not exist`],
    [
      ['backup', join(t.testdirName, 'backups', 'x.db')],
      `${join(t.testdirName, 'backups', 'x.db')}: the folder ${join(t.testdirName, 'backups')} does not exist; mount or create it first`,
    ],
    [
      ['backup', join(copy, 'x.db')],
      `${join(copy, 'x.db')}: can not be opened; check the path, and that the file and its folder are writable`,
    ],
  ] as const
  for (const [args, message] of refusals)
    t.strictSame(await almanac(file, [...args]), {
      code: 1,
      printed: '',
      complained: `almanac: ${message}\n`,
    })
  t.match(await almanac(file, ['backup', copy, '--force']), { code: 0 })
  t.match(await almanac(join(t.testdirName, 'none.db'), ['backup', copy, '--force']), {
    code: 1,
    complained: /none\.db: does not exist/,
  })
})

t.test('only a whole database of Almanac is restored, and none that is newer', async (t) => {
  const dir = t.testdir({ 'text.db': 'This is no database. '.repeat(100), 'empty.db': '' })
  const at = (name: string) => join(dir, name)
  new Database(at('foreign.db')).exec('CREATE TABLE theirs (id)').close()
  openDb(at('newer.db')).close()
  new Database(at('newer.db')).exec("INSERT INTO migrations (tag, at) VALUES ('9999_future', 1)").close()
  openDb(at('short.db')).close()
  truncateSync(at('short.db'), 4096 * 20)
  openDb(at('torn.db')).close()
  const torn = new Database(at('torn.db')).unsafeMode()
  torn.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'posts_kind_slug'").close()
  openDb(at('orphans.db')).close()
  const orphans = new Database(at('orphans.db'))
  orphans.pragma('foreign_keys = OFF')
  orphans
    .exec("INSERT INTO tokens (user_id, name, hash, scopes, created_utc) VALUES (99, '', '', '[]', '')")
    .close()
  openDb(at('a.db')).close()
  for (const [name, message] of [
    ['text.db', 'is not an SQLite database'],
    ['empty.db', 'is not a database of Almanac'],
    ['foreign.db', 'is not a database of Almanac'],
    ['newer.db', 'was written by a newer Almanac; start that version, or restore'],
    ['short.db', 'is damaged'],
    ['torn.db', 'is damaged: '],
    ['orphans.db', 'has 1 rows that point nowhere'],
  ]) {
    const { code, complained } = await almanac(at('a.db'), ['restore', at(name!)])
    t.equal(code, 1, name!)
    t.ok(complained.startsWith(`almanac: ${at(name!)}: ${message}`), complained)
  }
  t.notOk(existsSync(at('a.db.before-restore')), 'the database was not touched')
})

t.test('a backup that the service could not open replaces nothing', async (t) => {
  const dir = t.testdir({ media: {} })
  const [file, copy] = [join(dir, 'a.db'), join(dir, 'copy.db')]
  openDb(file).close()
  openDb(copy).close()
  const before = readFileSync(file)
  const whole = readFileSync(copy)
  const damage = (what: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(whole)
    what(bytes)
    writeFileSync(copy, bytes)
  }
  for (const [what, why] of [
    // the version that a program has to know to write (SQLite's file format, 1.3)
    [(bytes: Buffer) => bytes.writeUInt8(9, 18), /is read-only|can not be/],
    [(bytes: Buffer) => bytes.writeUInt8(9, 19), /can not be|is not/],
  ] as const) {
    damage(what)
    const told = await almanac(file, ['restore', copy])
    t.match(told, { code: 1, complained: /copy\.db: / })
    t.match(told.complained, why)
    t.ok(readFileSync(file).equals(before))
    t.same(
      readdirSync(dir).filter((name) => /restor/.test(name)),
      [],
    )
  }
  writeFileSync(copy, whole)
  const db = new Database(copy)
  db.exec('DROP TABLE venues; CREATE VIEW venues AS SELECT 1 AS id')
  db.close()
  const told = await almanac(file, ['restore', copy])
  t.match(told, { code: 1, complained: /copy\.db: .* lacks the table venues with/ })
  t.ok(readFileSync(file).equals(before), 'nor one without a table')
})

t.test('what a restore replaces is kept, whatever it is', async (t) => {
  const dir = t.testdir({})
  const at = (name: string) => join(dir, name)
  openDb(at('copy.db')).close()
  mkdirSync(at('new'))
  const fresh = at('new/deep/a.db')
  t.match(await almanac(fresh, ['restore', at('copy.db'), '--json']), { code: 0, printed: /"before":""/ })
  t.match(await almanac(fresh, ['restore', at('copy.db')]), { code: 0 })
  t.match(await almanac(fresh, ['restore', at('copy.db')]), {
    code: 1,
    complained: /before-restore: is there from the last time; move it away, or overwrite it with --force/,
  })
  t.match(await almanac(fresh, ['restore', at('copy.db'), '--force']), { code: 0 })

  writeFileSync(at('sick.db'), 'This was a database. '.repeat(500))
  writeFileSync(at('sick.db-wal'), 'and its log')
  t.match(await almanac(at('sick.db'), ['restore', at('copy.db')]), { code: 0 })
  t.match(
    readdirSync(dir).filter((name) => name.startsWith('sick.db.before')),
    ['sick.db.before-restore', 'sick.db.before-restore-shm', 'sick.db.before-restore-wal'],
  )
  t.match(await almanac(at('sick.db'), ['check']), { code: 0 })

  new Database(at('foreign.db')).exec('CREATE TABLE theirs (id)').close()
  t.match(await almanac(at('foreign.db'), ['restore', at('copy.db')]), {
    code: 1,
    complained: /foreign\.db: is not a database of Almanac/,
  })
})

const before = process.umask(0)
t.teardown(() => process.umask(before))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))

t.test('nobody else can read the database and what lies beside it, whatever the umask', async (t) => {
  const folder = join(t.testdir(), 'new', 'data')
  const { editor } = await openRecords(t, { env: { DATABASE: join(folder, 'a.db') } })
  await editor.create('event', EVENT)
  t.same(modesIn(folder), { 'a.db': '600', 'a.db-shm': '600', 'a.db-wal': '600' })
  t.same([modeOf(folder), modeOf(join(folder, '..'))], ['700', '700'])
})

t.test('nor its backups, and what a restore makes', async (t) => {
  const dir = t.testdir()
  const file = join(dir, 'data', 'a.db')
  const copy = join(dir, 'backups', 'copy.db')
  openDb(file).close()
  mkdirSync(join(dir, 'backups'))
  t.equal((await almanac(file, ['backup', copy])).code, 0)
  t.same(modesIn(join(dir, 'backups')), { 'copy.db': '600' })
  chmodSync(copy, 0o644)
  t.equal((await almanac(file, ['restore', copy])).code, 0)
  t.same(modesIn(join(dir, 'data')), { 'a.db': '600', 'a.db.before-restore': '600' })
  const other = join(dir, 'other', 'b.db')
  t.equal((await almanac(other, ['restore', copy])).code, 0)
  t.same([modesIn(join(dir, 'other')), modeOf(join(dir, 'other'))], [{ 'b.db': '600' }, '700'])
})

t.test('what a restore replaces is kept from others, also where it was open to them', async (t) => {
  const dir = t.testdir()
  const file = join(dir, 'a.db')
  const copy = join(dir, 'copy.db')
  openDb(file).close()
  t.equal((await almanac(file, ['backup', copy])).code, 0)
  chmodSync(file, 0o644)
  t.equal((await almanac(file, ['restore', copy])).code, 0)
  t.same(modesIn(dir), { 'a.db': '644', 'a.db.before-restore': '600', 'copy.db': '600' })
})

t.test('pictures can be read by the group, for a web server that serves their folder', async (t) => {
  const media = join(t.testdir(), 'media')
  t.ok(await upload(await openRecords(t), media, await draw(300, 300)))
  t.match(modesIn(media), { 2026: '750' })
  const folder = join(media, '2026', '11')
  t.equal(modeOf(folder), '750')
  const modes = Object.values(modesIn(folder))
  t.ok(modes.length > 1)
  t.same(new Set(modes), new Set(['640']))
})

t.test('a database that others can read is told of at the start, and left as it is', async (t) => {
  const file = join(t.testdir(), 'a.db')
  openDb(file).close()
  const told = () => {
    const lines: string[] = []
    warnAtStart(readConfig({ DATABASE: file }), { warn: (text: string) => lines.push(text) } as never)
    return lines
  }
  t.same(told(), [])
  for (const mode of [0o644, 0o640, 0o604]) {
    chmodSync(file, mode)
    t.match(told(), [new RegExp(`a\\.db has the mode ${mode.toString(8)}: .*chmod 600 it`)])
    t.equal(modeOf(file), mode.toString(8))
  }
  chmodSync(file, 0o600)
  for (const name of ['a.db-wal', 'a.db-shm', 'first-password'])
    writeFileSync(join(t.testdirName, name), '', { mode: 0o644 })
  t.match(
    told(),
    [/a\.db-wal has the mode 644/, /a\.db-shm has/, /first-password has/],
    'nor what lies beside it',
  )
  t.equal(exposureOf(file, 'win32'), undefined, 'modes mean nothing there')
})
