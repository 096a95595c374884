import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { prepare } from '../../../../src/commands/prepare.ts'
import { readConfig } from '../../../../src/config.ts'
import { serve } from '../../../../src/run/serve.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { build, EVENT } from '../../../../test/support/app.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { asking } from '../../../../test/support/postgres.ts'
import { seed } from '../../../../test/support/seed.ts'
import { openReference, tribeEvent } from '../../../../test/support/sites.ts'
import { until } from '../../../../test/support/until.ts'
import { embeddedPostgres } from '../../support/embedded-postgres.ts'

const postgres = await embeddedPostgres()
t.teardown(() => postgres.close())
const { url } = postgres
const there = asking(url)
const SHOWN = url.replace('secret', '***')

/** A calendar in PostgreSQL, and the environment of a node without a copy yet. */
async function calendar(t: Test) {
  await there('drop schema if exists almanac cascade')
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file } })
  await seed(api)
  await api.editor.post('/events', { ...EVENT, title: 'Second', cost: '10', date: '2026-11-01 12:00:00' })
  await api.app.close()
  const moved = await almanac(file, ['move', '--to', url])
  t.equal(moved.code, 0, moved.complained)
  const replica = join(t.testdirName, 'replica.db')
  return { file, replica, env: { DATABASE: url, REPLICA: replica, MEDIA_DIR: join(t.testdirName, 'media') } }
}

const run = (env: Record<string, string>, words: string[], terminal = false) =>
  almanac(url, words, terminal, env)
/** Runs a command that prints JSON. */
async function json(env: Record<string, string>, words: string[]) {
  const { printed, code, complained } = await run(env, [...words, '--json'])
  return { code, complained, ...(printed && JSON.parse(printed)) }
}
const seqThere = async () => (await there<{ seq: number }>('select seq::int from almanac.head'))[0]!.seq
const change = (file: string, statements: string) => new Database(file).exec(statements).close()

/** A node on its copy, as a service in this process. */
async function node(t: Test, env: Record<string, string>) {
  await prepare(readConfig(env), { print() {}, terminal: false })
  const { app } = await build(t, { env, users: false })
  const stale: string[] = []
  app.store.db.replica!.onStale((why) => void stale.push(why))
  return { app, stale }
}

t.test('a copy that was damaged by hand is found row by row, and mended from PostgreSQL', async (t) => {
  const { env, replica } = await calendar(t)
  t.match(await run(env, ['check']), { code: 0, printed: /^Nothing differs in 8 records/ })
  const seq = await seqThere()
  const { stale } = await node(t, env)
  change(
    replica,
    `update posts set title = 'Changed', folded = 'changed' where id = (select min(post_id) from events);
    pragma foreign_keys = on;
    delete from posts where id = (select max(post_id) from events);
    delete from venues;
    insert into terms (id, taxonomy, name, folded_name, slug, language) values (77, 'tag', 'x', 'x', 'x', 'en');
    create temp table extra as select * from posts where kind = 'event' limit 1;
    update extra set id = 88, title = 'Extra', slug = 'extra', translation_group = null, image_id = null;
    insert into posts select * from extra;
    update extra set id = 89, kind = 'organizer', title = 'More', slug = 'more';
    insert into posts select * from extra;
    insert into organizers (post_id) values (89);
    update links set position = position + 5 where kind = 'category';
    update settings set value = 'other' where name = 'site_id';
    update documents set body = x'7b' where post_id = (select post_id from organizers limit 1)`,
  )
  const found = await json(env, ['check'])
  t.equal(found.code, 1)
  t.match(found.complained, /^almanac: \d+ differences; `almanac rebuild` corrects them\n$/)
  const told = found.differences.filter(({ kind }: { kind: string }) => kind === 'copy')
  t.match(
    told.map(({ what }: { what: string }) => what),
    [
      'row site_id of settings is another one in PostgreSQL (value)',
      /^row \d+ of posts is another one in PostgreSQL \(title, folded\)$/,
      /^row \d+ of posts is in PostgreSQL only$/,
      'row 88 of posts is not in PostgreSQL',
      'row 89 of posts is not in PostgreSQL',
      /^row \d+ of events is in PostgreSQL only$/,
      /^row \d+ of venues is in PostgreSQL only$/,
      'row 89 of organizers is not in PostgreSQL',
      'row 77 of terms is not in PostgreSQL',
      /^row \d+\/category\/\d+ of links is another one in PostgreSQL \(position\)$/,
    ],
  )
  t.equal(told[0].id, 0)
  t.ok(found.kinds.record > 0 && found.kinds.document > 0, 'and what is derived')

  const rebuilt = await json(env, ['rebuild'])
  t.match(rebuilt, { code: 0, complained: '', ok: true })
  t.equal(await seqThere(), seq, 'the truth is as it was')
  t.match(await run(env, ['check']), { code: 0 })
  await until(() => stale.length > 0)
  t.same(stale, ['a command mended it, and this process has in memory what it was'])
  t.match(await run(env, ['rebuild']), { code: 0, printed: 'Nothing had to be changed in 8 records.\n' })
})

