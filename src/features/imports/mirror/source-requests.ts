import { createHash } from 'node:crypto'
import { Reads } from '../../../../schemas/common.ts'
import type { Store } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { INPUTS } from '../files/items.ts'
import { below, PLURALS } from '../site/source.ts'
import { asHtml, idOf, type SourceJson } from '../site/source-records.ts'
import { jsonOf, readBytes, type WebOptions } from '../site/web.ts'
import type { Imported, RecordKind } from '../store.ts'
import type { ForwardedWrite } from './write-through.ts'

/** A source that takes writes: its address, that of its API, its number here, and whether it is a calendar like this one. */
type WritableSource = { source: string; root: string; of: number; isAlmanac: boolean }

const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE', restore: 'POST' } as const

/** Makes requests to a source of writes here. Throws the refusal of what can not be forwarded. */
export function openRequestBuilder(store: Store, { source, root, of, isAlmanac }: WritableSource) {
  const refusal = (why: string) =>
    new ApiError('calendar_is_mirror', `This calendar is a mirror of ${source}. ${why}`, { source })

  async function own(kind: RecordKind, id: number): Promise<Imported> {
    const row = await store.imports.ofHere(of, kind, id)
    if (row) return row
    throw refusal(`The ${kind} ${id} did not come from there, so what is about it is not passed on.`)
  }

  /** What the source calls what is here. */
  const remoteNamesFor = (caller: ForwardedWrite['caller']): RemoteNames => ({
    record: async (kind, id) => (await own(kind, id)).remote_id,
    async term(taxonomy, key) {
      const [term] = await store.terms.resolve(taxonomy, [key], store.site.languages[0]!)
      if (term) return (await own(taxonomy, term.id)).remote_id
      return typeof key === 'string' ? key : undefined
    },
    async picture(id) {
      const { origin_url } = await store.media.find(id, caller)
      if (origin_url !== null) return origin_url
      throw refusal(`The image ${id} did not come from there, so it is not passed on; send an address.`)
    },
  })

  /** Why a write is not forwarded, whatever it refers to. */
  async function whyNot({
    kind,
    verb,
    body,
    query,
    caller,
    id,
  }: ForwardedWrite): Promise<string | undefined> {
    if (!isAlmanac && (kind === 'series' || verb === 'restore' || query.apply_to || query.translations))
      return 'That is no Almanac, so series, restoring and writes to several records are not passed on.'
    if (body.password) return 'Events under a password are not mirrored, so they are not passed on.'
    if (!body.author) return undefined
    const author = id === undefined ? caller.id : (await store.posts.byId(kind as 'event', id))!.author_id
    return body.author === author ? undefined : 'Users are not mirrored, so another author is not passed on.'
  }

  /** The ID of a record at the source, if it is here as it was imported. */
  async function remoteOf(kind: RecordKind, id: number): Promise<number> {
    const { remote_id, version } = await own(kind, id)
    if ((await store.imports.state(store.db.read, kind, id))?.version === version) return remote_id
    throw refusal(`The ${kind} ${id} was edited here, so it does not follow that any more.`)
  }

  return async (write: ForwardedWrite): Promise<SourceRequest> => {
    const why = await whyNot(write)
    if (why !== undefined) throw refusal(why)
    const { kind, verb, id, query, status, language, caller, key } = write
    const there = remoteNamesFor(caller)
    const { author: _, password: __, ...read } = write.body
    const isNew = id === undefined
    const body: SourceJson = {
      // what is not sent would be another at a source in another zone or language
      ...(isNew && kind === 'event' && { timezone: store.site.zone }),
      ...(isNew && language !== undefined && { i18n_language: language }),
      ...(await bodyFor(kind, read, there)),
      ...(status !== undefined && (isNew || 'status' in read) && { status }),
    }
    const asked = {
      ...(query.apply_to && { apply_to: query.apply_to }),
      ...(query.translations && { translations: query.translations }),
      ...(query.force && { force: 'true' }),
      ...(query.reassign && { reassign: String(await there.record(kind, query.reassign)) }),
    }
    const path = [
      PLURALS[kind],
      ...(isNew ? [] : [await remoteOf(kind, id)]),
      ...(verb === 'restore' ? ['restore'] : []),
    ].join('/')
    return {
      method: METHODS[verb],
      url: below(root, path, asked),
      ...((verb === 'create' || verb === 'update') && { body }),
      ...(key !== undefined && isAlmanac && { key: keyOf(caller.id, key) }),
    }
  }
}

/** The key of a request for the source, where all come from one user: the same for the same caller and key. */
const keyOf = (caller: number, key: string) =>
  createHash('sha256').update(`${caller} ${key}`).digest('base64url')

type Members = Record<string, unknown>
/** What the source calls what a body refers to. Each throws the refusal of what it does not have. */
type RemoteNames = {
  record(kind: RecordKind, id: number): Promise<number>
  /** A term by its ID, slug or name here; what is no term yet keeps its name, and an ID without a term is left out. */
  term(taxonomy: 'category' | 'tag', key: number | string): Promise<number | string | undefined>
  /** The address of a picture. */
  picture(id: number): Promise<string>
}

/** How members are read that are sent as HTML, which is what names and lines are read as. */
const PLAIN = ['name', 'line', 'postcode']
/** How members are read that an empty text clears, also at sources that do not know null. */
const TEXTS = ['html', 'line', 'postcode', 'url', 'webUrl', 'cost', 'image', 'picture']
/** The kinds that members name records of, by their IDs. */
const REFERRED: Record<string, (kind: RecordKind) => RecordKind> = {
  parent: () => 'category',
  post_parent: () => 'event',
  translation_of: (kind) => kind,
}

