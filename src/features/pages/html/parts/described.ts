import type { EventRecord } from '../../../../calendar/formats/records.ts'
import { localeOf } from '../../../../calendar/formats/texts.ts'
import { toOffsetDateTime } from '../../../../kernel/time/dates.ts'
import { CONTEXT } from '../../../feeds/formats/linked-data.ts'
import { counted, fill } from '../../words.ts'
import { absolute, type Head, preview } from '../layout.ts'
import { linkTo, type View } from '../view.ts'
import { isLong } from './dates.ts'

/** Titles that a description names. */
const NAMED = 3

const lists = new Map<string, Intl.ListFormat>()
function listOf(language: string, texts: string[]): string {
  const locale = localeOf(language)
  const known = lists.get(locale) ?? new Intl.ListFormat(locale)
  lists.set(locale, known)
  return known.format(texts)
}

/** What a page of events says of itself in a sentence: what it is, how many there are, and the first of them. */
function sentenceOf({ words, language }: View, title: string, events: EventRecord[], total: number): string {
  const titles = [...new Set(events.map((event) => event.title))].slice(0, NAMED)
  return total === 0
    ? `${title}. ${words.none_hint}`
    : fill(words.described, {
        title,
        count: counted(words.count, total, language),
        titles: listOf(language, titles),
      })
}

/** Where an event is, for search engines; undefined if it is not known. */
function locationOf({ venues: [venue], virtual_url }: EventRecord): object | undefined {
  if (venue) return { '@type': 'Place', name: venue.title, ...(venue.city && { address: venue.city }) }
  return virtual_url ? { '@type': 'VirtualLocation', url: virtual_url } : undefined
}

/** An event of a list for search engines, in short: its own page says the rest. */
function shortData(view: View, event: EventRecord): object {
  const { title, start_date, end_date, all_day, timezone, event_status } = event
  const time = (wall: string) => (all_day ? wall.slice(0, 10) : toOffsetDateTime(wall, timezone))
  const location = locationOf(event)
  return {
    '@type': 'Event',
    name: title,
    url: absolute(view, linkTo(view, event)),
    startDate: time(start_date),
    ...(isLong(event) && { endDate: time(end_date) }),
    ...(event_status === 'cancelled' && { eventStatus: 'https://schema.org/EventCancelled' }),
    ...(location && { location }),
  }
}

/** The events of a page as a graph for search engines, without those under a password; undefined without any. */
export function graphOf(view: View, events: EventRecord[]): string | undefined {
  const open = events.filter(({ closed }) => !closed)
  const graph = open.map((event) => shortData(view, event))
  return graph.length > 0 ? JSON.stringify({ '@context': CONTEXT, '@graph': graph }) : undefined
}

/** What the head of a page of events says about them: a sentence, and a picture of the first one that has one. */
export function described(
  view: View,
  title: string,
  events: EventRecord[],
  total: number,
): Pick<Head, 'description' | 'image' | 'image_alt'> {
  const image = events.find((event) => event.image)?.image
  return { description: sentenceOf(view, title, events, total), ...(image && preview(view, image)) }
}
