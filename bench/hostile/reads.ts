import type { Asks, Attack } from './attack.ts'
import { lettersOf } from './questions.ts'

const CENTURY = 'start_date=2000-01-01&end_date=2100-01-01'
/** Behind a trusted proxy: a client of the own machine has no budget. */
const PUBLIC = { 'x-forwarded-for': '203.0.113.7' }
const get = (
  name: string,
  connections: number,
  path: (at: number) => string,
  headers: Record<string, string> = {},
): Asks => ({ name, connections, request: (at) => ({ method: 'GET', path: path(at), headers }) })
/** Reads that take long: made anew for each, or of everything. */
export const READS: Attack[] = [
  get('site maps with an unknown parameter', 16, (at) => `//sitemap-event-1.xml?x=${at}`),
  get('400 whole feeds at a time', 400, () => `/events.ics?${CENTURY}`),
  get('400 single events at a time', 400, (at) => `/events/${(at * 37) % 10_000}`),
  get(
    '400 pages of months at a time',
    400,
    (at) => `//events/month/${2000 + (at % 90)}-0${1 + (at % 9)}/?x=${at}`,
  ),
  {
    name: '500 listeners who resume from an old token',
    connections: 500,
    request: (_at, _token, since) => ({
      method: 'GET',
      path: `/changes?sync_token=${since}`,
      headers: { accept: 'text/event-stream' },
    }),
  },
  get(
    'beginnings of changes, 100 records each',
    16,
    (at) => `/changes?per_page=100&kind=event&start_date=2001-01-${1 + (at % 28)}`,
  ),
  get('searches of 18 letters, from a public address', 16, lettersOf, PUBLIC),
  get(
    'lists of 50, from a public address',
    16,
    (at) => `/events?per_page=50&page=${1 + (at % 900)}&at=${at}`,
    PUBLIC,
  ),
  get('whole feeds, from a public address', 16, (at) => `/events.rss?${CENTURY}&at=${at}`, PUBLIC),
]
