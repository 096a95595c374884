import t from 'tap'
import { runNodeHooks } from '../support/node-hooks.ts'

/** `ROUNDS=30 npx tap --disable-coverage --timeout=1800 test/full/nodes-hooks.test.ts` takes ten minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)

t.test('whoever leads, each change is told, and that a record was created always by one ID', async (t) => {
  const { losses, ...report } = await runNodeHooks(t, ROUNDS)
  t.same(losses, [])
  t.ok(report.events > 0 && report.failed > 0, JSON.stringify(report))
  t.comment(JSON.stringify(report))
})
