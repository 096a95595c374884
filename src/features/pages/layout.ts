import type { Link } from '../../calendar/branding.ts'
import type { EventRecord, MediaRow } from '../../calendar/formats/records.ts'
import { localeOf } from '../../calendar/formats/texts.ts'
import { pathIn, queryOf } from '../../calendar/formats/urls.ts'
import { html, type Markup, type Part, scriptData } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { toOffsetDateTime } from '../../kernel/time/dates.ts'
import { FORMATS } from '../feeds/formats/formats.ts'
import { CONTEXT } from '../feeds/formats/json.ts'
import { isLong } from './dates.ts'
import { MOST_STARRED } from './event-queries.ts'
import {
  apart,
  type Front,
  linkTo,
  MY_LIST,
  mediaPath,
  pathOf,
  subscribePath,
  type View,
  withDefault,
} from './page.ts'
import { altOf, isFocused } from './pictures.ts'
import { counted, directionOf, nameOfLanguage } from './words.ts'

/** What a page says about itself. Paths are those of the page in its own language. */
export type Head = {
  /** Without the name of the site; empty for the first page. */
  title: string
  description?: string
  /** The path at which this page is known. */
  canonical: string
  /** The same page in each language, by language. */
  translations?: Record<string, string>
  /** The entry of the menu that this page belongs to. */
  current?: 'events' | 'month' | 'list' | undefined
  /** The filters of the list that this page shows, for its feeds, by the names of the API. */
  feeds?: Record<string, string | undefined>
  /** Where a search from the top of the page leads, with what is chosen here; all events if absent. */
  search?: { action: string; filters: Record<string, string | undefined> }
  /** The address of a picture for previews, absolute. */
  image?: string
  /** What that picture shows. */
  image_alt?: string | undefined
  /** The kind of page for previews. */
  type?: 'website' | 'article'
  /** Data about the page for machines, as JSON. */
  data?: string | undefined
  /** The events that it shows for machines, as JSON. */
  list?: string | undefined
  /** Whether search engines pass over it. */
  hidden?: boolean
  /** Whether it is looked at beside the page that leads to it: its links open in a new tab. */
  preview?: boolean
  /** Whether it shows a map, whose tiles other hosts give only to whom they know the site of. */
  hasMap?: boolean
  /** The style sheet that it has beside that of all pages. */
  sheet?: keyof Front['sheets']
}

/** The paths of the style sheets of a page with this main part, in the order in which they hold. */
export const stylesOf = (
  { styles: [first, ...own], sheets }: Front,
  main: Markup,
  ...names: (keyof Front['sheets'])[]
): string[] => [
  first!,
  ...names.map((name) => sheets[name]),
  ...(isFocused(main) ? [sheets.focus] : []),
  ...own,
]

/** An absolute address from a path of this site. */
export const absolute = ({ front }: Pick<View, 'front'>, path: string): string =>
  front.base.slice(0, front.base.length - front.path.length) + path

/** The picture of a record for previews of its page, with its alternative text. */
export const preview = (view: View, image: MediaRow): Pick<Head, 'image' | 'image_alt'> => ({
  image: absolute(view, mediaPath(view.front, image.file)),
  image_alt: altOf(view, image)?.text,
})

/** The formats that readers of people subscribe to, by extension, with the words for them. */
const READ = { ics: 'subscribe_calendar', rss: 'RSS', atom: 'Atom', jsonfeed: 'JSON Feed' } as const

/** What a calendar has beside what is not over: programs delete what is no longer in it, so it goes a month after its end. */
const STAYS = { ends_after: '-1month' }

/** The filters of feeds by days, as lists of pages have them. */
const DAYS = ['start_date', 'starts_after', 'starts_before']

/** The feeds of a list, of its days or else of what is not over: their type, path and name. */
export function feedsOf({ front, language, words }: View, filters: Record<string, string | undefined>) {
  const hasDays = DAYS.some((name) => filters[name] !== undefined)
  // events that are named are those of any language and time
  const isNamed = filters.include !== undefined
  const root = isNamed ? front.path : `${front.path}/${language}`
  return FORMATS.flatMap(({ extension, type }) => {
    const name = READ[extension as keyof typeof READ] as string | undefined
    if (name === undefined) return []
    const kept = hasDays || isNamed ? {} : extension === 'ics' ? STAYS : { when: 'upcoming' }
    const query = queryOf({ ...filters, ...kept })
    const href = `${root}${front.api}/events.${extension}${query}`
    return [{ type: type.split(';')[0]!, href, name: name === 'subscribe_calendar' ? words[name] : name }]
  })
}

const meta = (name: string, content: string | undefined) =>
  content ? html`<meta property="${name}" content="${content}">` : ''

/** The page in each language, for search engines: only where this page is the one of its own language. */
function alternatesOf({ front, language }: View, { translations = {}, canonical, hidden }: Head) {
  const isOwn = !hidden && translations[language] === canonical && Object.keys(translations).length > 1
  return isOwn ? Object.entries(withDefault(front, translations)) : []
}

