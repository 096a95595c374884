import { join } from 'node:path'
import t from 'tap'
import { makeTemplate } from '../../../test/support/database.ts'
import { runNodes } from '../../../test/support/model-nodes.ts'
import { startPostgres } from '../../../test/support/postgres.ts'

/** Tests of every part of the service, of whose files `npm run test:nodes` runs all. */
const FILES = [
  'test/calendar/resource/etags.test.ts',
  'test/features/sync/changes-of-terms.test.ts',
  'test/calendar/routes/lists.test.ts',
  'test/features/pages/entries.test.ts',
  'test/calendar/routes/writes.test.ts',
  'test/features/webhooks/signature.test.ts',
  'test/calendar/media/images.test.ts',
  'test/conformance.test.ts',
]

t.test('what holds for one file holds for nodes', async (t) => {
  const { url } = await startPostgres(t)
  await makeTemplate(url)
  for (const file of FILES)
    await t.spawn(
      process.execPath,
      [...process.execArgv, file],
      { env: { ...process.env, TEST_POSTGRES: url } },
      file,
    )
})

t.test('every answer of three processes is of a state that it may be of', async (t) => {
  const { url } = await startPostgres(t)
  // `npm run bench:model -- --nodes 3` goes other ways, and longer ones
  const report = await runNodes(url, join(t.testdir(), 'copies'), 20_261_125, {
    ...{ writes: 100, nodes: 3, processes: true },
  })
  t.ok(report.done > 30 && report.beside > 10 && report.states > 10, JSON.stringify(report))
})
