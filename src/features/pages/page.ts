import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Link } from '../../calendar/branding.ts'
import {
  type EventRecord,
  hasDates,
  type Post,
  type SeriesRecord,
  type TermRow,
} from '../../calendar/formats/records.ts'
import { pageOf, pageOfTerm, pathIn, queryOf } from '../../calendar/formats/urls.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { PostKind, View as Reading } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { HTML } from '../../kernel/output/header-values.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { type Markup, textOf } from '../../kernel/text/markup.ts'
import type { Repeats } from './dates.ts'
import type { Words } from './words.ts'

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
  sheets: { month: string; record: string; focus: string; submit: string }
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

/** The filters of feeds that one may subscribe to, by the names of the API. Days are none: a subscription goes on. */
export const SUBSCRIBED = [
  'q',
  'search',
  'categories',
  'tags',
  'venue',
  'organizer',
  'series',
  'attendance_mode',
  'free',
] as const
export type Subscribed = Partial<Record<(typeof SUBSCRIBED)[number], string>>

/** The page on which one subscribes to the events of a list, of which the filters are given by the names of the API. */
export const subscribePath = (view: View, filters: Record<string, string | undefined> = {}): string =>
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
