import * as fc from 'fast-check'
import moment from 'moment-timezone'
import t from 'tap'
import { Temporal } from 'temporal-polyfill'
import {
  abbreviation,
  addDays,
  normalize,
  readZone,
  toEpoch,
  toOffsetDateTime,
  toUtc,
  toWall,
} from '../../../../src/kernel/time/dates.ts'
import { inZone, readMoment } from '../../../../src/kernel/time/moments.ts'

const YEARS = { min: Date.parse('1800-01-01T00:00:00Z'), max: Date.parse('2200-01-01T00:00:00Z') }
const show = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')
const asUtc = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)

const formats = new Map<string, Intl.DateTimeFormat>()
const parts = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const

/** The wall clock of an instant by the runtime's own formatter, the witness that shares no code with ours. */
function intlWall(epochMs: number, zone: string): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en', { ...parts, timeZone: zone, hourCycle: 'h23' })
  formats.set(zone, format)
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    format.formatToParts(epochMs).map(({ type, value }) => [type, value]),
  )
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}
const intlOffset = (epochMs: number, zone: string) => asUtc(intlWall(epochMs, zone)) - epochMs

const zone = fc.constantFrom(...moment.tz.names().filter((name) => readZone(name) === name))
const second = fc.integer({ min: YEARS.min / 1000, max: YEARS.max / 1000 }).map((s) => s * 1000)
const wall = second.map(show)

// Random wall clocks hardly ever meet a change of offset, so half of them are drawn next to one.
const zoneAndSecond = fc.oneof(
  fc.tuple(zone, second),
  fc
    .tuple(zone, fc.nat(), fc.integer({ min: -7200, max: 7200 }))
    .map(([name, pick, drift]): [string, number] => {
      const changes = (moment.tz.zone(name)?.untils ?? []).filter((at) => at > YEARS.min && at < YEARS.max)
      const change = changes[pick % (changes.length || 1)] ?? 0
      return [name, Math.floor(change / 1000 + drift) * 1000]
    }),
)
const zoneAndWall = zoneAndSecond.map(([name, epochMs]): [string, string] => [
  name,
  show(epochMs + intlOffset(epochMs, name)),
])
const zoneAndAnyWall = fc.oneof(
  zoneAndWall,
  fc
    .tuple(zoneAndWall, fc.integer({ min: 0, max: 5400 }))
    .map(([[name, at], s]): [string, string] => [name, show(asUtc(at) + s * 1000)]),
)

t.test('an instant has the wall clock that the runtime formats', async () => {
  fc.assert(
    fc.property(zoneAndSecond, ([name, at]) => toWall(at, name) === intlWall(at, name)),
    { numRuns: 1000 },
  )
})

t.test('an instant comes back from its wall clock, or the first instant that shows the same', async () => {
  fc.assert(
    fc.property(zoneAndSecond, ([name, at]) => {
      const back = toEpoch(toWall(at, name), name)
      return back <= at && toWall(back, name) === toWall(at, name)
    }),
    { numRuns: 1000 },
  )
})

t.test('a wall clock comes back from UTC, and in a gap it is moved forward by the gap', async (t) => {
  let moved = 0
  fc.assert(
    fc.property(zoneAndAnyWall, ([name, at]) => {
      const epochMs = toEpoch(at, name)
      const settled = normalize(at, name)
      const gap = asUtc(settled) - asUtc(at)
      const offsets = [intlOffset(epochMs, name), intlOffset(epochMs - gap, name)] as const
      if (intlWall(epochMs, name) !== settled || toUtc(at, name) !== show(epochMs)) return false
      if (gap === 0) return true
      moved++
      // A gap is as wide as the offset jumps, and no instant shows what lies in it.
      return gap === offsets[0] - offsets[1] && offsets.every((o) => intlWall(asUtc(at) - o, name) !== at)
    }),
    { numRuns: 1000, examples: [[['Europe/Paris', '2027-03-28 02:30:00']]] },
  )
  t.ok(moved > 0)
})

