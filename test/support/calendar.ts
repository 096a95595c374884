import ICAL from 'ical.js'
import type { EventRecord } from '../../src/calendar/formats/records.ts'
import type { Feed } from '../../src/features/feeds/formats/format.ts'
import { icalendar } from '../../src/features/feeds/formats/icalendar.ts'
import { FEED } from './records.ts'

/** The calendar of some events. */
export function calendarOf(events: EventRecord[], feed: Partial<Feed> = {}): string {
  const writer = icalendar.open({ ...FEED, ...feed })
  return writer.head() + events.map(writer.event).join('') + writer.foot()
}

/** A calendar as another program reads it. */
export const parse = (calendar: string) => new ICAL.Component(ICAL.parse(calendar))

/** The lines of a calendar as they were before they were folded. */
export const unfold = (calendar: string) => calendar.replace(/\r\n /g, '').split('\r\n').slice(0, -1)

/** Why a calendar breaks the rules for lines (RFC 5545 §3.1); empty if it does not. */
export function faults(calendar: string): string[] {
  const lines = calendar.split('\r\n')
  return [
    ...(lines.pop() === '' ? [] : ['the last line has no end']),
    ...lines.filter((line) => Buffer.byteLength(line) > 75).map((line) => `too long: ${line}`),
    ...lines
      .filter((line) => /[^\P{Cc}\t]|\ufffd/u.test(line))
      .map((line) => `a control or half a character: ${line}`),
    ...unfold(calendar)
      .filter((line) => !/^[A-Z-]+(?:;[A-Z-]+=(?:[\w/-]+|"[^"]*"))*:/.test(line))
      .map((line) => `no property: ${line}`),
  ]
}

/** The local times of a component's zone as an independent reader understands them. */
export function openZone(vtimezone: string) {
  const component = parse(vtimezone)
  const zone = new ICAL.Timezone({ component, tzid: String(component.getFirstPropertyValue('tzid')) })
  /** Epoch milliseconds of a local time. */
  return (wall: string): number => {
    const time = ICAL.Time.fromDateTimeString(wall.replace(' ', 'T'))
    time.zone = zone
    return time.toUnixTime() * 1000
  }
}
