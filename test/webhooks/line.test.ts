import t from 'tap'
import type { Webhook } from '../../src/store/records/webhooks.ts'
import { openLine } from '../../src/webhooks/line.ts'
import { outcomeOf } from '../../src/webhooks/outcome.ts'
import type { Message } from '../../src/webhooks/task.ts'

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

t.test('what waits of a record is told with what came later', async (t) => {
  for (const [first, then, all] of [
    ['created', 'updated', 'created'],
    ['created', 'deleted', 'deleted'],
    ['updated', 'updated', 'updated'],
    ['updated', 'deleted', 'deleted'],
    ['deleted', 'created', 'updated'],
    ['deleted', 'deleted', 'deleted'],
  ] as const) {
    const line = openLine(hookWith(), [], NOW)
    line.take([message(11, 1, first)], 11)
    line.take([message(12, 1, then)], 12)
    const { delivery } = line.next(NOW)!
    t.match(delivery, { operation: all, seq: 12 }, `${first}, ${then}`)
    t.equal(line.next(NOW), undefined)
  }
})

t.test('operations that nobody wants are left out', async (t) => {
  const line = openLine(hookWith({ operations: ['created'] }), [], NOW)
  line.take([message(11, 1, 'created'), message(12, 2, 'updated'), message(13, 3, 'created')], 13)
  line.take([message(14, 1, 'deleted'), message(15, 3, 'updated')], 15)
  t.match(line.next(NOW)!.delivery, { record_id: 3, operation: 'created', seq: 15 })
  t.equal(line.next(NOW), undefined)
})

t.test('a position is before all that was never tried', async (t) => {
  const line = openLine(hookWith(), [], NOW)
  const position = () => line.state().position
  t.equal(position(), 10)
  line.take([message(11, 1), message(12, 2), message(15, 3)], 20)
  t.equal(position(), 10)
  const [one, two, three] = [line.next(NOW)!, line.next(NOW)!, line.next(NOW)!]
  line.finish(two, yes, NOW, NOW, 0.5)
  t.equal(position(), 10, 'the first is under way')
  line.finish(one, no, NOW, NOW, 0.5)
  t.equal(position(), 14, 'the first is kept as a delivery')
  line.take([message(21, 3)], 21)
  t.equal(line.next(NOW), undefined, 'the next message of a record waits')
  t.equal(line.pending(), 2)
  line.finish(three, yes, NOW, NOW, 0.5)
  t.equal(position(), 20)
  const again = line.next(NOW + 6_000)!
  t.equal(position(), 20, 'also while the first is tried again')
  line.finish(again, yes, NOW, NOW, 0.5)
  line.drop(line.next(NOW)!)
  t.equal(position(), 21)
})

t.test('four are under way at the same time, and one while it fails', async (t) => {
  const line = openLine(hookWith(), [], NOW)
  const some = Array.from({ length: 9 }, (_, at) => message(11 + at, at + 1))
  line.take(some, 20)
  const first = [1, 2, 3, 4].map(() => line.next(NOW)!)
  t.equal(line.next(NOW), undefined)
  for (const task of first.slice(1)) line.finish(task, yes, NOW, NOW, 0.5)
  line.finish(first[0]!, no, NOW, NOW, 0.5)
  t.ok(line.next(NOW))
  t.equal(line.next(NOW), undefined)
})

t.test('it rests after five failures in a row', async (t) => {
  const line = openLine(hookWith(), [], NOW)
  const some = Array.from({ length: 9 }, (_, at) => message(11 + at, at + 1))
  line.take(some, 20)
  for (let at = 0; at < 5; at++) line.finish(line.next(NOW)!, no, NOW, NOW, 0.5)
  t.equal(line.next(NOW + 4_000), undefined)
  line.finish(line.next(NOW + 5_000)!, yes, NOW + 5_000, NOW + 5_000, 0.5)
  t.same(
    [1, 2, 3, 4].map(() => line.next(NOW + 5_000)!.delivery.record_id),
    [2, 3, 4, 5],
    'all that wait are tried',
  )
})

t.test('a time in which nothing could be tried does not count', async (t) => {
  const failing = { failing_since_utc: '2026-11-01 09:00:00', tried_utc: '2026-11-02 09:00:00' }
  const line = openLine(hookWith(failing), [], NOW)
  line.take([message(11, 1)], 11)
  line.finish(line.next(NOW)!, no, NOW, NOW, 0.5)
  t.match(line.hook(), { enabled: true, failing_since_utc: '2026-11-21 09:00:00' })
  const recent = openLine(hookWith({ ...failing, tried_utc: '2026-11-21 08:00:00' }), [], NOW)
  recent.take([message(11, 1)], 11)
  recent.finish(recent.next(NOW)!, no, NOW, NOW, 0.5)
  t.match(recent.hook(), { enabled: false })
  t.match(recent.state(), { disabled_reason: /three days/ })
})

t.test('a line holds a limited number of messages', async (t) => {
  const line = openLine(hookWith(), [], NOW)
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => message(from + at, from + at))
  line.take(some(11, 499), 600)
  t.ok(line.hasRoom())
  line.take(some(700, 1), 700)
  t.notOk(line.hasRoom())
  line.move(10)
  t.ok(line.hasRoom())
  t.notOk(openLine(hookWith({ enabled: false }), [], NOW).hasRoom())
})
