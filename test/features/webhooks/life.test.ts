import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { webhook_deliveries } from '../../../drizzle/tables.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT, NOW } from '../../support/app.ts'
import {
  accept,
  addHook,
  answer,
  buildHooks,
  deliveriesOf,
  hookOf,
  openReceiver,
} from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000
const addEvent = async (api: Api, title = 'Concert'): Promise<number> =>
  (await must(api.editor.post('/events', { ...EVENT, title }))).id
const envOf = (t: Test, more = {}) => ({
  ...{ DATABASE: join(t.testdir(), 'a.db'), DOWNLOAD_ALLOW: '127.0.0.1' },
  ...more,
})
/** What is logged from now on. */
function logged({ app }: Api) {
  const lines: string[] = []
  for (const level of ['warn', 'info'] as const)
    app.log[level] = ((_data: object, text: string) => lines.push(text)) as never
  return lines
}
/** Waits until something is so. */

t.test('what was not told before a stop is told after the next start', async (t) => {
  const env = envOf(t)
  const first = await build(t, { env })
  const receiver = await openReceiver(t, answer(500))
  const hook = await addHook(first, receiver)
  const [one, two] = [await addEvent(first, 'One'), await addEvent(first, 'Two')]
  await first.app.hooks.drain()
  const three = await addEvent(first, 'Three')
  await must(first.administrator.post(`/webhooks/${hook.id}/test`))
  await first.app.close()
  receiver.got.length = 0
  receiver.behaviour = accept
  const next = await build(t, { env, now: NOW + 60_000, users: false })
  await next.app.hooks.drain()
  const told = receiver.got.map(({ type, data }) => `${type} ${data.id ?? ''}`).sort()
  t.same(told, [`event.created ${one}`, `event.created ${two}`, `event.created ${three}`, 'ping '].sort())
  receiver.got.length = 0
  await next.app.hooks.drain()
  t.same(receiver.got, [])
})

t.test('a calendar that stood still for long goes on, and gives nothing up for that', async (t) => {
  const env = envOf(t)
  const first = await build(t, { env })
  const receiver = await openReceiver(t, answer(500))
  const hook = await addHook(first, receiver)
  const id = await addEvent(first)
  await first.app.hooks.drain()
  await first.app.close()
  const next = await build(t, { env, now: NOW + 10 * DAY, users: false })
  await next.app.hooks.drain()
  t.equal(receiver.got.length, 2)
  const [row] = await next.app.store.webhooks.all()
  t.match(row, { id: hook.id, enabled: true })
  receiver.behaviour = accept
  next.clock.now += DAY
  await next.app.hooks.drain()
  t.match(receiver.got.at(-1), { type: 'event.created', data: { id } })
})

t.test('a service that listens tells of changes by itself', async (t) => {
  const api = await buildHooks(t)
  const lines = logged(api)
  const { schedule } = api.app.store
  const { isDue } = schedule
  const receiver = await openReceiver(t)
  await addHook(api, receiver)
  schedule.isDue = () => {
    throw new Error('not now')
  }
  await api.app.listen({ port: 0 })
  await until(() => lines.includes('webhooks could not be looked at'))
  schedule.isDue = isDue
  const id = await addEvent(api)
  await until(() => receiver.got.length === 1)
  t.match(receiver.got, [{ type: 'event.created', data: { id } }])
})

t.test('nothing is sent where the operator says so', async (t) => {
  const api = await buildHooks(t, { WEBHOOKS: 'off' })
  api.app.hooks.start = () => t.fail('it starts')
  await api.app.listen({ port: 0 })
  t.pass()
})

t.test('a stop does not wait for a receiver that hangs, and nothing is lost', async (t) => {
  const env = envOf(t)
  const api = await build(t, { env })
  const receiver = await openReceiver(t, () => {})
  await addHook(api, receiver)
  await api.app.listen({ port: 0 })
  const id = await addEvent(api)
  await until(() => receiver.got.length === 1)
  await api.app.close()
  receiver.behaviour = accept
  const next = await build(t, { env, users: false })
  await next.app.hooks.drain()
  t.match(receiver.got, [{ id: receiver.got[1]!.id }, { type: 'event.created', data: { id } }])
  t.equal(receiver.got.length, 2)
})

t.test('who was away for too long is told that changes are missing', async (t) => {
  const api = await buildHooks(t)
  const lines = logged(api)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver, { enabled: false })
  for (let at = 0; at < 5; at++) await addEvent(api, `Event ${at}`)
  await api.app.hooks.drain()
  t.equal(api.app.store.webhooks.floor(), undefined, 'who is disabled holds nothing back')
  const { last } = api.app.store.webhooks.log()
  await api.app.store.db.write(async (tx) => tx.run(sql`delete from changes where seq < ${last}`))
  await must(api.administrator.patch(`/webhooks/${hook.id}`, { enabled: true }))
  await api.app.hooks.drain()
  t.same(receiver.got, [])
  t.match((await hookOf(api, hook)).state, { gap_utc: '2026-11-21 09:00:00', sequence: last })
  t.ok(lines.includes('changes that a webhook was not told of are no longer in the log'))
  t.equal(api.app.store.webhooks.floor(), last)
  t.match(await api.administrator.post(`/webhooks/${hook.id}/replay`, { since: '-1 day' }), {
    status: 400,
    body: { data: { params: { since: `The log begins with change ${last}; send a later one.` } } },
  })
  t.match(await api.administrator.post(`/webhooks/${hook.id}/replay`, { after: 1 }), {
    status: 400,
    body: { data: { params: { after: /^The log begins/ } } },
  })
  const id = await addEvent(api, 'Next')
  await api.app.hooks.drain()
  t.match(receiver.got, [{ data: { id } }])
})

