import t from 'tap'
import { startPostgres } from '../../../test/support/postgres.ts'
import { credentialsOf, inspectCopies, openNode } from '../../../test/support/served-nodes.ts'
import { openProxy, type Step } from '../../test/support/postgres-proxy.ts'
import { openLoad } from './load.ts'

/** `ROUNDS=200 npm run t -- tools/long/nodes/nodes-killed.test.ts` takes ten minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 7)

const LOCK = /^begin isolation level read committed; set local lock_timeout/
const BATCH = /^insert into almanac\.log /

/** The moments of a write at which a node is killed. */
const MOMENTS: [name: string, step: Step, statements: RegExp][] = [
  ['before the lock is asked for', 'asked', LOCK],
  ['while it waits for the lock', 'sent', LOCK],
  ['when it has the lock', 'told', LOCK],
  ['before its rows are sent on', 'asked', BATCH],
  ['when its rows were sent', 'sent', BATCH],
  ['when they are committed, before it knows', 'answered', BATCH],
  ['when it knows', 'told', BATCH],
]

t.test('a node that is killed in any step of a write loses nothing and doubles nothing', async (t) => {
  const folder = t.testdir()
  const postgres = await startPostgres(t)
  const proxies = [await openProxy(t, () => postgres.port), await openProxy(t, () => postgres.port)]
  const nodes = await Promise.all(proxies.map(({ url }) => openNode(t, folder, url)))
  for (const node of nodes) await node.start()
  const load = openLoad(nodes, credentialsOf(nodes[0]!))
  await load.acknowledged(10)
  for (let round = 0; round < ROUNDS; round++) {
    const [, step, statements] = MOMENTS[round % MOMENTS.length]!
    const victim = nodes[round % 2]!
    let after = round % 4
    await new Promise<void>((done) => {
      proxies[round % 2]!.watch((at, said) => {
        if (at !== step || !statements.test(said) || after-- > 0) return undefined
        process.kill(victim.pid(), 'SIGKILL')
        done()
        return step === 'asked' || step === 'answered' ? 'cut' : undefined
      })
    })
    await victim.kill()
    proxies[round % 2]!.watch(() => undefined)
    await load.acknowledged(5) // by the other one
    await victim.start()
    await load.acknowledged(5)
  }
  const last = await openNode(t, folder, postgres.url)
  await last.start()
  const { losses, ...report } = await load.finish([last])
  t.same(losses, [])
  t.ok(report.acknowledged > 0, JSON.stringify(report))
  for (const node of [...nodes, last]) await node.stop()
  t.same(await inspectCopies([...nodes, last]), [])
  t.comment(JSON.stringify({ rounds: ROUNDS, ...report }))
})
