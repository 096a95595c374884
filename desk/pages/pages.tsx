import type { ComponentChild } from 'preact'
import type { Place } from '../rules/places.ts'
import { w } from '../words/words.ts'
import { EventPage } from './event/event.tsx'
import { EventsPage } from './events/events.tsx'
import { Missing } from './missing.tsx'
import { MonthPage } from './month/month.tsx'
import { TranslatePage } from './translate/translate.tsx'

/** A page: what is remade when it changes, its title, and what it shows. */
type Found = { key: string; title: string; page: ComponentChild }

/** The pages of the desk by the first part of their place. A page of one record gets its ID, or `new`. */
const PAGES: Record<string, (place: Place) => Found> = {
  events: (place) =>
    place.path[1] === undefined
      ? { key: 'events', title: w.events, page: <EventsPage place={place} /> }
      : { key: location.hash, title: w.event, page: <EventPage place={place} /> },
  month: (place) => ({ key: 'month', title: w.month, page: <MonthPage place={place} /> }),
  translate: (place) => ({ key: location.hash, title: w.translation, page: <TranslatePage place={place} /> }),
}

/** The page of a place. */
export function pageAt(place: Place): Found {
  const found = PAGES[place.path[0] ?? 'events']
  return found ? found(place) : { key: 'missing', title: w.not_found, page: <Missing /> }
}
