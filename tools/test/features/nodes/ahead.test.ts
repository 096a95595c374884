import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import { openWaiting } from '../../../../src/features/nodes/follower.ts'
import type { Arrival } from '../../../../src/kernel/database/replica.ts'
import { must } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import { ROOT } from '../../../../test/support/given.ts'
import { openListeners } from '../../../../test/support/listening.ts'
import { until } from '../../../../test/support/until.ts'
import { follow, holdBack, openPair, openPostgres, setPatience } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)

const CHANGES = '/changes?kind=tag&hide_empty=false'

/** Longer than any test waits, and shorter. */
const [LONG, SHORT] = [3_600_000, 1]

/** Two nodes, the second of which is kept from what the first has written since, and a token of the first one's last write. */
async function openBehind(t: Parameters<typeof openPair>[0], patience = LONG) {
  setPatience(t, patience)
  const pair = await openPair(t, postgres)
  const { one, two } = pair
  await follow(two)
  const held = holdBack(postgres)
  const { id } = await must(one.editor.post('/tags', { name: 'new' }))
  const { next_sync_token: token } = await must(one.anonymous.get(CHANGES))
  return { ...pair, ...held, id, token: token as string }
}

const poll = ({ anonymous }: Api, token: string) => anonymous.get(`/changes?sync_token=${token}`)

/** What came of waiting at a node, as it came. */
function arrivalsOf({ app }: Api) {
  const { db } = app.store
  const { waitUntil } = db
  const arrivals: Arrival[] = []
  let asked = 0
  db.waitUntil = async (...by) => {
    asked++
    const arrival = await waitUntil!(...by)
    arrivals.push(arrival)
    return arrival
  }
  return { arrivals, asked: () => asked }
}

t.test('a token of another node waits for what it is of', async (t) => {
  const { one, two, letGo, token } = await openBehind(t)
  const { arrivals, asked } = arrivalsOf(two)
  const polled = poll(two, token)
  await until(() => asked() === 1)
  t.same((await two.anonymous.get('/tags?hide_empty=false')).body.total, 0, 'the copy is behind')
  t.same(arrivals, [])
  letGo()
  const { changes, has_more, next_sync_token } = await must(polled)
  t.same([changes, has_more, arrivals], [[], false, ['here']])
  const next = await must(one.editor.post('/tags', { name: 'next' }))
  await follow(two)
  t.match((await must(poll(two, next_sync_token))).changes, [{ operation: 'create', id: next.id }])
  t.same(arrivals, ['here'], 'what is here is not waited for')
})

t.test('a stream begins where another node ended, once the copy is there', async (t) => {
  const { two, letGo, token, as } = await openBehind(t)
  const { asked } = arrivalsOf(two)
  const { listen } = await openListeners(t, two)
  const listening = listen('?kind=tag&hide_empty=false', { headers: { 'last-event-id': token } })
  await until(() => asked() === 1)
  letGo()
  const stream = await listening
  t.match([stream.status, await stream.told()], [200, []])
  const { id } = await must(two.anonymous.post('/tags', { name: 'next' }, as('editor')))
  t.same(await stream.told(), [`create tag ${id}`])
})

t.test('what does not come in time is 503, and the token stays right', async (t) => {
  const { two, letGo, token, id } = await openBehind(t, SHORT)
  const { arrivals } = arrivalsOf(two)
  t.match(await poll(two, token), {
    status: 503,
    headers: { 'retry-after': '2' },
    body: { code: 'sync-token-ahead', message: /keep it/, data: { status: 503, retry_after: 2 } },
  })
  t.same(arrivals, ['late'])
  letGo()
  await follow(two)
  t.same((await must(poll(two, token))).changes, [])
  t.equal((await two.anonymous.get(`/tags/${id}`)).status, 200)
})

t.test('a history that nobody has is 410 as soon as that is known', async (t) => {
  setPatience(t, LONG)
  const { one, two } = await openPair(t, postgres)
  const lost = await one.app.store.sync.tokens.write(
    { kinds: ['tag'], filters: {} },
    { at: 1_000 },
    undefined,
  )
  const refused = { status: 410, body: { code: 'sync-token-expired' } }
  const { arrivals } = arrivalsOf(two)
  t.match(await poll(two, lost), refused)
  t.same(arrivals, ['nowhere'])
  await postgres.ask('update almanac.log set commit_id = gen_random_uuid()')
  await postgres.ask('update almanac.head set commit_id = gen_random_uuid()')
  await until(() => two.app.store.db.replica!.status().state === 'stale')
  t.match(
    await poll(two, lost),
    { status: 503, body: { code: 'sync-token-ahead' } },
    'a new copy may have it',
  )
})

t.test('who leaves and what is closed waits no longer', async (t) => {
  const { two, token, letGo } = await openBehind(t)
  const { arrivals, asked } = arrivalsOf(two)
  const { port } = await openListeners(t, two)
  const client = request({ port, path: `${ROOT}/changes?sync_token=${token}` }).on('error', () => {})
  client.end()
  await until(() => asked() === 1)
  client.destroy()
  await until(() => arrivals.length === 1)
  t.same(arrivals, ['late'])
  const other = request({ port, path: `${ROOT}/changes?sync_token=${token}` })
  other.end()
  const answered = once(other, 'response')
  await until(() => asked() === 2)
  const closed = two.app.close()
  const [{ statusCode, headers }] = await answered
  t.same([statusCode, headers['retry-after'], arrivals], [503, '2', ['late', 'late']])
  letGo()
  await closed
})

t.test('so many wait, and no more', async (t) => {
  const { signal } = new AbortController()
  const waiting = openWaiting(1_000_000, 2)
  let isHere = false
  const wait = (by = signal) => waiting.wait(() => isHere, by)
  const leaving = new AbortController()
  const [first, second] = [wait(), wait(leaving.signal)]
  t.equal(await wait(), 'late', 'a third is told at once')
  leaving.abort()
  t.equal(await second, 'late')
  t.equal(await wait(leaving.signal), 'late', 'who has left does not begin')
  const third = wait()
  waiting.check()
  waiting.noteCaughtUp(0)
  isHere = true
  waiting.check()
  t.same(await Promise.all([first, third]), ['here', 'here'])
  const fourth = wait()
  isHere = false
  const fifth = wait()
  isHere = true
  waiting.noteCaughtUp(performance.now())
  t.same(await Promise.all([fourth, fifth]), ['here', 'here'])
  isHere = false
  const last = wait()
  waiting.giveUp()
  t.equal(await last, 'late')
})
