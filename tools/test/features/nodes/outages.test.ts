import { once as happening } from 'node:events'
import { createServer, connect as dial } from 'node:net'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { settings } from '../../../../drizzle/tables.ts'
import { openConnection, openOutage } from '../../../../src/features/nodes/connection.ts'
import { withSession } from '../../../../src/features/nodes/schema.ts'
import { ConnectionLost, connect, NoUsableHost } from '../../../../src/features/nodes/session.ts'
import { until } from '../../../../test/support/until.ts'
import type { Tap } from '../../support/embedded-postgres.ts'
import { CALM, openNodes, type TestNode, truthOf, truthThere } from '../../support/nodes.ts'

const nodes = await openNodes(t)
const { postgres } = nodes

t.beforeEach(() => nodes.reset())

const write = ({ db }: TestNode, name: string) =>
  db.write(async (tx) => tx.insert(settings).values({ name, value: 'x' }))

/** Does this to the first statements that match, and lets all others pass. */
function once(matching: RegExp, what: Awaited<ReturnType<Tap>>) {
  let done = false
  postgres.tap((text) => {
    if (done || !matching.test(text)) return undefined
    done = true
    return what as undefined
  })
}
/** Does this to all statements that match. */
const always = (matching: RegExp, what: Awaited<ReturnType<Tap>>) =>
  postgres.tap((text) => (matching.test(text) ? (what as undefined) : undefined))

const LOCK = /^begin isolation/
const KEEP = /^insert into almanac.log/
const QUESTION = /^select seq, commit_id, origin/

/** Asks often enough to come back by itself. */
const QUICK = { ...CALM, every: 5, again: 1 }

/** Writes succeed again on either node, and all have the same. */
async function recovers(t: Test, ...all: TestNode[]) {
  postgres.tap(() => undefined)
  for (const node of all) {
    await until(async () => (await node.db.fresh!()) === 0)
    await write(node, `afterwards ${node.file}`)
  }
  for (const node of all) {
    t.equal(await node.db.fresh!(), 0)
    t.strictSame(truthOf(node.db), await truthThere(postgres))
  }
}
const namesThere = async () =>
  (await postgres.ask<{ name: string }>('select name from almanac.settings')).map(({ name }) => name)

for (const [what, statements, kept] of [
  ['cut before', LOCK, false],
  ['cut after', LOCK, false],
  ['cut before', KEEP, false],
  ['cut after', KEEP, true],
  ['hang', LOCK, false],
  ['hang after', LOCK, false],
  ['hang', KEEP, false],
  ['hang after', KEEP, true],
] as const)
  t.test(`a write is ${kept ? 'kept' : 'refused'} after: ${what} ${statements.source}`, async (t) => {
    const timing = { ...QUICK }
    const [one, two] = [
      await nodes.start(t, { timing, follows: false }),
      await nodes.start(t, { timing: QUICK }),
    ]
    await write(two, 'before')
    await one.db.fresh!()
    once(statements, what)
    if (what.startsWith('hang'))
      Object.assign(timing, statements === LOCK ? { lock: 10, answer: 10 } : { commit: 10 })
    const writing = write(one, 'written')
    if (kept) await writing
    else await t.rejects(writing, { code: 'database_unavailable' })
    t.equal((await namesThere()).includes('written'), kept)
    Object.assign(timing, QUICK)
    one.db.close()
    const again = await nodes.start(t, { file: one.file, timing: QUICK })
    await recovers(t, again, two)
  })

t.test('while PostgreSQL is down, reads go on with their age, and writes are refused at once', async (t) => {
  const node = await nodes.start(t, { timing: QUICK })
  await write(node, 'before')
  postgres.down(true)
  await node.said(/does not answer/)
  t.ok((await node.db.fresh!()) >= 1)
  t.match(node.db.replica!.status(), { state: 'alone' })
  await t.rejects(write(node, 'refused'), { code: 'database_unavailable', data: { retry_after: 2 } })
  t.equal(node.db.rows('select 1 from settings').length, 1)
  postgres.down(false)
  await recovers(t, node)
  t.strictSame(
    node.told.map(({ message }) => message),
    [
      'PostgreSQL does not answer: reads go on, writes are refused',
      'PostgreSQL answers again: writes are accepted',
    ],
    'each is told once',
  )
})

t.test('a question that breaks is told with the age of the copy', async (t) => {
  const timing = { ...QUICK }
  const node = await nodes.start(t, { timing, follows: false })
  once(QUESTION, 'hang')
  timing.answer = 10
  t.ok((await node.db.fresh!()) >= 1)
  t.ok((await node.db.fresh!()) >= 1, 'without asking again')
})