t.test('a mistake in PostgreSQL itself is corrected for all', async (t) => {
  const { env, replica } = await calendar(t)
  t.match(await run(env, ['check']), { code: 0 })
  const seq = await seqThere()
  const wrong = `update posts set folded = 'wrong' where id = (select min(post_id) from events); update terms set count = 9 where taxonomy = 'tag'`
  change(replica, wrong)
  await there(
    wrong
      .replaceAll('posts', 'almanac.posts')
      .replaceAll('from events', 'from almanac.events')
      .replaceAll('terms', 'almanac.terms'),
  )
  t.match(await json(env, ['check']), { code: 1, kinds: { copy: 0, search: 1, count: 1 } })
  t.match(await json(env, ['rebuild']), { code: 0 })
  t.ok((await seqThere()) > seq)
  t.match(await run(env, ['check']), { code: 0 })
  t.same(await there("select count::int from almanac.terms where taxonomy = 'tag'"), [{ count: 1 }])
})

t.test('a copy that can not be read, or whose truth can not, is explained', async (t) => {
  const { env, replica } = await calendar(t)
  t.match(await run(env, ['check']), { code: 0 })
  new Database(replica)
    .unsafeMode()
    .exec("pragma writable_schema = on; delete from sqlite_master where name = 'posts_kind_slug'")
    .close()
  t.match(await run(env, ['check']), {
    code: 1,
    complained:
      /the copy of this node is damaged; stop its service, delete the file REPLICA, and start it: the copy is taken anew/,
  })
  rmSync(replica)
  t.match(await run(env, ['check']), { code: 0 })
  postgres.down(true)
  t.teardown(() => postgres.down(false))
  t.match(await run(env, ['check']), { code: 1, complained: /can not be reached/ })
  const copy = join(t.testdirName, 'copy.db')
  t.match(await run(env, ['backup', copy]), {
    code: 0,
    complained:
      /PostgreSQL does not answer: the backup has what this node had last\nalmanac: the audit log was not told of this: .+\n$/,
  })
  const port = String(await freePort())
  const logged: string[] = []
  const app = await serve(readConfig({ ...env, CHECK: 'on', PORT: port, LOG_LEVEL: 'silent' }), {
    print: (text) => void logged.push(text),
    terminal: false,
  })
  await app.close()
  postgres.down(false)
  t.match(logged.join(''), /answers reads from/)
})

t.test('a backup of a node is a database of its own, and a copy is none', async (t) => {
  const { env, replica } = await calendar(t)
  const backup = join(t.testdirName, 'backup.db')
  t.match(await json(env, ['backup', backup]), { code: 0, events: 2 })
  const config = await almanac(backup, ['config', '--json'])
  t.match(config, { code: 0 })
  const own = { MEDIA_DIR: env.MEDIA_DIR }
  t.match(await almanac(backup, ['check'], false, own), { code: 0, printed: /8 records/ })
  const restored = join(t.testdirName, 'restored.db')
  t.match(await almanac(restored, ['restore', backup], false, own), { code: 0 })
  const raw = join(t.testdirName, 'raw.db')
  copyFileSync(replica, raw)
  const refusal = {
    code: 1,
    complained: `almanac: ${raw}: is the copy of a node, and PostgreSQL keeps the truth; set DATABASE to its URL, or make a database of its own: \`almanac backup\` there\n`,
  }
  for (const words of [['check'], ['migrate'], ['config', 'set', 'CURRENCY=EUR'], ['user', 'list']])
    t.match(await almanac(raw, words, false, own), refusal)
  t.match(
    await almanac(restored, ['restore', raw, '--force'], false, own),
    { code: 0 },
    'whoever restores it means it',
  )
  t.match(await almanac(restored, ['check'], false, own), { code: 0 })
  t.match(await run(env, ['restore', backup]), {
    code: 1,
    complained: `almanac: restore replaces a database file, and here ${SHOWN} keeps the truth for all nodes. Stop them, run ALTER SCHEMA almanac RENAME TO almanac_before there, and then: almanac move --from ${backup} --to <URL>\n`,
  })
  await there('drop schema almanac cascade')
  t.match(await almanac(backup, ['move', '--to', url], false, own), { code: 0 })
})

