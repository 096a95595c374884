import type { FastifyRequest } from 'fastify'
import type { Days } from '../../calendar/days.ts'
import { NAMED_DAYS, type NamedDays } from '../../calendar/days.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { queryOf } from '../../calendar/formats/urls.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { secondsOf, toWall } from '../../kernel/time/dates.ts'
import { chosenChips, daysInWords, feedFilters, listLink, NAMES, OWN, pathsWith, rows } from './chips.ts'
import { asTitle, inWords, type Repeats } from './dates.ts'
import { briefs, cards, daysOf } from './event-items.ts'
import { type Address, DATED, LISTED, NOTHING, openEventQueries, textIn } from './event-queries.ts'
import {
  type Choices,
  type Corrected,
  correctedNote,
  type Filters,
  filterForm,
  openChoices,
} from './filters.ts'
import { described, graphOf, type Head, headline, layout, subscribable } from './layout.ts'
import { addPage, openPublished, pathOf, pathsIn, subscribePath, type View } from './page.ts'
import { counted } from './words.ts'

/** A page of events in time. */
export type Listed = Address & {
  events: EventRecord[]
  pages: number
  total: number
  /** EventGroup that began before today and are not over, on the first page. */
  running: EventRecord[]
  moreRunning: boolean
  /** The series of those that stand for several dates. */
  repeats: Repeats
  corrected?: Corrected | undefined
  /** The days that it is about, and the name of these; undefined for all to come. */
  days?: Days | undefined
  named?: NamedDays | undefined
}

/** The numbers around a page, and the first and last; 0 is a gap. */
function numbersOf(page: number, pages: number): number[] {
  const near = [1, page - 1, page, page + 1, pages].filter((one) => one >= 1 && one <= pages)
  const sorted = [...new Set(near)].sort((a, b) => a - b)
  return sorted.flatMap((one, at) => (at > 0 && one - sorted[at - 1]! > 1 ? [0, one] : [one]))
}

/** Links to the pages of a list at `path`; nothing if there is only one. */
export function paging(
  { words }: View,
  path: string,
  { page, pages, filters }: Pick<Listed, 'page' | 'pages' | 'filters'>,
): Part {
  if (pages < 2) return ''
  const to = (number: number) => path + queryOf({ ...filters, page: number === 1 ? undefined : number })
  const number = (one: number) =>
    one === 0
      ? html`<li aria-hidden="true">…</li>`
      : html`<li><a href="${to(one)}" aria-label="${fill(words.page, { page: one })}"${one === page && html` aria-current="page"`}>${one}</a></li>`
  return html`<nav class="paging" aria-label="${words.pages}">
${page > 1 && html`<a class="previous" rel="prev" href="${to(page - 1)}">${words.previous_page}</a>`}
<ul>${numbersOf(page, pages).map(number)}</ul>
${page < pages && html`<a class="next" rel="next" href="${to(page + 1)}">${words.next_page}</a>`}
</nav>`
}

/** A link to the month of the first event of a list, with its filters; nothing if it has some that months have not. */
function asMonth(
  view: View,
  { events: [first], filters: { when, from, to, ...filters } }: Listed,
  scope?: Filters,
): Part {
  const month = first && `/events/month/${first.start_date.slice(0, 7)}/`
  return (
    month &&
    scope &&
    html`<a href="${pathOf(view, month)}${queryOf({ ...filters, ...scope })}">${view.words.as_month}</a>`
  )
}

/** What began before and goes on, in short; nothing without any. */
function runningOf(
  view: View,
  path: string,
  { running, moreRunning, repeats, days, named, filters }: Listed,
): Part {
  const { words } = view
  const isNow = days === undefined || named === 'today'
  return (
    running.length > 0 &&
    html`<section class="running" aria-labelledby="running"><h2 id="running">${isNow ? words.on_now : words.still_on}</h2>${briefs(view, running, repeats)}${moreRunning && html`<p class="other"><a href="${days ? pathOf(view, '/events/') : path}${queryOf({ ...filters, from: undefined, to: undefined, when: 'now' })}">${words.on_now_more}</a></p>`}</section>`
  )
}

