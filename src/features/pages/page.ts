import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Link } from '../../calendar/branding.ts'
import {
  type EventRecord,
  hasDates,
  type OrganizerRecord,
  type Post,
  type SeriesRecord,
  type TermRow,
  type VenueRecord,
} from '../../calendar/formats/records.ts'
import { pageOf, pageOfTerm, pathIn, queryOf } from '../../calendar/formats/urls.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { PostKind, View as Reading } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { HTML } from '../../kernel/output/header-values.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { html, type Markup, type Part, textOf } from '../../kernel/text/markup.ts'
import type { Repeats } from './dates.ts'
import { directionOf, LEFT_TO_RIGHT, RIGHT_TO_LEFT, type Words } from './words.ts'

/** What all pages of a site share. Paths begin with that of BASE_URL, so that a page works at any host. */
export type Front = {
  name: string
  /** BASE_URL, for addresses that leave the page, such as canonical ones. */
  base: string
  /** The path of BASE_URL without slash at the end; empty if it has none. */
  path: string
  /** The path of the API below `path`, such as `/calendar/events/v1`. */
  api: string
  /** The first one is the default. */
  languages: readonly string[]
  zone: string
  /** Paths of the style sheets that every page loads, that of the calendar first. */
  styles: string[]
  /** The paths of the style sheets of some pages, which stand after that of the calendar. */
  sheets: Record<'month' | 'record' | 'focus' | 'submit' | 'more' | 'embed', string>
  script: string
  logo: string | undefined
  /** HTML of the operator by language. */
  header: Record<string, Markup>
  footer: Record<string, Markup>
  /** More entries of the menu, and links at the end. */
  menu: readonly Link[]
  links: readonly Link[]
  icon: string
  /** Whether visitors may propose events. */
  submits: boolean
  /** Whether visitors may subscribe to events by mail. */
  mails: boolean
  /** The path of the desk; empty if there is none. */
  desk: string
  /** In each language that a page is also in it, and what ends that. */
  offers: Record<string, Pick<Words, 'offer' | 'close'>>
  /** The tiles of maps, with `{z}`, `{x}` and `{y}` in their address, and whose they are; undefined for no maps. */
  map: { tiles: string; attribution: string } | undefined
  /** What each page in a language says in its head to programs that look for an API. */
  discovery: ((language: string) => Markup) | undefined
}

/** One page: its site, its language, and the local time of the site. */
export type View = {
  front: Front
  language: string
  words: Words
  /** The local time of the site, `YYYY-MM-DD HH:MM:SS`. */
  now: string
}

/** What sets a text of a record apart on a page: its language, if that is another one, and a direction of its own, where it has letters of the other. */
export function apart({ language: shown }: Pick<View, 'language'>, text: string, language = shown): Part {
  const isMixed = (directionOf(shown) === 'ltr' ? RIGHT_TO_LEFT : LEFT_TO_RIGHT).test(text)
  return [language !== shown && html` lang="${language}"`, isMixed && html` dir="auto"`]
}

/** The path of a page in the language of the view. */
export const pathOf = ({ front, language }: Pick<View, 'front' | 'language'>, page: string): string =>
  pathIn(front, language, page)

/** The paths of a page in each language, by language. */
export const pathsIn = (front: Front, page: string): Record<string, string> =>
  Object.fromEntries(front.languages.map((language) => [language, pathIn(front, language, page)]))

/** What decides the path of a record. */
type Addressed = { kind: 'event' | 'series' | 'venue' | 'organizer'; slug: string; language: string }

/**
 * The path of a record as a page links to it. An event or a series in the language of the page has no prefix, because its page is in its
 * own language.
 */
export const linkTo = ({ front, language }: Pick<View, 'front' | 'language'>, record: Addressed): string =>
  hasDates(record.kind) && record.language === language
    ? front.path + pageOf(record)
    : pathIn(front, language, pageOf(record))

/** The path of a category or tag as a page links to it. */
export const linkToTerm = (
  { front, language }: Pick<View, 'front' | 'language'>,
  term: Pick<TermRow, 'taxonomy' | 'slug' | 'language'>,
): string =>
  term.language === language ? front.path + pageOfTerm(term) : pathIn(front, language, pageOfTerm(term))

type Term = Pick<TermRow, 'taxonomy' | 'slug' | 'language'>

/**
 * The paths at which a record and its translations are known, by language: `records` are all of these, the oldest first. Events and series
 * have a page in their own language only. The others have one in every language, without a translation that of the oldest; but a term has no
 * page in the default language unless it is of that language, because its path without prefix is in its own.
 */