t.test('settings that the calendar keeps are changed for all nodes', async (t) => {
  const { env, replica } = await calendar(t)
  const { app, stale } = await node(t, env)
  const before = await there<{ at: string }>("select date as at from almanac.posts where title = 'Second'")
  t.same(before, [{ at: '2026-11-01 12:00:00' }])
  const dangling = "from almanac.links where kind = 'tag' and target_id > 4000"
  await there(`insert into almanac.links select (select min(post_id) from almanac.events), 'tag', 4000 + i, i
    from generate_series(1, 1100) as i`)
  const told = await run(env, ['config', 'set', 'CURRENCY=EUR', 'TIMEZONE=Europe/Madrid'], true)
  t.match(told, { code: 0, complained: '' })
  t.match(told.printed, `${SHOWN} keeps TIMEZONE=Europe/Madrid LANGUAGES=en,ca,es CURRENCY=EUR.\n`)
  t.match(told.printed, 'All nodes take their copies anew now.')
  t.same(await there("select date as at from almanac.posts where title = 'Second'"), [
    { at: '2026-11-01 13:00:00' },
  ])
  t.same(await there(`select 1 ${dangling}`), [], 'and what was wrong in all of them')
  t.notOk(existsSync(`${replica}.changed`))
  await until(() => stale.length > 0) // the next round tells, or the one after an outage
  t.match(stale, [/is no longer in the log/])
  await app.close()
  t.match(await run(env, ['check']), {
    code: 0,
    complained: /THE COPY .* IS THROWN AWAY AND TAKEN ANEW: what followed group 2 is no longer in the log/,
  })
  const shown = await json(env, ['config'])
  t.match(shown.settings, {
    DATABASE: { value: SHOWN, source: 'environment' },
    CURRENCY: { value: 'EUR', source: 'database' },
  })
  t.match(await json(env, ['config', 'set', 'LANGUAGES=en']), {
    code: 0,
    languages: ['en'],
    other_languages: 0,
  })
  postgres.down(true)
  const refused = await run(env, ['config', 'set', 'LANGUAGES=ca'])
  postgres.down(false)
  t.match(refused, { code: 1, complained: /can not be reached/ })
})

t.test('users and tokens are changed on a node, while its service runs or not', async (t) => {
  const { env } = await calendar(t)
  t.match(await run(env, ['migrate']), { code: 0, printed: /The database is up to date\.\n$/ })
  rmSync(env.REPLICA)
  const added = await run(env, ['user', 'add', 'ana', '--role', 'editor'])
  t.match(added, { code: 0 })
  t.notMatch(added.complained, 'a new database was created')
  t.match(added.complained, `${env.REPLICA} has what ${SHOWN} keeps, up to group 2`)
  const { app } = await node(t, env)
  t.match(await run(env, ['token', 'create', 'ana']), { code: 0, printed: /Token \d+ of ana/ })
  t.match(await run(env, ['user', 'role', 'ana', '--role', 'author']), { code: 0 })
  await app.store.db.fresh!()
  t.match(await app.store.users.byLogin('ana'), { role: 'author' })
  t.same(await there("select role from almanac.users where login = 'ana'"), [{ role: 'author' }])
  t.match(await run(env, ['openapi']), { code: 0 })

  await there('delete from almanac.log; update almanac.head set seq = seq + 1, commit_id = gen_random_uuid()')
  t.match(
    await run(env, ['user', 'list']),
    { code: 1, complained: /is in use; stop the service, and whatever else has it open, then try again/ },
    'its service takes the copy anew by itself',
  )
  const { comparison } = app.store.db.replica!
  await t.rejects(comparison.compare(), /the copy can not follow it; start the service of this node again/)
  postgres.down(true)
  await t.rejects(comparison.compare(), /can not be reached/)
  postgres.down(false)
})

t.test('an import into PostgreSQL is there on all nodes', async (t) => {
  const { env } = await calendar(t)
  const site = await openReference(t)
  site.lists.events = [tribeEvent(900, { title: 'Imported' })]
  const take = () => json(env, ['import', site.root])
  t.match(await take(), { code: 0, counts: { event: { created: 1 } } })
  t.match(await there("select title from almanac.posts where slug = 'e-900'"), [{ title: 'Imported' }])
  t.match(await take(), { code: 0, counts: { event: { same: 1 } } })
  t.match(await run(env, ['check']), { code: 0 })
})
