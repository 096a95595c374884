import type { FastifyRequest } from 'fastify'
import type { EventQuery } from '../../../schemas/event-query.ts'
import type { Days } from '../../calendar/days.ts'
import { daysNamed, MORNING, type NamedDays, readDay } from '../../calendar/days.ts'
import type { Post, TermRecord } from '../../calendar/formats/records.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { canReadTerm } from '../../calendar/rights.ts'
import { checkSearch } from '../../calendar/routes/event-query.ts'
import type { DateLimit, Selection } from '../../calendar/store.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import {
  type Corrections,
  correctedText,
  MANY_WORDS,
  readQuery,
  readSearch,
  readWords,
} from '../../kernel/text/search.ts'
import { toSlug } from '../../kernel/text/text.ts'
import { nextDay, secondsOf, startOfDay } from '../../kernel/time/dates.ts'
import type { Corrected, Filters } from './filters.ts'
import type { Listed } from './lists.ts'
import { openPublished, openRepeats, type View } from './page.ts'

/** A longer search has too many words in any case. */
const LONGEST = 1_000
/** Characters of a town. */
const LONGEST_TOWN = 200

/** The parameters of addresses of lists. */
export const LISTED = [
  'page',
  'q',
  'search',
  'category',
  'tag',
  'venue',
  'town',
  'language',
  'online',
  'free',
  'when',
] as const
/** The parameters of addresses of lists whose days one may choose. */
export const DATED = [...LISTED, 'from', 'to'] as const

/** What a list is about, beside the filters of its address. */
type Scope = Partial<Pick<EventQuery, 'venue' | 'organizer' | 'featured' | 'series'>>

/** Other names of filters in an address. */
export type Names = Partial<Record<string, string>>

/** A parameter of an address; undefined if it is absent or empty. */
export function textIn(request: FastifyRequest, name: string): string | undefined {
  const { [name]: given } = request.given
  return given?.values.at(-1)?.trim() || undefined
}

/** Events of a list that someone made. */
export const MOST_STARRED = 50

/** The IDs of events in an address, each once; undefined without any. Throws 400 for what is none, and for too many. */
export function idsIn(request: FastifyRequest, name: string): number[] | undefined {
  const given = textIn(request, name)
  if (given === undefined) return undefined
  const ids = [...new Set(given.split(',').map((id) => id.trim()))]
  if (ids.length > MOST_STARRED || !ids.every((id) => /^[1-9]\d{0,14}$/.test(id)))
    throw invalid({ [name]: `must be IDs of events, separated by commas, at most ${MOST_STARRED}.` })
  return ids.map(Number)
}

/** The filters and the page as an address spells them. Throws 400 for values that are none. */
function given(request: FastifyRequest, { site: { languages } }: Service, names: Names) {
  const text = (name: keyof Filters | 'page') => textIn(request, names[name] ?? name)
  const page = text('page') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(page)) throw invalid({ page: 'must be a whole number, 1 or more.' })
  const when = text('when')
  if (when !== undefined && when !== 'past' && when !== 'now') throw invalid({ when: 'must be past or now.' })
  const yes = (name: 'online' | 'free') => {
    const value = text(name)
    if (value !== undefined && value !== 'yes') throw invalid({ [name]: 'must be yes.' })
    return value as 'yes' | undefined
  }
  const [online, free] = [yes('online'), yes('free')]
  const [from, to] = [dayOf('from', text('from')), dayOf('to', text('to'))]
  if (from !== undefined && to !== undefined && to < from) throw invalid({ to: 'must not be before from.' })
  const language = text('language')
  if (language !== undefined && language !== 'all' && !languages.includes(language))
    throw invalid({ language: `must be all, or one of ${languages.join(', ')}.` })
  const [search, q] = [text('search'), text('q')]
  const problem = search && (search.length > LONGEST ? MANY_WORDS : checkSearch(readSearch(search)))
  if (problem) throw invalid({ search: problem })
  const unread = q && (q.length > LONGEST ? MANY_WORDS : checkSearch(readQuery(q)))
  if (unread) throw invalid({ q: unread })
  const town = text('town')
  if (town !== undefined && town.length > LONGEST_TOWN) throw invalid({ town: 'is too long.' })
  const [category, tag, venue] = [text('category'), text('tag'), text('venue')]
  const filters: Filters = { q, search, category, tag, venue, town, language, online, free, from, to, when }
  return { page: Number(page), filters }
}

/** A day of an address. */
function dayOf(name: string, text: string | undefined): string | undefined {
  const day = text && readDay(text)
  if (text && day === undefined) throw invalid({ [name]: 'must be a day, such as 2026-11-22.' })
  return day
}

/** The 404 of a filter that names nothing. */
export const unnamed = (kind: 'category' | 'tag' | 'venue' | 'organizer' | 'series', name: string) =>
  new ApiError(`${kind}-not-found`, `There is no ${kind} "${name}".`, { name })

