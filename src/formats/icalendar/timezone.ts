import { mustFindZone } from '../../rules/time/zones.ts'
import { dateTime, line } from './line.ts'
import { FIRST, type Observance, observancesOf } from './observances.ts'

/** The component of each zone; it is the same in all calendars. */
const components = new Map<string, string>()

/** Zones that are a distance from UTC, and no place. Their names mean the opposite to some programs, and nothing to others. */
const DISTANCE = /^(?:Etc\/.*|GMT.*|UTC|UCT|Zulu|Universal|Greenwich)$/

/** The zone that local times of a stored zone are written in; undefined if they are written in UTC. */
export function tzidOf(stored: string): string | undefined {
  const { id } = mustFindZone(stored)
  return /^[+-]/.test(id) || DISTANCE.test(id) ? undefined : id
}

/** Whether the component of a zone covers an instant, in epoch milliseconds. */
export const isCovered = (at: number) => at >= FIRST

const two = (value: number) => String(value).padStart(2, '0')

/** An offset in milliseconds as UTC-OFFSET, with seconds if it has any (RFC 5545 §3.3.14). */
function utcOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const rest = seconds % 60 === 0 ? '' : two(seconds % 60)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(seconds / 3600))}${two(Math.floor(seconds / 60) % 60)}${rest}`
}

const print = (local: number) => dateTime(new Date(local).toISOString().slice(0, 19).replace('T', ' '))

function observance({ local, from, to, name, isDaylight, rule, others }: Observance): string {
  const component = isDaylight ? 'DAYLIGHT' : 'STANDARD'
  return [
    line('BEGIN', component),
    line('DTSTART', print(local)),
    line('TZOFFSETFROM', utcOffset(from)),
    line('TZOFFSETTO', utcOffset(to)),
    line('TZNAME', name),
    rule ? line('RRULE', rule) : '',
    // one a line, and the first as well: libraries exist that read no others
    ...(others.length > 0 ? [local, ...others].map((at) => line('RDATE', print(at))) : []),
    line('END', component),
  ].join('')
}

/** The VTIMEZONE of a zone of the tz database (RFC 5545 §3.6.5), with all changes of its clocks since 1970. */
export function vtimezone(tzid: string): string {
  const known = components.get(tzid)
  if (known) return known
  const made = [
    line('BEGIN', 'VTIMEZONE'),
    line('TZID', tzid),
    ...observancesOf(mustFindZone(tzid)).map(observance),
    line('END', 'VTIMEZONE'),
  ].join('')
  components.set(tzid, made)
  return made
}
