import { addDays, isInCalendar, normalize, startOfDay, toWall, type Wall } from './dates.ts'
import { mustFindZone, zoned } from './zones.ts'

/**
 * A date as written. `wall` is the local time in the text (UTC for unix seconds). `instant`, in epoch milliseconds, is set only if
 * the text determines a point in time.
 */
export type Moment = { wall: Wall; instant?: number; hasTime: boolean }
/** The reference for relative dates: epoch milliseconds and a zone. */
type Here = { now: number; zone: string }

/** Longer texts are not dates. */
const LONGEST = 64

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[.]?'
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
const WEEKDAY =
  '(?:(?<weekday>sun(?:day)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?)[.]?,? )?'
const DAY = '(?<d>\\d{1,2})(?:st|nd|rd|th)?'
/** Either `one` or `two` may be the month. */
const DATES = [
  '(?<y>\\d{4})-(?<m>\\d{1,2})-(?<d>\\d{1,2})',
  '(?<y>\\d{4})/(?<m>\\d{1,2})/(?<d>\\d{1,2})',
  '(?<y>\\d{4})(?<m>\\d\\d)(?<d>\\d\\d)',
  '(?<d>\\d{1,2})[.](?<m>\\d{1,2})[.](?<y>\\d{4})',
  `${WEEKDAY}${DAY}[ -]${MONTH},?[ -](?<y>\\d{4})`,
  `${WEEKDAY}${MONTH} ${DAY},? (?<y>\\d{4})`,
  '(?<one>\\d{1,2})[/-](?<two>\\d{1,2})[/-](?<y>\\d{4})',
]
const CLOCK =
  '(?<h>\\d{1,2})(?::(?<min>[0-5]\\d)(?::(?<s>[0-5]\\d)(?:[.,]\\d+)?)?)?(?: ?(?<half>[ap])[.]?m[.]?)?'
const BASIC_CLOCK = 't(?<basic>\\d{4}(?:[0-5]\\d)?)'
/** An unencoded `+` in a query arrives as a space. */
const OFFSET =
  '(?: ?(?:z|utc|gmt)| ?(?<sign>[+-])(?<oh>[01]\\d|2[0-3])(?::?(?<om>[0-5]\\d))?| (?<ph>[01]\\d|2[0-3]):?(?<pm>[0-5]\\d))'
const FORMS = DATES.map(
  (date) => new RegExp(`^${date}(?:(?:(?:t|,? | at )${CLOCK}|${BASIC_CLOCK})(?<offset>${OFFSET})?)?$`, 'i'),
)

const STAMP = /^(?:@([+-]?\d+)|([+-]?(?:\d{9,12}|0)))(?:\.\d+)?$/
const COMPACT = /^(\d{8})(\d{6})$/
const RELATIVE = /^([+-]?\d+) *(minute|hour|day|week|month|year)s?$/i
const WORDS = new RegExp(`^(yesterday|today|tomorrow)(?:,? (?:at )?(${CLOCK}))?$`, 'i')
const DAYS: Record<string, number> = { yesterday: -1, today: 0, tomorrow: 1 }

type Groups = Record<string, string | undefined>

/** The possible days of a text as `YYYY-MM-DD`: none, one, or two if day and month are interchangeable. */
function daysOf({ y, m, d, one, two, month, weekday }: Groups): string[] {
  const named = month === undefined ? m : String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1)
  const pairs = one === undefined ? [[named!, d!]] : [[one, two!], ...(one === two ? [] : [[two!, one]])]
  return pairs
    .map((pair) => [y, ...pair.map((part) => part!.padStart(2, '0'))].join('-'))
    .filter((day) => {
      const at = new Date(`${day}T00:00:00Z`)
      if (Number.isNaN(at.getTime()) || y === '0000' || at.getUTCDate() !== Number(day.slice(8))) return false
      return weekday === undefined || WEEKDAYS[at.getUTCDay()] === weekday.slice(0, 3).toLowerCase()
    })
}

/** `HH:MM:SS`, "" if the text has no time, undefined if its time does not exist. */
function clockOf({ h, min, s, half, basic }: Groups): string | undefined {
  if (basic !== undefined) return clockOf({ h: basic.slice(0, 2), min: basic.slice(2, 4), s: basic.slice(4) })
  if (h === undefined) return ''
  const hour = Number(h)
  if (half === undefined ? min === undefined || hour > 23 : hour < 1 || hour > 12) return undefined
  const shown = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const clock = `${String(shown).padStart(2, '0')}:${min ?? '00'}:${s || '00'}`
  return Number(clock.slice(3, 5)) < 60 ? clock : undefined
}

