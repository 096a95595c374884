import type { TObject, TSchema } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Reads } from '../../../schemas/common.ts'
import { type Problems, refuse } from '../../support/errors.ts'
import { addNames, printName } from '../output/header-values.ts'
import { isOverridden } from '../server/mounts.ts'
import type { GivenQuery, QueryValue } from './query.ts'
import { type Members, readValue, take } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The parameters that the URL of this route may have, with their values if unknown ones are ignored. */
    parameters?: Map<string, readonly string[] | undefined>
    /** The schema of the query, with the symbols that say how it is read. */
    query?: TObject
  }
  interface FastifyRequest {
    /** The query as sent, before it was read by the schema of the route. */
    given: GivenQuery
  }
}

/** Parameters that WordPress clients add to every URL automatically. They are ignored on purpose, and not named. */
export const USUAL = ['context', '_locale', '_wpnonce', 'rest_route', '_'].map(
  (name) => [name, undefined] as const,
)

const USUAL_NAMES: ReadonlySet<string> = new Set(USUAL.map(([name]) => name))
/** Whether a parameter is one that WordPress clients add to every URL. */
export const isUsual = (name: string) => USUAL_NAMES.has(name)

/** Reads the query of every request, once; names unknown parameters in a response header, and in the log at level debug. */
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
      const { given } = request
      const { parameters, query } = request.routeOptions.config
      request.query = readParameters(query, given)
      const ignored = parameters
        ? Object.keys(given).filter(
            (name) => !isUnderstood(given, name, parameters) && !isDone(request, name),
          )
        : []
      if (ignored.length > 0) {
        addNames(reply, 'x-ignored-parameters', ignored.map(printName))
        request.log.debug({ ignored }, 'parameters of the address were ignored')
      }
      done()
    })
  },
  { name: 'parameters', dependencies: ['headers', 'validator'] },
)

const isDone = ({ raw }: FastifyRequest, name: string) => name === '_method' && isOverridden(raw)

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
  try {
    refuse(faultsOf(query))
    return { value: query }
  } catch (error) {
    return { error: error as Error }
  }
}
