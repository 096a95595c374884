import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { ApiError } from '../../src/errors.ts'
import { jsonFeed } from '../../src/formats/json-feed.ts'
import { type Batches, openStreams } from '../../src/http/output/feed.ts'
import { eventRecord, FEED } from '../support/records.ts'

/** A server whose feeds end only when their clients leave. Each batch waits for a turn. */
async function endless(t: Test) {
  const turns = new EventEmitter().setMaxListeners(0)
  const seen = { begun: 0, ended: 0 }
  async function* batches(): Batches {
    seen.begun++
    try {
      yield [eventRecord({})]
      for (;;) {
        await once(turns, 'turn')
        yield []
      }
    } finally {
      seen.ended++
    }
  }
  const stream = openStreams()
  const app = Fastify({ forceCloseConnections: true })
  app.get('/', (request, reply) =>
    stream(request, reply, jsonFeed, FEED, batches(), { ids: [10], touched: 1, caller: undefined }),
  )
  app.setErrorHandler((error: ApiError, _request, reply) => reply.code(error.status).send(error.code))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const leaving: AbortController[] = []
  const open = (encoding = 'identity') => {
    const controller = new AbortController()
    leaving.push(controller)
    return fetch(origin, { signal: controller.signal, headers: { 'accept-encoding': encoding } })
  }
  const until = async (isDone: () => boolean) => {
    while (!isDone()) {
      turns.emit('turn')
      await setImmediate()
    }
  }
  t.teardown(async () => {
    for (const controller of leaving) controller.abort()
    await until(() => seen.begun === seen.ended)
    await app.close()
  })
  return { open, leaving, seen, until }
}

t.test('a client that leaves ends the work for it', async (t) => {
  const { open, leaving, seen, until } = await endless(t)
  for (const [at, encoding] of ['identity', 'gzip'].entries()) {
    const asked = open(encoding).catch(({ name }) => name)
    await until(() => seen.begun === at + 1)
    t.equal(seen.ended, at, 'it is not over by itself')
    leaving[at]!.abort()
    await until(() => seen.ended === at + 1)
    const outcome = await asked
    t.ok(outcome === 'AbortError' || outcome.status === 200, encoding)
  }
})

t.test('one hundred feeds are sent at a time; a further client is told to come back', async (t) => {
  const { open, leaving, seen, until } = await endless(t)
  const answers = await Promise.all(Array.from({ length: 100 }, () => open()))
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  const refused = await open()
  t.same([refused.status, await refused.text()], [503, 'rest_overloaded'])
  t.same(seen, { begun: 100, ended: 0 })
  leaving[0]!.abort()
  await until(() => seen.ended === 1)
  let status = 0
  while (status !== 200) status = (await open()).status
  t.equal(seen.begun, 101, 'there is room for another')
})
