import type { EventRecord } from '../../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { counted } from '../words.ts'
import { type Head, headline, layout } from './layout.ts'
import { dayLinks, type Listed, otherTime, runningOf, topics } from './list.ts'
import { described, graphOf } from './parts/described.ts'
import { briefs, cards, daysOf } from './parts/entries.ts'
import { type Choices, filterForm } from './parts/filters.ts'
import type { Repeats } from './parts/repeats.ts'
import { pathOf, type View } from './view.ts'

/** Some events of a kind, and how many of it there are. */
export type Some = { events: EventRecord[]; total: number; repeats: Repeats }

/** What the first page of a site shows. */
export type Home = {
  highlights: Some
  weekend: Some
  /** The next events after those. */
  listed: Listed
  /** Those that were added last. */
  added: Some
  choices: Choices
}

/** Events under a heading, and the way to all of them if there are more. */
const sectionOf = (id: string, title: string, main: Markup, more?: Part): Markup =>
  html`<section class="highlights" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${main}${more}</section>`

/** The first page of a site: highlights, what is on now and at the weekend, what comes next, and what is new. The calendar itself is `/events/`. */
export function homePage(
  view: View,
  head: Head,
  { highlights, weekend, listed, added, choices }: Home,
): Markup {
  const { words, language } = view
  const { events, total, running, repeats } = listed
  const all = pathOf(view, '/events/')
  const isEmpty = [highlights, weekend, added].every(({ events: some }) => some.length === 0)
  const shown = [...highlights.events, ...weekend.events, ...events]
  const more = weekend.total > weekend.events.length
  return layout(
    view,
    {
      ...head,
      ...described(view, words.upcoming, shown, total),
      list: graphOf(view, [...new Set(shown)]),
      current: 'events',
    },
    html`<div class="frame">
<div class="head">${headline(words.upcoming)}${dayLinks(view, listed)}${topics(view, choices.categories)}</div>
${filterForm(view, choices, {}, all)}
${highlights.events.length > 0 && sectionOf('highlights', words.highlights, cards(view, highlights.events, highlights.repeats))}
<div id="results">${runningOf(view, all, listed)}
${weekend.events.length > 0 && sectionOf('weekend', words.this_weekend, briefs(view, weekend.events, weekend.repeats), more && html`<p class="other"><a href="${pathOf(view, '/events/weekend/')}">${words.weekend_all}</a></p>`)}
${events.length > 0 && sectionOf('next', words.next_up, daysOf(view, events, repeats))}
${isEmpty && events.length + running.length === 0 && html`<div class="empty"><h2>${words.none}</h2><p>${words.none_hint}</p></div>`}
<p class="other"><a class="button" href="${all}">${words.whole_calendar}</a> ${total > 0 && counted(words.count, total, language)}</p></div>
${added.events.length > 0 && sectionOf('added', words.added, briefs(view, added.events, added.repeats))}
${otherTime(view, all, {})}
</div>`,
  )
}
