import { lookup } from 'node:dns'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { originAt } from '../../../src/calendar/resource/service.ts'
import { openQueue } from '../../../src/features/webhooks/queue.ts'
import { openAudience, openSender } from '../../../src/features/webhooks/sender.ts'
import { buildMounts } from '../../../src/kernel/server/mounts.ts'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, basicAuth, build, EVENT } from '../../support/app.ts'
import {
  accept,
  addHook,
  answer,
  buildHooks,
  deliveriesOf,
  hookOf,
  openReceiver,
} from '../../support/receiver.ts'

const DRAFTS = { kinds: ['event'], filters: { status: ['draft'] } }
const basic = (login: string, password: string) => ({
  headers: { authorization: basicAuth(login, password) },
})
/** An administrator, and what requests of theirs send. */
async function addBoss({ app }: Api, login = 'boss') {
  const { id, password } = (await app.store.users.add(login, 'administrator'))!
  return { id, as: basic(login, password) }
}
const addDraft = (api: Api, title: string) =>
  must(api.editor.post('/events', { ...EVENT, title, status: 'draft' }))
/** What is warned of webhooks from now on. */
function warningsOf({ app }: Api) {
  const warned: object[] = []
  app.log.warn = ((data: object) => void warned.push(data)) as never
  return warned
}
/** What the audit log tells of a webhook, the latest first. */
const entriesOf = async (
  { administrator }: Api,
  { id }: { id: number },
): Promise<{ code: string; details: Record<string, string> }[]> =>
  (await must(administrator.get(`/audit?subject=webhook&subject_id=${id}`))).entries
const titlesOf = (got: { data: { record?: { title: string } } }[]) =>
  got.splice(0).map(({ data }) => data.record?.title)

const LOSSES: [what: string, lose: (api: Api, id: number) => Promise<Answer>, reason: RegExp][] = [
  [
    'is disabled',
    ({ administrator }, id) => administrator.patch(`/users/${id}`, { disabled: true }),
    /^Its owner boss was disabled\. An administrator who enables it becomes its owner/,
  ],
  [
    'gets another role',
    ({ administrator }, id) => administrator.patch(`/users/${id}`, { role: 'editor' }),
    /^Its owner boss may not manage webhooks any more\. /,
  ],
  [
    'is removed',
    ({ administrator }, id) => administrator.delete(`/users/${id}`),
    /^Its owner was removed\. /,
  ],
]
for (const [what, lose, reason] of LOSSES)
  for (const filters of [{}, DRAFTS])
    t.test(
      `a webhook is paused when its owner ${what}, and goes on with the next: ${JSON.stringify(filters)}`,
      async (t) => {
        const api = await buildHooks(t)
        const receiver = await openReceiver(t)
        const boss = await addBoss(api)
        const status = 'filters' in filters ? 'draft' : 'publish'
        const add = (title: string) => must(api.editor.post('/events', { ...EVENT, title, status }))
        const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url, ...filters }, boss.as))
        t.equal(hook.owner, boss.id)
        await add('One')
        await api.app.hooks.drain()
        t.same(titlesOf(receiver.got), ['One'])

        const warned = warningsOf(api)
        await must(lose(api, boss.id))
        const paused = await hookOf(api, hook)
        t.match([paused.enabled, paused.state.disabled_reason], [false, reason])
        await add('Two')
        await api.app.hooks.drain()
        t.same(receiver.got, [], 'nothing is told')
        await api.app.hooks.drain()
        t.match(warned, [{ webhook: hook.id, reason }])
        t.equal(warned.length, 1, 'once')
        t.match(await entriesOf(api, hook), [
          { code: 'webhook_disabled', origin: 'http', login: 'administrator', details: { reason } },
          { code: 'webhook_added', login: 'boss', details: { owner: 'boss' } },
        ])

        const taken = await must(api.administrator.patch(`/webhooks/${hook.id}`, { enabled: true }))
        t.match(
          [taken.enabled, taken.owner, taken.state.disabled_reason],
          [true, api.credentials.administrator.id, undefined],
        )
        const [change] = await entriesOf(api, hook)
        const before = what === 'is removed' ? 'undefined' : 'boss'
        t.match(change, {
          code: 'webhook_changed',
          details: { owner: `${before} → administrator`, enabled: 'false → true' },
        })
        await api.app.hooks.drain()
        t.same(titlesOf(receiver.got), ['Two'], 'it goes on where it stopped')
      },
    )

