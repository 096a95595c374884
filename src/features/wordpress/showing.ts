import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageOfTerm } from '../../calendar/formats/urls.ts'
import { addTotals } from '../../calendar/resource/envelope.ts'
import { bodyOf, type RecordRequest, type Service } from '../../calendar/resource/service.ts'
import { canWrite } from '../../calendar/rights.ts'
import type { Json, Taxonomy } from '../../calendar/store.ts'
import { forbidden } from '../../kernel/errors.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import type { Place } from './discovery.ts'
import { type Context, type Links, mediaShown, type Own, pictureOf, termShown } from './formats.ts'
import type { Found, Kind } from './kinds.ts'
import { type Asked, MOST } from './requests.ts'

/** How a kind is shown at an address. */
export type Shown = {
  show(own: Own, context: Context): object
  links?(own: Own, where: { rest: string }): Links
  /** Whether its picture and terms can be read with it. */
  embeds?: boolean
}

/** The record of a response of the API. */
export const ownOf = (json: Json): Own => JSON.parse(Buffer.concat(json).toString())
/** A body of a response. */
export const jsonOf = (body: unknown): Json => [Buffer.from(JSON.stringify(body))]

/** What a request wants to see. Throws 401 or 403 for what is only for those who write, unless it is the caller's own. */
export function contextOf({ query, caller }: FastifyRequest, isOwn = false): Context {
  const { context = 'view' } = query as { context?: Context }
  if (context === 'edit' && !isOwn && !canWrite(caller))
    throw forbidden(caller !== undefined, 'read records with context=edit')
  return context
}

/** What `_embed` asks for; undefined without it. */
function embeddedOf({ given }: RecordRequest): ((relation: string) => boolean) | undefined {
  const names = given._embed?.values.flatMap((value) => value.split(',')).map((name) => name.trim())
  if (names === undefined) return undefined
  const isAll = names.every((name) => ['', '1', 'true'].includes(name))
  return (relation) => isAll || names.includes(relation)
}

/** What the neighbours of a page do not have from its address. */
const PLACES = ['page', 'offset', 'password']

/** Shows records in the form of WordPress. */
export function openShowing(service: Service, place: Place) {
  const { documents, media } = service.store
  const languageOf = (request: RecordRequest) => mountOf(request)!.language ?? service.site.languages[0]!
  const readAt = (request: RecordRequest) => ({ language: languageOf(request), zone: service.site.zone })
  const where = (request: RecordRequest) => ({
    rest: service.base + place.rootIn(mountOf(request)!.language),
  })

  /** A term inside an event, which has the address of its page only by itself. */
  const withUrl = (term: Own, taxonomy: Taxonomy): Own => ({
    ...term,
    url: service.base + pageOfTerm({ taxonomy, slug: term.slug }),
  })

  /** Pictures as the API shows them, with their captions. */
  async function picturesOf(request: RecordRequest, ids: number[]): Promise<Own[]> {
    const captions = await media.captions(ids)
    const shown = await documents.media(ids, service.view(request, false))
    return shown.map(ownOf).map((own) => ({ ...own, captions: captions.get(own.id) }))
  }

  /** What is shown with these records, by the ID of each. */
  async function embedded(request: RecordRequest, records: Own[]) {
    const wants = embeddedOf(request)
    if (wants === undefined) return undefined
    const ids = [...new Set(records.map(pictureOf))].filter((id) => id !== 0)
    const pictures = wants('wp:featuredmedia') && ids.length > 0 ? await picturesOf(request, ids) : []
    const byId = new Map(pictures.map((own) => [own.id, mediaShown(own, 'embed', readAt(request))]))
    return ({ image, tags, categories }: Own) => ({
      ...(image && byId.has(image.id) && { 'wp:featuredmedia': [byId.get(image.id)] }),
      ...(tags &&
        wants('wp:term') && {
          'wp:term': [
            tags.map((term: Own) => termShown('tags', withUrl(term, 'tag'))),
            categories.map((term: Own) => termShown('tribe_events_cat', withUrl(term, 'category'))),
          ],
        }),
    })
  }

  /** Records of the API in the form of WordPress. */
  async function show(
    request: RecordRequest,
    { show, links, embeds }: Shown,
    records: Own[],
    context: Context,
  ) {
    const beside = embeds ? await embedded(request, records) : undefined
    return records.map((own) => ({
      ...show(own, context),
      ...(links && { _links: links(own, where(request)) }),
      ...(beside && { _embedded: beside(own) }),
    }))
  }

  return {
    where,
    languageOf,
    readAt,
    picturesOf,
    show,
    /** Sends a page of records as a list, with totals and the way to its neighbours in headers. `beyond` is the error of a page after the last. */
    sendList(
      request: FastifyRequest,
      reply: FastifyReply,
      url: string,
      { entries, total }: { entries: object[]; total: number },
      beyond: (pages: number) => Error | undefined,
    ) {
      const { page, per_page, offset } = request.query as Pick<Asked, 'page' | 'per_page' | 'offset'>
      const size = Math.min(per_page, MOST)
      const pages = Math.ceil(total / size)
      const at = (place: 'page' | 'offset', value: number) => {
        const pairs = Object.entries(request.given).filter(([name]) => !PLACES.includes(name))
        const query = new URLSearchParams(
          pairs.map(([name, { values }]): [string, string] => [name, values.join(',')]),
        )
        query.set(place, String(value))
        return `${url}?${query}`
      }
      if (offset === undefined) {
        const error = page > 1 && page > pages ? beyond(pages) : undefined
        if (error) throw error
        const next = page < pages ? at('page', page + 1) : undefined
        addTotals(reply, { total, pages, next, previous: page > 1 ? at('page', page - 1) : undefined })
      } else {
        const next = offset + size < total ? at('offset', offset + size) : undefined
        const previous = offset > 0 ? at('offset', Math.max(offset - size, 0)) : undefined
        addTotals(reply, { total, pages, next, previous })
      }
      return bodyOf(request, reply, jsonOf(entries))
    },
  }
}
export type Showing = ReturnType<typeof openShowing>

/** Records that are shown for a unit of work. */
const SHOWN = 25

/** A page of a kind that was asked for: its records as the API shows them, and how many there are on all pages. */
export async function readPage(service: Service, kind: Kind, request: FastifyRequest) {
  const asked = request.query as Asked
  const size = Math.min(asked.per_page, MOST)
  const found = await listFrom(
    kind,
    asked.offset ?? (asked.page - 1) * size,
    { ...asked, per_page: size },
    request,
  )
  return { records: await showFound(service, kind, found, request), total: found.total }
}

/** Records of a list as the API shows them. */
export async function showFound(
  service: Service,
  { resource }: Kind,
  { ids, occurrences }: Found,
  request: FastifyRequest,
) {
  request.spend?.(ids.length / SHOWN)
  return (await resource.show(ids, { ...service.view(request, false), occurrences })).map(ownOf)
}

/** A page of IDs that begins after so many, which may lie on two pages of a list. */
export async function listFrom(
  { list }: Kind,
  offset: number,
  asked: Asked,
  request: FastifyRequest,
): Promise<Found> {
  const size = asked.per_page
  const page = Math.floor(offset / size) + 1
  const first = await list({ ...asked, page }, request)
  const over = offset % size
  if (over === 0) return first
  const second = await list({ ...asked, page: page + 1 }, request)
  return { ...first, ids: [...first.ids.slice(over), ...second.ids.slice(0, over)] }
}
