import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { buildSource } from '../../../test/support/importing.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import {
  credentialsOf,
  inspectCopies,
  openNode,
  readTitles,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

/** `ROUNDS=20 npm run t -- tools/long/nodes/nodes-mirror.test.ts` takes five minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)

t.test('whichever node that leads is killed, another one goes on with the mirror', async (t) => {
  const source = await buildSource(t)
  const create = (title: string) => must(source.administrator.post('/events', { ...EVENT, title }))
  const postgres = await startPostgres(t)
  const folder = t.testdir()
  const open = () => openNode(t, folder, postgres.url, { MIRROR: source.root })
  const nodes = [await open(), await open()]
  await create('Before')
  for (const node of nodes) await node.start()
  const authorization = credentialsOf(nodes[0]!)
  const healthOf = async (node: ServedNode) =>
    (await (await fetch(new URL('/health', node.root), { headers: { authorization } })).json()) as {
      leads: boolean
      mirror: { state: string }
    }
  const has = (node: ServedNode, title: string) =>
    until(async () => [...(await readTitles(node)).values()].includes(title), node.output)
  for (const node of nodes) await has(node, 'Before')
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const leads = await Promise.all(nodes.map(async (node) => (await healthOf(node)).leads))
    t.same(leads.toSorted(), [false, true], 'one of them leads')
    const [leader, other] = leads[0] ? nodes : nodes.toReversed()
    t.match((await healthOf(leader!)).mirror, { state: 'following' })
    t.match((await healthOf(other!)).mirror, { state: 'idle' })
    await leader!.kill()
    const killed = performance.now()
    await create(`Event ${round}`)
    const { mirror } = await until(async () => {
      const health = await healthOf(other!)
      return health.leads && health
    }, other!.output)
    t.not(mirror.state, 'idle', 'who leads follows the source')
    await has(other!, `Event ${round}`)
    seconds.push(Math.round((performance.now() - killed) / 1_000))
    await leader!.start()
    await has(leader!, `Event ${round}`)
  }
  t.comment(`seconds from the death of who led to its next event: ${seconds.join(', ')}`)
  for (const node of nodes) await node.stop()
  t.same(await inspectCopies(nodes), [])
})