t.test('a write whose outcome is not found out in time says so', async (t) => {
  const node = await nodes.start(t, { timing: { ...QUICK, unknown: 0 } })
  postgres.tap((text) => {
    if (!KEEP.test(text)) return undefined
    always(LOCK, 'cut before')
    return 'cut after'
  })
  await t.rejects(write(node, 'unknown'), { code: 'outcome_unknown', data: { retry_after: 5 } })
  await recovers(t, node)
})

t.test('an outcome that is not found out at once is asked for again', async (t) => {
  const node = await nodes.start(t, { timing: { ...QUICK, unknown: 3_600_000 }, follows: false })
  let isSent = false
  let asked = 0
  postgres.tap((text) => {
    if (KEEP.test(text)) isSent = true
    else if (!isSent || !LOCK.test(text) || asked++ > 0) return undefined
    return KEEP.test(text) ? 'cut after' : 'cut before'
  })
  await write(node, 'kept')
  t.equal(asked, 2)
  t.strictSame(await namesThere(), ['kept'])
})

t.test('a node that is closed does not go on asking for an outcome', async (t) => {
  const node = await nodes.start(t, { timing: { ...QUICK, unknown: 3_600_000 } })
  let asked = () => {}
  const asking = new Promise<void>((resolve) => {
    asked = resolve
  })
  let isSent = false
  postgres.tap((text) => {
    if (KEEP.test(text)) isSent = true
    else if (!isSent || !LOCK.test(text)) return undefined
    else asked()
    return KEEP.test(text) ? 'cut after' : 'cut before'
  })
  const writing = write(node, 'unknown')
  await asking
  node.db.close()
  await t.rejects(writing, { code: 'outcome_unknown' })
})

t.test('a group that PostgreSQL refuses is not kept; why is told to operators', async (t) => {
  const node = await nodes.start(t, { timing: QUICK })
  await t.rejects(write(node, 'a NUL \0 in a text'), { code: '22P05' })
  once(KEEP, { error: '53100' })
  await t.rejects(write(node, 'disk full'), { code: 'database_unavailable' })
  once(KEEP, { error: '57P01', severity: 'FATAL' })
  await write(node, 'asked for again').catch((error) => t.match(error, { code: 'database_unavailable' }))
  await recovers(t, node)
})

t.test('a lock that others hold too long is said to be busy, and the next write succeeds', async (t) => {
  const node = await nodes.start(t, { timing: QUICK })
  once(LOCK, { error: '55P03' })
  await t.rejects(write(node, 'x'), { code: 'database_busy', data: { retry_after: 1 } })
  await write(node, 'next')
  once(LOCK, { error: '42501' })
  await t.rejects(write(node, 'x'), { code: '42501' }, 'a mistake of the operator is told as it is')
  once(/^rollback/, { error: 'XX000' })
  await t.rejects(
    node.db.write(async () => Promise.reject(new Error('no'))),
    { message: 'no' },
  )
  await recovers(t, node)
})

t.test('a primary that became a standby is left for another connection', async (t) => {
  const node = await nodes.start(t, { follows: false })
  once(LOCK, { error: '25006' })
  await t.rejects(write(node, 'x'), { code: 'database_unavailable', message: /refuses writes/ })
  t.match(node.db.replica!.status(), {
    state: 'follows',
    trouble: 'writes are refused because PostgreSQL says: the server says 25006 (25006)',
  })
})

t.test(
  'a refusal is told once in the words of PostgreSQL, and its end when a write would succeed',
  async (t) => {
    const node = await nodes.start(t, { timing: QUICK })
    await write(node, 'before')
    const messages = () => node.told.map(({ message }) => message)
    const REFUSED = 'writes are refused because PostgreSQL says: the server says 53100 (53100)'
    always(/^insert into almanac\.log/, { error: '53100' })
    for (let time = 0; time < 3; time++)
      await t.rejects(write(node, 'x'), { code: 'database_unavailable', cause: { code: '53100' } })
    t.same(messages(), [`${REFUSED}; reads go on`])
    t.match(node.db.replica!.status(), { state: 'follows', trouble: REFUSED })
    await node.db.fresh!()
    t.match(
      node.db.replica!.status(),
      { trouble: REFUSED },
      'that it answers questions says nothing of writes',
    )
    postgres.down(true)
    await node.said(/does not answer/)
    t.match(node.db.replica!.status(), { state: 'alone', trouble: /PostgreSQL does not answer/ })
    postgres.down(false)
    await until(() => node.db.replica!.status().state !== 'alone')
    await until(() => node.db.replica!.status().trouble) // it was tried
    postgres.tap(() => undefined)
    await node.said(/answers again/)
    t.same(messages(), [
      `${REFUSED}; reads go on`,
      'PostgreSQL does not answer: reads go on, writes are refused',
      'PostgreSQL answers again: writes are accepted',
    ])
    t.equal(node.db.replica!.status().trouble, undefined)
    t.same(await namesThere(), ['before'], 'an attempt leaves nothing')
    once(KEEP, { error: '53100' })
    await t.rejects(write(node, 'x'), { code: 'database_unavailable' })
    await node.said(/^writes are accepted again/)
    await recovers(t, node)
  },
)

