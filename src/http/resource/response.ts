import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import { FACTS } from '../../../schemas/facts.ts'
import { canWrite } from '../../rules/roles.ts'
import type { Guard, Json, Store } from '../../store/store.ts'
import type { ApiError } from '../../support/errors.ts'
import { ignoredOf } from '../input/validator.ts'
import { trimFields } from '../output/fields.ts'
import { etagOf, named } from '../output/freshness.ts'
import { addCorrections, addNames, JSON_ANSWER, printName } from '../output/header-values.ts'
import { isFormatted } from '../output/negotiation.ts'

/** Returns the record at the same URL as the same caller reads it, or throws the error of the read or of the write. */
type Current = () => Promise<{ id: number; json: Json }>
type Known = { id: number; etag: string }

/** A write is on the condition of `If-Match` (RFC 9110 §13.1.1), if it has one: 412 with the current ETag unless it holds (§13.2.1). */
export async function guarded<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  store: Pick<Store, 'writeOn'>,
  kind: string,
  current: Current,
  write: (guard: Guard, id?: number) => Promise<T>,
): Promise<T> {
  const match = request.headers['if-match']
  // `*` requires that the record exists, as every write does
  if (match === undefined || match.trim() === '*') return store.writeOn(kind, undefined, write)
  const fits = ({ etag }: Known) => named(match, etag) !== undefined
  try {
    return await store.writeOn<Known, T>(kind, { look: () => look(current), fits }, write)
  } catch (error) {
    if ((error as ApiError).code === 'rest_precondition_failed') {
      const now = await look(current)
      if (now) reply.header('etag', now.etag)
    }
    throw error
  }
}

/** Adds the ETag of a record to the refusal of a read, if the caller may change it: an event is restored from the trash by it. */
export async function tag(reply: FastifyReply, current: Current) {
  const known = await look(current)
  if (known) reply.header('etag', known.etag)
}

/**
 * Adds the ETag of a record that was written: that of a read of its URL, if this shows the record to the caller. A response to PUT has
 * none, since the record is not what was sent (RFC 9110 §9.3.4).
 */
export async function addEtag(request: FastifyRequest, reply: FastifyReply, id: number, current: Current) {
  reply.removeHeader('etag')
  if (request.method === 'PUT') return
  const known = await look(current)
  if (known?.id === id) reply.header('etag', known.etag)
}

/** Tells a caller who may edit a record in which facts its translations differ from it. */
export async function addDifferences(
  { caller }: FastifyRequest,
  reply: FastifyReply,
  { differences }: Pick<Store, 'differences'>,
  kind: SyncKind,
  id: number,
) {
  if (!canWrite(caller) || !hasFacts(kind)) return
  const found = await differences(kind, id, caller)
  const text = found.map(([language, names]) => `${language}: ${names.join(', ')}`).join('; ')
  reply.removeHeader('x-translations-differ')
  if (text) reply.header('x-translations-differ', text)
}

/** Whether records of a kind have facts, which their translations share. */
const hasFacts = (kind: SyncKind): kind is keyof typeof FACTS => kind in FACTS

/** The current record with its ETag; undefined if the caller may not see it here. */
const look = (current: Current) =>
  current().then(
    ({ id, json }) => ({ id, etag: etagOf(Buffer.concat(json)) }),
    () => undefined,
  )

declare module 'fastify' {
  interface FastifyRequest {
    /** Terms that the write made, as `X-Created-Terms` names them. */
    createdTerms?: string[]
  }
}

/**
 * The body of a response of JSON bytes, for its handler to return; on reads only the members that `_fields` names. What a write ignored
 * and made besides is named in headers.
 */
export function bodyOf(request: FastifyRequest, reply: FastifyReply, json: Json) {
  const { _fields } = request.query as { _fields?: string }
  if (request.body) {
    addNames(reply, 'x-ignored-fields', ignoredOf(request.body).map(printName))
    addNames(reply, 'x-created-terms', request.createdTerms ?? [])
  }
  addCorrections(reply, request.corrections)
  const bytes = Buffer.concat(json)
  reply.type(JSON_ANSWER)
  return _fields ? trimFields(bytes, _fields) : bytes
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
