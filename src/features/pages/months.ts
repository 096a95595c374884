import type { FastifyRequest } from 'fastify'
import { dayAt, later, numberOf, readDay, readMonth } from '../../calendar/days.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { localeOf } from '../../calendar/formats/texts.ts'
import { queryOf } from '../../calendar/formats/urls.ts'
import {
  type Cell,
  firstWeekday,
  gridOf,
  type Month,
  type Piece,
  placeDay,
  placeMonth,
} from '../../calendar/month-grid.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { ApiError } from '../../kernel/errors.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { chosenChips, feedFilters, pageLink, pathsWith } from './chips.ts'
import { asTitle, dateInWords, dayInWords, inWords, shortDay, struck, timeInWords } from './dates.ts'
import { cards, eventItem, notesOf, placeInWords, titleLink } from './event-items.ts'
import {
  type Address,
  type Found,
  LISTED,
  type Names,
  openEventQueries,
  pagesOf,
  textIn,
} from './event-queries.ts'
import {
  type Choices,
  type Corrected,
  correctedNote,
  type Filters,
  filterForm,
  openChoices,
} from './filters.ts'
import { described, graphOf, type Head, hiddenFields, layout } from './layout.ts'
import { paging } from './lists.ts'
import { addPage, apart, openPublished, pathOf, pathsIn, type View } from './page.ts'
import { counted } from './words.ts'

/** A month with its events. */
export type MonthEvents = {
  /** `YYYY-MM`. */
  month: string
  /** The first weekday, from 1 (Monday) to 7. */
  weekday: number
  placed: Month
  /** The events that are shown, by ID. */
  events: ReadonlyMap<number, EventRecord>
  corrected?: Corrected | undefined
  /** The days with events before and after an empty month. */
  around: { before?: string | undefined; after?: string | undefined }
}

/** Where the links of a month lead, with its filters. */
export type MonthLinks = {
  month(month: string): string
  day(day: string): string
  present: string
  /** What the form that chooses a month sends along. */
  form: { action: string; filters: Record<string, string | undefined> }
  /** Whether links to months stay in a frame, which others leave. */
  stay?: boolean
}

const MONTH = { month: 'long', year: 'numeric' } as const

const stays = ({ stay }: MonthLinks) => stay && html` target="_self"`

/** A month in words. */
const monthInWords = (month: string, language: string): string => inWords(`${month}-01`, language, MONTH)

/** A month as a title. */
export const monthTitle = (month: string, language: string): string =>
  asTitle(monthInWords(month, language), language)

const weekdays = ({ language }: View, weekday: number) =>
  Array.from({ length: 7 }, (_, at) => {
    const day = dayAt(weekday + 3 + at) // 1970-01-05 is a Monday
    const name = (length: 'long' | 'short') => inWords(day, language, { weekday: length })
    return html`<th scope="col" role="columnheader"><span aria-hidden="true">${name('short')}</span><span class="unseen">${name('long')}</span></th>`
  })

/** An event of one day in its cell. */
function line(view: View, event: EventRecord): Markup {
  const place = placeInWords(event, view)
  const time = event.all_day ? view.words.all_day : timeInWords(event.start_date, view.language)
  return html`<li><span class="time">${struck(event, time)}</span> ${titleLink(view, event)}${notesOf(event, view)}${place && html`<span class="place"${apart(view, place)}>${place}</span>`}</li>`
}

const offOf = ({ event_status }: EventRecord) => event_status === 'cancelled' && ' off'

/** A month with the day from which on its list is shown, if a part of it is over. */
type Drawn = MonthEvents & { left: string | undefined }

/** Today, if the month goes on and has events from now on: on narrow screens its list begins there. */
function firstLeft({ now }: View, { month, placed }: MonthEvents): string | undefined {
  const today = now.slice(0, 10)
  const isLeft = ({ day, total }: Cell) => day >= today && day.startsWith(month) && total > 0
  return today.startsWith(month) && placed.weeks.some((week) => week.some(isLeft)) ? today : undefined
}