t.test('who changes a webhook or its secret becomes its owner', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const [one, two] = [await addBoss(api, 'one'), await addBoss(api, 'two')]
  const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url }, one.as))
  t.equal(
    (await must(api.anonymous.patch(`/webhooks/${hook.id}`, { description: 'x' }, two.as))).owner,
    two.id,
  )
  await must(api.anonymous.post(`/webhooks/${hook.id}/secret`, {}, one.as))
  t.equal((await hookOf(api, hook)).owner, one.id)
  await must(api.anonymous.patch(`/webhooks/${hook.id}`, {}, two.as))
  await must(api.anonymous.patch(`/webhooks/${hook.id}`, {}, one.as))
  await must(api.anonymous.post(`/webhooks/${hook.id}/secret`, {}, one.as))
  const host = new URL(receiver.url).host
  const kinds = hook.kinds.join(', ')
  const operations = hook.operations.join(', ')
  t.same(
    (await entriesOf(api, hook)).map(({ code, details: { host: at, ...details } }) => {
      t.equal(at, host)
      return [code, details]
    }),
    [
      ['webhook_secret_replaced', { owner: 'one' }],
      ['webhook_changed', { owner: 'two → one' }],
      ['webhook_changed', { owner: 'one → two' }],
      ['webhook_secret_replaced', { owner: 'two → one' }],
      ['webhook_changed', { owner: 'one → two', description: ' → x' }],
      ['webhook_added', { owner: 'one', description: '', enabled: 'true', filters: '{}', kinds, operations }],
    ],
  )
  await must(api.administrator.delete(`/users/${two.id}`))
  t.equal((await hookOf(api, hook)).enabled, true, 'who owned it once does not matter')
})

t.test('an owner who is disabled by another process is noticed', async (t) => {
  const DATABASE = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE, DOWNLOAD_ALLOW: '127.0.0.1' } })
  const { app } = await build(t, { env: { DATABASE }, users: false })
  const receiver = await openReceiver(t)
  const boss = await addBoss(api)
  const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url, ...DRAFTS }, boss.as))
  await addDraft(api, 'One')
  await api.app.hooks.drain()
  t.same(titlesOf(receiver.got), ['One'])
  await app.store.users.update(boss.id, { disabled: true })
  await addDraft(api, 'Two')
  await api.app.hooks.drain()
  t.same(receiver.got, [])
  t.match(await hookOf(api, hook), { enabled: false, state: { disabled_reason: /boss was disabled/ } })
})

t.test(
  'the rights of the owner are looked at for each message, also between two looks at the log',
  async (t) => {
    const api = await buildHooks(t)
    const { store } = api.app
    const receiver = await openReceiver(t)
    const boss = await addBoss(api)
    const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url, ...DRAFTS }, boss.as))
    const draft = await addDraft(api, 'One')
    const row = await store.webhooks.read(hook.id)
    const [mount] = buildMounts('calendar/events/v1', [], ['en'])
    const audience = openAudience(store, originAt('http://calendar.test', mount!))
    t.ok(await audience.show(row, 'event', draft.id))
    await store.users.update(boss.id, { role: 'subscriber' })
    t.match(audience.refusal(row), /may not manage webhooks/)
    await t.rejects(audience.show(row, 'event', draft.id), /may not manage webhooks/)
    await t.rejects(audience.read(row, 0), /may not manage webhooks/)

    const at = { seq: row.position + 1, from: row.position + 1, at_utc: '2026-11-21 09:00:00' }
    const queue = openQueue(row, [], api.clock.now)
    queue.enqueue([{ kind: 'event', record_id: draft.id, operation: 'deleted', ...at }], at.seq)
    const logged: unknown[] = []
    const log = { warn: (data: object) => void logged.push(data), info() {} }
    const sender = openSender(
      { audience, log, allow: ['127.0.0.1'], userAgent: 'Almanac', lookup },
      { clock: () => api.clock.now, queues: () => [queue], mayStart: () => true, keep() {} },
    )
    sender.pump()
    await sender.idle()
    t.match(sender.counts, { delivered: 0, failed: 1 }, 'not even that a record is gone')
    t.match(logged, [{ err: /may not manage webhooks/, webhook: hook.id }])
  },
)

