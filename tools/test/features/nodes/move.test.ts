import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { TABLES } from '../../../../src/features/nodes/rows.ts'
import { prepareSchema, versionOf } from '../../../../src/features/nodes/schema.ts'
import { connect } from '../../../../src/features/nodes/session.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { build, EVENT } from '../../../../test/support/app.ts'
import { load } from '../../../../test/support/earlier.ts'
import { draw, filesOf, raw } from '../../../../test/support/pictures.ts'
import { asking } from '../../../../test/support/postgres.ts'
import { openMeasured, startProgram } from '../../../../test/support/process.ts'
import { seed } from '../../../../test/support/seed.ts'
import { embeddedPostgres } from '../../support/embedded-postgres.ts'

const postgres = await embeddedPostgres()
t.teardown(() => postgres.close())
const { url } = postgres
const there = asking(url)
const SHOWN = url.replace('secret', '***')

/** Nothing in PostgreSQL, as before the first start. */
const empty = () => there('drop schema if exists almanac cascade')

/** Values that are hard to carry. */
const HARD = [
  `'single' "double" \\back\\ \`tick\` $1 $$ -- /* ; %s`,
  '🎭 👩‍👩‍👧 é e\u0301 \u{1F600} ｆｕｌｌ',
  '\u0001\u0008\t\n\u001f\u007f\u0085\u2028',
  '\\u0000 {"json": [null, "\\n"]}',
]

/** A file with records of all kinds, a picture, and more rows than travel at a time. */
async function filled(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file, TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' } })
  await seed(api)
  for (const [at, text] of HARD.entries())
    await api.editor.post('/events', { ...EVENT, title: `Hard ${at} ${text}`, description: text, cost: text })
  await api.editor.post('/venues', { venue: 'Far', geo_lat: 41.123456789012344, geo_lng: -0.1 - 0.2 })
  const { body } = await api.editor.post('/media', await draw(400, 300), raw('poster.png', 'image/png'))
  await api.editor.patch('/events/4', { image: body.id })
  await api.app.close()
  const db = new Database(file)
  db.exec(`with recursive n (i) as (select 1 union all select i + 2 from n where i < 5999)
    insert into marks (id, mark) select i, 'mark ' || i from n`)
  db.close()
  return file
}

/** All rows of the tables of truth, and how far IDs were given. */
function rowsOf(file: string) {
  const db = new Database(file, { readonly: true })
  const rows = TABLES.map(({ name, columns, keys }) => [
    name,
    db.prepare(`select ${columns.map(({ name }) => `"${name}"`)} from ${name} order by ${keys}`).all(),
  ])
  const counters = db.prepare("select * from sqlite_sequence where name <> 'loose_files' order by name").all()
  const copies = db.prepare('select count(*) from replica').pluck().get()
  db.close()
  return { rows: Object.fromEntries(rows), counters, copies }
}

const move = (words: string[], terminal = false, env: Record<string, string> = {}) =>
  almanac('none.db', ['move', ...words], terminal, env)
const refused = (why: string) => ({ code: 1, printed: '', complained: `almanac: ${why}\n` })
/** What is in PostgreSQL: no schema, or the number of rows of posts. */
async function postsThere() {
  const rows = await there<{ there: boolean }>("select to_regclass('almanac.posts') is not null as there")
  if (!rows[0]!.there) return undefined
  return (await there<{ size: number }>('select count(*)::int as size from almanac.posts'))[0]!.size
}

