import t from 'tap'
import { build, NOW } from './support/app.ts'
import { must, shown } from './support/events.ts'

const DAY = 86_400_000
const api = await build(t, { env: { TIMEZONE: 'America/New_York' } })
const list = async (query: string) => shown(await api.anonymous.get(`/events?${query}`))
const add = (title: string, start_date: string, end_date: string, more = {}) =>
  must(api.editor.post('/events', { title, start_date, end_date, ...more }))

// A to F lie around one day, 10 January; the others around the window of a list without dates
await add('A', '2027-01-09 22:00', '2027-01-09 23:59:59')
await add('B', '2027-01-10', '2027-01-10', { all_day: true })
await add('C', '2027-01-10 10:00', '2027-01-10 12:00')
await add('D', '2027-01-10 10:00', '2027-01-10 12:00', { timezone: 'Europe/Paris' })
await add('E', '2027-01-10 20:00', '2027-01-11 02:00')
await add('F', '2027-01-11 00:00', '2027-01-11 01:00')

t.test('without strict_dates a date filter means whole days', async (t) => {
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
  api.clock.now = Date.parse('2027-01-10T17:00:00Z') // noon in New York
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
  api.clock.now = NOW
})

t.test(
  'a relative filter lifts the default window, and stands over the date it shares a place with',
  async (t) => {
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
    // it is 04:00 on 21 November 2026 in New York
    await add('too-early', '2026-11-19 23:59:59', '2026-11-20 10:00:00')
    await add('first', '2026-11-20 00:00:00', '2026-11-20 00:30:00')
    await add('last', '2028-11-21 22:00:00', '2028-11-21 23:59:59')
    await add('too-late', '2028-11-21 22:00:00', '2028-11-22 00:00:00')
    t.equal(await list('per_page=50'), 'first A B C D E F last')
    api.clock.now = NOW + 15 * 3_600_000 // 19:00 there, the 22nd in UTC
    t.equal(await list(''), 'first A B C D E F last')
    api.clock.now = NOW + DAY
    t.equal(await list(''), 'A B C D E F last too-late')
    api.clock.now = NOW - DAY
    t.equal(await list(''), 'too-early first A B C D E F')
    api.clock.now = NOW
    t.equal(await list('strict_dates=true'), 'first A B C D E F last', 'exact times do not move it')
    const { body } = await api.anonymous.get('/events')
    const link = new URL(body.rest_url).searchParams
    t.strictSame(
      [link.get('start_date'), link.get('end_date')],
      ['2026-11-20 00:00:00', '2028-11-21 23:59:59'],
    )
  },
)

t.test('a date that is none is refused, and all of them are named', async (t) => {
  const wrong = ['', 'soon', '2027-02-30', '2026-13-01', '12/05/2026', '2027-01-10 24:00:00', '0000-00-00']
  for (const value of wrong) {
    const query = `start_date=${value}&ends_after=${value}&starts_before=2027-01-01`
    t.equal(await list(query), '400 rest_invalid_param start_date ends_after', value || 'an empty one')
  }
  t.equal(await list('strict_dates=banana'), '400 rest_invalid_param strict_dates')
})

t.test('a site in UTC compares the wall clocks of events as well', async (t) => {
  const utc = await build(t)
  const times = { start_date: '2027-01-10 23:00', end_date: '2027-01-10 23:30' }
  await must(utc.editor.post('/events', { title: 'LA', ...times, timezone: 'America/Los_Angeles' }))
  t.equal(shown(await utc.anonymous.get('/events?start_date=2027-01-10&end_date=2027-01-10')), 'LA')
  t.equal(shown(await utc.anonymous.get('/events?start_date=2027-01-11')), '')
})
