import type { EventRecord } from '../../calendar/formats/records.ts'
import { family } from '../../calendar/resource/service.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { nextDay, secondsOf } from '../../kernel/time/dates.ts'
import { shareButton } from './event.ts'
import { daysOf } from './event-items.ts'
import { idsIn, openEventQueries } from './event-queries.ts'
import { absolute, described, headline, layout } from './layout.ts'
import { addPage, MY_LIST, pathOf, pathsIn, subscribePath, type View } from './page.ts'
import { counted } from './words.ts'

/** The events of a list that someone made, those to come and those that are over, in the order of time; and how many are no longer there. */
type Starred = Record<'coming' | 'over', EventRecord[]> & { gone: number }

/** Events of a list that are shown with their pictures and texts; longer lists are shown in short. */
const MOST_IN_FULL = 30
const inShort = (event: EventRecord): EventRecord => ({ ...event, image: null, excerpt: '', description: '' })

/** The address of a list below the language, with the IDs of its events. */
const addressOf = (ids: string): string => `${MY_LIST}?events=${ids}`

/** The events of a list by day, and what to do with it. The script shows this part in the page of the visitor's own list as well. */
function starredEvents(view: View, { coming, over, gone }: Starred): Markup {
  const { words, language } = view
  const all = [...coming, ...over]
  const ids = all.map(({ id }) => id).join()
  const days = (events: EventRecord[]) =>
    daysOf(view, all.length > MOST_IN_FULL ? events.map(inShort) : events)
  const link = pathOf(view, addressOf(ids))
  return html`${all.length > 0 && html`<div class="take"><div class="doing">${shareButton(view, absolute(view, link))}<a class="button" href="${subscribePath(view, { include: ids })}">${words.subscribe}</a><a href="${link}">${words.list_link}</a></div><p>${words.list_feed}</p></div>`}
<p class="total">${counted(words.count, all.length, language)}${gone > 0 && html` <span>${counted(words.list_gone, gone, language)}</span>`}</p>
${coming.length > 0 && days(coming)}
${over.length > 0 && html`<section class="over" aria-labelledby="over"><h2 id="over">${words.past_events}</h2>${days(over)}</section>`}`
}

/** The page of an own list, which only the browser knows. */
function ownPage(view: View): Markup {
  const { words } = view
  return page(
    view,
    { title: words.my_list, lead: words.list_lead },
    html`<div class="empty"><h2>${words.list_empty}</h2><p>${words.list_empty_long}</p><noscript><p>${words.list_script}</p></noscript>
<p><a class="button" href="${pathOf(view, '/events/')}">${words.upcoming}</a></p></div>`,
  )
}

/** The page of a list that its address has. */
function sharedPage(view: View, starred: Starred): Markup {
  const { words } = view
  const all = [...starred.coming, ...starred.over]
  return page(
    view,
    { title: words.shared_list, lead: words.shared_list_long, events: all },
    starredEvents(view, starred),
    html`<div class="keep" hidden><button type="button">${words.keep_list}</button> <span role="status" data-kept="${words.list_kept}"></span> <a href="${pathOf(view, MY_LIST)}">${words.open_list}</a></div>`,
  )
}

function page(
  view: View,
  { title, lead, events }: { title: string; lead: string; events?: EventRecord[] },
  main: Markup,
  actions?: Part,
): Markup {
  const known = events ? addressOf(events.map(({ id }) => id).join()) : MY_LIST
  return layout(
    view,
    {
      title,
      description: lead,
      ...(events && described(view, title, events, events.length)),
      canonical: pathOf(view, known),
      translations: pathsIn(view.front, known),
      current: 'list',
      sheet: 'record',
      hidden: events !== undefined,
    },
    html`<div class="frame">
<div class="head">${headline(view, title)}<div class="lead"><p>${lead}</p></div>${actions}</div>
<div id="starred">${main}</div>
</div>`,
  )
}

/** `/events/my-list/`: the events that a visitor starred, of which only their browser knows; with IDs in the address, a list that was shared. */
export const myListPages = family('the page of starred events', async (app, service) => {
  const { site } = service
  const queries = openEventQueries(service)
  const endOf = ({ utc_end_date }: EventRecord) => secondsOf(utc_end_date) * 1000

  addPage(app, service, MY_LIST.slice(0, -1), 'list', ['events'], async (view, request) => {
    const ids = idsIn(request, 'events')
    if (!ids) return ownPage(view)
    const now = site.clock()
    const events = await queries.named(view, ids)
    const coming = events.filter((event) => endOf(event) > now)
    const over = events.filter((event) => endOf(event) <= now)
    // days have other names tomorrow, and events end
    request.until = Math.min(nextDay(now, site.zone), ...coming.map(endOf))
    return sharedPage(view, { coming, over, gone: ids.length - events.length })
  })
})
