import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { missingText } from '../../../../src/calendar/media/folder.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { must } from '../../../../test/support/answers.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { draw, raw } from '../../../../test/support/pictures.ts'
import { envOf, follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const { ask } = postgres

/** Two nodes, each of which took a picture of two files, and what a backup of the first one prints. */
async function openAlbum(t: Test) {
  const { one, two, as } = await openPair(t, postgres)
  const png = await draw(400, 300)
  await must(one.author.post('/media', png, raw('one.png')))
  await must(two.anonymous.post('/media', png, as('author', { ...raw('two.png').headers })))
  await follow(one)
  const at = (...names: string[]) => join(t.testdirName, ...names)
  const run = (words: string[], env: Record<string, string> = envOf(t, postgres, 'one')) =>
    almanac(env.DATABASE!, words, false, env)
  const json = async (words: string[], env?: Record<string, string>) => {
    const { code, printed, complained } = await run([...words, '--json'], env)
    return { code, complained, ...(printed && JSON.parse(printed)) }
  }
  const files = (folder: string) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.png'))
          .sort()
      : []
  return { one, two, at, run, json, files }
}

t.test('a backup of a node has the pictures that all nodes took', async (t) => {
  const { at, run, json, files } = await openAlbum(t)
  const all = [...files(at('one', 'media')), ...files(at('two', 'media'))].sort()
  t.equal(all.length, 6)
  t.equal(files(at('one', 'media')).length, 3, 'a node has what it was asked for')
  const told = await run(['backup', at('a.db')])
  t.match(told, { code: 0, complained: '' })
  t.match(told.printed, `and was verified.\n6 files of its pictures are in ${at('media')}.\n`)
  t.same(files(at('media')), all)
  for (const name of all) {
    const from = existsSync(at('one', 'media', name)) ? 'one' : 'two'
    t.same(readFileSync(at('media', name)), readFileSync(at(from, 'media', name)))
  }

  let asked = 0
  postgres.tap((text) => {
    if (/encode\(bytes/.test(text)) asked++
    return undefined
  })
  const [first, second, third] = all as [string, string, string]
  writeFileSync(at('media', first), 'another')
  utimesSync(at('media', second), 1, 1)
  rmSync(at('media', third))
  const again = await json(['backup', at('a.db'), '--force'])
  t.match(again, { code: 0, media: at('media'), files: 6, missing: 0 })
  t.equal(asked, 3, 'what is there already stays')
  t.same(readFileSync(at('media', first)).length, statSync(at('one', 'media', first)).size)
  postgres.tap(() => undefined)
  rmSync(at('media', first))
  mkdirSync(at('media', first))
  t.match(await run(['backup', at('b.db')]), { code: 1, complained: /png: can not be opened/ })
})

t.test('a backup that lacks pictures says so, and fails unless that is allowed', async (t) => {
  const { at, run, json, files } = await openAlbum(t)
  const [first, ...sizes] = files(at('two', 'media')).toReversed() as [string, ...string[]]
  await ask("delete from almanac.files where name like '%one%'")
  t.match(await json(['backup', at('a.db')]), { code: 0, files: 6, missing: 0 }, 'this node has them')
  rmSync(at('media'), { recursive: true })
  const lost = [first, ...sizes.toReversed()]
  postgres.down(true)
  t.teardown(() => postgres.down(false))
  const alone = await run(['backup', at('b.db')])
  t.match(alone, { code: 1, printed: /3 files of its pictures are in / })
  t.match(
    alone.complained,
    `3 files of pictures (${lost.join(', ')}) are neither in PostgreSQL nor in ${at('one', 'media')}; make it again when PostgreSQL answers, or accept it with --allow-missing\n`,
  )
  t.match(await json(['backup', at('c.db'), '--allow-missing']), { code: 0, files: 3, missing: 3 })
  const [kept, ...others] = files(at('one', 'media'))
  for (const name of others)
    for (const folder of [at('media'), at('one', 'media')]) rmSync(join(folder, name))
  t.match(await run(['backup', at('c.db'), '--allow-missing', '--force']), {
    code: 0,
    printed: `\n1 file of its pictures is in ${at('media')}.\n`,
  })
  t.same(files(at('media')), [kept])
  postgres.down(false)
  postgres.tap((text) => (/octet_length/.test(text) ? { error: '53200' } : undefined))
  t.match(await run(['backup', at('d.db')]), { code: 1, complained: /the server says 53200/ })
  postgres.tap((text) => (/^begin isolation level repeatable/.test(text) ? { error: '53300' } : undefined))
  t.match(await run(['backup', at('e.db')]), { code: 1, complained: /the server says 53300/ })
  postgres.tap(() => undefined)
})

t.test('a restore takes the pictures beside the backup, and refuses where they are missing', async (t) => {
  const { at, run, files } = await openAlbum(t)
  t.match(await run(['backup', at('backup', 'a.db')]), {
    code: 1,
    complained: /does not exist; mount or create/,
  })
  t.match(await run(['backup', at('a.db')]), { code: 0 })
  const all = files(at('media'))
  const env = { DATABASE: at('own', 'b.db'), MEDIA_DIR: at('own', 'pictures') }
  t.match(await run(['restore', at('a.db')], env), { code: 0 })
  t.same(files(env.MEDIA_DIR), all)
  t.match(await run(['check'], env), { code: 0 })

  rmSync(join(env.MEDIA_DIR, all[0]!))
  rmSync(at('media', all[0]!))
  rmSync(join(env.MEDIA_DIR, all[1]!))
  const before = statSync(env.DATABASE).ino
  t.match(await run(['restore', at('a.db')], env), {
    code: 1,
    complained: `almanac: ${at('a.db')}: 1 file of pictures (${all[0]}) are missing in ${env.MEDIA_DIR} and in ${at('media')}; bring them there, or go on without them: --allow-missing. Nothing was restored\n`,
  })
  t.equal(statSync(env.DATABASE).ino, before)
  t.notOk(existsSync(`${env.DATABASE}.before-restore`))
  t.match(await run(['restore', at('a.db'), '--allow-missing'], env), {
    code: 0,
    printed: `1 file of pictures (${all[0]}) are missing.\n`,
  })
  mkdirSync(join(env.MEDIA_DIR, all[0]!))
  writeFileSync(at('media', all[0]!), 'x')
  t.match(await run(['restore', at('a.db'), '--allow-missing', '--force'], env), {
    code: 1,
    complained: /png: can not be opened/,
  })
})

t.test('a backup goes back to PostgreSQL with the pictures beside it, wherever MEDIA_DIR is', async (t) => {
  const { one, two, at, run, files } = await openAlbum(t)
  t.match(await run(['backup', at('a.db')]), { code: 0 })
  await one.app.close()
  await two.app.close()
  await ask('alter schema almanac rename to almanac_before')
  t.match(await run(['move', '--from', at('a.db'), '--to', postgres.url]), { code: 0 })
  const names = (await ask<{ name: string }>('select name from almanac.files order by name')).map(
    ({ name }) => name,
  )
  t.same(names, files(at('media')))
  await ask('drop schema almanac_before cascade')
})

t.test('what is missing is told with some of the names', async (t) => {
  const { at, run } = await openAlbum(t)
  await ask('delete from almanac.files')
  const told = await run(['move', '--from', postgres.url, '--to', at('c.db')])
  t.match(told, {
    code: 1,
    complained: /6 files of pictures \(.*\.png, …\) are missing in its table almanac\.files;/,
  })
  t.equal(missingText(['a', 'b', 'c', 'd', 'e', 'f']), '6 files of pictures (a, b, c, d, e, …)')
})

t.test('an export of a node has the pictures of all nodes, and an empty PostgreSQL takes them', async (t) => {
  const { one, at, run, json, files } = await openAlbum(t)
  await must(one.editor.post('/events', EVENT))
  await follow(one)
  t.match(await run(['export', at('out')]), { code: 0, complained: '' })
  t.equal(files(at('out', 'media')).length, 6)
  await postgres.ask('drop schema almanac cascade')
  const env = { ...envOf(t, postgres, 'one'), REPLICA: at('three.db'), MEDIA_DIR: at('three') }
  t.match(await json(['import', at('out')], env), {
    code: 0,
    counts: { media: { added: 2 }, event: { added: 1 } },
  })
  t.match(await ask('select count(*) from almanac.posts'), [{ count: 1 }])
  t.equal((await json(['import', at('out')], env)).counts.event.present, 1)
  writeFileSync(at('a.csv'), 'title,start_date\nA,2027-01-05\n')
  t.equal((await json(['import', at('a.csv')], env)).counts.event.added, 1)
})
