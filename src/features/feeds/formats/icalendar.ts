import {
  type EventRecord,
  isDraft,
  type OccurrenceRow,
  type OrganizerRecord,
  type OwnSeries,
  type SeriesDate,
  type SeriesRecord,
  type VenueRecord,
} from '../../../calendar/formats/records.ts'
import { addressOf, placeOf } from '../../../calendar/formats/texts.ts'
import { mediaUrl, permalink } from '../../../calendar/formats/urls.ts'
import { expand, nextAfter } from '../../../calendar/recurrence/expansion.ts'
import { dateValues, recurrenceOf, rruleValue } from '../../../calendar/recurrence/recurrence.ts'
import type { Recurrence, RecurrenceId } from '../../../calendar/recurrence/rule.ts'
import { readable } from '../../../kernel/text/html.ts'
import { addDays, secondsOf, toEpoch } from '../../../kernel/time/dates.ts'
import { isRepeated, mustFindZone } from '../../../kernel/time/zones.ts'
import { date, dateTime, line, text, uri } from './content-lines.ts'
import { type Feed, type Format, uidOf, type WholeSeries } from './format.ts'
import { isCovered, tzidOf, vtimezone } from './timezone.ts'

/** Where the numbers of revisions count from: they have 31 bits, which last until 2088. */
const REVISIONS = Date.UTC(2020, 0, 1)
/** An event, or a series as that of its first date. */
type Dated = EventRecord | SeriesRecord

