import t from 'tap'
import { openApplied, openWaiting } from '../../../src/features/nodes/follower.ts'

t.test('groups of other nodes are counted, and told to those whose tables they wrote in', async (t) => {
  const applied = openApplied()
  const heard: string[] = []
  applied.on(['posts', 'terms'], () => heard.push('records'))
  applied.on(['users'], () => heard.push('people'))
  t.equal(applied.groups(), 0)
  applied.note(2, new Set(['terms', 'links']), () => Promise.resolve())
  t.same([applied.groups(), heard], [2, []], 'told when they can be read')
  await Promise.resolve()
  t.same(heard, ['records'])
  applied.note(1, new Set(['users']), () => Promise.reject(new Error('not committed')))
  await new Promise(setImmediate)
  t.same([applied.groups(), heard], [3, ['records', 'people']])
})

t.test('a request waits for what another node wrote until it is here, or can not come', async (t) => {
  const { wait, check, noteCaughtUp, giveUp } = openWaiting(60_000, 2)
  const { signal } = new AbortController()
  let isHere = false
  const first = wait(() => isHere, signal)
  const second = wait(() => false, signal)
  t.equal(await wait(() => true, signal), 'late', 'as many wait as may')
  isHere = true
  check()
  t.equal(await first, 'here')
  noteCaughtUp(performance.now())
  t.equal(await second, 'nowhere', 'the copy has everything that there was')

  const leaving = new AbortController()
  const left = wait(() => false, leaving.signal)
  const last = wait(() => false, signal)
  leaving.abort()
  t.equal(await left, 'late')
  t.equal(await wait(() => true, leaving.signal), 'late', 'who has left does not wait')
  noteCaughtUp(performance.now() - 60_000)
  giveUp()
  t.equal(await last, 'late')
  t.equal(await openWaiting(1).wait(() => false, signal), 'late', 'nothing comes in time')
})
