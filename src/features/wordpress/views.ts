import { Type } from '@sinclair/typebox'
import * as c from '../../../schemas/common.ts'
import { pageOf as pageOfRecord, pathIn } from '../../calendar/formats/urls.ts'
import { family } from '../../calendar/resource/service.ts'
import type { Rewrite } from '../../kernel/server/mounts.ts'
import { calendarAt, withoutIcal } from '../feeds/addresses.ts'

/** The internal prefix of addresses that have moved, which no request can use directly. */
const MOVED = '/-moved'

/** Below it, addresses that name a post by its number. */
const NUMBERED = '/-p'

/** The parts of an address of The Events Calendar: `/events/category/music/list/page/2/`, `/events/2026-11-20/`, `/events/feed/`. */
const patternOf = (languages: readonly string[]) =>
  new RegExp(
    `^(?:/(?<language>${languages.join('|')}))?` +
      '(?<events>/events(?:/(?<taxonomy>category|tag)/(?:[^/]+/)*?(?<term>[^/]+))?' +
      '(?:/(?<view>list|photo|map|week|summary|day|today|month))?' +
      '(?:/(?<date>\\d{4}-\\d\\d(?:-\\d\\d)?))?(?:/page/(?<page>[1-9]\\d{0,5}))?)?' +
      '(?:/(?<format>feed|ical))?/?$',
  )

/** The filters of a calendar that the plugin sends with it, each perhaps more than once, by ours. */
const FILTERS: Record<string, string> = {
  tribe_eventcategory: 'categories',
  tribe_tags: 'tags',
  tribe_venues: 'venue',
  tribe_organizers: 'organizer',
}
const FILTER = /^(tribe_\w+?)(?:\[\d*\])?$/
const filterOf = (name: string): string | undefined => FILTERS[FILTER.exec(name)?.[1] ?? '']

/** What an address shows, with the parameters that its form adds. */
type Shown = Partial<
  Record<
    'language' | 'event' | 'post' | 'events' | 'taxonomy' | 'term' | 'view' | 'date' | 'page' | 'format',
    string
  >
> & { query: URLSearchParams }

/** Parameters that say in other words what the path or another parameter says. */
const OWN = [
  'p',
  'post_type',
  'eventDisplay',
  'tribe_events_cat',
  'paged',
  'feed',
  'tribe-bar-date',
  'tribe-bar-search',
  'tribe_event_display',
  'tribe_events',
  'tribe_paged',
]

/**
 * The addresses of the views of The Events Calendar: calendars and feeds are served, and pages lead to ours if there are pages. `mount` is
 * that of the API below a language.
 */
export function openViews(mount: string, languages: readonly string[], hasPages: boolean): Rewrite {
  const pattern = patternOf(languages)
  const read = (path: string, query: string): Shown | undefined => {
    const parts = pattern.exec(path)?.groups
    if (parts === undefined) return undefined
    const params = new URLSearchParams(query)
    const given = (name: string) => params.get(name) || undefined
    const category = given('tribe_events_cat')
    const feed = given('feed')
    const shown: Shown = {
      ...parts,
      ...(category && { taxonomy: 'category', term: encodeURIComponent(category) }),
      date: parts.date ?? DATE.exec(given('tribe-bar-date') ?? '')?.[0],
      format: parts.format ?? (feed && FEEDS.test(feed) ? 'feed' : undefined),
      page: parts.page ?? /^[1-9]\d{0,5}$/.exec(given('paged') ?? given('tribe_paged') ?? '')?.[0],
      query: new URLSearchParams(
        [...params].flatMap(([name, value]): [string, string][] =>
          OWN.includes(name) ? [] : [[filterOf(name) ?? name, value]],
        ),
      ),
    }
    // the search of the site is one of events only for who asks for them
    const isOfEvents = given('post_type') === 'tribe_events'
    const search = given('tribe-bar-search') ?? (isOfEvents ? given('s') : undefined)
    if (isOfEvents) shown.query.delete('s')
    if (search !== undefined) shown.query.set('q', search)
    if (given('eventDisplay') === 'past') shown.query.set('when', 'past')
    if (isOfEvents) shown.events ??= '/events'
    const post = parts.events === undefined ? /^[1-9]\d{0,14}$/.exec(given('p') ?? '')?.[0] : undefined
    if (post !== undefined) shown.post = post
    const slug = given('tribe_events')
    if (slug !== undefined) shown.event = encodeURIComponent(slug)
    return shown
  }

  return (request, url, enter) => {
    const [address = '', query = ''] = url.split(/\?(.*)/s, 2)
    const path = address.replace(FRONT, '$1/')
    if (!LIKELY.test(path) && query === '') return undefined
    const asksIcal = withoutIcal(url) !== undefined
    const shown = read(path, query)
    if (shown === undefined) {
      const [, event] = EVENT.exec(path) ?? []
      return event && calendarAt(request, `${event}/?ical=1`)
    }
    const root = shown.language === undefined ? '' : `/${shown.language}`
    if (shown.format === 'feed' && !asksIcal)
      return enter(`${root}${mount}/events.rss${queryOf(feedOf(shown))}`)
    if (hasPages && shown.post !== undefined)
      return `${MOVED}${NUMBERED}/${shown.post}${queryOf(shown.query)}`
    if (asksIcal || (shown.format === 'ical' && shown.events !== undefined)) {
      shown.query.set('ical', '1')
      return calendarAt(request, `${root}${placeOf(shown)}${queryOf(calendarOf(shown))}`)
    }
    if (!hasPages || shown.format !== undefined) return undefined
    if (shown.event !== undefined) return `${MOVED}${root}${placeOf(shown)}${queryOf(shown.query)}`
    if (shown.events === undefined) return undefined
    const page = pageOf(shown)
    return isOwn(path.slice(root.length), query, page) ? undefined : MOVED + root + page
  }
}

