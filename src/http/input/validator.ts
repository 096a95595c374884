import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { ApiError } from '../../errors.ts'
import { type QueryValue, readMembers, readQuery, throwProblems } from './validation.ts'

const IGNORED = Symbol('ignored')

/** The members of a read body that were not taken. */
export const ignoredOf = (body: unknown): string[] =>
  (body as { [IGNORED]?: string[] } | undefined)?.[IGNORED] ?? []

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

function readBody(schema: TObject, body: Record<string, unknown>) {
  const members = readMembers(schema, body)
  throwProblems(members)
  return Object.assign(members.value, { [IGNORED]: members.unknown })
}

function readQueryOf(schema: TObject, query: Record<string, QueryValue>) {
  const members = readQuery(schema, query)
  throwProblems(members)
  return members.value
}

/** The schemas of bodies by name, whole: Fastify's own copies lack how members are read. */
const published = new WeakMap<object, Map<string, TObject>>()

/** Publishes the schema of a body as a component of the document, to be used by `Type.Ref`. */
export function publishBody(app: FastifyInstance, schema: TObject) {
  app.addSchema(schema)
  published.get(app)!.set(schema.$id!, schema)
}

/** The schema of a body, by its reference. */
export const bodySchema = (app: FastifyInstance, { $ref }: { $ref?: string }): TObject | undefined =>
  $ref === undefined ? undefined : published.get(app)!.get($ref)

/** Lets Fastify validate by our readers: texts in path and query are converted, bodies are taken as data. */
export function addValidator(app: FastifyInstance) {
  published.set(app, new Map())
  const compile: FastifySchemaCompiler<{ $ref?: string }> = ({ schema, httpPart }) => {
    const object = bodySchema(app, schema) ?? (schema as TObject)
    return (data) => {
      try {
        if (httpPart === 'params') return { value: readPath(data) }
        return { value: httpPart === 'body' ? readBody(object, data) : readQueryOf(object, data) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }
  app.setValidatorCompiler(compile)
  app.setSerializerCompiler(() => JSON.stringify)
}
