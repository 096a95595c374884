import type { TObject } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModifiedQuery } from '../../../schemas/dates.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { isFormatted } from '../../kernel/output/negotiation.ts'
import type { Site } from '../../kernel/site.ts'
import { secondsOf, toUtc, toWall, type Wall } from '../../kernel/time/dates.ts'
import { isRelative, readMoment } from '../../kernel/time/moments.ts'
import type { DateLimit, Json, Modified } from '../store.ts'

/** The URL, page and filters of a list, for its links. */
type PageRequest = {
  /** URL of the collection, without a slash at the end. */
  url: string
  page: number
  perPage: number
  /** The filters of the request in order, with relative dates resolved. */
  filters: [string, string][]
}

/** Greatest number of entries per page. A higher `per_page` is not refused (contract, Shapes). */
export const MAX_PER_PAGE = 50

/** The links to pages of a list; that of the first page names it only if `first`. */
function linksOf({ url, perPage, filters }: PageRequest) {
  const query = `${url}/?${new URLSearchParams([['per_page', String(perPage)], ...filters])}`
  return (page: number, first: boolean) => (page > 1 || first ? `${query}&page=${page}` : query)
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
  const link = linksOf(request)
  const next = request.page < pages ? link(request.page + 1, false) : undefined
  const previous = request.page > 1 ? link(request.page - 1, false) : undefined
  const tail = {
    rest_url: link(request.page, true),
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

/** Parameters that links do not repeat: they set the page themselves, and never contain a password. */
const NOT_CARRIED = ['page', 'per_page', 'password']

/** The filters in the links of a list: all that were sent, with dates resolved (D9). */
export function filterTexts(
  request: FastifyRequest,
  schema: TObject,
  dates: Record<string, string> = {},
): [string, string][] {
  const query = request.query as Record<string, unknown>
  const { given } = request
  const found: [string, string][] = []
  const known = new Set(NOT_CARRIED)
  const take = (name: string, text: string) => {
    if (!known.has(name)) found.push([name, text])
    known.add(name)
  }
  for (const name of namesOf(schema)) {
    const date = dates[name]
    if (date !== undefined) take(name, date)
    else if (given[name] && query[name] !== undefined) take(name, String(query[name]))
  }
  for (const name of Object.keys(given)) if (!known.has(name)) take(name, given[name]!.values.join(','))
  return found
}

/** The parameters of a list in the order of its links, noted once for each. */
const namesBySchema = new WeakMap<TObject, string[]>()
function namesOf(schema: TObject): string[] {
  const known = namesBySchema.get(schema)
  if (known) return known
  const names = [...Object.keys(schema.properties), 'i18n_language', '_fields']
  namesBySchema.set(schema, names)
  return names
}

/**
 * The filters of a list by the last change, the texts for its links, and the Unix millisecond until which they mean the same. A
 * time without an offset is in the site zone.
 */
export function readModified(query: ModifiedQuery, { clock, zone }: Pick<Site, 'clock' | 'zone'>) {
  const texts: Record<string, string> = {}
  let until = Number.POSITIVE_INFINITY
  const read = (name: keyof ModifiedQuery): Wall | undefined => {
    const given = query[name]
    if (given === undefined) return undefined
    const { wall, instant } = readMoment(given, { now: clock(), zone })!
    const at = instant === undefined ? toUtc(wall, zone) : toWall(instant, 'UTC')
    texts[name] = `${at.replace(' ', 'T')}Z`
    if (isRelative(given)) until = 0
    return at
  }
  const modified: Modified = { after: read('modified_after'), before: read('modified_before') }
  return { modified, texts, until }
}

/** The limits of lists of events. */
export function modifiedLimits({ after, before }: Modified): DateLimit[] {
  const limits: DateLimit[] = []
  if (after !== undefined) limits.push({ side: 'modified', than: '>', value: secondsOf(after), utc: true })
  if (before !== undefined) limits.push({ side: 'modified', than: '<', value: secondsOf(before), utc: true })
  return limits
}

/** Longer headers are refused by some clients. */
const LONGEST = 1_500
/** Parameters that do not belong to the address of a calendar. */
const OTHERS = ['page', 'per_page', '_fields', 'password']

/** URLs whose path and parameters are already written as the standard of URLs writes them, which most are: reading one takes longer. */
const PLAIN = /^[\w/-]*(?:\?[\w-]+=(?:[\w.+-]|%2C|%3A)*(?:&[\w-]+=(?:[\w.+-]|%2C|%3A)*)*)?$/

/** The path and the parameters of a URL, encoded. */
function partsOf(url: string, root: string): { path: string; parameters: string[] } {
  if (PLAIN.test(url)) {
    const [path, query] = url.split('?')
    return { path: path!, parameters: query?.split('&') ?? [] }
  }
  const { pathname, searchParams } = new URL(url, root)
  return { path: pathname, parameters: String(searchParams).split('&') }
}

/** The address by which programs subscribe to a calendar. `url` is below the mount. */
function calendarOf(root: string, url: string): string {
  const { path, parameters } = partsOf(url, root)
  const query = parameters.filter((text) => !OTHERS.includes(text.slice(0, text.indexOf('=')))).join('&')
  return `${root.replace(/^https?:/, 'webcal:')}${path.replace(/\/$/, '')}.ics${query && `?${query}`}`
}

/** Links a response to the calendar with the same events, in a header, where there is one: the body is one that clients know. */
export function linkCalendar(request: FastifyRequest, reply: FastifyReply, root: string) {
  if (!isFormatted(request.raw)) return
  const link = `<${calendarOf(root, request.url)}>; rel="alternate"; type="text/calendar"`
  const known = reply.getHeader('link')
  if (link.length <= LONGEST) reply.header('link', known === undefined ? link : `${known}, ${link}`)
}
