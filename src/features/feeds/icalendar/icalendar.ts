import type { EventRecord, SeriesRecord } from '../../../calendar/formats/records.ts'
import { toEpoch } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf } from '../formats/format.ts'
import { isBeyond, vevent, zoneOf } from './event.ts'
import { line, text, uri } from './line.ts'
import { recurrenceId, vseries, withSeries } from './series.ts'
import { tzidOf, vtimezone } from './timezone.ts'

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