/** What an address has that is read here, without which only its parameters count. */
const LIKELY = /^(?:\/[^/]+)?\/(events|event|feed)(\/|$)/
/** The front page by the name of its program. */
const FRONT = /^((?:\/[^/]+)?)\/index\.php\/?$/
/** What `feed` asks for. There is one kind of feed. */
const FEEDS = /^(?:rss2?|atom|rdf|feed)$/
/** Events of a page of a calendar, as The Events Calendar divides it. */
const PAGE = '30'
/** The word of the API for the day that it is at the site. */
const TODAY = 'today'
const DATE = /^\d{4}-\d\d(-\d\d)?$/
/** `/event/{slug}/ical/`. */
const EVENT = /^(?:\/[^/]+)?(\/event\/[^/]+)\/ical\/?$/

/** The text of a part of a path; one that can not be decoded has no event either. */
const decoded = (term: string) => new URLSearchParams(`term=${term.replaceAll('+', '%2B')}`).get('term')!

const queryOf = (query: URLSearchParams) => (query.size === 0 ? '' : `?${query}`)

/** The address of a list, without dates. */
const baseOf = ({ taxonomy, term }: Shown) =>
  taxonomy === undefined ? '/events/' : `/events/${taxonomy}/${term}/`

/** Last day of a month, `YYYY-MM`. */
const endOf = (month: string) =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)

/** The address of an event, or of a list without dates. */
const placeOf = (shown: Shown) => (shown.event === undefined ? baseOf(shown) : `/event/${shown.event}/`)

/** The parameters of a calendar: from a day on, of a day, or of a month. */
function calendarOf({ date: given, view, page, query }: Shown): URLSearchParams {
  if (page !== undefined) {
    query.set('page', page)
    query.set('per_page', PAGE)
  }
  const isDay = view === 'day' || view === 'today'
  const date = given ?? (isDay ? TODAY : undefined)
  if (date === undefined) return query
  const isMonth = date.length === 7
  query.set('start_date', isMonth ? `${date}-01` : date)
  if (isMonth) query.set('end_date', endOf(date))
  else if (isDay) query.set('end_date', date)
  return query
}

/** The parameters of a feed of the same events. */
function feedOf(shown: Shown): URLSearchParams {
  const { taxonomy, term, query } = shown
  if (taxonomy !== undefined) query.set(taxonomy === 'tag' ? 'tags' : 'categories', decoded(term!))
  return query
}

/** The page with the same events: of a day, of a month, or of a list. */
function pageOf(shown: Shown): string {
  const { taxonomy, term, view, date, page, query } = shown
  const calendar = date
    ? `${date.length === 7 ? 'month' : 'day'}/${date}/`
    : view === 'month'
      ? 'month/'
      : undefined
  if (view === 'today' && calendar === undefined && taxonomy === undefined)
    return `/events/today/${queryOf(query)}`
  if (calendar === undefined) {
    if (page !== undefined) query.set('page', page)
    return baseOf(shown) + queryOf(query)
  }
  if (taxonomy !== undefined) query.set(taxonomy, decoded(term!))
  return `/events/${calendar}${queryOf(query)}`
}

/** Whether a page is at the address that was asked for. */
const isOwn = (path: string, query: string, page: string) => {
  const [to, asked = ''] = page.split('?')
  return path.replace(/\/?$/, '/') === to && new URLSearchParams(query).toString() === asked
}

/** Leads from the addresses of The Events Calendar to the pages with the same events. */
export const movedRoutes = family(
  'addresses that moved',
  async (app, { base, store, pageLanguages: languages }) => {
    const path = new URL(base).pathname.replace(/\/$/, '')
    if (languages) {
      app.get(
        `${MOVED}${NUMBERED}/:id`,
        {
          schema: { hide: true, params: Type.Object({ id: c.PathId('event') }) },
          config: { page: 'calendar' },
        },
        async (request, reply) => {
          const { id: number } = request.params as { id: number }
          // a number that came from elsewhere is older than ours
          const { kind, id } = store.imports.formerly(number) ?? { kind: 'event' as const, id: number }
          const post = await store.posts.byId(kind, id)
          if (post?.status !== 'publish') throw store.posts.unknown('event', { id: number })
          const [, query] = request.url.split(/(?=\?)/, 2)
          const page = pathIn({ path, languages }, post.language, pageOfRecord(post))
          return reply.redirect(page + (query ?? ''), 301)
        },
      )
    }
    app.get(`${MOVED}/*`, { schema: { hide: true }, config: { page: 'calendar' } }, ({ url }, reply) =>
      reply.redirect(path + url.slice(MOVED.length), 301),
    )
  },
)
