import { join } from 'node:path'
import t from 'tap'
import { runModel } from '../../../test/support/model.ts'

// `npm run bench:model` goes other ways, and longer ones
const SEED = 20_261_125

t.test('every answer is the one that the tables give, whatever is written', async (t) => {
  const report = await runModel(join(t.testdir(), 'a.db'), SEED, 100)
  t.ok(report.done > 30 && report.reads > 30, JSON.stringify(report))
})

t.test('so it is where several processes answer', async (t) => {
  const report = await runModel(join(t.testdir(), 'a.db'), SEED, 60, 2)
  t.ok(report.done > 15 && report.reads > 15, JSON.stringify(report))
})
