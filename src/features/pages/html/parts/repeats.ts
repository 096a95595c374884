import type { EventRecord, SeriesRecord } from '../../../../calendar/formats/records.ts'
import { recurrenceOf } from '../../../../calendar/recurrence/recurrence.ts'
import { textOf } from '../../../../calendar/recurrence/text.ts'
import { hasRuleWords } from '../../../../calendar/recurrence/words/words.ts'
import { html, type Markup, type Part } from '../../../../kernel/text/markup.ts'
import { counted } from '../../words.ts'
import { linkTo, type View } from '../view.ts'
import { asTitle, shortDay, timeInWords } from './dates.ts'

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
export const dateLink = (view: View, event: EventRecord, time: string): Markup =>
  html`<a href="${linkTo(view, event)}">${shortDay(event.start_date, view)}${!event.all_day && event.start_date.slice(11) !== time && ` · ${timeInWords(event.start_date, view.language)}`}</a>${event.event_status !== 'scheduled' && html` <span class="note ${event.event_status}">${view.words[event.event_status]}</span>`}`

/** How often an event repeats, with its next dates and the way to all of them. */
export function datesOf(view: View, event: EventRecord, { series, next, more }: Dates): Markup {
  const { words, language } = view
  const time = event.start_date.slice(11)
  return html`<p>${repeatsInWords(series, language)}</p>
${next.length > 0 && html`<ul class="dates">${next.map((one) => html`<li>${dateLink(view, one, time)}</li>`)}</ul>`}
<p><a href="${linkTo(view, series)}">${more > 0 ? counted(words.more_dates, more, language) : words.all_dates}</a></p>`
}