function headOf(view: View, head: Head, main: Markup): Markup {
  const { front, language } = view
  const title = head.title ? `${head.title} · ${front.name}` : front.name
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="color-scheme" content="light dark">
${head.description && html`<meta name="description" content="${head.description}">`}
${head.hidden && html`<meta name="robots" content="noindex">`}${head.preview && html`<base target="_blank">`}
${head.hasMap && html`<meta name="referrer" content="strict-origin-when-cross-origin">`}
<link rel="canonical" href="${absolute(view, head.canonical)}">
${alternatesOf(view, head).map(([to, path]) => html`<link rel="alternate" hreflang="${to}" href="${absolute(view, path)}">`)}
${head.feeds && feedsOf(view, head.feeds).map(({ type, href, name }) => html`<link rel="alternate" type="${type}" href="${href}" title="${front.name}: ${name}">`)}
${meta('og:site_name', front.name)}${meta('og:title', head.title || front.name)}${meta('og:type', head.type ?? 'website')}
${meta('og:url', absolute(view, head.canonical))}${meta('og:description', head.description)}${meta('og:image', head.image)}${meta('og:image:alt', head.image_alt)}
${meta('og:locale', language.replace('-', '_'))}<meta name="twitter:card" content="${head.image ? 'summary_large_image' : 'summary'}">
${stylesOf(front, main, ...(head.sheet ? [head.sheet] : [])).map((path) => html`<link rel="stylesheet" href="${path}">`)}
<link rel="icon" href="${front.icon}">
${front.discovery?.(language)}
<script src="${front.script}" type="module"></script>
${[head.data, head.list].map((data) => data && html`<script type="application/ld+json">${scriptData(data)}</script>`)}`
}

function languagesOf({ front, language, words }: View, { translations = {} }: Head): Part {
  if (front.languages.length < 2) return ''
  const link = (to: string) =>
    html`<li><a href="${translations[to] ?? pathIn(front, to, '/events/')}" lang="${to}" hreflang="${to}"${to === language && html` aria-current="true"`}><span aria-hidden="true">${to.toUpperCase()}</span><span class="unseen">${nameOfLanguage(to)}</span></a></li>`
  return html`<nav class="languages" aria-label="${words.languages}"><ul>${front.languages.map(link)}</ul></nav>`
}

/** That the page is in another language as well, for the script to show to whom prefers that one. */
function offersOf({ front, language }: View, { translations = {} }: Head): Part {
  const others = front.languages.filter((to) => to !== language && translations[to] !== undefined)
  return others.map((to) => {
    const { offer, close } = front.offers[to]!
    return html`<div class="offer" lang="${to}" dir="${directionOf(to)}" hidden><a href="${translations[to]}" hreflang="${to}">${offer}</a> <button type="button" aria-label="${close}">×</button></div>`
  })
}

/** Characters of a headline that are set in the largest size. */
const SHORT = 60

/** The headline of a page, which may be in another language; a long one is smaller. */
export const headline = (view: View, text: string, language = view.language): Markup =>
  html`<h1${apart(view, text, language)}${text.length > SHORT && html` class="long"`}>${text}</h1>`

/** The headline of a page with the way to subscribe to what it shows. */
export const subscribable = (
  view: View,
  { title, feeds }: Pick<Head, 'title' | 'feeds'>,
  language?: string,
): Markup =>
  html`<div class="titled">${headline(view, title, language)}<a class="button plain" href="${subscribePath(view, feeds)}">${view.words.subscribe}</a></div>`

const linksOf = (links: readonly Link[]) =>
  links.map(({ text, url }) => html`<li><a href="${url}">${text}</a></li>`)

/** A part of the page that the operator wrote. */
const ownPart = (part: Markup | undefined) => part && html`<div class="own frame">${part}</div>`

/** What a form sends along. */
export const hiddenFields = (filters: Record<string, string | undefined>): Part =>
  Object.entries(filters).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )

/** A whole page around its main part. */
export function layout(view: View, head: Head, main: Markup): Markup {
  const { front, language, words } = view
  const home = pathOf(view, '/')
  const { action, filters } = head.search ?? { action: pathOf(view, '/events/'), filters: {} }
  const { q, search, ...kept } = filters
  const entries = [
    ['events', pathOf(view, '/events/'), words.upcoming],
    ['month', pathOf(view, '/events/month/'), words.month],
  ] as const
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
${headOf(view, head, main)}
</head>
<body>
<a class="skip" href="#content">${words.skip}</a>
<header class="top">${ownPart(front.header[language])}
<div class="frame">
<a class="site" href="${home}">${front.logo ? html`<img src="${front.logo}" alt="${front.name}">` : front.name}</a>
<nav class="menu" aria-label="${words.menu}"><ul>${entries.map(([key, path, name]) => html`<li><a href="${path}"${key === head.current && html` aria-current="true"`}>${name}</a></li>`)}${linksOf(front.menu)}</ul></nav>
<a class="saved" href="${pathOf(view, MY_LIST)}"${starring(view)}${head.current === 'list' && html` aria-current="true"`}><span>${words.my_list}</span></a>
${languagesOf(view, head)}
<form class="quick" role="search" action="${action}">
<label class="unseen" for="quick">${words.search_events}</label>
<input id="quick" name="q" type="search" placeholder="${words.search_events}" maxlength="200"${(q ?? search) && html` value="${q ?? search}"`}${suggesting(view)}>${hiddenFields(kept)}
<button>${words.search}</button>
</form>
</div>
</header>
<main id="content" tabindex="-1">
${main}
</main>
<footer class="bottom">
<div class="frame">
<p class="site">${front.name}</p>
<nav aria-label="${words.stay}"><ul><li><a href="${subscribePath(view, head.feeds)}">${words.subscribe}</a></li>${front.submits && html`<li><a href="${pathOf(view, '/events/submit/')}">${words.submit_event}</a></li>`}<li><a href="${front.path}${front.api}/doc">${words.for_programs}</a></li></ul></nav>
${front.links.length > 0 && html`<nav aria-label="${words.links}"><ul class="links">${linksOf(front.links)}</ul></nav>`}
</div>
${ownPart(front.footer[language])}${offersOf(view, head)}</footer>
</body>
</html>
`
}

