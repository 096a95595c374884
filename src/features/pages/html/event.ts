import { pageOf, pathIn } from '../../../calendar/formats/paths.ts'
import type {
  EventRecord,
  External,
  OrganizerRecord,
  SeriesRecord,
  VenueRecord,
} from '../../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { fill } from '../../../kernel/text/words.ts'
import { addDays, startOfDay } from '../../../kernel/time/dates.ts'
import { CONTEXT, structuredData } from '../../feeds/formats/linked-data.ts'
import { nameOfLanguage } from '../words.ts'
import {
  type Dates,
  dateInWords,
  datesOf,
  formerInWords,
  hoursInWords,
  isLong,
  machineTime,
  type Repeats,
  whenInWords,
  zoneOf,
} from './dates.ts'
import { briefs, priceOf, titleLink } from './entries.ts'
import { absolute, headline, layout, preview } from './layout.ts'
import { picture } from './pictures.ts'
import { addressOf, hasMap, placeOf } from './place.ts'
import { prose, summaryOf, webLink } from './prose.ts'
import { linkTo, linkToTerm, type View } from './view.ts'

/** Some of the next events that have something in common with one. */
export type More = { events: EventRecord[]; repeats: Repeats }

/** What stands around an event. */
export type Around = {
  previous: EventRecord | undefined
  next: EventRecord | undefined
  /** The translations that visitors may see. */
  translations: EventRecord[]
  /** The other dates of its series, if visitors may see that. */
  dates: Dates | undefined
  /** What is next at the same place, and with the same terms. */
  there: More
  alike: More
  /** Whether the event has ended. */
  over: boolean
  /** Whether it has a password, also if this page shows it. */
  isProtected: boolean
  /** Why the event stays closed after a password was sent. */
  refused?: 'wrong' | 'busy' | undefined
  /** What marks the page as a preview; undefined for a page that visitors find. */
  preview?: string | undefined
}

/** An object for machines, as text, whose addresses begin with that of the site. */
export const dataOf = ({ front }: View, data: object): string =>
  JSON.stringify(data).replaceAll('\\u0001', JSON.stringify(front.base).slice(1, -1))

/** A line of the facts of a record; nothing without a value. */
export const fact = (name: string, value: Part) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`

const venueOf = (view: View, venue: VenueRecord): Markup =>
  html`<p><a href="${linkTo(view, venue)}">${venue.title}</a></p>${placeOf(view, venue)}`

const organizerOf = (view: View, organizer: OrganizerRecord): Markup =>
  html`<p><a href="${linkTo(view, organizer)}">${organizer.title}</a></p>`

/** When an event is: the day and the hours on lines of their own, or all of it in one if it is on several days; and when it was to be, if it was moved. */
function whenOf(view: View, event: EventRecord): Markup {
  const { start_date, all_day } = event
  const zone = zoneOf(event, view)?.name
  const isOne = !all_day && !isLong(event)
  const isOff = ['cancelled', 'postponed'].includes(event.event_status)
  const off = (text: Part): Part => (isOff ? html`<s>${text}</s>` : text)
  const former =
    event.previous_start_date && fill(view.words.moved_from, { when: formerInWords(event, view.language) })
  return html`<p>${off(html`<time datetime="${machineTime(event, start_date)}"${!all_day && html` data-here="${view.words.your_time}"`}>${isOne ? dateInWords(start_date, view.language) : whenInWords(event, view.language)}</time>`)}</p>
${isOne && html`<p>${off(hoursInWords(event, view.language))}${zone && html` <span class="zone">${zone}</span>`}</p>`}${!isOne && zone && html`<p class="zone">${zone}</p>`}${former && html`<p class="zone">${former}</p>`}`
}

/** Where an event is: its venues, and whether and where it is online. The link to it may stand elsewhere, and of what moved online the venue is struck out. */
function whereOf(
  view: View,
  { venues, attendance_mode, virtual_url, event_status }: EventRecord | SeriesRecord,
  action: Action | undefined,
): Part {
  const { words } = view
  const hasMoved = event_status === 'moved_online'
  const mode = hasMoved ? 'online' : attendance_mode
  const online = { offline: '', online: words.online, mixed: words.online_too }[mode]
  const all = [
    ...(hasMoved ? [] : venues.map((venue) => venueOf(view, venue))),
    online && !venues.some(({ title }) => title === online) && html`<p>${online}</p>`,
    virtual_url && virtual_url !== action?.url && html`<p>${webLink(virtual_url, words.join_online)}</p>`,
    ...(hasMoved ? venues.map(({ title }) => html`<p><s>${title}</s></p>`) : []),
  ].filter(Boolean)
  return all.length > 0 && all
}

/** How the name of a source looks that is the host of a site. */
const HOST = /^[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?$/i

/** The site that an event was taken from, with a link to its page there; nothing if it was made here, or its source is no site. */
const originOf = (website: string, external: External | null | undefined): Part =>
  external && HOST.test(external.source) && (website ? webLink(website, external.source) : external.source)

/** The facts of an event or a series after when it is. What one can do about it has a button of its own, and a date of a series comes from where that does. */
export function factsOf(
  view: View,
  event: EventRecord | SeriesRecord,
  first: Part[],
  action?: Action,
  external = event.external,
): Markup {
  const { words } = view
  const { organizers } = event
  const website = action?.url === event.website ? '' : event.website
  return html`<dl class="facts">
