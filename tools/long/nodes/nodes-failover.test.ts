import t from 'tap'
import { EVENT } from '../../../test/support/given.ts'
import { type Server, startPostgres } from '../../../test/support/postgres.ts'
import {
  ask,
  askAgain,
  caughtUp,
  credentialsOf,
  inspectCopies,
  openNode,
  readAll,
  readTitles,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'
import { openLoad } from './load.ts'

/** Both servers, of which one can be written to. */
const urlOf = (one: Server, other: Server) =>
  `postgres://postgres@127.0.0.1:${one.port},127.0.0.1:${other.port}/postgres`

const STALE = 'CAN NOT BE FOLLOWED'

async function create(node: ServedNode, authorization: string, title: string, send = askAgain) {
  const { status } = await send(node, 'POST', '/events', { authorization, body: { ...EVENT, title } })
  return status
}

t.test('a standby that has everything is promoted, and nothing is lost', async (t) => {
  const folder = t.testdir()
  const primary = await startPostgres(t)
  const standby = await primary.standby()
  await primary.ask(`alter system set synchronous_standby_names = '*'`)
  await primary.ask('select pg_reload_conf()')
  await primary.until('select sync_state from pg_stat_replication', (row) => row.sync_state === 'sync')
  const nodes = [
    await openNode(t, folder, urlOf(primary, standby)),
    await openNode(t, folder, urlOf(primary, standby)),
  ]
  for (const node of nodes) await node.start()
  const load = openLoad(nodes, credentialsOf(nodes[0]!))
  await load.acknowledged(30)
  await primary.stop('SIGKILL')
  await standby.promote()
  await load.acknowledged(30)
  const { losses, ...report } = await load.finish()
  t.same(losses, [])
  for (const node of nodes) t.notMatch(node.output(), STALE)
  for (const node of nodes) await node.stop()
  t.same(await inspectCopies(nodes), [])
  t.comment(JSON.stringify(report))
})

for (const workers of ['1', '2'])
  t.test(`nodes of ${workers} that are ahead of a promoted standby take their copy anew`, async (t) => {
    const folder = t.testdir()
    const primary = await startPostgres(t)
    const standby = await primary.standby()
    const url = urlOf(primary, standby)
    const nodes = await Promise.all(
      ['1', workers].map((count) => openNode(t, folder, url, { WORKERS: count })),
    )
    const [first, second] = nodes as [ServedNode, ServedNode]
    for (const node of nodes) await node.start()
    const authorization = credentialsOf(first)
    t.equal(await create(first, authorization, 'kept'), 201)
    await primary.until(
      'select count(*) as same from pg_stat_replication where replay_lsn >= pg_current_wal_lsn()',
      ({ same }) => Number(same) === 1,
    )
    await standby.stop('SIGINT') // one that stands still has what was sent to it
    for (const title of ['lost 1', 'lost 2']) t.equal(await create(first, authorization, title), 201)
    await caughtUp(second, authorization)
    t.same([...(await readTitles(second)).values()].sort(), ['kept', 'lost 1', 'lost 2'])
    await primary.stop('SIGKILL')
    await standby.start()
    await standby.promote()
    for (const node of nodes) await until(() => node.output().includes(STALE), node.output)
    for (const node of nodes) await caughtUp(node, authorization)
    for (const node of nodes) t.same([...(await readTitles(node)).values()], ['kept'])
    await until(async () => (await create(second, authorization, 'after', ask).catch(() => 0)) === 201)
    for (const node of nodes) await caughtUp(node, authorization)
    for (const node of nodes) t.same([...(await readTitles(node)).values()].sort(), ['after', 'kept'])
    t.same(await readAll(first), await readAll(second))
    for (const node of nodes) await node.stop()
    t.same(await inspectCopies(nodes), [])
  })
