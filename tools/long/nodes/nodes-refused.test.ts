import pg from 'pg'
import t from 'tap'
import { openSmallDisk } from '../../../test/support/damage.ts'
import { EVENT } from '../../../test/support/given.ts'
import { giveTo, startPostgres } from '../../../test/support/postgres.ts'
import {
  ask,
  askAgain,
  caughtUp,
  credentialsOf,
  openNode,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

const countOf = (text: string, words: string) => text.split(words).length - 1
/** What tells that an outage, or a refusal, is over. */
const BACK = /PostgreSQL answers again|writes are accepted again/g

const health = async (node: ServedNode) =>
  (await (await fetch(new URL('/health', node.root))).json()) as { state: string; trouble?: string }

t.test('why PostgreSQL takes no writes is told in its words, once, until it takes them again', async (t) => {
  const folder = t.testdir()
  const server = await startPostgres(t)
  const node = await openNode(t, folder, server.url)
  await node.start()
  const authorization = credentialsOf(node)
  const write = async (by = ask) => {
    const body = { ...EVENT, title: 'event' }
    return (await by(node, 'POST', '/events', { authorization, body })).status
  }
  t.equal(await write(askAgain), 201)

  await server.ask('alter system set default_transaction_read_only = on')
  await server.ask('select pg_reload_conf()')
  await until(async () => (await write()) === 503)
  const READ_ONLY =
    /^writes are refused because PostgreSQL says: cannot execute .* in a read-only transaction \(25006\)$/
  await until(async () => READ_ONLY.test((await health(node)).trouble ?? ''))
  t.equal((await ask(node, 'GET', '/events')).status, 200)
  const again = () => node.output().match(BACK)?.length ?? 0
  const before = again()
  for (let time = 0; time < 5; time++) t.equal(await write(), 503)
  t.equal(countOf(node.output(), '(25006); reads go on'), 1)
  t.equal(again(), before, node.output())
  await server.ask('alter system reset default_transaction_read_only')
  await server.ask('select pg_reload_conf()')
  await until(() => again() > before)
  t.equal((await health(node)).trouble, undefined)
  t.equal(await write(askAgain), 201)

  const clients: pg.Client[] = []
  const fillUp = async () => {
    for (let full = false; !full; ) {
      const client = new pg.Client({ connectionString: server.url })
      client.on('error', () => {})
      await client.connect().then(
        () => void clients.push(client),
        () => {
          full = true
        },
      )
    }
  }
  await server.ask('alter system set max_connections = 12')
  await server.restart()
  await caughtUp(node, authorization)
  await until(async () => (await write()) === 201)
  await fillUp()
  await until(async () => {
    // the node may take what it lost before somebody else does
    await clients[0]!.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'almanac'",
    )
    await fillUp()
    return /PostgreSQL says: .*\(53300\)$/.test((await health(node)).trouble ?? '')
  })
  await until(() => /because PostgreSQL says: .*\(53300\); reads go on/.test(node.output()))
  for (const client of clients) await client.end()
  await until(async () => (await write()) === 201)
  await node.stop()
})

t.test('a full disk of PostgreSQL is told as such until there is room again', async (t) => {
  const disk = openSmallDisk(t, 24)
  if (typeof disk === 'string') return void t.pass(`skipped: ${disk}`)
  const folder = t.testdir()
  const server = await startPostgres(t)
  const node = await openNode(t, folder, server.url)
  await node.start()
  const authorization = credentialsOf(node)
  giveTo(disk.folder)
  await server.ask(`create tablespace small location '${disk.folder}'`)
  await server.ask('alter table almanac.log set tablespace small')
  await server.ask('alter table almanac.posts set tablespace small')
  disk.fill()
  const noise = () => Array.from({ length: 4_000 }, () => Math.random().toString(36)).join(' ')
  const write = async (description = noise(), by = ask) => {
    const body = { ...EVENT, title: 'event', description }
    return (await by(node, 'POST', '/events', { authorization, body })).status
  }
  // where a large row has no room, small ones may have some
  const areRefused = async () => {
    for (const description of ['', noise(), '', noise(), ''])
      if ((await write(description)) !== 503) return false
    return true
  }
  await until(areRefused)
  const { trouble, state } = await health(node)
  t.match(
    trouble,
    /^writes are refused because PostgreSQL says: could not .*No space left on device \(53100\)$/,
  )
  t.equal(state, 'follows')
  const before = node.output().length
  for (let time = 0; time < 3; time++) t.equal(await write(), 503)
  t.ok(countOf(node.output(), '(53100); reads go on') >= 1)
  const since = () => node.output().slice(before)
  t.notMatch(since(), BACK)
  t.notMatch(since(), '(53100); reads go on', 'it was told before')
  disk.free()
  await until(() => /accepted again|answers again/.test(since()))
  t.equal(await write(noise(), askAgain), 201)
  t.equal((await health(node)).trouble, undefined)
  await node.stop()
})
