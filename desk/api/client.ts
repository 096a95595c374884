import { readMessages } from '../rules/stream.ts'
import { errorText, problemText } from '../words/words.ts'
import { credential, latest, renewed, session } from './session.ts'
import { SITE } from './site.ts'

/** An error of the API, or of the way to it: then its status is 0. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  /** What is wrong with members of the request, by name. */
  readonly params: Record<string, string>
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined
  /** The ETag of the record that is refused, where the API tells it. */
  readonly etag: string | undefined

  constructor(status: number, body: ErrorBody, etag?: string) {
    super(errorText(body.code, body.message))
    this.status = status
    this.etag = etag
    this.code = body.code
    this.params = paramsOf(body)
    this.retryAfter = body.data?.retry_after
  }
}
type ErrorBody = {
  code: string
  message: string
  data?: { params?: Record<string, string> | string[]; retry_after?: number }
}

/** Codes that say which member they are about. */
const ABOUT: Record<string, string> = {
  empty_content: 'title',
  empty_term_name: 'name',
  term_name_too_long: 'name',
  term_exists: 'name',
  duplicate_term_slug: 'slug',
  'could-not-create-venue': 'venue',
  'could-not-create-organizer': 'organizer',
}

function paramsOf({ code, message, data }: ErrorBody): Record<string, string> {
  const params = data?.params ?? {}
  const text = errorText(code, message)
  if (Array.isArray(params)) return Object.fromEntries(params.map((name) => [name, text]))
  if (ABOUT[code] && Object.keys(params).length === 0) return { [ABOUT[code]]: text }
  return Object.fromEntries(Object.entries(params).map(([name, problem]) => [name, problemText(problem)]))
}

export type Query = Record<string, string | number | boolean | undefined>
type Options = {
  query?: Query
  /** Sent as JSON, or as it is if it is a file. */
  body?: object | File
  /** The ETag that the record must still have. */
  match?: string | undefined
  /** Told how far the work has come, which takes long. */
  progress?: (done: number, total: number) => void
  /** Ends the request early. */
  signal?: AbortSignal
}
/** A response with its body, and the ETag of the record in it. */
export type Answer<T> = { body: T; etag: string | undefined; differs?: Differences }
/** In which facts the translations of a record differ from it, by language. */
export type Differences = Record<string, string[]>
/** Words of a search, each with the one that it was taken as. */
type Taken = { taken: [typed: string, as: string][] }

const addressOf = (path: string, query: Query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${SITE.api}${path}${text && `?${text}`}`
}

const headersOf = ({ body, match, progress }: Options): Record<string, string> => ({
  authorization: credential(),
  ...(body instanceof File
    ? {
        'content-type': body.type || 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(body.name)}`,
      }
    : body && { 'content-type': 'application/json' }),
  ...(match !== undefined && { 'if-match': match }),
  ...(progress && { accept: 'text/event-stream, application/json;q=0.5' }),
})

/** The last message of a stream of server-sent events, whether it is a failure; of the others is told how far the work has come. */
async function lastOf({ body }: Response, progress: (done: number, total: number) => void) {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value = '' } = await reader.read()
    if (done) throw new Error('The stream ended early.')
    const { messages, left } = readMessages(text + value)
    text = left
    for (const { event, data } of messages) {
      const json = JSON.parse(data)
      if (event !== 'progress') return { json, hasFailed: event === 'failure' }
      progress(json.done, json.total)
    }
  }
}

/** What a response says that words of a search were taken as. */
const takenIn = (header: string | null): Taken['taken'] =>
  (header ?? '')
    .split(', ')
    .filter((pair) => pair.includes('='))
    .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string])

/** What a response says of translations: `ca: cost, image; es: cost`. */
const differencesIn = (header: string | null): Differences =>
  Object.fromEntries(
    (header ?? '')
      .split('; ')
      .filter(Boolean)
      .map((part) => part.split(': '))
      .map(([language, names]) => [language, names!.split(', ')]),
  )
/** The members that a response says were ignored. */
const namesIn = (header: string | null) => (header ?? '').split(', ').filter(Boolean)

const offline = () => {
  throw new Failure(0, { code: 'offline', message: 'The service can not be reached.' })
}

/** Makes credentials only for who has proven a password just now. */
const UNPROVEN = 'insufficient_user_authentication'

/**
 * Sends a request. If the session has ended, or the password has to be proven for it, waits until somebody has signed in again, and
 * repeats it. Throws a `Failure`.
 */
export async function send<T>(
  method: string,
  path: string,
  options: Options = {},
): Promise<Answer<T> & Taken & { ignored: string[] }> {
  const { query, body, progress, signal } = options
  const sent = session.get()
  const answer = await fetch(addressOf(path, query), {
    method,
    headers: headersOf(options),
    ...(body && { body: body instanceof File ? body : JSON.stringify(body) }),
    // no answer from the cache of the browser that another editor has overtaken
    ...{ credentials: 'same-origin', cache: method === 'GET' ? 'no-cache' : 'no-store' },
    ...(signal && { signal }),
  }).catch(offline)
  const isStream = progress !== undefined && answer.headers.get('content-type') === 'text/event-stream'
  const { json, hasFailed } = isStream
    ? await lastOf(answer, progress).catch(offline)
    : {
        json: await answer.json().catch(() => ({ code: 'no_json', message: answer.statusText })),
        hasFailed: !answer.ok,
      }
  const current = answer.status === 401 ? latest() : undefined
  if (current && current.user === sent?.user) {
    // it may have been on its way while the session was renewed for another one, or in another tab
    const isRenewed = current !== sent || (await renewed(json.code === UNPROVEN ? 'proof' : 'ended'))
    if (isRenewed) return send(method, path, options)
  }
  const etag = answer.headers.get('etag') ?? undefined
  if (hasFailed) throw new Failure(json.data?.status ?? answer.status, json, etag)
  return {
    ...{ body: json, etag },
    ignored: namesIn(answer.headers.get('x-ignored-fields')),
    taken: takenIn(answer.headers.get('x-search-corrections')),
    differs: differencesIn(answer.headers.get('x-translations-differ')),
  }
}

/** Reads, and gives the body alone. */
export const read = async <T>(path: string, query?: Query): Promise<T> =>
  (await send<T>('GET', path, { ...(query && { query }) })).body

/** A page of a list, as the desk uses it. */
export type Listed<T> = { rows: T[]; total: number; pages: number } & Taken

/** Reads one page of a list whose entries are below `plural`. A page after the last has none. */
export async function list<T>(path: string, plural: string, query: Query): Promise<Listed<T>> {
  try {
    const { body, taken } = await send<Record<string, T[]> & { total: number; total_pages: number }>(
      'GET',
      path,
      {
        query,
      },
    )
    return { rows: body[plural]!, total: body.total, pages: body.total_pages, taken }
  } catch (error) {
    if (error instanceof Failure && error.code.endsWith('archive-page-not-found'))
      return { rows: [], total: 0, pages: 0, taken: [] }
    throw error
  }
}

/** Reads all entries of a list, up to a number of pages: the first page tells how many others there are, which are read at once. */
export async function listAll<T>(path: string, plural: string, query: Query = {}, most = 20): Promise<T[]> {
  const first = await list<T>(path, plural, { ...query, per_page: 50, page: 1 })
  const others = Array.from({ length: Math.max(0, Math.min(first.pages, most) - 1) }, (_, at) =>
    list<T>(path, plural, { ...query, per_page: 50, page: at + 2 }),
  )
  return [first, ...(await Promise.all(others))].flatMap(({ rows }) => rows)
}
