import type { FastifyRequest } from 'fastify'
import { EventQuery } from '../../../schemas/event-query.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import type { GivenQuery } from '../../kernel/input/query.ts'
import type { Site } from '../../kernel/site.ts'
import {
  type Corrections,
  hasManyWords,
  MANY_WORDS,
  NO_WORD,
  readQuery,
  readSearch,
} from '../../kernel/text/search.ts'
import {
  addDays,
  addMonths,
  endOfDay,
  nextDay,
  secondsOf,
  startOfDay,
  toWall,
  type Wall,
} from '../../kernel/time/dates.ts'
import { inZone, isRelative, type Moment, readMoment } from '../../kernel/time/moments.ts'
import { modifiedLimits, readModified } from '../resource/envelope.ts'
import type { Service } from '../resource/service.ts'
import { canWrite } from '../rights.ts'
import type { DateLimit, Selection } from '../store.ts'

/** The window of a list without date filters, in local time of the site; `now` in epoch milliseconds (R7). */
export function defaultWindow(now: number, siteZone: string): { start: Wall; end: Wall } {
  const today = toWall(now, siteZone)
  return { start: startOfDay(addDays(today, -1)), end: endOfDay(addMonths(today, 24)) }
}

/** The problem with a search, if any. A search without a word would return everything. */
export function checkSearch(terms: Parameters<typeof hasManyWords>[0]): string | undefined {
  if (hasManyWords(terms)) return MANY_WORDS
  return terms.wanted.length + terms.unwanted.length === 0 ? NO_WORD : undefined
}

/** Problems of the filters of a list in combination. */
export function checkEventQuery(query: EventQuery): Problems {
  const problems: Problems = {}
  if (query.geoloc_lat !== undefined && query.geoloc_lng === undefined)
    problems.geoloc_lat = 'requires geoloc_lng as well.'
  if (query.geoloc_lng !== undefined && query.geoloc_lat === undefined)
    problems.geoloc_lng = 'requires geoloc_lat as well.'
  const { geoloc_radius, geoloc_lat, geoloc_lng } = query
  // many clients send every default that the document declares
  const isAsked = geoloc_radius !== EventQuery.properties.geoloc_radius.default
  if (isAsked && geoloc_lat === undefined && geoloc_lng === undefined)
    problems.geoloc_radius = 'requires geoloc_lat and geoloc_lng as well.'
  const problem = query.search === undefined ? undefined : checkSearch(readSearch(query.search))
  if (problem) problems.search = problem
  const unread = query.q === undefined ? undefined : checkSearch(readQuery(query.q))
  if (unread) problems.q = unread
  return problems
}

/** Callers without editing rights see only published records (D36). */
export function checkStatuses(
  statuses: readonly string[] | undefined,
  request: Pick<FastifyRequest, 'caller'>,
): Problems {
  if (statuses === undefined || canWrite(request.caller)) return {}
  return statuses.length === 1 && statuses[0] === 'publish'
    ? {}
    : { status: 'must be publish for your role.' }
}

/** Dates for lists of given IDs: no limits. */
const ANY_DATES: Dates = { limits: [], texts: {}, until: Number.POSITIVE_INFINITY }

/** The order in a query. If `orderby` is unknown, `order` belongs to it and is ignored as well. */
function orderOf({ orderby, order }: EventQuery, given: GivenQuery): Selection['order'] {
  if (given.orderby && orderby === undefined) return { by: 'start', descending: false }
  const usual = orderby === 'modified' ? 'desc' : 'asc'
  return { by: orderby ?? 'start', descending: (order ?? usual) === 'desc' }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What words of `q` were taken as, in a list of events. */
    corrections?: Corrections
  }
}

/** What decides beside a query what it selects: who asks, the parameters as they were sent, the language of names, and what is told the cost. */
type QueryContext = Pick<FastifyRequest, 'caller' | 'given' | 'spend'> & { language: string | undefined }

/**
 * Reads what a query of events selects, the texts of its dates for links, the Unix millisecond until which these stay the same, and what words of
 * `q` were taken as. Throws the 400 that names every problem.
 */
export function openEventSelection({ store, site }: Pick<Service, 'store' | 'site'>) {
  const today = openToday(site)
  /** `within` are further limits by times, beside the dates of the query. */
  return async (query: EventQuery, { caller, given, spend, language }: QueryContext, within?: Window) => {
    const changed = readModified(query, site)
    const { limits, texts, until } = query.include ? ANY_DATES : readDates(query, site, today())
    const window = query.include || within === undefined ? ANY_DATES : readWindow(within, site, today())
    const { selection, problems } = await store.lists.select(
      query,
      {
        dates: [...modifiedLimits(changed.modified), ...limits, ...window.limits],
        order: orderOf(query, given),
        language,
        spend,
      },
      caller,
    )
    refuse(Object.assign(checkEventQuery(query), checkStatuses(query.status, { caller }), problems))
    const corrected = await store.lists.correct(selection, site.clock())
    return {
      ...corrected,
      texts: { ...texts, ...changed.texts },
      until: Math.min(until, window.until, changed.until),
    }
  }
}