t.test('webhooks from before owners were noted tell what everyone sees, and nothing else', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const [open, hidden] = [await addHook(api, receiver), await addHook(api, receiver, DRAFTS)]
  const { store } = api.app
  await store.webhooks.update(open.id, { owner_id: null })
  await store.webhooks.update(hidden.id, { owner_id: null })
  t.notOk('owner' in (await hookOf(api, open)))
  await addDraft(api, 'Hidden')
  await must(api.editor.post('/events', { ...EVENT, title: 'Open' }))
  await api.app.hooks.drain()
  t.same(titlesOf(receiver.got), ['Open'])
  t.match(await hookOf(api, hidden), { enabled: false, state: { disabled_reason: /^It has no owner\. / } })
})

t.test('a message that waits is not sent once the owner has no right to it', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, answer(503))
  const boss = await addBoss(api)
  const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url, ...DRAFTS }, boss.as))
  await addDraft(api, 'One')
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1)
  const { store } = api.app
  // the row alone, as a sender sees it that has read the webhook before
  await store.db.write(async (tx) => void tx.run(sql`update users set disabled = 1 where id = ${boss.id}`))
  api.clock.now += 60_000
  const [delivery] = await deliveriesOf(api, hook)
  await must(api.administrator.post(`/webhooks/${hook.id}/deliveries/${delivery.id}/replay`))
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1, 'nothing more')
})

t.test('messages that are ready are not sent once the owner has no right to them', async (t) => {
  const api = await buildHooks(t)
  const { store } = api.app
  const boss = await addBoss(api)
  const lost = () =>
    store.db.write(async (tx) => void tx.run(sql`update users set disabled = 1 where id = ${boss.id}`))
  const receiver = await openReceiver(t, async (got, response) => {
    await lost()
    accept(got, response)
  })
  const hook = await must(api.anonymous.post('/webhooks', { url: receiver.url, ...DRAFTS }, boss.as))
  for (let n = 0; n < 9; n++) await addDraft(api, `Draft ${n}`)
  await api.app.hooks.drain()
  t.ok(receiver.got.length <= 4, 'only those that were under way')
  await api.app.hooks.drain()
  t.ok(receiver.got.length <= 4)
  t.match(await hookOf(api, hook), { enabled: false, state: { disabled_reason: /boss was disabled/ } })
})

t.test('a webhook follows changes of users, also where the log no longer has them', async (t) => {
  const { store } = (await build(t)).app
  const { id } = (await store.users.add('boss', 'administrator'))!
  const first = store.webhooks.version()
  t.equal(store.webhooks.version(), first)
  await store.tokens.remove((await store.tokens.add(id, 'x', ['read'], null)).id)
  t.equal(store.webhooks.version(), first, 'a token is no user')
  await store.users.update(id, { disabled: false })
  const then = store.webhooks.version()
  t.ok(then > first)
  for (let n = 0; n < 3; n++) await store.users.update(id, { disabled: false })
  await store.db.write(
    async (tx) => void tx.run(sql`delete from changes where seq < (select max(seq) from changes)`),
  )
  t.ok(store.webhooks.version() > then)
})
