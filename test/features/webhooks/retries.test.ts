import t from 'tap'
import { must } from '../../support/answers.ts'
import type { Api } from '../../support/app.ts'
import { EVENT } from '../../support/given.ts'
import {
  accept,
  addHook,
  answer,
  buildHooks,
  deliveriesOf,
  type Got,
  hookOf,
  openReceiver,
} from '../../support/receiver.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const later = async (api: Api, milliseconds: number) => {
  api.clock.now += milliseconds
  await api.app.hooks.drain()
}
const addEvent = async (api: Api, title = 'Concert'): Promise<number> =>
  (await must(api.editor.post('/events', { ...EVENT, title }))).id
const told = (got: Got[]) => got.map(({ type, data }) => `${type} ${data.id}`)

t.test('a message is tried again after longer and longer times, with the same ID', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, answer(500, {}, 'out of order\u0000'))
  const hook = await addHook(api, receiver)
  const id = await addEvent(api)
  const began = api.clock.now
  await later(api, 0)
  const [first] = await deliveriesOf(api, hook)
  t.match(first, {
    type: 'event.created',
    record_id: id,
    status: 'waiting',
    attempts: 1,
    tried_utc: '2026-11-21 09:00:00',
    response_code: 500,
    response: 'out of order',
    error: 'The server answered with status 500 instead of 2xx.',
  })
  t.match((await hookOf(api, hook)).state, { pending: 1, failing_since_utc: '2026-11-21 09:00:00' })
  const minutes: number[] = []
  for (let tries = 1; tries < 10; ) {
    await later(api, MINUTE)
    if (receiver.got.length === tries) continue
    tries = receiver.got.length
    minutes.push(Math.round((api.clock.now - began) / MINUTE))
  }
  const delays = minutes.map((minute, at) => minute - (minutes[at - 1] ?? 0))
  // after 5 and 30 seconds, 2, 10 and 30 minutes, 1, 2, 4 and 4 hours; each a fifth shorter or longer, and rests of 5 to 80 seconds
  for (const [at, [least, most]] of [
    [1, 1],
    [1, 1],
    [2, 4],
    [8, 14],
    [24, 39],
    [48, 75],
    [96, 147],
    [192, 291],
    [192, 291],
  ].entries())
    t.ok(delays[at]! >= least! && delays[at]! <= most!, `${delays[at]} minutes before try ${at + 2}`)
  receiver.behaviour = accept
  await later(api, 5 * HOUR)
  t.equal(receiver.got.length, 11)
  t.same(new Set(receiver.got.map(({ id }) => id)), new Set([first.message_id]))
  t.not(receiver.got[0]!.headers['webhook-signature'], receiver.got[9]!.headers['webhook-signature'])
  const [last] = await deliveriesOf(api, hook)
  t.match(last, { id: first.id, status: 'delivered', attempts: 11, response_code: 204, error: undefined })
  t.equal(last.next_attempt_utc, undefined)
  t.equal((await hookOf(api, hook)).state.failing_since_utc, undefined)
})

t.test('what fails for three days is given up and disables the webhook, which says so', async (t) => {
  const lines: { msg: string; webhook?: number; reason?: string }[] = []
  const api = await buildHooks(t)
  api.app.log.warn = ((data: object, msg: string) => lines.push({ ...data, msg })) as never
  const receiver = await openReceiver(t, answer(500))
  const hook = await addHook(api, receiver)
  await addEvent(api)
  await later(api, 0)
  for (let hours = 0; hours < 71; hours++) await later(api, HOUR)
  t.equal((await hookOf(api, hook)).enabled, true)
  await later(api, HOUR + MINUTE)
  const { enabled, state } = await hookOf(api, hook)
  t.equal(enabled, false)
  t.match(state, { disabled_reason: /^No message was accepted for three days\. .* status 500/ })
  t.match(await deliveriesOf(api, hook), [{ status: 'failed' }])
  t.match(lines, [
    { msg: 'a webhook fails', webhook: hook.id },
    { msg: 'a webhook was disabled', webhook: hook.id, reason: state.disabled_reason },
  ])
  const { length } = receiver.got
  receiver.behaviour = accept
  const id = await addEvent(api, 'Later')
  await later(api, DAY)
  t.equal(receiver.got.length, length, 'a disabled webhook gets nothing')
  await must(api.administrator.patch(`/webhooks/${hook.id}`, { enabled: true }))
  await later(api, 0)
  t.same(told(receiver.got.slice(length)), [`event.created ${id}`], 'and goes on where it stopped')
  t.notOk((await hookOf(api, hook)).state.disabled_reason)
})

