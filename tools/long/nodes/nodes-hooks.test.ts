import t from 'tap'
import { runNodeHooks } from '../../../test/support/node-hooks.ts'

/** `ROUNDS=30 npm run t -- tools/long/nodes/nodes-hooks.test.ts` takes ten minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)

t.test('whoever leads, each change is told, and that a record was created always by one ID', async (t) => {
  const { losses, ...report } = await runNodeHooks(t, ROUNDS)
  t.same(losses, [])
  t.ok(report.events > 0 && report.failed > 0, JSON.stringify(report))
  t.comment(JSON.stringify(report))
})
