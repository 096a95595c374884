import { join } from 'node:path'
import t from 'tap'
import { runNodes } from '../../../../test/support/model-nodes.ts'
import { embeddedPostgres } from '../../support/embedded-postgres.ts'

t.test('every answer of two nodes is of a state that it may be of, and both have what is kept', async (t) => {
  const postgres = await embeddedPostgres()
  t.teardown(postgres.close)
  for (const seed of [1, 20_261_125]) {
    const report = await runNodes(postgres.url, join(t.testdirName, String(seed)), seed, {
      ...{ writes: 100, nodes: 2 },
    })
    t.ok(report.done > 30 && report.beside > 10, `seed ${seed}: ${JSON.stringify(report)}`)
    await postgres.ask('drop schema almanac cascade')
  }
})
