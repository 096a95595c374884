import { eventJsonLd, locationOf, organizerJsonLd, validFrom } from '../../../calendar/formats/json-ld.ts'
import type { EventRecord, SeriesRecord } from '../../../calendar/formats/records.ts'
import { BASE, filled, permalink, print, seriesUrl } from '../../../calendar/formats/urls.ts'
import type { Feed, Format } from './format.ts'

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
        const thing = structuredData(event)
        const text = separator + write(single ? { '@context': CONTEXT, ...thing } : thing)
        separator = ','
        return text
      },
      foot: () => (single ? '' : ']}'),
    }
  },
}

export const CONTEXT = 'https://schema.org'

/** The offers of an event: one for each price, or one with the words of the cost. */
function offersOf(event: EventRecord | SeriesRecord) {
  const { cost, prices } = event.cost
  if (cost === '') return undefined
  const offer = {
    '@type': 'Offer',
    url: event.website || permalink(event),
    availability: `https://schema.org/${event.event_status === 'cancelled' ? 'Discontinued' : 'InStock'}`,
    validFrom: validFrom(event),
    ...filled({ priceCurrency: event.currency }),
  }
  if (prices.length === 0) return [{ ...offer, description: cost }]
  return prices.map((price) => ({ ...offer, price }))
}

/** A list of one as that one, an empty one as nothing. */
const alone = <T>(list: T[]) => (list.length > 1 ? list : list[0])

/** The dates of an event that lasts all day, without their times. */
const daysOf = ({ startDate, endDate, previousStartDate }: Dated) => ({
  startDate: startDate.slice(0, 10),
  endDate: endDate?.slice(0, 10),
  previousStartDate: previousStartDate?.slice(0, 10),
})
type Dated = { startDate: string; endDate?: string; previousStartDate?: string }

/**
 * An event, or a series of them, with the members that search engines ask for, as far as they are known: those without a value are absent, whole days have no
 * times, offers have amounts, and all organizers are named. Who performs is not known. The caller adds `@context`.
 */
export function structuredData(event: EventRecord | SeriesRecord): object {
  const { '@context': _, performer: __, offers: ___, ...rest } = eventJsonLd(event)
  const location = locationOf(event)
  return filled({
    '@id': event.kind === 'series' ? seriesUrl(event.id) : permalink(event),
    identifier: String(event.id),
    ...rest,
    ...(event.all_day && daysOf(rest)),
    inLanguage: event.language,
    location: location && alone([location].flat().map((place) => filled({ ...place }))),
    organizer: alone(
      event.organizers.map((one) => filled({ ...organizerJsonLd(one), '@type': 'Organization' })),
    ),
    offers: offersOf(event),
    keywords: [...event.categories, ...event.tags].map(({ name }) => name).join(', '),
    sameAs: event.website,
  })
}
