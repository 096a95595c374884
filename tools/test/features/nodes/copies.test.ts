import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { application_passwords, settings, users } from '../../../../drizzle/tables.ts'
import { buildApp } from '../../../../src/app.ts'
import { readConfig } from '../../../../src/config.ts'
import { prepareCopy, renewCopy } from '../../../../src/features/nodes/copy.ts'
import { versionOf } from '../../../../src/features/nodes/schema.ts'
import { openDb } from '../../../../src/kernel/database/db.ts'
import { COPY_AGE } from '../../../../src/kernel/output/header-values.ts'
import { keepServing } from '../../../../src/run/serve.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { findDamage, findDifferences } from '../../../../test/support/damage.ts'
import { EVENT, NOW, ROOT } from '../../../../test/support/given.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { until } from '../../../../test/support/until.ts'
import { CALM, openNodes, type TestNode, truthOf, truthThere } from '../../support/nodes.ts'

const nodes = await openNodes(t)
const { postgres } = nodes

t.beforeEach(() => nodes.reset())

const write = ({ db }: TestNode, name: string) =>
  db.write(async (tx) => tx.insert(settings).values({ name, value: 'x' }))
const SITE = { zone: 'UTC', currency: 'USD', languages: ['en', 'ca', 'es'] }

/** An application on a copy, with the token of an administrator if it is the first. */
async function serve(t: Test, file: string, env: Record<string, string> = {}) {
  const config = readConfig({
    ...{ DATABASE: postgres.url, REPLICA: file, MEDIA_DIR: `${file}.media`, MAX_DELAY: '0' },
    ...env,
  })
  await prepareCopy({ url: postgres.url, file }, { print() {}, progress() {} })
  const app = await buildApp({ config, clock: () => NOW })
  t.teardown(() => app.close())
  return app
}

async function addToken(app: Awaited<ReturnType<typeof serve>>) {
  const id = await app.store.db.write(async (tx) => {
    const [user] = await tx
      .insert(users)
      .values({ login: 'admin', role: 'administrator', created_utc: '' })
      .returning()
    return user!.id
  })
  const { token } = await app.store.tokens.add(id, 'test', ['read', 'write', 'admin'], null)
  return { authorization: `Bearer ${token}` }
}

t.test(
  'what is written through one node is answered by another, and a copy taken later is the same',
  async (t) => {
    t.testdir()
    const one = await serve(t, join(t.testdirName, 'one.db'))
    const headers = await addToken(one)
    const two = await serve(t, join(t.testdirName, 'two.db'))
    const send = async (
      app: typeof one,
      method: 'POST' | 'PATCH' | 'DELETE' | 'GET',
      url: string,
      payload?: object,
    ) => {
      const answer = await app.inject({ method, url: ROOT + url, headers, ...(payload && { payload }) })
      t.ok(answer.statusCode < 300, `${method} ${url}: ${answer.payload}`)
      t.equal(answer.headers[COPY_AGE], undefined)
      return answer.json()
    }
    const event = await send(one, 'POST', '/events', {
      ...EVENT,
      ...{ categories: ['music'], tags: ['a', 'b'], description: '<p>Choir & "band"\n\\</p>' },
      venue: { venue: 'Hall', city: 'Vic', geo_lat: 41.38506312345679, geo_lng: 2 },
      organizer: [{ organizer: 'Choir' }],
    })
    const read = await send(two, 'GET', `/events/${event.id}`)
    t.strictSame(read, await send(one, 'GET', `/events/${event.id}`))
    await send(two, 'PATCH', `/events/${event.id}`, {
      title: 'Another title',
      tags: ['b', 'c'],
      password: 'secret',
    })
    const other = await send(one, 'POST', '/events', { ...EVENT, title: 'Second' })
    await send(two, 'PATCH', `/venues/${event.venue.id}`, { venue: 'Old Hall' })
    await send(one, 'DELETE', `/events/${other.id}?force=true`)
    await send(two, 'GET', '/events?search=another')
    t.strictSame(await send(one, 'GET', `/events/${event.id}`), await send(two, 'GET', `/events/${event.id}`))
    const late = join(t.testdirName, 'late.db')
    t.match(
      await nodes.prepare(late),
      /late.db has what postgres:\/\/postgres:\*\*\*@127.0.0.1:\d+\/postgres keeps, up to group \d+: taken in /,
    )
    const third = await serve(t, late)
    const there = await truthThere(postgres)
    for (const app of [one, two, third]) {
      await app.store.db.fresh!()
      t.strictSame(truthOf(app.store.db), there)
      t.strictSame(await findDifferences(app.store.db, { clock: () => NOW, ...SITE }), [])
      t.strictSame(findDamage(app.store.db), [])
    }
  },
)