/** A member as it was read, so that it is read as the same again: a value is sent that was checked, not what a client sent. */
function resendable(
  schema: (typeof INPUTS)['event']['properties'][string] | undefined,
  value: unknown,
): unknown {
  const reading = String(schema?.[Reads])
  if (value === null) return TEXTS.includes(reading) ? '' : null
  if (reading === 'cost') return (value as string[]).map(asHtml)
  return PLAIN.includes(reading) ? asHtml(String(value)) : value
}

/** The body of a request to the source, from that of one here, as it was read. Only what was sent is in it. */
export async function bodyFor(kind: RecordKind, body: Members, there: RemoteNames): Promise<Members> {
  const sent: Members = {}
  for (const [name, value] of Object.entries(body)) sent[name] = await memberFor(kind, name, value, there)
  return sent
}

async function memberFor(
  kind: RecordKind,
  name: string,
  value: unknown,
  there: RemoteNames,
): Promise<unknown> {
  if (value && name === 'image') return imageFor(value as { id: number } | { url: string }, there)
  if (isOfEvent(kind)) {
    if (name === 'venue' || name === 'organizer') return linksFor(name, (value ?? []) as Link[], there)
    if (name === 'categories' || name === 'tags') {
      const taxonomy = name === 'tags' ? 'tag' : 'category'
      const keys: unknown[] = []
      for (const key of (value ?? []) as (number | string)[]) keys.push(await there.term(taxonomy, key))
      return keys.filter((key) => key !== undefined)
    }
  }
  const referred = REFERRED[name]?.(kind)
  if (value && referred) return there.record(referred, value as number)
  return resendable(INPUTS[kind].properties[name], value)
}

const isOfEvent = (kind: RecordKind) => kind === 'event' || kind === 'series'

type Link = { id: number } | { create: Members }

async function linksFor(kind: 'venue' | 'organizer', links: Link[], there: RemoteNames): Promise<unknown[]> {
  const sent: unknown[] = []
  for (const link of links)
    sent.push(
      'id' in link ? { id: await there.record(kind, link.id) } : await bodyFor(kind, link.create, there),
    )
  return sent
}

const imageFor = (image: { id: number } | { url: string }, there: RemoteNames) =>
  'url' in image ? image.url : there.picture(image.id)

/** A request to the source. */
type SourceRequest = {
  method: 'POST' | 'PATCH' | 'DELETE'
  url: string
  body?: SourceJson | undefined
  /** Its `Idempotency-Key`. */
  key?: string | undefined
}

/** Failures after which nothing of a request can have arrived. */
const NOT_REACHED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT'],
]
/** What a source answers where it takes no writes of this reader, or none at all, or none now. */
const CLOSED = [401, 403]
const LATER = [429, 503]

/** The 502 of a source that did not take a write. */
export const sourceFailed = (source: string, why: string, data: object = {}) =>
  new ApiError('source_failed', `The calendar that this one is a mirror of, ${source}, ${why}`, {
    source,
    ...data,
  })

/** The 503 where nobody knows whether the source took a write. */
const notKnown = (source: string, why: string) =>
  new ApiError(
    'outcome_unknown',
    `The calendar that this one is a mirror of, ${source}, ${why}. The write was made there completely or not at all. If it was, it comes here within some minutes; check before you send it again.`,
    { source },
  )

/** Sends writes to a source, each once. Gives the record that it answers with, or throws what is told to the client. */
export function openSender(
  source: string,
  { fetch, userAgent, authorization, timeoutMs = 30_000 }: Omit<WebOptions, 'clock' | 'pause'>,
) {
  const read = async (response: Response): Promise<SourceJson> => {
    try {
      return { ...jsonOf(await readBytes(response)) }
    } catch (error) {
      if (error instanceof SyntaxError) return {}
      throw error
    }
  }

  async function ask({
    method,
    url,
    body,
    key,
  }: SourceRequest): Promise<{ status: number; shown: SourceJson }> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(authorization && { authorization }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // a write must not become a read, and credentials are for nobody else
        redirect: 'manual',
        signal: limit,
      })
      return { status: response.status, shown: await read(response) }
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } }
      if (NOT_REACHED.includes(cause?.code ?? ''))
        throw sourceFailed(source, `can not be reached (${cause!.code}). Nothing was written.`)
      throw notKnown(source, limit.aborted ? 'did not answer in time' : `broke off (${message})`)
    }
  }

  return async (sent: SourceRequest): Promise<SourceJson> => {
    const { status, shown } = await ask(sent)
    const { code, message } = shown
    const answer = {
      source_status: status,
      ...(typeof code === 'string' && { source_code: code.slice(0, 100) }),
      ...(typeof message === 'string' && { source_message: message.slice(0, 500) }),
    }
    if (status < 300) {
      if (idOf(shown.id) > 0) return shown
      throw sourceFailed(source, `answers ${status} without a record; look there.`, answer)
    }
    const says = `answers ${status}${typeof message === 'string' ? `: ${answer.source_message}` : '.'}`
    if (CLOSED.includes(status))
      throw sourceFailed(source, `${says} The credentials of the mirror do not suffice there.`, answer)
    if (LATER.includes(status) && code !== 'outcome_unknown') throw sourceFailed(source, says, answer)
    if (status >= 500) throw notKnown(source, says)
    if (status < 400) throw sourceFailed(source, `${says} It is somewhere else.`, answer)
    throw new ApiError('source_refused', `The calendar that this one is a mirror of ${says}`, {
      source,
      ...answer,
    })
  }
}
