import t, { type Test } from 'tap'
import { EVENT } from '../../../test/support/given.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import { serveFile } from '../../../test/support/process.ts'
import {
  type Answer,
  ask,
  askAgain,
  caughtUp,
  credentialsOf,
  inspectCopies,
  openNode,
  readAll,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'
import { openLoad } from './load.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)

const body = ({ text }: Answer) => JSON.parse(text)
const sorted = (answers: Answer[]) => answers.map(({ status }) => status).sort()

/** What two writers get who do the same at once, each through one of two addresses. */
async function race(one: ServedNode, other: ServedNode, authorization: string, round: number) {
  const both = (method: string, path: string, sent: object, of = () => ({})) =>
    Promise.all(
      [one, other].map((node, at) =>
        askAgain(node, method, path, { authorization, ...of(), body: { ...sent, description: `by ${at}` } }),
      ),
    )
  const slug = `same-${round}`
  const made = await both('POST', '/events', { ...EVENT, title: slug, slug })
  const slugs = made.map((answer) => body(answer).slug).sort()
  const named = await both('POST', '/tags', { name: `tag ${round}` })
  const { id } = body(made[0]!)
  const { headers } = await ask(one, 'GET', `/events/${id}`, { authorization })
  const matched = await both('PATCH', `/events/${id}`, { title: 'matched' }, () => ({
    'if-match': headers.get('etag')!,
  }))
  const record = await both('PATCH', `/events/${id}`, { title: `changed ${round}` })
  const deleted = await both('DELETE', `/events/${id}?force=true`, {})
  return {
    ...{ created: sorted(made), slugs, named: sorted(named), matched: sorted(matched) },
    ...{ changed: sorted(record), deleted: sorted(deleted) },
    refusals: [named, matched, deleted].map((answers) =>
      answers.filter(({ status }) => status >= 400).map((answer) => body(answer).code),
    ),
  }
}

t.test('two nodes that do the same at once get what two writers of one file get', async (t) => {
  const folder = t.testdir()
  const alone = await serveFile(`${folder}/alone.db`)
  t.teardown(() => alone.child.kill('SIGKILL'))
  const server = await startPostgres(t)
  const nodes = [
    await openNode(t, folder, server.url),
    await openNode(t, folder, server.url, { WORKERS: '2' }),
  ]
  for (const node of nodes) await node.start()
  const [one, other] = nodes as [ServedNode, ServedNode]
  const file = { root: alone.root, file: `${folder}/alone.db` } as ServedNode
  for (let round = 0; round < ROUNDS; round++) {
    const expected = await race(file, file, credentialsOf(file), round)
    t.same(expected.created, [201, 201])
    t.same(expected.matched, [200, 412])
    t.same(await race(one, other, credentialsOf(one), round), expected)
  }
  for (const node of nodes) await caughtUp(node, credentialsOf(one))
  t.same(await readAll(one), await readAll(other))
  for (const node of nodes) await node.stop()
  t.same(await inspectCopies(nodes), [])
})

/** Every write of a node of several processes whose writer is killed is told right. */
async function killWriters(t: Test, nodes: ServedNode[], authorization: string, rounds: number) {
  const load = openLoad(nodes, authorization)
  await load.acknowledged(10)
  const killed = new Set<number>()
  /** The writer, as its lines of the log tell, which come a moment later. */
  const writer = () => {
    const pids = nodes[0]!.output().match(/"pid":\d+(?=.*"method":"(?:POST|PATCH)".*"status":20)/g)
    return pids ? Number(pids.at(-1)!.slice(6)) : undefined
  }
  for (let round = 0; round < rounds; round++) {
    const pid = await until(() => [writer()].find((pid) => pid !== undefined && !killed.has(pid)))
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
    await load.acknowledged(10)
  }
  const { losses, ...report } = await load.finish()
  t.same(losses, [])
  t.comment(JSON.stringify({ rounds, ...report }))
}

t.test(
  'a node of several processes loses its writer, and one that was away while the log was pruned its copy',
  async (t) => {
    const folder = t.testdir()
    const server = await startPostgres(t)
    const env = { WORKERS: '2', LOG_LEVEL: 'info' }
    const nodes = [await openNode(t, folder, server.url, env), await openNode(t, folder, server.url)]
    const [first, second] = nodes as [ServedNode, ServedNode]
    for (const node of nodes) await node.start()
    const authorization = credentialsOf(first)
    await killWriters(t, [first], authorization, Math.min(ROUNDS, 3))
    await second.stop()
    const made = await askAgain(first, 'POST', '/events', {
      authorization,
      body: { ...EVENT, title: 'meanwhile' },
    })
    t.equal(made.status, 201)
    await server.ask('delete from almanac.log where seq < (select seq from almanac.head)')
    await second.start()
    t.match(second.output(), /THROWN AWAY AND TAKEN ANEW: what followed group \d+ is no longer in the log/)
    await caughtUp(second, authorization)
    const answer = await ask(second, 'GET', `/events/${body(made).id}`, { authorization })
    t.equal(body(answer).title, 'meanwhile')
    t.same(await readAll(first), await readAll(second))
    for (const node of nodes) await node.stop()
    t.same(await inspectCopies(nodes), [])
  },
)