t.test('too many connections are told as such, and a login that fails without its user', async (t) => {
  const node = await nodes.start(t, { timing: QUICK })
  await write(node, 'before')
  postgres.refuse('53300')
  t.teardown(() => postgres.refuse(undefined))
  postgres.cut()
  await node.said(/because PostgreSQL says: the server says 53300 \(53300\); reads go on/)
  t.match(node.db.replica!.status(), { state: 'alone', trouble: /53300/ })
  postgres.refuse('28P01')
  await until(() => /refuses the login \(28P01\)$/.test(node.db.replica!.status().trouble ?? ''))
  postgres.refuse(undefined)
  await node.said(/again/)
  await recovers(t, node)
})

t.test('what a node tells of itself and PostgreSQL does not take is logged once', async (t) => {
  const node = await nodes.start(t, { timing: { ...QUICK, heartbeat: 0 } })
  await postgres.ask('alter table almanac.nodes rename to others')
  await node.said(/count it as silent/)
  let times = 0
  postgres.tap((text) => void (/almanac\.nodes/.test(text) && times++))
  await until(() => times >= 3)
  let refused = 0
  postgres.tap((text) => {
    if (!/almanac\.nodes/.test(text)) return undefined
    refused++
    return { error: '53100' } as never
  })
  await until(() => refused >= 3)
  t.equal(node.told.filter(({ message }) => /silent/.test(message)).length, 1)
  postgres.tap((text) => (/almanac\.nodes/.test(text) ? ('cut before' as never) : undefined))
  await node.said(/PostgreSQL does not answer/)
  postgres.tap(() => undefined)
  node.db.close()
})