${first}
${fact(words.where, whereOf(view, event, action))}
${fact(words.price, priceOf(event, view))}
${fact(
  organizers.length > 1 ? words.organizers : words.organizer,
  organizers.length > 0 && organizers.map((organizer) => organizerOf(view, organizer)),
)}
${fact(words.website, website && webLink(website))}
${fact(words.comes_from, originOf(event.website, external))}
</dl>`
}

/** The categories and tags of a record as links; nothing without any. */
export const termsOf = (view: View, { categories, tags }: EventRecord | SeriesRecord): Part =>
  categories.length + tags.length > 0 &&
  html`<ul class="terms">${[...categories, ...tags].map((term) => html`<li><a href="${linkToTerm(view, term)}">${term.name}</a></li>`)}</ul>`

/** The form that asks for the password of an event. It is sent in the body, so that it stands in no address and in no log. */
function passwordForm(view: View, event: EventRecord, refused: Around['refused']): Markup {
  const { words } = view
  const problem =
    refused === 'busy' ? words.password_busy : refused === 'wrong' ? words.password_wrong : undefined
  return html`<form class="password" method="post" action="${linkTo(view, event)}">
<p>${words.protected_long}</p>
${problem && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<p><label for="password">${words.password}</label> <input id="password" name="password" type="password" required maxlength="255" autocomplete="off"${problem && html` aria-invalid="true" aria-describedby="problem"`}></p>
<p><button>${words.open}</button></p>
</form>`
}

/** More events under a heading; nothing without any. */
const moreOf = (view: View, id: string, title: string, { events, repeats }: More): Part =>
  events.length > 0 &&
  html`<section class="more" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${briefs(view, events, repeats)}</section>`

function neighbours(view: View, { previous, next }: Around): Part {
  const { words } = view
  const link = (event: EventRecord | undefined, name: string, kind: string) =>
    event && html`<p class="${kind}"><span>${name}</span> ${titleLink(view, event)}</p>`
  return (
    (previous || next) &&
    html`<nav class="neighbours" aria-label="${words.more_events}">${link(previous, words.previous_event, 'previous')}${link(next, words.next_event, 'next')}</nav>`
  )
}

/** What to know first: that an event does not take place as planned, and why, or that it is over. */
function stateOf({ words }: View, event: EventRecord, { over }: Around): Part {
  const { event_status, event_status_reason: reason } = event
  if (event_status !== 'scheduled')
    return html`<p class="state ${event_status}">${words[`${event_status}_long`]}${reason && html`<span>${reason}</span>`}</p>`
  return over && html`<p class="state">${words.over}</p>`
}

/** The page of one event. */
export function eventPage(view: View, event: EventRecord, around: Around): Markup {
  const { words, front } = view
  const { image, closed } = event
  const canonical = front.path + pageOf(event)
  const others = around.translations.map((one) => [one.language, front.path + pageOf(one)] as const)
  const head = {
    title: event.title,
    description: summaryOf(event.excerpt || event.description),
    canonical,
    translations: Object.fromEntries([[event.language, canonical], ...others]),
    type: 'article' as const,
    sheet: 'record' as const,
    hidden: around.isProtected || event.hide_from_listings || around.preview !== undefined,
    preview: around.preview !== undefined,
    hasMap: event.venues.some((venue) => hasMap(view, venue)),
    ...(image && preview(view, image)),
    ...(!around.isProtected && { data: dataOf(view, { '@context': CONTEXT, ...structuredData(event) }) }),
  }
  const action = actionOf(event, around.over)
  const [place] = event.venues
  const isAddable = !around.isProtected && !['cancelled', 'postponed'].includes(event.event_status)
  const lead = event.excerpt && html`<div class="lead">${prose(view, event.excerpt)}</div>`
  return layout(
    view,
    head,
    html`<article class="frame event${!image && ' bare'}"${event.language !== view.language && html` lang="${event.language}"`}>
<header>
${termsOf(view, event)}
${headline(event.title)}
${around.preview && html`<p class="state" role="note">${around.preview}</p>`}
${stateOf(view, event, around)}
${others.length > 0 && html`<p class="translations">${words.also_in} ${others.map(([to, path], at) => html`${at > 0 && ' · '}<a href="${path}" hreflang="${to}" lang="${to}">${nameOfLanguage(to)}</a>`)}</p>`}
</header>
${image && html`<div class="cover">${picture(view, image, '(min-width: 60rem) 44rem, 100vw', { early: true, within: event.language })}</div>`}
<aside>${actionButton(view, action)}${factsOf(view, event, [fact(words.when, whenOf(view, event)), around.dates && fact(words.repeats, datesOf(view, event, around.dates))], action, event.external ?? around.dates?.series.external)}
<div class="doing">${isAddable && addTo(view, event)}${shareButton(view)}</div></aside>
<div class="text">${closed ? passwordForm(view, event, around.refused) : html`${lead}${prose(view, event.description)}`}</div>
</article>
<div class="frame">${place && moreOf(view, 'there', fill(words.more_there_at, { place: place.title }), around.there)}
${moreOf(view, 'alike', words.more_alike, around.alike)}
${neighbours(view, around)}
<p class="other"><a href="${pathIn(front, view.language, '/events/')}">${words.back}</a></p></div>`,
  )
}

/** The one thing to do about an event, with the address that it is at. */
type Action = { name: 'tickets' | 'visit' | 'join_online'; url: string }

/** What to do about an event: get tickets, take part online, or read more; undefined if it is over or does not take place, or has no address. */
function actionOf(event: EventRecord, isOver: boolean): Action | undefined {
  const { website, virtual_url, ticketed, event_status, attendance_mode } = event
  if (isOver || event_status === 'cancelled') return undefined
  const isPlanned = event_status !== 'postponed'
  if (website && ticketed && isPlanned) return { name: 'tickets', url: website }
  const isOnline = event_status === 'moved_online' || attendance_mode === 'online'
  if (virtual_url && isPlanned && (isOnline || !website)) return { name: 'join_online', url: virtual_url }
  return website ? { name: 'visit', url: website } : undefined
}

/** A button that says what it does and where it leads. */
const actionButton = ({ words }: View, action: Action | undefined): Part =>
  action &&
  html`<p class="action"><a class="button" href="${action.url}" rel="noopener">${words[action.name]}</a> <span>${new URL(action.url).host.replace(/^www\./, '')}</span></p>`

/** A button that shares the address of a page, or copies it. It is hidden until the script knows that one of them works. */
export const shareButton = ({ words }: View): Markup =>
  html`<div class="share" hidden><button type="button" data-copied="${words.copied}">${words.share}</button> <span role="status"></span></div>`

/** A time in UTC as iCalendar has it, and the day of a local time. */
const compact = (utc: string) => `${utc.replace(/[-:]/g, '').replace(' ', 'T')}Z`
const dayOf = (wall: string) => wall.slice(0, 10)

/** The description and the place of an event for web calendars. */
function detailsOf(view: View, event: EventRecord) {
  const [venue] = event.venues
  const address = absolute(view, linkTo(view, event))
  const summary = summaryOf(event.excerpt || event.description, 500)
  return {
    details: summary ? `${summary}\n\n${address}` : address,
    location:
      event.event_status === 'moved_online'
        ? event.virtual_url
        : venue
          ? [venue.title, addressOf(venue)].filter(Boolean).join(', ')
          : '',
  }
}

/** The address at which Google Calendar offers to add an event. Its all-day events end on the day after the last. */
function googleLink(event: EventRecord, { details, location }: ReturnType<typeof detailsOf>): string {
  const day = (wall: string) => dayOf(wall).replaceAll('-', '')
  const dates = event.all_day
    ? `${day(event.start_date)}/${day(addDays(startOfDay(event.end_date), 1))}`
    : `${compact(event.utc_start_date)}/${compact(event.utc_end_date)}`
  const query = { action: 'TEMPLATE', text: event.title, dates, details, location }
  return `https://calendar.google.com/calendar/render?${new URLSearchParams(query)}`
}

/** The address at which Outlook on the web offers to add an event. */
function outlookLink(event: EventRecord, { details, location }: ReturnType<typeof detailsOf>): string {
  const at = (utc: string) => `${utc.replace(' ', 'T')}Z`
  const query = {
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title,
    ...(event.all_day
      ? {
          startdt: dayOf(event.start_date),
          enddt: dayOf(addDays(startOfDay(event.end_date), 1)),
          allday: 'true',
        }
      : { startdt: at(event.utc_start_date), enddt: at(event.utc_end_date) }),
    body: details,
    location,
  }
  return `https://outlook.live.com/calendar/0/deeplink/compose?${new URLSearchParams(query)}`
}

/** The ways to add an event to one's own calendar. */
function addTo(view: View, event: EventRecord): Markup {
  const { front, words } = view
  const details = detailsOf(view, event)
  return html`<details class="add"><summary>${words.add}</summary><ul>
<li><a href="${front.path}${front.api}/events/${event.id}.ics">${words.add_file}</a></li>
<li><a href="${googleLink(event, details)}" rel="noopener">${words.add_google}</a></li>
<li><a href="${outlookLink(event, details)}" rel="noopener">${words.add_outlook}</a></li>
</ul></details>`
}