t.test(
  'without PostgreSQL, signed-in reads have an age or are refused, and others are answered',
  async (t) => {
    t.testdir()
    const one = await serve(t, join(t.testdirName, 'one.db'))
    const headers = await addToken(one)
    const strict = await serve(t, join(t.testdirName, 'two.db'), { STALE_READS: 'off' })
    postgres.down(true)
    const get = (app: typeof one, signed = true) =>
      app.inject({ url: `${ROOT}/events`, ...(signed && { headers }) })
    const answer = await get(one)
    t.equal(answer.statusCode, 200)
    t.match(answer.headers[COPY_AGE], /^\d+$/)
    const refused = await get(strict)
    t.match(
      { status: refused.statusCode, after: refused.headers['retry-after'], ...refused.json() },
      { status: 503, after: '2', code: 'database_unavailable' },
    )
    t.equal((await get(strict, false)).statusCode, 200)
    for (const app of [one, strict]) {
      const wrote = await app.inject({ method: 'POST', url: `${ROOT}/events`, headers, payload: EVENT })
      t.match({ status: wrote.statusCode, ...wrote.json() }, { status: 503, code: 'database_unavailable' })
    }
  },
)

/** What makes a copy stale, with what is said of it; each leaves the copy of a closed node. */
const PARTINGS: [why: RegExp, part: (file: string) => unknown][] = [
  [
    /what followed group 1 is no longer in the log/,
    () => postgres.ask('delete from almanac.log where seq < 3'),
  ],
  [
    /group 1 is another one in PostgreSQL: a failover lost what this copy has/,
    () => postgres.ask('update almanac.log set commit_id = gen_random_uuid() where seq = 1'),
  ],
  [
    /it has group 1, and PostgreSQL has 0 at most: a failover lost what came after/,
    () =>
      postgres.ask(
        'delete from almanac.log where seq > 0; update almanac.head set seq = 0, commit_id = (select commit_id from almanac.log)',
      ),
  ],
  [/it is of another calendar/, () => postgres.ask('update almanac.head set origin = gen_random_uuid()')],
]

for (const [why, part] of PARTINGS)
  t.test(`a copy is taken anew: ${why.source}`, async (t) => {
    const writer = await nodes.start(t)
    await write(writer, 'first')
    const sleeper = await nodes.start(t, { follows: false })
    const [asker, starter] = [await nodes.start(t), await nodes.start(t)]
    await starter.db.fresh!()
    await asker.db.fresh!()
    starter.db.close()
    postgres.tap((text) => (/almanac/.test(text) ? 'cut before' : undefined))
    await write(writer, 'lost').catch(() => {})
    postgres.tap(() => undefined)
    await postgres.ask(
      `insert into almanac.log select seq + 1, gen_random_uuid(), now(), 'n', '{}' from almanac.head;
       insert into almanac.log select seq + 2, gen_random_uuid(), now(), 'n', '{}' from almanac.head;
       update almanac.head set seq = 3, commit_id = (select commit_id from almanac.log where seq = 3)`,
    )
    await part(starter.file)
    const stale: string[] = []
    sleeper.db.replica!.onStale((said) => stale.push(said))
    await t.rejects(write(sleeper, 'refused'), { code: 'database_unavailable', data: { retry_after: 5 } })
    await t.rejects(write(sleeper, 'refused again'), { code: 'database_unavailable' })
    t.match(stale, [why])
    sleeper.db.replica!.onStale((said) => stale.push(said))
    t.equal(stale.length, 2, 'who asks later is told at once')
    t.ok((await asker.db.fresh!()) >= 1, 'nothing is brought')
    t.ok((await asker.db.fresh!()) >= 1)
    const isUsual = why.source.includes('no longer in the log')
    const said = await asker.said(isUsual ? /is taken anew$/ : /CAN NOT BE FOLLOWED/)
    t.match(said, { level: isUsual ? 'warn' : 'error', what: { why } })
    t.match(asker.db.replica!.status(), { state: 'stale', leads: false })
    t.match(await nodes.prepare(starter.file), why)
    const renewed = await nodes.start(t, { file: starter.file })
    t.equal(await renewed.db.fresh!(), 0)
    await write(renewed, 'goes on')
  })

