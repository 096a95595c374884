import type { FastifyReply, FastifyRequest } from 'fastify'
import type {
  EventRecord,
  External,
  OrganizerRecord,
  Post,
  SeriesRecord,
  VenueRecord,
} from '../../calendar/formats/records.ts'
import { pageOf, pathIn } from '../../calendar/formats/urls.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { canEdit } from '../../calendar/rights.ts'
import type { View as Reading } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { secondsOf, toWall } from '../../kernel/time/dates.ts'
import { CONTEXT, structuredData } from '../feeds/formats/json.ts'
import {
  type Dates,
  dateInWords,
  datesOf,
  formerInWords,
  hoursInWords,
  inWords,
  isLong,
  isOff,
  machineTime,
  type Repeats,
  shortDay,
  struck,
  timeInWords,
  whenInWords,
  zoneOf,
} from './dates.ts'
import { briefs, notesOf, priceOf, titleLink } from './event-items.ts'
import { openEventQueries } from './event-queries.ts'
import type { Head } from './layout.ts'
import { headline, layout, preview } from './layout.ts'
import {
  addPage,
  apart,
  findPublished,
  findSeries,
  linkTo,
  linkToTerm,
  openLocalizing,
  redirectOf,
  routesOf,
  sendPage,
  slugOf,
  type View,
} from './page.ts'
import { picture } from './pictures.ts'
import { hasMap, placeOf } from './place.ts'
import { prose, summaryOf, webLink } from './prose.ts'
import { addToCalendar } from './subscribe.ts'
import { languageIn, nameOfLanguage } from './words.ts'

/** Some of the next events that have something in common with one. */
type MoreEvents = { events: EventRecord[]; repeats: Repeats }

