import type { FastifyRequest } from 'fastify'
import { queryOf } from '../../calendar/formats/urls.ts'
import { family } from '../../calendar/resource/service.ts'
import { invalid } from '../../kernel/errors.ts'
import { pack, sendPacked } from '../../kernel/output/negotiation.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { AN_HOUR, FILE_TYPES } from './assets.ts'
import { cards, daysOf } from './event-items.ts'
import { LISTED, openEventQueries, textIn } from './event-queries.ts'
import { correctedNote, type Filters } from './filters.ts'
import { stylesOf } from './layout.ts'
import type { Listed } from './lists.ts'
import {
  emptyMonth,
  type MonthEvents,
  type MonthLinks,
  monthIn,
  monthTable,
  monthTitle,
  monthTurns,
  openMonths,
  throughMonth,
} from './months.ts'
import { addPage, pathOf, type View } from './page.ts'
import { directionOf } from './words.ts'

/** Colours that do not follow the settings of the visitor. */
type Theme = 'light' | 'dark' | undefined

/** How a frame looks, as the parameters of its address: a theme, and colours and fonts of the page around it. */
type Looks = { theme?: Theme } & Partial<Record<keyof typeof SETTABLE, string>>

/** A list of events without the rest of the calendar, with the pages before and after this one. */
type EmbeddedList = Pick<Listed, 'events' | 'running' | 'repeats' | 'corrected'> &
  Record<'previous' | 'next', string | undefined>

/**
 * A document for a frame in another page. The element `almanac-calendar` takes the part with the class `embed`. Links leave the frame,
 * except those with the target `_self`.
 */
export function embedPage(view: View, title: string, { theme, ...own }: Looks, main: Markup): Markup {
  const { front, language } = view
  const colours = queryOf(own)
  const dir = directionOf(language)
  return html`<!doctype html>
<html lang="${language}" dir="${dir}"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${front.name}</title>
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta name="robots" content="noindex">
<base target="_top">
${stylesOf(front, main, 'month', 'embed').map((path) => html`<link rel="stylesheet" href="${path}">`)}
${colours && html`<link rel="stylesheet" href="${front.path}/embed.css${colours}">`}
<script src="${front.script}" type="module"></script>
</head>
<body>
<main>
<h1 class="unseen">${front.name}</h1>
<div class="embed" lang="${language}" dir="${dir}">
${main}
</div>
</main>
</body>
</html>
`
}

const foot = ({ front, words }: View, path: string) =>
  html`<p class="source"><a href="${path}">${words.open_calendar}<span class="unseen">: ${front.name}</span></a></p>`

/** A month for another page; `path` is its own page. */
const embeddedMonth = (view: View, shown: MonthEvents, links: MonthLinks, path: string): Markup =>
  html`<div class="head calendar"><h2>${monthTitle(shown.month, view.language)}</h2>${monthTurns(view, shown, links)}</div>
${correctedNote(view, shown.corrected)}
${emptyMonth(view, shown, links)}
${monthTable(view, shown, links)}
${throughMonth(view, shown, links)}
${foot(view, path)}`

/** A list for another page; `path` is its own page. */
function embeddedList(view: View, list: EmbeddedList, path: string): Markup {
  const { words } = view
  const { events, running, repeats, previous, next, corrected } = list
  const turn = (name: 'prev' | 'next', href: string | undefined, text: string): Part =>
    href !== undefined && html`<a class="${name}" rel="${name}" target="_self" href="${href}">${text}</a>`
  const isEmpty = events.length + running.length === 0
  return html`<div class="head calendar"><h2>${words.upcoming}</h2></div>
${correctedNote(view, corrected)}
${isEmpty && html`<div class="nothing"><p>${words.none}</p></div>`}
${running.length > 0 && html`<section class="running" aria-labelledby="running"><h3 id="running">${words.on_now}</h3>${cards(view, running, repeats)}</section>`}
${daysOf(view, events, repeats)}
${(previous ?? next) !== undefined && html`<nav class="turn" aria-label="${words.pages}">${turn('prev', previous, words.previous_page)}${turn('next', next, words.next_page)}</nav>`}
${foot(view, path)}`
}

/** What is wrong, for another page. */
export const embeddedError = (view: View, title: string, text: string, path: string): Markup =>
  html`<div class="nothing" role="alert"><p>${title}</p>${text}</div>
${foot(view, path)}`

/** The filters have the names of the API, as in the attributes of the element. */
const NAMES = { category: 'categories', tag: 'tags' }
const MOST = 30
/** What a page may set in its frame: the tokens, and the form of their values, none of which can end a declaration. */
const COLOUR = /^[\da-f]{3,8}$/i
const GROUND = /^[\da-f]{3,8}$|^transparent$/i
const FONT = /^[\p{L}\p{N}][\p{L}\p{N} ,-]{0,199}$/u
const SETTABLE = {
  ...{ accent: COLOUR, ink: COLOUR, soft: COLOUR, paper: GROUND, raised: COLOUR },
  ...{ line: COLOUR, edge: COLOUR, wash: COLOUR, band: COLOUR, font: FONT, heading_font: FONT },
}
const TOKENS: Partial<Record<string, string>> = { font: 'sans', heading_font: 'serif' }
const LOOKS = Object.keys(SETTABLE) as (keyof typeof SETTABLE)[]

