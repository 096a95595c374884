import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EventRecord, Post, SeriesRecord } from '../../../calendar/formats/records.ts'
import type { Service } from '../../../calendar/resource/service.ts'
import type { PostKind, View as Reading } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { HTML } from '../../../kernel/output/header-values.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { type Markup, textOf } from '../../../kernel/text/markup.ts'
import type { Repeats } from '../html/dates.ts'
import type { View } from '../html/view.ts'

/** A page, or the path that has it, for good or for the language of this request. */
export type Shown = Markup | { location: string; forGood?: boolean }

/** A page in one language. `isOwn` says that the URL names the language. */
type Read = (view: View, request: FastifyRequest, isOwn: boolean) => Promise<Shown>

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
export const sendPage = (reply: FastifyReply, shown: Shown) =>
  'location' in shown
    ? reply.redirect(shown.location, shown.forGood ? 301 : 302)
    : reply.type(HTML).send(Buffer.from(textOf(shown)))

/**
 * The published record of a slug, or of an ID that is no slug. Throws 410 for one that was published until it came into the trash, and 404
 * for any other: visitors do not learn that there is a draft, or was one.
 */
export async function findShown({ store }: Service, kind: PostKind, slug: string): Promise<Post> {
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

/** The translation of a record into a language, if visitors may see it; undefined without one, and for the record itself. */
export async function translationOf(
  { store }: Service,
  { id, kind }: Post,
  language: string,
): Promise<Post | undefined> {
  const found = await store.posts.seek(kind, { id, language }, undefined)
  return found && found.id !== id && found.status === 'publish' ? found : undefined
}

/** The slug in the address of a record. */
export const slugOf = (request: FastifyRequest) => (request.params as { slug: string }).slug

/** The way to the address of a record, for good, if this one spells its slug in another way, or names it by its ID. */
export function moved(request: FastifyRequest, slug: string, path: string): Shown | undefined {
  const given = slugOf(request)
  const encoded = encodeURIComponent(given).replace(/%../g, (code) => code.toLowerCase())
  if (slug === given || slug === encoded) return undefined
  const query = request.url.indexOf('?')
  return { location: path + (query < 0 ? '' : request.url.slice(query)), forGood: true }
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