/** The possible days and the time of a date in digits or with the name of a month; undefined for other texts. */
function parse(text: string) {
  for (const form of FORMS) {
    const groups: Groups | undefined = form.exec(text)?.groups
    if (groups) return { days: daysOf(groups), clock: clockOf(groups), groups }
  }
  return undefined
}

function readLiteral(text: string): Moment | undefined {
  const { days = [], clock, groups = {} } = parse(text.replace(COMPACT, '$1T$2')) ?? {}
  if (days.length !== 1 || clock === undefined) return undefined
  if (clock === '') return { wall: `${days[0]} 00:00:00`, hasTime: false }
  const wall = `${days[0]} ${clock}`
  const { offset, sign = '+', oh, om, ph, pm } = groups
  if (offset === undefined) return { wall, hasTime: true }
  const ahead = Number(`${sign}1`) * (Number(oh ?? ph ?? 0) * 60 + Number(om ?? pm ?? 0)) * 60_000
  const instant = Date.parse(`${wall.replace(' ', 'T')}Z`) - ahead
  return isInCalendar(instant) ? { wall, instant, hasTime: true } : undefined
}

function atInstant(instant: number, zone: string): Moment | undefined {
  return isInCalendar(instant) ? { wall: toWall(instant, zone), instant, hasTime: true } : undefined
}

function readRelative([, amount, unit]: RegExpExecArray, { now, zone }: Here): Moment | undefined {
  const start = zoned(now, mustFindZone(zone))
  try {
    return atInstant(start.add({ [`${unit!.toLowerCase()}s`]: Number(amount) }).epochMilliseconds, zone)
  } catch {
    return undefined // outside the range of Temporal
  }
}

function readWords({ 1: word, groups }: RegExpExecArray, { now, zone }: Here): Moment | undefined {
  const midnight = startOfDay(addDays(toWall(now, zone), DAYS[word!.toLowerCase()]!))
  const clock = clockOf(groups!)
  if (clock === undefined) return undefined
  return clock === ''
    ? { wall: midnight, hasTime: false }
    : { wall: `${midnight.slice(0, 10)} ${clock}`, hasTime: true }
}

/**
 * Reads a date of a request; returns `undefined` if it is not a date or is ambiguous (D35, R16). Accepts ISO 8601, unix seconds of
 * nine digits or more, dates with the name of a month, and words such as `today` and `+3 days`, relative to `now` (epoch
 * milliseconds) in `zone`. Throws a RangeError for a zone that `readZone` refuses.
 */
export function readMoment(value: string, { now, zone }: Here): Moment | undefined {
  const text = value.trim()
  if (text.length > LONGEST) return undefined
  const here = { now: Math.floor(now / 1000) * 1000, zone }
  const [stamp, at, seconds = at] = STAMP.exec(text) ?? []
  if (stamp) return atInstant(Number(seconds) * 1000 + 0, 'UTC') // + 0: no negative zero
  if (/^now$/i.test(text)) return atInstant(here.now, zone)
  const words = WORDS.exec(text)
  if (words) return readWords(words, { now, zone })
  const distance = RELATIVE.exec(text)
  return distance ? readRelative(distance, here) : readLiteral(text)
}

/** Whether the meaning of a text depends on the current time, as of `today` and `+3 days`. */
export const isRelative = (value: string) =>
  /^now$/i.test(value.trim()) || WORDS.test(value.trim()) || RELATIVE.test(value.trim())

/** What is said of a text that has no form of a date. */
export const NO_DATE =
  'must be a date such as 2027-05-14 18:00:00 or 2027-05-14T18:00:00+02:00, unix seconds, today, tomorrow, yesterday, now or +3 days.'

/** Why a text is not a date, and what to send instead; for error messages. */
export function describeMoment(value: string): string {
  const text = value.trim().slice(0, LONGEST)
  const { days = [] } = parse(text) ?? {}
  if (days.length === 2) return `is ambiguous; write ${days.join(' or ')}.`
  if (/^[+-]?\d{13}$/.test(text)) return 'must be in seconds; it looks like milliseconds.'
  if (/^[+-]?\d{1,8}$/.test(text))
    return 'must have at least nine digits as unix seconds, or be a full date such as 2027-05-14.'
  return NO_DATE
}

/** The local time of a moment in a zone: an instant is converted (D4), a local time is settled (D16). Throws like `toEpoch`. */
export function inZone({ wall, instant }: Moment, zone: string): Wall {
  return instant === undefined ? normalize(wall, zone) : toWall(instant, zone)
}
