import { ARTS } from './arts.ts'
import { MUSIC } from './music.ts'
import { ORGANIZERS } from './organizers.ts'
import type { Poster } from './posters.ts'
import { CATEGORIES, TAGS } from './terms.ts'
import { TOWN } from './town.ts'
import { VENUES } from './venues.ts'

export type Language = 'ca' | 'en' | 'es'

/** A day, counted from the day on which the demo starts; a weekday of some week, 0 being the current one. */
export type Day = number | { week: number; weekday: keyof typeof WEEKDAYS } | 'before clock change'
export const WEEKDAYS = { mon: 0, tue: 1, wed: 2, thu: 3, fri: 4, sat: 5, sun: 6 }

/**
 * When an event happens: whole days, or from one time to another, `nights` later. `hours` are counted from the
 * present hour, for what has to be running whenever the demo is started.
 */
export type When =
  | { day: Day; nights?: number }
  | { day: Day; from: string; to: string; nights?: number }
  | { hours: readonly [from: number, to: number] }

export type Text = { title: string; description: string; excerpt?: string }

export type DemoEvent = {
  /** Several times make several events. */
  when: When | When[]
  venue?: keyof typeof VENUES | (keyof typeof VENUES)[]
  organizers: (keyof typeof ORGANIZERS)[]
  categories: (keyof typeof CATEGORIES)[]
  tags?: (keyof typeof TAGS)[]
  image?: Poster
  /** The venue's zone where it is absent. */
  timezone?: string
  /** The title, in its first language, of the event that this one belongs to. */
  parent?: string
  /** Sent as it is: cost, featured, status, password, ... */
  fields?: Record<string, unknown>
  /** The first language is the original, the others are its translations. */
  texts: { [L in Language]?: Text }
}

/** Everything that the demo shows. People, places and programmes are made up. */
export const DATA = { venues: VENUES, organizers: ORGANIZERS, categories: CATEGORIES, tags: TAGS }
export const EVENTS: readonly DemoEvent[] = [...MUSIC, ...ARTS, ...TOWN]
