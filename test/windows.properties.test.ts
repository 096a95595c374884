import fc from 'fast-check'
import t from 'tap'
import { addDays } from '../src/rules/dates.ts'
import { build, ROOT } from './support/app.ts'

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
    const api = await build(t, { env: { TIMEZONE: 'UTC' } })
    const all: Listed[] = []
    for (const { start_date, minutes, timezone } of fc.sample(written, { numRuns: 150, seed: 7 })) {
      const body = { title: 'Any', start_date, end_date: later(start_date, minutes), timezone }
      const { status, body: event } = await api.editor.post('/events', body)
      t.equal(status, 201)
      all.push(event)
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
        let url: string | undefined = `${ROOT}/events?${query}`
        while (url) {
          const { status, body } = await api.anonymous.send({
            method: 'GET',
            url: url.replace('http://calendar.test', ''),
          })
          if (status !== 200 || body.total !== expected.length) return false
          visited.push(...body.events.map(({ id }: Listed) => id))
          url = body.next_rest_url
        }
        return JSON.stringify(visited) === JSON.stringify(expected)
      }),
      { numRuns: 250, seed: 11 },
    )
  },
)