t.test('a calendar goes to PostgreSQL and back as it was, with its pictures', async (t) => {
  await empty()
  const file = await filled(t)
  const back = join(t.testdirName, 'back', 'b.db')
  const before = rowsOf(file)
  t.ok(before.rows.posts.length > 8 && before.rows.marks.length === 3000 && before.rows.webhooks.length === 0)
  const lost = filesOf(t)[0]!
  rmSync(join(t.testdirName, 'media', lost))
  t.equal(filesOf(t).length > 0, true)

  const onwards = '; bring them there, or go on without them: --allow-missing. Nothing was moved'
  t.same(
    await move(['--from', file, '--to', url]),
    refused(`${file}: 1 file of pictures (${lost}) are missing in ${join(t.testdirName, 'media')}${onwards}`),
  )
  const moved = await move(['--from', file, '--to', url, '--allow-missing'], true)
  t.match(moved, { code: 0, complained: '' })
  t.match(moved.printed, `${SHOWN} holds 5 events, 2 venues, 2 organizers: `)
  t.match(moved.printed, '1 files of pictures were not there.')
  t.match(moved.printed, `${file} is as it was: start no service on it any more.`)
  t.equal(await postsThere(), before.rows.posts.length)
  t.same(rowsOf(file), before, 'the file is as it was')
  const heads = await there(
    'select seq::int, (select count(*)::int from almanac.log) as log from almanac.head',
  )
  t.same(heads, [{ seq: 2, log: 2 }], 'the calendar, and what the audit log is told of the move')

  t.same(
    await move(['--from', url, '--to', back]),
    refused(`${SHOWN}: 1 file of pictures (${lost}) are missing in its table almanac.files${onwards}`),
  )
  t.notOk(existsSync(back))
  const returned = await almanac(url, ['move', '--to', back, '--allow-missing', '--json'], true)
  t.equal(returned.code, 0, returned.complained)
  t.match(JSON.parse(returned.printed), {
    ...{ from: SHOWN, to: back, events: 5, venues: 2, organizers: 2, missing: 1 },
    files: filesOf(t).length,
  })
  t.same(readdirSync(join(t.testdirName, 'back')).sort(), ['b.db', 'media'])
  const after = rowsOf(back)
  const audit = after.rows.audit as { code: string; details: string }[]
  const told = audit.slice(before.rows.audit.length)
  t.match(
    told.map(({ code, details }) => ({ code, ...JSON.parse(details) })),
    [
      { code: 'data_exported', command: 'move', to: SHOWN },
      { code: 'data_exported', command: 'move', from: SHOWN, to: back },
    ],
  )
  const withoutAudit = ({ rows: { audit: _, ...rows }, counters, ...rest }: ReturnType<typeof rowsOf>) => ({
    ...{ rows, counters: counters.filter((one) => (one as { name: string }).name !== 'audit'), ...rest },
  })
  t.same(audit.slice(0, before.rows.audit.length), before.rows.audit)
  t.same(withoutAudit(after), withoutAudit(before))
  for (const name of filesOf(t))
    t.same(
      readFileSync(join(t.testdirName, 'back', 'media', name)),
      readFileSync(join(t.testdirName, 'media', name)),
    )
  t.match(await almanac(back, ['check']), { code: 1, printed: /In 13 records differs:\n {2}picture .*\n$/ })

  const again = join(t.testdirName, 'back', 'c.db')
  t.match(
    await move(['--from', url, '--to', again, '--allow-missing']),
    { code: 0 },
    'the same files of pictures may be there',
  )
  t.match(
    await move(['--from', url, '--to', join(t.testdirName, 'd.db'), '--allow-missing'], false, {
      MEDIA_DIR: join(file, 'm'),
    }),
    {
      code: 1,
      complained: /poster.*: can not be opened; check the path/,
    },
  )
  const name = filesOf(t)[0]!
  writeFileSync(join(t.testdirName, 'back', 'media', name), 'another')
  rmSync(again)
  t.match(await move(['--from', url, '--to', again, '--allow-missing']), {
    code: 1,
    complained: /media\/.*: exists already, and is another file; move it away, or name another MEDIA_DIR/,
  })
  t.notOk(existsSync(again))
  t.teardown(() => postgres.tap(() => undefined))
  let isFetched = false
  postgres.tap((text) => {
    isFetched ||= text.includes("encode(bytes, 'base64')")
    return isFetched && text.startsWith('declare rows_of') ? 'cut before' : undefined
  })
  const cut = join(t.testdirName, 'cut', 'd.db')
  t.match(await move(['--from', url, '--to', cut, '--allow-missing']), {
    code: 1,
    complained: /can not be reached/,
  })
  const left = readdirSync(join(t.testdirName, 'cut'), { recursive: true, withFileTypes: true })
  t.same(
    left.filter((entry) => entry.isFile()),
    [],
    'pictures that were fetched are deleted',
  )
  postgres.tap((text) => (text.includes('select version, origin') ? { error: '42501' } : undefined))
  t.match(await move(['--from', url, '--to', cut, '--allow-missing']), {
    code: 1,
    complained: /has no rights/,
  })
  postgres.tap(() => undefined)
  t.match(
    await move(['--from', file, '--to', url, '--allow-missing']),
    refused(`${SHOWN}: holds a calendar already; name an empty database. Nothing was changed in it`),
  )
})