/**
 * What the script needs to suggest while one types in a field: where to ask, and where what it finds has its pages. The first field of a
 * page says it for all that have `data-suggest`.
 */
const suggesting = (view: View): Markup => {
  const { front, language, words } = view
  const ask = `${front.path}/${language}${front.api}/suggest`
  return html` data-suggest="${ask}" data-pages="${pathOf(view, '/')}" data-site="${front.path}/" data-name="${words.suggestions}"`
}

/** What the script needs to keep the list of a visitor: the site that it is of, what stars are called, and how long it may be. */
const starring = ({ front, words }: View): Markup =>
  html` data-list="${front.path}/" data-add="${words.add_to_list}" data-most="${MOST_STARRED}" data-full="${fill(words.list_full, { count: MOST_STARRED })}"`

/** A page that says what is wrong, with ways back. */
export function errorPage(view: View, path: string, title: string, text: string, note = ''): Markup {
  const { words } = view
  return layout(
    view,
    { title, canonical: path, hidden: true },
    html`<div class="frame error"><h1>${title}</h1><p>${text}</p>${note && html`<p class="kind">${note}</p>`}
<p><a class="button" href="${pathOf(view, '/events/')}">${words.back}</a></p></div>`,
  )
}

/** Titles that a description names. */
const NAMED = 3

const lists = new Map<string, Intl.ListFormat>()
function listOf(language: string, texts: string[]): string {
  const locale = localeOf(language)
  const known = lists.get(locale) ?? new Intl.ListFormat(locale)
  lists.set(locale, known)
  return known.format(texts)
}

/** What a page of events says of itself in a sentence: what it is, how many there are, and the first of them. */
function sentenceOf({ words, language }: View, title: string, events: EventRecord[], total: number): string {
  const titles = [...new Set(events.map((event) => event.title))].slice(0, NAMED)
  return total === 0
    ? `${title}. ${words.none_hint}`
    : fill(words.described, {
        title,
        count: counted(words.count, total, language),
        titles: listOf(language, titles),
      })
}

/** Where an event is, for search engines; undefined if it is not known. */
function locationOf({ venues: [venue], virtual_url }: EventRecord): object | undefined {
  if (venue) return { '@type': 'Place', name: venue.title, ...(venue.city && { address: venue.city }) }
  return virtual_url ? { '@type': 'VirtualLocation', url: virtual_url } : undefined
}

/** An event of a list for search engines, in short: its own page says the rest. */
function shortData(view: View, event: EventRecord): object {
  const { title, start_date, end_date, all_day, timezone, event_status } = event
  const time = (wall: string) => (all_day ? wall.slice(0, 10) : toOffsetDateTime(wall, timezone))
  const location = locationOf(event)
  return {
    '@type': 'Event',
    name: title,
    url: absolute(view, linkTo(view, event)),
    startDate: time(start_date),
    ...(isLong(event) && { endDate: time(end_date) }),
    ...(event_status === 'cancelled' && { eventStatus: 'https://schema.org/EventCancelled' }),
    ...(location && { location }),
  }
}

/** Events of a page that search engines are told of in it; they find the others by their links. */
const MOST_TOLD = 12

/** The first events of a page as a graph for search engines, without those under a password; undefined without any. */
export function graphOf(view: View, events: EventRecord[]): string | undefined {
  const open = events.filter(({ closed }) => !closed)
  const graph = open.slice(0, MOST_TOLD).map((event) => shortData(view, event))
  return graph.length > 0 ? JSON.stringify({ '@context': CONTEXT, '@graph': graph }) : undefined
}

/** What the head of a page of events says about them: a sentence, and a picture of the first one that has one. */
export function described(
  view: View,
  title: string,
  events: EventRecord[],
  total: number,
): Pick<Head, 'description' | 'image' | 'image_alt'> {
  const image = events.find((event) => event.image)?.image
  return { description: sentenceOf(view, title, events, total), ...(image && preview(view, image)) }
}