/** What stands around an event. */
type EventContext = {
  previous: EventRecord | undefined
  next: EventRecord | undefined
  /** The translations that visitors may see. */
  translations: EventRecord[]
  /** The other dates of its series, if visitors may see that. */
  dates: Dates | undefined
  /** What is next at the same place, and with the same terms. */
  there: MoreEvents
  alike: MoreEvents
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
  html`<p><a href="${linkTo(view, venue)}"${apart(view, venue.title, venue.language)}>${venue.title}</a></p>${placeOf(view, venue)}`

const organizerOf = (view: View, organizer: OrganizerRecord): Markup =>
  html`<p><a href="${linkTo(view, organizer)}"${apart(view, organizer.title, organizer.language)}>${organizer.title}</a></p>`

/** When an event is: the day and the hours on lines of their own, or all of it in one if it is on several days; and when it was to be, if it was moved. */
function whenOf(view: View, event: EventRecord): Markup {
  const { start_date, all_day } = event
  const zone = zoneOf(event, view)?.name
  const isOne = !all_day && !isLong(event)
  const former =
    event.previous_start_date && fill(view.words.moved_from, { when: formerInWords(event, view.language) })
  return html`<p>${struck(event, html`<time datetime="${machineTime(event, start_date)}"${!all_day && html` data-here="${view.words.your_time}"`}>${isOne ? dateInWords(start_date, view.language) : whenInWords(event, view.language)}</time>`)}</p>
${isOne && html`<p>${struck(event, hoursInWords(event, view.language))}${zone && html` <span class="zone">${zone}</span>`}</p>`}${!isOne && zone && html`<p class="zone">${zone}</p>`}${former && html`<p class="zone">${former}</p>`}`
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
    ...(hasMoved
      ? venues.map(({ title, language }) => html`<p><s${apart(view, title, language)}>${title}</s></p>`)
      : []),
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
const termsOf = (view: View, { categories, tags }: EventRecord | SeriesRecord): Part =>
  categories.length + tags.length > 0 &&
  html`<ul class="terms">${[...categories, ...tags].map((term) => html`<li><a href="${linkToTerm(view, term)}"${apart(view, term.name, term.language)}>${term.name}</a></li>`)}</ul>`

/** The form that asks for the password of an event. It is sent in the body, so that it stands in no address and in no log. */
function passwordForm(view: View, event: EventRecord, refused: EventContext['refused']): Markup {
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

/** MoreEvents events under a heading; nothing without any. */
const moreOf = (view: View, id: string, title: string, { events, repeats }: MoreEvents): Part =>
  events.length > 0 &&
  html`<section class="more" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${briefs(view, events, repeats)}</section>`

function neighbours(view: View, { previous, next }: EventContext): Part {
  const { words } = view
  const link = (event: EventRecord | undefined, name: string, kind: string) =>
    event &&
    html`<p class="${kind}"><span>${name}</span> ${titleLink(view, event)}${notesOf(event, view)}</p>`
  return (
    (previous || next) &&
    html`<nav class="neighbours" aria-label="${words.more_events}">${link(previous, words.previous_event, 'previous')}${link(next, words.next_event, 'next')}</nav>`
  )
}

/** Why something does not take place as planned: in its language or, until there is a reason in it, in that of a translation, marked as such. */
function reasonOf<T extends EventRecord | SeriesRecord>(view: View, record: T, translations: T[]): Part {
  const { event_status } = record
  const given = [record, ...translations].find(
    (one) => one.event_status === event_status && one.event_status_reason,
  )
  if (!given) return ''
  const { language, event_status_reason: reason } = given
  const note =
    given !== record && fill(view.words.in_language, { language: languageIn(language, view.language) })
  return html`<span${apart(view, reason, language)}>${reason}</span>${note && html` <small>${note}</small>`}`
}

/** What to know first: that an event does not take place as planned, and why, or that it is over. */
export function stateOf<T extends EventRecord | SeriesRecord>(
  view: View,
  record: T,
  translations: T[],
  over = false,
): Part {
  const { words } = view
  const { event_status } = record
  if (over && !isOff(record)) return html`<p class="state">${words.over}</p>`
  return (
    event_status !== 'scheduled' &&
    html`<p class="state ${event_status}">${words[`${event_status}_long`]}${reasonOf(view, record, translations)}</p>`
  )
}

/** What the heads of the pages of an event and of a series have in common. */
export function headOf<T extends EventRecord | SeriesRecord>(
  view: View,
  record: T,
  translations: T[],
  isProtected: boolean,
): Head {
  const path = (one: T) => view.front.path + pageOf(one)
  return {
    title: record.title,
    description: summaryOf(record.excerpt || record.description),
    canonical: path(record),
    translations: Object.fromEntries([record, ...translations].map((one) => [one.language, path(one)])),
    sheet: 'record',
    hasMap: record.venues.some((venue) => hasMap(view, venue)),
    ...(record.image && preview(view, record.image)),
    ...(!isProtected && { data: dataOf(view, { '@context': CONTEXT, ...structuredData(record) }) }),
  }
}

/** The picture of a record at the top of its page. */
export const coverOf = (view: View, { image }: Pick<EventRecord, 'image'>): Part =>
  image &&
  html`<div class="cover">${picture(view, image, '(min-width: 60rem) 44rem, 100vw', { early: true, isContent: true })}</div>`

/** The excerpt and the description of an event or a series; nothing without both. */
export const textOf = (view: View, { excerpt, description, language }: EventRecord | SeriesRecord): Part =>
  (excerpt || description) &&
  html`<div${apart(view, '', language)}>${excerpt && html`<div class="lead">${prose(view, excerpt)}</div>`}${prose(view, description)}</div>`

/** The day of an event in large, where there is no picture; its facts say it as well. */
export function leafOf(view: View, event: EventRecord, label?: string): Markup {
  const { language, now } = view
  const { start_date: start, end_date: end } = event
  const year =
    start.slice(0, 4) === now.slice(0, 4) ? '' : ` ${inWords(start, language, { year: 'numeric' })}`
  return html`<p class="leaf" aria-hidden="true">${label && html`<span class="label">${label}</span>`}<span>${inWords(start, language, { weekday: 'long' })}</span>
<span class="number">${struck(event, inWords(start, language, { day: 'numeric' }))}</span>
<span>${inWords(start, language, { month: 'long' })}${year}</span>${isLong(event) && html` <span class="until">${fill(view.words.until, { date: shortDay(end, view) })}</span>`}</p>`
}

type Parts = {
  /** What stands in place of a picture. */
  day?: Part
  /** What stands below the title. */
  notes?: Part
  facts: Markup
  /** What one can do about it first, and the way into one's own calendar. */
  actions: Part
  text: Part
}

/** An event or a series with its title, its picture, its facts and its text. */
export function articleOf<T extends EventRecord | SeriesRecord>(
  view: View,
  record: T,
  translations: T[],
  { day, notes, facts, actions, text }: Parts,
): Markup {
  const { words, front } = view
  const { title, language, image } = record
  const other = (one: T, at: number) =>
    html`${at > 0 && ' · '}<a href="${front.path}${pageOf(one)}" hreflang="${one.language}" lang="${one.language}">${nameOfLanguage(one.language)}</a>`
  return html`<article class="frame event${!image && ' bare'}${!text && ' short'}"${record.kind === 'event' && html` data-event="${record.id}"`}>
<header>${!image && day}
<div class="title">${termsOf(view, record)}
${headline(view, title, language)}${notes}
${translations.length > 0 && html`<p class="translations">${words.also_in} ${translations.map(other)}</p>`}</div>
<div class="doing">${actions}${shareButton(view)}</div>
</header>
${coverOf(view, record)}
<aside>${facts}</aside>
${text && html`<div class="text">${text}</div>`}
</article>`
}

/** The page of one event. */
function eventPage(view: View, event: EventRecord, around: EventContext): Markup {
  const { words, front } = view
  const head: Head = {
    ...headOf(view, event, around.translations, around.isProtected),
    type: 'article',
    hidden: around.isProtected || event.hide_from_listings || around.preview !== undefined,
    preview: around.preview !== undefined,
  }
  const action = actionOf(event, around.over)
  const [place] = event.venues
  const isAddable = !around.isProtected && !around.over && !isOff(event)
  const notes = html`
${around.preview && html`<p class="state" role="note">${around.preview}</p>`}
${stateOf(view, event, around.translations, around.over)}`
  const facts = factsOf(
    view,
    event,
    [
      fact(words.when, whenOf(view, event)),
      around.dates && fact(words.repeats, datesOf(view, event, around.dates)),
    ],
    action,
    event.external ?? around.dates?.series.external,
  )
  const article = articleOf(view, event, around.translations, {
    day: leafOf(view, event),
    notes,
    facts,
    actions: [actionButton(view, action), isAddable && addToCalendar(view, event)],
    text: event.closed ? passwordForm(view, event, around.refused) : textOf(view, event),
  })
  return layout(
    view,
    head,
    html`${article}
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

/** A button that shares the address of a page, or another one, or copies it. It is hidden until the script knows that one of them works. */
export const shareButton = ({ words }: View, url?: string): Markup =>
  html`<div class="share" hidden${url && html` data-url="${url}"`}><button type="button" data-copied="${words.copied}">${words.share}</button> <span role="status"></span></div>`

/** Events from the beginning of a day on among which the next and the previous one are looked for: first a few, then many. */
const NEAR = [20, 200]
/** The other dates of its series on the page of an event, and the events at the same place or with the same terms. */
const MOST_DATES = 5
const MOST_MORE = 3

/** `/event/{slug}/`, and the password of a protected event, which is sent to it as a form. */
export const eventPages = family('pages of events', async (app, service) => {
  const show = openEvent(service)
  const { viewIn } = app.pages!

  addPage(app, service, '/event/:slug', 'read', [], async (view, request, isOwn) => {
    const post = await findPublished(service, 'event', slugOf(request))
    const elsewhere = await redirectOf(service, view, request, post, isOwn)
    if (elsewhere) return elsewhere
    return show(isOwn ? view : viewIn(post.language), request, post, {})
  })

  for (const { url, language, isOwn } of routesOf(service, '/event/:slug'))
    app.post(url, { schema: { hide: true }, config: { page: 'calendar' } }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const post = await findPublished(service, 'event', slugOf(request))
      const view = viewIn(isOwn ? language : post.language)
      const { password } = (request.body ?? {}) as { password?: unknown }
      if (post.password_hash === null || typeof password !== 'string' || password === '')
        return reply.redirect(linkTo(view, post), 303)
      return sendPage(
        reply,
        await unlock(service, request, reply, post, password, (reading, refused) =>
          show(view, request, post, { ...reading, refused }),
        ),
      )
    })
})

/** Shows an event with a password. If it is wrong, or too many were tried, the form is shown again with the reason. */
async function unlock<T>(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  post: Post,
  password: string,
  show: (reading: Pick<Reading, 'opens'>, refused?: EventContext['refused']) => T,
): Promise<T> {
  const opens = service.opens(request, password.slice(0, 255))!
  try {
    if (await opens(post.password_hash!)) return show({ opens })
    reply.code(403)
    return show({}, 'wrong')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 429) throw error
    reply.code(429).header('retry-after', String(error.data.retry_after))
    return show({}, 'busy')
  }
}

const NO_MORE: MoreEvents = { events: [], repeats: new Map() }

/** Reads what the page of an event shows. */
function openEvent(service: Service) {
  const { store, site } = service
  const queries = openEventQueries(service)
  const localize = openLocalizing(service)

  /** The IDs of the events before and after one in its language, in the order of lists. */
  async function idsAround({ id, language, start_date }: EventRecord) {
    const day = start_date.slice(0, 10)
    for (const count of NEAR) {
      const later = await queries.around(language, day, '>=', count)
      const at = later.indexOf(id)
      if (at < 0 || at === count - 1) continue
      const [before] = at > 0 ? [later[at - 1]] : await queries.around(language, day, '<', 1)
      return { before, after: later[at + 1] }
    }
    return {}
  }

  /** The next dates of the series of an event beside its own; undefined for a single event. */
  async function otherDatesOf(view: View, { id, occurrence }: EventRecord) {
    const series = occurrence && (await findSeries(service, occurrence.series_id))
    if (!series) return undefined
    const { events, total } = await queries.dates(view, series.id, MOST_DATES + 1)
    const others = events.filter((one) => one.id !== id)
    const next = others.slice(0, MOST_DATES)
    return { series, next, more: total - (events.length - others.length) - next.length }
  }

  /** The next events that have something in common with one, without those of its series, and without some others. */
  async function moreOf(
    view: View,
    event: EventRecord,
    query: Parameters<typeof queries.next>[1],
    without: EventRecord[],
  ): Promise<MoreEvents> {
    const series = event.occurrence?.series_id
    const left = new Set([event, ...without].map(({ id }) => id))
    const { events, repeats } = await queries.next(view, query, event.language, MOST_MORE + left.size + 1)
    const others = events.filter(
      ({ id, occurrence }) => !left.has(id) && (series === undefined || occurrence?.series_id !== series),
    )
    return { events: others.slice(0, MOST_MORE), repeats }
  }

  /** What is next at the place of an event, and what else has its categories; if it has none, its tags. */
  async function moreAround(view: View, event: EventRecord) {
    const { venues, categories, tags } = event
    const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)
    const there = venues[0] ? await moreOf(view, event, { venue: [venues[0].id] }, []) : NO_MORE
    const terms = categories.length > 0 ? { categories: idsOf(categories) } : { tags: idsOf(tags) }
    const alike =
      categories.length + tags.length > 0 ? await moreOf(view, event, terms, there.events) : NO_MORE
    return { there, alike }
  }

  return async (
    view: View,
    request: FastifyRequest,
    post: Post,
    {
      opens,
      refused,
      preview,
      caller,
    }: Pick<Reading, 'opens'> & Pick<EventContext, 'refused' | 'preview'> & { caller?: Reading['caller'] },
  ) => {
    const read = opens
      ? await store.records.posts([post.id], { caller, opens })
      : await store.published([post.id])
    const [event] = (await localize(view, read as EventRecord[])) as [EventRecord]
    const end = secondsOf(event.utc_end_date) * 1000
    const over = end <= site.clock()
    const isProtected = post.password_hash !== null
    const more = isProtected ? { there: NO_MORE, alike: NO_MORE } : await moreAround(view, event)
    // it is another page when the event has ended, or one of the next ones has begun
    const starts = [more.there, more.alike].flatMap(({ events }) =>
      events.map(({ utc_start_date }) => secondsOf(utc_start_date) * 1000),
    )
    const until = Math.min(...starts, over ? Number.POSITIVE_INFINITY : end)
    if (Number.isFinite(until)) request.until = until
    const { before, after } = await idsAround(event)
    const ids = [before, after].filter((id) => id !== undefined)
    const others = await store.published([...ids, ...Object.values(event.translations)])
    const byId = new Map(others.map((one) => [one.id, one]))
    const translations = Object.values(event.translations).map((id) => byId.get(id)!)
    return eventPage(view, event, {
      previous: byId.get(before!),
      next: byId.get(after!),
      translations: translations.filter(({ status }) => status === 'publish'),
      dates: await otherDatesOf(view, event),
      ...more,
      over,
      isProtected,
      refused,
      preview,
    })
  }
}

/** `/preview/{key}`: the page of an event as visitors will see it, for whoever has the address. No cache keeps it. */
export const previewPages = family('previews on pages', async (app, service) => {
  const { store, site } = service
  const show = openEvent(service)

  app.get(
    `${SITE}/preview/:key`,
    { schema: { hide: true }, config: { page: 'preview', costs: true } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      const { key } = request.params as { key: string }
      const page = await store.consistently(request, async () => {
        const preview = await store.previews.read(key)
        const post = preview && (await store.posts.byId('event', preview.event))
        if (!post || post.status === 'trash' || !canEdit(preview.caller, post))
          throw new ApiError('rest_no_route', 'This preview has ended.', { preview: 'over' })
        const view = app.pages!.viewIn(post.language)
        const time = timeInWords(toWall(preview.until, site.zone), post.language)
        return show(view, request, post, {
          opens: async () => true,
          // what came with a submission is published with it
          caller: await store.submissions.viewerOf(post),
          preview: fill(view.words.preview_until, { time }),
        })
      })
      return sendPage(reply, page)
    },
  )
})
