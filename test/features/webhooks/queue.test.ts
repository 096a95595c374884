import t from 'tap'
import { deliveryOf, type Message, openQueue } from '../../../src/features/webhooks/queue.ts'
import { outcomeOf } from '../../../src/features/webhooks/signed-messages.ts'
import type { Webhook } from '../../../src/features/webhooks/store.ts'

const NOW = Date.parse('2026-11-21T09:00:00Z')
const hookWith = (more: Partial<Webhook> = {}): Webhook => ({
  ...{
    id: 1,
    owner_id: 1,
    url: 'https://mirror.example/',
    description: '',
    kinds: ['event'],
    filters: {},
    interest: {},
  },
  ...{ operations: ['created', 'updated', 'deleted'], enabled: true, disabled_reason: null, secret: 'x' },
  ...{ previous_secret: null, previous_until_utc: null, position: 10, created_utc: '', gap_utc: null },
  ...{ last_success_utc: null, tried_utc: null, failing_since_utc: null, ...more },
})
const message = (seq: number, record_id: number, operation: Message['operation'] = 'updated'): Message => ({
  ...{ kind: 'event', record_id, operation, seq, from: seq, at_utc: '2026-11-21 09:00:00' },
})
const yes = outcomeOf({ status: 200, retryAfter: undefined, text: '' }, NOW, 1)
const no = outcomeOf({ failure: 'no' }, NOW, 1)

/** What a queue tells while everything is accepted. */
function drain(queue: ReturnType<typeof openQueue>, at = NOW) {
  const told: string[] = []
  for (let task = queue.next(at); task; task = queue.next(at)) {
    told.push(`${task.delivery.operation} ${task.delivery.seq}`)
    queue.finish(task, yes, at, at, 0.5)
  }
  return told
}

t.test('what waits of a record is told with what came later, apart from its creation', async (t) => {
  for (const [read, told] of [
    [
      ['created', 'updated'],
      ['created 11', 'updated 12'],
    ],
    [
      ['created', 'updated', 'updated'],
      ['created 11', 'updated 13'],
    ],
    [
      ['created', 'created'],
      ['created 11', 'updated 12'],
    ],
    [['created', 'deleted'], ['deleted 12']],
    [['created', 'deleted', 'created'], ['created 13']],
    [['created', 'deleted', 'deleted', 'updated'], ['created 14']],
    [['created', 'updated', 'deleted'], ['deleted 13']],
    [['updated', 'updated'], ['updated 12']],
    [['updated', 'deleted'], ['deleted 12']],
    [['deleted', 'created'], ['updated 12']],
    [['deleted', 'deleted'], ['deleted 12']],
  ] as const) {
    const queue = openQueue(hookWith(), [], NOW)
    for (const [at, operation] of read.entries()) queue.enqueue([message(11 + at, 1, operation)], 11 + at)
    t.equal(queue.state().position, 10)
    t.same(drain(queue), told, read.join(', '))
    t.equal(queue.state().position, 10 + read.length)
  }
})

t.test('operations that nobody wants are left out', async (t) => {
  const queue = openQueue(hookWith({ operations: ['created'] }), [], NOW)
  queue.enqueue([message(11, 1, 'created'), message(12, 2, 'updated'), message(13, 3, 'created')], 13)
  queue.enqueue([message(14, 1, 'deleted'), message(15, 3, 'updated')], 15)
  t.match(queue.next(NOW)!.delivery, { record_id: 3, operation: 'created', seq: 13 })
  t.equal(queue.next(NOW), undefined)
  const other = openQueue(hookWith({ operations: ['created', 'deleted'] }), [], NOW)
  other.enqueue([message(11, 1, 'deleted'), message(12, 1, 'created')], 12)
  t.same(drain(other), [], 'it is there as before')
  other.enqueue([message(13, 1, 'created'), message(14, 1, 'deleted'), message(15, 1, 'created')], 15)
  t.same(drain(other), ['created 15'])
})

t.test('a creation that failed is told again by itself, and later changes after it', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  queue.enqueue([message(11, 1, 'created')], 11)
  queue.finish(queue.next(NOW)!, no, NOW, NOW, 0.5)
  queue.enqueue([message(12, 1), message(13, 1)], 13)
  t.equal(queue.next(NOW), undefined)
  t.same(drain(queue, NOW + 6_000), ['created 11', 'updated 13'])

  queue.enqueue([message(14, 2, 'created')], 14)
  queue.finish(queue.next(NOW)!, no, NOW, NOW, 0.5)
  queue.enqueue([message(15, 2, 'deleted')], 15)
  const task = queue.next(NOW + 6_000)!
  t.match(task, { delivery: { operation: 'deleted', seq: 15 }, replaced: { seq: 14 } })
  queue.finish(task, no, NOW, NOW, 0.5)
  queue.enqueue([message(16, 2, 'created')], 16)
  t.same(drain(queue, NOW + 60_000), ['updated 16'])
})

