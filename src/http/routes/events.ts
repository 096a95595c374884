import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force } from '../../../schemas/common.ts'
import { EventInput, EventPassword } from '../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { ApiError, type ErrorCode, type Problems, refuse } from '../../errors.ts'
import { defaultWindow, endOfDay, nextDay, startOfDay, toWall } from '../../rules/dates.ts'
import { inZone, isRelative, type Moment, readMoment } from '../../rules/moments.ts'
import { canWrite } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { hasManyWords, MANY_WORDS, readSearch } from '../../rules/words.ts'
import type { Bound, EventFilter } from '../../store/lists/events.ts'
import { checkReadable, findPost } from '../../store/records/posts.ts'
import type { PostInput } from '../../store/records/write.ts'
import { isOpen } from '../../store/views/documents.ts'
import { family } from './family.ts'
import { deletePost, filterTexts } from './posts.ts'
import { addResource } from './resource.ts'

const SIDES: Record<string, [Bound['side'], Bound['than']]> = {
  start_date: ['start', '>='],
  end_date: ['end', '<='],
  starts_before: ['start', '<'],
  starts_after: ['start', '>'],
  ends_before: ['end', '<'],
  ends_after: ['end', '>'],
}
const RELATIVE = ['starts_before', 'starts_after', 'ends_before', 'ends_after'] as const

type Today = ReturnType<ReturnType<typeof openToday>>

/** The default window of the site's today, worked out once a day, and until when it stands. */
export function openToday({ clock, zone }: Pick<Site, 'clock' | 'zone'>) {
  const at = (now: number) => ({ since: now, ...defaultWindow(now, zone), until: nextDay(now, zone) })
  let held = at(clock())
  return () => {
    const now = clock()
    if (now < held.since || now >= held.until) held = at(now)
    return { now, ...held }
  }
}

/** The date filters resolved: as bounds, and as links carry them (R7, D34, reference §1.1.1). */
export function readBounds(
  query: EventQuery,
  { zone }: Pick<Site, 'zone'>,
  { now, start, end, until: tomorrow }: Today,
): { bounds: Bound[]; texts: Record<string, string>; until: number } {
  const bounds: Bound[] = []
  const texts: Record<string, string> = {}
  let until = Number.POSITIVE_INFINITY
  const relative = RELATIVE.some((name) => query[name] !== undefined)
  for (const [name, [side, than]] of Object.entries(SIDES)) {
    const given = query[name as keyof EventQuery] as string | undefined
    const edge = name === 'start_date' ? start : name === 'end_date' ? end : undefined
    if (given === undefined && (relative || edge === undefined)) continue
    if (name === 'start_date' && query.starts_after !== undefined) continue
    if (name === 'end_date' && query.ends_before !== undefined) continue
    const bound =
      given === undefined
        ? { value: edge!, utc: false }
        : limit(readMoment(given, { now, zone })!, name, query.strict_dates === true, zone)
    if (given === undefined || isRelative(given))
      until = given === undefined || isDay(given, query) ? Math.min(until, tomorrow) : 0
    bounds.push({ side, than, ...bound })
    texts[name] = bound.utc ? `${bound.value.replace(' ', 'T')}Z` : bound.value
  }
  return { bounds, texts, until }
}

/** Whether words for a time mean a whole day, and so the same until it ends. */
const isDay = (words: string, { strict_dates }: EventQuery) =>
  strict_dates !== true && !/hour|min|sec/i.test(words)

function limit(moment: Moment, name: string, strict: boolean, zone: string): { value: string; utc: boolean } {
  if (strict && moment.instant !== undefined) return { value: toWall(moment.instant, 'UTC'), utc: true }
  if (strict) return { value: moment.wall, utc: false }
  // a day is wanted as it is, whatever the zone's clock skips of it
  const wall = moment.hasTime ? inZone(moment, zone) : moment.wall
  return { value: name === 'start_date' ? startOfDay(wall) : endOfDay(wall), utc: false }
}

/** What the values of a list's filters break together. */
function checkQuery(query: EventQuery, request: FastifyRequest): Problems {
  const problems: Problems = {}
  if (query.geoloc_lat !== undefined && query.geoloc_lng === undefined)
    problems.geoloc_lat = 'requires geoloc_lng as well.'
  if (query.geoloc_lng !== undefined && query.geoloc_lat === undefined)
    problems.geoloc_lng = 'requires geoloc_lat as well.'
  if (query.search !== undefined && hasManyWords(readSearch(query.search))) problems.search = MANY_WORDS
  return Object.assign(problems, checkStatuses(query.status, request))
}

/** Those who may not edit see what is published and nothing else (D36). */
export function checkStatuses(statuses: readonly string[] | undefined, request: FastifyRequest): Problems {
  if (statuses === undefined || canWrite(request.caller)) return {}
  return statuses.length === 1 && statuses[0] === 'publish'
    ? {}
    : { status: 'must be publish for your role.' }
}

const UNBOUNDED = { bounds: [], texts: {}, until: Number.POSITIVE_INFINITY }

/** Of venues and organizers that are given inside an event. */
const INLINE: ErrorCode[] = ['could-not-create-venue', 'could-not-create-organizer']

export const eventRoutes = family('events', async (app, service) => {
  const { store, site } = service
  const today = openToday(site)

  addResource<EventQuery, EventInput & PostInput>(app, service, {
    name: 'event',
    plural: 'events',
    bySlug: true,
    right: 'create records',
    query: EventQuery,
    input: EventInput,
    read: Type.Object(VisitorPassword),
    remove: Type.Object({ ...VisitorPassword, ...Force }),
    byId: Type.Object(EventPassword),
    errors: {
      read: ['event-not-accessible', 'event-no-longer-available', 'event-password-protected'],
      create: ['empty_content', ...INLINE],
      update: ['empty_content', ...INLINE, 'event-is-in-trash'],
      delete: ['event-is-in-trash'],
    },
    async list(query, request) {
      const { bounds, texts, until } = query.include ? UNBOUNDED : readBounds(query, site, today())
      request.until = until
      const { geoloc_lat: lat, geoloc_lng: lng, geoloc_radius: radius } = query
      const filter: EventFilter = {
        query,
        bounds,
        near: lat === undefined || lng === undefined ? undefined : { lat, lng, radius: radius! },
        language: service.language(request),
      }
      const { problems, resolved } = await store.lists.resolve(filter, request.caller)
      refuse(Object.assign(checkQuery(query, request), problems))
      const { ids, total } = await store.lists.list(filter, resolved, request.caller)
      return { ids, total, filters: filterTexts(request, EventQuery, texts) }
    },
    async find(key, request, view) {
      const post = await findPost(store.db.read, 'event', key, request.caller)
      checkReadable(post, request.caller)
      if (await isOpen(post, view)) return post.id
      throw new ApiError(
        'event-password-protected',
        'This event is protected; send its password as `password`.',
      )
    },
    create: (write, input) => store.events.create(write, input),
    update: (write, key, input) => store.events.update(write, key, input),
    delete: (key, request, view, guard) => deletePost(service, 'event', key, request, view, guard),
    show: (ids, view) => store.documents.posts(ids, view),
  })
})
