import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { TABLES } from '../../src/store/postgres/rows.ts'
import { prepareSchema } from '../../src/store/postgres/schema.ts'
import { connect } from '../../src/store/postgres/session.ts'
import { almanac } from '../support/almanac.ts'
import { build, EVENT } from '../support/app.ts'
import { embeddedPostgres } from '../support/embedded-postgres.ts'
import { draw, filesOf, raw } from '../support/pictures.ts'
import { seed } from '../support/seed.ts'

const postgres = await embeddedPostgres()
t.teardown(() => postgres.close())
const { url, pg } = postgres
const SHOWN = url.replace('secret', '***')

/** Nothing in PostgreSQL, as before the first start. */
const empty = () => pg.exec('drop schema if exists almanac cascade')

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
  const { rows } = await pg.query<{ there: boolean }>(
    "select to_regclass('almanac.posts') is not null as there",
  )
  if (!rows[0]!.there) return undefined
  return (await pg.query<{ size: number }>('select count(*)::int as size from almanac.posts')).rows[0]!.size
}

t.test('a calendar goes to PostgreSQL and back as it was, with its pictures', async (t) => {
  await empty()
  const file = await filled(t)
  const back = join(t.testdirName, 'back', 'b.db')
  const before = rowsOf(file)
  t.ok(before.rows.posts.length > 8 && before.rows.marks.length === 3000 && before.rows.webhooks.length === 0)
  rmSync(join(t.testdirName, 'media', filesOf(t)[0]!))
  t.equal(filesOf(t).length > 0, true)

  const there = await move(['--from', file, '--to', url], true)
  t.match(there, { code: 0, complained: '' })
  t.match(there.printed, `${SHOWN} holds 5 events, 2 venues, 2 organizers: `)
  t.match(there.printed, '1 files of pictures were not there.')
  t.match(there.printed, `${file} is as it was: start no service on it any more.`)
  t.equal(await postsThere(), before.rows.posts.length)
  t.same(rowsOf(file), before, 'the file is as it was')
  const { rows: heads } = await pg.query(
    'select seq::int, (select count(*)::int from almanac.log) as log from almanac.head',
  )
  t.same(heads, [{ seq: 1, log: 1 }])

  const returned = await almanac(url, ['move', '--to', back, '--json'], true)
  t.equal(returned.code, 0, returned.complained)
  t.match(JSON.parse(returned.printed), {
    ...{ from: SHOWN, to: back, events: 5, venues: 2, organizers: 2, missing: 1 },
    files: filesOf(t).length,
  })
  t.same(rowsOf(back), before)
  for (const name of filesOf(t))
    t.same(
      readFileSync(join(t.testdirName, 'back', 'media', name)),
      readFileSync(join(t.testdirName, 'media', name)),
    )
  t.same(readdirSync(join(t.testdirName, 'back')).sort(), ['b.db', 'media'])
  t.match(await almanac(back, ['check']), { code: 1, printed: /In 13 records differs:\n {2}picture .*\n$/ })

  const again = join(t.testdirName, 'back', 'c.db')
  t.match(await move(['--from', url, '--to', again]), { code: 0 }, 'the same files of pictures may be there')
  const name = filesOf(t)[0]!
  writeFileSync(join(t.testdirName, 'back', 'media', name), 'another')
  rmSync(again)
  t.match(await move(['--from', url, '--to', again]), {
    code: 1,
    complained: /media\/.*: exists already, and is another file; move it away, or name another MEDIA_DIR/,
  })
  t.notOk(existsSync(again))
  t.match(
    await move(['--from', file, '--to', url]),
    refused(`${SHOWN}: holds a calendar already; name an empty database. Nothing was changed in it`),
  )
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
    [url, join(t.testdirName, 'new.db'), `${SHOWN}: holds no calendar; correct the URL`],
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
  for (const [version, why] of [
    [99, /was written by a newer Almanac \(its tables have version 99/],
    [0, /an earlier Almanac made its tables; upgrade them first: almanac migrate/],
  ] as const) {
    await pg.query(`update almanac.head set version = ${version || 1}`)
    if (version === 0) continue
    t.match(await move(['--from', file, '--to', url]), { code: 1, complained: why })
    t.match(await move(['--from', url, '--to', target]), { code: 1, complained: why })
  }
  t.notOk(existsSync(target))
  t.match(await move(['--from', url, '--to', join(file, 'inside.db')]), {
    code: 1,
    complained: /inside.db: can not be opened; check the path/,
  })
  await pg.exec('drop schema almanac cascade; create schema almanac; create table almanac.other (a int)')
  for (const words of [
    ['--from', file, '--to', url],
    ['--from', url, '--to', target],
  ])
    t.match(await move(words), {
      code: 1,
      complained: /the schema "almanac" holds tables of another program/,
    })
})
