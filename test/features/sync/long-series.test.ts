import { join } from 'node:path'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openListeners } from '../../support/listening.ts'
import { addHook, buildHooks, openReceiver } from '../../support/receiver.ts'
import { storedDates, WEEKLY } from '../../support/series.ts'

/** More dates than a line to a webhook holds at a time, and than one message to a listener has. */
const LONG = { ...WEEKLY, recurrence: { rrule: 'FREQ=DAILY;COUNT=620' } }

t.test('a listener and a webhook hear of each of hundreds of dates once, in batches', async (t) => {
  const api = await buildHooks(t, { DATABASE: join(t.testdir(), 'a.db') })
  const { editor } = api
  const { id } = await must(editor.post('/series', LONG))
  const ids = storedDates(api, id).map(({ id }) => id)
  t.equal(ids.length, 620)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver, { kinds: ['event', 'series'] })
  const { begin } = await openListeners(t, api)
  const heard = await begin('?kind=event,series')

  await must(editor.patch(`/series/${id}`, { title: 'Chorus' }))
  const { id: last } = await must(editor.post('/events', EVENT))
  const told: string[] = []
  const sizes: number[] = []
  while (!told.includes(`create event ${last}`)) {
    const { changes } = (await heard.next())!.data
    sizes.push(changes.length)
    told.push(
      ...changes.map(
        (one: { operation: string; kind: string; id: number }) => `${one.operation} ${one.kind} ${one.id}`,
      ),
    )
  }
  const all = [`update series ${id}`, ...ids.map((id) => `update event ${id}`), `create event ${last}`]
  t.same(told.sort(), all.sort())
  t.ok(sizes.length > 1 && Math.max(...sizes) <= 25, `${sizes}`)

  await api.app.hooks.drain()
  const sent = [`series.updated ${id}`, ...ids.map((id) => `event.updated ${id}`), `event.created ${last}`]
  t.same(receiver.got.map(({ type, data }) => `${type} ${data.id}`).sort(), sent.sort())
  for (const { type, data } of receiver.got)
    if (type === 'event.updated') t.equal(data.record.title, 'Chorus')
  const { state } = await must(api.administrator.get(`/webhooks/${hook.id}`))
  t.match(state, { pending: 0, gap_utc: undefined })
})

t.test('a receiver that was down while hundreds of dates changed is told of each later', async (t) => {
  const api = await buildHooks(t)
  const { editor } = api
  const { id } = await must(editor.post('/series', LONG))
  const ids = storedDates(api, id).map(({ id }) => id)
  let isDown = true
  const accepted: string[] = []
  const receiver = await openReceiver(t, ({ type, data }, response) => {
    if (!isDown) accepted.push(`${type} ${data.id}`)
    response.writeHead(isDown ? 503 : 204).end()
  })
  const hook = await addHook(api, receiver, { kinds: 'event' })
  await must(editor.patch(`/series/${id}`, { title: 'Chorus' }))
  await api.app.hooks.drain()
  t.same(accepted, [])
  isDown = false
  for (let hours = 0; accepted.length < ids.length && hours < 48; hours++) {
    api.clock.now += 3_600_000
    await api.app.hooks.drain()
  }
  t.same(accepted.sort(), ids.map((id) => `event.updated ${id}`).sort())
  t.match(await must(api.administrator.get(`/webhooks/${hook.id}`)), { enabled: true, state: { pending: 0 } })
})