/** The categories or tags of some slugs. Throws 404 for a slug that none has. */
async function termsNamed({ store }: Service, kind: 'category' | 'tag', slugs: string[]) {
  const found = await store.terms.seek(kind, slugs, undefined)
  return found.map((term, at) => {
    if (!term) throw unnamed(kind, slugs[at]!)
    return term
  })
}

/** The venue of a slug or a name, or else the newest one whose texts have the words of it. */
async function venueOf({ store }: Service, name: string) {
  const seek = (key: { slug: string } | { id: number }) => store.posts.seek('venue', key, undefined)
  for (const slug of [name, toSlug(name)]) {
    const post = await seek({ slug })
    if (post?.status === 'publish') return post
  }
  if (name.length > LONGEST || readWords(name).length === 0) throw unnamed('venue', name)
  const filter = { page: 1, per_page: 1, search: name, has_events: true, only_with_upcoming: false }
  const [id] = (await store.venues.list(filter, undefined)).ids
  const found = id === undefined ? undefined : await seek({ id })
  if (!found) throw unnamed('venue', name)
  return found
}

/** The terms and the venue that filters name, as they are called in the language of the page. */
export type Found = { category: TermRecord[]; tag: TermRecord[]; venue?: Post | undefined }
export const NOTHING: Found = { category: [], tag: [] }

/** What an address asks for: the page, the filters, and what these name. */
export type Address = {
  page: number
  filters: Filters
  found: Found
  /** The filters as an address in a language spells them. */
  inLanguage: (language: string) => Filters
}

/** The categories or tags that a filter names, by language: their translations where there are some. */
export async function termsByLanguage(service: Service, kind: 'category' | 'tag', names: string) {
  const { store, site } = service
  const slugs = names.split(',').map((slug) => slug.trim())
  const named = await store.records.terms((await termsNamed(service, kind, slugs)).map(({ id }) => id))
  const ids = named.flatMap(({ translations }) => Object.values(translations))
  const others = new Map((await store.records.terms(ids)).map((term) => [term.id, term]))
  const inLanguage = (language: string) =>
    named.map((term) => {
      const other = others.get(term.translations[language]!)
      return other && canReadTerm(undefined, other) ? other : term
    })
  return Object.fromEntries(site.languages.map((language) => [language, inLanguage(language)]))
}

/**
 * What an address asks for: the page, the filters with what they name as it is called in the language of the page and in each other one, and
 * the query that they are. `scope` and `fixed` are filters that stand in no parameter. Throws 400 for values that are none, and 404 for a name
 * that nothing has.
 */
async function readAddress(
  service: Service,
  view: View,
  request: FastifyRequest,
  { names = {}, scope = {}, fixed = {} }: { names?: Names | undefined; scope?: Scope; fixed?: Filters } = {},
) {
  const { page, filters } = given(request, service, names)
  for (const name of Object.keys(fixed) as (keyof Filters)[]) filters[name] = undefined
  const { q, search, venue: name, town, online, free } = { ...filters, ...fixed }
  const query: Partial<EventQuery> = { ...scope }
  if (q !== undefined) query.q = q
  if (search !== undefined) query.search = search
  if (town !== undefined) query.town = town
  if (online !== undefined) query.attendance_mode = ['online', 'mixed']
  if (free !== undefined) query.free = true
  const { languages } = service.site
  const found: Found = { ...NOTHING }
  const slugs: Record<string, Filters> = Object.fromEntries(languages.map((language) => [language, {}]))
  for (const [kind, member] of [
    ['category', 'categories'],
    ['tag', 'tags'],
  ] as const) {
    const names = filters[kind] ?? fixed[kind]
    if (names === undefined) continue
    const terms = await termsByLanguage(service, kind, names)
    const slugsIn = (language: string) => terms[language]!.map(({ slug }) => slug)
    query[member] =
      filters.language === 'all' ? [...new Set(languages.flatMap(slugsIn))] : slugsIn(view.language)
    if (filters[kind] === undefined) continue
    found[kind] = terms[view.language]!
    filters[kind] = slugsIn(view.language).join()
    for (const language of languages) slugs[language]![kind] = slugsIn(language).join()
  }
  if (name !== undefined) {
    const venue = await venueOf(service, name)
    query.venue = [venue.id]
    found.venue = venue
    filters.venue = venue.slug
  }
  const inLanguage: Address['inLanguage'] = (language) => ({ ...filters, ...slugs[language] })
  return { page, filters, found, inLanguage, query: query as EventQuery }
}

/** Events on a page of a list, and those beside it that are running. */
const PER_PAGE = 24
const RUNNING = 6
/** Events that go on, beside those of chosen days: there they are what people look for. */
const RUNNING_ON_DAYS = 30
const MINUTE = 60_000
/** Seconds. */
const DAY = 86_400