/** The days of a list with the links to its other pages, or that there are none. `scope` is what all of it is about, as filters. */
export function results(view: View, path: string, listed: Listed, scope?: Filters): Markup {
  const { words, language } = view
  const { events, page, pages, total, filters, running, repeats } = listed
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'when' && value)
  const now = runningOf(view, path, listed)
  const note = correctedNote(view, listed.corrected)
  if (events.length === 0 && running.length > 0) return html`${note}${now}`
  if (events.length === 0)
    return html`${note}<div class="empty"><h2>${isFiltered ? words.none_found : words.none}</h2><p>${isFiltered ? words.none_found_hint : words.none_hint}</p>${isFiltered && html`<p><a href="${path}${queryOf({ when: filters.when })}">${words.clear}</a></p>`}</div>`
  return html`${note}${now}<p class="total">${counted(words.count, total, language)}${pages > 1 && html` · ${fill(words.page_of, { page, pages })}`} ${asMonth(view, listed, scope)}</p>
${daysOf(view, events, repeats)}
${paging(view, path, listed)}`
}

/** The address at which a page of a list is known. What was filtered is one of too many pages, and search engines pass over it. */
export function knownAt(
  path: string,
  { filters: { q, search, ...known }, page }: Pick<Listed, 'filters' | 'page'>,
): Pick<Head, 'canonical' | 'hidden'> {
  const { when, ...chosen } = known
  return {
    canonical: path + queryOf({ ...known, page: page === 1 ? undefined : page }),
    hidden: [q, search, ...Object.values(chosen)].some((value) => value !== undefined),
  }
}

/** A link to the past events of a list, or dates of a series, or from there to those that are coming. */
export function otherTime(
  { words }: View,
  path: string,
  { when, ...rest }: Filters,
  what: 'events' | 'dates' = 'events',
): Markup {
  const [time, name] =
    when === undefined ? ['past', words[`past_${what}`]] : [undefined, words[`coming_${what}`]]
  return html`<p class="other"><a href="${path}${queryOf({ ...rest, when: time })}">${name}</a></p>`
}

/** What a list of the calendar shows. */
export function titleOf(
  view: View,
  { filters, corrected, days, named, own }: Pick<Listed, 'filters' | 'corrected' | 'days' | 'named'> & Own,
): string {
  const { words } = view
  const { q, search = '', when } = filters
  if (q || search) return fill(words.search_for, { search: corrected?.search ?? q ?? search })
  if (named) return words[NAMES[named].title]
  if (days) return asTitle(daysInWords(view, days), view.language)
  if (own) return words[`${own}_events`]
  return { past: words.past_events, now: words.on_now, coming: words.upcoming }[when ?? 'coming']
}

type Own = { own?: (typeof OWN)[number] | undefined }

/** The calendar from now on, with its filters. That of the site is light, and leaves days to `/events/`. */
function listPage(
  view: View,
  head: Omit<Head, 'current'>,
  listed: Listed & Own & { choices: Choices; isHome: boolean },
): Markup {
  const { choices, named, own, isHome, events, running, total, found } = listed
  const place = named ?? own
  const path = pathOf(view, place ? `/events/${place}/` : '/events/')
  const filters = own ? { ...listed.filters, [own]: 'yes' } : listed.filters
  const title = titleOf(view, listed)
  const shown = [...running, ...events]
  return layout(
    view,
    {
      ...head,
      ...described(view, title, shown, total + running.length),
      list: graphOf(view, shown),
      current: 'events',
      search: { action: named ? path : pathOf(view, '/events/'), filters },
    },
    html`<div class="frame">
<div class="head">${named ? headline(view, title) : subscribable(view, { title, feeds: head.feeds })}${rows(view, choices, { named, filters })}</div>
${filterForm(view, choices, { filters, found }, named || isHome ? path : undefined)}
${chosenChips(view, { named, filters }, found, listLink(view))}
<div id="results">${results(view, path, listed, {})}</div>
${!listed.days && otherTime(view, path, listed.filters)}
</div>`,
  )
}

