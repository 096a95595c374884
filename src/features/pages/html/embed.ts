import type { EventRecord } from '../../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { directionOf } from '../words.ts'
import type { Repeats } from './dates.ts'
import { cards, daysOf } from './entries.ts'
import { type Corrected, correctedNote } from './filters.ts'
import { stylesOf } from './layout.ts'
import {
  emptyMonth,
  monthTable,
  monthTitle,
  monthTurns,
  type Shown,
  throughMonth,
  type Ways,
} from './month.ts'
import type { View } from './view.ts'

/** Colours that do not follow the settings of the visitor. */
export type Theme = 'light' | 'dark' | undefined

/** A list of events without the rest of the calendar. */
type EmbeddedList = {
  events: EventRecord[]
  running: EventRecord[]
  /** The pages before and after this one. */
  previous: string | undefined
  next: string | undefined
  repeats: Repeats
  corrected?: Corrected | undefined
}

/**
 * A document for a frame in another page. The element `almanac-calendar` takes the part with the class `embed`. Links leave the frame,
 * except those with the target `_self`.
 */
export function embedPage(view: View, title: string, theme: Theme, main: Markup): Markup {
  const { front, language } = view
  const dir = directionOf(language)
  return html`<!doctype html>
<html lang="${language}" dir="${dir}"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${front.name}</title>
<meta name="robots" content="noindex">
<base target="_top">
${stylesOf(front, main, 'month').map((path) => html`<link rel="stylesheet" href="${path}">`)}
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
export const embeddedMonth = (view: View, shown: Shown, ways: Ways, path: string): Markup =>
  html`<div class="head calendar"><h2>${monthTitle(shown.month, view.language)}</h2>${monthTurns(view, shown, ways)}</div>
${correctedNote(view, shown.corrected)}
${emptyMonth(view, shown, ways)}
${monthTable(view, shown, ways)}
${throughMonth(view, shown, ways)}
${foot(view, path)}`

/** A list for another page; `path` is its own page. */
export function embeddedList(view: View, list: EmbeddedList, path: string): Markup {
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
