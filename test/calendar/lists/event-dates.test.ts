import fc from 'fast-check'
import t, { type Test } from 'tap'
import { addDays } from '../../../src/kernel/time/dates.ts'
import { must, shown } from '../../support/answers.ts'
import { NOW } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const DAY = 86_400_000

/** A calendar in New York. A to F lie around one day, 10 January; other events around the window of a list without dates. */
async function open(t: Test) {
  const { editor, anonymous, clock } = await openRecords(t, { env: { TIMEZONE: 'America/New_York' } })
  const add = (title: string, start_date: string, end_date: string, more = {}) =>
    must(editor.create('event', { title, start_date, end_date, ...more }))
  await add('A', '2027-01-09 22:00', '2027-01-09 23:59:59')
  await add('B', '2027-01-10', '2027-01-10', { all_day: true })
  await add('C', '2027-01-10 10:00', '2027-01-10 12:00')
  await add('D', '2027-01-10 10:00', '2027-01-10 12:00', { timezone: 'Europe/Paris' })
  await add('E', '2027-01-10 20:00', '2027-01-11 02:00')
  await add('F', '2027-01-11 00:00', '2027-01-11 01:00')
  return { add, clock, list: async (query: string) => shown(await anonymous.list('event', query)) }
}

t.test('without strict_dates a date filter means whole days', async (t) => {
  const { list } = await open(t)
  const cases: [query: string, titles: string][] = [
    ['start_date=2027-01-10', 'B C D E F'],
    ['start_date=2027-01-10%2015:00:00', 'B C D E F'],
    ['end_date=2027-01-10', 'A B C D'],
    ['end_date=2027-01-10T03:00:00', 'A B C D'],
    ['start_date=2027-01-10&end_date=2027-01-10', 'B C D'],
    ['start_date=2027-01-11&end_date=2027-01-10', ''],
    ['starts_before=2027-01-10', 'A B C D E'],
    ['starts_before=2027-01-10%2001:00', 'A B C D E'],
    ['starts_after=2027-01-10', 'F'],
    ['starts_after=2027-01-10%2001:00', 'F'],
    ['ends_before=2027-01-10', 'A C D'],
    ['ends_after=2027-01-10', 'E F'],
    ['ends_after=2027-01-10%2001:00', 'E F'],
    ['starts_after=2027-01-09&ends_before=2027-01-10', 'C D'],
    ['starts_after=2027-01-09&starts_before=2027-01-10', 'B C D E'],
    ['start_date=2027-01-10&strict_dates=false', 'B C D E F'],
    ['start_date=2027-01-10%2015:00:00&strict_dates=0', 'B C D E F'],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
})

t.test('with strict_dates a wall clock is compared with the wall clock of each event', async (t) => {
  const { list } = await open(t)
  const cases: [query: string, titles: string][] = [
    ['start_date=2027-01-10%2010:00:00', 'C D E F'],
    ['start_date=2027-01-10%2010:00:01', 'E F'],
    ['start_date=2027-01-10', 'B C D E F'],
    ['end_date=2027-01-10%2012:00:00', 'A C D'],
    ['end_date=2027-01-10%2011:59:59', 'A'],
    ['starts_before=2027-01-10%2010:00:00', 'A B'],
    ['starts_before=2027-01-10T10:00:01', 'A B C D'],
    ['starts_after=2027-01-10%2010:00:00', 'E F'],
    ['starts_after=2027-01-10T09:59:59', 'C D E F'],
    ['ends_before=2027-01-10%2012:00:00', 'A'],
    ['ends_before=2027-01-10%2012:00:01', 'A C D'],
    ['ends_after=2027-01-10%2023:59:59', 'E F'],
    ['ends_after=2027-01-10%2023:59:58', 'B E F'],
  ]
  for (const [query, titles] of cases) {
    t.equal(await list(`${query}&strict_dates=true`), titles, query)
    t.equal(await list(`strict_dates=1&${query}`), titles, query)
  }
})

t.test('with strict_dates an instant is compared with the instants of each event', async (t) => {
  const { list } = await open(t)
  // C begins at 15:00 UTC, D of Paris at 09:00 UTC
  const stamp = Date.parse('2027-01-10T09:00:00Z') / 1000
  const cases: [query: string, titles: string][] = [
    ['starts_after=2027-01-10T09:00:00Z', 'C E F'],
    ['starts_after=2027-01-10T08:59:59Z', 'C D E F'],
    ['starts_after=2027-01-10T10:00:00%2B01:00', 'C E F'],
    [`starts_after=${stamp}`, 'C E F'],
    [`starts_after=${stamp - 1}`, 'C D E F'],
    [`starts_before=${stamp}`, 'A B'],
    [`starts_before=${stamp + 1}`, 'A B D'],
    [`start_date=${stamp}&starts_before=2027-01-10T10:00:00-05:00`, 'D'],
    ['ends_before=2027-01-10T11:00:00Z', 'A'],
    ['ends_before=2027-01-10T11:00:01Z', 'A D'],
    ['ends_after=2027-01-10T17:00:00Z', 'B E F'],
    ['ends_after=2027-01-10T16:59:59Z', 'B C E F'],
    ['ends_after=2027-01-10T16:59:59Z&end_date=2027-01-10T17:00:00Z', 'C'],
    ['start_date=2027-01-10T15:00:00Z&end_date=2027-01-10T17:00:00Z', 'C'],
  ]
  for (const [query, titles] of cases) t.equal(await list(`${query}&strict_dates=true`), titles, query)
})

t.test('of an instant without strict_dates only the day is left', async (t) => {
  const { list } = await open(t)
  const noon = Date.parse('2027-01-10T17:00:00Z') / 1000
  const cases: [query: string, titles: string][] = [
    [`start_date=${noon}`, 'B C D E F'],
    [`starts_after=${noon}`, 'F'],
    ['ends_before=2027-01-10T17:00:00Z', 'A C D'],
    ['ends_after=2027-01-10T12:00:00-05:00', 'E F'],
    ['start_date=0&end_date=2027-01-09', 'A'],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
})

t.test('words and distances count from the clock', async (t) => {
  const { clock, list } = await open(t)
  clock.now = Date.parse('2027-01-10T17:00:00Z') // noon in New York
  const cases: [query: string, titles: string][] = [
    ['start_date=today', 'B C D E F'],
    ['start_date=yesterday', 'A B C D E F'],
    ['start_date=tomorrow', 'F'],
    ['starts_after=today', 'F'],
    ['starts_after=now', 'F'],
    ['starts_after=now&strict_dates=true', 'E F'],
    ['ends_after=now&strict_dates=true', 'B E F'],
    ['ends_after=now&starts_before=now&strict_dates=true', 'B'],
    ['starts_after=%2B8%20hours&strict_dates=true', 'F'],
    ['starts_after=+8+hours&strict_dates=true', 'F'],
    ['starts_after=-1%20day&strict_dates=true', 'A B C D E F'],
    ['starts_after=-1%20day', 'B C D E F'],
    ['starts_after=%2B1%20week', ''],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
})

t.test(
  'a relative filter lifts the default window, and stands over the date it shares a place with',
  async (t) => {
    const { add, list } = await open(t)
    await add('Ancient', '1999-01-01 10:00', '1999-01-01 11:00')
    await add('Remote', '2050-01-01 10:00', '2050-01-01 11:00')
    const cases: [query: string, titles: string][] = [
      ['starts_before=2000-01-01', 'Ancient'],
      ['ends_before=2000-01-01', 'Ancient'],
      ['starts_after=2040-01-01', 'Remote'],
      ['ends_after=2040-01-01', 'Remote'],
      ['ends_after=1990-01-01&ends_before=2060-01-01', 'Ancient A B C D E F Remote'],
      ['starts_after=2027-01-10&start_date=1990-01-01', 'F Remote'],
      ['start_date=2027-01-11&starts_after=2027-01-09', 'B C D E F Remote'],
      ['ends_before=2000-01-01&end_date=2060-01-01', 'Ancient'],
      ['end_date=2000-01-01&ends_before=2027-01-10', 'Ancient A C D'],
      ['start_date=2027-01-11&starts_before=2027-01-12', 'F'],
      ['end_date=2027-01-10&starts_after=2027-01-09', 'B C D'],
      ['start_date=1990-01-01', 'Ancient A B C D E F'],
      ['end_date=2060-01-01', 'A B C D E F Remote'],
    ]
    for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  },
)

t.test(
  'a list without dates reaches from yesterday to the day 24 months ahead, by the site clock',
  async (t) => {
    const { add, clock, list } = await open(t)
    // it is 04:00 on 21 November 2026 in New York
    await add('too-early', '2026-11-19 23:59:59', '2026-11-20 10:00:00')
    await add('first', '2026-11-20 00:00:00', '2026-11-20 00:30:00')
    await add('last', '2028-11-21 22:00:00', '2028-11-21 23:59:59')
    await add('too-late', '2028-11-21 22:00:00', '2028-11-22 00:00:00')
    t.equal(await list('per_page=50'), 'first A B C D E F last')
    clock.now = NOW + 15 * 3_600_000 // 19:00 there, the 22nd in UTC
    t.equal(await list(''), 'first A B C D E F last')
    clock.now = NOW + DAY
    t.equal(await list(''), 'A B C D E F last too-late')
    clock.now = NOW - DAY
    t.equal(await list(''), 'too-early first A B C D E F')
    clock.now = NOW
    t.equal(await list('strict_dates=true'), 'first A B C D E F last', 'exact times do not move it')
  },
)

t.test('a date that is none is refused, and all of them are named', async (t) => {
  const { list } = await open(t)
  const wrong = ['', 'soon', '2027-02-30', '2026-13-01', '12/05/2026', '2027-01-10 24:00:00', '0000-00-00']
  for (const value of wrong) {
    const query = `start_date=${value}&ends_after=${value}&starts_before=2027-01-01`
    t.equal(await list(query), '400 rest_invalid_param start_date ends_after', value || 'an empty one')
  }
  t.equal(await list('strict_dates=banana'), '400 rest_invalid_param strict_dates')
})

t.test('a site in UTC compares the wall clocks of events as well', async (t) => {
  const utc = await openRecords(t)
  const times = { start_date: '2027-01-10 23:00', end_date: '2027-01-10 23:30' }
  await must(utc.editor.create('event', { title: 'LA', ...times, timezone: 'America/Los_Angeles' }))
  t.equal(shown(await utc.anonymous.list('event', 'start_date=2027-01-10&end_date=2027-01-10')), 'LA')
  t.equal(shown(await utc.anonymous.list('event', 'start_date=2027-01-11')), '')
})

const ZONES = ['UTC', 'Europe/Madrid', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'UTC-3.5']
type Listed = {
  id: number
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
}

/** Wall clocks around the moment of the tests, on the half hour so that bounds and events meet. */
const wall = fc
  .record({ day: fc.integer({ min: -40, max: 40 }), half: fc.integer({ min: 0, max: 48 }) })
  .map(({ day, half }) => {
    const date = addDays('2026-11-21 00:00:00', day).slice(0, 10)
    // the last second of a day, where events that last all day end
    if (half === 48) return `${date} 23:59:59`
    return `${date} ${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 ? '30' : '00'}:00`
  })
const written = fc.record({
  start_date: wall,
  minutes: fc.constantFrom(0, 30, 120, 60 * 26, 60 * 24 * 9),
  timezone: fc.constantFrom(...ZONES),
})
const later = (from: string, minutes: number) =>
  new Date(Date.parse(`${from.replace(' ', 'T')}Z`) + minutes * 60_000).toISOString().slice(0, 19)

/** The rules of D34 over events in memory; `name` of the parameter, `value` with an offset or without. */
function keeps(event: Listed, name: string, value: string, strict: boolean): boolean {
  const [, side, than] = {
    start_date: ['', 'start', '>='],
    end_date: ['', 'end', '<='],
    starts_before: ['', 'start', '<'],
    starts_after: ['', 'start', '>'],
    ends_before: ['', 'end', '<'],
    ends_after: ['', 'end', '>'],
  }[name]!
  const instant = strict && value.endsWith('Z')
  const own =
    side === 'start'
      ? instant
        ? event.utc_start_date
        : event.start_date
      : instant
        ? event.utc_end_date
        : event.end_date
  const exact = value.replace('T', ' ').replace('Z', '')
  const bound = strict ? exact : `${exact.slice(0, 10)} ${name === 'start_date' ? '00:00:00' : '23:59:59'}`
  return than === '>='
    ? own >= bound
    : than === '<='
      ? own <= bound
      : than === '<'
        ? own < bound
        : own > bound
}

t.test(
  'a list over any window is what a filter in memory keeps, and its pages visit each match once',
  async (t) => {
    const { editor, anonymous } = await openRecords(t)
    const all: Listed[] = []
    for (const { start_date, minutes, timezone } of fc.sample(written, { numRuns: 150, seed: 7 })) {
      const body = { title: 'Any', start_date, end_date: later(start_date, minutes), timezone }
      all.push(await must(editor.create('event', body)))
    }
    const bound = fc.record({
      name: fc.constantFrom(
        'start_date',
        'end_date',
        'starts_before',
        'starts_after',
        'ends_before',
        'ends_after',
      ),
      value: fc
        .tuple(wall, fc.boolean())
        .map(([value, offset]) => (offset ? `${value.replace(' ', 'T')}Z` : value)),
    })
    const question = fc.record({
      bounds: fc.uniqueArray(bound, { selector: ({ name }) => name, minLength: 2, maxLength: 4 }),
      strict: fc.boolean(),
      perPage: fc.integer({ min: 3, max: 50 }),
    })
    await fc.assert(
      fc.asyncProperty(question, async ({ bounds, strict, perPage }) => {
        const given = bounds.map(({ name }) => name)
        const overruled = [
          given.includes('starts_after') && 'start_date',
          given.includes('ends_before') && 'end_date',
        ]
        const heard = bounds.filter(({ name }) => !overruled.includes(name))
        // without a relative bound the default window would stand in for a date that is not given
        const both = given.some((name) => !['start_date', 'end_date'].includes(name)) || given.length === 2
        fc.pre(both)
        const expected = all
          .filter((event) => heard.every(({ name, value }) => keeps(event, name, value, strict)))
          .sort((a, b) =>
            a.start_date === b.start_date ? a.id - b.id : a.start_date < b.start_date ? -1 : 1,
          )
          .map(({ id }) => id)

        const query = new URLSearchParams([
          ...bounds.map(({ name, value }): [string, string] => [name, value]),
          ['strict_dates', String(strict)],
          ['per_page', String(perPage)],
        ])
        const visited: number[] = []
        for (let page = 1; page === 1 || visited.length < expected.length; page++) {
          const { events, total } = await must(anonymous.list('event', `${query}&page=${page}`))
          if (total !== expected.length || (events.length === 0 && page > 1)) return false
          visited.push(...events.map(({ id }: Listed) => id))
        }
        return JSON.stringify(visited) === JSON.stringify(expected)
      }),
      { numRuns: 250, seed: 11 },
    )
  },
)
