import t from 'tap'
import { COPY_AGE } from '../../../src/kernel/output/header-values.ts'
import { EVENT } from '../../../test/support/given.ts'
import { type Listening, listenTo } from '../../../test/support/listening.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import {
  type Answer,
  ask,
  askAgain,
  credentialsOf,
  openNode,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'
import { GROUPS } from '../../test/support/node-pair.ts'
import { openProxy } from '../../test/support/postgres-proxy.ts'

/** Turns of two nodes that answer the same client, each of which is given what the other has just told. */
const TURNS = 150
const BEGIN = '/changes?kind=tag&hide_empty=false'

const server = await startPostgres(t)
const proxy = await openProxy(t, () => server.port)
const folder = t.testdir()
const env = { COST_LIMIT: 'off', MAX_DELAY: '0' }
const one = await openNode(t, folder, server.url, env)
const two = await openNode(t, folder, proxy.url, { ...env, WORKERS: '2' })
await one.start()
const authorization = credentialsOf(one)
await two.start()

const jsonOf = ({ status, text }: Answer) => {
  if (status >= 300) throw new Error(`${status}: ${text}`)
  return JSON.parse(text)
}
const write = (node: ServedNode, method: string, path: string, body?: object, etag?: string) =>
  askAgain(node, method, path, { authorization, ...(body && { body }), ...(etag && { 'if-match': etag }) })
const poll = (node: ServedNode, token: string, send = askAgain) =>
  send(node, 'GET', `/changes?sync_token=${token}`)

/** Keeps the second node from the groups that its follower asks for, until `letGo`. */
function holdBack() {
  let held = 0
  proxy.watch((step, statements) => {
    if (step !== 'asked' || !GROUPS.test(statements)) return undefined
    held++
    return 'hold'
  })
  return {
    isHeld: () => until(() => held > 0),
    letGo() {
      proxy.watch(() => undefined)
      proxy.release()
    },
  }
}

t.test('a client that asks two nodes in turn is never told to begin anew', async (t) => {
  let token: string = jsonOf(await ask(one, 'GET', `${BEGIN}&per_page=500`)).next_sync_token
  const told: number[] = []
  const made: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    made.push(jsonOf(await write(one, 'POST', '/tags', { name: `tag ${turn}` })).id)
    for (const node of [one, two]) {
      const { changes, next_sync_token } = jsonOf(await poll(node, token))
      told.push(...changes.map(({ id }: { id: number }) => id))
      token = next_sync_token
    }
  }
  t.same(told, made, 'each is told once')
})

t.test('a token and a stream wait until the copy follows; then 503, and no loss', async (t) => {
  const { isHeld, letGo } = holdBack()
  const { id } = jsonOf(await write(one, 'POST', '/tags', { name: 'held' }))
  const token = jsonOf(await ask(one, 'GET', `${BEGIN}&per_page=500`)).next_sync_token
  await isHeld()
  const late = await poll(two, token, ask)
  t.match(
    { ...late, after: late.headers.get('retry-after') },
    { status: 503, text: 'sync-token-ahead', after: '2' },
  )
  const port = Number(new URL(two.root).port)
  const headers = { 'last-event-id': token }
  t.match(await listenTo(port, '?kind=tag&hide_empty=false', { headers }), {
    status: 503,
    body: { code: 'sync-token-ahead' },
  })
  const listen = async (): Promise<Listening> => {
    const stream = await listenTo(port, '?kind=tag&hide_empty=false', { headers })
    return stream.status === 503 ? listen() : stream
  }
  const waiting = [poll(two, token), listen()] as const
  letGo()
  t.same(jsonOf(await waiting[0]).changes, [])
  const stream = await waiting[1]
  t.same(await stream.told(), [])
  jsonOf(await write(two, 'PATCH', `/tags/${id}`, { description: 'x' }))
  t.same(await stream.told(), [`update tag ${id}`])
  stream.close()
  await stream.ended
})

t.test('a write to what another node has just made is done while the copy is held back', async (t) => {
  const { isHeld, letGo } = holdBack()
  const made = await write(one, 'POST', '/events', EVENT)
  await isHeld()
  const { id } = jsonOf(made)
  t.equal((await ask(two, 'GET', `/events/${id}`)).status, 404, 'a reader without credentials may be told so')
  const changed = await write(two, 'PATCH', `/events/${id}`, { title: 'Changed' }, made.headers.get('etag')!)
  t.match(changed, { status: 200, text: 'Changed' })
  t.equal(changed.headers.get(COPY_AGE), null)
  t.equal((await write(two, 'DELETE', `/events/${id}`, undefined, changed.headers.get('etag')!)).status, 200)
  t.equal((await write(one, 'PATCH', `/events/${id}`, { status: 'publish' })).status, 200)
  letGo()
})

t.test('a write that is made and changed by turns is found by each node at once', async (t) => {
  const statuses = new Set<number>()
  for (let turn = 0; turn < TURNS; turn++) {
    const [here, there] = turn % 2 ? [one, two] : [two, one]
    const made = await write(here, 'POST', '/tags', { name: `turn ${turn}` })
    const { id } = jsonOf(made)
    const changed = await write(
      there,
      'PATCH',
      `/tags/${id}`,
      { name: `done ${turn}` },
      made.headers.get('etag')!,
    )
    statuses.add(changed.status)
    statuses.add((await write(here, 'DELETE', `/tags/${id}`, undefined, changed.headers.get('etag')!)).status)
  }
  t.same([...statuses], [200])
})
