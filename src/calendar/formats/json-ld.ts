import { stripHtml } from '../../kernel/text/html.ts'
import { toPlainText } from '../../kernel/text/text.ts'
import { secondsOf, toOffsetDateTime } from '../../kernel/time/dates.ts'
import { idOf } from '../recurrence/expansion.ts'
import { recurrenceOf } from '../recurrence/recurrence.ts'
import { printWeekday, type Recurrence, type RecurrenceId, type Rule } from '../recurrence/rule.ts'
import type {
  EventRecord,
  EventRow,
  Own,
  OwnEvent,
  OwnOrganizer,
  OwnSeries,
  OwnVenue,
  PostRecord,
  SeriesRecord,
} from './records.ts'
import { filled, mediaUrl, permalink, print, seriesUrl } from './urls.ts'

/** HTML as text for JSON-LD, without anything that looks like a tag, even if the HTML shows it as text. */
const plain = (html: string) => toPlainText(stripHtml(html))

/** The name in JSON-LD. That of a private record is marked, as in the reference. */
const nameOf = (record: Own) => (record.status === 'private' ? `Private: ${record.title}` : record.title)

/** The members of schema.org that all kinds share. */
function thing(record: Own, text: string) {
  const { image } = record
  return { name: nameOf(record), description: plain(text), ...(image && { image: mediaUrl(image.file) }) }
}

/** The names of states in schema.org. */
const STATUS: Record<EventRow['event_status'], string> = {
  scheduled: 'EventScheduled',
  cancelled: 'EventCancelled',
  postponed: 'EventPostponed',
  moved_online: 'EventMovedOnline',
  rescheduled: 'EventRescheduled',
}
const MODE: Record<EventRow['attendance_mode'], string> = {
  offline: 'OfflineEventAttendanceMode',
  online: 'OnlineEventAttendanceMode',
  mixed: 'MixedEventAttendanceMode',
}

/** How an event is attended: online if it moved there, whatever was planned. */
const modeOf = ({ event_status, attendance_mode }: OwnEvent | OwnSeries) =>
  event_status === 'moved_online' ? 'online' : attendance_mode

/** The address online: that of the event, which a VirtualLocation must have, where no other is known. */
const virtualLocation = (event: OwnEvent | OwnSeries) => ({
  '@type': 'VirtualLocation',
  url: event.virtual_url || permalink(event),
})

/** Since when an event is offered. */
export const validFrom = (event: OwnEvent | OwnSeries) =>
  toOffsetDateTime(event.date_utc || event.modified_utc, 'UTC')

/**
 * What a series, or a date of one, says of the other: how it repeats, or of what it is a date. The series is named by its ID, because its
 * slug and title are not the date's.
 */
function repetitionOf(event: OwnEvent | OwnSeries): object {
  if (event.kind === 'series') return filled({ eventSchedule: scheduleOf(event) })
  if (!event.occurrence) return {}
  const url = seriesUrl(event.occurrence.series_id)
  return { superEvent: { '@type': 'EventSeries', '@id': url, url } }
}

/** The end of an event; of a series that of its last date, if there is one. */
const endOf = (event: OwnEvent | OwnSeries) => (event.kind === 'event' ? event.end_date : lastEndOf(event))

/** A value of a cost that is a number. */
const AMOUNT = /^\d+(\.\d+)?$/

/** An event for schema.org, without where it takes place and who organizes it. */
export function eventJsonLd(event: OwnEvent | OwnSeries) {
  const end = endOf(event)
  const { cost, cost_details, prices } = event.cost
  // words are there as the reference has them, numbers as far as they are prices (R23)
  const said = cost_details.values.filter((value) => !AMOUNT.test(value) || prices.includes(value))
  const offers = () => ({
    '@type': 'Offer',
    ...filled({ price: said.join(' – '), priceCurrency: event.currency ?? '' }),
    url: permalink(event),
    category: 'primary',
    ...(event.event_status !== 'cancelled' && { availability: 'inStock' }),
    validFrom: validFrom(event),
  })
  return {
    '@context': 'http://schema.org',
    '@type': event.kind === 'series' ? 'EventSeries' : 'Event',
    ...thing(event, event.excerpt || event.description),
    url: permalink(event),
    eventAttendanceMode: `https://schema.org/${MODE[modeOf(event)]}`,
    eventStatus: `https://schema.org/${STATUS[event.event_status]}`,
    startDate: toOffsetDateTime(event.start_date, event.timezone),
    ...(event.previous_start_date && {
      previousStartDate: toOffsetDateTime(event.previous_start_date, event.timezone),
    }),
    ...(end !== undefined && { endDate: toOffsetDateTime(end, event.timezone) }),
    ...repetitionOf(event),
    ...(cost && { offers: offers() }),
    performer: 'Organization',
  }
}

function venueJsonLd(venue: OwnVenue) {
  const { address, city, country, zip, stateprovince, phone, website, geo_lat, geo_lng } = venue
  return {
    '@type': 'Place',
    ...thing(venue, venue.description),
    url: permalink(venue),
    address: {
      '@type': 'PostalAddress',
      ...filled({
        streetAddress: address,
        addressLocality: city,
        addressRegion: stateprovince,
        postalCode: zip,
        addressCountry: country,
      }),
    },
    telephone: phone,
    sameAs: website,
    ...(geo_lat !== null &&
      geo_lng !== null && { geo: { '@type': 'GeoCoordinates', latitude: geo_lat, longitude: geo_lng } }),
  }
}