/** The part of an event of several days in one cell: it is named where it begins in a week, and goes on in the next cells. In a list of the month it stands once. How long it goes on is said at both. */
function piece(view: View, { month, left }: Drawn, day: string, one: Piece, event: EventRecord): Markup {
  const { words } = view
  const { days, before, after } = one
  const isOnce = (days > 0 && !before) || day === `${month}-01` || day === left
  const until =
    (days > 0 || isOnce) &&
    html`<span class="until">${struck(event, fill(words.until, { date: shortDay(event.end_date, view) }))}</span>`
  const more = html`${isOnce && ' once'}${offOf(event)}`
  return days > 0
    ? html`<li class="band span-${days}${before && ' before'}${after && ' after'}${more}">${titleLink(view, event)}${notesOf(event, view)}${until}</li>`
    : html`<li class="held${more}">${titleLink(view, event)}${until}</li>`
}

/** A day of the month that is shown. */
const nameOf = (day: string, language: string) =>
  inWords(day, language, { weekday: 'long', day: 'numeric', month: 'long' })

function dateOf(view: View, { day, total }: Cell, href: string): Markup {
  const { language, words } = view
  const isToday = day === view.now.slice(0, 10)
  const count = total > 0 && `, ${counted(words.count, total, language)}`
  const name = `${isToday ? `${words.today}, ` : ''}${nameOf(day, language)}`
  const text = html`<span class="unseen">${name}${count}</span><span aria-hidden="true">${inWords(day, language, { day: 'numeric' })}</span>`
  const mark = isToday && html` aria-current="date"`
  return total > 0
    ? html`<a class="date some-${Math.min(total, 4)}" id="${day}" href="${href}"${mark}>${text}</a>`
    : html`<span class="date" id="${day}"${mark}>${text}</span>`
}

function cellOf(view: View, shown: Drawn, links: MonthLinks, cell: Cell): Markup {
  const { language, words } = view
  const { month, events, left = '' } = shown
  const { day, lanes, ids, total, rest } = cell
  if (day === '') return html`<td class="other" role="cell"></td>`
  const href = links.day(day)
  const more = html`<p class="more"><a href="${href}">${counted(words.more_there, rest, language)}<span class="unseen">, ${inWords(day, language, { day: 'numeric', month: 'long' })}</span></a></p>`
  const list = html`<div class="on"><p class="name"><a href="${href}">${nameOf(day, language)}</a></p>
<ul>${lanes.map((one) => (one ? piece(view, shown, day, one, events.get(one.id)!) : html`<li class="gap"></li>`))}${ids.map((id) => line(view, events.get(id)!))}</ul>${rest > 0 && more}</div>`
  return html`<td class="${day.startsWith(month) ? 'own' : 'other'}${day < left && ' past'}" role="cell">${dateOf(view, cell, href)}${total > 0 && list}</td>
`
}

/** A month as a table. On narrow screens it is a small grid with the events of its days below. */
export function monthTable(view: View, shown: MonthEvents, links: MonthLinks): Markup {
  const { month, weekday, placed } = shown
  const drawn = { ...shown, left: firstLeft(view, shown) }
  return html`<table class="grid${drawn.left && ' begun'}" role="table" data-month="${month}"><caption class="unseen">${monthInWords(month, view.language)}</caption>
<thead role="rowgroup"><tr role="row">${weekdays(view, weekday)}</tr></thead>
<tbody role="rowgroup">${placed.weeks.map((week) => html`<tr role="row">${week.map((cell) => cellOf(view, drawn, links, cell))}</tr>`)}</tbody></table>`
}

/** Links to the month before and after, and to the present one. Robots do not follow those of an empty month. */
export function monthTurns(view: View, { month, placed: { total } }: MonthEvents, links: MonthLinks): Markup {
  const { words, language, now } = view
  const turn = (rel: 'prev' | 'next', by: number, text: (name: string) => Markup) => {
    const other = later(month, by)
    if (other === undefined) return ''
    const name = inWords(`${other}-01`, language, { month: 'long' })
    return html`<a class="${rel}" rel="${rel}${total === 0 && ' nofollow'}" href="${links.month(other)}"${stays(links)}><span class="unseen">${monthInWords(other, language)}</span>${text(name)}</a>`
  }
  return html`<nav class="turn" aria-label="${words.months}">${turn('prev', -1, (name) => html`<span aria-hidden="true">‹ ${name}</span>`)}
${month !== now.slice(0, 7) && html`<a class="present" href="${links.present}"${stays(links)}>${words.this_month}</a>`}
${turn('next', 1, (name) => html`<span aria-hidden="true">${name} ›</span>`)}</nav>`
}

