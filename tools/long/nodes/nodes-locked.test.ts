import pg from 'pg'
import t from 'tap'
import { EVENT } from '../../../test/support/given.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import { ask, askAgain, caughtUp, credentialsOf, openNode } from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

const CANCELLED = 'canceling statement due to statement timeout'

t.test('nodes leave nothing behind in PostgreSQL that waits while the head is locked', async (t) => {
  const folder = t.testdir()
  const server = await startPostgres(t)
  const nodes = [await openNode(t, folder, server.url), await openNode(t, folder, server.url)]
  for (const node of nodes) await node.start()
  const authorization = credentialsOf(nodes[0]!)
  const write = (title: string, by = askAgain) =>
    Promise.all(
      nodes.map((node) => by(node, 'POST', '/events', { authorization, body: { ...EVENT, title } })),
    )
  t.match(await write('before'), [{ status: 201 }, { status: 201 }])
  const connections = async () => {
    const [row] = await server.ask<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where application_name = 'almanac'",
    )
    return row!.count
  }
  t.equal(await connections(), 4)

  const holder = new pg.Client({ connectionString: server.url })
  await holder.connect()
  await holder.query('begin; lock table almanac.head in access exclusive mode') // as VACUUM FULL does
  const cancelled = () => server.log().split(CANCELLED).length - 1
  let most = 0
  const refused: unknown[] = []
  await until(async () => {
    refused.push(...(await write('refused', ask)))
    most = Math.max(most, await connections())
    return cancelled() >= 10
  })
  t.equal(most, 4, 'each has its two connections, however long it lasts')
  for (const one of refused) t.match(one, { status: 503, text: /database_(busy|unavailable)/ })
  await holder.query('rollback')
  await holder.end()
  for (const node of nodes) await caughtUp(node, authorization)
  t.match(await write('after'), [{ status: 201 }, { status: 201 }])
  t.equal(await connections(), 4)
  t.notMatch(server.log(), 'current transaction is aborted')
})
