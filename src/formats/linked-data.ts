import { toOffsetDateTime } from '../rules/dates.ts'
import type { Feed, Format } from './format.ts'
import { BASE, filled, permalink, print } from './json.ts'
import { jsonLd } from './json-ld.ts'
import type { EventRecord } from './records.ts'

const CONTEXT = 'https://schema.org'

/** An amount as data; undefined for words such as "free". */
const isAmount = (value: string) => /^\d+(\.\d+)?$/.test(value)

/** The offers of an event: one for each amount, or one for words. None if the event says nothing about its cost. */
function offersOf(event: EventRecord) {
  const { cost, cost_details } = event.cost
  if (cost === '') return undefined
  const offer = {
    '@type': 'Offer',
    url: event.website || permalink(event),
    availability: 'https://schema.org/InStock',
    validFrom: toOffsetDateTime(event.date_utc || event.modified_utc, 'UTC'),
  }
  const amounts = cost_details.values.filter(isAmount)
  if (amounts.length === 0) return { ...offer, description: cost }
  return amounts.map((price) => ({ ...offer, price, ...filled({ priceCurrency: event.currency }) }))
}

/** A place, person or event without the members that say nothing. */
const spare = (thing: unknown) => (typeof thing === 'object' ? filled({ ...thing }) : thing)

/** Where an event takes place: at its venue, at an address for taking part from afar, or both. */
function placesOf({ virtual_url }: EventRecord, location: unknown) {
  const places = [spare(location), virtual_url && { '@type': 'VirtualLocation', url: virtual_url }].filter(
    Boolean,
  )
  return places.length === 1 ? places[0] : places.length > 1 && places
}

/** An event in the vocabulary of schema.org, with the members that search engines require, as far as it has them. */
function thingOf(event: EventRecord) {
  const {
    '@context': _,
    performer,
    offers,
    location,
    organizer,
    ...rest
  } = jsonLd(event) as Record<string, unknown>
  return filled({
    ...rest,
    '@id': permalink(event),
    identifier: String(event.id),
    inLanguage: event.language,
    ...(event.all_day && { startDate: event.start_date.slice(0, 10), endDate: event.end_date.slice(0, 10) }),
    location: placesOf(event, location),
    organizer: spare(organizer),
    offers: offersOf(event),
    keywords: [...event.categories, ...event.tags].map(({ name }) => name).join(', '),
    sameAs: event.website,
  })
}

/** JSON-LD: one event is an object, a list is a graph. */
export const linkedData: Format = {
  extension: 'jsonld',
  type: 'application/ld+json; charset=utf-8',
  open({ single, base }: Feed) {
    const origin = JSON.stringify(base).slice(1, -1)
    const write = (value: object) => print(value).replaceAll(BASE, origin)
    let separator = ''
    return {
      head: () => (single ? '' : `{"@context":"${CONTEXT}","@graph":[`),
      event(event) {
        const thing = thingOf(event)
        const text = separator + write(single ? { '@context': CONTEXT, ...thing } : thing)
        separator = ','
        return text
      },
      foot: () => (single ? '' : ']}'),
    }
  },
}