t.test('the messages about a record are in order, and others do not wait for them', async (t) => {
  const api = await buildHooks(t)
  let broken = 0
  const receiver = await openReceiver(t, (got, response) =>
    response.writeHead(got.data.id === broken ? 500 : 200).end(),
  )
  const hook = await addHook(api, receiver)
  const [one, two] = [await addEvent(api, 'One'), await addEvent(api, 'Two')]
  broken = one
  await later(api, 0)
  await must(api.editor.patch(`/events/${one}`, { title: 'One again' }))
  await must(api.editor.patch(`/events/${two}`, { title: 'Two again' }))
  await later(api, 0)
  t.same(
    told(receiver.got).slice(2),
    [`event.updated ${two}`],
    'the first message about the other is not accepted yet',
  )
  broken = 0
  await later(api, 10 * SECOND)
  const about = receiver.got.filter(({ data }) => data.id === one)
  t.same(
    about.map(({ type, data }) => [type, data.record.title]),
    [
      ['event.created', 'One'],
      ['event.created', 'One again'],
      ['event.updated', 'One again'],
    ],
  )
  t.equal(about[1]!.id, about[0]!.id, 'what was refused is told again')
  broken = one
  for (const title of ['Once more', 'For the last time']) {
    await must(api.editor.patch(`/events/${one}`, { title }))
    await later(api, 0)
  }
  broken = 0
  await later(api, 10 * SECOND)
  const last = receiver.got.splice(0).slice(-2)
  t.match(last[1]!.data.record, { title: 'For the last time' }, 'one message tells both changes')
  t.not(last[0]!.id, last[1]!.id, 'it is another message')
  t.same(
    (await deliveriesOf(api, hook)).map((one: { status: string }) => one.status),
    ['delivered', 'superseded', 'delivered', 'delivered', 'delivered', 'delivered'],
  )
  await later(api, DAY)
  t.equal(receiver.got.length, 0)
})

t.test('a receiver that answers 410 is disabled at once', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, answer(410))
  const hook = await addHook(api, receiver)
  await addEvent(api)
  await later(api, 0)
  t.match(await hookOf(api, hook), {
    enabled: false,
    state: { disabled_reason: 'The server answered 410 Gone: it wants no more messages.', pending: 1 },
  })
  await later(api, DAY)
  t.equal(receiver.got.length, 1)
  receiver.behaviour = accept
  await must(api.administrator.patch(`/webhooks/${hook.id}`, { enabled: true }))
  await later(api, 0)
  t.equal(receiver.got[1]!.id, receiver.got[0]!.id, 'enabled again, it is told what it missed')
})

t.test('a redirect is a failure that says so', async (t) => {
  const api = await buildHooks(t)
  const other = await openReceiver(t)
  const receiver = await openReceiver(t, answer(307, { location: other.url }))
  const hook = await addHook(api, receiver)
  await addEvent(api)
  await later(api, 0)
  t.match(await deliveriesOf(api, hook), [
    { status: 'waiting', response_code: 307, error: /^The server redirects \(status 307\)/ },
  ])
  t.same(other.got, [])
})

t.test('a receiver is left alone for as long as it asks', async (t) => {
  const api = await buildHooks(t)
  for (const [status, retry, wait] of [
    [429, '600', 600],
    [503, new Date(api.clock.now + 1_800_000).toUTCString(), 1_800],
    [503, '999999', 86_400],
    [500, '600', 6],
    [503, 'soon', 6],
  ] as const) {
    const receiver = await openReceiver(t, answer(status, { 'retry-after': retry }))
    const hook = await addHook(api, receiver)
    const start = api.clock.now
    await addEvent(api)
    await later(api, 0)
    receiver.behaviour = accept
    await addEvent(api, 'Another')
    await later(api, (wait - 3) * SECOND - (api.clock.now - start))
    t.equal(receiver.got.length, wait === 6 ? 2 : 1, `${status} ${retry}`)
    await later(api, 4 * SECOND)
    t.equal(receiver.got.length, 3, `${status} ${retry}`)
    await must(api.administrator.delete(`/webhooks/${hook.id}`))
    api.clock.now = start
  }
})

t.test('while a receiver is down little is sent, and all of it when it is back', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, answer(502))
  const hook = await addHook(api, receiver)
  const ids: number[] = []
  for (let at = 0; at < 30; at++) ids.push(await addEvent(api, `Event ${at}`))
  for (let at = 0; at < 60; at++) await later(api, MINUTE)
  t.ok(receiver.got.length < 30, `${receiver.got.length} tries in an hour`)
  t.ok((await deliveriesOf(api, hook)).length < 30, 'the others stay in the log')
  receiver.behaviour = accept
  receiver.got.length = 0
  await later(api, 10 * MINUTE)
  t.same(told(receiver.got).sort(), ids.map((id) => `event.created ${id}`).sort())
  t.match((await hookOf(api, hook)).state, { pending: 0 })
})
