import type { EventRecord, TermRecord, VenueRecord } from '../records.ts'
import { briefs, cards, daysOf } from './entries.ts'
import { type Head, layout } from './layout.ts'
import { html, type Markup, type Part } from './markup.ts'
import { linkToTerm, pathOf, queryOf, type View } from './view.ts'
import { counted, fill, nameOfLanguage } from './words.ts'

/** The filters of a list as its address names them: slugs, and the language of the events. */
export type Filters = {
  search?: string | undefined
  category?: string | undefined
  tag?: string | undefined
  venue?: string | undefined
  /** `all`, or one of the languages of the site. */
  language?: string | undefined
  /** `past` is what is over, `now` what began before today and is not over. */
  when?: 'past' | 'now' | undefined
}

/** What a visitor may choose from. */
export type Choices = { categories: TermRecord[]; tags: TermRecord[]; venues: VenueRecord[] }

/** A page of events in time. */
export type Listed = {
  events: EventRecord[]
  page: number
  pages: number
  total: number
  /** Some that began before today and are not over, on the first page. */
  running: EventRecord[]
  moreRunning: boolean
  filters: Filters
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

type Choice = { slug: string; title: string; depth?: number }

const select = (name: string, label: string, any: string, choices: Choice[], chosen: string | undefined) =>
  choices.length > 0 &&
  html`<p><label for="filter-${name}">${label}</label>
<select id="filter-${name}" name="${name}"><option value="">${any}</option>${choices.map(
    ({ slug, title, depth = 0 }) =>
      html`<option value="${slug}"${slug === chosen && html` selected`}>${'\u00a0\u00a0'.repeat(depth)}${title}</option>`,
  )}</select></p>`

/** Categories below their parents. */
function asTree(terms: TermRecord[], parent = 0, depth = 0): Choice[] {
  const known = new Set(terms.map(({ id }) => id))
  return terms
    .filter(({ parent_id }) => (known.has(parent_id) ? parent_id : 0) === parent)
    .flatMap(({ id, slug, name }) => [{ slug, title: name, depth }, ...asTree(terms, id, depth + 1)])
}

/** The form with all filters, which works without script. */
export function filterForm(
  view: View,
  { categories, tags, venues }: Choices,
  filters: Filters,
  path = pathOf(view, '/events/'),
): Markup {
  const { words, front, language } = view
  const { search, category, tag, venue, when } = filters
  const languages = [
    { slug: 'all', title: words.any_language },
    ...front.languages
      .filter((one) => one !== language)
      .map((one) => ({ slug: one, title: nameOfLanguage(one) })),
  ]
  const isUsed = [category, tag, venue, filters.language].some(Boolean)
  return html`<details class="filters"${isUsed && html` open`}><summary>${words.filters}</summary>
<form action="${path}">
<p><label for="filter-search">${words.search}</label>
<input id="filter-search" name="search" type="search" maxlength="200" value="${search}"></p>
${select('category', words.category, words.any_category, asTree(categories), category)}
${select(
  'tag',
  words.tag,
  words.any_tag,
  tags.map(({ slug, name }) => ({ slug, title: name })),
  tag,
)}
${select('venue', words.venue, words.any_venue, venues, venue)}
${front.languages.length > 1 && select('language', words.language, nameOfLanguage(language), languages, filters.language)}
${when && html`<input type="hidden" name="when" value="${when}">`}
<p class="buttons"><button>${words.apply}</button>${(isUsed || search) && html` <a href="${path}">${words.clear}</a>`}</p>
</form></details>`
}

/** The categories at the top as links. */
export const topics = (view: View, categories: TermRecord[], chosen?: string): Part => {
  const known = new Set(categories.map(({ id }) => id))
  const top = categories.filter(({ parent_id }) => !known.has(parent_id))
  return (
    top.length > 0 &&
    html`<nav class="topics" aria-label="${view.words.categories}"><ul>${top.map(
      (term) =>
        html`<li><a href="${linkToTerm(view, term)}"${term.slug === chosen && html` aria-current="page"`}>${term.name}</a></li>`,
    )}</ul></nav>`
  )
}

/** The days of a list with the links to its other pages, or that there are none. */
export function results(view: View, path: string, listed: Listed): Markup {
  const { words, language } = view
  const { events, page, pages, total, filters, running } = listed
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'when' && value)
  const now =
    running.length > 0 &&
    html`<section class="running" aria-labelledby="running"><h2 id="running">${words.on_now}</h2>${briefs(view, running)}${listed.moreRunning && html`<p class="other"><a href="${path}${queryOf({ ...filters, when: 'now' })}">${words.on_now_more}</a></p>`}</section>`
  if (events.length === 0 && running.length > 0) return html`${now}`
  if (events.length === 0)
    return html`<div class="empty"><h2>${isFiltered ? words.none_found : words.none}</h2><p>${isFiltered ? words.none_found_hint : words.none_hint}</p></div>`
  return html`${now}<p class="total">${counted(words.count, total, language)}${pages > 1 && html` · ${fill(words.page_of, { page, pages })}`}</p>
${daysOf(view, events)}
${paging(view, path, listed)}`
}

/** The address at which a page of a list is known. What was filtered is one of too many pages, and search engines pass over it. */
export function knownAt(
  path: string,
  { filters: { search, ...known }, page }: Pick<Listed, 'filters' | 'page'>,
): Pick<Head, 'canonical' | 'hidden'> {
  const { when, ...chosen } = known
  return {
    canonical: path + queryOf({ ...known, page: page === 1 ? undefined : page }),
    hidden: [search, ...Object.values(chosen)].some((value) => value !== undefined),
  }
}

/** A link to the past of a list, or from there to what is coming. */
export function otherTime({ words }: View, path: string, filters: Filters): Markup {
  const { when, ...rest } = filters
  return when !== undefined
    ? html`<p class="other"><a href="${path}${queryOf(rest)}">${words.coming_events}</a></p>`
    : html`<p class="other"><a href="${path}${queryOf({ ...rest, when: 'past' })}">${words.past_events}</a></p>`
}

/** The calendar from now on, with its filters; the first page also shows highlights and what is running. */
export function listPage(
  view: View,
  head: Omit<Head, 'current'>,
  listed: Listed & { choices: Choices; highlights: EventRecord[] },
): Markup {
  const { words } = view
  const { filters, choices, highlights } = listed
  const path = pathOf(view, '/events/')
  const title = filters.search
    ? fill(words.search_for, { search: filters.search })
    : { past: words.past_events, now: words.on_now, coming: words.upcoming }[filters.when ?? 'coming']
  return layout(
    view,
    { ...head, current: 'events' },
    html`<div class="frame">
<div class="head"><h1>${title}</h1>${topics(view, choices.categories, filters.category)}</div>
${filterForm(view, choices, filters)}
${highlights.length > 0 && html`<section class="highlights" aria-labelledby="highlights"><h2 id="highlights">${words.highlights}</h2>${cards(view, highlights)}</section>`}
<div id="results">${results(view, path, listed)}</div>
${otherTime(view, path, filters)}
</div>`,
  )
}