export function pathsOf(front: Front, records: readonly (Addressed | Term)[]): Record<string, string> {
  const [oldest] = records
  const path = (language: string) => {
    const own = records.find((one) => one.language === language)
    const shown = own ?? oldest!
    if ('taxonomy' in shown)
      return own || language !== front.languages[0] ? linkToTerm({ front, language }, shown) : undefined
    return own || !hasDates(shown.kind) ? linkTo({ front, language }, shown) : undefined
  }
  return Object.fromEntries(
    front.languages.flatMap((language) => {
      const known = path(language)
      return known === undefined ? [] : [[language, known]]
    }),
  )
}

/**
 * Paths by language, and as `x-default` the one for readers of all other languages: that of the default language, if there is one.
 */
export function withDefault<T>(front: Pick<Front, 'languages'>, paths: Record<string, T>): Record<string, T> {
  const standard = paths[front.languages[0]!]
  return standard === undefined ? paths : { ...paths, 'x-default': standard }
}

/** The path of a file in the library of pictures. */
export const mediaPath = ({ path }: Front, file: string): string => `${path}/media/${file}`

/** The page of the events that a visitor starred, below the language. */
export const MY_LIST = '/events/my-list/'

/** The filters of feeds that one may subscribe to, by the names of the API. Days are none: a subscription goes on. */
export const SUBSCRIBED = [
  'q',
  'search',
  'categories',
  'tags',
  'venue',
  'town',
  'organizer',
  'series',
  'attendance_mode',
  'free',
  'include',
] as const
export type Subscribed = Partial<Record<(typeof SUBSCRIBED)[number], string>>

/** The page on which one subscribes to the events of a list, of which the filters are given by the names of the API. */
export const subscribePath = (
  view: Pick<View, 'front' | 'language'>,
  filters: Record<string, string | undefined> = {},
): string =>
  pathOf(view, '/events/subscribe/') +
  queryOf(Object.fromEntries(SUBSCRIBED.map((name) => [name, filters[name]])))

/** A page, or the path that has it, for good or for the language of this request. */
type PageOrRedirect = Markup | { location: string; forGood?: boolean }

/** A page in one language. `isOwn` says that the URL names the language. */
type Read = (view: View, request: FastifyRequest, isOwn: boolean) => Promise<PageOrRedirect>

/** The internal routes of a page: without prefix for the default language, and with that of each other one. */
export const routesOf = ({ site: { languages } }: Service, url: string) =>
  languages.map((language, at) => ({
    url: at === 0 ? SITE + url : `${SITE}/${language}${url}`,
    language,
    isOwn: at > 0,
  }))

/**
 * Adds a page in every language, at `url` without language. It is kept and revalidated like a list of the API. What it shows depends on
 * its URL alone: it is the same with credentials as without. It reads no other parameters than `understands`. An `embed` may be in frames
 * of any site.
 */
export function addPage(
  app: FastifyInstance,
  service: Service,
  url: string,
  operation: 'list' | 'read',
  understands: readonly string[],
  read: Read,
  page: 'calendar' | 'embed' = 'calendar',
) {
  for (const { url: route, language, isOwn } of routesOf(service, url))
    app.get(
      route,
      { schema: { hide: true }, config: { page, operation, understands } },
      async (request, reply) => {
        const shown = await service.store.consistently(request, () =>
          read(app.pages!.viewIn(language), request, isOwn),
        )
        return sendPage(reply, shown)
      },
    )
}

/** Sends a page, or the way to it. */
export const sendPage = (reply: FastifyReply, shown: PageOrRedirect) =>
  'location' in shown
    ? reply.redirect(shown.location, shown.forGood ? 301 : 302)
    : reply.type(HTML).send(Buffer.from(textOf(shown)))

/**
 * The published record of a slug, or of an ID that is no slug. Throws 410 for one that was published until it came into the trash, and 404
 * for any other: visitors do not learn that there is a draft, or was one.
 */
export async function findPublished({ store }: Service, kind: PostKind, slug: string): Promise<Post> {
  const post = await store.posts.addressed(kind, slug, undefined).catch(async (error) => {
    const trashed = await store.posts.trashed(kind, slug)
    throw trashed && wasPublic(trashed) ? gone(kind) : error
  })
  if (wasPublic(post)) throw gone(kind)
  if (post.status === 'publish') return post
  throw store.posts.unknown(kind, { slug })
}

