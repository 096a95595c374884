import type { Asks, Attack } from './attack.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const get = (name: string, path: (at: number) => string, headers: Record<string, string> = {}): Asks => ({
  name,
  connections: 16,
  request: (at) => ({ method: 'GET', path: path(at), headers }),
})
const form = (name: string, body: string): Asks => ({
  name,
  connections: 16,
  request: () => ({ method: 'POST', path: '/events', headers: FORM, body }),
})

/** Many or deep parameters, and answers that are compressed and never asked for again. */
export const PARAMETERS: Attack[] = [
  get('2,300 parameters a[]', (at) => `/events?at=${at}&${'a[]=1&'.repeat(2_300)}`),
  get('4,000 brackets in a name', (at) => `/events?at=${at}&a${'[b]'.repeat(4_000)}=1`),
  form('10,000 fields in a form', 'a[]=1&'.repeat(10_000)),
  form('20,000 brackets in a form', `a${'[b]'.repeat(20_000)}=1`),
  get('front pages with an unknown parameter, gzip', (at) => `//?x=${at}`, { 'accept-encoding': 'gzip' }),
  get('deep pages of the calendar, gzip', (at) => `//events/?page=${1 + (at % 9_000)}`, {
    'accept-encoding': 'gzip',
  }),
  get('lists of 50 events, gzip', (at) => `/events?per_page=50&page=${1 + (at % 900)}&at=${at}`, {
    'accept-encoding': 'gzip',
  }),
]
