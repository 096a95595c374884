import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { COPY_AGE } from '../../../src/kernel/output/header-values.ts'
import { EVENT } from '../../../test/support/given.ts'
import { type Server, startPostgres } from '../../../test/support/postgres.ts'
import {
  ask,
  credentialsOf,
  inspectCopies,
  openNode,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'
import { openProxy, type Step, type Wire } from '../../test/support/postgres-proxy.ts'
import { openLoad } from './load.ts'

/** `ROUNDS=20 npm run t -- tools/long/nodes/nodes-postgres.test.ts` takes ten minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 1)

const BATCH = /^insert into almanac\.log /

/** Cuts the connection of the next batch at a step. */
const cutAt = (proxy: Wire, step: Step) =>
  new Promise<void>((done) => {
    proxy.watch((at, said) => {
      if (at !== step || !BATCH.test(said)) return undefined
      proxy.watch(() => undefined)
      done()
      return 'cut'
    })
  })

/** Ends all connections while a batch has written its row of the log, and not yet its events. */
async function terminateInside(server: Server) {
  const blocker = new pg.Client({ connectionString: server.url })
  await blocker.connect()
  await blocker.query('begin; lock table almanac.posts in exclusive mode')
  await server.until(
    `select count(*) as held from pg_locks where not granted and relation = 'almanac.posts'::regclass`,
    ({ held }) => Number(held) > 0,
  )
  await server.terminate()
  await blocker.query('rollback')
  await blocker.end()
}

/** While PostgreSQL is away, writes are refused and reads answered. */
async function meanwhile(
  t: Pick<typeof import('tap').t, 'match' | 'ok'>,
  node: ServedNode,
  authorization: string,
) {
  const write = () => ask(node, 'POST', '/events', { authorization, body: { ...EVENT, title: 'refused' } })
  let refused = await write()
  // one that was under way may take as long as its commit
  for (let left = 100; JSON.parse(refused.text).code !== 'database_unavailable' && left > 0; left--)
    refused = await write()
  t.match(refused, { status: 503, text: 'database_unavailable' })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  const read = await ask(node, 'GET', '/events?per_page=1')
  t.match(read, { status: 200 })
  t.ok(read.headers.get(COPY_AGE) === null)
  const signed = await ask(node, 'GET', '/events?per_page=1', { authorization })
  t.match(signed, { status: 200 })
  t.ok(Number(signed.headers.get(COPY_AGE)) > 0)
  await until(() => isAway(node), node.output)
}

const GONE = 'PostgreSQL does not answer: reads'
const BACK = 'PostgreSQL answers again'

const countOf = (text: string, words: string) => text.split(words).length - 1
const isAway = (node: ServedNode) => countOf(node.output(), GONE) > countOf(node.output(), BACK)

t.test(
  'PostgreSQL ends, stands still and cuts connections: nothing is lost, and all goes on by itself',
  async (t) => {
    const folder = t.testdir()
    const server = await startPostgres(t)
    const proxies = [await openProxy(t, () => server.port), await openProxy(t, () => server.port)] as const
    const nodes = await Promise.all(proxies.map(({ url }) => openNode(t, folder, url)))
    for (const node of nodes) await node.start()
    const authorization = credentialsOf(nodes[0]!)
    const load = openLoad(nodes, authorization)
    const faults: [name: string, fault: () => Promise<unknown>][] = [
      ['the connection ends before a batch arrives', () => cutAt(proxies[0], 'asked')],
      ['the connection ends while a batch is done', () => cutAt(proxies[1], 'sent')],
      ['the connection ends before the answer to a commit', () => cutAt(proxies[0], 'answered')],
      ['all connections end in the middle of a batch', () => terminateInside(server)],
      ['all connections end', () => server.terminate()],
      ['PostgreSQL is restarted', () => server.restart()],
      [
        'PostgreSQL is killed',
        async () => {
          await server.stop('SIGKILL')
          for (const node of nodes) await meanwhile(t, node, authorization)
          await server.start()
        },
      ],
      [
        'PostgreSQL stands still for 20 s',
        async () => {
          server.freeze()
          await Promise.all([pause(20_000), ...nodes.map((node) => meanwhile(t, node, authorization))])
          server.thaw()
        },
      ],
    ]
    await load.acknowledged(10)
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, fault] of faults) {
        await fault()
        await load.acknowledged(20)
        t.comment(`${name}: ${JSON.stringify(load.report)}`)
      }
    const last = await openNode(t, folder, server.url)
    await last.start()
    const { losses, ...report } = await load.finish([last])
    t.same(losses, [])
    t.ok(report.refused > 0, JSON.stringify(report))
    // a node may notice only later that PostgreSQL is back
    for (const node of nodes) await until(() => !isAway(node), node.output)
    for (const node of [...nodes, last]) await node.stop()
    t.same(await inspectCopies([...nodes, last]), [])
    for (const node of nodes) {
      const gone = countOf(node.output(), GONE)
      // twenty seconds are noticed by every node; a shorter time may pass between two questions
      t.ok(gone >= ROUNDS && gone <= faults.length * ROUNDS, `one line for each time, not ${gone}`)
      t.equal(countOf(node.output(), BACK), gone)
    }
    t.comment(JSON.stringify({ rounds: ROUNDS, ...report }))
  },
)

t.test('nodes work behind a pooler, which has no notifications and shares connections', async (t) => {
  const folder = t.testdir()
  const server = await startPostgres(t)
  const pooler = await openProxy(t, () => server.port, 3)
  let refused = 0
  pooler.watch((step, said) => {
    if (step !== 'asked' || !/^listen /.test(said)) return undefined
    refused++
    return 'refuse'
  })
  const nodes = [await openNode(t, folder, pooler.url), await openNode(t, folder, pooler.url)]
  for (const node of nodes) await node.start()
  const load = openLoad(nodes, credentialsOf(nodes[0]!))
  await load.acknowledged(40 * ROUNDS)
  const { losses, ...report } = await load.finish()
  t.same(losses, [])
  // a slow machine may keep a write waiting for one of the three connections until it is refused
  t.equal(report.unknown, 0)
  t.ok(refused >= 2)
  for (const node of nodes) await node.stop()
  t.same(await inspectCopies(nodes), [])
  t.comment(JSON.stringify({ rounds: ROUNDS, ...report }))
})
