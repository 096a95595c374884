import t from 'tap'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { addHook, buildHooks, deliveriesOf, hookOf, openReceiver } from '../../support/receiver.ts'

t.test('while 500 results could not be stored nothing is sent, and nothing is told twice then', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver, { kinds: ['tag'] })
  const { deliveries } = api.app.store.webhooks
  const { save } = deliveries
  deliveries.save = () => Promise.reject(new Error('no disk'))
  const names = Array.from({ length: 600 }, (_, at) => `Tag ${at}`)
  for (let at = 0; at < names.length; at += 50)
    await must(api.editor.post('/events', { ...EVENT, tags: names.slice(at, at + 50) }))
  await api.app.hooks.drain()
  const { length } = receiver.got
  // those that were under way are finished
  t.ok(length >= 500 && length < 504, `${length} messages`)
  await api.app.hooks.drain()
  t.equal(receiver.got.length, length)
  deliveries.save = save
  await api.app.hooks.drain()
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 600)
  t.equal(new Set(receiver.got.map(({ data }) => data.id)).size, 600)
  t.match((await hookOf(api, hook)).state, { pending: 0, sequence: api.app.store.changes.latest().seq })
})

t.test(
  'a test or a replay that could not be stored is answered with an error, and sent nevertheless',
  async (t) => {
    const api = await buildHooks(t)
    const receiver = await openReceiver(t)
    const hook = await addHook(api, receiver)
    const { deliveries } = api.app.store.webhooks
    const { save } = deliveries
    deliveries.save = () => Promise.reject(new Error('no disk'))
    t.equal((await api.administrator.post(`/webhooks/${hook.id}/test`)).status, 500)
    deliveries.save = save
    await api.app.hooks.drain()
    t.match(receiver.got, [{ type: 'ping' }])
    t.match(await deliveriesOf(api, hook), [{ type: 'ping', status: 'delivered' }])
  },
)

t.test('filters near a place, and filters that no kind has all of', async (t) => {
  const { administrator } = await buildHooks(t)
  const near = { geoloc_lat: 41.9, geoloc_lng: 2.2 }
  const made = await administrator.post('/webhooks', { url: 'https://mirror.example/', filters: near })
  t.match([made.status, made.body.kinds, made.body.filters], [201, ['event'], near])
  t.match(
    await administrator.post('/webhooks', {
      url: 'https://mirror.example/',
      filters: { featured: true, parent: 1 },
    }),
    { status: 400, body: { data: { params: { filters: /parent: is not a filter of the kind event/ } } } },
  )
})
