import { request } from 'node:http'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { type Channel, openChannels } from '../../../src/kernel/event-streams.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { listenTo, openListeners } from '../../support/listening.ts'
import { until } from '../../support/until.ts'

const STREAM = { accept: 'text/event-stream' }

t.test('what was missed is read for one listener at a time, and for none that has left', async (t) => {
  const api = await build(t, { env: { DATABASE: join(t.testdir(), 'a.db') } })
  const { begin, port } = await openListeners(t, api)
  let open = 0
  api.app.server.on('connection', (socket) => {
    open++
    socket.on('close', () => open--)
  })
  const connections = () => open
  const { first } = await begin()
  for (let at = 0; at < 30; at++) await must(api.author.post('/events', { ...EVENT, title: `Event ${at}` }))
  const { sync } = api.app.store
  const { read } = sync
  const began = Number(api.app.store.changes.latest().seq) - 30
  let running = 0
  let most = 0
  let reads = 0
  sync.read = async (...given) => {
    if (given[1].at !== began) return read(...given) // what follows the first message
    most = Math.max(most, ++running)
    try {
      await setImmediate()
      return await read(...given)
    } finally {
      running--
    }
  }
  const path = `?sync_token=${first.id}&_fields=has_more`
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, at) => listenTo(port, path, { from: `127.0.0.${2 + (at % 3)}` })),
  )
  t.same(
    all.map(({ status }) => status),
    Array(12).fill(200),
  )
  t.equal(most, 1)
  for (const one of all) t.same((await one.next())!.data, { has_more: true })
  for (const one of all) one.close()

  reads = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  sync.read = async (...given) => {
    if (given[1].at === began) reads++
    await held
    return read(...given)
  }
  const waiting = listenTo(port, path, { from: '127.0.0.2' })
  await until(() => reads > 0)
  const leaving = Array.from({ length: 5 }, () =>
    request({ port, localAddress: '127.0.0.3', path: `${ROOT}/changes${path}`, headers: STREAM }),
  )
  const answered: unknown[] = []
  for (const one of leaving) {
    one.on('response', () => answered.push(one)).on('error', () => {})
    one.end()
  }
  await until(() => connections() >= 7)
  for (const one of leaving) one.destroy()
  await until(() => connections() <= 2)
  release()
  const two = await waiting
  const last = await listenTo(port, path, { from: '127.0.0.3' })
  t.same([two.status, last.status, reads, answered], [200, 200, 2, []], 'nothing was read for them')
  for (const one of [two, last]) one.close()
})

t.test('those who lag a little do not wait for those who catch up', async (t) => {
  const log = { seq: 10_000, at_utc: '', seen_utc: '' }
  const read: string[] = []
  const channels = openChannels({ latest: () => log }, 1_000, (error) => {
    throw error
  })
  /** A listener who takes all at once, `rows` behind the log; a read brings it a thousand further. */
  const add = (name: string, rows: number) => {
    const channel: Channel = {
      key: name,
      async read({ at }) {
        read.push(name)
        const cursor = { at: Math.min(log.seq, at + 1_000) }
        if (name === 'near') log.seq++ // somebody writes
        return { message: Buffer.from(name), isEmpty: false, cursor }
      },
      token: async ({ at }) => String(at),
      check: async () => {},
    }
    const cursor = { at: log.seq - rows }
    return channels.add(channel, { message: Buffer.from(''), isEmpty: true, cursor }).resume()
  }
  const names = Array.from({ length: 8 }, (_, at) => `far ${at}`)
  for (const name of names) add(name, 5_000)
  add('near', 1)
  while (read.length < 45) {
    void channels.notify()
    await setImmediate()
  }
  for (let at = 0; at < 40; at += 5)
    t.same(
      read.slice(at, at + 5).map((name) => name.split(' ')[0]),
      ['near', 'far', 'far', 'far', 'far'],
      `${at}`,
    )
  const turns = read.filter((name) => name !== 'near')
  t.same(turns.slice(0, 8), names)
  t.same(turns.slice(8, 16), names, 'each in its turn')
  channels.stop()
})