t.test('groups that are removed between two questions are noticed', async (t) => {
  const [one, two, third] = [
    await nodes.start(t),
    await nodes.start(t),
    await nodes.start(t, { follows: false }),
  ]
  await one.db.fresh!()
  postgres.mute(true)
  for (const name of ['a', 'b', 'c']) await write(two, name)
  postgres.tap((text) => {
    if (/^select seq, commit_id, rows/.test(text))
      return { instead: text.replace('where seq >', 'where seq > 1 and seq >') }
    if (/^begin isolation/.test(text))
      return {
        instead: text.replace(
          /from almanac.log where seq > (\d+) order/,
          'from almanac.log where seq > $1 + 1 order',
        ),
      }
    return undefined
  })
  one.db.replica!.onStale(() => {})
  t.ok((await one.db.fresh!()) >= 1)
  t.equal(one.db.replica!.status().state, 'stale')
  await t.rejects(write(third, 'x'), { code: 'database_unavailable' })
  t.equal(third.db.replica!.status().state, 'stale')
})

t.test('a node that lacks many groups refuses writes until it has followed', async (t) => {
  const [one, two] = [await nodes.start(t, { follows: false }), await nodes.start(t)]
  postgres.mute(true)
  for (let left = 101; left > 0; left--) await write(two, `write ${left}`)
  await t.rejects(write(one, 'too early'), { code: 'database_busy', data: { retry_after: 1 } })
  t.equal(await one.db.fresh!(), 0)
  await write(one, 'now')
})

t.test('a newer version ends writing, and reads go on', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t, { follows: false })]
  await write(one, 'before')
  await postgres.ask('update almanac.head set version = version + 1')
  const NEWER = { code: 'database_unavailable', message: /^A newer Almanac/, data: { retry_after: 30 } }
  await t.rejects(write(one, 'x'), NEWER)
  await t.rejects(write(two, 'x'), NEWER)
  t.match(await one.said(/a newer Almanac has changed the tables/), {
    level: 'error',
    what: { version: versionOf() + 1 },
  })
  t.equal(one.db.rows('select 1 from settings').length, 1)
  t.ok((await one.db.fresh!()) >= 1)
  const status = one.db.replica!.status()
  t.match(status, { state: 'outdated', leads: false })
  t.ok(status.age >= 1)
  await t.rejects(nodes.prepare(one.file), { message: /was written by a newer Almanac/ })
})