/** A form that goes to any month. */
function monthForm({ words, language }: View, { month }: MonthEvents, { form }: MonthLinks): Markup {
  const two = (number: number) => String(number).padStart(2, '0')
  const months = Array.from({ length: 12 }, (_, at) => two(at + 1))
  return html`<form class="jump" action="${form.action}">
<label class="unseen" for="jump-month">${words.month}</label>
<select id="jump-month" name="month">${months.map((one) => html`<option value="${one}"${one === month.slice(5) && html` selected`}>${inWords(`2000-${one}-01`, language, { month: 'long' })}</option>`)}</select>
<label class="unseen" for="jump-year">${words.year}</label>
<input id="jump-year" name="year" type="number" min="1" max="9999" required value="${Number(month.slice(0, 4))}">
${hiddenFields(form.filters)}
<button>${words.go}</button></form>`
}

/** That a month is empty, with links to the nearest months that are not; nothing otherwise. */
export function emptyMonth(
  view: View,
  { month, placed: { total }, around }: MonthEvents,
  links: MonthLinks,
): Part {
  const { words, language } = view
  const link = (day: string | undefined, text: string) =>
    day !== undefined &&
    html`<li><a href="${links.month(day.slice(0, 7))}"${stays(links)}>${fill(text, { date: monthInWords(day.slice(0, 7), language) })}</a></li>`
  return (
    total === 0 &&
    html`<div class="nothing"><p>${fill(words.none_in, { month: monthInWords(month, language) })}</p><ul>${link(around.after, words.next_on)}${link(around.before, words.last_on)}</ul></div>`
  )
}

/** The events that last through all of a month. */
export function throughMonth(
  view: View,
  { month, placed: { through }, events }: MonthEvents,
  links: MonthLinks,
): Part {
  const { words, language } = view
  const found = through.flatMap((id) => events.get(id) ?? [])
  const left = through.length - found.length
  return (
    found.length > 0 &&
    html`<section class="running" aria-labelledby="through"><h2 id="through">${fill(words.through, { month: monthInWords(month, language) })}</h2>${cards(view, found)}${left > 0 && html`<p class="other"><a href="${links.day(`${month}-01`)}">${counted(words.more_there, left, language)}</a></p>`}</section>`
  )
}

/** The events that a month is described by: the first ones from now on, or else all. */
function nextOf({ now }: View, { events }: MonthEvents): EventRecord[] {
  const all = [...events.values()].sort((a, b) => (a.start_date < b.start_date ? -1 : 1))
  const coming = all.filter(({ end_date }) => end_date > now)
  return coming.length > 0 ? coming : all
}

/** The page of a month. */
function monthPage(
  view: View,
  head: Head,
  shown: MonthEvents,
  links: MonthLinks,
  { filters, found, choices }: Pick<Day, 'filters' | 'found' | 'choices'>,
): Markup {
  const path = pathOf(view, `/events/month/${shown.month}/`)
  const list = pathOf(view, '/events/') + queryOf(filters)
  return layout(
    view,
    {
      ...head,
      ...described(view, monthTitle(shown.month, view.language), nextOf(view, shown), shown.placed.total),
      current: 'month',
      sheet: 'month',
      search: { action: path, filters },
    },
    html`<div class="frame">
<div class="head calendar"><h1>${monthTitle(shown.month, view.language)}</h1>${monthTurns(view, shown, links)}</div>
${filterForm(view, choices, { filters, found }, path)}
${chosenChips(view, { filters }, found, pageLink(path))}
${correctedNote(view, shown.corrected)}
${emptyMonth(view, shown, links)}
${monthTable(view, shown, links)}
${throughMonth(view, shown, links)}
<div class="ends">${monthForm(view, shown, links)}<p><a href="${list}">${view.words.as_list}</a></p></div>
</div>`,
  )
}

/** A day with a page of its events: those that begin on it, and those that began before. */
export type Day = {
  /** `YYYY-MM-DD`. */
  day: string
  starting: EventRecord[]
  running: EventRecord[]
  total: number
  page: number
  pages: number
  /** The days with events before and after an empty day. */
  around: { before?: string | undefined; after?: string | undefined }
  filters: Filters
  found: Found
  corrected?: Corrected | undefined
  choices: Choices
}

