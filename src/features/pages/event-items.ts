import { isFree } from '../../calendar/cost.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import {
  dayInWords,
  inWords,
  isLong,
  machineTime,
  type Repeats,
  repeatsLine,
  shortDay,
  struck,
  timeInWords,
  zoneOf,
} from './dates.ts'
import { apart, linkTo, linkToTerm, type View } from './page.ts'
import { picture } from './pictures.ts'
import { summaryOf, withSymbols } from './prose.ts'

/** Characters of a description below a title. */
const TEASER = 110
/** A small picture is up to 176 pixels wide, each of up to three dots. */
const THUMB = { enough: 528 }

/** The day on which an event starts. */
const dayOf = ({ start_date }: Pick<EventRecord, 'start_date'>): string => start_date.slice(0, 10)

/** The title of an event as a link to its page. */
export const titleLink = (view: View, event: EventRecord): Markup =>
  html`<a href="${linkTo(view, event)}"${apart(view, event.title, event.language)}${event.language !== view.language && html` hreflang="${event.language}"`}>${event.title}</a>`

/** Where an event is in one line: venues with their cities, or online. */
export function placeInWords(
  { venues, attendance_mode, event_status }: EventRecord,
  { words }: View,
): string {
  if (event_status === 'moved_online') return words.online
  const places = venues.map(({ title, city }) =>
    city && !title.includes(city) ? `${title}, ${city}` : title,
  )
  if (attendance_mode === 'online' && places.length === 0) places.push(words.online)
  if (attendance_mode === 'mixed') places.push(words.online_too)
  return places.join(' · ')
}

type Priced = Pick<EventRecord, 'cost'>

/** The price in the language of the page, as text. */
export const priceInWords = ({ cost: { cost } }: Priced, { words, language }: View): string =>
  withSymbols(cost.replace(/^Free\b/, words.free), language)

/** The same on a page, where nothing to pay is marked. */
export function priceOf(event: Priced, view: View): Part {
  const text = priceInWords(event, view)
  return (
    text && html`<span${isFree([event.cost.cost]) && html` class="free"`}${apart(view, text)}>${text}</span>`
  )
}

/** The short notes on an event beside its title in a list: whether it takes place, and whether it is protected. */
export const notesOf = ({ event_status, closed }: EventRecord, { words }: View): Part => [
  event_status !== 'scheduled' && html` <span class="note ${event_status}">${words[event_status]}</span>`,
  closed && html` <span class="note">${words.protected}</span>`,
]

function timeOf(event: EventRecord, view: View): Markup {
  const { words, language } = view
  const time = event.all_day ? words.all_day : timeInWords(event.start_date, language)
  return html`<time datetime="${machineTime(event, event.start_date)}">${time}</time>`
}

/** One event in a list below its day. */
export function eventItem(view: View, event: EventRecord, repeats?: Repeats): Markup {
  const { words } = view
  const place = placeInWords(event, view)
  const price = priceOf(event, view)
  const until = isLong(event) ? fill(words.until, { date: shortDay(event.end_date, view) }) : ''
  const zone = zoneOf(event, view)
  const [category] = event.categories
  const facts = [
    place && html`<span${apart(view, place)}>${place}</span>`,
    price,
    category && html`<a class="term" href="${linkToTerm(view, category)}">${category.name}</a>`,
  ].filter(Boolean)
  const teaser = summaryOf(event.excerpt || event.description, TEASER)
  return html`<li class="entry" data-event="${event.id}">
<p class="time">${struck(event, timeOf(event, view))}${zone && html` <abbr title="${zone.name}">${zone.short}</abbr>`}${until && html` <span>${struck(event, until)}</span>`}</p>
<div class="body"><h3>${titleLink(view, event)}${notesOf(event, view)}</h3>${teaser && html`<p class="teaser">${teaser}</p>`}${facts.length > 0 && html`<p class="facts">${facts}</p>`}${repeatsLine(view, event, repeats)}</div>
${event.image && html`<div class="thumb">${picture(view, event.image, '(min-width: 60rem) 11rem, 6rem', THUMB)}</div>`}
</li>`
}

