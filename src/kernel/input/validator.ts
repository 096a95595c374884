import type { SchemaOptions, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { Declared, OrNull, Reads, Spares } from '../../../schemas/common.ts'
import { ApiError, invalid, type Problems } from '../errors.ts'
import { checkParameters, faultsOf } from './query.ts'
import { readMembers, throwProblems, unknownIn } from './readers.ts'

const IGNORED = Symbol('ignored')
const GIVEN = Symbol('given')
const UNDERSTOOD = Symbol('understood')
const LEFT_OUT = Symbol('left out')

/** The ignored members of a body. */
export const ignoredOf = (body: unknown): string[] =>
  (body as { [IGNORED]?: string[] } | undefined)?.[IGNORED] ?? []

/** A body without a member, which is named as ignored once the body is read. */
export function without(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _, ...others } = body
  return { ...others, [LEFT_OUT]: name }
}

/** A read body as it was sent. */
export const givenOf = (body: unknown): Record<string, unknown> =>
  (body as { [GIVEN]: Record<string, unknown> })[GIVEN]

/** Of a body that was refused, the members that were understood; undefined where something else was wrong. */
const understoodOf = (error: Error): Record<string, unknown> | undefined =>
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

/** Reads a body, with the names of members that are ignored, and what was sent. Throws the 400 that names every problem. */
export function readBody({ schema, shown }: Published, body: Record<string, unknown>) {
  const members = readMembers(schema, body)
  const spared = Object.entries(members.value).flatMap(
    ([name, value]) => (value && schema.properties[name]![Spares]) || [],
  )
  members.missing = members.missing.filter((name) => !spared.includes(name))
  try {
    throwProblems(members)
  } catch (error) {
    throw members.missing.length > 0 ? error : Object.assign(error as Error, { [UNDERSTOOD]: members.value })
  }
  const { [LEFT_OUT]: left } = body as { [LEFT_OUT]?: string }
  const ignored = members.unknown.filter((name) => !shown.includes(name))
  if (left !== undefined) ignored.push(left)
  ignored.push(...Object.values(members.value).flatMap(unknownIn))
  return Object.assign(members.value, { [IGNORED]: [...new Set(ignored)], [GIVEN]: body })
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
    if (httpPart === 'querystring') return checkParameters
    const body = bodies.get(schema.$ref!)
    return (data) => {
      try {
        return { value: body ? readBody(body, data) : readPath(schema as TObject, data) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }
  // with compilers of its own from the start, Fastify does not load those that it would have used
  const compilersFactory = { buildValidator: () => compile, buildSerializer: () => () => JSON.stringify }
  return { bodies, schemaController: { bucket: openComponents, compilersFactory } as never }
}

/** What of a request the schemas of its route are about. */
type Validated = Pick<FastifyRequest, 'params' | 'body' | 'query' | 'server'> & {
  routeOptions: Pick<RouteOptions, 'schema'>
}

/** Reads path, body and query of a write by the schemas of its route, in the order of Fastify. Throws the first error. */
export function validate(request: Validated) {
  const { params, body } = request.routeOptions.schema as { params?: TObject; body?: { $ref: string } }
  if (params) request.params = readPath(params, request.params as Record<string, string>)
  if (body)
    request.body = readBody(request.server.bodies.get(body.$ref)!, request.body as Record<string, unknown>)
  const read = checkParameters(request.query)
  if ('error' in read) throw read.error
}

/** Lets routes publish the schemas of their bodies. */
export const validator = fp<{ bodies: FastifyInstance['bodies'] }>(
  async (app, { bodies }) => void app.decorate('bodies', bodies),
  { name: 'validator' },
)

/**
 * Throws the errors of an invalid body: all parameters at once (R3), with those of the address, and the problems that `check` finds
 * with the valid members. Call it only for callers who may write.
 */
export async function refuseUnread(
  { validationError: error, query }: Pick<FastifyRequest, 'validationError' | 'query'>,
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

/** A body as the document shows it, and the components that its members refer to. */
type PublishedForm = { body: TSchema; components: TSchema[] }

/** Each member as what it is declared as, and also null if null is read. */
function publishedForm({ properties, ...schema }: TObject): PublishedForm {
  const components: TSchema[] = []
  const members = Object.entries(properties).map(([name, member]) => {
    const declared: SchemaOptions = member[Declared] ?? {}
    const isCleared = !schema.required?.includes(name) && member[Reads] !== 'name'
    const { $id, ...form }: SchemaOptions = (isCleared && declared[OrNull]) || declared
    if ($id === undefined)
      return [name, isCleared ? withNull({ ...member, ...form }) : { ...member, ...form }]
    components.push({ $id, ...form } as TSchema)
    const { description, examples } = member
    return [name, { [REFERENCE]: $id, description, examples }]
  })
  return { body: { ...schema, properties: Object.fromEntries(members) } as TSchema, components }
}

/** The parameters of a query as the document shows them. */
export const publishedQuery = ({ properties, ...schema }: TObject): TSchema => {
  const members = Object.entries(properties).map(([name, { examples, ...member }]) => {
    const { $id, ...form }: SchemaOptions = member[Declared] ?? {}
    return [
      name,
      $id === undefined
        ? { ...member, ...form, examples }
        : { [REFERENCE]: $id, description: member.description, examples },
    ]
  })
  return { ...schema, properties: Object.fromEntries(members) } as TSchema
}

/** A reference with words of its own beside it, which the collector of the document would drop. */
export const REFERENCE = 'x-reference'

const withNull = ({ type, ...schema }: TSchema) => ({ ...schema, type: [type, 'null'] })

/**
 * The named schemas of a context of Fastify, with those of the context around it. Fastify asks for all of them twice for each route, so
 * they are neither copied then nor when they are added. Throws if two have one name.
 */
export function openComponents(around: unknown = {}) {
  const components = { ...(around as Record<string, TSchema>) }
  return {
    add(schema: TSchema) {
      const id = schema.$id!
      if (id in components) throw new Error(`Two schemas have the name ${id}.`)
      components[id] = schema
    },
    getSchema: (id: string) => components[id],
    getSchemas: () => components,
  }
}