function turns(view: View, { day, total, filters }: Day): Markup {
  const { words, language } = view
  const query = queryOf(filters)
  const turn = (rel: 'prev' | 'next', by: number, before: string, after: string) => {
    const other = later(day, by)
    return (
      other !== undefined &&
      html`<a class="${rel}" rel="${rel}${total === 0 && ' nofollow'}" href="${pathOf(view, `/events/day/${other}/`)}${query}"><span aria-hidden="true">${before}</span>${shortDay(other, view)}<span aria-hidden="true">${after}</span></a>`
    )
  }
  const month = day.slice(0, 7)
  return html`<nav class="turn" aria-label="${words.other_days}">${turn('prev', -1, '‹ ', '')}
<a class="present" href="${pathOf(view, `/events/month/${month}/`)}${query}">${inWords(`${month}-01`, language, { month: 'short', year: 'numeric' })}</a>
${turn('next', 1, '', ' ›')}</nav>`
}

function nothing(view: View, { around, filters }: Day): Part {
  const { words } = view
  const link = (day: string | undefined, text: string) =>
    day !== undefined &&
    html`<li><a href="${pathOf(view, `/events/day/${day}/`)}${queryOf(filters)}">${fill(text, { date: shortDay(day, view) })}</a></li>`
  return html`<div class="nothing"><p>${words.none_on}</p><ul>${link(around.after, words.next_on)}${link(around.before, words.last_on)}</ul></div>`
}

/** The page of a day. */
function dayPage(view: View, head: Head, shown: Day): Markup {
  const { words, language, now } = view
  const { day, starting, running, total, page, pages, filters, found, choices } = shown
  const path = pathOf(view, `/events/day/${day}/`)
  const title = asTitle(dayInWords(day, view), language)
  return layout(
    view,
    {
      ...head,
      ...described(view, title, [...starting, ...running], total),
      list: graphOf(view, [...starting, ...running]),
      current: 'month',
      sheet: 'month',
      search: { action: path, filters },
    },
    html`<div class="frame">
<div class="head calendar"><h1>${day === now.slice(0, 10) && html`<span class="near">${words.today}</span> `}<time datetime="${day}">${title}</time></h1>${turns(view, shown)}</div>
${filterForm(view, choices, { filters, found }, path)}
${chosenChips(view, { filters }, found, pageLink(path))}
${correctedNote(view, shown.corrected)}
${total === 0 ? nothing(view, shown) : html`<p class="total">${counted(words.count, total, language)}${pages > 1 && html` · ${fill(words.page_of, { page, pages })}`}</p>`}
${starting.length > 0 && html`<h2 class="unseen">${words.events}</h2><ul class="entries">${starting.map((event) => eventItem(view, event))}</ul>`}
${running.length > 0 && html`<section class="running" aria-labelledby="running"><h2 id="running">${words.still_on}</h2>${cards(view, running)}</section>`}
${paging(view, path, { page, pages, filters })}
</div>`,
  )
}

/** What a day of a month shows, and in a month with more events than the number given. */
const ROOM = { lanes: 3, lines: 5 }
const CROWDED = 90
const LITTLE_ROOM = { lanes: 2, lines: 3 }
/** How many of the events are shown that last through a month. */
const MOST_THROUGH = 6
/** Events on a page of a day. */
const PER_PAGE = 60

/** Reads months for pages. */
export function openMonths(service: Service) {
  const queries = openEventQueries(service)
  const publishedIn = openPublished(service)
  return async (view: View, request: FastifyRequest, month: string, names?: Names) => {
    const weekday = firstWeekday(localeOf(view.language))
    const grid = gridOf(month, weekday)
    const { spans, around, corrected, ...address } = await queries.spans(view, request, grid, names)
    const placed = placeMonth(grid, spans, spans.length > CROWDED ? LITTLE_ROOM : ROOM)
    const cells = placed.weeks.flat()
    const pieces = cells.flatMap(({ lanes }) => lanes.flatMap((piece) => piece?.id ?? []))
    const ids = [...pieces, ...cells.flatMap(({ ids }) => ids), ...placed.through.slice(0, MOST_THROUGH)]
    const events = new Map((await publishedIn(view, [...new Set(ids)])).map((event) => [event.id, event]))
    const shown: MonthEvents = {
      month,
      weekday,
      placed,
      events,
      corrected,
      around: placed.total === 0 ? await around(grid.own, grid.ownLast) : {},
    }
    return { ...address, shown }
  }
}

