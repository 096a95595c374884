import { readFileSync } from 'node:fs'
import type { Poster } from './posters.ts'

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
type Names = Record<Language, string>
/** A venue or organizer; a venue has the zone of its events. `fields` are sent as they are. */
export type Linked = {
  language: Language
  zone?: string
  image?: Poster
  fields: Record<string, unknown>
}
export type Category = { names: Names; parent?: string; description?: string }

/** Venues, organizers, categories and tags are named by their keys. */
export type DemoEvent = {
  /** Several times make several events. */
  when: When | When[]
  venue?: string | string[]
  organizers: string[]
  categories: string[]
  tags?: string[]
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

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'))

/** What events are linked to, by key; of categories, parents stand before their children. People and places are made up. */
export const DATA = {
  venues: read<Record<string, Linked>>('venues'),
  organizers: read<Record<string, Linked>>('organizers'),
  categories: read<Record<string, Category>>('categories'),
  tags: read<Record<string, Names>>('tags'),
}
export const EVENTS: readonly DemoEvent[] = ['music', 'arts', 'town'].flatMap((name) =>
  read<DemoEvent[]>(name),
)
