import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readConfig } from '../src/config.ts'
import { warnAtStart } from '../src/run/serve.ts'
import { openDb } from '../src/store/sqlite/db.ts'
import { exposureOf } from '../src/store/sqlite/file.ts'
import { almanac } from './support/almanac.ts'
import { build, EVENT } from './support/app.ts'
import { draw } from './support/pictures.ts'

const before = process.umask(0)
t.teardown(() => process.umask(before))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))

t.test('nobody else can read the database and what lies beside it, whatever the umask', async (t) => {
  const folder = join(t.testdir(), 'new', 'data')
  const api = await build(t, { env: { DATABASE: join(folder, 'a.db') } })
  await api.editor.post('/events', EVENT)
  t.same(modesIn(folder), { 'a.db': '600', 'a.db-shm': '600', 'a.db-wal': '600' })
  t.same([modeOf(folder), modeOf(join(folder, '..'))], ['700', '700'])
})

t.test('nor its backups, and what a restore makes', async (t) => {
  const dir = t.testdir()
  const file = join(dir, 'data', 'a.db')
  const copy = join(dir, 'backups', 'copy.db')
  openDb(file).close()
  t.equal((await almanac(file, ['backup', copy])).code, 0)
  t.same([modesIn(join(dir, 'backups')), modeOf(join(dir, 'backups'))], [{ 'copy.db': '600' }, '700'])
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
  const { author } = await build(t, { env: { MEDIA_DIR: media } })
  const headers = { 'content-type': 'image/png' }
  t.equal((await author.post('/media', await draw(300, 300), { headers })).status, 201)
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
  t.equal(exposureOf(file, 'win32'), undefined, 'modes mean nothing there')
})
