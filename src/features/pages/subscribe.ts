import type { FastifyRequest } from 'fastify'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { queryOf } from '../../calendar/formats/urls.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { invalid } from '../../kernel/errors.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { addDays, startOfDay } from '../../kernel/time/dates.ts'
import { termsNamed, textIn, unnamed } from './event-queries.ts'
import { absolute, feedsOf, headline, layout } from './layout.ts'
import { addPage, linkTo, pathOf, pathsIn, SUBSCRIBED, type Subscribed, type View } from './page.ts'
import { addressOf } from './place.ts'
import { summaryOf } from './prose.ts'
import type { Words } from './words.ts'

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
export function addToCalendar(view: View, event: EventRecord): Markup {
  const { front, words } = view
  const details = detailsOf(view, event)
  return html`<details class="add"><summary>${words.add}</summary><ul>
<li><a href="${front.path}${front.api}/events/${event.id}.ics">${words.add_file}</a></li>
<li><a href="${googleLink(event, details)}" rel="noopener">${words.add_google}</a></li>
<li><a href="${outlookLink(event, details)}" rel="noopener">${words.add_outlook}</a></li>
</ul></details>`
}

/** A way to subscribe: its name, what it does, and a link to it. */
const way = (name: string, about: string, link: Part): Markup =>
  html`<li><h3>${name}</h3><p>${about}</p><p>${link}</p></li>`

/** An address that breaks after its parts. */
const breaking = (address: string): Markup[] =>
  address.split(/(?<=[/?&])(?=[^/])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)

/** The page that says how to get the events of a list into a calendar or a reader. `names` say in words what is filtered. */
function subscribePage(view: View, filters: Subscribed, names: string[]): Markup {
  const { words, front } = view
  const [calendar, ...feeds] = feedsOf(view, filters)
  const address = absolute(view, calendar!.href)
  const webcal = address.replace(/^https?:/, 'webcal:')
  const google = `https://calendar.google.com/calendar/render?${new URLSearchParams({ cid: webcal })}`
  const name = [front.name, ...names].join(' · ')
  const outlook = `https://outlook.live.com/calendar/0/addfromweb?${new URLSearchParams({ url: address, name })}`
  const button = (href: string, text: string) =>
    html`<a class="button" href="${href}" rel="noopener">${text}</a>`
  const about: Record<string, string> = {
    RSS: words.rss_long,
    Atom: words.atom_long,
    'JSON Feed': words.json_long,
  }
  const page = '/events/subscribe/'
  const byMail = pathOf(view, '/events/digest/') + queryOf({ category: filters.categories, q: filters.q })
  return layout(
    view,
    {
      title: [words.subscribe, ...names].join(' · '),
      description: words.subscribe_lead,
      canonical: pathOf(view, page),
      translations: pathsIn(front, page),
      feeds: filters,
      hidden: names.length > 0,
    },
    html`<div class="frame">
<div class="head">${names.length > 0 && html`<p class="kind">${names.join(' · ')}</p>`}${headline(words.subscribe)}<div class="lead"><p>${words.subscribe_lead}</p></div></div>
<section class="ways" aria-labelledby="calendars"><h2 id="calendars">${words.in_calendars}</h2><ul>
${way(words.on_device, words.on_device_long, button(webcal, words.open_program))}
${way(words.add_google, words.google_long, button(google, words.open_google))}
${way(words.add_outlook, words.outlook_long, button(outlook, words.open_outlook))}
${way(words.calendar_address, words.calendar_address_long, html`<code>${breaking(address)}</code>`)}
</ul></section>
${
  front.mails &&
  html`<section class="ways" aria-labelledby="mail"><h2 id="mail">${words.digest_by_mail}</h2><ul><li><p>${words.digest_by_mail_long}</p><p><a class="button" href="${byMail}">${words.digest_choose}</a></p></li></ul></section>`
}
<section class="ways" aria-labelledby="readers"><h2 id="readers">${words.in_readers}</h2><ul>
${feeds.map(({ name, href }) => way(name, about[name]!, html`<a href="${href}">${breaking(absolute(view, href))}</a>`))}
</ul></section>
<p class="other"><a href="${pathOf(view, '/events/')}">${words.back}</a></p>
</div>`,
  )
}

/** What is attended online, as the feeds of pages say it. */
const ONLINE = 'online,mixed'
/** A longer search is refused by its feed. */
const LONGEST = 200

/** What the filters of a feed are called. Throws 404 for a name that nothing has, and 400 for a value that is none. */
async function namesOf(service: Service, words: Words, filters: Subscribed): Promise<string[]> {
  const { q, search, attendance_mode, free } = filters
  const names: string[] = []
  for (const typed of [q, search]) {
    if (typed && typed.length > LONGEST) throw invalid({ q: 'is too long.' })
    if (typed) names.push(fill(words.quoted, { word: typed }))
  }
  for (const [kind, given] of [
    ['category', filters.categories],
    ['tag', filters.tags],
  ] as const) {
    const terms = given === undefined ? [] : await termsNamed(service, kind, given.split(','))
    names.push(...terms.map(({ name }) => name))
  }
  for (const kind of ['venue', 'organizer', 'series'] as const) {
    const id = filters[kind]
    if (id === undefined) continue
    const post = /^[1-9]\d{0,14}$/.test(id)
      ? await service.store.posts.seek(kind, { id: Number(id) }, undefined)
      : undefined
    if (post?.status !== 'publish') throw unnamed(kind, id)
    names.push(post.title)
  }
  if (attendance_mode !== undefined && attendance_mode !== ONLINE)
    throw invalid({ attendance_mode: `must be ${ONLINE}.` })
  if (free !== undefined && free !== 'true') throw invalid({ free: 'must be true.' })
  return [...names, ...(attendance_mode ? [words.online] : []), ...(free ? [words.free] : [])]
}

/** `/events/subscribe/`: how to subscribe to the events of a list, whose filters it takes by the names of the API. */
export const subscribePages = family('the page of subscriptions', async (app, service) => {
  const filtersIn = (request: FastifyRequest): Subscribed =>
    Object.fromEntries(SUBSCRIBED.map((name) => [name, textIn(request, name)]))
  addPage(app, service, '/events/subscribe', 'list', SUBSCRIBED, async (view, request) => {
    const filters = filtersIn(request)
    return subscribePage(view, filters, await namesOf(service, view.words, filters))
  })
})
