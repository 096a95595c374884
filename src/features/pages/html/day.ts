import { queryOf } from '../../../calendar/formats/paths.ts'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import { later } from '../../../calendar/time/month.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { counted, fill } from '../words.ts'
import { type Head, layout } from './layout.ts'
import { paging } from './list.ts'
import { asTitle, dayInWords, inWords, shortDay } from './parts/dates.ts'
import { described, graphOf } from './parts/described.ts'
import { cards, entry } from './parts/entries.ts'
import { type Choices, type Corrected, correctedNote, type Filters, filterForm } from './parts/filters.ts'
import { pathOf, type View } from './view.ts'

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
export function dayPage(view: View, head: Head, shown: Day): Markup {
  const { words, language, now } = view
  const { day, starting, running, total, page, pages, filters, choices } = shown
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
    },
    html`<div class="frame">
<div class="head calendar"><h1>${day === now.slice(0, 10) && html`<span class="near">${words.today}</span> `}<time datetime="${day}">${title}</time></h1>${turns(view, shown)}</div>
${filterForm(view, choices, filters, path)}
${correctedNote(view, shown.corrected)}
${total === 0 ? nothing(view, shown) : html`<p class="total">${counted(words.count, total, language)}${pages > 1 && html` · ${fill(words.page_of, { page, pages })}`}</p>`}
${starting.length > 0 && html`<h2 class="unseen">${words.events}</h2><ul class="entries">${starting.map((event) => entry(view, event))}</ul>`}
${running.length > 0 && html`<section class="running" aria-labelledby="running"><h2 id="running">${words.still_on}</h2>${cards(view, running)}</section>`}
${paging(view, path, { page, pages, filters })}
</div>`,
  )
}