/** EventGroup events of a kind, and how many of it there are. */
type EventGroup = Pick<Listed, 'events' | 'total' | 'repeats'>

/** What the first page of a site shows. */
export type Home = {
  highlights: EventGroup
  weekend: EventGroup
  /** The next events after those. */
  listed: Listed
  /** Those that were added last. */
  added: EventGroup
  choices: Choices
}

/** Events under a heading, and the way to all of them if there are more. */
const sectionOf = (id: string, title: string, main: Markup, more?: Part): Markup =>
  html`<section class="highlights" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${main}${more}</section>`

/** The first page of a site: highlights, what is on now and at the weekend, what comes next, and what is new. The calendar itself is `/events/`. */
function homePage(view: View, head: Head, { highlights, weekend, listed, added, choices }: Home): Markup {
  const { words, language } = view
  const { events, total, running, repeats } = listed
  const all = pathOf(view, '/events/')
  const shown = [...highlights.events, ...weekend.events, ...events]
  const about = {
    ...head,
    ...described(view, words.upcoming, shown, total),
    list: graphOf(view, [...new Set(shown)]),
    current: 'events' as const,
  }
  if (shown.length + running.length + added.events.length === 0)
    return layout(view, { ...about, sheet: 'more' }, emptyHome(view))
  const more = weekend.total > weekend.events.length
  return layout(
    view,
    about,
    html`<div class="frame">
<div class="head">${subscribable(view, { title: words.upcoming })}${rows(view, choices, { filters: {} })}</div>
${filterForm(view, choices, { filters: {}, found: NOTHING }, all)}
<div class="front">${weekend.events.length > 0 && sectionOf('weekend', words.this_weekend, briefs(view, weekend.events, weekend.repeats), more && html`<p class="other"><a href="${pathOf(view, '/events/weekend/')}">${words.weekend_all}</a></p>`)}
${highlights.events.length > 0 && sectionOf('highlights', words.highlights, cards(view, highlights.events, highlights.repeats))}
</div>
<div id="results">${runningOf(view, all, listed)}
${events.length > 0 && sectionOf('next', words.next_up, daysOf(view, events, repeats))}
<p class="other"><a class="button" href="${all}">${words.whole_calendar}</a> ${total > 0 && counted(words.count, total, language)}</p></div>
${added.events.length > 0 && sectionOf('added', words.added, briefs(view, added.events, added.repeats))}
${otherTime(view, all, {})}
</div>`,
  )
}

/** What the first page of a calendar says in which nothing is planned: to visitors how they hear of what will be, to editors where they begin. */
function emptyHome(view: View): Markup {
  const { words, front, language, now } = view
  const today = now.slice(0, 10)
  return html`<div class="frame">
<div class="head">${headline(view, words.upcoming)}</div>
<section class="welcome"><p class="date" aria-hidden="true"><span class="number">${inWords(today, language, { day: 'numeric' })}</span> <span class="weekday">${inWords(today, language, { weekday: 'long' })}</span> <span class="month">${inWords(today, language, { month: 'long' })}</span></p>
<div><h2>${words.empty_title}</h2><p class="lead">${words.empty_lead}</p>
<p class="doing"><a class="button" href="${subscribePath(view)}">${words.subscribe}</a>${front.submits && html` <a class="button plain" href="${pathOf(view, '/events/submit/')}">${words.submit_event}</a>`}</p>
${front.desk && html`<p class="editor">${words.empty_editor} <a href="${front.desk}#/events/new">${words.empty_desk}</a></p>`}</div></section>
${otherTime(view, pathOf(view, '/events/'), {})}
</div>`
}

/** What a list at an address of its own is about: days by their name, or a filter. */
type ListAddress = { named?: NamedDays; own?: (typeof OWN)[number] }

/** The dates that a feed of days by their name is filtered by, which go on with the days; that of a weekend has all events. */
const FEEDS: Record<NamedDays, Record<string, string>> = {
  today: { starts_after: 'yesterday', starts_before: 'today' },
  tomorrow: { starts_after: 'today', starts_before: 'tomorrow' },
  weekend: {},
  'next-7-days': { starts_after: 'yesterday', starts_before: '+6 days' },
}

