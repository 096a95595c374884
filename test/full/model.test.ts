import { join } from 'node:path'
import t from 'tap'
import { runModel } from '../support/model-run.ts'

t.test(
  'every answer is the one that the tables give, whatever is written, on a new way each time',
  async (t) => {
    const seed = Date.now() % 1_000_000
    const report = await runModel(join(t.testdir(), 'a.db'), seed, 100)
    t.ok(report.done > 30 && report.reads > 30, `seed ${seed}: ${JSON.stringify(report)}`)
  },
)

t.test('so it is where several processes answer', async (t) => {
  const seed = Date.now() % 1_000_000
  const report = await runModel(join(t.testdir(), 'a.db'), seed, 60, 2)
  t.ok(report.done > 15 && report.reads > 15, `seed ${seed}: ${JSON.stringify(report)}`)
})