/** Reads lists of events for requests, which are told how long their answers hold and what words of `q` were taken as. */
export function openEventList({ store, site, language }: Service) {
  const select = openEventSelection({ store, site })
  return async (query: EventQuery, request: FastifyRequest, within?: Window) => {
    const { caller, given, spend } = request
    const context = { caller, given, spend, language: language(request) }
    const { selection, texts, until, corrections } = await select(query, context, within)
    request.until = until
    request.corrections = corrections
    return { selection, texts }
  }
}

const SIDES: Record<string, [DateLimit['side'], DateLimit['than']]> = {
  start_date: ['start', '>='],
  end_date: ['end', '<='],
  starts_before: ['start', '<'],
  starts_after: ['start', '>'],
  ends_before: ['end', '<'],
  ends_after: ['end', '>'],
}
/** The parameters that lift both ends of the default dates. */
const LIFTING = ['starts_before', 'starts_after', 'ends_before', 'ends_after', 'when'] as const
const MINUTE = 60_000

type Today = ReturnType<ReturnType<typeof openToday>>
/** The dates of a list: its limits, the texts for its links, and the Unix millisecond until which they stay the same. */
type Dates = { limits: DateLimit[]; texts: Record<string, string>; until: number }

/** The default window of the current day at the site, computed once a day, and its end of validity. */
export function openToday({ clock, zone }: Pick<Site, 'clock' | 'zone'>) {
  const at = (now: number) => {
    const { start, end } = defaultWindow(now, zone)
    return { since: now, start: edgeOf(start), end: edgeOf(end), until: nextDay(now, zone) }
  }
  let held: ReturnType<typeof at> | undefined
  return () => {
    const now = clock()
    if (!held || now < held.since || now >= held.until) held = at(now)
    return { now, ...held }
  }
}

/** The date filters of a list: those in the query, and the default dates (R7, D34, reference §1.1.1). */
export function readDates(
  query: EventQuery,
  { zone }: Pick<Site, 'zone'>,
  { now, start, end, until: tomorrow }: Today,
): Dates {
  const { limits, until: minute } = readWhen(query, now)
  const texts: Record<string, string> = {}
  let until = minute
  const isLifted = LIFTING.some((name) => query[name] !== undefined)
  for (const [name, [side, than]] of Object.entries(SIDES)) {
    const given = query[name as keyof EventQuery] as string | undefined
    const edge = name === 'start_date' ? start : name === 'end_date' ? end : undefined
    if (given === undefined && (isLifted || edge === undefined)) continue
    if (name === 'start_date' && query.starts_after !== undefined) continue
    if (name === 'end_date' && query.ends_before !== undefined) continue
    const { text, value, utc } =
      given === undefined
        ? edge!
        : limit(readMoment(given, { now, zone })!, name, query.strict_dates === true, zone)
    if (given === undefined || isRelative(given))
      until = given === undefined || isDay(given, query) ? Math.min(until, tomorrow) : 0
    limits.push({ side, than, value, utc })
    texts[name] = text
  }
  return { limits, texts, until }
}

/** The times between which events are wanted: those that end after the first, and start before the second. */
type Window = Pick<EventQuery, 'ends_after' | 'starts_before'>

/** The limits of a window, exact to the second. */
const readWindow = (
  window: Window,
  site: Pick<Site, 'zone'>,
  today: Today,
): Pick<Dates, 'limits' | 'until'> =>
  readDates({ ...window, when: 'all', strict_dates: true } as EventQuery, site, today)

/** The limits of `when`, as of the start of the current minute, so that all requests of a minute share them. */
function readWhen({ when }: EventQuery, now: number): Pick<Dates, 'limits' | 'until'> {
  const minute = Math.floor(now / MINUTE)
  const at = { value: minute * (MINUTE / 1_000), utc: true }
  const begun: DateLimit = { side: 'start', than: '<=', ...at }
  const open: DateLimit = { side: 'end', than: '>', ...at }
  const ended: DateLimit = { side: 'end', than: '<=', ...at }
  const limits = { upcoming: [open], ongoing: [begun, open], past: [ended], all: [] }[when ?? 'all']
  return { limits, until: limits.length === 0 ? Number.POSITIVE_INFINITY : (minute + 1) * MINUTE }
}

/** Whether words for a time mean a whole day, so that their meaning is constant until it ends. */
const isDay = (words: string, { strict_dates }: EventQuery) =>
  strict_dates !== true && !/hour|min|sec/i.test(words)

/** A limit of a list: as text, and in seconds of the clock of the site or of UTC. */
type Edge = { text: string; value: number; utc: boolean }

/** A time on the clock of the site. */
const edgeOf = (wall: Wall): Edge => ({ text: wall, value: secondsOf(wall), utc: false })

function limit(moment: Moment, name: string, strict: boolean, zone: string): Edge {
  if (strict && moment.instant !== undefined) {
    const wall = toWall(moment.instant, 'UTC')
    return { text: `${wall.replace(' ', 'T')}Z`, value: secondsOf(wall), utc: true }
  }
  if (strict) return edgeOf(moment.wall)
  // the whole day counts, even if the zone's clock skips part of it
  const wall = moment.hasTime ? inZone(moment, zone) : moment.wall
  return edgeOf(name === 'start_date' ? startOfDay(wall) : endOfDay(wall))
}
