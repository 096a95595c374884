import t from 'tap'
import { EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'
import { addHook, buildHooks, deliveriesOf, hookOf, openReceiver, verify } from '../support/receiver.ts'

t.test('a receiver is told of what is created, updated and deleted, signed by the convention', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  await must(api.editor.post('/events', { ...EVENT, title: 'Before' }))
  const hook = await addHook(api, receiver)
  const { id } = await must(api.editor.post('/events', EVENT))
  await api.app.hooks.settle()
  await must(api.editor.patch(`/events/${id}`, { title: 'Matinee' }))
  await api.app.hooks.settle()
  const shown = await must(api.anonymous.get(`/events?include=${id}`))
  await must(api.editor.delete(`/events/${id}`))
  await api.app.hooks.settle()
  t.same(
    receiver.got.map(({ type, data }) => [type, data.id]),
    [
      ['event.created', id],
      ['event.updated', id],
      ['event.deleted', id],
    ],
  )
  const [, updated, deleted] = receiver.got
  t.same(updated!.data.record, shown.events[0], 'the record is as in a list')
  t.same(JSON.parse(deleted!.text), {
    type: 'event.deleted',
    timestamp: '2026-11-21T09:00:00Z',
    data: { kind: 'event', id, operation: 'deleted' },
  })
  for (const got of receiver.got) t.same(verify(got, hook.secret, api.clock.now), JSON.parse(got.text))
  t.match(updated!.headers, {
    'content-type': 'application/json',
    'user-agent': /^Almanac\//,
    'webhook-timestamp': '1795251600',
  })
  t.equal(new Set(receiver.got.map(({ id }) => id)).size, 3)
  const deliveries = await deliveriesOf(api, hook)
  t.same(
    deliveries.map((one: { type: string; status: string }) => [one.type, one.status]),
    [
      ['event.deleted', 'delivered'],
      ['event.updated', 'delivered'],
      ['event.created', 'delivered'],
    ],
  )
  t.match((await hookOf(api, hook)).state, { pending: 0, last_success_utc: '2026-11-21 09:00:00' })
})
