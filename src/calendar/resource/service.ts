import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { verifyPassword } from '../../kernel/access/secrets.ts'
import { isObject } from '../../kernel/input/readers.ts'
import { givenOf, ignoredOf } from '../../kernel/input/validator.ts'
import {
  addCorrections,
  addNames,
  encodeName,
  JSON_ANSWER,
  printName,
  type ResponseHead,
} from '../../kernel/output/header-values.ts'
import { trimFields } from '../../kernel/output/negotiation.ts'
import { type Mount, mountOf } from '../../kernel/server/mounts.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import type { Branding } from '../branding.ts'
import type { Config } from '../config.ts'
import type { Origin } from '../formats/urls.ts'
import type { Pictures } from '../media/pictures.ts'
import type { Join, Json, Store, View, Write, Writer } from '../store.ts'
import type { AroundWrites } from './writes.ts'

/** Greatest number of protected events in a response for which the password is checked, as in the description of the parameter. */
const MOST_TRIED = 5
/** Checks event passwords of visitors for one service, one at a time, and caches verified ones. */
function openEventPasswords() {
  /** One password is hashed at a time, so that threads stay free for logins and files; a few may wait for about a second. */
  const inTurn = openSemaphore(1, 30)
  /** Verified pairs of hash and password as keyed digests, so that they need no hashing again. */
  const opened = new LRUCache<string, true>({ max: 1_000 })
  const secret = randomBytes(32)
  const pair = (password: string, hash: string) =>
    createHmac('sha256', secret).update(hash).update(password).digest('base64')

  /**
   * Returns what a password unlocks that came with a request, for one response. Wrong attempts count once a request, for its address. Throws
   * `rest_rate_limited` after too many failures, and `rest_overloaded` if too many are checked at the same time.
   */
  return (request: RecordRequest, password: string): NonNullable<View['opens']> => {
    const { eventPasswords } = request.server.guesses
    let tried = 0
    let failed = false

    async function attempt(hash: string, key: string): Promise<boolean> {
      await eventPasswords.check(request)
      if (await verifyPassword(password, hash)) {
        opened.set(key, true)
        return true
      }
      if (!failed) await eventPasswords.fail(request) // if this was the last allowed failure, the next request is refused
      failed = true
      return false
    }

    return async (hash) => {
      const key = pair(password, hash)
      if (opened.has(key)) return true
      if (tried === MOST_TRIED) return false
      tried++
      return inTurn(() => attempt(hash, key))
    }
  }
}

/** What is known of a request for records: one of HTTP, or an operation of a batch, whose route, address, condition and body are its own. */
export type RecordRequest = Pick<
  FastifyRequest,
  'method' | 'headers' | 'params' | 'query' | 'given' | 'body' | 'validationError' | 'createdTerms'
> &
  Pick<FastifyRequest, 'caller' | 'ip' | 'raw' | 'server' | 'log' | 'latest' | 'corrections'> & {
    routeOptions: Pick<RouteOptions, 'schema'> & { config: FastifyContextConfig }
    /** Joins the transaction in which it is made; absent of one that has its own. */
    join?: Join
  }

declare module 'fastify' {
  interface FastifyRequest {
    /** Terms that the write made, as `X-Created-Terms` names them. */
    createdTerms?: string[]
  }
}

