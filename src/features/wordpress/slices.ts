import type { FastifyRequest } from 'fastify'
import type { Service } from '../../calendar/resource/service.ts'
import type { Found, Kind } from './kinds.ts'
import { type Asked, MOST } from './queries.ts'
import { ownOf } from './showing.ts'

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
