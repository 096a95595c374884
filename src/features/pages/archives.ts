import { jsonLd } from '../../calendar/formats/json-ld.ts'
import type {
  EventRecord,
  OrganizerRecord,
  SeriesRecord,
  TermRecord,
  VenueRecord,
} from '../../calendar/formats/records.ts'
import { pageOf, pageOfTerm } from '../../calendar/formats/urls.ts'
import { family } from '../../calendar/resource/service.ts'
import type { Taxonomy } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { chosenChips, feedFilters, pageLink, pathsWith, rows } from './chips.ts'
import {
  dateInWords,
  hoursInWords,
  inWords,
  isLong,
  isOff,
  machineTime,
  repeatsInWords,
  shortDay,
  struck,
  whenInWords,
} from './dates.ts'
import { articleOf, coverOf, dataOf, fact, factsOf, headOf, leafOf, stateOf, textOf } from './event.ts'
import { notesOf, placeInWords, priceOf } from './event-items.ts'
import { LISTED, openEventQueries } from './event-queries.ts'
import { type Choices, openChoices } from './filters.ts'
import { described, graphOf, type Head, layout, preview, subscribable } from './layout.ts'
import { knownAt, type Listed, otherTime, paging, results } from './lists.ts'
import { monthTitle } from './months.ts'
import {
  addPage,
  apart,
  findPublished,
  linkTo,
  linkToTerm,
  moved,
  openLocalizing,
  pathOf,
  pathsOf,
  redirectOf,
  slugOf,
  type View,
} from './page.ts'
import { hasMap, placeOf } from './place.ts'
import { prose, summaryOf, webLink } from './prose.ts'
import { counted } from './words.ts'

/** What is different on a date of a series: its title, the time of day, the place, the price. */
function differencesOf(view: View, event: EventRecord, series: SeriesRecord): Part[] {
  const { words } = view
  const timesOf = ({ start_date, end_date, all_day }: EventRecord | SeriesRecord) =>
    all_day || `${start_date.slice(11)} ${end_date.slice(11)}`
  const place = placeInWords(event, view)
  const placesOf = ({ venues }: EventRecord | SeriesRecord) => venues.map(({ id }) => id).join()
  return [
    event.title !== series.title && html`<span${apart(view, event.title)}>${event.title}</span>`,
    timesOf(event) !== timesOf(series) && words.other_time,
    placesOf(event) !== placesOf(series) &&
      html`${words.other_place} <span${apart(view, place)}>${place}</span>`,
    event.cost.cost !== series.cost.cost && html`${words.other_price} ${priceOf(event, view)}`,
  ].filter(Boolean)
}

/** A date of a series in the list of all: when it is, and what is different on it. */
function dateOf(view: View, event: EventRecord, series: SeriesRecord): Markup {
  const { language } = view
  const { start_date: start, all_day } = event
  const isMany = isLong(event)
  const name = isMany || all_day ? whenInWords(event, language) : dateInWords(start, language)
  const hours = isMany
    ? fill(view.words.until, { date: shortDay(event.end_date, view) })
    : all_day
      ? view.words.all_day
      : hoursInWords(event, language)
  const notes = differencesOf(view, event, series).map((one) => html`<span class="own">${one}</span>`)
  return html`<li data-event="${event.id}"><a href="${linkTo(view, event)}"><time datetime="${machineTime(event, start)}"><span class="unseen">${name}</span><span class="number" aria-hidden="true">${struck(event, inWords(start, language, { day: 'numeric' }))}</span><span class="weekday" aria-hidden="true">${struck(event, inWords(start, language, { weekday: 'long' }))}</span></time></a> <span class="hours">${struck(event, hours)}</span>${notesOf(event, view)}${notes}</li>`
}

/** The dates of a series by month. */
function datesOf(view: View, series: SeriesRecord, path: string, listed: Listed): Markup {
  const { words, language } = view
  const { events, running, total, page, pages, filters } = listed
  const isPast = filters.when === 'past'
  const all = [...running, ...events]
  if (all.length === 0) return html`<p class="total">${isPast ? words.no_past_dates : words.no_dates}</p>`
  const number = total + running.length
  const months = new Map<string, EventRecord[]>()
  for (const event of all) {
    const month = event.start_date.slice(0, 7)
    months.set(month, [...(months.get(month) ?? []), event])
  }
  return html`<p class="total">${counted(words.dates, number, language)}${pages > 1 && html` · ${fill(words.page_of, { page, pages })}`}</p>
${[...months].map(
  ([month, events]) => html`<h3>${monthTitle(month, language)}</h3>
<ol class="leaves">${events.map((event) => dateOf(view, event, series))}</ol>`,
)}
${paging(view, path, listed)}`
}

/** The way into one's own calendar, with all of its dates. */
function addTo(view: View, { id }: SeriesRecord): Markup {
  const { words, front, language } = view
  const calendar = `${front.path}/${language}${front.api}/series/${id}.ics`
  return html`<details class="add"><summary>${words.add}</summary><ul><li><a href="${calendar}">${words.add_file}</a></li></ul></details>`
}

