import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect as dial } from 'node:net'
import t from 'tap'
import { settings } from '../../../../drizzle/tables.ts'
import { withSession } from '../../../../src/features/nodes/schema.ts'
import { connect, Unreachable } from '../../../../src/features/nodes/session.ts'
import { openClock } from '../../../../src/features/nodes/status.ts'
import { until } from '../../../../test/support/until.ts'
import { CALM, openNodes } from '../../support/nodes.ts'

const nodes = await openNodes(t)

t.beforeEach(() => nodes.reset())

t.test('a clock is off only as far as the way there and back leaves no doubt', (t) => {
  const told: string[] = []
  const clock = openClock(() => 1_000_000, { warn: (_, message) => void told.push(message) })
  const state = (ahead: number, waited = 0) => {
    clock.compare(1_000_000 + ahead - waited / 2, waited)
    return clock.status().state
  }
  t.equal(clock.trouble(), undefined)
  t.equal(state(2_000), 'right')
  t.equal(state(4_000, 5_000), 'right', 'the answer may have been given at its beginning')
  t.equal(state(-2_001), 'off')
  t.equal(
    clock.trouble(),
    'the clock of this node is 2 s ahead of that of PostgreSQL; set it, by NTP for example',
  )
  t.equal(clock.now(), 1_000_000, 'it is still stamped with')
  t.equal(state(0, 5_000), 'off', 'in doubt it is as before')
  t.equal(state(59_000, 4_000), 'off')
  t.equal(state(90_000, 1_000), 'wrong')
  t.equal(clock.now(), 1_090_000)
  t.match(clock.trouble(), /^the clock of this node is 90 s behind that of PostgreSQL: it publishes nothing/)
  t.equal(state(80_000), 'wrong')
  t.equal(state(0), 'right')
  t.equal(clock.now(), 1_000_000)
  t.match(told, [/2 s ahead/, /90 s behind/, /^the clock of this node agrees with that of PostgreSQL again$/])
  t.end()
})

t.test('a node stamps with the time of PostgreSQL while its own is far off', async (t) => {
  let ahead = 86_400_000
  const timing = { ...CALM, every: 5, heartbeat: 0 }
  const node = await nodes.start(t, { timing, machine: () => Date.now() + ahead })
  await node.said(/ahead of that of PostgreSQL: it publishes nothing/)
  const { now, status } = node.db.replica!
  t.ok(Math.abs(now() - Date.now()) < 60_000)
  t.match(status(), { state: 'follows', clock: { state: 'wrong' }, trouble: /^the clock of this node/ })
  ahead = 10_000
  await node.said(/10 s ahead of that of PostgreSQL; set it/)
  t.equal(node.told.length, 2, 'each once')
  const told = () => nodes.postgres.ask<{ clock: number }>('select clock::int as clock from almanac.nodes')
  await until(async () => (await told())[0]!.clock > -20_000)

  const quiet = await nodes.start(t, { follows: false, machine: () => Date.now() - 86_400_000 })
  t.equal(quiet.db.replica!.status().clock.state, 'wrong')
  const other = await nodes.start(t, { timing: { ...CALM }, machine: () => Date.now() - ahead * 10 })
  await other.db.write(async (tx) => tx.insert(settings).values({ name: 'a', value: 'x' }))
  t.equal(other.db.replica!.status().clock.state, 'wrong', 'a write asks before it stamps')
})

/** A port that takes no connections and refuses none: its queue is full, and the process that should empty it stands still. */
async function openAbyss(t: { teardown(end: () => unknown): void }) {
  const listen =
    "const s = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  const port = Number(line)
  const fillers = Array.from({ length: 8 }, () => dial(port, '127.0.0.1').on('error', () => {}))
  t.teardown(() => {
    for (const one of fillers) one.destroy()
  })
  await until(() => fillers.filter(({ connecting }) => !connecting).length >= 1)
  return port
}

t.test('a host that swallows what is sent to it is given up, with the cause', async (t) => {
  const port = await openAbyss(t)
  const url = `postgres://almanac:secret@127.0.0.1:${port}/almanac`
  const error = await connect(url, 50).catch((error) => error)
  t.type(error, Unreachable)
  t.match(error, {
    code: 'ETIMEDOUT',
    message:
      'no connection was made within 0.05 s: the host does not answer, or a firewall drops what is sent to it',
  })
  await t.rejects(
    withSession(url, async () => {}),
    { message: /can not be reached \(no connection was made within 3 s: .*\); check DATABASE/ },
  )
})
