import type { Pattern, RecurrenceId } from './rule.ts'

/** What is wrong with a part of a recurrence, such as `rrule.FREQ` or `rdate[2]`, and what would be right. */
export type Refusal = { part: string; message: string }

/** A date as written, of which `instant` is in UTC or has an offset from it, in epoch milliseconds. */
export type Written = { date: string; time?: string; instant?: number }

const FORM = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d):?(\d\d)(Z|[+-]\d\d:?\d\d)?)?$/i

/** Reads `2027-05-14`, `2027-05-14 18:00:00` and the forms of iCalendar, `20270514`, `20270514T180000`, `20270514T160000Z`. */
export function readDate(text: string): Written | undefined {
  const [all, year, month, day, hour, minute, second, offset] = FORM.exec(text.trim()) ?? []
  if (all === undefined || year === '0000') return undefined
  const date = `${year}-${month}-${day}`
  const time = hour === undefined ? undefined : `${hour}:${minute}:${second}`
  const at = Date.parse(`${date}T${time ?? '00:00:00'}Z`)
  // Date takes 30 February for a day in March, and 24:00:00 for the next day
  if (Number.isNaN(at) || new Date(at).getUTCDate() !== Number(day)) return undefined
  if (time === undefined || offset === undefined) return { date, time }
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)/.exec(offset) ?? []
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return { date, time, instant: at - ahead }
}

/** The local time of an instant in a zone. */
export type ToWall = (epochMs: number, zone: string) => string

function readOne(
  text: string,
  { allDay, zone, start }: Pattern,
  toWall: ToWall,
): RecurrenceId | { message: string } {
  const written = readDate(text)
  if (!written)
    return {
      message: allDay
        ? 'must be a date such as 2027-05-14.'
        : `must be a local time such as 2027-05-14 ${start.slice(11)}.`,
    }
  const { date, time, instant } = written
  if (allDay)
    return time === undefined || (time === '00:00:00' && instant === undefined)
      ? date
      : { message: `must be a date without a time, as the event is all-day: ${date}.` }
  if (time === undefined)
    return { message: `must have a time, as the event has one: ${date} ${start.slice(11)}.` }
  if (instant !== undefined)
    return { message: `must be local time of ${zone}, without a zone of its own: ${toWall(instant, zone)}.` }
  return `${date} ${time}`
}

/** Reads a list of RDATE or EXDATE: sorted, without doubles. Adds to `refusals`, under `part[2]`. */
export function readDates(
  part: string,
  texts: readonly string[],
  pattern: Pattern,
  { toWall, bound, refusals }: { toWall: ToWall; bound: number; refusals: Refusal[] },
): RecurrenceId[] {
  if (texts.length > bound) {
    refusals.push({ part, message: `must have at most ${bound} dates; it has ${texts.length}.` })
    return []
  }
  const ids = new Set<RecurrenceId>()
  texts.forEach((text, at) => {
    const read = readOne(text, pattern, toWall)
    if (typeof read === 'string') ids.add(read)
    else refusals.push({ part: `${part}[${at}]`, message: read.message })
  })
  return [...ids].sort()
}
