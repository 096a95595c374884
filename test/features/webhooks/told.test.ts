import t from 'tap'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { addHook, buildHooks, deliveriesOf, hookOf, openReceiver, verify } from '../../support/receiver.ts'

t.test('a receiver is told of what is created, updated and deleted, signed by the convention', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  await must(api.editor.post('/events', { ...EVENT, title: 'Before' }))
  const hook = await addHook(api, receiver)
  const { id } = await must(api.editor.post('/events', EVENT))
  await api.app.hooks.drain()
  await must(api.editor.patch(`/events/${id}`, { title: 'Matinee' }))
  await api.app.hooks.drain()
  const shown = await must(api.anonymous.get(`/events?include=${id}`))
  await must(api.editor.delete(`/events/${id}`))
  await api.app.hooks.drain()
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

t.test('a webhook sees what everyone sees, or with a status what an administrator sees', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const inside = await openReceiver(t)
  await addHook(api, receiver)
  await addHook(api, inside, { kinds: 'event', filters: { status: ['any'] } })
  const told = async ({ got } = receiver) => {
    await api.app.hooks.drain()
    return got.splice(0).map(({ type, data }) => `${type} ${data.id}`)
  }
  const { id } = await must(api.editor.post('/events', { ...EVENT, status: 'draft' }))
  t.same([await told(), await told(inside)], [[], [`event.created ${id}`]])
  await must(api.editor.patch(`/events/${id}`, { status: 'publish' }))
  t.same([await told(), await told(inside)], [[`event.created ${id}`], [`event.updated ${id}`]])
  await must(api.editor.patch(`/events/${id}`, { status: 'private' }))
  t.same([await told(), await told(inside)], [[`event.deleted ${id}`], [`event.updated ${id}`]])

  const secret = { title: 'Hidden', description: 'Where it is', password: 'sesame', tags: ['club'] }
  const closed = await must(api.administrator.post('/events', { ...EVENT, ...secret }))
  await api.app.hooks.drain()
  const [shown] = receiver.got.filter(({ data }) => data.kind === 'event')
  t.match(shown!.data.record, { id: closed.id, title: 'Hidden', description: '', tags: [] })
  t.notMatch(shown!.text, /Where it is|sesame/)
  t.match(inside.got[0]!.data.record, { description: '<p>Where it is</p>' })
})

t.test('filters, kinds and operations choose what is told', async (t) => {
  const api = await buildHooks(t)
  const concerts = await must(api.editor.post('/categories', { name: 'Concerts' }))
  const hooks: [name: string, more: object][] = [
    ['category', { filters: { categories: ['Concerts'] } }],
    ['venues', { kinds: ['venue', 'tag'] }],
    ['deleted', { operations: ['deleted'], kinds: 'event' }],
    ['updated', { operations: ['updated'], kinds: 'event' }],
    ['language', { filters: { i18n_language: 'ca' }, kinds: 'event,venue' }],
  ]
  const told: Record<string, string[]> = {}
  for (const [name, more] of hooks) {
    const receiver = await openReceiver(t, (got, response) => {
      told[name]!.push(`${got.type} ${got.data.id}`)
      response.end()
    })
    told[name] = []
    await addHook(api, receiver, more)
  }
  const settle = async () => {
    await api.app.hooks.drain()
    return Object.fromEntries(Object.entries(told).map(([name, list]) => [name, list.splice(0)]))
  }
  const none = { category: [], venues: [], deleted: [], updated: [], language: [] }
  const { id, venue } = await must(
    api.editor.post('/events', { ...EVENT, categories: [concerts.id], venue: { venue: 'Hall' } }),
  )
  t.same(await settle(), {
    ...none,
    category: [`event.created ${id}`],
    venues: [`venue.created ${venue.id}`],
  })
  // the event shows the venue
  await must(api.editor.patch(`/venues/${venue.id}`, { phone: '1' }))
  const updated = [`event.updated ${id}`]
  t.same(await settle(), { ...none, category: updated, updated, venues: [`venue.updated ${venue.id}`] })
  await must(api.editor.patch(`/categories/${concerts.id}`, { name: 'Music', slug: 'music' }))
  t.same(await settle(), { ...none, category: updated, updated }, 'a filter means the category, not its name')
  await must(api.editor.patch(`/events/${id}`, { categories: [], i18n_language: 'ca' }))
  t.same(await settle(), {
    ...{ ...none, category: [`event.deleted ${id}`], updated, language: [`event.created ${id}`] },
  })
  await must(api.editor.delete(`/events/${id}?force=true`))
  const deleted = [`event.deleted ${id}`]
  t.same(
    await settle(),
    { ...none, deleted, language: deleted, category: deleted },
    'once more where it was gone',
  )
})

t.test('a filter that does not fit is refused', async (t) => {
  const { administrator } = await buildHooks(t)
  for (const [more, why] of [
    [{ filters: { categories: ['Nothing'] } }, /^categories: There is no category "Nothing"\.$/],
    [{ filters: { venue: [99] } }, /There is no venue with ID 99/],
    [{ filters: { geoloc_lat: 1 } }, /^geoloc_lat: requires geoloc_lng as well\.$/],
    [{ filters: { featured: true }, kinds: ['event', 'tag'] }, /^featured: is not a filter of the kind tag/],
    [{ filters: { search: 'a b c d e f g h i j k l m n o p q r s t u' } }, /^search: must have at most 20/],
    [{ filters: { parent: 99 } }, /^parent: There is no category/],
  ] as const)
    t.match(
      await administrator.post('/webhooks', { url: 'https://mirror.example/', ...more }),
      { status: 400, body: { code: 'rest_invalid_param', data: { params: { filters: why } } } },
      JSON.stringify(more),
    )
})

t.test('what is published at a time is told then', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  await addHook(api, receiver, { kinds: 'event' })
  const { id } = await must(api.editor.post('/events', { ...EVENT, date: '2026-11-21 12:00:00' }))
  await api.app.hooks.drain()
  t.same(receiver.got, [])
  api.clock.now += 3 * 3_600_000
  await api.app.hooks.drain()
  t.match(receiver.got, [{ type: 'event.created', data: { id } }])
})

t.test('of a record that was hidden before it was told only its end is told', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, (_got, response) => response.writeHead(500).end())
  const some = await openReceiver(t, (_got, response) => response.writeHead(500).end())
  const hook = await addHook(api, receiver)
  const own = await addHook(api, some, { operations: ['created'] })
  const { id } = await must(api.editor.post('/events', EVENT))
  await api.app.hooks.drain()
  await must(api.editor.delete(`/events/${id}`))
  receiver.behaviour = some.behaviour = (_got, response) => response.end()
  api.clock.now += 60_000
  await api.app.hooks.drain()
  t.match([receiver.got.length, receiver.got[1]!.type], [2, 'event.deleted'])
  t.equal(some.got.length, 1)
  t.same(
    (await deliveriesOf(api, hook)).map(({ status }: { status: string }) => status),
    ['delivered', 'superseded'],
  )
  t.same(
    (await deliveriesOf(api, own)).map(({ status }: { status: string }) => status),
    ['superseded'],
  )
})
