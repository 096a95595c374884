import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loose_files, settings } from '../../../../drizzle/tables.ts'
import { openMediaFolder } from '../../../../src/calendar/media/folder.ts'
import { prepare } from '../../../../src/commands/prepare.ts'
import { readConfig } from '../../../../src/config.ts'
import { openDatabase } from '../../../../src/database.ts'
import { openSharedFiles } from '../../../../src/features/nodes/pictures.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { must, refusal } from '../../../../test/support/answers.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { visit } from '../../../../test/support/pages.ts'
import { draw, raw } from '../../../../test/support/pictures.ts'
import { until } from '../../../../test/support/until.ts'
import { envOf, follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const { ask } = postgres

const names = async () =>
  (await ask<{ name: string }>('select name from almanac.files order by name')).map(({ name }) => name)
const pathOf = (url: string) => url.replace(/^http:\/\/\w+\.test/, '')
const mediaOf = (t: Test, node: string) => join(t.testdirName, node, 'media')
const fileOf = (t: Test, node: string, url: string) =>
  join(mediaOf(t, node), pathOf(url).replace('/media/', ''))

t.test('a picture that was sent to one node is served by another, in all sizes', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  const bytes = await draw(400, 300)
  const picture = await must(one.author.post('/media', bytes, raw('teal.png')))
  const urls: string[] = [picture.url, ...Object.values<{ url: string }>(picture.sizes).map(({ url }) => url)]
  t.equal((await names()).length, urls.length)
  await follow(two)
  for (const url of urls) {
    t.notOk(existsSync(fileOf(t, 'two', url)))
    const { etag, 'last-modified': modified } = (await one.app.inject({ url: pathOf(url) })).headers
    let asked = 0
    postgres.tap((text) => {
      asked += Number(/encode\(bytes/.test(text))
      return undefined
    })
    const got = await Promise.all([1, 2, 3].map(() => two.app.inject({ url: pathOf(url) })))
    postgres.tap(() => undefined)
    t.equal(asked, 1, 'it is asked for once')
    for (const { statusCode, headers, rawPayload } of got) {
      t.match({ statusCode, headers }, { statusCode: 200, headers: { 'content-type': 'image/png' } })
      t.ok(rawPayload.equals(readFileSync(fileOf(t, 'one', url))))
      t.same([headers.etag, headers['last-modified']], [etag, modified])
    }
    t.ok(existsSync(fileOf(t, 'two', url)))
  }
  t.same(readdirSync(mediaOf(t, 'two')), ['2026'], 'nothing else is left there')
  for (const path of ['/media/2026/11/none.png', '/media/2026/11/teal-9x9.png', '/media/x.png'])
    t.equal((await two.app.inject({ url: path })).statusCode, 404, path)

  await must(two.anonymous.delete(`/media/${picture.id}`, undefined, as('author')))
  t.same(await names(), [], 'a picture that is deleted is gone from PostgreSQL')
  await follow(one)
  await until(() => urls.every((url) => !existsSync(fileOf(t, 'one', url))))
  for (const node of [one, two]) {
    t.equal((await node.app.inject({ url: pathOf(picture.url) })).statusCode, 404)
    await until(async () => (await node.app.store.media.files.givenUp()).length === 0)
  }
})

t.test('a text that one node takes is on the pages of another', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  const { id } = await must(one.author.post('/media', await draw(20, 20), raw('teal.png')))
  await must(one.editor.post('/events', { ...EVENT, slug: 'one', image: String(id) }))
  await follow(two)
  const page = async () => (await visit(two, '/event/one/')).text
  t.match(await page(), / alt=""/)
  const alt_texts = { en: 'A "teal" square', ca: 'Un quadrat' }
  const set = await must(two.anonymous.patch(`/media/${id}`, { alt_texts }, as('author')))
  t.match(await page(), / alt="A &quot;teal&quot; square"/)
  await follow(one)
  t.strictSame((await one.anonymous.get(`/media/${id}`)).body.alt_texts, alt_texts)
  t.same(await ask('select alt_texts from almanac.media'), [{ alt_texts }])
  const { etag } = (await one.anonymous.get(`/media/${id}`)).headers
  await must(one.author.patch(`/media/${id}`, { alt_texts: { en: '' } }, { headers: { 'if-match': etag! } }))
  await follow(two)
  t.match(await page(), / alt="Un quadrat" lang="ca"/)
  const focal_point = { x: 0.25, y: 1 }
  await must(one.author.patch(`/media/${id}`, { focal_point }))
  await follow(two)
  t.strictSame((await two.anonymous.get(`/media/${id}`)).body, {
    ...set,
    ...{ alt_texts: { ca: 'Un quadrat' }, focal_point },
  })
  t.same(await ask('select focal_point from almanac.media'), [{ focal_point }])
  await must(two.anonymous.patch(`/media/${id}`, { focal_point: null }, as('author')))
  t.same(await ask('select focal_point from almanac.media'), [{ focal_point: null }])
})