/** An address that can be written to. */
const ADDRESS = /^([^\s@<>()[\],;:"\\]+)@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i

const utc = (wall: string) => `${dateTime(wall)}Z`
const instantOf = (wall: string) => secondsOf(wall) * 1000

/** A property with a text, if there is any. */
const optional = (name: string, value: string, parameters = {}) =>
  value === '' ? '' : line(name, text(value), parameters)

/**
 * The zone that the times of an event are written in; undefined for dates and for UTC. A time that the clocks show twice is the first
 * of both (RFC 5545 §3.3.5), which some programs do not know, so such an event is in UTC.
 */
function zoneOf({ all_day, timezone, start_date, end_date, utc_start_date }: Dated): string | undefined {
  if (all_day || !isCovered(instantOf(utc_start_date))) return undefined
  const tzid = tzidOf(timezone)
  if (tzid === undefined) return undefined
  return isTwice(start_date, timezone) || isTwice(end_date, timezone) ? undefined : tzid
}

/** Whether the clocks of a zone show a local time twice. */
const isTwice = (wall: string, timezone: string) => isRepeated(instantOf(wall), mustFindZone(timezone))

/** Programs fail at later times, and some then import nothing of a calendar. */
const LAST = '2199-12-31 23:59:59'
/** Whether an event begins when programs read no more. */
const isBeyond = ({ start_date }: { start_date: string }) => start_date > LAST

/** An event that ends when programs read it. */
const shortened = <E extends Dated>(event: E): E =>
  event.end_date > LAST ? { ...event, end_date: LAST, utc_end_date: LAST } : event

/** DTSTART and DTEND. The end is exclusive; without any, an event ends at its start, or with its day. */
function span(given: Dated): string {
  const event = shortened(given)
  const { all_day, start_date, end_date, utc_start_date, utc_end_date } = event
  if (all_day) {
    const [start, end] = [date(start_date), date(addDays(end_date, 1))]
    const until = end > start ? line('DTEND', end, { VALUE: 'DATE' }) : ''
    return line('DTSTART', start, { VALUE: 'DATE' }) + until
  }
  const TZID = zoneOf(event)
  const at = (name: string, wall: string, wallUtc: string) =>
    TZID ? line(name, dateTime(wall), { TZID }) : line(name, utc(wallUtc))
  const until = utc_end_date > utc_start_date ? at('DTEND', end_date, utc_end_date) : ''
  return at('DTSTART', start_date, utc_start_date) + until
}

/** The last change of what an event shows: its own, or that of a place, organizer or term. */
function stampOf({ modified_utc, venues, organizers, categories, tags }: Dated): string {
  const shown = [...venues, ...organizers, ...categories, ...tags]
  return shown.reduce((last, { modified_utc: at }) => (at > last ? at : last), modified_utc)
}

/**
 * When an event was written and published. DTSTAMP is the time at which this version came to be, not that of the request, so that
 * equal events have equal bytes. SEQUENCE counts seconds up to the last change of the event itself: it never goes back, and a
 * subscriber that missed some versions still sees that this one is newer.
 */
function versions(event: Dated): string {
  const { date_utc, modified_utc } = event
  const stamp = stampOf(event)
  const revision = Math.max(0, Math.floor((instantOf(modified_utc) - REVISIONS) / 1000))
  return [
    line('DTSTAMP', utc(stamp)),
    date_utc !== '' && date_utc <= modified_utc ? line('CREATED', utc(date_utc)) : '',
    line('LAST-MODIFIED', utc(stamp)),
    line('SEQUENCE', String(revision)),
  ].join('')
}

/** Whether an event takes place, and whether it takes the time of those who subscribe. */
function states({ status, event_status, all_day }: Dated): string {
  const isOff = event_status === 'cancelled' || status === 'trash'
  const isTentative = event_status === 'postponed' || isDraft(status)
  return [
    line('STATUS', isOff ? 'CANCELLED' : isTentative ? 'TENTATIVE' : 'CONFIRMED'),
    line('TRANSP', all_day || isOff || event_status === 'postponed' ? 'TRANSPARENT' : 'OPAQUE'),
    status === 'private' ? line('CLASS', 'PRIVATE') : '',
  ].join('')
}

function description(event: Dated, LANGUAGE: string | undefined): string {
  const { description: html, excerpt, language } = event
  const body = html || excerpt
  if (body === '') return ''
  const page = `<!DOCTYPE html>\n<html lang="${language}"><body>${body}</body></html>`
  return (
    optional('DESCRIPTION', readable(body), { LANGUAGE }) +
    line('X-ALT-DESC', text(page), { FMTTYPE: 'text/html' })
  )
}

/** Where the first venue with coordinates is on a map, for programs at large and for those of Apple. */
function onMap(venues: VenueRecord[]): string {
  const venue = venues.find(({ geo_lat, geo_lng }) => geo_lat !== null && geo_lng !== null)
  if (!venue) return ''
  const { title, geo_lat, geo_lng } = venue
  const about = { 'X-ADDRESS': addressOf(venue), 'X-APPLE-RADIUS': '100', 'X-TITLE': title }
  return (
    line('GEO', `${geo_lat};${geo_lng}`) +
    line('X-APPLE-STRUCTURED-LOCATION', `geo:${geo_lat},${geo_lng}`, { VALUE: 'URI', ...about })
  )
}

/** The venues; the address online if the event is there alone, or has no venue. */
function places({ venues, virtual_url, attendance_mode, event_status }: Dated): string {
  const isOnline = virtual_url !== '' && (attendance_mode === 'online' || event_status === 'moved_online')
  const shown = isOnline ? [] : venues
  return [
    optional('LOCATION', shown.map(placeOf).join('; ') || virtual_url),
    onMap(shown),
    virtual_url === '' ? '' : line('CONFERENCE', uri(virtual_url), { VALUE: 'URI' }),
  ].join('')
}

/** The address of an organizer as URL (RFC 6068). */
function mailto({ email }: OrganizerRecord): string | undefined {
  const [, name, host] = ADDRESS.exec(email) ?? []
  return name && `mailto:${name.replace(/[%?&#]/g, encodeURIComponent)}@${host}`
}

/** The first organizer by address, or by a page if it has none (a URI is required); the others, and by which phones they can be reached. */
function organizers({ organizers }: Dated, { base }: Feed): string {
  const [first] = organizers
  if (!first) return ''
  return [
    line('ORGANIZER', uri(mailto(first) ?? (first.website || permalink(first, base))), { CN: first.title }),
    ...organizers
      .filter(({ phone }, i) => i > 0 || phone !== '')
      .map(({ title, phone, email }) =>
        line('CONTACT', text([title, phone, email].filter((part) => part !== '').join(', '))),
      ),
  ].join('')
}

function picture({ image }: Dated, { base }: Feed): string {
  if (!image) return ''
  const url = uri(mediaUrl(image.file, base))
  const FMTTYPE = image.mime_type
  return line('IMAGE', url, { VALUE: 'URI', DISPLAY: 'BADGE', FMTTYPE }) + line('ATTACH', url, { FMTTYPE })
}

/**
 * An event as VEVENT (RFC 5545 §3.6.1, RFC 7986). A series, and a date of it that is unlike the others, are given with the UID that they
 * share, and with the properties that say how it repeats, or which date it is.
 */
function vevent(
  event: Dated,
  feed: Feed,
  { uid = uidOf(event, feed), repetition = '' }: { uid?: string; repetition?: string } = {},
): string {
  const { title, language, categories, tags } = event
  const LANGUAGE = language === feed.language ? undefined : language
  const names = new Set([...categories, ...tags].map(({ name }) => name))
  return [
    line('BEGIN', 'VEVENT'),
    line('UID', text(uid)),
    versions(event),
    span(event),
    repetition,
    states(event),
    optional('SUMMARY', title, { LANGUAGE }),
    description(event, LANGUAGE),
    places(event),
    names.size > 0 ? line('CATEGORIES', [...names].map(text).join(',')) : '',
    organizers(event, feed),
    line('URL', uri(permalink(event, feed.base))),
    picture(event, feed),
    line('END', 'VEVENT'),
  ].join('')
}

/** How a series repeats, as rules read it. */
const repetitionOf = ({ series, start_date, timezone, all_day }: OwnSeries): Recurrence =>
  recurrenceOf(series, { start: start_date, zone: timezone, allDay: all_day })

/** Whether local time is that of UTC, in which a series is written then. */
const isUtc = ({ timezone, start_date, utc_start_date }: OwnSeries) =>
  tzidOf(timezone) === undefined && start_date === utc_start_date

/**
 * Whether a rule can be written: in the zone of the series, as days, or in UTC. A zone such as `UTC+2` has no name that programs know, and
 * in UTC its Monday may be a Sunday. Programs count from the start, so that no date may be before it.
 */
function canRepeat({ series, dates }: WholeSeries): boolean {
  const start = series.all_day ? series.start_date.slice(0, 10) : series.start_date
  const isEarlier = series.series.rdate.some((id) => id < start)
  const hasZone = series.all_day || isUtc(series) || zoneOf(series) !== undefined
  return hasZone && !isEarlier && !isBeyond(series) && !dates.some(isBeyond)
}

const durationOf = ({ utc_start_date, utc_end_date }: Pick<SeriesDate, 'utc_start_date' | 'utc_end_date'>) =>
  secondsOf(utc_end_date) - secondsOf(utc_start_date)

/** Whether an event is what every program makes of a date of its series: alike, at that time, once on the clock, and for as long. */
function isUsual(series: OwnSeries, date: SeriesDate): boolean {
  if (date.overrides.length > 0) return false
  if (series.all_day) return true
  return (
    date.start_date === date.recurrence_id &&
    durationOf(date) === durationOf(series) &&
    !isTwice(date.start_date, series.timezone)
  )
}

/** The IDs of the events that the rule of a series says all of; undefined if the series can not be written as one. */
const withSeries = (whole: WholeSeries): number[] | undefined =>
  canRepeat(whole)
    ? whole.dates.filter((date) => isUsual(whole.series, date)).map(({ post_id }) => post_id)
    : undefined

/** Dates of a series as a property: one a line, because programs exist that read no others. */
function dateLines(name: string, series: OwnSeries, ids: readonly RecurrenceId[]): string {
  const { all_day, timezone } = series
  const parameters = all_day ? { VALUE: 'DATE' } : { TZID: tzidOf(timezone) }
  const end = !all_day && isUtc(series) ? 'Z' : ''
  return ids.map((id) => line(name, dateValues([id]) + end, parameters)).join('')
}

/** RECURRENCE-ID: which date of a series an event is. */
const recurrenceId = (series: OwnSeries, { recurrence_id }: OccurrenceRow): string =>
  dateLines('RECURRENCE-ID', series, [recurrence_id])

/** A rule up to the last date of a series, if that has no more although the rule does: there is a limit to their number. */
function limited(recurrence: Recurrence, { series: { next_utc, until } }: OwnSeries): Recurrence {
  if (next_utc !== null || nextAfter(recurrence, until) === undefined) return recurrence
  return { ...recurrence, rule: { ...recurrence.rule, count: undefined, until } }
}

/**
 * RRULE, RDATE and EXDATE of a series. Its dates that have no event here are taken out: readers get the same dates as from a list. Added
 * dates that the rule gives as well are left out, because some programs have them twice. `rule.count` is 1 if there are added dates alone:
 * the first date is one of them then, because ical.js and dateutil take no other.
 */
function repetition({ series, dates }: WholeSeries): string {
  const recurrence = limited(repetitionOf(series), series)
  const { until, exdate, rdate, next_utc, since } = series.series
  const held = new Set(dates.map(({ recurrence_id }) => recurrence_id))
  const ruled = expand({ ...recurrence, rdate: [], exdate: [] }, { from: since || undefined, to: until })
  const given = new Set(ruled)
  const isComing = (id: RecurrenceId) => id > until && next_utc !== null
  const added = rdate.filter((id) => (held.has(id) && !given.has(id)) || isComing(id))
  const isAlone = recurrence.rule.count === 1
  const absent = new Set([...exdate, ...ruled.filter((id) => !held.has(id))])
  return [
    isAlone ? '' : line('RRULE', rruleValue(recurrence)),
    dateLines('RDATE', series, isAlone ? [...ruled.filter((id) => held.has(id)), ...added] : added),
    dateLines('EXDATE', series, [...absent].sort()),
  ].join('')
}

/** A series as VEVENT: its first date, and how it repeats. It changes with each of its events. */
function vseries(whole: WholeSeries, feed: Feed): string {
  const { series, dates } = whole
  const modified_utc = dates.reduce(
    (last, { modified_utc: at }) => (at > last ? at : last),
    series.modified_utc,
  )
  const shown = Object.assign({}, series, { modified_utc })
  return vevent(shown, feed, { uid: uidOf(series, feed), repetition: repetition(whole) })
}

/** How often programs should ask again. A feed that did not change costs an empty answer. */
const REFRESH = 'PT1H'

/** A time in Unix milliseconds as DATE-TIME in UTC. */
const stamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

/** What a calendar says of itself (RFC 5545 §3.6, RFC 7986), and the names that programs know from before. */
function head(feed: Feed): string {
  const { title, description, self, home, language, timezone, updated } = feed
  const named = { LANGUAGE: language }
  return [
    line('BEGIN', 'VCALENDAR'),
    line('VERSION', '2.0'),
    line('PRODID', '-//Almanac//Almanac//EN'),
    line('CALSCALE', 'GREGORIAN'),
    line('METHOD', 'PUBLISH'),
    line('NAME', text(title), named),
    line('X-WR-CALNAME', text(title)),
    ...(description === ''
      ? []
      : [line('DESCRIPTION', text(description), named), line('X-WR-CALDESC', text(description))]),
    line('X-WR-TIMEZONE', tzidOf(timezone) ?? 'UTC'),
    line('REFRESH-INTERVAL', REFRESH, { VALUE: 'DURATION' }),
    line('X-PUBLISHED-TTL', REFRESH),
    line('SOURCE', uri(self), { VALUE: 'URI' }),
    line('URL', uri(home)),
    updated === undefined ? '' : line('LAST-MODIFIED', stamp(updated)),
  ].join('')
}

/** iCalendar (RFC 5545): what calendar programs subscribe to and import. */
export const icalendar: Format = {
  extension: 'ics',
  type: 'text/calendar; charset=utf-8',
  withSeries,
  open(feed) {
    const described = new Set<string>()
    let earliest: string | undefined
    const repeating = new Map<number, SeriesRecord>()
    /** The component of a zone, before the first event that needs it. */
    function zoneFor(event: EventRecord | SeriesRecord): string {
      const zone = zoneOf(event)
      if (zone === undefined || described.has(zone)) return ''
      described.add(zone)
      earliest ??= feed.earliest?.()
      return vtimezone(zone, earliest === undefined ? undefined : toEpoch(earliest, 'UTC'))
    }
    /** Which part of its series an event is, if that is written as one. */
    function partOf({ occurrence }: EventRecord) {
      const series = occurrence && repeating.get(occurrence.series_id)
      if (!series) return undefined
      return { uid: uidOf(series, feed), repetition: recurrenceId(series, occurrence) }
    }
    return {
      head: () => head(feed),
      event(event) {
        if (!feed.single && isBeyond(event)) return ''
        return zoneFor(event) + vevent(event, feed, partOf(event))
      },
      series(whole) {
        const { series } = whole
        repeating.set(series.id, series)
        return zoneFor(series) + vseries(whole, feed)
      },
      foot: () => line('END', 'VCALENDAR'),
    }
  },
}
