import t from 'tap'
import { must } from '../../support/answers.ts'
import type { Api } from '../../support/app.ts'
import { EVENT } from '../../support/given.ts'
import { accept, addHook, answer, buildHooks, hookOf, openReceiver } from '../../support/receiver.ts'

const DAY = 86_400_000
const addEvent = async (api: Api, title: string): Promise<number> =>
  (await must(api.editor.post('/events', { ...EVENT, title }))).id
/** The first change of the log after all that is older than a day was removed, except what is held. */
async function firstKept({ app }: Api): Promise<number> {
  while (await app.store.compaction.compact(1));
  return app.store.webhooks.log().first
}

t.test('what an enabled webhook was not told of stays in the log, however old', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver)
  const told = await addEvent(api, 'Told')
  await api.app.hooks.drain()
  receiver.behaviour = answer(500)
  const ids: number[] = []
  for (let at = 0; at < 8; at++) ids.push(await addEvent(api, `Event ${at}`))
  await api.app.hooks.drain()
  const { sequence } = (await hookOf(api, hook)).state
  api.clock.now += 2 * DAY
  await addEvent(api, 'Last')
  t.equal(await firstKept(api), Number(sequence) + 1, 'what it was told of is gone, what comes next is not')
  t.ok(receiver.got.length < 8, 'some were never tried')
  receiver.behaviour = accept
  receiver.got.length = 0
  api.clock.now += DAY / 24
  await api.app.hooks.drain()
  api.clock.now += DAY / 24
  await api.app.hooks.drain()
  const rest = receiver.got.map(({ data }) => data.id).sort((a, b) => a - b)
  t.same(rest, [...ids, ids.at(-1)! + 1])
  t.notOk(rest.includes(told))
  const { gap_utc } = (await hookOf(api, hook)).state
  t.equal(gap_utc, undefined)
  t.equal(await firstKept(api), api.app.store.webhooks.log().last, 'then it holds nothing')
})

t.test('a webhook that is disabled, deleted or not served holds nothing', async (t) => {
  for (const [env, end] of [
    [{}, (api: Api) => api.administrator.patch('/webhooks/1', { enabled: false })],
    [{}, (api: Api) => api.administrator.delete('/webhooks/1')],
    [{ WEBHOOKS: 'off' }, (api: Api) => api.administrator.get('/webhooks/1')],
  ] as const) {
    const api = await buildHooks(t, env)
    await addHook(api, await openReceiver(t))
    const held = Number((await hookOf(api, { id: 1 })).state.sequence) + 1
    for (const title of ['One', 'Two', 'Three']) await addEvent(api, title)
    api.clock.now += 2 * DAY
    await addEvent(api, 'Last')
    const { last } = api.app.store.webhooks.log()
    if (!('WEBHOOKS' in env)) t.equal(await firstKept(api), held)
    await must(end(api))
    t.equal(await firstKept(api), last)
  }
})
