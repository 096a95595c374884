import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { loose_files, media } from '../../../drizzle/tables.ts'
import { buildApp } from '../../../src/app.ts'
import type { Difference } from '../../../src/calendar/check/derived.ts'
import { check, rebuild } from '../../../src/calendar/check/inspection.ts'
import { openMediaFolder } from '../../../src/calendar/media/folder.ts'
import { openPictures } from '../../../src/calendar/media/pictures.ts'
import { noteLooseFiles } from '../../../src/calendar/records/media.ts'
import { readConfig } from '../../../src/config.ts'
import { checkAtStart, serve } from '../../../src/run/serve.ts'
import { almanac } from '../../support/almanac.ts'
import { must } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { draw, filesOf, raw } from '../../support/pictures.ts'
import { openFile } from '../../support/process.ts'

t.test('a picture whose file is lost keeps its name, and the next of that name gets another', async (t) => {
  const { app, clock } = await build(t)
  const dir = join(t.testdirName, 'media')
  const chances = ['1', '1', '2', '3', '4']
  const pictures = openPictures(app.store.media, {
    ...{ folder: openMediaFolder(dir), base: 'http://calendar.test', clock: () => clock.now },
    ...{ nameOf: () => chances.shift()!, download: { allow: [], userAgent: '' } },
  })
  const png = await draw(400, 300)
  const first = await pictures.upload(png, 'twice.png', 'somebody')
  for (const file of filesOf(t)) unlinkSync(join(dir, file))
  const second = await pictures.upload(png, 'twice.png', 'somebody')
  t.same([first.file, second.file], ['2026/11/twice-1.png', '2026/11/twice-2.png'])
  const foreign = join(dir, '2026/11/twice-3.png')
  writeFileSync(foreign, 'x')
  t.match(
    await pictures.upload(png, 'twice.png', 'somebody'),
    { file: '2026/11/twice-4.png' },
    'no file is written over',
  )
  t.equal(readFileSync(foreign, 'utf8'), 'x')
})

t.test('uploads at the same moment get names of their own, and no note is left', async (t) => {
  const { author, app } = await build(t, { fresh: true })
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
    noteLooseFiles(tx, ['2026/11/deleted.png', '../a.db', '2026/11/../../a.db'], true, 0),
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
  t.equal((await media.list({ page: 1, per_page: 9 }, { ...credentials.editor, role: 'editor' })).total, 0)
  await media.files.forget(loose)
  await t.rejects(media.create(row, { ...credentials.author, role: 'author' }), { code: 'rest_not_ready' })
  t.same(await db.read.select().from(loose_files), [])
})

t.test('a start goes on where what was left behind can not be deleted', async (t) => {
  const { file, write, start, has } = leave(t)
  const store = openFile(file)
  await store.media.files.claim(['2026/11/half.png'])
  await store.db.write(async (tx) =>
    tx.run(sql`create trigger no_update before update on loose_files begin select raise(abort, 'no'); end`),
  )
  store.db.close()
  write('2026/11/half.png')
  const app = await start()
  t.ok(has('2026/11/half.png'))
  t.equal((await app.inject('/healthz')).statusCode, 200)
  await app.close()
})

const HOUR = 3_600_000
const LEFT = '2026/11/half.png'
const LOST = 'image files are missing; restore them from the backup of MEDIA_DIR'

/** A running service with a picture of three files, its database and its folder. */
async function filled(t: Test) {
  const dir = t.testdir()
  const file = join(dir, 'a.db')
  const api = await build(t, { env: { DATABASE: file } })
  await must(api.author.post('/media', await draw(400, 300), raw('teal.png')))
  const mediaDir = join(dir, 'media')
  const at = (name: string) => join(mediaDir, name)
  const write = (name: string) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), 'x')
  }
  /** Leaves a file with its note, as a process does that is killed. */
  const leave = async (hours: number, { name = LEFT, given_up = false } = {}) => {
    write(name)
    return api.app.store.db.write((tx) => noteLooseFiles(tx, [name], given_up, Date.now() - hours * HOUR))
  }
  const notes = () => api.app.store.db.read.select().from(loose_files)
  return { ...api, store: api.app.store, file, mediaDir, at, write, leave, notes }
}

t.test('a picture that lacks files is told with their names, and left to a backup', async (t) => {
  const { file, at } = await filled(t)
  t.match(await almanac(file, ['check']), { code: 0, printed: 'Nothing differs in 1 record.\n' })
  const [full, ...sizes] = filesOf(t).reverse()
  for (const name of [full!, sizes[0]!]) unlinkSync(at(name))
  mkdirSync(at(sizes[0]!)) // a folder is no file
  const what = `picture 1 lacks ${full}, ${sizes[0]}`
  const told = { code: 1, complained: `almanac: ${LOST}\n` }
  t.match(await almanac(file, ['check']), { ...told, printed: `In 1 record differs:\n  picture   ${what}\n` })
  t.match(await almanac(file, ['rebuild']), told)
  for (const command of ['check', 'rebuild']) {
    const { code, printed } = await almanac(file, [command, '--json'])
    t.equal(code, 1)
    t.match(JSON.parse(printed), {
      ...{ ok: false, records: 1, total: 1, kinds: { picture: 1, file: 0 } },
      differences: [{ kind: 'picture', id: 1, what }],
    })
  }
})

