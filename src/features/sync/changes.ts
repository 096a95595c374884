import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ChangeFilters, ChangesQuery, MOST_CHANGES, type SyncKind } from '../../../schemas/changes.ts'
import { Fields, LanguageSelector } from '../../../schemas/common.ts'
import { bodyOf, family, type Service } from '../../calendar/resource/service.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { isUsual } from '../../kernel/input/query.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { jsonOrMessages } from '../../kernel/output/event-stream.ts'
import { etagOf } from '../../kernel/output/header-values.ts'
import { prefersStream } from '../../kernel/output/negotiation.ts'
import type { Site } from '../../kernel/site.ts'
import { kindsWith, lacking, openMeanings } from './interests.ts'
import { composeChanges, openListening } from './listening.ts'
import type { Cursor, Interest } from './sources.ts'
import type { SyncPage } from './sync.ts'
import type { Resumed } from './sync-tokens.ts'

const EVENTS_CHANGE =
  'can not be followed, because it changes with events without a write to the record itself.'
const TIME_PASSES = 'can not be followed, because time passes without a write; filter by dates instead.'
const SINCE = 'does not exist here: `sync_token` says since when.'
const ORDERED = 'does not exist here: changes come in the order in which they were made.'
/** Parameters of lists that changes lack, and why. */
const REFUSED = new Map(
  Object.entries({
    page: 'does not exist here; continue with `next_sync_token` as `sync_token`.',
    ...{ orderby: ORDERED, order: ORDERED },
    ...{ modified_after: SINCE, modified_before: SINCE },
    when: TIME_PASSES,
    only_with_upcoming: TIME_PASSES,
    ...{ has_events: EVENTS_CHANGE, event: EVENTS_CHANGE, post: EVENTS_CHANGE },
    password: 'can not be used here; read protected events one by one.',
  }),
)
const NAMES = Object.keys(ChangeFilters)

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

type Query = ChangesQuery & { i18n_language?: string }

/** The changes of all kinds of records since a token. */
export const changeRoutes = family('changes', async (app, service) => {
  const { store, site } = service
  const { sync } = store
  const read = openInterests(service)
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
      const { sync_token, per_page } = request.query as Query
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

/** Reads what a request follows, from its token or from its parameters, and from where; undefined if another process answers it. */
export function openInterests(service: Service) {
  const { store } = service
  const meaningOf = openMeanings(service)

  /** The names that filters may have for these kinds; each other one is a problem. */
  function checkNames({ given }: FastifyRequest, kinds: readonly SyncKind[]): Problems {
    const problems: Problems = {}
    for (const name of Object.keys(given)) {
      if (isUsual(name) || OWN.has(name)) continue
      const without = lacking(kinds, name)
      const refused = REFUSED.get(name)
      if (refused) problems[name] = refused
      else if (!NAMES.includes(name)) problems[name] = 'is not a parameter of this operation.'
      else if (without)
        problems[name] = `is not a filter of the kind ${without}; name other kinds in \`kind\`.`
    }
    return problems
  }

  /** The filters of a request by name, as they were read. */
  const filtersOf = ({ query, given }: FastifyRequest): Interest['filters'] =>
    Object.fromEntries(
      NAMES.filter((name) => given[name]).map((name) => [name, (query as Record<string, unknown>)[name]]),
    )

  /** A new interest, with what its filters mean now. */
  async function begin(request: FastifyRequest): Promise<Interest> {
    const filters = filtersOf(request)
    const { kind = kindsWith(Object.keys(filters)) } = request.query as Query
    const kinds = [...new Set(kind)]
    const given = { kinds, filters, language: service.language(request) }
    const { interest, problems, until } = await meaningOf(given, request.caller)
    refuse({ ...checkNames(request, kinds), ...problems })
    request.until = until
    return interest
  }

  /** The interest of a token, if the request does not say otherwise; undefined if another process answers the request. */
  async function resume(request: FastifyRequest, reply: FastifyReply, token: string) {
    const opened = await store.sync.tokens.open(token, request.caller)
    if (!(await request.server.awaitChange(request, reply, opened.at))) return undefined
    const resumed = opened.resume()
    const { interest } = resumed
    const { kind } = request.query as Query
    const { language = interest.language, filters }: Pick<Interest, 'filters' | 'language'> = {
      ...(service.language(request) && { language: service.language(request)! }),
      filters: filtersOf(request),
    }
    const problems = checkNames(request, interest.kinds)
    const differs = (name: string, given: unknown, known: unknown) => {
      if (JSON.stringify(given) !== JSON.stringify(known))
        problems[name] ??=
          'differs from that of the sync token; leave it out, or begin anew without `sync_token`.'
    }
    if (kind) differs('kind', [...kind].sort(), [...interest.kinds].sort())
    differs('i18n_language', language, interest.language)
    for (const [name, value] of Object.entries(filters))
      differs(name, value, (interest.filters as Record<string, unknown>)[name])
    refuse(problems)
    return resumed
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | undefined,
  ): Promise<Resumed | undefined> => {
    if (token !== undefined) return resume(request, reply, token)
    const interest = await begin(request)
    return { interest, cursor: store.sync.begin(interest) }
  }
}
/** Parameters that are not filters. */
const OWN = new Set(['sync_token', 'kind', 'per_page', '_fields', 'i18n_language'])
