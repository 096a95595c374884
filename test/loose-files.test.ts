import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { loose_files } from '../drizzle/tables.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { noteLoose } from '../src/store/records/files.ts'
import { build } from './support/app.ts'
import { must } from './support/events.ts'
import { draw, filesOf, raw } from './support/pictures.ts'
import { openFile } from './support/process.ts'

t.test('a picture whose file is lost keeps its name, and the next of that name gets another', async (t) => {
  const { author } = await build(t)
  const png = await draw(400, 300)
  const first = await must(author.post('/media', png, raw('twice.png')))
  for (const file of filesOf(t)) unlinkSync(join(t.testdirName, 'media', file))
  const second = await must(author.post('/media', png, raw('twice.png')))
  t.match([first.url, second.url], [/twice\.png$/, /twice-1\.png$/])
  const foreign = join(t.testdirName, 'media/2026/11/twice-2.png')
  writeFileSync(foreign, 'x')
  const third = await must(author.post('/media', png, raw('twice.png')))
  t.match(third.url, /twice-3\.png$/, 'a file that is there is never written over')
  t.equal(readFileSync(foreign, 'utf8'), 'x')
})

t.test('uploads at the same moment get names of their own, and no note is left', async (t) => {
  const { author, app } = await build(t)
  const png = await draw(20, 20)
  const made = await Promise.all(
    Array.from({ length: 5 }, () => must(author.post('/media', png, raw('a.png')))),
  )
  t.equal(new Set(made.map(({ url }) => url)).size, 5)
  await must(author.delete(`/media/${made[0].id}`))
  t.equal(filesOf(t).length, 4)
  t.same(await app.store.db.read.select().from(loose_files), [])
})

t.test('files are deleted under their note alone: what took their names since is left', async (t) => {
  const { app } = await build(t)
  const { files } = app.store.media
  const deleted: string[][] = []
  const unlink = (names: string[]) => deleted.push(names) > 0
  const first = (await files.claim(['2026/11/a.png']))!
  t.equal(await files.remove(first, unlink), true)
  const second = (await files.claim(['2026/11/a.png']))!
  t.equal(await files.remove(first, unlink), true)
  t.same(deleted, [['2026/11/a.png']])
  t.equal(await files.remove(second, () => false), false)
  t.equal(await files.claim(['2026/11/a.png']), undefined, 'a file that stays keeps its name')
})

/** A database and a folder of pictures as a process left them that was killed. */
function leave(t: Test) {
  const dir = t.testdir()
  const file = join(dir, 'a.db')
  const mediaDir = join(dir, 'media')
  mkdirSync(join(mediaDir, '2026/11'), { recursive: true })
  const write = (name: string) => writeFileSync(join(mediaDir, name), 'x')
  const start = () =>
    buildApp({ config: readConfig({ DATABASE: file, MEDIA_DIR: mediaDir, MAX_DELAY: '0' }) })
  return { file, mediaDir, write, start, has: (name: string) => existsSync(join(mediaDir, name)) }
}

t.test('the next start deletes what a killed process left behind, and nothing else', async (t) => {
  const { file, write, start, has } = leave(t)
  const store = openFile(file)
  await store.media.files.claim(['2026/11/half.png', '2026/11/half-150x150.png'])
  await store.db.write((tx) =>
    noteLoose(tx, ['2026/11/deleted.png', '../a.db', '2026/11/../../a.db'], true, 0),
  )
  store.db.close()
  for (const name of ['2026/11/half.png', '2026/11/deleted.png', '2026/11/foreign.png', 'readme.txt'])
    write(name)
  const app = await start()
  t.notOk(has('2026/11/half.png'))
  t.notOk(has('2026/11/deleted.png'))
  t.ok(has('2026/11/foreign.png') && has('readme.txt') && existsSync(file), 'what no note names stays')
  t.same(await app.store.db.read.select().from(loose_files), [])
  await app.close()
})

t.test('a start keeps the note of what can not be deleted, and goes on', async (t) => {
  const { file, mediaDir, start } = leave(t)
  const store = openFile(file)
  const id = await store.media.files.claim(['2026/11/folder.png'])
  store.db.close()
  mkdirSync(join(mediaDir, '2026/11/folder.png/in'), { recursive: true })
  const app = await start()
  t.match(await app.store.db.read.select().from(loose_files), [{ id, given_up: true }])
  await app.close()
})

t.test('an upload that another process gave up fails, and its files are never those of a row', async (t) => {
  const { app, credentials } = await build(t)
  const { media, db } = app.store
  const names = ['2026/11/a.png']
  const loose = (await media.files.claim(names))!
  t.equal(await media.files.claim(names), undefined, 'a name that is noted is taken')
  t.match(await media.files.giveUp(), [{ id: loose, names, given_up: true }])
  t.equal(await media.files.claim(names), undefined, 'also while its files are being deleted')
  const picture = { file: names[0]!, mime_type: 'image/png', extension: 'png', width: 1, height: 1 }
  const row = { ...picture, filesize: 1, sizes: {}, origin_url: null, loose }
  await t.rejects(media.create(row, { ...credentials.author, role: 'author' }), { code: 'rest_not_ready' })
  t.equal((await media.list({ page: 1, per_page: 9 })).total, 0)
  await media.files.forget(loose)
  await t.rejects(media.create(row, { ...credentials.author, role: 'author' }), { code: 'rest_not_ready' })
  t.same(await db.read.select().from(loose_files), [])
})

t.test('a start goes on where what was left behind can not be deleted', async (t) => {
  const { file, write, start, has } = leave(t)
  const store = openFile(file)
  await store.media.files.claim(['2026/11/half.png'])
  store.db.read.run(
    sql`create trigger no_update before update on loose_files begin select raise(abort, 'no'); end`,
  )
  store.db.close()
  write('2026/11/half.png')
  const app = await start()
  t.ok(has('2026/11/half.png'))
  t.equal((await app.inject('/healthz')).statusCode, 200)
  await app.close()
})
