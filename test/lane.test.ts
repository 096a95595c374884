import t from 'tap'
import { openLane } from '../src/lane.ts'

/** A work that ends when it is told to. */
function work() {
  const state = { running: false, end: () => {}, fail: () => {} }
  const run = () =>
    new Promise<string>((resolve, reject) => {
      state.running = true
      state.end = () => resolve('done')
      state.fail = () => reject(new Error('failed'))
    })
  return { state, run }
}

t.test('a few run at a time, a few wait, and what is beyond them is refused', async (t) => {
  const lane = openLane(2, 2)
  const works = Array.from({ length: 5 }, work)
  const running = () => works.map(({ state }) => state.running)
  const [a, b, c, d, e] = works.map(({ run }) => lane(run)) as [Promise<string>, ...Promise<string>[]]
  await t.rejects(e!, { code: 'rest_overloaded', status: 503, data: { retry_after: 2 } })
  t.same(running(), [true, true, false, false, false])
  works[1]!.state.fail()
  await t.rejects(b!, { message: 'failed' })
  t.same(running(), [true, true, true, false, false], 'one that fails makes room as well')
  works[0]!.state.end()
  t.equal(await a, 'done')
  t.same(running(), [true, true, true, true, false], 'in the order in which they came')
  for (const { state } of works) state.end()
  t.same(await Promise.all([c, d]), ['done', 'done'])
  const [later, last] = [work(), work()]
  const ends = [lane(later.run), lane(last.run)]
  t.ok(later.state.running && last.state.running, 'there is room for as many as before')
  later.state.end()
  last.state.end()
  t.same(await Promise.all(ends), ['done', 'done'])
})