t.test('files that were left behind are told, and deleted by a rebuild with their note', async (t) => {
  for (const given_up of [false, true]) {
    const { file, at, leave, notes, app } = await filled(t)
    const id = await leave(2, { given_up })
    const what = `no picture has ${LEFT}`
    t.match(await almanac(file, ['check']), {
      code: 1,
      printed: `In 1 record differs:\n  file      ${what}\n`,
      complained: 'almanac: 1 difference; `almanac rebuild` corrects it\n',
    })
    t.ok(existsSync(at(LEFT)), 'a check deletes nothing')
    const { code, printed } = await almanac(file, ['rebuild', '--json'])
    t.equal(code, 0)
    t.match(JSON.parse(printed), { ok: true, kinds: { file: 1 }, differences: [{ kind: 'file', id, what }] })
    t.notOk(existsSync(at(LEFT)))
    t.same(await notes(), [])
    t.equal(filesOf(t).length, 3, 'the files of pictures stay')
    t.match(await almanac(file, ['check']), { code: 0 })
    await app.close()
  }
})

t.test('both are told at once', async (t) => {
  const { file, at, leave } = await filled(t)
  await leave(2)
  unlinkSync(at(filesOf(t).find((name) => /teal-[0-9a-f]{20}\.png$/.test(name))!))
  const { complained } = await almanac(file, ['check'])
  t.equal(complained, `almanac: 1 difference; \`almanac rebuild\` corrects it; ${LOST}\n`)
  t.match(await almanac(file, ['rebuild']), { code: 1, complained: `almanac: ${LOST}\n` })
})

t.test('uploads and deletions that are under way are no difference', async (t) => {
  const { file, at, leave, notes } = await filled(t)
  await leave(0)
  await leave(0.9, { name: '2026/11/deleted.png', given_up: true })
  for (const command of ['check', 'rebuild']) t.match(await almanac(file, [command]), { code: 0 })
  t.ok(existsSync(at(LEFT)) && existsSync(at('2026/11/deleted.png')))
  t.equal((await notes()).length, 2)
})

t.test('a note without a file is none, nor a name that is not ours', async (t) => {
  const { file, at, leave } = await filled(t)
  await leave(2)
  unlinkSync(at(LEFT))
  await leave(2, { name: 'readme.txt' })
  t.match(await almanac(file, ['rebuild']), { code: 0 })
  t.ok(existsSync(at('readme.txt')))
})

t.test('what ends while its files are looked for is no difference', async (t) => {
  const { store, mediaDir, leave } = await filled(t)
  await leave(2)
  const { db, site } = store
  const folder = openMediaFolder(mediaDir)
  const found: Difference[] = []
  const progress = () => {}
  const asked: string[] = []
  await check(
    db,
    { ...site, clock: Date.now },
    {
      ...folder,
      async kept(names) {
        asked.push(...names)
        await db.write(async (tx) => void (await tx.delete(media)))
        return []
      },
      async present(names) {
        asked.push(...names)
        await db.write(async (tx) => void (await tx.delete(loose_files)))
        return names
      },
    },
    { found: (difference) => found.push(difference), progress },
  )
  t.same(found, [])
  t.equal(asked.length, 4)
})

t.test('a rebuild ends with one line where a file can not be deleted, and keeps its note', async (t) => {
  const { store, mediaDir, leave, notes } = await filled(t)
  await leave(2)
  const folder = { ...openMediaFolder(mediaDir), remove: () => false }
  const site = { ...store.site, clock: Date.now }
  await t.rejects(rebuild(store.db, site, folder, { found() {}, progress() {} }), {
    message: `MEDIA_DIR: no picture has ${LEFT}, and it can not be deleted; check who may write there`,
    unusable: true,
  })
  t.equal((await notes()).length, 1)
})

t.test('a folder that is not there, or none, is told in one line', async (t) => {
  const { file, mediaDir, leave, store } = await filled(t)
  await leave(2)
  renameSync(mediaDir, `${mediaDir}.away`)
  const lines = async () => {
    const { code, printed, complained } = await almanac(file, ['check'])
    t.match({ code, complained }, { code: 1, complained: `almanac: ${LOST}\n` })
    return printed
  }
  const head = 'In 0 records differs:\n  picture   MEDIA_DIR'
  t.equal(await lines(), `${head} ${mediaDir} does not exist: no picture has its files\n`)
  writeFileSync(mediaDir, 'x')
  t.equal(await lines(), `${head} ${mediaDir} can not be read (ENOTDIR): no picture has its files\n`)
  rmSync(mediaDir)
  await store.db.write(async (tx) => void (await tx.delete(media)))
  t.match(await almanac(file, ['check']), { code: 0 }, 'a service without pictures needs none')
})

t.test('a check at start tells of both in the log, and the service starts', async (t) => {
  const { app, file, at, leave } = await filled(t)
  unlinkSync(at(filesOf(t).find((name) => /teal-[0-9a-f]{20}\.png$/.test(name))!))
  const config = readConfig({ DATABASE: file, PORT: '0', CHECK: 'on', LOG_LEVEL: 'silent', MAX_DELAY: '0' })
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const other = await buildApp({ config, logger: { level: 'info', stream } })
  const id = await leave(2)
  await checkAtStart(other, config)
  await other.close()
  await app.close()
  t.match(lines, [
    { level: 50, difference: { kind: 'picture', id: 1 }, msg: LOST },
    { level: 40, difference: { kind: 'file', id }, msg: /left behind .* the next start deletes them/ },
    { level: 30, records: 1, msg: 'the database was verified' },
  ])
  const served = await serve(config, { print() {}, terminal: false })
  t.equal((await served.inject('/readyz')).statusCode, 200)
  t.notOk(existsSync(at(LEFT)))
  await served.close()
})
