import t from 'tap'
import { runHookCrashes } from '../../../test/support/hook-crashes.ts'

/** `ROUNDS=50 npm run t -- tools/long/crashes/webhooks.test.ts` takes two minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 10)

t.test(
  `what was answered is told at least once and in order, though the process ends at any moment ${ROUNDS} times`,
  async (t) => {
    const { losses, ...report } = await runHookCrashes(t, ROUNDS)
    t.same(losses, [])
    t.ok(report.acknowledged > 0 && report.refused > 0, JSON.stringify(report))
    t.comment(JSON.stringify(report))
  },
)
