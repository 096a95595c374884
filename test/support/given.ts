/** The moment at which tests begin, unless they set another: a Saturday morning. */
export const NOW = Date.parse('2026-11-21T09:00:00Z')
export const ROOT = '/calendar/events/v1'

/** The least that makes an event. */
export const EVENT = { title: 'Concert', start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' }

/** The least that makes a record of every kind, with its name, by the name of its collection. */
export const LEAST = {
  events: (title: string) => ({ ...EVENT, title }),
  venues: (venue: string) => ({ venue }),
  organizers: (organizer: string) => ({ organizer }),
  categories: (name: string) => ({ name }),
  tags: (name: string) => ({ name }),
}

/** Every kind: its collection, the member of its name, the least that makes one, and what addresses have of it. */
export const KINDS = [
  ['events', 'title', EVENT, ['id', 'slug']],
  ['venues', 'venue', { venue: 'Hall' }, ['id', 'slug']],
  ['organizers', 'organizer', { organizer: 'Choir' }, ['id', 'slug']],
  ['categories', 'name', { name: 'Music' }, ['id']],
  ['tags', 'name', { name: 'outdoors' }, ['id']],
] as const

/** The header Authorization of a login with a password (RFC 7617). */
export const basicAuth = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