/** The language of the events; undefined for all. */
const languageOf = ({ language }: Filters, view: View) =>
  language === 'all' ? undefined : (language ?? view.language)

/** A limit by local time, in seconds. */
const limit = (side: DateLimit['side'], than: DateLimit['than'], value: number): DateLimit => ({
  side,
  than,
  value,
  utc: false,
})
/** A limit of ends in UTC, by the minute. */
const ending = (than: DateLimit['than'], now: number): DateLimit => ({
  side: 'end',
  than,
  value: Math.floor(now / MINUTE) * 60,
  utc: true,
})

/** The limits of the three times: what starts from today on and is not over, what began before and is not over, and what is over. */
function timesAt(now: number, { now: wall }: View) {
  const open = ending('>', now)
  const today = secondsOf(startOfDay(wall))
  return {
    open: [open],
    coming: [open, limit('start', '>=', today)],
    now: [open, limit('start', '<', today)],
    past: [ending('<=', now)],
  }
}

/**
 * The limits of what is on some days: what begins on them, and what began before and goes on. What is over is left out, unless a first day was
 * chosen: who asks for days of the past wants to see them.
 */
function timesOn(now: number, view: View, { from, to }: Days, isNamed: boolean) {
  const { open } = timesAt(now, view)
  const first = secondsOf(`${from ?? view.now.slice(0, 10)} 00:00:00`)
  const still = isNamed || from === undefined ? open : []
  const last = to === undefined ? [] : [limit('start', '<', secondsOf(`${to} 00:00:00`) + DAY)]
  return {
    coming: [...still, limit('start', '>=', first), ...last],
    now: [...still, limit('start', '<', first), limit('end', '>', first + MORNING)],
  }
}

const START: Selection['order'] = { by: 'start', descending: false }

type Place = { page: number; per_page: number } & Partial<Pick<Selection, 'order' | 'spend'>>

/** Only the next date of each series, so that one that is every day does not fill a list. */
const ONE_OF_EACH = { expand: false } as EventQuery

/** What takes place, on whatever date and wherever. */
const TAKES_PLACE = { event_status: ['scheduled', 'moved_online', 'rescheduled'] } satisfies Query

type Query = Parameters<Service['store']['lists']['select']>[0]

/** What a search was taken as, where some of its words occur nowhere. */
const correctedOf = ({ q = '' }: Filters, corrections: Corrections): Corrected | undefined =>
  corrections.size > 0 ? { search: correctedText(q, corrections), typed: [...corrections.keys()] } : undefined

/** How many pages a list has. Throws 404 for a page after the last. */
export function pagesOf(total: number, per_page: number, page: number): number {
  const last = Math.max(1, Math.ceil(total / per_page))
  const problem = `There is no page ${page}; the last is ${last}.`
  if (page > last) throw new ApiError('event-archive-page-not-found', problem, { last })
  return last
}