/** The host in the URL of the service, and its path if it has one. */
const hostOf = (base: string) => base.replace(/^\w+:\/\//, '').replace(/:\d+(?=\/|$)/, '')

/** Where the records of a mount are: the URLs and words that they begin with. */
export const originAt = (base: string, { path, vendor }: Pick<Mount, 'path' | 'vendor'>): Origin => ({
  base,
  root: base + path,
  vendor,
  host: hostOf(base),
})

type ServiceSettings = Pick<Config, 'baseUrl' | 'namespace' | 'given' | 'smtpUrl' | 'localSignIn'>

/** What the routes share: the stores, and the mount and language of a request. */
export function openService(
  store: Store,
  pictures: Pictures,
  { baseUrl: base, namespace, given, smtpUrl, localSignIn }: ServiceSettings,
  branding: () => Branding,
  pageLanguages?: readonly string[],
) {
  const around: AroundWrites = { errors: [] }
  const { site } = store
  const eventPasswords = openEventPasswords()
  /** What the password in the query of a request unlocks, or another one; undefined without one. */
  const opens = (request: RecordRequest, password = (request.query as { password?: string }).password) =>
    password === undefined ? undefined : eventPasswords(request, password)
  const origins = new Map<Mount, Origin>()

  function originOf(request: Pick<FastifyRequest, 'raw'>): Origin {
    const mount = mountOf(request)!
    const known = origins.get(mount)
    if (known) return known
    const origin = originAt(base, mount)
    origins.set(mount, origin)
    return origin
  }

  /** The language of records that are created at this URL without one. */
  const languageAt = (request: Pick<FastifyRequest, 'raw'>) =>
    mountOf(request)!.language ?? site.languages[0]!

  const writerOf = (request: RecordRequest): Writer => ({
    caller: request.caller,
    join: request.join,
    by: actorOf(request),
    language: languageAt(request),
  })

  return {
    store,
    site,
    /** How the site shows itself, as of now. */
    branding,
    /** The variables of the environment that are set. */
    given,
    /** The URL of the service. */
    base,
    /** The root of the API at its first mount, without language. */
    home: `${base}/${namespace}`,
    pictures,
    /** What features put around the writes of records. */
    around,
    /** Whether mail is sent. */
    sendsMail: smtpUrl !== '',
    /** Whether people sign in with what this service knows of them, or with a provider alone. */
    localSignIn,
    /** The languages of pages; undefined without pages. */
    pageLanguages,
    host: hostOf(base),
    root: (request: Pick<FastifyRequest, 'raw'>) => originOf(request).root,
    opens,
    view: (request: RecordRequest, single: boolean): View => ({
      origin: originOf(request),
      caller: request.caller,
      single,
      opens: opens(request),
    }),
    /** The language of lists: from the selector, else from the root, else all (D21). */
    language: (request: Pick<FastifyRequest, 'query' | 'raw'>): string | undefined =>
      (request.query as { i18n_language?: string }).i18n_language ?? mountOf(request)?.language,
    /** Runs a write of what a request has as its body, and notes the terms that it created. */
    async write<I, T>(
      request: RecordRequest,
      { isLong }: { isLong?(request: RecordRequest): boolean },
      work: (write: Write, input: I) => Promise<T>,
    ): Promise<T> {
      const body = request.body as I
      const input = {
        body,
        given: givenOf(body),
        ignored: ignoredOf(body),
        isLong: isLong?.(request) ?? false,
      }
      const { done, created } = await store.write(writerOf(request), input, pictures, work)
      request.createdTerms = created.map(({ plural, id, name }) => `${plural}[${id}]=${encodeName(name)}`)
      return done
    },
    /** The context of checks before a write. */
    checking: (request: RecordRequest): Write =>
      store.checking(writerOf(request), (request.body ?? {}) as Record<string, unknown>),
  }
}
export type Service = ReturnType<typeof openService>

/**
 * The body of a response of JSON bytes, for its handler to return; on reads only the members that `_fields` names. What a write ignored
 * and made besides is named in headers.
 */
export function bodyOf(request: RecordRequest, head: ResponseHead, json: Json) {
  const { _fields } = request.query as { _fields?: string }
  if (request.body) {
    // nothing in the body of a deletion has an effect
    const isDeletion = request.routeOptions.config.operation === 'delete' && isObject(request.body)
    const ignored = isDeletion ? Object.keys(request.body) : ignoredOf(request.body)
    addNames(head, 'x-ignored-fields', ignored.map(printName))
    addNames(head, 'x-created-terms', request.createdTerms ?? [])
  }
  addCorrections(head, request.corrections)
  const bytes = Buffer.concat(json)
  head.header('content-type', JSON_ANSWER)
  return _fields ? trimFields(bytes, _fields) : bytes
}

/** The plugins that every route of the API depends on. */
const AROUND = [
  'methods',
  'headers',
  'cache',
  'eventStreams',
  'awaiting',
  'bodyLimits',
  'permissions',
  'publication',
  'validator',
  'parameters',
  'bodies',
  'openapi',
  'idempotency',
]

/** Wraps the routes of one kind in a plugin, so that its hooks apply to no other kind. */
export const family = (name: string, add: (app: FastifyInstance, service: Service) => Promise<void>) =>
  fp<{ service: Service }>(async (app, { service }) => add(app, service), {
    name: `routes of ${name}`,
    encapsulate: true,
    dependencies: AROUND,
  })
