import t from 'tap'
import type { DeliveryRow } from '../../../../src/features/webhooks/store.ts'
import { must } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { accept, addHook, answer, deliveriesOf, openReceiver } from '../../../../test/support/receiver.ts'
import { until } from '../../../../test/support/until.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const { ask } = postgres

/** Two nodes of which the first leads. The lease is given by hand. */
async function openLed(t: Parameters<typeof openPair>[0]) {
  const pair = await openPair(t, postgres, { DOWNLOAD_ALLOW: '127.0.0.1' })
  const led = { one: true, two: false }
  for (const name of ['one', 'two'] as const) pair[name].app.store.db.leads = () => led[name]
  /** Lets the other node lead. */
  const hand = () => Object.assign(led, { one: !led.one, two: !led.two })
  const settle = async (api: Api) => {
    await follow(api)
    await api.app.hooks.drain()
  }
  return { ...pair, led, hand, settle }
}

t.test('only the node that leads sends, and the next one goes on where it was', async (t) => {
  const { one, two, as, hand, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(one, receiver)
  await must(two.anonymous.post('/events', { ...EVENT, title: 'One' }, as('editor')))
  await settle(two)
  t.equal(receiver.got.length, 0)
  await settle(one)
  t.match(receiver.got.splice(0), [{ data: { record: { title: 'One' } } }])

  hand()
  await must(one.editor.post('/events', { ...EVENT, title: 'Two' }))
  await settle(one)
  t.same(one.app.hooks.queues(), [])
  await settle(two)
  t.match(receiver.got.splice(0), [{ data: { record: { title: 'Two' } } }], 'nothing is told twice')
  await follow(one)
  t.match(
    (await deliveriesOf(one, hook)).map(({ status }: { status: string }) => status),
    ['delivered', 'delivered'],
  )
  hand()
  await settle(two)
  await settle(one)
  t.equal(receiver.got.length, 0)
})

t.test('what is asked of a node that does not lead is done by the one that does', async (t) => {
  const { one, two, as, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(one, receiver)
  const { id } = await must(one.editor.post('/events', EVENT))
  await settle(one)
  const [delivery] = await deliveriesOf(one, hook)
  const { sequence } = (await must(one.administrator.get(`/webhooks/${hook.id}`))).state
  receiver.got.length = 0
  const ask = async (path: string, body?: object) => {
    const asked = await must(two.anonymous.post(`/webhooks/${hook.id}/${path}`, body, as('administrator')))
    t.equal(receiver.got.length, 0)
    await settle(one)
    t.equal(receiver.got.length, 1, path)
    const [got] = receiver.got.splice(0)
    return { asked, got: got! }
  }
  t.match(await ask('test'), { asked: { status: 'waiting', type: 'ping' }, got: { type: 'ping' } })
  t.match(await ask(`deliveries/${delivery.id}/replay`), { asked: { record_id: id }, got: { data: { id } } })
  t.match(await ask('replay', { after: 0 }), { got: { data: { id } } })
  t.match(await must(one.administrator.get(`/webhooks/${hook.id}`)), { state: { sequence } })
  t.equal((await two.anonymous.post('/webhooks/9/test', undefined, as('administrator'))).status, 404)
  const missing = await two.app.hooks.ping(9).catch((error) => error.code)
  t.equal(missing, 'webhook-not-found')

  receiver.behaviour = answer(500)
  await must(one.editor.patch(`/events/${id}`, { title: 'Later' }))
  await settle(one)
  await follow(two)
  t.match(await must(two.anonymous.get(`/webhooks/${hook.id}`, undefined, as('administrator'))), {
    state: { pending: 1 },
  })
  receiver.behaviour = accept
  receiver.got.length = 0
  const [waiting] = await deliveriesOf(one, hook)
  t.equal(waiting.status, 'waiting')
  one.clock.now += 5_000
  two.clock.now += 1_000
  const { asked } = await ask(`deliveries/${delivery.id}/replay`)
  t.equal(asked.id, waiting.id, 'the one that waits is tried at once')
  await must(two.anonymous.patch(`/webhooks/${hook.id}`, { enabled: false }, as('administrator')))
  await must(one.editor.patch(`/events/${id}`, { title: 'Last' }))
  await settle(one)
  t.equal(receiver.got.length, 0, 'what administrators change elsewhere holds')
})

t.test('a rewind elsewhere is not written over by what the leader stores', async (t) => {
  const { one, two, as, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(one, receiver)
  for (const title of ['One', 'Two']) await must(one.editor.post('/events', { ...EVENT, title }))
  await settle(one)
  const back = await two.app.store.webhooks.rewind(hook.id, 0)
  t.equal(back.position, 0)
  const stored = () => ask<{ position: number }>('select position from almanac.webhooks')
  await one.app.store.webhooks.deliveries.save(() => ({
    deliveries: [],
    states: one.app.hooks.queues().map((queue) => queue.state()),
  }))
  t.match(await stored(), [{ position: 0 }])
  receiver.got.length = 0
  await settle(one)
  t.equal(receiver.got.length, 2)
  t.equal((await two.anonymous.get(`/webhooks/${hook.id}`, undefined, as('administrator'))).status, 200)
})

t.test('a node that loses the lead gives up what it was sending', async (t) => {
  const { one, two, hand, settle } = await openLed(t)
  let called = () => {}
  const arrived = new Promise<void>((resolve) => {
    called = resolve
  })
  const receiver = await openReceiver(t, () => called()) // and never answers
  await addHook(one, receiver)
  await must(one.editor.post('/events', EVENT))
  const sending = one.app.hooks.drain()
  await arrived
  hand()
  await one.app.hooks.pending(1)
  await sending
  receiver.behaviour = accept
  receiver.got.length = 0
  await settle(two)
  t.equal(receiver.got.length, 1, 'the other one sends it')
})

t.test('what a node finds out after it lost the lead is not stored', async (t) => {
  const { one, two, hand, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(one, receiver, { operations: ['created'] })
  await must(one.editor.post('/events', EVENT))
  one.app.store.sync.show = async () => {
    hand()
    await one.app.hooks.pending(hook.id)
    return undefined // it is hidden now
  }
  await settle(one)
  t.equal(receiver.got.length, 0)
  await settle(two)
  t.match(receiver.got, [{ type: 'event.created' }], 'the other one begins where it was')
})

t.test('the next node tells what it can not know to be told under the same IDs', async (t) => {
  const { one, two, hand, settle, as } = await openLed(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(one, receiver)
  const { deliveries } = one.app.store.webhooks
  const { save } = deliveries
  deliveries.save = async () => {
    throw new Error('this is not the time')
  }
  const { id } = await must(one.editor.post('/events', EVENT))
  await settle(one)
  const [first] = receiver.got.splice(0)
  t.match(first, { type: 'event.created', data: { id } })
  const stored: unknown[] = []
  deliveries.save = async (take) => {
    stored.push(take())
    hand()
    await one.app.hooks.pending(hook.id)
    throw new Error('this is too late')
  }
  await settle(one)
  await must(two.anonymous.patch(`/events/${id}`, { title: 'Later' }, as('editor')))
  await settle(two)
  t.match(receiver.got, [{ id: first!.id, type: 'event.created' }, { type: 'event.updated' }])
  t.not(receiver.got[1]!.id, first!.id)

  deliveries.save = save
  hand()
  await settle(one)
  t.equal(receiver.got.length, 2, 'what could not be stored is not taken up again')
  t.same(
    (await deliveriesOf(one, hook)).map(({ type }: { type: string }) => type),
    ['event.updated', 'event.created'],
  )
})

t.test('a node that led before another one did begins anew, though it never noticed', async (t) => {
  const { one, two, hand, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  await addHook(one, receiver)
  await must(one.editor.post('/events', EVENT))
  await settle(one)
  hand()
  await must(one.editor.post('/events', EVENT))
  await settle(two)
  hand()
  t.equal(receiver.got.splice(0).length, 2)
  const [queue] = one.app.hooks.queues()
  one.app.store.db.term = () => 9
  await settle(one)
  t.same(receiver.got, [], 'it knows what the other one told')
  t.not(one.app.hooks.queues()[0], queue)
})

t.test('a node that can not know what was told before does not tell anything', async (t) => {
  const { one, two, hand, settle } = await openLed(t)
  const receiver = await openReceiver(t)
  await addHook(one, receiver)
  await must(one.editor.post('/events', EVENT))
  await follow(two)
  hand()
  const { fresh } = two.app.store.db
  two.app.store.db.fresh = async () => 7
  await two.app.hooks.drain()
  t.same(receiver.got, [])
  two.app.store.db.fresh = fresh!
  await settle(two)
  t.equal(receiver.got.length, 1)
})

t.test('of two deliveries that wait for one record, one is sent', async (t) => {
  const { one, two, settle } = await openLed(t)
  const receiver = await openReceiver(t, answer(500))
  const hook = await addHook(one, receiver)
  await must(one.editor.post('/events', EVENT))
  await settle(one)
  await follow(two)
  const { deliveries } = two.app.store.webhooks
  const [{ id, ...same }] = (await deliveries.waiting(hook.id)) as [DeliveryRow]
  await deliveries.save(() => ({ deliveries: [same], states: [] }))
  receiver.behaviour = accept
  receiver.got.length = 0
  one.clock.now += 60_000
  await settle(one)
  t.equal(receiver.got.length, 1)
  t.match(await deliveriesOf(one, hook), [{ status: 'superseded' }, { id, status: 'delivered' }])
})

t.test('one node leads, and listeners of all nodes hear of writes', async (t) => {
  const { one, two } = await openPair(t, postgres)
  await until(() => one.app.store.db.leads() || two.app.store.db.leads())
  t.not(one.app.store.db.leads(), two.app.store.db.leads(), 'one of them leads')
  const origin = await two.app.listen({ port: 0, host: '127.0.0.1' })
  const cancel = new AbortController()
  const stream = await fetch(`${origin}/calendar/events/v1/changes`, {
    headers: { accept: 'text/event-stream' },
    signal: cancel.signal,
  })
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  const { id } = await must(one.editor.post('/events', EVENT))
  let heard = ''
  while (!heard.includes(`"id":${id}`)) heard += (await reader.read()).value
  t.match(heard, /Concert/)
  cancel.abort()
  await reader.closed.catch(() => {})
  await until(() => two.app.eventStreams.count() === 0)
  two.app.server.closeAllConnections()
})