/** Reads lists of events for pages: as visitors without credentials see them, in the order in which they happen. */
export function openEventQueries(service: Service) {
  const { store, site } = service
  const repeatsOf = openRepeats(service)
  const publishedIn = openPublished(service)

  /** The selection of a query, with the words that occur nowhere taken as their nearest. */
  async function find(query: Query, how: Parameters<typeof store.lists.select>[1]) {
    const { selection } = await store.lists.select(query, how, undefined)
    return store.lists.correct(selection, site.clock())
  }

  async function read(
    view: View,
    query: Query,
    dates: DateLimit[],
    language: string | undefined,
    { page, per_page, order = START, spend }: Place,
  ) {
    const { selection, corrections } = await find(query, { dates, order, language, spend })
    const { ids, total, occurrences } = await store.lists.list(selection, { page, per_page })
    const events = await publishedIn(view, ids)
    return { events, total, repeats: await repeatsOf(events, occurrences), corrections }
  }

  return {
    /** What an address asks for. */
    address: (view: View, request: FastifyRequest): Promise<Address> => readAddress(service, view, request),
    /**
     * The events of an address within a scope, one of each series unless the scope is a series. The first page also has those that began
     * before today, or before the days of a name or of the address.
     */
    async list(
      view: View,
      request: FastifyRequest,
      scope: Scope,
      fixed: Filters = {},
      { names, per_page = PER_PAGE, named }: { names?: Names; per_page?: number; named?: NamedDays } = {},
    ) {
      const address = await readAddress(service, view, request, { names, scope, fixed })
      const { page, filters, found, inLanguage, query: asked } = address
      const { from, to } = filters
      const days = named ? daysNamed(named, view.now.slice(0, 10)) : from || to ? { from, to } : undefined
      // days are a time of their own
      if (days) filters.when = undefined
      const query = scope.series === undefined ? { ...asked, ...ONE_OF_EACH } : asked
      const now = site.clock()
      request.until = (Math.floor(now / MINUTE) + 1) * MINUTE
      const language = languageOf(filters, view)
      const times = { ...timesAt(now, view), ...(days && timesOn(now, view, days, named !== undefined)) }
      const { when } = filters
      const order = { by: 'start', descending: when === 'past' } as const
      const { spend } = request
      const place = { page, per_page, order, spend }
      const { events, total, repeats, corrections } = await read(
        view,
        query,
        times[when ?? 'coming'],
        language,
        place,
      )
      const pages = pagesOf(total, per_page, page)
      const soonestEnd = { by: 'end', descending: false } as const
      const most = days ? RUNNING_ON_DAYS : RUNNING
      const running =
        page === 1 && when === undefined
          ? await read(view, query, times.now, language, {
              page: 1,
              per_page: most,
              order: soonestEnd,
              spend,
            })
          : { events: [], total: 0, repeats: [] }
      const listed: Listed = {
        events,
        page,
        pages,
        total,
        running: running.events,
        moreRunning: running.total > most,
        days,
        named,
        repeats: new Map([...repeats, ...running.repeats]),
        filters,
        found,
        inLanguage,
        corrected: correctedOf(filters, corrections),
      }
      return listed
    },
    /** When the events of an address take place that are on some days, given as numbers. The result is that of one day at the site. */
    async spans(view: View, request: FastifyRequest, days: { first: number; last: number }, names?: Names) {
      request.until = nextDay(site.clock(), site.zone)
      const { page, filters, found, inLanguage, query } = await readAddress(service, view, request, { names })
      const language = languageOf(filters, view)
      const select = async (dates: DateLimit[], order = START) =>
        find(query, { dates, order, language, spend: request.spend })
      const on = [limit('end', '>=', days.first * DAY), limit('start', '<', (days.last + 1) * DAY)]
      const { selection, corrections } = await select(on)
      const spans = await store.lists.spans(selection)
      /** The day on which the next event within a limit starts. */
      const near = async (limit: DateLimit, descending: boolean) => {
        const { selection } = await select([limit], { by: 'start', descending })
        const { ids } = await store.lists.list(selection, { page: 1, per_page: 1 })
        return (await store.published(ids))[0]?.start_date.slice(0, 10)
      }
      /** The days with events before and after some days, for who finds nothing on them. */
      const around = async (first: number, last: number) => ({
        before: await near(limit('start', '<', first * DAY), true),
        after: await near(limit('start', '>=', (last + 1) * DAY), false),
      })
      return {
        page,
        filters,
        found,
        inLanguage,
        spans,
        around,
        corrected: correctedOf(filters, corrections),
      }
    },
    /** Some events that take place, are not over and that editors put forward, in the language of the page. */
    async featured(view: View, count: number) {
      const { open } = timesAt(site.clock(), view)
      return read(view, { featured: true, ...ONE_OF_EACH, ...TAKES_PLACE }, open, view.language, {
        page: 1,
        per_page: count,
      })
    },
    /** What begins at the next weekend, or in what is left of this one, in the language of the page. */
    async weekend(view: View, count: number) {
      const days = daysNamed('weekend', view.now.slice(0, 10))
      const { coming } = timesOn(site.clock(), view, days, true)
      return read(view, ONE_OF_EACH, coming, view.language, { page: 1, per_page: count })
    },
    /** The next events of a language that begin after now and take place, of which each series counts once. */
    async next(view: View, query: Query, language: string, count: number) {
      const [open] = timesAt(site.clock(), view).open
      const begins = { ...open!, side: 'start' } as const
      return read(view, { ...query, ...ONE_OF_EACH, ...TAKES_PLACE }, [begins], language, {
        page: 1,
        per_page: count,
      })
    },
    /** The events of some IDs, in any language and at any time, in the order of time. */
    async named(view: View, ids: number[]) {
      const query = { include: ids } as EventQuery
      return (await read(view, query, [], undefined, { page: 1, per_page: ids.length })).events
    },
    /** The next dates of a series that are not over, and how many there are. */
    async dates(view: View, series: number, count: number) {
      const { open } = timesAt(site.clock(), view)
      return read(view, { series } as EventQuery, open, undefined, { page: 1, per_page: count })
    },
    /** IDs of the events of a language that start on a day or later, or before it with the latest first. */
    async around(language: string, day: string, than: '>=' | '<', count: number): Promise<number[]> {
      const dates = [limit('start', than, secondsOf(`${day} 00:00:00`))]
      const order = { by: 'start', descending: than === '<' } as const
      const { selection } = await store.lists.select({} as EventQuery, { dates, order, language }, undefined)
      return (await store.lists.list(selection, { page: 1, per_page: count })).ids
    },
  }
}
