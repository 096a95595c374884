import t from 'tap'
import { onePerSeries } from '../../../src/calendar/lists/paging.ts'

/** Events in rows by start: every third is single, the others are dates of one of two series. */
const index = {
  idOf: (row: number) => row + 1,
  seriesOf: (row: number) => row % 3,
  byStart: (a: number, b: number) => a - b,
}
const rows = Array.from({ length: 12_000 }, (_, at) => at)

t.test('one event stands for each series, in steps', async (t) => {
  for (const [which, standing] of [
    ['first', [1, 2]],
    ['last', [11_998, 11_999]],
  ] as const) {
    const task = onePerSeries(index, rows.toReversed(), which)
    let steps = 0
    let step = task.next()
    for (; !step.done; step = task.next()) steps++
    t.equal(steps, 2)
    const { rows: left, occurrences } = step.value
    t.equal(left.length, 4_002, 'the single ones are all there')
    t.same(left.slice(-2).sort(), standing)
    t.same(
      [...occurrences].sort(),
      standing.map((row) => [row + 1, 4_000]),
    )
  }
})