/** The page of a series: what all of its dates have in common, and the dates. */
function seriesPage(
  view: View,
  series: SeriesRecord,
  { listed, translations }: { listed: Listed; translations: SeriesRecord[] },
): Markup {
  const { words, language } = view
  const { closed, title } = series
  const path = view.front.path + pageOf(series)
  const known = knownAt(path, listed)
  const isPast = listed.filters.when === 'past'
  const head: Head = {
    ...headOf(view, series, translations, series.protected),
    ...known,
    ...(isPast && { title: fill(words.past_of, { name: title }) }),
    hidden: known.hidden || series.protected || series.hide_from_listings,
    feeds: { series: String(series.id) },
  }
  const [next] = isPast || closed ? [] : [...listed.running, ...listed.events]
  const isAddable = !series.protected && !isOff(series) && (isPast || next !== undefined)
  const article = articleOf(view, series, translations, {
    day: next && leafOf(view, next, words.next_date),
    notes: stateOf(view, series, translations),
    facts: factsOf(view, series, [fact(words.repeats, html`<p>${repeatsInWords(series, language)}</p>`)]),
    actions: isAddable && addTo(view, series),
    text: html`${closed ? html`<p>${words.protected_long}</p>` : textOf(view, series)}
<section id="results" aria-labelledby="dates"><h2 id="dates">${isPast ? words.past_dates : words.coming_dates}</h2>
${datesOf(view, series, path, listed)}
${otherTime(view, path, listed.filters, 'dates')}</section>`,
  })
  return layout(view, head, article)
}

/** The events of a venue, organizer, category or tag, and the paths of this page by language. */
type About = { listed: Listed; translations: Record<string, string> }

const titleOf = (name: string, { filters }: Listed, { words }: View) =>
  filters.when === 'past' ? fill(words.past_of, { name }) : name

/** How to reach a venue or an organizer. */
function contactOf(view: View, record: VenueRecord | OrganizerRecord): Markup {
  const { words } = view
  const { phone, website } = record
  const place = record.kind === 'venue' && placeOf(view, record)
  const email = record.kind === 'organizer' && record.email
  return html`<dl class="facts">
${fact(words.address, place)}
${phone && html`<div><dt>${words.phone}</dt><dd><a href="tel:${phone.replace(/[^\d+]/g, '')}">${phone}</a></dd></div>`}
${email && html`<div><dt>${words.email}</dt><dd><a href="mailto:${email}">${email}</a></dd></div>`}
${website && html`<div><dt>${words.website}</dt><dd>${webLink(website)}</dd></div>`}
</dl>`
}

/** The page of a venue or organizer, with its events. */
function linkedPage(
  view: View,
  record: VenueRecord | OrganizerRecord,
  { listed, translations }: About,
): Markup {
  const { words } = view
  const { image, kind, id } = record
  const path = linkTo(view, record)
  const head: Head = {
    title: titleOf(record.title, listed, view),
    sheet: 'record',
    ...described(view, record.title, listed.events, listed.total),
    ...(record.description && { description: summaryOf(record.description) }),
    list: graphOf(view, listed.events),
    ...knownAt(translations[view.language]!, listed),
    translations: pathsWith(translations, listed.inLanguage),
    feeds: { ...feedFilters(listed.filters, listed.found), [kind]: String(id) },
    hasMap: record.kind === 'venue' && hasMap(view, record),
    ...(image && preview(view, image)),
    data: dataOf(view, { '@context': 'http://schema.org', ...jsonLd(record) }),
  }
  return layout(
    view,
    head,
    html`<div class="frame about${!image && ' bare'}">
<header><p class="kind">${kind === 'venue' ? words.venue : words.organizer}</p>${subscribable(view, head, record.language)}</header>
${coverOf(view, record)}
<aside>${contactOf(view, record)}</aside>
<div class="text"><div${apart(view, '', record.language)}>${prose(view, record.description)}</div></div>
</div>
<div class="frame">${chosenChips(view, listed, listed.found, pageLink(path))}<div id="results">${results(view, path, listed, kind === 'venue' ? { venue: record.slug } : undefined)}</div>
${otherTime(view, path, listed.filters)}</div>`,
  )
}

