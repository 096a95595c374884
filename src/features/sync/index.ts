import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CHANGE_ANSWERS, ChangesQuery, MOST_CHANGES } from '../../../schemas/changes.ts'
import { Fields, LanguageSelector } from '../../../schemas/common.ts'
import { bodyOf, family, type Service } from '../../calendar/resource/service.ts'
import type { Json } from '../../calendar/store.ts'
import { openCredentialCheck } from '../../kernel/access/auth.ts'
import { declareErrors } from '../../kernel/errors.ts'
import type { Channel } from '../../kernel/event-streams.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { etagOf } from '../../kernel/output/header-values.ts'
import {
  EVENT_STREAM,
  jsonOrMessages,
  message,
  prefersStream,
  trimFields,
} from '../../kernel/output/negotiation.ts'
import type { Site } from '../../kernel/site.ts'
import type { ServiceFeature } from '../host.ts'
import { openInterestReader } from './interests.ts'
import type { Cursor, Interest } from './sources.ts'
import { openSync, type SyncChange, type SyncPage } from './sync.ts'
import { openSyncTokens } from './tokens.ts'

/** What is answered: one page, or messages with pages for as long as the client stays. */
const CONTENT = jsonOrMessages(
  'ChangePage',
  'A message `changes` has a ChangePage as its data, and its `next_sync_token` as its ID. A message `failure` has an ErrorBody, and is the last.',
)

/** Units of work for a page of a beginning, and rows of the log, up to those of a few pages, for each unit of what follows. */
const BEGINNING = 10
const ROWS = 100
const MOST = 100
/** What it costs to read on from a place in the log. */
const priceOf = (latest: number, { at, rest }: Cursor) =>
  rest ? BEGINNING : Math.min(MOST, (latest - at) / ROWS)

/** The changes of all kinds of records since a token. */
const changeRoutes = family('changes', async (app, service) => {
  const { store, site } = service
  const { sync } = store
  const read = openInterestReader(service)
  const listen = openListening(app, service)
  const tagOf = openTag(site)

  app.route({
    method: 'GET',
    url: '/changes',
    config: { operation: 'list' },
    schema: {
      operationId: 'listChanges',
      tags: ['Changes'],
      summary: 'List changes',
      description:
        'Returns what changed since `sync_token`: records as they are now, and the IDs of those to remove. Without a token it begins with all records that the caller may read. Continue with `next_sync_token` at once while `has_more` is true, then at any later time. Filters are those of the lists, without default dates; a relative date keeps the meaning that it had at the beginning. A token is for one caller and role. Unlike elsewhere, unknown parameters are refused.\n\nWith `Accept: text/event-stream` the connection stays open: what was missed since the token is told first, and then each write. Without a token such a stream begins now, and its first message is an empty page with the token of now.',
      querystring: Type.Object({
        ...ChangesQuery.properties,
        ...Fields,
        ...LanguageSelector(site.languages),
      }),
      ...responses('read', 'ChangePage', ['sync-token-invalid', 'sync-token-expired', 'sync-token-ahead']),
      response: { 200: { description: 'The changes, once or as they are made.', content: CONTENT } },
    },
    async handler(request, reply) {
      const { sync_token, per_page } = request.query as ChangesQuery
      const isStream = prefersStream(request.raw)
      // EventSource repeats the URL with which it began
      const token = (isStream && (request.headers['last-event-id'] as string)) || sync_token
      const followed = await read(request, reply, token)
      if (!followed) return reply
      const { interest, cursor } = followed
      if (isStream) {
        // without a token it begins now, and not with all records
        const from = token === undefined ? { at: cursor.at } : cursor
        request.spend?.(priceOf(store.changes.latest().seq, from))
        return listen(request, reply, interest, from)
      }
      const { caller, spend } = request
      const audience = { caller, spend, origin: service.view(request, false).origin }
      spend?.(priceOf(store.changes.latest().seq, cursor))
      const page = await sync.read(interest, cursor, audience, Math.min(per_page, MOST_CHANGES))
      request.latest = page.latest
      // a copy of the answer would have the same token until something hidden is written
      request.until = 0
      reply.header('etag', tagOf(page))
      const next = await sync.tokens.write(interest, page.next, request.caller)
      return bodyOf(request, reply, composeChanges(page.changes, page.hasMore, next))
    },
  })
})