t.test('what another node told or stored is not told once more', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  queue.enqueue([message(11, 1, 'created'), message(12, 2), message(13, 1), message(14, 3)], 14)
  const stored = { ...deliveryOf(hookWith(), message(11, 1, 'created'), NOW), id: 7 }
  t.same(queue.adopt([stored]), [])
  queue.reach(12)
  t.equal(queue.state().position, 12)
  const first = queue.next(NOW)!
  t.match(first, { delivery: { id: 7 }, from: undefined })
  queue.finish(first, yes, NOW, NOW, 0.5)
  t.same(drain(queue), ['updated 13', 'updated 14'])
  queue.reach(20)
  t.equal(queue.state().position, 20)
  const other = openQueue(hookWith(), [stored], NOW)
  other.enqueue([message(11, 1, 'created')], 11)
  t.same(drain(other), ['created 11'], 'it was stored before it is read')
})

t.test('a position is before all that was never tried', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  const position = () => queue.state().position
  t.equal(position(), 10)
  queue.enqueue([message(11, 1), message(12, 2), message(15, 3)], 20)
  t.equal(position(), 10)
  const [one, two, three] = [queue.next(NOW)!, queue.next(NOW)!, queue.next(NOW)!]
  queue.finish(two, yes, NOW, NOW, 0.5)
  t.equal(position(), 10, 'the first is under way')
  queue.finish(one, no, NOW, NOW, 0.5)
  t.equal(position(), 14, 'the first is kept as a delivery')
  queue.enqueue([message(21, 3)], 21)
  t.equal(queue.next(NOW), undefined, 'the next message of a record waits')
  t.equal(queue.pending(), 2)
  queue.finish(three, yes, NOW, NOW, 0.5)
  t.equal(position(), 20)
  const again = queue.next(NOW + 6_000)!
  t.equal(position(), 20, 'also while the first is tried again')
  queue.finish(again, yes, NOW, NOW, 0.5)
  queue.drop(queue.next(NOW)!)
  t.equal(position(), 21)
})

t.test('four are under way at the same time, and one while it fails', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  const some = Array.from({ length: 9 }, (_, at) => message(11 + at, at + 1))
  queue.enqueue(some, 20)
  const first = [1, 2, 3, 4].map(() => queue.next(NOW)!)
  t.equal(queue.next(NOW), undefined)
  for (const task of first.slice(1)) queue.finish(task, yes, NOW, NOW, 0.5)
  queue.finish(first[0]!, no, NOW, NOW, 0.5)
  t.ok(queue.next(NOW))
  t.equal(queue.next(NOW), undefined)
})

t.test('it rests after five failures in a row', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  const some = Array.from({ length: 9 }, (_, at) => message(11 + at, at + 1))
  queue.enqueue(some, 20)
  for (let at = 0; at < 5; at++) queue.finish(queue.next(NOW)!, no, NOW, NOW, 0.5)
  t.equal(queue.next(NOW + 4_000), undefined)
  queue.finish(queue.next(NOW + 5_000)!, yes, NOW + 5_000, NOW + 5_000, 0.5)
  t.same(
    [1, 2, 3, 4].map(() => queue.next(NOW + 5_000)!.delivery.record_id),
    [2, 3, 4, 5],
    'all that wait are tried',
  )
})

t.test('a time in which nothing could be tried does not count', async (t) => {
  const failing = { failing_since_utc: '2026-11-01 09:00:00', tried_utc: '2026-11-02 09:00:00' }
  const queue = openQueue(hookWith(failing), [], NOW)
  queue.enqueue([message(11, 1)], 11)
  queue.finish(queue.next(NOW)!, no, NOW, NOW, 0.5)
  t.match(queue.hook(), { enabled: true, failing_since_utc: '2026-11-21 09:00:00' })
  const recent = openQueue(hookWith({ ...failing, tried_utc: '2026-11-21 08:00:00' }), [], NOW)
  recent.enqueue([message(11, 1)], 11)
  recent.finish(recent.next(NOW)!, no, NOW, NOW, 0.5)
  t.match(recent.hook(), { enabled: false })
  t.match(recent.state(), { disabled_reason: /three days/ })
})

t.test('a queue holds a limited number of messages', async (t) => {
  const queue = openQueue(hookWith(), [], NOW)
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => message(from + at, from + at))
  queue.enqueue(some(11, 499), 600)
  t.ok(queue.hasRoom())
  queue.enqueue(some(700, 1), 700)
  t.notOk(queue.hasRoom())
  queue.move(10)
  t.ok(queue.hasRoom())
  t.notOk(openQueue(hookWith({ enabled: false }), [], NOW).hasRoom())
})
