import t from 'tap'
import { runCrashes } from '../../../test/support/crash.ts'

t.test(
  'what was answered survives the end of the process at any moment, and nothing is there in part',
  async (t) => {
    const { losses, ...report } = await runCrashes(t.testdir(), 4)
    t.same(losses, [])
    t.ok(report.acknowledged > 0, JSON.stringify(report))
  },
)
