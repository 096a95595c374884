import type { FastifyRequest } from 'fastify'
import { localeOf } from '../../../calendar/formats/texts.ts'
import { pathIn, queryOf } from '../../../calendar/formats/urls.ts'
import {
  firstWeekday,
  gridOf,
  numberOf,
  placeDay,
  placeMonth,
  readDay,
  readMonth,
} from '../../../calendar/month-grid.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { dateInWords } from '../html/dates.ts'
import type { Filters } from '../html/filters.ts'
import { dayPage, monthPage, monthTitle, type Shown, type Ways } from '../html/month.ts'
import { pathOf, type View } from '../html/view.ts'
import { openChoices } from './lists.ts'
import { addPage } from './page.ts'
import { LISTED, type Names, openSelections, textIn } from './selection.ts'

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
  const selections = openSelections(service)
  return async (view: View, request: FastifyRequest, month: string, names?: Names) => {
    const weekday = firstWeekday(localeOf(view.language))
    const grid = gridOf(month, weekday)
    const { filters, spans, around, corrected } = await selections.spans(view, request, grid, names)
    const placed = placeMonth(grid, spans, spans.length > CROWDED ? LITTLE_ROOM : ROOM)
    const cells = placed.weeks.flat()
    const pieces = cells.flatMap(({ lanes }) => lanes.flatMap((piece) => piece?.id ?? []))
    const ids = [...pieces, ...cells.flatMap(({ ids }) => ids), ...placed.through.slice(0, MOST_THROUGH)]
    const events = new Map(
      (await service.store.published([...new Set(ids)])).map((event) => [event.id, event]),
    )
    const shown: Shown = {
      month,
      weekday,
      placed,
      events,
      corrected,
      around: placed.total === 0 ? await around(grid.own, grid.ownLast) : {},
    }
    return { shown, filters }
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
function headOf(view: View, page: string, title: string, filters: Filters, total: number, number = 1) {
  const { front } = view
  const { q, search, ...known } = filters
  return {
    title,
    canonical: pathOf(view, page) + queryOf({ ...known, page: number === 1 ? undefined : number }),
    translations: Object.fromEntries(
      front.languages.map((language) => [language, pathIn(front, language, page)]),
    ),
    feeds: { q, search, categories: known.category, tags: known.tag },
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
    const { shown, filters } = await readMonthOf(view, request, month)
    const query = queryOf(filters)
    const ways: Ways = {
      month: (month) => pathOf(view, `/events/month/${month}/`) + query,
      day: (day) => pathOf(view, `/events/day/${day}/`) + query,
      present: pathOf(view, '/events/month/') + query,
      form: { action: pathOf(view, '/events/month/'), filters },
    }
    const page = `/events/month/${month}/`
    const head = headOf(view, page, monthTitle(month, view.language), filters, shown.placed.total)
    return monthPage(view, head, shown, ways, { filters, choices: await choicesIn(view.language) })
  })
})

/** `/events/day/2026-11-22/`. */
export const dayPages = family('pages of days', async (app, service) => {
  const selections = openSelections(service)
  const choicesIn = openChoices(service)

  addPage(app, service, '/events/day/:day', 'list', LISTED, async (view, request) => {
    const { day: text } = request.params as { day: string }
    const day = readDay(text)
    if (day === undefined)
      throw new ApiError('event-archive-page-not-found', `There is no day "${text}".`, { day: text })
    const number = numberOf(day)
    const on = { first: number, last: number }
    const { page, filters, spans, around, corrected } = await selections.spans(view, request, on)
    const { starting, running } = placeDay(number, spans)
    const total = starting.length + running.length
    const pages = Math.max(1, Math.ceil(total / PER_PAGE))
    if (page > pages)
      throw new ApiError('event-archive-page-not-found', `There is no page ${page}; the last is ${pages}.`, {
        last: pages,
      })
    const ids = [...starting, ...running].slice((page - 1) * PER_PAGE, page * PER_PAGE)
    const events = await service.store.published(ids)
    const begin = new Set(starting)
    const head = headOf(view, `/events/day/${day}/`, dateInWords(day, view.language), filters, total, page)
    return dayPage(view, head, {
      day,
      total,
      page,
      pages,
      filters,
      corrected,
      starting: events.filter(({ id }) => begin.has(id)),
      running: events.filter(({ id }) => !begin.has(id)),
      around: total === 0 ? await around(number, number) : {},
      choices: await choicesIn(view.language),
    })
  })
})