/**
 * The ETag of what a page tells, whatever its token, which is another one each time. It lasts an hour, so that whoever is told that
 * nothing changed gets a newer token before the old one ends.
 */
function openTag({ clock }: Site) {
  return ({ changes, hasMore }: Pick<SyncPage, 'changes' | 'hasMore'>) => {
    const hour = Buffer.from(String(Math.floor(clock() / HOUR)))
    return `W/${etagOf(Buffer.concat([...composeChanges(changes, hasMore, ''), hour]))}`
  }
}
const HOUR = 3_600_000

/** The greatest number of changes in one message, of which each listener may hold one. */
const MOST_TOLD = 25

/** Sends changes as server-sent events for as long as the client stays. */
function openListening(app: FastifyInstance, { store, view }: Service) {
  const { sync } = store
  const isValid = openCredentialCheck(store)

  /** What a request hears; it does not hold on to the request. */
  function channelOf(request: FastifyRequest, interest: Interest): Channel<Cursor> {
    const { per_page, _fields } = request.query as ChangesQuery & { _fields?: string }
    const { caller, origin } = view(request, false)
    const most = Math.min(per_page, MOST_TOLD)
    return {
      key: JSON.stringify([
        interest,
        caller?.credential,
        caller?.role,
        caller?.limits,
        origin.root,
        _fields,
        most,
      ]),
      async read(cursor) {
        const { changes, next, hasMore } = await sync.read(interest, cursor, { caller, origin }, most)
        const token = await sync.tokens.write(interest, next, caller)
        const json = Buffer.concat(composeChanges(changes, hasMore, token))
        const data = _fields ? trimFields(json, _fields) : json
        return { message: message('changes', data, token), isEmpty: changes.length === 0, cursor: next }
      },
      token: (cursor) => sync.tokens.write(interest, cursor, caller),
      check: async () => caller && isValid(caller),
    }
  }

  return async (request: FastifyRequest, reply: FastifyReply, interest: Interest, cursor: Cursor) => {
    const stream =
      request.method === 'HEAD'
        ? Readable.from([])
        : await app.eventStreams.join(request, channelOf(request, interest), cursor)
    return reply.type(EVENT_STREAM).header('x-accel-buffering', 'no').send(stream)
  }
}

const END = Buffer.from('}')

/** The JSON of changes: the body of a response, or the data of a message. */
function composeChanges(changes: SyncChange[], has_more: boolean, next_sync_token: string): Json {
  const json: Json = [Buffer.from('{"changes":[')]
  for (const [at, { kind, id, operation, record }] of changes.entries()) {
    const head = JSON.stringify({ kind, id, operation })
    json.push(Buffer.from((at > 0 ? ',' : '') + (record ? `${head.slice(0, -1)},"record":` : head)))
    if (record) json.push(...record, END)
  }
  json.push(Buffer.from(`],${JSON.stringify({ has_more, next_sync_token }).slice(1)}`))
  return json
}

/** The errors of following changes: code, status and meaning. */
const SYNC_ERRORS = declareErrors({
  'sync-token-invalid': [400, 'The sync token was not made by this calendar, or was cut off.'],
  'sync-token-expired': [
    410,
    'What changed since the sync token was made is no longer known; begin anew without `sync_token`.',
  ],
})

type Errors = typeof SYNC_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    sync: ReturnType<typeof openSync> & { tokens: ReturnType<typeof openSyncTokens> }
  }
}

/** What changed since a client last asked, as pages and as streams. */
export const sync: ServiceFeature = {
  name: 'sync',
  tags: {
    Changes: 'What was created, changed and removed since a last visit, of all kinds of records.',
  },
  answers: [...CHANGE_ANSWERS],
  errors: SYNC_ERRORS,
  streams: /^\/changes\/?(\?|$)/,
  openStore: (store) => ({
    sync: { ...openSync(store.changes, store), tokens: openSyncTokens(store.changes, store.keyed) },
  }),
  async plugin(app, { service }) {
    app.register(changeRoutes, { service })
  },
}
