import type { FastifyRequest } from 'fastify'
import type { EventRecord, Post, SeriesRecord } from '../../../calendar/formats/records.ts'
import type { Service } from '../../../calendar/resource/service.ts'
import type { PostKind, View } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Repeats } from '../html/parts/repeats.ts'
import type { Shown } from './page.ts'

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

/** The way to the address of a record, for good, if this one spells its slug in another way, or names it by its ID. */
export function moved(request: FastifyRequest, slug: string, path: string): Shown | undefined {
  const { slug: given } = request.params as { slug: string }
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
  return async (events: EventRecord[], occurrences: View['occurrences']): Promise<Repeats> => {
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