/** Whether an address asks for the first page of all, without any filter. */
const isPlain = (request: FastifyRequest) =>
  DATED.every((name) => [undefined, name === 'page' ? '1' : undefined].includes(textIn(request, name)))

/** `/`, what a visitor may want to see first; `/events/`: the calendar from now on, with search and filters; `/events/today/` and others: what people look for most. */
export const listPages = family('pages of lists', async (app, service) => {
  const queries = openEventQueries(service)
  const homeOf = openHome(service)
  const choicesIn = openChoices(service)

  const understood = ({ named, own }: ListAddress) =>
    named ? LISTED.filter((name) => name !== 'when') : own ? DATED.filter((name) => name !== own) : DATED
  const add = (url: string, about: ListAddress = {}) =>
    addPage(app, service, url, 'list', understood(about), async (view, request) => {
      const { named, own } = about
      const choices = await choicesIn(view.language)
      if (url === '/' && isPlain(request)) {
        const home = await homeOf(view, request)
        return homePage(view, headOf(view, url, home.listed), { ...home, choices })
      }
      const found = await queries.list(view, request, {}, own ? { [own]: 'yes' } : {}, { named })
      const listed = { ...found, own }
      // what is not the first page is the same at both addresses
      const head = headOf(view, url === '/' ? '/events/' : url, listed)
      return listPage(view, head, { ...listed, choices, isHome: url === '/' })
    })
  const headOf = (view: View, place: string, listed: Listed & ListAddress) => {
    const { filters, found, inLanguage, own, named } = listed
    return {
      title: place === '/' ? '' : titleOf(view, listed),
      ...knownAt(pathOf(view, place), listed),
      translations: pathsWith(pathsIn(view.front, place), inLanguage),
      feeds: {
        ...feedFilters(own ? { ...filters, [own]: 'yes' } : filters, found),
        ...(named ? FEEDS[named] : { start_date: filters.from, starts_before: filters.to }),
      },
    }
  }
  add('/')
  add('/events/')
  for (const named of NAMED_DAYS) add(`/events/${named}/`, { named })
  for (const own of OWN) add(`/events/${own}/`, { own })
})

/** Events in the parts of the page. */
const MOST = { highlights: 3, weekend: 6, next: 9, added: 6 }
/** For how long after its publication an event is new, in milliseconds. */
const NEW = 14 * 24 * 60 * 60_000

/** Reads what the first page of the site shows; all that comes is in one of its parts. */
function openHome(service: Service) {
  const { store, site } = service
  const publishedIn = openPublished(service)
  const queries = openEventQueries(service)

  /** The events that were added last and published within two weeks, without those that are shown already. */
  async function added(view: View, without: ReadonlySet<number>) {
    const now = toWall(site.clock(), 'UTC')
    const ids = store.lists.newest(view.language, secondsOf(now), MOST.added + without.size)
    const since = toWall(site.clock() - NEW, 'UTC')
    const found = await publishedIn(
      view,
      ids.filter((id) => !without.has(id)),
    )
    const events = found.filter(({ date_utc }) => date_utc > since).slice(0, MOST.added)
    return { events, total: events.length, repeats: new Map() }
  }

  return async (view: View, request: FastifyRequest): Promise<Omit<Home, 'choices'>> => {
    const highlights = await queries.featured(view, MOST.highlights)
    const weekend = await queries.weekend(view, MOST.weekend)
    const idsOf = (events: EventRecord[]) => events.map(({ id }) => id)
    const first = new Set(idsOf([...highlights.events, ...weekend.events]))
    const found = await queries.list(view, request, {}, {}, { per_page: MOST.next + first.size })
    const isLeft = ({ id }: EventRecord) => !first.has(id)
    const highlighted = new Set(idsOf(highlights.events))
    const running = found.running.filter(({ id }) => !highlighted.has(id))
    const events = found.events.filter(isLeft).slice(0, MOST.next)
    const shown = new Set([...first, ...idsOf([...running, ...events])])
    const listed = { ...found, running, events }
    return { highlights, weekend, listed, added: await added(view, shown) }
  }
}
