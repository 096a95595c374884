/** The moment at which tests begin, unless they set another: a Saturday morning. */
export const NOW = Date.parse('2026-11-21T09:00:00Z')
export const ROOT = '/calendar/events/v1'

/** The least that makes an event. */
export const EVENT = { title: 'Concert', start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' }