t.test('a webhook may be deleted, changed or moved while it is told', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, async (got, response) => {
    await api.administrator.delete(`/webhooks/${got.data.webhook ?? 1}`)
    response.end()
  })
  const hook = await addHook(api, receiver)
  await addEvent(api)
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1)
  t.equal((await api.administrator.get(`/webhooks/${hook.id}`)).status, 404)
  await api.app.hooks.drain()
  t.equal(api.app.hooks.queues().length, 0)

  const other = await openReceiver(t)
  const moved = await addHook(api, other)
  const { read } = api.app.store.sync
  api.app.store.sync.read = async (...args) => {
    api.app.store.sync.read = read
    const page = await read(...args)
    await api.app.hooks.rewind(moved.id, 0)
    return page
  }
  await addEvent(api, 'Second')
  await api.app.hooks.drain()
  t.equal(other.got.length, 2, 'what was read is dropped, and read again from there')
})

t.test(
  'a receiver that hangs does not hold up others, and a host gets eight messages at a time',
  async (t) => {
    const api = await buildHooks(t)
    const held: (() => void)[] = []
    let most = 0
    const slow = await openReceiver(t, (_got, response) => {
      held.push(() => response.end())
      most = Math.max(most, held.length)
    })
    const quick = await openReceiver(t)
    for (let at = 0; at < 3; at++) await addHook(api, slow)
    await addHook(api, quick)
    for (let at = 0; at < 6; at++) await addEvent(api, `Event ${at}`)
    const done = api.app.hooks.drain()
    await until(() => held.length === 8 && quick.got.length === 6)
    let open = true
    done.then(() => {
      open = false
    })
    while (open) {
      for (const release of held.splice(0)) release()
      await new Promise((resolve) => setImmediate(resolve))
    }
    t.equal(most, 8)
    t.equal(slow.got.length, 18)
  },
)

t.test('mistakes of the service are logged, and what they concern is tried again', async (t) => {
  const api = await buildHooks(t)
  const lines = logged(api)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver)
  const { sync, webhooks } = api.app.store
  const { read, show } = sync
  sync.read = () => Promise.reject(new Error('no reading'))
  await addEvent(api)
  const failing = api.app.hooks.drain()
  await until(() => lines.includes('the log could not be read for a webhook'))
  sync.read = read
  sync.show = () => Promise.reject(new Error('no showing'))
  await failing
  t.match(await deliveriesOf(api, hook), [{ status: 'waiting', error: /^The service could not compose/ }])
  sync.show = show
  const { save } = webhooks.deliveries
  let broken = 2
  webhooks.deliveries.save = (take) => {
    if (broken-- === 2) return Promise.reject(new Error('no disk'))
    if (broken === 0) webhooks.deliveries.save = save
    take()
    return Promise.reject(new Error('no disk'))
  }
  api.clock.now += 60_000
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1)
  t.match(await deliveriesOf(api, hook), [{ status: 'waiting' }])
  await api.app.hooks.drain()
  await api.app.hooks.drain()
  t.match(await deliveriesOf(api, hook), [{ status: 'delivered' }])
  t.equal(receiver.got.length, 1)
  t.same(
    lines.filter((line) => line.startsWith('results')),
    Array(2).fill('results of webhooks could not be stored; they will be'),
  )
})

t.test('the last 1,000 deliveries of 30 days are kept', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver)
  const row = {
    ...{ webhook_id: hook.id, kind: 'event', record_id: 1, operation: 'updated', seq: 1, attempts: 1 },
    ...{ at_utc: '2026-11-20 09:00:00', created_utc: '2026-11-20 09:00:00', status: 'delivered' },
  } as typeof webhook_deliveries.$inferInsert
  await api.app.store.db.write(async (tx) => {
    for (let at = 0; at < 1_001; at++) await tx.insert(webhook_deliveries).values(row)
    await tx
      .insert(webhook_deliveries)
      .values({ ...row, status: 'failed', created_utc: '2026-10-01 09:00:00' })
  })
  await addEvent(api)
  await api.app.hooks.drain()
  const path = `/webhooks/${hook.id}/deliveries`
  t.equal((await must(api.administrator.get(path))).total, 999)
  t.equal((await must(api.administrator.get(`${path}?status=failed`))).total, 0)
})

t.test('metrics count tries by outcome', async (t) => {
  const api = await buildHooks(t, { METRICS_TOKEN: 'm' })
  const receiver = await openReceiver(t, (got, response) =>
    response.writeHead(got.data.record?.title === 'Bad' ? 500 : 200).end(),
  )
  await addHook(api, receiver)
  await addHook(api, receiver, { enabled: false })
  await addEvent(api, 'Bad')
  await addEvent(api, 'Good')
  await api.app.hooks.drain()
  const headers = { authorization: 'Bearer m' }
  const { text } = await api.anonymous.get('///metrics'.slice(1), undefined, { headers })
  for (const line of [
    'almanac_webhook_deliveries_total{outcome="delivered"} 1',
    'almanac_webhook_deliveries_total{outcome="failed"} 1',
    'almanac_webhook_deliveries_total{outcome="given_up"} 0',
    'almanac_webhook_messages_pending 1',
    'almanac_webhooks_disabled 1',
  ])
    t.ok(text.split('\n').includes(line), line)
})

t.test('a change of everything is not told again', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  await addEvent(api)
  await addHook(api, receiver)
  await api.app.store.db.write(async (tx) =>
    tx.run(
      sql`insert into changes (kind, record_id, operation, at_utc) values ('everything', 0, 'update', '2026-11-21 09:00:00')`,
    ),
  )
  const id = await addEvent(api, 'Next')
  await api.app.hooks.drain()
  t.match(receiver.got, [{ data: { id } }])
  t.equal(receiver.got.length, 1)
})
