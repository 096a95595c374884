import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { DERIVATION } from '../../../src/kernel/database/stored-settings.ts'
import { almanac } from '../../support/almanac.ts'
import { must } from '../../support/answers.ts'
import { tamper } from '../../support/damage.ts'
import { setBack } from '../../support/earlier.ts'
import { EVENT } from '../../support/given.ts'
import { seed } from '../../support/seed.ts'
import { openRecords, type Records } from '../../support/store.ts'

/** A store on a database in a file, with something of everything in it. */
async function filled(t: Test): Promise<{ calendar: Records; file: string }> {
  const file = join(t.testdir(), 'a.db')
  const calendar = await openRecords(t, { env: { DATABASE: file } })
  await seed(calendar)
  for (const more of [
    { status: 'draft' },
    { hide_from_listings: true, tags: ['open air'] },
    { password: 'hush', excerpt: 'Short', description: 'Long' },
    { date: '2026-11-30 08:00:00' },
  ])
    await calendar.editor.create('event', { ...EVENT, ...more })
  const { body } = await calendar.editor.create('event', EVENT)
  await calendar.editor.remove('event', body.id)
  await calendar.store.words.merge()
  return { calendar, file }
}

t.test('what writes stored is as a rebuild would make it', async (t) => {
  const { file } = await filled(t)
  const { code, printed } = await almanac(file, ['check', '--json'])
  t.equal(code, 0, printed)
  t.same(JSON.parse(printed), {
    ok: true,
    records: 12,
    total: 0,
    kinds: {
      ...{ integrity: 0, reference: 0, record: 0, copy: 0, picture: 0, time: 0, link: 0 },
      ...{ search: 0, document: 0, listing: 0, count: 0, file: 0 },
    },
    differences: [],
  })
  t.same(await almanac(file, ['check'], true), {
    code: 0,
    printed: 'Nothing differs in 12 records.\n',
    complained: '',
  })
  t.match(await almanac(file, ['rebuild']), {
    code: 0,
    printed: 'Nothing had to be changed in 12 records.\n',
  })
})

t.test('nothing leads to what was deleted for ever', async (t) => {
  const { calendar, file } = await filled(t)
  const { editor } = calendar
  for (const [kind, id] of [
    ['venue', 2],
    ['organizer', 3],
    ['category', 2],
    ['tag', 3],
  ] as const)
    await must(editor.remove(kind, id, 'force=true'))
  calendar.store.db.close()
  t.match(await almanac(file, ['check'], true), { code: 0, printed: /^Nothing differs in / })
})

t.test('each kind of difference is told with its record, and put right by a rebuild', async (t) => {
  const { calendar, file: right } = await filled(t)
  calendar.store.db.close() // all of it is in one file now
  const file = `${right}.tampered`
  for (const [query, kind, what] of [
    [
      `update documents set body = x'7b7d' where post_id = 1`,
      'document',
      'event 1 has another document (body, json_ld)',
    ],
    [
      `update documents set refs = null where post_id = 1`,
      'document',
      'event 1 has another document (refs, json_ld)',
    ],
    [
      "update events set utc_end_date = '2027-01-01 00:00:00' where post_id = 1",
      'time',
      'event 1 has other times than UTC gives',
    ],
    ['delete from documents where post_id = 2', 'document', 'venue 2 has no document'],
    [`delete from listings where event_id = 1`, 'listing', 'event 1 stands wrong in lists'],
    [`update listings set ends = ends + 1 where event_id = 1`, 'listing', 'event 1 stands wrong in lists'],
    [
      'update listings set protected = 1 - protected where event_id = 1',
      'listing',
      'event 1 stands wrong in lists',
    ],
    [
      'create temp table one as select * from listings limit 1; update one set event_id = 2; insert into listings select * from one',
      'listing',
      'venue 2 stands wrong in lists',
    ],
    [
      "update posts set folded = 'x' where id = 3",
      'search',
      'organizer 3 is searched by other texts than it has',
    ],
    [
      "update posts set folded_title = 'x' where id = 2",
      'search',
      'venue 2 is searched by other texts than it has',
    ],
    [
      "update terms set folded_name = 'x' where id = 1",
      'search',
      'category 1 is found by another name than it has',
    ],
    [
      "update posts set folded = 'x' where id = 1",
      'search',
      'event 1 is searched by other texts than it has',
    ],
    [
      "delete from postings where word = (select -id from words where word = 'short')",
      'search',
      'event 7 stands wrong in the search index',
    ],
    ["delete from words where word = 'short'", 'search', 'event 7 stands wrong in the search index'],
    [
      "insert into postings select id, 0, x'02' from words where word = 'short'",
      'search',
      'event 1 stands wrong in the search index',
    ],
    [
      "insert into postings select id, 0, x'40' from words where word = 'short'",
      'search',
      'event 63 stands in the search index and does not exist',
    ],
    ['update terms set count = 7 where id = 2', 'count', 'category 2 counts 7 events and has 1'],
    ["insert into links values (1, 'tag', 1, 9)", 'link', 'event 1 is linked to tag 1, which does not exist'],
    [
      "insert into links values (1, 'venue', 999, 9)",
      'link',
      'event 1 is linked to venue 999, which does not exist',
    ],
  ] as const) {
    copyFileSync(right, file)
    tamper(file, query)
    const told = await almanac(file, ['check'])
    t.equal(told.code, 1, query)
    t.match(told.printed, `In 12 records differs:\n  ${kind.padEnd(10)}${what}\n`)
    t.match(told.complained, /^almanac: \d+ differences?; `almanac rebuild` corrects (it|them)\n$/)
    const rebuilt = await almanac(file, ['rebuild', '--json'])
    t.equal(rebuilt.code, 0)
    t.match(JSON.parse(rebuilt.printed), { ok: true, differences: [{ kind, what }] })
    t.match(await almanac(file, ['check']), { code: 0 })
  }
})

