import type { FastifyReply } from 'fastify'
import type { Json } from '../../store/store.ts'
import { ApiError, type ErrorCode } from '../../support/errors.ts'

/** The URL, page and filters of a list, for its links. */
export type PageRequest = {
  /** URL of the collection, without a slash at the end. */
  url: string
  page: number
  perPage: number
  /** The filters of the request in order, with relative dates resolved. */
  filters: [string, string][]
}

/** Greatest number of entries per page. A higher `per_page` is not refused (contract, Shapes). */
export const MAX_PER_PAGE = 50

const link = ({ url, perPage, filters }: PageRequest, page: number, first: boolean) => {
  const query = new URLSearchParams([['per_page', String(perPage)], ...filters])
  if (page > 1 || first) query.set('page', String(page))
  return `${url}/?${query}`
}

/** The 404 of a page beyond the last one of so many (D33). */
export const noPage = (kind: string, page: number, pages: number) =>
  new ApiError(
    `${kind}-archive-page-not-found` as ErrorCode,
    `There is no page ${page}; the last page is ${Math.max(pages, 1)}.`,
  )

type Totals = { total: number; pages: number; next: string | undefined; previous: string | undefined }

/** Sets the headers of a list: links to its neighbours, and totals. */
export function addTotals(reply: FastifyReply, { total, pages, next, previous }: Totals) {
  const links = [next && `<${next}>; rel="next"`, previous && `<${previous}>; rel="prev"`].filter(Boolean)
  if (links.length > 0) reply.header('link', links.join(', '))
  for (const name of ['x-tec-total', 'x-wp-total']) reply.header(name, String(total))
  for (const name of ['x-tec-totalpages', 'x-wp-totalpages']) reply.header(name, String(pages))
}

/**
 * Composes a page of a list: entries, links and totals, and sets the headers for them. Throws the 404 of a page beyond the last
 * one (D33).
 */
export function composePage(
  reply: FastifyReply,
  key: string,
  kind: string,
  entries: Json[],
  total: number,
  request: PageRequest,
): Json {
  const pages = Math.ceil(total / request.perPage)
  if (entries.length === 0 && request.page > 1) throw noPage(kind, request.page, pages)
  const next = request.page < pages ? link(request, request.page + 1, false) : undefined
  const previous = request.page > 1 ? link(request, request.page - 1, false) : undefined
  const tail = {
    rest_url: link(request, request.page, true),
    next_rest_url: next,
    previous_rest_url: previous,
    total,
    total_pages: pages,
  }
  addTotals(reply, { total, pages, next, previous })
  const json: Json = [Buffer.from(`{"${key}":[`)]
  for (let at = 0; at < entries.length; at++) {
    if (at > 0) json.push(COMMA)
    json.push(...entries[at]!)
  }
  json.push(Buffer.from(`],${JSON.stringify(tail).slice(1)}`))
  return json
}
const COMMA = Buffer.from(',')