const UNDERSTOOD = [
  'view',
  'theme',
  ...LOOKS,
  'count',
  'month',
  ...LISTED.map((name) => NAMES[name as keyof typeof NAMES] ?? name),
]

const themeOf = (request: FastifyRequest): Theme => {
  const theme = textIn(request, 'theme')
  if (theme !== undefined && theme !== 'light' && theme !== 'dark')
    throw invalid({ theme: 'must be light or dark.' })
  return theme
}

/** The colours and fonts of an address. Throws 400 for a value that is none. */
const settableOf = (request: FastifyRequest): Looks =>
  Object.fromEntries(
    LOOKS.flatMap((name) => {
      const value = textIn(request, name)
      if (value === undefined) return []
      if (!SETTABLE[name].test(value))
        throw invalid({
          [name]: `must be ${SETTABLE[name] === FONT ? 'names of fonts' : 'a colour such as 0a6b4f'}.`,
        })
      return [[name, value]]
    }),
  )
const looksOf = (request: FastifyRequest): Looks => ({ theme: themeOf(request), ...settableOf(request) })

/** The tokens between a ground and an ink that a page sets, as parts of the ink. */
const BETWEEN = { raised: 4, wash: 8, line: 20, edge: 55, soft: 80 }

/** The style sheet with the colours and fonts of a frame. Its ground may be that of the page around it. */
function looksAsCss({ paper, ...looks }: Looks): string {
  const isClear = paper === 'transparent'
  const between = Object.entries(paper || looks.ink ? BETWEEN : {}).map(
    ([name, part]) => `--${name}:color-mix(in srgb,var(--ink) ${part}%,${isClear ? paper : 'var(--paper)'})`,
  )
  const given = Object.entries({ ...looks, ...(!isClear && paper && { paper }) }).map(
    ([name, value]) =>
      `--${TOKENS[name] ?? name}:${SETTABLE[name as keyof typeof SETTABLE] === FONT ? value : `#${value}`}`,
  )
  const rules = [...between, ...given, ...(isClear ? ['background:transparent'] : [])]
  return `:root:root:root{${rules.join(';')}}`
}

const countOf = (request: FastifyRequest): number => {
  const count = textIn(request, 'count') ?? String(MOST)
  if (!/^[1-9]\d?$/.test(count) || Number(count) > MOST) throw invalid({ count: `must be 1 to ${MOST}.` })
  return Number(count)
}

/** The query of the filters of an embed. */
const filtersOf = ({ category, tag, ...rest }: Filters) => ({ categories: category, tags: tag, ...rest })

/** `/embed/`, a month or list for a frame in any page, and `/embed.js`, which makes an element of it. */
export const embedPages = family('pages for other sites', async (app, service) => {
  const queries = openEventQueries(service)
  const readMonth = openMonths(service)

  async function month(view: View, request: FastifyRequest) {
    const month = monthIn(textIn(request, 'month') ?? view.now.slice(0, 7))
    const { shown, filters } = await readMonth(view, request, month, NAMES)
    const looks = looksOf(request)
    const own = { view: 'month', ...looks, ...filtersOf(filters) }
    const path = pathOf(view, '/embed/')
    const links: MonthLinks = {
      month: (month) => path + queryOf({ ...own, month }),
      day: (day) => pathOf(view, `/events/day/${day}/`) + queryOf(filters),
      present: path + queryOf(own),
      form: { action: '', filters: {} },
      stay: true,
    }
    const page = pathOf(view, `/events/month/${month}/`) + queryOf(filters)
    return embedPage(view, monthTitle(month, view.language), looks, embeddedMonth(view, shown, links, page))
  }

  async function list(view: View, request: FastifyRequest) {
    const per_page = countOf(request)
    const looks = looksOf(request)
    const listed = await queries.list(view, request, {}, {}, { names: NAMES, per_page })
    const { events, running, page, pages, filters, repeats, corrected } = listed
    const own = { view: 'list', ...looks, count: textIn(request, 'count'), ...filtersOf(filters) }
    const to = (number: number) =>
      number < 1 || number > pages
        ? undefined
        : pathOf(view, '/embed/') + queryOf({ ...own, page: number === 1 ? undefined : number })
    const shown = { events, running, repeats, corrected, previous: to(page - 1), next: to(page + 1) }
    const markup = embeddedList(view, shown, pathOf(view, '/events/') + queryOf(filters))
    return embedPage(view, view.words.upcoming, looks, markup)
  }

  const views = { month, list }
  addPage(
    app,
    service,
    '/embed',
    'list',
    UNDERSTOOD,
    async (view, request) => {
      const name = textIn(request, 'view') ?? 'list'
      if (!Object.hasOwn(views, name)) throw invalid({ view: 'must be month or list.' })
      return views[name as keyof typeof views](view, request)
    },
    'embed',
  )
  app.get(`${SITE}/embed.js`, { schema: { hide: true } }, (request, reply) =>
    sendPacked(request, reply, app.pages!.embed),
  )
  app.get(
    `${SITE}/embed.css`,
    { schema: { hide: true }, config: { page: 'embed', understands: LOOKS } },
    (request, reply) =>
      sendPacked(request, reply, pack(looksAsCss(settableOf(request)), FILE_TYPES['.css']!, AN_HOUR)),
  )
})