/** The page of a category or tag, with its events and the categories below it. */
function termPage(
  view: View,
  term: TermRecord,
  { listed, translations, children, choices }: About & { children: TermRecord[]; choices: Choices },
): Markup {
  const { words } = view
  const path = linkToTerm(view, term)
  const scope = { [term.taxonomy]: term.slug }
  const head: Head = {
    title: titleOf(term.name, listed, view),
    ...described(view, term.name, listed.events, listed.total),
    ...(term.description && { description: summaryOf(term.description) }),
    list: graphOf(view, listed.events),
    ...knownAt(translations[view.language]!, listed),
    translations: pathsWith(translations, listed.inLanguage),
    feeds: {
      ...feedFilters(listed.filters, listed.found),
      [term.taxonomy === 'category' ? 'categories' : 'tags']: term.slug,
    },
  }
  return layout(
    view,
    head,
    html`<div class="frame">
<div class="head"><p class="kind">${words[term.taxonomy]}</p>${subscribable(view, head, term.language)}${term.description && html`<div class="lead"${apart(view, '', term.language)}>${prose(view, term.description)}</div>`}${rows(view, choices, { filters: { ...listed.filters, ...scope } }, children)}</div>
${chosenChips(view, listed, listed.found, pageLink(path))}
<div id="results">${results(view, path, listed, scope)}</div>
${otherTime(view, path, listed.filters)}
</div>`,
  )
}

/** `/series/{slug}/`, with the dates of the series. */
export const seriesPages = family('pages of series', async (app, service) => {
  const { store } = service
  const { viewIn } = app.pages!
  const queries = openEventQueries(service)
  const localize = openLocalizing(service)
  const read = (ids: number[]) => store.records.posts(ids, { caller: undefined }) as Promise<SeriesRecord[]>

  addPage(app, service, '/series/:slug', 'list', ['page', 'when'], async (view, request, isOwn) => {
    const post = await findPublished(service, 'series', slugOf(request))
    const elsewhere = await redirectOf(service, view, request, post, isOwn)
    if (elsewhere) return elsewhere
    const { id, language } = post
    const shown = isOwn ? view : viewIn(language)
    const [series] = (await localize(shown, await read([id]))) as [SeriesRecord]
    const listed = await queries.list({ ...shown, language }, request, { series: id })
    const translations = (await read(Object.values(series.translations))).filter(
      ({ status }) => status === 'publish',
    )
    return seriesPage(shown, series, { listed, translations })
  })
})

/** Categories below one that its page shows. */
const MOST_CHILDREN = 50

const byAge = <T extends { id: number }>(records: T[]) => records.sort((a, b) => a.id - b.id)

/** `/venue/{slug}/` and `/organizer/{slug}/`, with their events. */
export const linkedPages = family('pages of venues and organizers', async (app, service) => {
  const queries = openEventQueries(service)
  const { store } = service
  const { front } = app.pages!
  for (const kind of ['venue', 'organizer'] as const)
    addPage(app, service, `/${kind}/:slug`, 'list', LISTED, async (view, request, isOwn) => {
      const post = await findPublished(service, kind, slugOf(request))
      const elsewhere = await redirectOf(service, view, request, post, isOwn)
      if (elsewhere) return elsewhere
      const [record] = await store.records.posts([post.id], { caller: undefined })
      const listed = await queries.list(view, request, { [kind]: [post.id] })
      const own = record as VenueRecord | OrganizerRecord
      const others = await store.records.posts(Object.values(own.translations), { caller: undefined })
      const translations = pathsOf(
        front,
        byAge([own, ...others.filter(({ status }) => status === 'publish')]),
      )
      return linkedPage(view, own, { listed, translations })
    })
})

/** `/events/category/{slug}/` and `/events/tag/{slug}/`, with their events. */
export const termPages = family('pages of categories and tags', async (app, service) => {
  const { store } = service
  const { front, viewIn } = app.pages!
  const queries = openEventQueries(service)
  const choicesIn = openChoices(service)

  const translationsOf = async (term: TermRecord) =>
    pathsOf(front, byAge([term, ...(await store.records.terms(Object.values(term.translations)))]))
  const childrenOf = async ({ id, taxonomy }: TermRecord) => {
    if (taxonomy === 'tag') return []
    const filter = {
      page: 1,
      per_page: MOST_CHILDREN,
      order: 'asc',
      orderby: 'name',
      hide_empty: true,
    } as const
    return store.records.terms((await store.categories.list({ ...filter, parent: id }, undefined)).ids)
  }

  for (const taxonomy of ['category', 'tag'] as Taxonomy[])
    addPage(app, service, `/events/${taxonomy}/:slug`, 'list', LISTED, async (view, request, isOwn) => {
      const slug = slugOf(request)
      const [row] = await store.terms.seek(taxonomy, [slug], undefined)
      if (!row)
        throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} "${slug}".`, { name: slug })
      const [term] = (await store.records.terms([row.id])) as [TermRecord]
      const elsewhere = moved(request, term.slug, pathOf(view, pageOfTerm(term)))
      if (elsewhere) return elsewhere
      const translations = await translationsOf(term)
      if (isOwn && term.language !== view.language && term.translations[view.language] !== undefined)
        return { location: translations[view.language]! }
      const shown = isOwn ? view : viewIn(term.language)
      const listed = await queries.list(shown, request, {}, { [taxonomy]: term.slug })
      const choices = await choicesIn(shown.language)
      return termPage(shown, term, { listed, translations, children: await childrenOf(term), choices })
    })
})
