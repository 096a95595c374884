import t from 'tap'
import { openResults } from '../../../src/features/webhooks/dispatch.ts'
import type { Queue } from '../../../src/features/webhooks/queue.ts'
import type { Delivery, WebhookState } from '../../../src/features/webhooks/store.ts'

/** A queue as results know it, with its webhook's position in the store and in memory. */
const queueAt = (id: number, stored: number, position: number) => {
  const states: WebhookState[] = []
  const state = { id, position } as WebhookState
  const queue = {
    state: () => state,
    hook: () => ({ position: stored }),
    saved: (saved: WebhookState) => states.push(saved),
  } as unknown as Queue
  return { queue, states }
}
const delivery = (record_id: number) => ({ record_id }) as Delivery

/** Results whose store notes what it is given, and fails while `refusals` are left. */
function openNoted(queues: Queue[] = []) {
  const stored: { deliveries: number[]; states: number[] }[] = []
  const warned: string[] = []
  const store = { refusals: 0, meanwhile: () => {}, now: 1_000_000 }
  const results = openResults(
    {
      async save(take) {
        const { deliveries, states } = take()
        store.meanwhile()
        if (store.refusals-- > 0) throw new Error('the disk is full')
        stored.push({
          deliveries: deliveries.map(({ record_id }) => record_id),
          states: states.map(({ id }) => id),
        })
      },
    },
    {
      clock: () => store.now,
      log: { warn: (_: unknown, text: string) => warned.push(text) } as never,
      queues: () => queues,
    },
  )
  return { results, stored, warned, store }
}

t.test('what became of tries is stored once, with the states of its webhooks', async (t) => {
  const { results, stored } = openNoted()
  const { queue, states } = queueAt(7, 1, 2)
  results.note(queue, [delivery(1)])
  results.add([delivery(2)])
  t.equal(results.size(), 2)
  t.equal(await results.save(), undefined)
  t.same(stored, [{ deliveries: [1, 2], states: [7] }])
  t.same(states, [{ id: 7, position: 2 }])
  await results.save()
  t.equal(stored.length, 1, 'nothing is stored where nothing changed')
})

t.test('what could not be stored is stored by the next save', async (t) => {
  const { results, stored, warned, store } = openNoted()
  const { queue, states } = queueAt(7, 1, 2)
  results.note(queue, [delivery(1)])
  store.refusals = 1
  t.match(await results.save(), { message: 'the disk is full' })
  t.same(warned, ['results of webhooks could not be stored; they will be'])
  t.same([stored, states], [[], []])
  await results.save()
  t.same(stored, [{ deliveries: [1], states: [7] }])
})

t.test('after another node took over, nothing of before is stored', async (t) => {
  const { results, stored, warned, store } = openNoted()
  results.note(queueAt(7, 1, 2).queue, [delivery(1)])
  results.drop()
  t.equal(results.size(), 0)
  await results.save()
  t.same(stored, [], 'neither deliveries nor states')

  results.note(queueAt(7, 1, 2).queue, [delivery(1)])
  store.refusals = 1
  store.meanwhile = () => results.drop()
  t.match(await results.save(), { message: 'the disk is full' })
  await results.save()
  t.same([stored, warned], [[], []], 'nor what could not be stored as it took over')
})

t.test('a position alone is stored every ten seconds, or when all is asked for', async (t) => {
  const far = queueAt(1, 5, 9)
  const same = queueAt(2, 5, 5)
  const { results, stored, store } = openNoted([far.queue, same.queue])
  await results.save()
  t.same(stored.splice(0), [{ deliveries: [], states: [1] }], 'that of the one whose position is another')
  store.now += 9_999
  await results.save()
  t.same(stored.splice(0), [])
  store.now += 1
  await results.save()
  t.same(stored.splice(0), [{ deliveries: [], states: [1] }])
  await results.save(true)
  t.same(stored, [{ deliveries: [], states: [1] }])
})