t.test('a node that was too old goes on by itself once the tables are those of its version', async (t) => {
  const one = await nodes.start(t, { timing: { ...CALM, every: 5, heartbeat: 0 } })
  await write(one, 'before')
  await until(() => one.db.leads())
  const states = (state: string) => until(() => one.db.replica!.status().state === state)
  await postgres.ask('update almanac.head set version = version + 1')
  await states('outdated')
  await t.rejects(write(one, 'x'), { message: /^A newer Almanac/ })
  await postgres.ask('update almanac.head set version = version - 1')
  await states('follows')
  await one.said(/tables in PostgreSQL are those of this version again/)
  await write(one, 'after')
  await until(() => one.db.leads())
  t.match(one.db.replica!.status(), { state: 'follows', age: 0 })

  await postgres.ask('update almanac.head set version = version + 1')
  await states('outdated')
  t.equal(one.told.filter(({ message }) => /a newer Almanac/.test(message)).length, 2, 'each time once')
  let why: string | undefined
  one.db.replica!.onStale((told) => {
    why = told
  })
  t.equal(why, undefined, 'no copy is taken of tables that it does not know')
  await postgres.ask('update almanac.head set version = version - 1, origin = gen_random_uuid()')
  await states('stale')
  t.equal(why, 'it is of another calendar')
})

t.test('a copy is taken anew of tables that this program knows', async (t) => {
  const one = await nodes.start(t)
  let closed = 0
  const renew = () =>
    renewCopy({ url: postgres.url, file: one.file }, { warn() {}, error() {} }, async () => {
      closed++
      one.db.close()
    })
  await postgres.ask('update almanac.head set version = version + 1, origin = gen_random_uuid()')
  await t.rejects(renew(), { message: /was written by a newer Almanac/ })
  t.equal(closed, 0, 'it goes on answering')
  await postgres.ask('update almanac.head set version = version - 1')
  await renew()
  t.equal(closed, 1)
  t.equal(await nodes.prepare(one.file), '', 'and it follows')
})

t.test('a node that can not follow gives the lease up', async (t) => {
  const one = await nodes.start(t, { timing: { ...CALM, every: 5, heartbeat: 0 } })
  await until(() => one.db.leads())
  await postgres.ask('update almanac.head set version = version + 1')
  await one.said(/a newer Almanac/)
  t.notOk(one.db.leads())
  await until(async () => (await postgres.ask('select 1 from almanac.leases')).length === 0)
  t.equal((await postgres.ask('select 1 from almanac.nodes')).length, 1, 'and is still known')
})

t.test('a copy that what others wrote does not fit is stale', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await one.db.fresh!()
  // a row that nothing in PostgreSQL knows of
  await one.db.local(async (tx) =>
    tx.insert(users).values({ id: 9, login: 'maria', role: 'editor', created_utc: '' }),
  )
  await two.db.write(async (tx) =>
    tx.insert(users).values({ id: 10, login: 'maria', role: 'editor', created_utc: '' }),
  )
  await one.db.fresh!()
  t.match(await one.said(/CAN NOT BE FOLLOWED/), { what: { why: /^group 1 does not fit it \(UNIQUE/ } })
  // what the file refuses after PostgreSQL has it
  await t.rejects(
    two.db.write(async (tx) => {
      tx.run(sql`pragma defer_foreign_keys = on`)
      await tx.insert(application_passwords).values({ user_id: 99, name: '', hash: '', created_utc: '' })
    }),
    { code: 'outcome_unknown', cause: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } },
  )
})

t.test('a picture that is here after all is no file that was left behind', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await two.db.local(
    async (tx) => void tx.run(sql`insert into loose_files (names, given_up) values ('["a.png","b.png"]', 0)`),
  )
  await one.db.write(async (tx) => {
    tx.run(sql`insert into users (id, login, role, created_utc) values (1, 'u', 'editor', '')`)
    tx.run(sql`insert into media (author_id, file, mime_type, extension, width, height, filesize, sizes, date_utc)
      values (1, 'a.png', 'image/png', 'png', 1, 1, 1, '{}', '')`)
  })
  await two.db.fresh!()
  t.strictSame(two.db.rows('select 1 from loose_files'), [])
  await one.db.write(async (tx) => void tx.run(sql`delete from media`))
  await two.db.fresh!()
  t.strictSame(two.db.rows('select 1 from media'), [])
})

