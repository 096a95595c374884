import { pathOf, queryOf, type View } from '../view.ts'

/** The filters of feeds that one may subscribe to, by the names of the API. Days are none: a subscription goes on. */
export const SUBSCRIBED = [
  ...([
    'q',
    'search',
    'categories',
    'tags',
    'venue',
    'organizer',
    'series',
    'attendance_mode',
    'free',
  ] as const),
]
export type Subscribed = Partial<Record<(typeof SUBSCRIBED)[number], string>>

/** The page on which one subscribes to the events of a list, of which the filters are given by the names of the API. */
export const subscribePath = (view: View, filters: Record<string, string | undefined> = {}): string =>
  pathOf(view, '/events/subscribe/') +
  queryOf(Object.fromEntries(SUBSCRIBED.map((name) => [name, filters[name]])))