/** The day after a day. */
const next = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** A day as a heading with a large number; "today" and "tomorrow" are said. */
function dayHeading(view: View, day: string): Markup {
  const { language, words, now } = view
  const today = now.slice(0, 10)
  const near = day === today ? words.today : day === next(today) ? words.tomorrow : ''
  const year = day.slice(0, 4) === today.slice(0, 4) ? '' : ` ${inWords(day, language, { year: 'numeric' })}`
  return html`<h2><time datetime="${day}"><span class="unseen">${near && `${near}, `}${dayInWords(day, view)}</span><span class="date" aria-hidden="true"><span class="number">${inWords(day, language, { day: 'numeric' })}</span> <span class="weekday">${inWords(day, language, { weekday: 'long' })}</span> <span class="month">${inWords(day, language, { month: 'long' })}${year}</span>${near && html` <span class="near">${near}</span>`}</span></time></h2>`
}

/** Events below the days on which they start, in the order given. */
export function daysOf(view: View, events: EventRecord[], repeats?: Repeats): Markup {
  const days = new Map<string, EventRecord[]>()
  for (const event of events) days.set(dayOf(event), [...(days.get(dayOf(event)) ?? []), event])
  return html`<div class="days">${[...days].map(
    ([day, events]) => html`<section class="day">${dayHeading(view, day)}
<ul class="entries">${events.map((event) => eventItem(view, event, repeats))}</ul></section>`,
  )}</div>`
}

/** The date of an event on its own: of one that is running its end. */
function dateOf(view: View, event: EventRecord): Markup {
  const { start_date, end_date } = event
  if (start_date < view.now && isLong(event))
    return html`<time datetime="${machineTime(event, end_date)}">${fill(view.words.until, { date: shortDay(end_date, view) })}</time>`
  const hour = event.all_day ? '' : ` · ${timeInWords(start_date, view.language)}`
  return html`<time datetime="${machineTime(event, start_date)}">${shortDay(start_date, view)}${hour}</time>`
}

/** What stands below or beside a picture. */
const caption = (
  view: View,
  event: EventRecord,
  repeats?: Repeats,
): Markup => html`<p class="time">${struck(event, dateOf(view, event))}</p>
<h3>${titleLink(view, event)}${notesOf(event, view)}</h3>
<p class="facts"><span${apart(view, placeInWords(event, view))}>${placeInWords(event, view)}</span></p>${repeatsLine(view, event, repeats)}`

/** The day of an event in large, where there is no picture of it. */
const largeDay = (event: EventRecord, { language }: View): Markup =>
  html`<div class="cover plain" aria-hidden="true"><span class="number">${struck(event, inWords(dayOf(event), language, { day: 'numeric' }))}</span> ${inWords(dayOf(event), language, { month: 'long' })}</div>`

/** Events side by side, with their pictures in large. They stand at the top of a page, and are loaded at once. */
export const cards = (view: View, events: EventRecord[], repeats?: Repeats): Markup =>
  html`<ul class="cards">${events.map(
    (event) => html`<li class="card" data-event="${event.id}">
${event.image ? html`<div class="cover">${picture(view, event.image, '(min-width: 60rem) 35rem, 90vw', { early: true })}</div>` : largeDay(event, view)}
${caption(view, event, repeats)}
</li>`,
  )}</ul>`

/** Events side by side in short, with small pictures where there are some. */
export const briefs = (view: View, events: EventRecord[], repeats: Repeats): Markup =>
  html`<ul class="briefs">${events.map(
    (event) => html`<li class="card" data-event="${event.id}">
${event.image && html`<div class="thumb">${picture(view, event.image, '6rem', THUMB)}</div>`}
<div>${caption(view, event, repeats)}</div>
</li>`,
  )}</ul>`
