import type { TObject, TSchema } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Reads } from '../../../schemas/common.ts'
import { reduce } from '../cache.ts'
import { ApiError, invalid, type Problems } from '../errors.ts'
import { addNames, printName, type ResponseHead } from '../output/header-values.ts'
import { isOverridden } from '../server/mounts.ts'
import { type Members, readValue, take } from './readers.ts'

/** How many parameters an address or a form may have, and how many brackets the name of one. */
export const MOST_PARAMETERS = 200
export const MOST_BRACKETS = 4
/** Characters of a name that a message quotes. */
const QUOTED = 40

const BRACKET = /\[|%5b/gi

/**
 * Why the parameters of a query string or a form are too many or too deep; undefined if they are neither. It looks only at what it needs
 * to find out, before anything is decoded.
 */
export function findExcess(text: string): ApiError | undefined {
  let excess: ApiError | undefined
  let begin = 0
  for (let count = 0; begin <= text.length && !excess; count++) {
    if (count === MOST_PARAMETERS) return tooMany()
    const at = text.indexOf('&', begin)
    const end = at < 0 ? text.length : at
    excess = findDepth(text.slice(begin, end))
    begin = end + 1
  }
  return excess
}

const tooMany = () =>
  new ApiError(
    'rest_bad_request',
    `The request has too many parameters. An address, like a form, may have ${MOST_PARAMETERS}; send longer lists separated by commas, or as JSON.`,
  )

function findDepth(pair: string): ApiError | undefined {
  const first = pair.search(BRACKET)
  if (first < 0) return undefined
  const [name = ''] = pair.split('=', 1)
  let brackets = 0
  for (const _ of name.matchAll(BRACKET))
    if (++brackets > MOST_BRACKETS)
      return invalid({
        [name.slice(0, Math.min(first || QUOTED, QUOTED))]:
          `must not have more than ${MOST_BRACKETS} brackets.`,
      })
  return undefined
}

/** A parameter of a query string: all of its values, and whether its name had brackets. */
export type QueryValue = { values: string[]; bracketed: boolean }
const Excess = Symbol('excess')
/** A query as sent, by name. */
export type GivenQuery = Record<string, QueryValue> & { [Excess]?: ApiError }

/** Why a query was not read: it has too many or too deep parameters. */
export const excessOf = (query: GivenQuery): ApiError | undefined => query[Excess]

/** Reads a query string; `name`, `name[]` and `name[0]` are one parameter. One with too many parameters is not read. */
export function parseQuery(text: string): GivenQuery {
  const query: GivenQuery = Object.create(null)
  if (text === '') return query
  const excess = findExcess(text)
  if (excess) {
    query[Excess] = excess
    return query
  }
  for (const [key, value] of new URLSearchParams(text)) {
    const name = key.replace(/\[.*$/s, '')
    query[name] ??= { values: [], bracketed: false }
    const parameter = query[name]
    parameter.values.push(value)
    parameter.bracketed ||= name !== key
  }
  return query
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The only query parameters that have an effect at this route. Others are removed before it sees them. */
    understands?: readonly string[]
    /** The parameters that the URL of this route may have, with their values if unknown ones are ignored. */
    parameters?: Map<string, readonly string[] | undefined>
    /** The schema of the query, with the symbols that say how it is read. */
    query?: TObject
  }
  interface FastifyRequest {
    /** The URL under which its response is kept: without what the route does not understand. */
    address: string
    /** The query as sent, before it was read by the schema of the route. */
    given: GivenQuery
  }
}

/**
 * Refuses requests with too many or too deep parameters in their address, whatever they are for, before anything is done for them. Reduces
 * the others to what their routes understand, where routes say so, so that nobody gets a response of their own to be made by a parameter
 * without an effect.
 */
export const understood = fp(
  async (app) => {
    app.decorateRequest('address', '')
    app.addHook('onRequest', (request, _reply, done) => {
      const excess = excessOf(request.query as GivenQuery)
      if (excess) return done(excess)
      const { understands } = request.routeOptions.config
      request.address = request.originalUrl
      if (understands) {
        request.address = reduce(request.originalUrl, understands)
        const given = request.query as GivenQuery
        for (const name of Object.keys(given)) if (!understands.includes(name)) delete given[name]
      }
      done()
    })
  },
  { name: 'understood', dependencies: ['headers'] },
)

/** Parameters that WordPress clients add to every URL automatically. They are ignored on purpose, and not named. */
const USUAL = ['context', '_locale', '_wpnonce', 'rest_route', '_'].map((name) => [name, undefined] as const)

const USUAL_NAMES: ReadonlySet<string> = new Set(USUAL.map(([name]) => name))
/** Whether a parameter is one that WordPress clients add to every URL. */
export const isUsual = (name: string) => USUAL_NAMES.has(name)

/** The parameters that a route which is in no document understands: those of its schema and some others. All others are named. */
export const parameterNames = ({ properties }: TObject, ...others: string[]) =>
  new Map<string, undefined>([
    ...USUAL,
    ...[...Object.keys(properties), ...others].map((name) => [name, undefined] as const),
  ])

/** The query of a request as it was sent, and what its route says of it. */
type Addressed = Pick<FastifyRequest, 'given' | 'query' | 'raw' | 'log'> & {
  routeOptions: { config: FastifyContextConfig }
}

/** Reads the query that was given by the schema of its route; names unknown parameters in a response header, and in the log at level debug. */
export function readGivenQuery(request: Addressed, head: ResponseHead) {
  const { given } = request
  const { parameters, query } = request.routeOptions.config
  request.query = readParameters(query, given)
  const ignored = parameters
    ? Object.keys(given).filter((name) => !isUnderstood(given, name, parameters) && !isDone(request, name))
    : []
  if (ignored.length > 0) {
    addNames(head, 'x-ignored-parameters', ignored.map(printName))
    request.log.debug({ ignored }, 'parameters of the address were ignored')
  }
}

/** Reads the query of every request, once. */
export const parameters = fp(
  async (app) => {
    const parametersOf = ({ schema }: RouteOptions) =>
      [
        schema?.querystring,
        schema?.body && app.bodies.get((schema.body as { $ref?: string }).$ref!)?.schema,
      ].flatMap((part) =>
        Object.entries((part as Partial<TObject> | undefined)?.properties ?? {}).map(
          ([name, schema]) =>
            [name, schema[Reads] === 'known' ? (schema.enum as string[]) : undefined] as const,
        ),
      )
    app.addHook('onRoute', (route) => {
      const query = route.schema?.querystring as TObject | undefined
      const parameters =
        route.schema && !route.schema.hide ? new Map([...USUAL, ...parametersOf(route)]) : undefined
      route.config = {
        ...route.config,
        ...(query && { query }),
        ...(parameters && { parameters }),
      }
    })
    app.decorateRequest('given')
    app.addHook('preValidation', (request, reply, done) => {
      request.given = request.query as GivenQuery
      readGivenQuery(request, reply)
      done()
    })
  },
  { name: 'parameters', dependencies: ['headers', 'validator'] },
)

const isDone = ({ raw }: Pick<FastifyRequest, 'raw'>, name: string) => name === '_method' && isOverridden(raw)

/** Whether a parameter has an effect: the route has it, and knows its value if it ignores unknown ones. */
function isUnderstood(
  given: GivenQuery,
  name: string,
  parameters: NonNullable<FastifyContextConfig['parameters']>,
): boolean {
  const words = parameters.get(name)
  return words
    ? given[name]!.values.some((value) => words.includes(value.toLowerCase()))
    : parameters.has(name)
}

/** Reads a query by its schema: strings are converted to the declared types, and defaults are added. */
export function readQuery(schema: TObject | undefined, query: Record<string, QueryValue>): Members {
  const result: Members = { value: {}, problems: {}, missing: [], unknown: [] }
  for (const [name, member] of Object.entries(schema?.properties ?? {})) {
    const given = query[name]
    if (given === undefined) {
      if (member.default !== undefined) result.value[name] = member.default
    } else if (takesList(member)) take(result, name, member, readValue(member, given.values))
    else if (given.bracketed) result.problems[name] = 'must be sent once, without brackets.'
    else take(result, name, member, readValue(member, given.values.at(-1)))
  }
  return result
}

const takesList = (schema: TSchema) => schema.type === 'array'

const FAULTS = Symbol('faults')
/**
 * The parameters of an address that its route has and that are valid; `faultsOf` has the problems of the others. It is read before
 * the body, so that nothing sees an address as it was sent, whatever else is wrong.
 */
function readParameters(schema: TObject | undefined, given: GivenQuery): Record<string, unknown> {
  const { value, problems } = readQuery(schema, given)
  return Object.assign(value, { [FAULTS]: problems })
}

/** The problems of an address that was read, by parameter. */
export const faultsOf = (query: unknown): Problems => (query as { [FAULTS]: Problems })[FAULTS]

/** Refuses an address that was read, if it has problems: as Fastify asks its validators. */
export function checkParameters(query: unknown): { value: unknown } | { error: Error } {
  const problems = faultsOf(query)
  return Object.keys(problems).length > 0 ? { error: invalid(problems) } : { value: query }
}