/** The month of an address, or that of the form that chooses one. Throws 404 for a text that is none. */
export function monthIn(text: string): string {
  const month = readMonth(text)
  if (month === undefined)
    throw new ApiError('event-archive-page-not-found', `There is no month "${text}".`, { month: text })
  return month
}

/** What the head of a page of days says. */
function headOf(
  view: View,
  page: string,
  title: string,
  { filters, found, inLanguage, page: number }: Address,
  total: number,
) {
  const { q, search, ...known } = filters
  return {
    title,
    canonical: pathOf(view, page) + queryOf({ ...known, page: number === 1 ? undefined : number }),
    translations: pathsWith(pathsIn(view.front, page), inLanguage),
    feeds: feedFilters(filters, found),
    hidden: total === 0 || Object.values(filters).some((value) => value !== undefined),
  }
}

/** `/events/month/` goes to the present month or to a chosen one; `/events/month/2026-11/` shows it. */
export const monthPages = family('pages of months', async (app, service) => {
  const readMonthOf = openMonths(service)
  const choicesIn = openChoices(service)

  addPage(app, service, '/events/month', 'list', ['month', 'year', ...LISTED], async (view, request) => {
    const { month, year, ...rest } = request.given
    const chosen = textIn(request, 'month')
    const of = textIn(request, 'year') ?? view.now.slice(0, 4)
    const text =
      chosen === undefined ? view.now.slice(0, 7) : `${of.padStart(4, '0')}-${chosen.padStart(2, '0')}`
    const filters = Object.fromEntries(Object.keys(rest).map((name) => [name, textIn(request, name)]))
    return { location: pathOf(view, `/events/month/${monthIn(text)}/`) + queryOf(filters) }
  })

  addPage(app, service, '/events/month/:month', 'list', LISTED, async (view, request) => {
    const month = monthIn((request.params as { month: string }).month)
    const { shown, ...address } = await readMonthOf(view, request, month)
    const { filters, found } = address
    const query = queryOf(filters)
    const links: MonthLinks = {
      month: (month) => pathOf(view, `/events/month/${month}/`) + query,
      day: (day) => pathOf(view, `/events/day/${day}/`) + query,
      present: pathOf(view, '/events/month/') + query,
      form: { action: pathOf(view, '/events/month/'), filters },
    }
    const page = `/events/month/${month}/`
    const title = monthTitle(month, view.language)
    const head = headOf(view, page, title, { ...address, page: 1 }, shown.placed.total)
    return monthPage(view, head, shown, links, { filters, found, choices: await choicesIn(view.language) })
  })
})

/** `/events/day/2026-11-22/`. */
export const dayPages = family('pages of days', async (app, service) => {
  const queries = openEventQueries(service)
  const publishedIn = openPublished(service)
  const choicesIn = openChoices(service)

  addPage(app, service, '/events/day/:day', 'list', LISTED, async (view, request) => {
    const { day: text } = request.params as { day: string }
    const day = readDay(text)
    if (day === undefined)
      throw new ApiError('event-archive-page-not-found', `There is no day "${text}".`, { day: text })
    const number = numberOf(day)
    const on = { first: number, last: number }
    const { spans, around, corrected, ...address } = await queries.spans(view, request, on)
    const { page, filters, found } = address
    const { starting, running } = placeDay(number, spans)
    const total = starting.length + running.length
    const pages = pagesOf(total, PER_PAGE, page)
    const ids = [...starting, ...running].slice((page - 1) * PER_PAGE, page * PER_PAGE)
    const events = await publishedIn(view, ids)
    const begin = new Set(starting)
    const head = headOf(view, `/events/day/${day}/`, dateInWords(day, view.language), address, total)
    return dayPage(view, head, {
      day,
      total,
      page,
      pages,
      filters,
      found,
      corrected,
      starting: events.filter(({ id }) => begin.has(id)),
      running: events.filter(({ id }) => !begin.has(id)),
      around: total === 0 ? await around(number, number) : {},
      choices: await choicesIn(view.language),
    })
  })
})