export function organizerJsonLd(organizer: OwnOrganizer) {
  const { phone, website, email } = organizer
  return {
    '@type': 'Person',
    ...thing(organizer, organizer.description),
    url: website,
    telephone: phone,
    email,
    sameAs: website,
  }
}

/** A venue or an organizer for schema.org. */
export const linkedJsonLd = (record: OwnVenue | OwnOrganizer): object =>
  record.kind === 'venue' ? venueJsonLd(record) : organizerJsonLd(record)

/**
 * An event for schema.org as JSON text up to where its venue belongs: it ends with `:`, or with `,` where a list has to be closed after it.
 * If the event is attended online only, no venue belongs to it.
 */
export function openJsonLd(event: OwnEvent | OwnSeries): string {
  const text = `${print(eventJsonLd(event)).slice(0, -1)},"location":`
  const virtual = print(virtualLocation(event))
  return { offline: text, online: text + virtual, mixed: `${text}[${virtual},` }[modeOf(event)]
}

/** Where an event takes place: `false` if that is not told, a list if it is attended there and online. */
export function locationOf(event: EventRecord | SeriesRecord): object | object[] | false {
  const [venue] = event.venues
  const place = venue && venueJsonLd(venue)
  const virtual = virtualLocation(event)
  const mode = modeOf(event)
  if (mode === 'online') return virtual
  if (mode === 'mixed') return place ? [virtual, place] : [virtual]
  return place ?? false
}

/** A record for schema.org, as the member `json_ld` shows it; an event with its first venue and organizer. */
export function jsonLd(record: PostRecord): object {
  if (record.kind === 'venue' || record.kind === 'organizer') return linkedJsonLd(record)
  const [organizer] = record.organizers
  return {
    ...eventJsonLd(record),
    location: locationOf(record),
    ...(organizer && { organizer: organizerJsonLd(organizer) }),
  }
}

const UNITS: Record<Rule['freq'], string> = { YEARLY: 'Y', MONTHLY: 'M', WEEKLY: 'W', DAILY: 'D' }
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const DAY = 86_400

/** A list of one as that one, an empty one as nothing. */
const alone = <T>(list: T[]) => (list.length > 1 ? list : list[0])

/** Whether schema.org has words for all that a rule says. */
function hasSchemaWords(rule: Rule): boolean {
  const { byWeekNo, byYearDay, byMonthDay, byHour, byMinute, bySecond, bySetPos, wkst, interval } = rule
  const untold = [byWeekNo, byYearDay, byHour, byMinute, bySecond, bySetPos]
  return (
    untold.every((list) => list.length === 0) &&
    byMonthDay.every((day) => day > 0) &&
    (wkst === 0 || interval === 1)
  )
}

/** The rule itself: weekdays by their names, those with a number as iCalendar writes them. */
function ruleMembers({ freq, interval, byDay, byMonth, byMonthDay, count, until }: Rule) {
  const isNumbered = byDay.some(({ nth }) => nth !== 0)
  return {
    repeatFrequency: `P${interval}${UNITS[freq]}`,
    byDay: alone(
      byDay.map((day) => (isNumbered ? printWeekday(day) : `https://schema.org/${DAYS[day.weekday]}`)),
    ),
    byMonth: alone(byMonth),
    byMonthDay: alone(byMonthDay),
    repeatCount: count,
    endDate: until?.slice(0, 10),
  }
}

/** How long each date lasts on its clock, as a duration of ISO 8601. */
function durationOf({ start_date, end_date, all_day }: OwnSeries): string | undefined {
  const seconds = secondsOf(end_date) - secondsOf(start_date)
  if (all_day) return `P${Math.ceil((seconds + 1) / DAY)}D`
  if (seconds === 0) return undefined
  return seconds % 60 === 0 ? `PT${seconds / 60}M` : `PT${seconds}S`
}

/** How a series repeats, for schema.org: its rule, and each added date. Undefined if schema.org has no words for the rule. */
function scheduleOf(series: OwnSeries): object | object[] | undefined {
  const { timezone: zone, all_day: allDay, start_date: start } = series
  const recurrence: Recurrence = recurrenceOf(series.series, { start, zone, allDay })
  const { rule, rdate, exdate } = recurrence
  if (!hasSchemaWords(rule)) return undefined
  const timeOf = (id: RecurrenceId) => (allDay ? undefined : id.slice(11))
  const schedule = (id: RecurrenceId, more: object) =>
    filled({
      '@type': 'Schedule',
      startDate: id.slice(0, 10),
      startTime: timeOf(id),
      duration: durationOf(series),
      scheduleTimezone: zone,
      ...more,
    })
  const except = exdate.map((id) => (allDay ? id : toOffsetDateTime(id, zone)))
  return alone([
    schedule(start, { ...ruleMembers(rule), exceptDate: alone(except) }),
    ...rdate.map((id) => schedule(id, ruleMembers({ ...ONCE, until: id }))),
  ])
}
const ONCE = {
  freq: 'DAILY',
  interval: 1,
  byDay: [],
  byMonth: [],
  byMonthDay: [],
  count: 1,
} as unknown as Rule

/** The end of the last date of a series, as local time; undefined if there are others after those that have events by now. */
function lastEndOf({ series: { next_utc, until }, start_date, end_date }: OwnSeries) {
  if (next_utc !== null || until === '') return undefined
  const begin = secondsOf(until.length === 10 ? `${until} 00:00:00` : until)
  const end = begin + secondsOf(end_date) - secondsOf(start_date)
  return idOf(end, false)
}
