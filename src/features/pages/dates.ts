import { LRUCache } from 'lru-cache'
import { daysOf } from '../../calendar/days.ts'
import type { EventRecord, OwnEvent, SeriesRecord } from '../../calendar/formats/records.ts'
import { localeOf } from '../../calendar/formats/texts.ts'
import { recurrenceOf } from '../../calendar/recurrence/recurrence.ts'
import { textOf } from '../../calendar/recurrence/text.ts'
import { hasRuleWords } from '../../calendar/recurrence/words.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { abbreviation, secondsOf, toOffsetDateTime, toUtc } from '../../kernel/time/dates.ts'
import { linkTo, type View } from './page.ts'
import { counted } from './words.ts'

type Options = Intl.DateTimeFormatOptions
type Dated = Pick<OwnEvent, 'start_date' | 'end_date' | 'timezone' | 'all_day' | 'utc_start_date'>

const DAY: Options = { weekday: 'long', day: 'numeric', month: 'long' }
const DATE: Options = { ...DAY, year: 'numeric' }
const TIME: Options = { hour: 'numeric', minute: '2-digit' }
const SHORT: Options = { weekday: 'short', day: 'numeric', month: 'short' }

const formats = new Map<string, Intl.DateTimeFormat>()
/** Local times are formatted as if they were those of UTC, so that no zone changes them. */
function formatOf(language: string, options: Options): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`
  const known =
    formats.get(key) ?? new Intl.DateTimeFormat(localeOf(language), { timeZone: 'UTC', ...options })
  formats.set(key, known)
  return known
}

const at = (wall: string) => secondsOf(wall.length === 10 ? `${wall} 00:00:00` : wall) * 1000

/** A day or local time in words. */
export const inWords = (wall: string, language: string, options: Options): string =>
  formatOf(language, options).format(at(wall))

/** A day as a heading: the year is left out in the current one. */
export const dayInWords = (day: string, { language, now }: Pick<View, 'language' | 'now'>): string =>
  inWords(day, language, day.slice(0, 4) === now.slice(0, 4) ? DAY : DATE)

/** A text that begins with a date, as a title or heading: some languages write days and months small. */
export const asTitle = (text: string, language: string): string =>
  text.charAt(0).toLocaleUpperCase(localeOf(language)) + text.slice(1)

/** A time of day. */
export const timeInWords = (wall: string, language: string): string => inWords(wall, language, TIME)

/** A day in short, as beside an entry of a list. */
export const shortDay = (wall: string, { language, now }: Pick<View, 'language' | 'now'>): string =>
  inWords(
    wall,
    language,
    wall.slice(0, 4) === now.slice(0, 4) ? SHORT : { ...SHORT, weekday: undefined, year: 'numeric' },
  )

/** Whether an event is on more than one day; one that ends in the night does not count. */
export function isLong({ start_date, end_date }: Pick<OwnEvent, 'start_date' | 'end_date'>): boolean {
  const { first, last } = daysOf({ starts: secondsOf(start_date), ends: secondsOf(end_date) })
  return last > first
}

/** A day with its weekday and year. */
export const dateInWords = (wall: string, language: string): string => inWords(wall, language, DATE)

/** When an event is, as one text with all that is known. */
export function whenInWords({ start_date, end_date, all_day }: Dated, language: string): string {
  const format = formatOf(language, all_day ? DATE : { ...DATE, ...TIME })
  return format.formatRange(at(start_date), at(end_date))
}

/** Ranges of hours in words: `Intl` takes longer for one than a page for anything else, and few are used. */
const ranges = new LRUCache<string, string>({ max: 1000 })
function rangeInWords(start: string, end: string, language: string): string {
  const key = `${language} ${start.slice(11, 16)} ${end.slice(11, 16)}`
  const known = ranges.get(key) ?? formatOf(language, TIME).formatRange(at(start), at(end))
  ranges.set(key, known)
  return known
}

/** The times of an event of one day, such as `8:30 – 11:00 PM`. */
export function hoursInWords({ start_date, end_date }: Dated, language: string): string {
  const night = start_date.slice(0, 10) !== end_date.slice(0, 10)
  if (start_date === end_date) return timeInWords(start_date, language)
  return night
    ? `${timeInWords(start_date, language)} – ${timeInWords(end_date, language)}`
    : rangeInWords(start_date, end_date, language)
}

/** The start that an event had before it was moved: the year only if it is another one, the time unless it lasted whole days. */
export function formerInWords(
  { start_date, previous_start_date: former }: Pick<OwnEvent, 'start_date' | 'previous_start_date'>,
  language: string,
): string {
  const day = former.slice(0, 4) === start_date.slice(0, 4) ? DAY : DATE
  return inWords(former, language, former.endsWith(' 00:00:00') ? day : { ...day, ...TIME })
}

/** A zone that is an offset from UTC, with its part of an hour in minutes: `UTC+5.5` is `UTC+5:30`. */
const inMinutes = (zone: string) => zone.replace(/\.(\d+)$/, (part) => `:${Number(`0${part}`) * 60}`)

/** The zone of an event, in words and in short; undefined if its times are also those of the site. */
export function zoneOf(event: Dated, { front, language }: View): { name: string; short: string } | undefined {
  const { timezone, start_date, utc_start_date, all_day } = event
  if (all_day || timezone === front.zone || toUtc(start_date, front.zone) === utc_start_date) return undefined
  const instant = secondsOf(utc_start_date) * 1000
  const short = inMinutes(abbreviation(instant, timezone))
  if (!timezone.includes('/')) return { name: short, short }
  const parts = formatOf(language, { timeZone: timezone, timeZoneName: 'long' }).formatToParts(instant)
  return { name: parts.find(({ type }) => type === 'timeZoneName')!.value, short }
}

/** The start or end of an event for machines: a day, or a time with its offset from UTC. */
export const machineTime = ({ timezone, all_day }: Dated, wall: string): string =>
  all_day ? wall.slice(0, 10) : toOffsetDateTime(wall, timezone)

/** Whether the date of an event does not hold: it is cancelled, or put off to one that is not known. */
export const isOff = ({ event_status }: Pick<OwnEvent, 'event_status'>): boolean =>
  event_status === 'cancelled' || event_status === 'postponed'

/** When an event is, struck out if that does not hold. */
export const struck = (event: Pick<OwnEvent, 'event_status'>, when: Part): Part =>
  isOff(event) ? html`<s>${when}</s>` : when

/** The series of events that stand for several of its dates, by the IDs of the events, with how many more there are. */
export type Repeats = ReadonlyMap<number, { series: SeriesRecord; more: number }>

/** How a series repeats, as a sentence without its end; marked as English where the language has no words for it. */
export function repeatsInWords(record: SeriesRecord, language: string): Markup {
  const { start_date: start, timezone: zone, all_day: allDay } = record
  const text = textOf(recurrenceOf(record.series, { start, zone, allDay }), language)
  const sentence = asTitle(text, language)
  return hasRuleWords(language) ? html`${sentence}` : html`<span lang="en">${sentence}</span>`
}

/** What an entry of a list says of the dates that it stands for. */
export function repeatsLine(view: View, { id }: EventRecord, repeats: Repeats | undefined): Part {
  const own = repeats?.get(id)
  if (!own) return ''
  const { series, more } = own
  return html`<p class="repeats"><span>${repeatsInWords(series, view.language)}</span> · <a href="${linkTo(view, series)}">${counted(view.words.more_dates, more, view.language)}</a></p>`
}

/** The dates of a series on the page of one of them: the next ones, and how many more there are. */
export type Dates = { series: SeriesRecord; next: EventRecord[]; more: number }

/** Dates of a series as links. What differs from the others is said: the time of day, and whether it takes place. */
const dateLink = (view: View, event: EventRecord, time: string): Markup =>
  html`<a href="${linkTo(view, event)}">${struck(event, [shortDay(event.start_date, view), !event.all_day && event.start_date.slice(11) !== time && ` · ${timeInWords(event.start_date, view.language)}`])}</a>${event.event_status !== 'scheduled' && html` <span class="note ${event.event_status}">${view.words[event.event_status]}</span>`}`

/** How often an event repeats, with its next dates and the way to all of them. */
export function datesOf(view: View, event: EventRecord, { series, next, more }: Dates): Markup {
  const { words, language } = view
  const time = event.start_date.slice(11)
  return html`<p>${repeatsInWords(series, language)}</p>
${next.length > 0 && html`<ul class="dates">${next.map((one) => html`<li>${dateLink(view, one, time)}</li>`)}</ul>`}
<p><a href="${linkTo(view, series)}">${more > 0 ? counted(words.more_dates, more, language) : words.all_dates}</a></p>`
}
