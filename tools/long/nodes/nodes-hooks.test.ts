import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EVENT } from '../../../test/support/given.ts'
import { type Server, startPostgres } from '../../../test/support/postgres.ts'
import { type Got, openReceiver } from '../../../test/support/receiver.ts'
import { ask, credentialsOf, openNode, type ServedNode } from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

/** How the lead is taken from a node: it ends as it is asked to, stands still until another one leads, or ends at once. */
const WAYS = ['stopped', 'frozen', 'killed'] as const

type NodeHooksReport = {
  rounds: number
  events: number
  /** Messages that receivers accepted, of which so many came again with the same ID, and tries that they failed. */
  accepted: number
  again: number
  failed: number
  losses: string[]
}

const CLIENTS = 3
/** Of so many messages one is refused, and the next one is accepted without an answer. */
const REFUSED = 150

/** A receiver that fails now and then, and what it accepted. */
async function openUnsteady(t: Pick<Test, 'teardown'>) {
  const accepted: Got[] = []
  const state = { accepted, url: '', failed: 0, count: 0 }
  const { url } = await openReceiver(t, (got, response) => {
    const turn = ++state.count % REFUSED
    if (turn < 2) state.failed++
    if (turn === 0) return response.writeHead(500).end()
    accepted.push(got)
    return turn === 1 ? response.destroy() : response.writeHead(204).end()
  })
  return Object.assign(state, { url })
}
type Unsteady = Awaited<ReturnType<typeof openUnsteady>>

/** Clients that add and change events on all nodes; `known` has the last acknowledged version of each. */
function openWriters(nodes: ServedNode[], authorization: string) {
  const known = new Map<number, number>()
  const tried = new Map<number, number>()
  let running = true
  async function write(client: number) {
    const mine: number[] = []
    for (let at = 0; running; at++) {
      const target = at % 3 === 2 ? mine.at(-1 - (at % 4)) : undefined
      const version = target === undefined ? 1 : tried.get(target)! + 1
      // a version that may have been written is not used again
      if (target !== undefined) tried.set(target, version)
      const [method, path] = target === undefined ? ['POST', '/events'] : ['PATCH', `/events/${target}`]
      const body = { ...EVENT, title: `v ${version}` }
      const node = nodes[(client + at) % nodes.length]!
      const answer = await ask(node, method!, path!, { authorization, body }).catch(() => undefined)
      await pause(20)
      if (!answer || answer.status >= 300) continue
      const id = target ?? (JSON.parse(answer.text).id as number)
      if (target === undefined) mine.push(id)
      tried.set(id, version)
      known.set(id, version)
    }
  }
  const all = Array.from({ length: CLIENTS }, (_, client) => write(client))
  return {
    known,
    async end() {
      running = false
      await Promise.all(all)
    },
  }
}

/** The node that leads, once it is another one than `before`. */
const leaderOf = (nodes: ServedNode[], { ask }: Server, before?: ServedNode): Promise<ServedNode> =>
  until(async () => {
    const rows = await ask<{ address: string }>(
      'select address from almanac.leases join almanac.nodes on node = id where until > now()',
    )
    return nodes.find(
      (node) =>
        node !== before && rows.some(({ address }) => address.split(':').at(-1) === new URL(node.root).port),
    )
  })

async function takeLead(nodes: ServedNode[], server: Server, way: (typeof WAYS)[number]) {
  const node = await leaderOf(nodes, server)
  if (way === 'frozen') {
    process.kill(node.pid(), 'SIGSTOP')
    await leaderOf(nodes, server, node).finally(() => process.kill(node.pid(), 'SIGCONT'))
    return
  }
  await (way === 'killed' ? node.kill() : node.stop())
  await leaderOf(nodes, server, node)
  await node.start()
}

/** The IDs of the messages that told that a record was created. */
function creationsIn(accepted: Got[]) {
  const ids = new Map<number, Set<string>>()
  for (const { id, type, data } of accepted)
    if (type === 'event.created') ids.set(data.id, (ids.get(data.id) ?? new Set()).add(id))
  return ids
}

/** What of these events was not told: that they are there, and their last version. */
function untold(known: Map<number, number>, all: Unsteady, created: Unsteady): string[] {
  const latest = new Map<number, number>()
  for (const { data } of all.accepted)
    latest.set(data.id, Math.max(latest.get(data.id) ?? 0, Number(data.record.title.slice(2))))
  const [one, other] = [creationsIn(all.accepted), creationsIn(created.accepted)]
  return [...known].flatMap(([id, version]) => [
    ...(one.has(id) && other.has(id) ? [] : [`nobody was told that event ${id} was created`]),
    ...((latest.get(id) ?? 0) >= version ? [] : [`event ${id} was told as ${latest.get(id)} of ${version}`]),
  ])
}

/**
 * Takes the lead from one of three nodes after the other while clients write, and compares what was acknowledged with what two receivers
 * accepted: one of all messages, and one of those that tell of creations.
 */
async function runNodeHooks(t: Test, rounds: number): Promise<NodeHooksReport> {
  const folder = t.testdir()
  const server = await startPostgres(t)
  const nodes: ServedNode[] = []
  for (let at = 0; at < 3; at++) {
    nodes.push(await openNode(t, folder, server.url, { DOWNLOAD_ALLOW: '127.0.0.1' }))
    await nodes[at]!.start()
  }
  const authorization = credentialsOf(nodes[0]!)
  const [all, created] = [await openUnsteady(t), await openUnsteady(t)]
  for (const more of [{ url: all.url }, { url: created.url, operations: ['created'] }])
    await ask(nodes[0]!, 'POST', '/webhooks', { authorization, body: { kinds: ['event'], ...more } })
  const { known, end } = openWriters(nodes, authorization)
  for (let round = 0; round < rounds; round++) {
    const goal = known.size + 20
    await until(() => known.size >= goal)
    await takeLead(nodes, server, WAYS[round % WAYS.length]!)
  }
  await end()
  await until(() => untold(known, all, created).length === 0).catch(() => {})
  const losses = untold(known, all, created)
  for (const { accepted } of [all, created])
    for (const [id, ids] of creationsIn(accepted))
      if (ids.size > 1) losses.push(`that event ${id} was created was told as ${[...ids]}`)
  for (const node of nodes) await node.stop()
  const accepted = [...all.accepted, ...created.accepted]
  const again = accepted.length - new Set(accepted.map(({ id }) => id)).size
  const failed = all.failed + created.failed
  return { rounds, events: known.size, accepted: accepted.length, again, failed, losses }
}

/** `ROUNDS=30 npm run t -- tools/long/nodes/nodes-hooks.test.ts` takes ten minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)

t.test('whoever leads, each change is told, and that a record was created always by one ID', async (t) => {
  const { losses, ...report } = await runNodeHooks(t, ROUNDS)
  t.same(losses, [])
  t.ok(report.events > 0 && report.failed > 0, JSON.stringify(report))
  t.comment(JSON.stringify(report))
})