t.test('a deletion that comes with a write of another node is told as well', async (t) => {
  const { one } = await openPair(t, postgres)
  const { id, url } = await must(one.author.post('/media', await draw(20, 20), raw('teal.png')))
  const config = readConfig(envOf(t, postgres, 'three'))
  await prepare(config, { print() {}, terminal: false })
  const db = await openDatabase(config) // it does not follow
  t.teardown(() => db.close())
  const heard = new Promise<void>((resolve) => db.onApplied(['media'], resolve))
  await must(one.author.delete(`/media/${id}`))
  await db.write((tx) => tx.insert(settings).values({ name: 'test', value: 'x' }))
  await heard
  const notes = await db.read.select().from(loose_files)
  t.match(notes, [{ names: [pathOf(url).replace('/media/', '')], given_up: true }])
})

t.test('names of pictures are settled between nodes', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  const png = await draw(20, 20)
  const made = await Promise.all([
    ...Array.from({ length: 3 }, () => must(one.author.post('/media', png, raw('same.png')))),
    ...Array.from({ length: 3 }, () =>
      must(
        two.anonymous.post('/media', png, as('author', raw('same.png').headers as Record<string, string>)),
      ),
    ),
  ])
  t.equal(new Set(made.map(({ url }) => pathOf(url))).size, 6)
  t.equal((await names()).length, 6)

  await ask(
    "insert into almanac.files values ('2026/11/taken.png', '', now()), ('2026/11/wide-300x225.png', '', now())",
  )
  const share = openSharedFiles(postgres.url)
  t.teardown(() => share.close())
  const folder = openMediaFolder(mediaOf(t, 'one'), share)
  const write = (...files: string[]) =>
    folder.write(files.map((name) => ({ name: `2026/11/${name}.png`, bytes: png })))
  t.equal(await write('taken'), false)
  t.equal(await write('wide', 'wide-300x225'), false)
  t.notOk((await names()).includes('2026/11/wide.png'), 'all names of a picture or none')
  writeFileSync(join(mediaOf(t, 'one'), '2026/11/foreign.png'), 'x')
  t.equal(await write('foreign'), false)
  t.notOk((await names()).includes('2026/11/foreign.png'))
})

t.test('what gets no row leaves nothing in PostgreSQL', async (t) => {
  const { one } = await openPair(t, postgres)
  const png = await draw(20, 20)
  const { store } = one.app
  const create = store.media.create
  store.media.create = async () => {
    throw new Error('no row')
  }
  t.equal((await one.author.post('/media', png, raw('lost.png'))).status, 500)
  store.media.create = create
  t.same(await names(), [])
  mkdirSync(mediaOf(t, 'one'), { recursive: true })
  rmSync(join(mediaOf(t, 'one'), '2026'), { recursive: true, force: true })
  writeFileSync(join(mediaOf(t, 'one'), '2026'), 'in the way')
  t.equal((await one.author.post('/media', png, raw('lost.png'))).status, 500)
  t.same(await names(), [])
})