/** Columns that the first programs had, from those of today. */
const GONE = {
  listings: {
    start_date: "datetime(starts, 'unixepoch')",
    end_date: "datetime(ends, 'unixepoch')",
    utc_start_date: "datetime(utc_starts, 'unixepoch')",
    utc_end_date: "datetime(utc_ends, 'unixepoch')",
    ...{ listed: '1', start_day: '0', days: '1' }, // no migration reads them
  },
}

t.test('a database of an older program is right after its update', async (t) => {
  const { calendar, file } = await filled(t)
  for (const [title, password] of [
    ['Ünïcödé 音楽祭 🎷🎺', null],
    ['"Quoted", a%b', 'hush'],
  ])
    await calendar.editor.create('event', {
      ...EVENT,
      ...{ title, password, start_date: '0001-01-01', end_date: '9999-12-31', description: 'żółć ' },
    })
  // longer than the pieces that a migration reads texts in
  const description = Array.from({ length: 900 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('é')
  await calendar.editor.create('event', { ...EVENT, description, password: 'hush' })
  await calendar.editor.create('event', { ...EVENT, description: 'x'.repeat(5_000) })
  calendar.store.db.close()
  setBack(file, '0002_documents', GONE)
  t.match(await almanac(file, ['check']), { code: 1, complained: /does not keep its settings yet/ })
  // as if it had been known all along: nothing is derived again, so migrations alone have to be right
  tamper(file, `INSERT INTO site VALUES (1, 'UTC', '["en","ca","es"]', 'USD', ${DERIVATION})`)
  t.match(await almanac(file, ['check']), { code: 0, printed: 'Nothing differs in 16 records.\n' })
})

t.test('an open store shows what was rebuilt beside it', async (t) => {
  const { calendar, file } = await filled(t)
  const titles = async () => {
    const { body } = await calendar.anonymous.list('event', 'categories=music')
    return [body.total, ...body.events.map(({ title }: { title: string }) => title)]
  }
  t.same(await titles(), [1, 'Concert'])
  tamper(
    file,
    "delete from listings; update documents set body = cast(replace(body, 'Concert', 'Concept') as blob)",
  )
  await calendar.editor.create('event', EVENT)
  t.equal((await calendar.anonymous.list('event')).body.events.at(-1).title, 'Concert')
  t.match(await almanac(file, ['rebuild'], true), { code: 0 })
  t.same(await titles(), [1, 'Concert'])
  t.same((await calendar.anonymous.list('event')).body.total, 3)
  t.equal((await calendar.anonymous.read('venue', 2)).body.venue, 'Hall')
})

t.test('what nothing can be derived from takes a backup, and is left alone', async (t) => {
  const { calendar, file } = await filled(t)
  calendar.store.db.close()
  tamper(file, 'delete from organizers where post_id = 3')
  const told = await almanac(file, ['rebuild'])
  t.match(told, { code: 1, complained: 'almanac: the database is damaged; restore a backup\n' })
  t.match(told.printed, /record {4}organizer 3 has lost its fields/)

  tamper(file, "insert into tokens (user_id, name, hash, scopes, created_utc) values (99, '', '', '[]', '')")
  t.match(
    (await almanac(file, ['check'])).printed,
    /reference {1}row \d+ of tokens points to nothing in users/,
  )
  tamper(file, "insert into links (event_id, kind, target_id, position) values (99, 'venue', 2, 0)")
  t.match((await almanac(file, ['check'])).printed, /reference {1}a row of links points to nothing in posts/)

  for (const [damage, what] of [
    [(path: string) => unlist(path), /never used/],
    [(path: string) => scratch(path), /malformed/],
  ] as const) {
    const damaged = `${file}.damaged`
    copyFileSync(file, damaged)
    damage(damaged)
    const { code, printed } = await almanac(damaged, ['check', '--json'])
    t.equal(code, 1)
    t.match(JSON.parse(printed), { ok: false, records: 0, differences: [{ kind: 'integrity', id: 0, what }] })
  }
})

/** Takes an index out of the schema and leaves its pages. */
function unlist(file: string) {
  const db = new Database(file).unsafeMode()
  db.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'posts_kind_slug'")
  db.close()
}

/** Overwrites half a page of an index. */
function scratch(file: string) {
  const db = new Database(file)
  const page = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'posts_kind_slug'").pluck().get()
  db.close()
  const bytes = readFileSync(file)
  bytes.fill(0x55, Number(page) * 4096 - 2000, Number(page) * 4096)
  writeFileSync(file, bytes)
}

t.test('a database that is not there is not made by looking for it', async (t) => {
  const file = join(t.testdir(), 'a.db')
  for (const command of ['check', 'rebuild'])
    t.same(await almanac(file, [command]), {
      code: 1,
      printed: '',
      complained: `almanac: ${file}: does not exist; set DATABASE to the path of the database, or create one there by starting the service\n`,
    })
})

t.test('of many differences some are shown, and all are counted', async (t) => {
  const { calendar, file } = await filled(t)
  for (let at = 0; at < 60; at++) await calendar.editor.create('venue', { venue: `Hall ${at}` })
  tamper(file, 'delete from documents')
  const { printed } = await almanac(file, ['check'])
  t.match(printed, /\n {2}and 19 more\n$/)
  const { total, differences } = JSON.parse((await almanac(file, ['check', '--json'])).printed)
  t.equal(total, 69)
  t.equal(differences.length, 69)
})
