import { join } from 'node:path'
import t from 'tap'
import { runModel } from '../support/model.ts'

t.test('every answer is the one that the tables give, whatever is written by whom, and when', async (t) => {
  const report = await runModel(join(t.testdir(), 'a.db'), 1, 100)
  t.ok(report.done > 30 && report.reads > 30, JSON.stringify(report))
})