t.test('a calendar in which nothing was noted yet begins its audit log with the move', async (t) => {
  await empty()
  const file = join(t.testdir(), 'upgraded.db')
  load(file, '0016_owners') // before there was an audit log
  t.match(await almanac(file, ['migrate']), { code: 0, complained: '' })
  t.match(await move(['--from', file, '--to', url, '--allow-missing']), { code: 0, complained: '' })
  t.same(await there('select id::int, code from almanac.audit'), [{ id: 1, code: 'data_exported' }])
  const [head] = await there<{ counters: string }>('select counters::text from almanac.head')
  t.match(JSON.parse(head!.counters), { audit: 1 }, 'the next entry has another ID')
})

t.test('what can not be moved is refused in one sentence, and nothing is changed', async (t) => {
  await empty()
  const file = await filled(t)
  const other = join(t.testdirName, 'other.db')
  const damaged = (name: string, statements: string) => {
    const path = join(t.testdirName, name)
    writeFileSync(path, readFileSync(file))
    new Database(path).exec(statements).close()
    return path
  }
  new Database(other).exec('create table a (b)').close()
  const copy = damaged('copy.db', "insert into replica values (1, 1, 'a', 'b')")
  const nul = damaged('nul.db', "update posts set title = 'a' || char(0) where id = 4")
  const earlier = damaged(
    'earlier.db',
    'delete from migrations where rowid = (select max(rowid) from migrations)',
  )
  const reference = damaged(
    'reference.db',
    'pragma foreign_keys = off; update posts set author_id = 99 where id = 4',
  )
  const pair =
    'one of --from and --to is the path of a file, and the other a URL such as postgres://host/database'
  const nowhere = 'postgres://127.0.0.1:1/none'
  for (const [from, to, why] of [
    ['none.db', url, 'none.db: does not exist'],
    [other, url, `${other}: is not a database of Almanac`],
    [
      copy,
      url,
      `${copy}: is the copy of a node, which PostgreSQL may be ahead of; move from PostgreSQL, or from a backup of the node`,
    ],
    [
      nul,
      url,
      `${nul}: title of row 4 of posts has a NUL character, which PostgreSQL can not store; write it without`,
    ],
    [
      earlier,
      url,
      `${earlier}: an earlier version wrote it; upgrade it first: DATABASE=<file> almanac migrate`,
    ],
    [reference, url, `${reference}: has 1 rows that point nowhere`],
    [file, other, pair],
    [url, url, pair],
    [url, file, `${file}: exists already; name a file that does not exist`],
    [
      url,
      join(t.testdirName, 'new.db'),
      `${SHOWN}: holds no calendar of this version; correct the URL, or let \`almanac migrate\` upgrade its tables`,
    ],
    [
      file,
      nowhere,
      `${nowhere}: can not be reached (ECONNREFUSED); check DATABASE, and that PostgreSQL runs`,
    ],
  ] as const)
    t.same(await move(['--from', from, '--to', to]), refused(why))
  t.equal(await postsThere(), undefined)

  const holder = new Database(file)
  holder.prepare('select count(*) from posts').get()
  t.same(
    await move(['--from', file, '--to', url]),
    refused(
      `${file}: is in use; stop the service, and whatever else has it open, then try again. Nothing was changed in it`,
    ),
  )
  holder.close()
  t.match(await move(['--from', file]), { code: 2 }, 'a place to move to is needed')
})

