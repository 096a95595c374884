import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import { leftovers } from '../../../../src/calendar/jobs.ts'
import { copiesTaken } from '../../../../src/features/nodes/copy.ts'
import { addressOf } from '../../../../src/features/nodes/node.ts'
import { COPY_AGE } from '../../../../src/kernel/output/header-values.ts'
import { health } from '../../../../src/kernel/server/health.ts'
import { SITE } from '../../../../src/kernel/server/mounts.ts'
import { acceptForwarded, openLag, openStanding } from '../../../../src/run/forwarding.ts'
import { almanac } from '../../../../test/support/almanac.ts'
import { must } from '../../../../test/support/answers.ts'
import { type Api, build, EVENT } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/until.ts'
import { follow, openNode, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const { ask } = postgres

t.test('health, readiness and metrics tell how a node stands', async (t) => {
  const { one, two } = await openPair(t, postgres, { METRICS_TOKEN: 'secret' })
  await must(one.editor.post('/events', EVENT))
  await follow(two)
  const { seq } = one.app.store.db.replica!.status()
  t.ok(seq > 0)
  await until(async () => (await one.anonymous.get('//health')).body.head === seq)
  const { body } = await two.anonymous.get('//health')
  t.match(body, {
    status: 'ok',
    role: 'node',
    state: 'follows',
    seq,
    head: seq,
    lag: 0,
    age: 0,
    leads: Boolean,
  })
  t.same(Object.keys(body), [
    'status',
    'role',
    'state',
    'seq',
    'head',
    'lag',
    'age',
    'leads',
    'clock',
    'publishes',
  ])
  t.equal((await two.anonymous.get('//readyz')).status, 200)

  const metrics = async (node: typeof one) =>
    (await node.anonymous.get('//metrics', undefined, { headers: { authorization: 'Bearer secret' } })).text
  const [ofOne, ofTwo] = [await metrics(one), await metrics(two)]
  for (const line of [
    /^almanac_info\{version="[^"]+",role="node"\} 1$/m,
    /^almanac_node_state\{state="follows"\} 1$/m,
    /^almanac_node_state\{state="stale"\} 0$/m,
    new RegExp(`^almanac_node_seq ${seq}$`, 'm'),
    new RegExp(`^almanac_node_head ${seq}$`, 'm'),
    /^almanac_node_lag_groups 0$/m,
    /^almanac_node_lag_seconds 0$/m,
    // of the process, in which other tests may have run
    new RegExp(`^almanac_node_copies_total ${copiesTaken()}$`, 'm'),
    /^almanac_node_leads [01]$/m,
  ]) {
    t.match(ofOne, line)
    t.match(ofTwo, line)
  }
  t.match(ofOne, /^almanac_node_lock_wait_seconds_count [1-9]/m)
  t.match(ofOne, /^almanac_node_commit_seconds_count [1-9]/m)
  t.match(ofTwo, /^almanac_node_groups_applied_total [1-9]/m)

  postgres.down(true)
  await until(async () => (await two.anonymous.get('//health')).body.state === 'alone')
  t.equal((await two.anonymous.get('//readyz')).status, 200, 'reads go on')
  t.match((await two.anonymous.get('//health')).body, { seq, lag: 0, age: Number })
  postgres.down(false)
  await until(async () => (await two.anonymous.get('//health')).body.state === 'follows')
  await ask('update almanac.head set version = version + 1')
  await until(async () => (await two.anonymous.get('//health')).body.state === 'outdated')
  t.match(await two.anonymous.get('//readyz'), { status: 503, body: { message: /start that version here/ } })
})

t.test('a node whose copy can not be followed is not ready', async (t) => {
  const { one } = await openPair(t, postgres)
  await ask("update almanac.head set origin = '00000000-0000-0000-0000-000000000000'")
  await until(async () => (await one.anonymous.get('//health')).body.state === 'stale')
  t.match(await one.anonymous.get('//readyz'), { status: 503, body: { message: /takes its copy anew/ } })
})

t.test('a node that can not write its copy says so, and how old its answers are', async (t) => {
  const { one, two } = await openPair(t, postgres)
  const strict = await openNode(t, postgres, 'strict', { env: { STALE_READS: 'off' }, users: false })
  await must(one.editor.post('/events', EVENT))
  const late = [two, strict]
  for (const node of late) {
    await follow(node)
    for (let time = 0; time < 3; time++)
      t.equal((await node.anonymous.get('/events')).headers[COPY_AGE], undefined)
  }
  for (const name of ['two', 'strict'])
    new Database(join(t.testdirName, name, 'replica.db'))
      .exec('create trigger no before insert on posts begin select 1 from missing; end')
      .close()
  await must(one.editor.post('/events', EVENT))
  for (const node of late) {
    await until(async () => (await node.anonymous.get('//health')).body.state === 'stuck')
    t.match((await node.anonymous.get('//health')).body, {
      trouble: /^what other nodes write can not be written here: .*missing.* \(SQLITE_ERROR\)$/,
    })
    t.match(await node.anonymous.get('//readyz'), {
      status: 503,
      body: { message: /can not write its copy/ },
    })
  }
  for (const path of ['/events', '//events/'])
    for (let time = 0; time < 3; time++)
      t.match(
        await two.anonymous.get(path),
        { status: 200, headers: { [COPY_AGE]: /^\d+$/ } },
        'no kept answer',
      )
  t.match(await strict.anonymous.get('/events'), {
    status: 503,
    headers: { 'retry-after': '2' },
    body: { code: 'database_unavailable', message: /lacks writes that others have/ },
  })
  t.equal((await strict.anonymous.get('//events/')).status, 503)
  t.equal((await strict.anonymous.get('//healthz')).status, 200)
  t.equal((await strict.anonymous.get('//nothing')).status, 404, 'what shows no records is answered')
  for (const name of ['two', 'strict'])
    new Database(join(t.testdirName, name, 'replica.db')).exec('drop trigger no').close()
  for (const node of late) {
    await until(async () => (await node.anonymous.get('//readyz')).status === 200)
    const { status, headers, body } = await node.anonymous.get('/events')
    t.same([status, headers[COPY_AGE], body.total], [200, undefined, 2])
  }
})

t.test('other processes of a node believe for a second what the writer told of it', async (t) => {
  const standings = [
    { role: 'node', state: 'stuck', age: 7 },
    { role: 'node', state: 'follows', age: 3 },
    { role: 'single' },
  ]
  let now = 10_000
  mock.method(performance, 'now', () => now)
  t.teardown(() => mock.restoreAll())
  const lag = openLag({ fresh: async () => 1 }, async () => {
    const next = standings.shift()
    if (!next) throw new Error('no writer')
    return next as never
  })!
  const after = async (milliseconds: number) => {
    now += milliseconds
    lag()
    await new Promise(setImmediate)
    return lag()
  }
  t.same([await after(0), await after(900), await after(200), await after(2_000)], [7, 7, 0, 0])
  t.equal(await after(2_000), 0, 'without a writer what is known stays')
  t.equal(
    openLag({}, async () => ({ role: 'single' })),
    undefined,
  )
})

t.test('a single service says so', async (t) => {
  const { anonymous } = await build(t, { env: { METRICS_TOKEN: 'secret' } })
  t.same((await anonymous.get('//health')).body, { status: 'ok', role: 'single' })
  const headers = { authorization: 'Bearer secret' }
  const { text } = await anonymous.get('//metrics', undefined, { headers })
  t.match(text, /^almanac_info\{version="[^"]+",role="single"\} 1$/m)
  t.notMatch(text, /almanac_node/)
})

t.test('other processes of a node ask the writer', async (t) => {
  const { one } = await openPair(t, postgres)
  const folder = mkdtempSync(join(tmpdir(), 'a-')) // the path of a socket is short
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { readStatus: read } = openStanding({}, { folder, writes: false })
  await t.rejects(read(), { code: 'rest_not_ready' })
  const reader = Fastify().decorate('metrics', undefined)
  for (const name of ['metrics', 'methods', 'headers']) reader.register(fp(async () => {}, { name }))
  reader.register(health, { version: '1', db: one.app.store.db, readStatus: read, token: undefined })
  t.equal((await reader.inject(`${SITE}/readyz`)).statusCode, 200, 'reads go on without the writer')
  await follow(one) // what the other wrote when it started
  const server = await acceptForwarded(one.app, { folder, writes: true })
  t.teardown(() => server.close())
  // the other node may have written something of its own meanwhile
  await until(async () => ((await read()) as { lag: number }).lag === 0)
  t.match(await read(), { role: 'node', state: 'follows' })
})

t.test('a command lists the nodes', async (t) => {
  const { one, two } = await openPair(t, postgres)
  const list = (...args: string[]) => almanac(postgres.url, ['nodes', ...args])
  const rows = async () => JSON.parse((await list('--json')).printed)
  await until(async () => (await rows()).length === 2)
  const [first, second] = (await rows()).sort((a: { address: string }, b: { address: string }) =>
    a.address.localeCompare(b.address),
  )
  t.match(first, {
    ...{
      address: `${hostname()}:${3000 + 'o'.charCodeAt(0)}`,
      version: /^\d/,
      state: /following|behind/,
      seq: Number,
    },
    ...{ seen_utc: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, started_utc: /^\d{4}/ },
  })
  t.equal([first, second].filter(({ leads }) => leads).length, 1)
  const { code, printed } = await list()
  t.equal(code, 0)
  const lines = printed.trimEnd().split('\n')
  t.match(lines[0], /^NAME +ADDRESS +VERSION +STATE +GROUP +LAST SEEN \(UTC\)$/)
  t.equal(lines.length, 3)
  t.equal(lines.filter((line) => line.endsWith('leads')).length, 1)
  await one.app.close()
  await two.app.close()
  await until(async () => (await rows()).length === 0)
  t.equal((await list()).printed, 'No node is running.\n')
  const add = (name: string, seen: string, state: string, lag: number, started = '0 s') =>
    ask(
      `insert into almanac.nodes values (gen_random_uuid(), '${name}', 'x:1', '1', now() - interval '${started}', now() - interval '${seen}', 7, '${state}', ${lag})`,
    )
  await add('a', '0 s', 'follows', 3)
  await add('b', '1 minute', 'follows', 0)
  await add('c', '0 s', 'stale', 0)
  await add('d', '0 s', 'outdated', 1)
  await add('f', '0 s', 'follows', 0)
  await add('g', '0 s', 'stuck', 4)
  await add('h', '0 s', 'behind', 90)
  await add('e', '2 days', 'follows', 0)
  await add('f', '1 hour', 'follows', 0, '2 hours') // killed, and started again
  const told = (await list()).printed
  t.match(told, /^a .+ behind by 3 /m)
  t.match(told, /^b .+ silent since \d\d:\d\d:\d\d /m)
  t.match(told, /^c .+ takes its copy anew /m)
  t.match(told, /^d .+ needs a newer version /m)
  t.match(told, /^f .+ following /m)
  t.match(told, /^g .+ can not write its copy, behind by 4 /m)
  t.match(told, /^h .+ behind by 90 /m)
  t.notMatch(told, /^e /m)
  t.equal(told.match(/^f /gm)?.length, 1)
  t.match(await almanac(join(t.testdirName, 'a.db'), ['nodes']), {
    code: 1,
    complained: /DATABASE is a file/,
  })
  await ask('drop table almanac.nodes')
  t.match(await list(), { code: 1, complained: /PostgreSQL says/ })
})

t.test(
  'what deleted pictures and uploads left is looked for every hour, by the node that leads',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const did: string[] = []
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
    const app = Fastify({ logger: { stream } })
    const state = { leads: false, fails: false, files: 2 }
    const work = async (what: string, files: number) => {
      did.push(what)
      if (state.fails) throw new Error('no')
      return files
    }
    let deleted = () => {}
    app.register(leftovers, {
      db: {
        leads: () => state.leads,
        onApplied(tables: string[], heard: () => void) {
          t.same(tables, ['media'])
          deleted = heard
        },
      },
      pictures: {
        eraseDeleted: () => work('erase', 0),
        sweepShare: () => work('sweep', state.files),
      },
    } as never)
    await app.ready()
    const hour = async () => {
      mock.timers.tick(3_600_000)
      for (let at = 0; at < 5; at++) await new Promise(setImmediate)
      return did.splice(0)
    }
    deleted()
    t.same(did.splice(0), ['erase'])
    t.same(await hour(), ['erase'])
    state.leads = true
    t.same(await hour(), ['erase', 'sweep'])
    state.files = 0
    t.same(await hour(), ['erase', 'sweep'])
    state.fails = true
    t.same(await hour(), ['erase', 'sweep'])
    t.same(lines, [
      'files that uploads left behind were deleted',
      'files of deleted pictures could not be deleted',
      'files that uploads left behind could not be deleted',
    ])
    await app.close()
    t.same(await hour(), [])
  },
)

t.test('a node tells the port on which it listens', async (t) => {
  const { one, two } = await openPair(t, postgres, { PORT: '0' })
  const addresses = async () =>
    (await ask<{ address: string }>('select address from almanac.nodes')).map(({ address }) => address).sort()
  await until(async () => (await addresses()).length === 2)
  t.same(await addresses(), [`${hostname()}:0`, `${hostname()}:0`], 'while it does not listen')
  const ports = await Promise.all(
    [one, two].map(async ({ app }) => new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port),
  )
  const told = ports.map((port) => `${hostname()}:${port}`).sort()
  await until(async () => String(await addresses()) === String(told))
})

t.test('a node whose clock is far off publishes nothing, and says so', async (t) => {
  let ahead = 0
  const machine = () => Date.now() + ahead
  const { one, two, as } = await openPair(t, postgres, { METRICS_TOKEN: 'secret' }, machine)
  const health = async (api: Api) => (await api.anonymous.get('//health')).body
  const { id } = await must(one.editor.post('/events', { ...EVENT, date: '2026-11-21 12:00:00' }))
  t.match(await health(one), { clock: Number, publishes: true })
  t.notOk((await health(one)).trouble)
  ahead = 600_000
  await until(async () => !(await health(one)).publishes && !(await health(two)).publishes)
  const told = await health(two)
  t.match(told, {
    state: 'follows',
    trouble:
      /^the clock of this node is \d+ s ahead of that of PostgreSQL: it publishes nothing that is scheduled/,
  })
  t.ok(told.clock < -590 && told.clock > -610, told.clock)
  one.clock.now += 4 * 3_600_000
  two.clock.now += 4 * 3_600_000
  const status = async () =>
    (await must(two.anonymous.get(`/events/${id}`, undefined, as('administrator')))).status
  t.equal(await status(), 'future')
  const scraped = await two.anonymous.get('//metrics', undefined, {
    headers: { authorization: 'Bearer secret' },
  })
  t.match(scraped.text, /^almanac_node_clock_offset_seconds -(59|60)\d/m)
  t.match(scraped.text, /^almanac_node_trouble 1$/m)
  const list = () => almanac(postgres.url, ['nodes'])
  await until(async () => /following, clock (59|60)\d s ahead of PostgreSQL /.test((await list()).printed))
  ahead = 0
  await until(async () => (await health(one)).publishes && (await health(two)).publishes)
  t.equal(await status(), 'publish')
})

t.test("the address of a node is nobody else's", (t) => {
  const own = `${hostname()}:3000`
  for (const [host, told] of [
    ['127.0.0.1', own],
    ['0.0.0.0', own],
    ['::', own],
    ['localhost', own],
    ['10.0.0.7', '10.0.0.7:3000'],
    ['fd00::7', '[fd00::7]:3000'],
    ['alder.example', 'alder.example:3000'],
  ] as const)
    t.equal(addressOf({ host, port: 3000 }), told)
  t.end()
})
