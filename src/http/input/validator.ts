import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { PARTS } from '../../../schemas/links.ts'
import { ApiError, invalid, type Problems, refuse } from '../../support/errors.ts'
import { openComponents } from './components.ts'
import { unknownIn } from './inline.ts'
import { publishedForm } from './published.ts'
import { type GivenQuery, readMembers, readQuery, throwProblems } from './validation.ts'

const IGNORED = Symbol('ignored')
const GIVEN = Symbol('given')
const UNDERSTOOD = Symbol('understood')
const FAULTS = Symbol('faults')

/** The ignored members of a body. */
export const ignoredOf = (body: unknown): string[] =>
  (body as { [IGNORED]?: string[] } | undefined)?.[IGNORED] ?? []

/** A read body as it was sent. */
export const givenOf = (body: unknown): Record<string, unknown> =>
  (body as { [GIVEN]: Record<string, unknown> })[GIVEN]

/** Of a body that was refused, the members that were understood; undefined where something else was wrong. */
export const understoodOf = (error: Error): Record<string, unknown> | undefined =>
  (error as { [UNDERSTOOD]?: Record<string, unknown> })[UNDERSTOOD]

/** Reads path parameters. An ID that is not digits is a 404 of the route (reference §0.1). */
function readPath({ properties }: TObject, params: Record<string, string>) {
  const read = Object.entries(params).map(([name, text]) => {
    if (properties[name]!.type === 'string') return [name, text]
    if (!/^\d+$/.test(text))
      throw new ApiError('rest_no_route', 'There is no route for this URL. An ID is a whole number.')
    return [name, Math.min(Number(text), Number.MAX_SAFE_INTEGER)]
  })
  return Object.fromEntries(read)
}

function readBody({ schema, shown }: Published, body: Record<string, unknown>) {
  const members = readMembers(schema, body)
  try {
    throwProblems(members)
  } catch (error) {
    throw members.missing.length > 0 ? error : Object.assign(error as Error, { [UNDERSTOOD]: members.value })
  }
  const ignored = members.unknown.filter((name) => !shown.includes(name))
  ignored.push(...Object.values(members.value).flatMap(unknownIn))
  return Object.assign(members.value, { [IGNORED]: [...new Set(ignored)], [GIVEN]: body })
}

/**
 * The parameters of an address that its route has and that are valid; `faultsOf` has the problems of the others. It is read before
 * the body, so that nothing sees an address as it was sent, whatever else is wrong.
 */
export function readParameters(schema: TObject | undefined, given: GivenQuery): Record<string, unknown> {
  const { value, problems } = readQuery(schema ?? NOTHING, given)
  return Object.assign(value, { [FAULTS]: problems })
}
const NOTHING = Type.Object({})

/** The problems of an address that was read, by parameter. */
export const faultsOf = (query: unknown): Problems => (query as { [FAULTS]: Problems })[FAULTS]

function checkParameters(query: unknown) {
  refuse(faultsOf(query))
  return query
}

/** What a body may have: members that are taken, and names that answers show and nobody can set (R11). */
type Published = { schema: TObject; shown: readonly string[] }

declare module 'fastify' {
  interface FastifyInstance {
    /** The complete schemas of bodies by name. The copies of Fastify lack the symbols that say how members are read. */
    bodies: Map<string, Published>
  }
}

/**
 * Publishes the schema of a body in the form of the document as a component, to be used by `Type.Ref`. Members that `answer` shows
 * and the schema lacks are passed over without being named as ignored.
 */
export function publishBody(app: FastifyInstance, schema: TObject, answer?: TObject) {
  const { body, components } = publishedForm(schema)
  app.addSchema(body)
  for (const component of components) if (!app.getSchema(component.$id!)) app.addSchema(component)
  app.bodies.set(schema.$id!, { schema, shown: Object.keys(answer?.properties ?? {}) })
}

/** The schema of a body, by its reference. */
export const bodySchema = (app: FastifyInstance, { $ref }: { $ref?: string }): TObject | undefined =>
  app.bodies.get($ref!)?.schema

/** The schemas of bodies, and what makes Fastify validate with these readers: strings in path and query are converted, bodies are data. */
export function openValidation() {
  const bodies: FastifyInstance['bodies'] = new Map()
  const compile: FastifySchemaCompiler<{ $ref?: string }> = ({ schema, httpPart }) => {
    const body = bodies.get(schema.$ref!)
    return (data) => {
      try {
        if (httpPart === 'params') return { value: readPath(schema as TObject, data) }
        return { value: body ? readBody(body, data) : checkParameters(data) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }
  // with compilers of its own from the start, Fastify does not load those that it would have used
  const compilersFactory = { buildValidator: () => compile, buildSerializer: () => () => JSON.stringify }
  return { bodies, schemaController: { bucket: openComponents, compilersFactory } as never }
}

/** Publishes the shared parts of schemas. */
export const validator = fp<{ bodies: FastifyInstance['bodies'] }>(
  async (app, { bodies }) => {
    app.decorate('bodies', bodies)
    for (const component of PARTS) app.addSchema(component)
  },
  { name: 'validator' },
)

/**
 * Throws the errors of an invalid body: all parameters at once (R3), with those of the address, and the problems that `check` finds
 * with the valid members. Call it only for callers who may write.
 */
export async function refuseUnread(
  { validationError: error, query }: FastifyRequest,
  check: (understood: Record<string, unknown>) => Promise<Problems>,
) {
  if (error === undefined) return
  const understood = understoodOf(error)
  if (understood === undefined) throw error
  const faults = faultsOf(query)
  // an address that is not understood names no record to check the rest against
  const more = Object.keys(faults).length > 0 ? faults : await check(understood)
  if (Object.keys(more).length === 0) throw error
  const { params } = (error as unknown as ApiError).data
  throw invalid({ ...(params as Problems), ...more })
}