t.test('Temporal finds the same instant, gaps and ambiguous times included', async () => {
  fc.assert(
    fc.property(zoneAndAnyWall, ([name, at]) => {
      const local = Temporal.PlainDateTime.from(at).toZonedDateTime(name)
      const written = local.toString({ smallestUnit: 'second', timeZoneName: 'never' })
      return toEpoch(at, name) === local.epochMilliseconds && toOffsetDateTime(at, name) === written
    }),
    { numRuns: 1000 },
  )
})

t.test('settling twice is settling once', async () => {
  fc.assert(
    fc.property(zoneAndAnyWall, ([name, at]) => normalize(normalize(at, name), name) === normalize(at, name)),
  )
})

t.test('a fixed offset shifts the clock by itself', async () => {
  const minutes = fc.integer({ min: -720, max: 840 })
  fc.assert(
    fc.property(
      second,
      minutes,
      fc.constantFrom('UTC', ''),
      fc.constantFrom(':', ''),
      (at, offset, utc, colon) => {
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
          `${n}`.padStart(2, '0'),
        )
        const text = `${utc}${offset < 0 ? '-' : '+'}${hours}${utc ? ':' : colon}${rest}`
        return (
          readZone(text) === text &&
          toWall(at, text) === show(at + offset * 60_000) &&
          toEpoch(show(at), text) === at - offset * 60_000
        )
      },
    ),
  )
})

t.test('any text is read as a zone or refused, and what is read can be used', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^(UTC)?[+-][0-9]{1,2}[:.]?[0-9]{0,2}$/),
    fc.mixedCase(zone),
  )
  fc.assert(
    fc.property(text, wall, (given, at) => {
      const stored = readZone(given)
      if (stored === undefined) return true
      const label = abbreviation(toEpoch(at, stored), stored)
      return readZone(stored) === stored && stored.toLowerCase() === given.toLowerCase() && label.length > 0
    }),
    { numRuns: 500 },
  )
})

t.test('any text is read as a date or refused, and what is read is a wall clock in every zone', async () => {
  const number = fc.integer({ min: -100, max: 10_000 }).map(String)
  const unit = fc.constantFrom('minute', 'hours', 'day', 'weeks', 'months', 'year')
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.constantFrom('+', '-'), fc.nat(), unit).map(([sign, n, word]) => `${sign}${n} ${word}`),
    fc.tuple(number, number, number).map((day) => day.map((n) => n.padStart(2, '0')).join('-')),
    fc.maxSafeInteger().map(String),
    second.map((at) => new Date(at).toISOString()),
  )
  fc.assert(
    fc.property(text, second, zone, (given, now, name) => {
      const read = readMoment(given, { now, zone: name })
      return read === undefined || [read.wall, inZone(read, name)].every((at) => show(asUtc(at)) === at)
    }),
    { numRuns: 1000 },
  )
})

t.test('an ISO date-time is the same instant for the platform', async () => {
  fc.assert(
    fc.property(zoneAndAnyWall, ([name, at]) => {
      // Whole minutes only: ISO 8601 cannot write the seconds of the old local mean times.
      if (intlOffset(toEpoch(at, name), name) % 60_000 !== 0) return true
      const written = toOffsetDateTime(at, name)
      const read = readMoment(written, { now: 0, zone: 'UTC' })
      return (
        read?.instant === Date.parse(written) &&
        read.instant === toEpoch(at, name) &&
        inZone(read, name) === normalize(at, name)
      )
    }),
    { numRuns: 500 },
  )
})

t.test('days that are added can be taken away', async () => {
  fc.assert(
    fc.property(
      wall,
      fc.integer({ min: -9999, max: 9999 }),
      (at, days) => addDays(addDays(at, days), -days) === at,
    ),
  )
})