t.test('while PostgreSQL does not answer, what is here is served', async (t) => {
  const { one, two } = await openPair(t, postgres)
  const { url } = await must(one.author.post('/media', await draw(20, 20), raw('teal.png')))
  await follow(two)
  const broken = await draw(30, 30)
  postgres.tap((text) => (/encode\(bytes/.test(text) ? 'cut before' : undefined))
  t.match(await two.app.inject({ url: pathOf(url) }), { statusCode: 503, headers: { 'retry-after': '2' } })
  postgres.tap((text) => (/encode\(bytes/.test(text) ? { error: '53200' } : undefined))
  t.equal((await two.app.inject({ url: pathOf(url) })).statusCode, 503, 'what it refuses is not asked again')
  let cuts = 1
  postgres.tap((text) => (/encode\(bytes/.test(text) && cuts-- > 0 ? 'cut before' : undefined))
  t.equal((await two.app.inject({ url: pathOf(url) })).statusCode, 200, 'a broken connection is made again')
  postgres.tap(() => undefined)
  postgres.down(true)
  t.equal((await one.app.inject({ url: pathOf(url) })).statusCode, 200)
  t.equal(refusal(await one.author.post('/media', broken, raw('new.png'))), '503 database_unavailable')
  t.same(readdirSync(join(mediaOf(t, 'one'), '2026/11')), [pathOf(url).split('/').at(-1)])
  postgres.down(false)
  await until(async () => (await one.author.post('/media', broken, raw('new.png'))).status === 201)
})

t.test('what PostgreSQL refuses is undone, and not tried again', async (t) => {
  await openPair(t, postgres)
  const share = openSharedFiles(postgres.url)
  t.teardown(() => share.close())
  const files = ['a', 'b'].map((name) => ({ name: `2026/11/${name}.png`, bytes: Buffer.from(name) }))
  let asked = 0
  postgres.tap((text) => {
    if (!/^insert into almanac\.files .*b\.png/.test(text)) return undefined
    asked++
    return { error: '53100' }
  })
  await t.rejects(share.put(files), { code: 'database_unavailable', cause: { code: '53100' } })
  t.equal(asked, 1)
  t.same(await names(), [], 'all files of a picture or none')
  postgres.tap(() => undefined)
  t.ok(await share.put(files), 'on the same connection')
  t.equal((await names()).length, 2)
})

t.test('a check of a node asks PostgreSQL for what is not here', async (t) => {
  const { one } = await openPair(t, postgres)
  await must(one.author.post('/media', await draw(400, 300), raw('teal.png')))
  const env = envOf(t, postgres, 'two')
  const check = (more: object = {}) => almanac(postgres.url, ['check'], false, { ...env, ...more })
  t.match(await check(), { code: 0 })
  t.match(
    await check({ MEDIA_DIR: join(t.testdirName, 'none') }),
    { code: 0 },
    'a folder is made when it is needed',
  )
  await ask("delete from almanac.files where name like '%300x%'")
  t.match(await check(), { code: 1, printed: /picture 1 lacks 2026\/11\/teal-\w+-300x225\.png/ })
  t.match(
    await almanac(postgres.url, ['check'], false, envOf(t, postgres, 'one')),
    { code: 0 },
    'it is there',
  )
})

t.test('what killed nodes left in PostgreSQL is swept after a day', async (t) => {
  const { one } = await openPair(t, postgres)
  await must(one.author.post('/media', await draw(400, 300), raw('teal.png')))
  const own = await names()
  await ask("update almanac.files set at = now() - interval '2 days'")
  const share = openSharedFiles(postgres.url)
  t.teardown(() => share.close())
  t.ok(await share.put([{ name: '2026/11/under-way.png', bytes: Buffer.from('x') }]))
  await ask("insert into almanac.files values ('2026/11/old.png', '', now() - interval '25 hours')")
  t.equal(await openMediaFolder(mediaOf(t, 'one'), share).sweepShare(), 1)
  t.equal(await openMediaFolder(mediaOf(t, 'one')).sweepShare(), 0, 'without a share nothing is left in it')
  t.same(await names(), [...own, '2026/11/under-way.png'].sort())
  await share.release(['2026/11/teal.png'])
  t.same((await names()).length, own.length + 1, 'what a picture has is not released')
})

t.test('a file that is deleted while it is fetched does not stay', async (t) => {
  const { two } = await openPair(t, postgres)
  const dir = mediaOf(t, 'two')
  const share = openSharedFiles(postgres.url)
  t.teardown(() => share.close())
  const folder = openMediaFolder(dir, share)
  const name = '2026/11/short.png'
  await share.put([{ name, bytes: Buffer.from('x') }])
  let asked = 0
  await folder.ensure(name, async () => asked++ === 0)
  t.equal(asked, 2)
  t.notOk(existsSync(join(dir, name)))
  await folder.ensure('2026/11/lost.png', async () => true)
  writeFileSync(join(dir, '2027'), 'in the way')
  await share.put([{ name: '2027/01/a.png', bytes: Buffer.from('x') }])
  await t.rejects(folder.ensure('2027/01/a.png', async () => true))
  t.same(readdirSync(dir).sort(), ['2026', '2027'])

  const old = new Date(Date.now() - 7_200_000)
  for (const file of ['.incoming-old', '.incoming-new', 'readme.txt']) writeFileSync(join(dir, file), '')
  utimesSync(join(dir, '.incoming-old'), old, old)
  await folder.tidy()
  t.same(readdirSync(dir).sort(), ['.incoming-new', '2026', '2027', 'readme.txt'])
  t.equal((await two.app.inject({ url: '/media/.incoming-new' })).statusCode, 404)
})