const wasPublic = ({ untrashed_status }: Post) => untrashed_status === 'publish'
const gone = (kind: PostKind) => new ApiError(`${kind}-is-in-trash`, `This ${kind} was removed.`)

/** The slug in the address of a record. */
export const slugOf = (request: FastifyRequest) => (request.params as { slug: string }).slug

/** The way to the address of a record, for good, if this one spells its slug in another way, or names it by its ID. */
export function moved(request: FastifyRequest, slug: string, path: string): PageOrRedirect | undefined {
  const given = slugOf(request)
  const encoded = encodeURIComponent(given).replace(/%../g, (code) => code.toLowerCase())
  if (slug === given || slug === encoded) return undefined
  const query = request.url.indexOf('?')
  return { location: path + (query < 0 ? '' : request.url.slice(query)), forGood: true }
}

/**
 * The way from a page to the address of its record, or to its translation into the language of the page; undefined if this is its address.
 * Events and series are in their own language wherever the address names none.
 */
export async function redirectOf(
  { store }: Service,
  view: View,
  request: FastifyRequest,
  post: Post,
  isOwn: boolean,
): Promise<PageOrRedirect | undefined> {
  const elsewhere = moved(request, post.slug, pathOf(view, pageOf(post)))
  const { id, kind, language } = post
  if (elsewhere || language === view.language || (hasDates(kind) && !isOwn)) return elsewhere
  const found = await store.posts.seek(kind, { id, language: view.language }, undefined)
  const isOther = found && found.id !== id && found.status === 'publish'
  return isOther ? { location: linkTo(view, found) } : undefined
}

/** What is read for a language, and read again after each write. */
export function untilWritten<T>({ store }: Service, readIn: (language: string) => Promise<T>) {
  const known = new Map<string, { seq: number; read: T }>()
  return async (language: string): Promise<T> => {
    const { seq } = store.changes.latest()
    const last = known.get(language)
    if (last?.seq === seq) return last.read
    const read = await readIn(language)
    known.set(language, { seq, read })
    return read
  }
}

/** A published series by its ID; undefined if visitors may not see it. */
export async function findSeries({ store }: Service, id: number): Promise<SeriesRecord | undefined> {
  const [series] = (await store.records.posts([id], { caller: undefined })) as SeriesRecord[]
  return series?.status === 'publish' ? series : undefined
}

/** Gives events and series their venues and organizers in the language of a page, where these have a published translation in it. */
export function openLocalizing({ store }: Service) {
  return async <T extends EventRecord | SeriesRecord>({ language }: Pick<View, 'language'>, records: T[]) => {
    const otherOf = (record: VenueRecord | OrganizerRecord) =>
      record.language === language ? undefined : record.translations[language]
    const linked = records.flatMap(({ venues, organizers }) => [...venues, ...organizers])
    const ids = new Set(linked.flatMap((record) => otherOf(record) ?? []))
    if (ids.size === 0) return records
    const found = await store.records.posts([...ids], { caller: undefined })
    const byId = new Map(found.filter(({ status }) => status === 'publish').map((one) => [one.id, one]))
    const localized = <R extends VenueRecord | OrganizerRecord>(record: R) =>
      (byId.get(otherOf(record) ?? 0) as R | undefined) ?? record
    return records.map(
      (record): T =>
        Object.assign({}, record, {
          venues: record.venues.map(localized),
          organizers: record.organizers.map(localized),
        }),
    )
  }
}

/** Reads published events as a page shows them. */
export function openPublished(service: Service) {
  const localize = openLocalizing(service)
  return async (view: Pick<View, 'language'>, ids: number[]): Promise<EventRecord[]> =>
    localize(view, await service.store.published(ids))
}

/** Finds the series of events that stand for more than one of its dates, if visitors may see it. */
export function openRepeats({ store }: Service) {
  return async (events: EventRecord[], occurrences: Reading['occurrences']): Promise<Repeats> => {
    const several = events.filter(({ id }) => (occurrences?.get(id) ?? 1) > 1)
    if (several.length === 0) return new Map()
    const ids = several.map(({ occurrence }) => occurrence!.series_id)
    const found = (await store.records.posts(ids, { caller: undefined })) as SeriesRecord[]
    const byId = new Map(found.map((series) => [series.id, series]))
    return new Map(
      several.flatMap(({ id, occurrence }) => {
        const series = byId.get(occurrence!.series_id)!
        return series.status === 'publish' ? [[id, { series, more: occurrences!.get(id)! - 1 }]] : []
      }),
    )
  }
}
