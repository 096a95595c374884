import t from 'tap'
import { runHookCrashes } from '../support/hook-crashes.ts'

t.test(
  'what was answered is told at least once and in order, though the process ends at any moment 50 times',
  async (t) => {
    const { losses, ...report } = await runHookCrashes(t, 50)
    t.same(losses, [])
    t.ok(report.acknowledged > 0 && report.refused > 0, JSON.stringify(report))
    t.comment(JSON.stringify(report))
  },
)
