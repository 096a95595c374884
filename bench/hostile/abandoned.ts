import type { Asks } from './attack.ts'

/** Requests whose client leaves after 20 to 50 ms, each on a connection of its own, as of one that gives up and tries again. */
const leaving = (
  name: string,
  path: string,
  headers: (at: number) => Record<string, string> = () => ({}),
): Asks => ({
  name: `${name}, abandoned after 20 to 50 ms`,
  connections: 40,
  request: (at) => ({
    method: 'GET',
    path: path.replace('#', String(2_000 + (at % 90))),
    headers: headers(at),
    leaves: 20 + (at % 31),
  }),
})
const fromMany = (at: number) => ({ 'x-forwarded-for': `198.51.100.${1 + (at % 200)}` })

/** What costs most is asked for by whoever does not wait for it. */
export const ABANDONED: Asks[] = [
  leaving('beginnings of changes', '/changes?per_page=100'),
  leaving('streams of changes from 200 addresses', '/changes', (at) => ({
    ...fromMany(at),
    accept: 'text/event-stream',
  })),
  leaving('searches', '/events?search=concert&at=#'),
  leaving('lists', '/events?per_page=50&page=#'),
  leaving('feeds', '/events.ics?at=#'),
  leaving('pages of months', '//events/month/#-05/'),
  leaving('single events from 200 addresses', '/events/#', fromMany),
  leaving('addresses that lead nowhere', '/nowhere-#'),
]
