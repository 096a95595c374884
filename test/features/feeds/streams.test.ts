import { EventEmitter, once } from 'node:events'
import type { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import type { Test } from 'tap'
import t from 'tap'
import { jsonFeed } from '../../../src/features/feeds/formats/json.ts'
import { type Batches, openKept, openStreams, partsOf } from '../../../src/features/feeds/streaming.ts'
import type { ApiError } from '../../../src/kernel/errors.ts'
import { eventRecord, FEED } from '../../support/records.ts'

const AS_SENT = { type: jsonFeed.type, etag: 'W/"1"' }

/** A server whose feeds end only when their clients leave. Each batch waits for a turn. */
async function endless(t: Test) {
  const turns = new EventEmitter().setMaxListeners(0)
  const seen = { begun: 0, ended: 0, left: 0 }
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
    stream(request, reply, { ...AS_SENT, parts: partsOf(jsonFeed, FEED, batches()) }, () => seen.left++),
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
    await until(() => seen.left === at + 1)
    const outcome = await asked
    t.ok(outcome === 'AbortError' || outcome.status === 200, encoding)
  }
})
t.test(
  'a reader who takes next to nothing is cut off, and one who waits for the service is not',
  async (t) => {
    const clock = mock.timers
    clock.enable({ apis: ['Date', 'setInterval'], now: 0 })
    t.teardown(() => clock.reset())
    let left = 0
    let more: (() => void) | undefined
    const text = 'x'.repeat(160_000)
    async function* batches(): Batches {
      for (let at = 0; at < 3; at++) {
        yield [eventRecord({ description: text })]
        await new Promise<void>((resolve) => {
          more = resolve
        })
      }
    }
    const stream = openStreams()
    const sent: Readable[] = []
    const reply = { type: () => reply, header: () => reply, send: (body: Readable) => sent.push(body) }
    const open = () => {
      const parts = partsOf(jsonFeed, FEED, batches())
      stream({ headers: {} } as never, reply as never, { ...AS_SENT, parts }, () => left++)
      return sent.at(-1)!.on('error', () => {})
    }
    const turns = async () => {
      for (let at = 0; at < 20; at++) await setImmediate()
    }
    const slow = open()
    await once(slow, 'readable')
    slow.read(1)
    await turns()
    clock.tick(30_000)
    t.notOk(slow.destroyed, 'half a minute is granted')
    clock.tick(20_000)
    await turns()
    t.same([slow.destroyed, left], [true, 1])

    const patient = open().resume()
    for (let at = 0; at < 3; at++) {
      await turns()
      clock.tick(600_000)
      t.notOk(patient.destroyed, 'it waits for the service')
      more!()
    }
    await once(patient, 'close')
    t.equal(left, 2)

    const steady = open()
    let read = 0
    for (let at = 0; at < 10; at++) {
      await turns()
      clock.tick(4_000)
      read += steady.read(16_000)?.length ?? 0
    }
    t.notOk(steady.destroyed, 'four kilobytes a second are enough for what it took')
    t.ok(read > 100_000)
    steady.destroy()
  },
)

t.test('the bytes of a feed are kept if it ended, unchanged, was not too long, and came alone', async (t) => {
  const kept = openKept({ all: 10, each: 5 })
  let isUnchanged = true
  async function* texts(...parts: string[]) {
    yield* parts.map((part) => Buffer.from(part))
  }
  const open = (etag: string, ...parts: string[]) => kept.keep(etag, texts(...parts), () => isUnchanged)
  const read = async (...given: Parameters<typeof open>) => {
    let text = ''
    for await (const part of open(...given)) text += part
    return text
  }
  const known = (etag: string) => kept.get(etag)?.toString()

  t.equal(await read('a', 'ab', 'c'), 'abc')
  t.equal(known('a'), 'abc')
  t.equal(await read('long', 'abc', 'def', 'g'), 'abcdefg')
  t.equal(known('long'), undefined)
  const left = open('left', 'ab', 'c')
  await left.next()
  t.equal(await read('beside', 'ab'), 'ab')
  t.equal(known('beside'), undefined)
  await left.return(undefined)
  t.equal(known('left'), undefined)
  isUnchanged = false
  t.equal(await read('changed', 'ab'), 'ab')
  t.equal(known('changed'), undefined)
  isUnchanged = true
  for (const etag of ['b', 'c', 'd']) await read(etag, 'abc')
  t.same([known('a'), known('d')], [undefined, 'abc'], 'the oldest goes')
})