t.test('a file is a copy only if it is one, and is left alone otherwise', async (t) => {
  const folder = t.testdir({
    damaged: 'not a database, but long enough to be read as one'.repeat(9),
    empty: '',
  })
  const at = (name: string) => join(folder, name)
  openDb(at('own')).close()
  const before = readFileSync(at('own'))
  await t.rejects(nodes.prepare(at('own')), {
    message: /is a database of its own, not a copy of what PostgreSQL keeps; name another file in REPLICA/,
    unusable: true,
  })
  t.strictSame(readFileSync(at('own')), before)
  const other = new Database(at('other'))
  other.exec('create table stars (name text)')
  other.close()
  await t.rejects(nodes.prepare(at('other')), { message: /is a database of another program/ })
  t.match(await nodes.prepare(at('empty')), /empty has what/)
  t.match(await nodes.prepare(at('damaged')), /IS THROWN AWAY AND TAKEN ANEW: it can not be read/)
  for (const [change, why] of [
    ['delete from migrations where rowid = 1', /another version of Almanac made it/],
    ["insert into site values (1, 'UTC', '[]', 'EUR', 1)", /another version of Almanac derived its data/],
  ] as const) {
    const copy = new Database(at('empty'))
    copy.pragma('journal_mode = WAL')
    copy.exec(change)
    await t.rejects(nodes.prepare(at('empty')), { message: /is in use/ })
    copy.close()
    t.match(await nodes.prepare(at('empty')), why)
  }
  t.equal(await nodes.prepare(at('empty')), '', 'a copy that can follow stays')
  postgres.down(true)
  t.match(
    await nodes.prepare(at('empty')),
    /can not be reached .* The service answers reads from .*empty until it is there again; writes are refused/,
  )
  writeFileSync(at('damaged'), 'damaged again')
  await t.rejects(nodes.prepare(at('damaged')), { message: /can not be reached/ })
  await t.rejects(nodes.prepare(at('missing')), { message: /can not be reached/ })
  t.notOk(existsSync(at('missing')))
})

t.test('a copy is complete or not there, and two processes do not take it at once', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const writer = await nodes.start(t)
  await write(writer, 'x')
  writeFileSync(`${file}.partial`, '')
  postgres.tap((text) => (/^fetch/.test(text) ? 'cut after' : undefined))
  await t.rejects(nodes.prepare(file), { message: /can not be reached/ })
  t.strictSame([existsSync(file), existsSync(`${file}.partial`)], [false, false])
  postgres.tap(() => undefined)
  const other = new Database(`${file}.partial`)
  other.exec('begin exclusive')
  await t.rejects(nodes.prepare(file), { message: /another process takes this copy; try again/ })
  other.close()
  await nodes.prepare(file)
  t.notOk(existsSync(`${file}.partial`))
  t.equal(statSync(file).mode & 0o077, 0)
})

t.test('a service whose copy is stale takes it anew beside, and starts on it', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const port = String(await freePort())
  const env = { DATABASE: postgres.url, REPLICA: file, PORT: port, LOG_LEVEL: 'silent' }
  const service = await keepServing(readConfig(env), { print() {}, terminal: false }, () => {}, 1)
  t.teardown(() => service.stop())
  const health = () =>
    fetch(`http://127.0.0.1:${port}${ROOT}/events`).then(
      ({ status }) => status,
      () => 0,
    )
  t.equal(await health(), 200)
  const origin = () => {
    const db = new Database(file, { readonly: true })
    try {
      return db.prepare('select origin from replica').pluck().get()
    } finally {
      db.close()
    }
  }
  const before = origin()
  const log = service.log
  let failures = 0
  postgres.tap((text) =>
    /^begin isolation level repeatable/.test(text) && failures++ < 2 ? 'cut before' : undefined,
  )
  await postgres.ask('update almanac.head set origin = gen_random_uuid()')
  await until(() => service.log !== log)
  t.equal(failures, 3, 'it was tried again')
  t.not(origin(), before)
  t.equal(await health(), 200)
  const { code, complained } = await almanac(
    postgres.url,
    ['user', 'add', 'maria', '--role', 'editor'],
    false,
    { REPLICA: file },
  )
  t.equal(code, 0, complained)
})