t.test('tables that are not as this program knows them are refused', async (t) => {
  await empty()
  const file = await filled(t)
  const target = join(t.testdirName, 'new.db')
  const session = await connect(url)
  await prepareSchema(session, url)
  session.cut()
  await there('update almanac.head set version = 99')
  const newer = { code: 1, complained: /was written by a newer Almanac \(its tables have version 99/ }
  t.match(await move(['--from', file, '--to', url]), newer)
  t.match(await move(['--from', url, '--to', target]), newer)
  await there(`update almanac.head set version = ${versionOf()}`)
  t.notOk(existsSync(target))
  t.match(await move(['--from', url, '--to', join(file, 'inside.db')]), {
    code: 1,
    complained: /inside.db: can not be opened; check the path/,
  })
  await there('drop schema almanac cascade; create schema almanac; create table almanac.other (a int)')
  for (const words of [
    ['--from', file, '--to', url],
    ['--from', url, '--to', target],
  ])
    t.match(await move(words), {
      code: 1,
      complained: /the schema "almanac" holds tables of another program/,
    })
})

t.test('what PostgreSQL has otherwise after it was sent is noticed, and nothing is kept', async (t) => {
  await empty()
  const file = await filled(t)
  const session = await connect(url)
  await prepareSchema(session, url)
  session.cut()
  await there(`create function almanac.spoil() returns trigger language plpgsql as
    $$ begin new.title := 'Spoilt'; return new; end $$;
    create trigger spoil before insert on almanac.posts for each row when (new.id = 5) execute function almanac.spoil()`)
  t.match(await move(['--from', file, '--to', url]), {
    code: 1,
    complained: 'almanac: posts: row 5 of posts is another one in PostgreSQL (title). Nothing was moved\n',
  })
  t.equal(await postsThere(), 0)
  await there(`drop trigger spoil on almanac.posts; create or replace function almanac.spoil() returns trigger
    language plpgsql as $$ begin new.bytes := ''; return new; end $$;
    create trigger spoil before insert on almanac.files for each row execute function almanac.spoil()`)
  t.match(await move(['--from', file, '--to', url]), {
    code: 1,
    complained: /png: PostgreSQL has other bytes of it than were sent\. Nothing was moved/,
  })
  t.equal(await postsThere(), 0)
  await there('drop function almanac.spoil cascade')
  const [name] = filesOf(t)
  rmSync(join(t.testdirName, 'media', name!))
  symlinkSync('/proc/self/mem', join(t.testdirName, 'media', name!)) // a file that can not be read, also by root
  t.match(await move(['--from', file, '--to', url]), { code: 1, complained: /png: can not be opened/ })
  t.equal(await postsThere(), 0)
})

t.test('a connection that breaks leaves nothing half, and says what is not known', async (t) => {
  await empty()
  const file = await filled(t)
  const target = join(t.testdirName, 'new.db')
  const cutAt = (part: string, how: 'cut before' | 'cut after', at = 1) => {
    let left = at
    postgres.tap((statements) => (statements.includes(part) && --left === 0 ? how : undefined))
  }
  t.teardown(() => postgres.tap(() => undefined))
  cutAt('insert into almanac.terms', 'cut before')
  t.match(await move(['--from', file, '--to', url]), { code: 1, complained: /can not be reached/ })
  t.equal(await postsThere(), 0)
  cutAt('delete from almanac.log', 'cut after')
  t.match(await move(['--from', file, '--to', url]), {
    code: 1,
    complained:
      /the connection broke during the commit, so it is not known whether the calendar is there now; look before/,
  })
  t.ok(await postsThere())
  cutAt('fetch', 'cut before')
  t.match(await move(['--from', url, '--to', target]), { code: 1, complained: /can not be reached/ })
  cutAt('encode(bytes', 'cut before', 2)
  const pictures = join(t.testdirName, 'pictures')
  t.match(await move(['--from', url, '--to', target], false, { MEDIA_DIR: pictures }), {
    code: 1,
    complained: /can not be reached/,
  })
  t.notOk(readdirSync(pictures, { recursive: true }).some((name) => String(name).endsWith('.png')))
  t.notOk(readdirSync(t.testdirName).some((name) => name.startsWith('new')))
  await empty()
  const session = await connect(url)
  await prepareSchema(session, url)
  session.cut()
  await there(`create function almanac.refuse() returns trigger language plpgsql as $$ begin raise 'not this'; end $$;
    create trigger refuse before delete on almanac.log for each row execute function almanac.refuse()`)
  t.match(await move(['--from', file, '--to', url]), { code: 1, complained: /PostgreSQL says: not this/ })
  t.equal(await postsThere(), 0)
})

t.test('a move that is interrupted leaves nothing behind', async (t) => {
  await empty()
  const file = await filled(t)
  const target = join(t.testdirName, 'back', 'new.db')
  const interrupt = async (words: string[], part: string, signal: NodeJS.Signals) => {
    let reached = () => {}
    const reachedIt = new Promise<void>((resolve) => {
      reached = resolve
    })
    postgres.tap((statements) => {
      if (!statements.includes(part)) return undefined
      reached()
      return 'hang'
    })
    const moving = startProgram(t, openMeasured(), ['move', ...words], {})
    await reachedIt
    moving.child.kill(signal)
    t.equal(await moving.ended, 1, moving.output())
    postgres.tap(() => undefined)
    return moving.output()
  }
  const told = `${SHOWN}: the move was interrupted. Nothing was moved`
  t.match(await interrupt(['--from', file, '--to', url], 'insert into almanac.links', 'SIGINT'), told)
  t.equal(await postsThere(), 0)
  t.match(await move(['--from', file, '--to', url]), { code: 0 }, 'the file is free, and PostgreSQL empty')
  t.match(await interrupt(['--from', url, '--to', target], 'encode(bytes', 'SIGTERM'), told)
  t.same(readdirSync(join(t.testdirName, 'back')), [])
})
