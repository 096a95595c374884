import t from 'tap'
import { Temporal } from 'temporal-polyfill'
import { clockChanges, mustFindZone, offsetAt } from '../../../src/kernel/time/zones.ts'

const [SINCE, UNTIL] = [Date.UTC(1960, 0, 1), Date.UTC(2040, 0, 1)]

/** The changes that Temporal finds. */
function changesOf(id: string) {
  const found: ReturnType<typeof clockChanges> = []
  let at = Temporal.Instant.fromEpochMilliseconds(SINCE).toZonedDateTimeISO(id)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds >= UNTIL) return found
    const [from, to] = [at, next].map(({ offsetNanoseconds }) => offsetNanoseconds / 1e6)
    found.push({ at: next.epochMilliseconds, from: from!, to: to! })
    at = next
  }
}

t.test(
  'changes of the clocks are those that Temporal finds, also soon after others and within an hour',
  async (t) => {
    const zones = ['Europe/Madrid', 'America/Boa_Vista', 'Asia/Gaza', 'Africa/Casablanca', 'Africa/Monrovia']
    for (const id of [...zones, 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC']) {
      t.same(clockChanges(mustFindZone(id), SINCE, UNTIL), changesOf(id), id)
      const [first] = changesOf(id)
      if (first) t.same(clockChanges(mustFindZone(id), first.at, first.at + 2), [], 'after, and before')
    }
    t.same(clockChanges(mustFindZone('+05:30'), SINCE, UNTIL), [])
  },
)

t.test('offsets are those that Temporal has, with the seconds of long ago', async (t) => {
  for (const id of [
    'Europe/Madrid',
    'America/New_York',
    'Europe/London',
    'Africa/Monrovia',
    'Asia/Kolkata',
    'UTC',
  ])
    for (let year = 1700; year < 2300; year += 7) {
      const at = Date.UTC(year, year % 12, 1 + (year % 28), year % 24)
      const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(id)
      t.equal(offsetAt(at, mustFindZone(id)), offsetNanoseconds / 1e6, `${id} ${year}`)
    }
})