t.test('of several hosts, each is told with what is wrong there', async (t) => {
  const { port } = new URL(postgres.url)
  const url = `postgres://postgres:secret@127.0.0.1:1,localhost:2,127.0.0.1:${port}/postgres`
  always(/pg_is_in_recovery/, { instead: 'select true as standby, true as read_only' })
  const told = {
    message: new RegExp(
      `^127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; localhost:2: .*ECONNREFUSED.*:2; 127.0.0.1:${port}: is a standby$`,
    ),
  }
  await t.rejects(connect(url), told)
  const outage = openOutage()
  const link = openConnection(url, outage, CALM)
  await t.rejects(link.get(), told)
  await t.rejects(link.get(), told, 'without trying again at once')
  t.equal(outage.why(), 'PostgreSQL does not answer (ECONNREFUSED)', 'everybody is told of no hosts')
  await t.rejects(
    withSession(url, async () => {}),
    { message: /: no host of it can be used \(127.0.0.1:1: / },
  )
  const standbys = `postgres://postgres:secret@127.0.0.1:${port},127.0.0.1:${port}/postgres`
  await t.rejects(
    withSession(standbys, async () => {}),
    { message: /is a read-only standby; name the primary/ },
  )
  let asked = 0
  postgres.tap((text) =>
    /pg_is_in_recovery/.test(text)
      ? ({ instead: `select false as standby, ${++asked < 3} as read_only` } as never)
      : undefined,
  )
  const three = `postgres://postgres:secret@127.0.0.1:${port},127.0.0.1:${port},127.0.0.1:${port}/postgres`
  const session = await connect(three)
  t.equal(asked, 3, 'one that can be written to is looked for')
  session.cut()
  asked = -9
  const readOnly = await connect(standbys)
  t.notOk(readOnly.isOver(), 'a primary that is read-only is better than none')
  readOnly.cut()
})

t.test('a host with several addresses is told with what is wrong at each', async (t) => {
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  const socket = dial({
    ...{ host: 'db', port: 1, autoSelectFamily: true },
    lookup: (_name, _options, answer) => answer(null, addresses),
  })
  const [error] = await happening(socket, 'error')
  t.equal(error.message, '', 'Node says nothing of its own about several addresses')
  t.match(
    new NoUsableHost([['db:1', error]]).message,
    /^db:1: connect E\w+ ::1:1.*, connect E\w+ 127\.0\.0\.1:1/,
  )
})

t.test('what PostgreSQL has and the file could not take is brought, or said to be unknown', async (t) => {
  // one that follows would find that the group does not fit, and be stale, if it looked while the trigger is there
  const node = await nodes.start(t, { timing: QUICK, follows: false })
  const other = new Database(node.file)
  t.teardown(() => other.close())
  other.exec(
    "create trigger no before insert on settings when new.value = 'x' begin select raise(fail, 'no'); end",
  )
  // the first time the group is applied, the trigger is there
  await t.rejects(write(node, 'x'), /no/)
  other.exec('drop trigger no')
  other.exec(
    "create trigger no before update on replica when new.seq = 1 begin select raise(fail, 'no'); end",
  )
  await t.rejects(write(node, 'y'), /no/)
  other.exec('drop trigger no')
  let isSent = false
  postgres.tap((text) => {
    if (isSent && LOCK.test(text))
      other.exec(
        "create trigger no before insert on settings begin select raise(fail, 'the disk is full'); end",
      )
    if (KEEP.test(text)) isSent = true
    return KEEP.test(text) ? 'cut after' : undefined
  })
  await t.rejects(write(node, 'kept'), {
    code: 'outcome_unknown',
    cause: { message: /disk is full/ },
  })
  t.strictSame(await namesThere(), ['kept'])
  other.exec('drop trigger no')
  await recovers(t, node)
})

t.test('a copy that can not take what others wrote says so once, and goes on when it can', async (t) => {
  const [one, two] = [await nodes.start(t, { timing: QUICK }), await nodes.start(t, { timing: QUICK })]
  const other = new Database(one.file)
  t.teardown(() => other.close())
  // SQLITE_ERROR, which tells nothing of the copy
  other.exec('create trigger no before insert on settings begin select 1 from missing; end')
  await write(two, 'there')
  await one.said(/could not be brought here/)
  t.match(one.db.replica!.status(), {
    state: 'stuck',
    trouble: /^what other nodes write can not be written here: .+ \(SQLITE_ERROR\)$/,
  })
  t.ok(one.db.lag!() >= 1)
  t.ok((await one.db.fresh!()) >= 1)
  t.ok((await one.db.fresh!()) >= 1)
  t.equal(one.told.length, 1)
  other.exec('drop trigger no')
  await one.said(/is brought here again/)
  postgres.mute(true)
  always(/^select seq, commit_id, rows/, { error: '42P01' })
  await write(two, 'more')
  await until(() => one.db.replica!.status().state === 'stuck')
  t.match(one.db.replica!.status().trouble, /: the log says why$/)
  postgres.tap(() => undefined)
  await until(() => one.db.replica!.status().state === 'follows')
  t.equal(one.db.lag!(), 0)
  await recovers(t, one, two)
})

t.test('a copy that lacks what is older than a minute is far behind until it has that', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await one.db.fresh!()
  postgres.mute(true)
  await write(two, 'old')
  await postgres.ask("update almanac.log set at = now() - interval '2 hours'")
  t.equal(one.db.lag!(), 0, 'it does not know yet')
  let release = () => {}
  const held = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined)
  })
  postgres.tap((text) => (/^select seq, commit_id, rows/.test(text) ? held : undefined))
  const following = one.db.fresh!()
  await until(() => one.db.replica!.status().state === 'behind')
  t.ok(one.db.lag!() >= 7_200)
  t.ok((await one.db.fresh!()) >= 7_200, 'nobody waits for it')
  release()
  t.equal(await following, 0)
  t.match(one.db.replica!.status(), { state: 'follows', age: 0 })
  t.equal(one.db.lag!(), 0)
})

t.test('a host that accepts and says nothing is left after a while, and others are tried', async (t) => {
  const silent = createServer(() => {})
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  t.teardown(() => silent.close())
  const { port } = silent.address() as { port: number }
  const { port: its } = new URL(postgres.url)
  const url = (hosts: string) => `postgres://postgres:secret@${hosts}/postgres`
  await t.rejects(connect(url(`127.0.0.1:${port}`), 500), { message: /did not answer for 0.5 s/ })
  const session = await connect(url(`127.0.0.1:${port},127.0.0.1:${its}`), 1_000)
  session.cut()
  t.ok(session.isOver())
  await t.rejects(session.run('select 1'), new ConnectionLost('the connection to PostgreSQL is at its end'))
  always(/pg_is_in_recovery/, { instead: 'select true as standby' })
  await t.rejects(connect(url(`127.0.0.1:1,127.0.0.1:${its}`)), { code: 'ECONNREFUSED' })
  await t.rejects(connect(url(`127.0.0.1:${its},127.0.0.1:1`)), { code: 'ECONNREFUSED' })
})

t.test('a connection whose link ends while it is made ends as well', async (t) => {
  const link = openConnection(postgres.url, openOutage(), CALM, async () => link.end())
  const session = await link.get()
  t.ok(session.isOver())
})
