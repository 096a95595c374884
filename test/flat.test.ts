import t from 'tap'
import { judge, MOST_LOG, MOST_PER_WRITE, type Sample } from '../bench/soak/flat.ts'

const MEGABYTE = 2 ** 20

/** Samples of a service that stays as it is, each with what `odd` says of it. */
const run = (odd: (at: number) => Partial<Sample> = () => ({})) =>
  judge(
    Array.from({ length: 90 }, (_, at) => ({
      at,
      resident: 300 * MEGABYTE + (at % 7) * MEGABYTE,
      heap: 60 * MEGABYTE + (at % 5) * 8 * MEGABYTE,
      delay: 0.01,
      file: 20 * MEGABYTE,
      log: 16 * MEGABYTE,
      descriptors: 40 + (at % 3),
      writes: at * 100,
      ...odd(at),
    })),
  )

t.test('a service that warms up and then stays as it is passes', async (t) => {
  const { faults, flat } = run((at) => (at < 30 ? { resident: (100 + at * 6) * MEGABYTE } : {}))
  t.same(faults, [])
  t.ok(flat.resident.last <= flat.resident.second)
})

t.test('what grows is named', async (t) => {
  for (const [what, odd] of [
    ['resident grows', (at: number) => ({ resident: (300 + at * 2) * MEGABYTE })],
    ['heap grows', (at: number) => ({ heap: (60 + at * 2) * MEGABYTE })],
    ['delay grows', (at: number) => ({ delay: at < 60 ? 0.01 : 0.1 })],
    ['descriptors grows', (at: number) => ({ descriptors: 40 + Math.floor(at / 5) })],
    ['the log was', (at: number) => ({ log: at === 5 ? MOST_LOG + 1 : 0 })],
    ['the file grows', (at: number) => ({ file: at * 100 * (MOST_PER_WRITE + 1) })],
  ] as const) {
    const { faults } = run(odd)
    t.equal(faults.length, 1, what)
    t.ok(String(faults).startsWith(what), String(faults))
  }
})
