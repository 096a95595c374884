import type { EventRecord, TermRecord } from '../../calendar/formats/records.ts'
import { queryOf } from '../../calendar/formats/urls.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { invalid } from '../../kernel/errors.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { addDays, startOfDay } from '../../kernel/time/dates.ts'
import { MOST_TOPICS, moreTopics, row } from './chips.ts'
import { idsIn, termsByLanguage, textIn, unnamed } from './event-queries.ts'
import { type Choices, openChoices, townOf } from './filters.ts'
import { absolute, feedsOf, headline, layout } from './layout.ts'
import { addPage, linkTo, pathOf, SUBSCRIBED, type Subscribed, subscribePath, type View } from './page.ts'
import { addressOf } from './place.ts'
import { summaryOf } from './prose.ts'

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
          ? [venue.title, addressOf(venue, view.language)].filter(Boolean).join(', ')
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

/** What one may subscribe to, as links that add to what is chosen or take it off. */
function choiceOf(view: View, { used, towns }: Choices, filters: Subscribed): Markup {
  const { words } = view
  const chosen = filters.categories?.split(',') ?? []
  const to = (more: Subscribed) => subscribePath(view, { ...filters, ...more })
  const all = {
    name: words.everything,
    href: subscribePath(view),
    isOn: Object.values(filters).every((value) => !value),
  }
  const free = {
    name: words.free,
    href: to({ free: filters.free ? undefined : 'true' }),
    isOn: filters.free !== undefined,
  }
  const isShown = ({ slug }: TermRecord, at: number) => at < MOST_TOPICS || chosen.includes(slug)
  const topics = used.filter(isShown).map(({ name, slug }) => {
    const isOn = chosen.includes(slug)
    const left = isOn ? chosen.filter((one) => one !== slug) : [...chosen, slug]
    return { name, href: to({ categories: left.join() || undefined }), isOn }
  })
  const own = filters.town && townOf(towns, filters.town)
  const isNear = (town: string, at: number) => at < MOST_TOPICS || town === own
  const places = towns.filter(isNear).map((name) => {
    const isOn = name === own
    return { name, href: to({ town: isOn ? undefined : name }), isOn }
  })
  const more = used.length > MOST_TOPICS && moreTopics(view, {})
  return html`<section class="choice" aria-labelledby="choice"><h2 id="choice">${words.subscribe_choose}</h2>
<div class="rows">${row('topics', words.what, [all, free, ...topics], more)}${row('towns', words.where, places)}</div></section>`
}

/**
 * The page that says how to get the events of a list into a calendar or a reader. `names` say in words what is filtered.
 */
function subscribePage(
  view: View,
  filters: Subscribed,
  {
    names,
    choices,
    translations,
  }: { names: string[]; choices: Choices; translations: Record<string, string> },
): Markup {
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
      translations,
      feeds: filters,
      sheet: 'more',
      hidden: names.length > 0,
    },
    html`<div class="frame">
<div class="head">${names.length > 0 && html`<p class="kind">${names.join(' · ')}</p>`}${headline(view, words.subscribe)}<div class="lead"><p>${words.subscribe_lead}</p></div></div>
${choiceOf(view, choices, filters)}
<section class="ways" aria-labelledby="calendars"><h2 id="calendars">${words.in_calendars}</h2><ul>
${way(words.on_device, words.on_device_long, button(webcal, words.open_program))}
${way(words.add_google, words.google_long, button(google, words.open_google))}
${way(words.add_outlook, words.outlook_long, button(outlook, words.open_outlook))}
${way(words.calendar_address, words.calendar_address_long, html`<code>${breaking(address)}</code> <button class="plain" type="button" data-copy="${address}" data-copied="${words.copied}" hidden>${words.copy}</button> <span role="status"></span>`)}
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

/** What filters of a feed are called, and how addresses in other languages spell them. Throws 404 for a name that nothing has, and 400 for a value that is none. */
async function readFilters(service: Service, view: View, filters: Subscribed, isStarred: boolean) {
  const { words, language } = view
  const { q, search, town, attendance_mode, free } = filters
  const names: string[] = []
  const slugs: Record<string, Subscribed> = Object.fromEntries(service.site.languages.map((one) => [one, {}]))
  for (const [name, typed] of Object.entries({ q, search, town }))
    if (typed && typed.length > LONGEST) throw invalid({ [name]: 'is too long.' })
  for (const typed of [q, search]) if (typed) names.push(fill(words.quoted, { word: typed }))
  for (const [kind, member] of [
    ['category', 'categories'],
    ['tag', 'tags'],
  ] as const) {
    const given = filters[member]
    if (given === undefined) continue
    const terms = await termsByLanguage(service, kind, given)
    names.push(...terms[language]!.map(({ name }) => name))
    for (const [one, own] of Object.entries(terms)) slugs[one]![member] = own.map(({ slug }) => slug).join()
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
  if (town) names.push(town)
  if (attendance_mode !== undefined && attendance_mode !== ONLINE)
    throw invalid({ attendance_mode: `must be ${ONLINE}.` })
  if (free !== undefined && free !== 'true') throw invalid({ free: 'must be true.' })
  if (attendance_mode) names.push(words.online)
  if (free) names.push(words.free)
  if (isStarred) names.unshift(words.my_list)
  const inLanguage = (to: string): Subscribed => ({ ...filters, ...slugs[to] })
  return { names, inLanguage }
}

/** `/events/subscribe/`: how to subscribe to the events of a list, whose filters it takes by the names of the API. */
export const subscribePages = family('the page of subscriptions', async (app, service) => {
  const choicesIn = openChoices(service)
  addPage(app, service, '/events/subscribe', 'list', SUBSCRIBED, async (view, request) => {
    const given: Subscribed = Object.fromEntries(SUBSCRIBED.map((name) => [name, textIn(request, name)]))
    const { names, inLanguage } = await readFilters(
      service,
      view,
      given,
      idsIn(request, 'include') !== undefined,
    )
    const { front, language } = view
    const translations = Object.fromEntries(
      front.languages.map((to) => [to, subscribePath({ front, language: to }, inLanguage(to))]),
    )
    const choices = await choicesIn(language)
    return subscribePage(view, inLanguage(language), { names, choices, translations })
  })
})
