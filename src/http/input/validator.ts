import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { ApiError } from '../../errors.ts'
import { type QueryValue, readMembers, readQuery, throwProblems } from './validation.ts'

const IGNORED = Symbol('ignored')
const GIVEN = Symbol('given')
const UNDERSTOOD = Symbol('understood')

/** The members of a read body that were not taken. */
export const ignoredOf = (body: unknown): string[] =>
  (body as { [IGNORED]?: string[] } | undefined)?.[IGNORED] ?? []

/** A read body as it was sent. */
export const givenOf = (body: unknown): Record<string, unknown> =>
  (body as { [GIVEN]?: Record<string, unknown> })[GIVEN] ?? {}

/** Of a body that was refused, the members that were understood; undefined where something else was wrong. */
export const understoodOf = (error: Error): Record<string, unknown> | undefined =>
  (error as { [UNDERSTOOD]?: Record<string, unknown> })[UNDERSTOOD]

/** IDs in paths are digits and slugs anything; else there is no such route (reference §0.1). */
function readPath(params: Record<string, string>) {
  const read = Object.entries(params).map(([name, text]) => {
    if (name === 'slug') return [name, text]
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
  return Object.assign(members.value, { [IGNORED]: ignored, [GIVEN]: body })
}

function readQueryOf(schema: TObject, query: Record<string, QueryValue>) {
  const members = readQuery(schema, query)
  throwProblems(members)
  return members.value
}

/** What a body may have: members that are taken, and names that answers show and nobody can set (R11). */
type Published = { schema: TObject; shown: readonly string[] }

/** The schemas of bodies by name, whole: Fastify's own copies lack how members are read. */
const published = new WeakMap<object, Map<string, Published>>()

/**
 * Publishes the schema of a body as a component of the document, to be used by `Type.Ref`. Members that `answer` shows and the
 * schema lacks are passed over without being named as ignored.
 */
export function publishBody(app: FastifyInstance, schema: TObject, answer?: TObject) {
  app.addSchema(schema)
  published.get(app)!.set(schema.$id!, { schema, shown: Object.keys(answer?.properties ?? {}) })
}

/** The schema of a body, by its reference. */
export const bodySchema = (app: FastifyInstance, { $ref }: { $ref?: string }): TObject | undefined =>
  published.get(app)!.get($ref!)?.schema

/** Lets Fastify validate by our readers: texts in path and query are converted, bodies are taken as data. */
export function addValidator(app: FastifyInstance) {
  published.set(app, new Map())
  const compile: FastifySchemaCompiler<{ $ref?: string }> = ({ schema, httpPart }) => {
    const body = published.get(app)!.get(schema.$ref!)
    return (data) => {
      try {
        if (httpPart === 'params') return { value: readPath(data) }
        return { value: body ? readBody(body, data) : readQueryOf(schema as TObject, data) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }
  app.setValidatorCompiler(compile)
  app.setSerializerCompiler(() => JSON.stringify)
}
