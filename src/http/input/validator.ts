import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../../errors.ts'
import { unknownIn } from './inline.ts'
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
  const inside = Object.values(members.value).flatMap(unknownIn)
  return Object.assign(members.value, { [IGNORED]: [...new Set([...members.unknown, ...inside])] })
}

function readQueryOf(schema: TObject, query: Record<string, QueryValue>) {
  const members = readQuery(schema, query)
  throwProblems(members)
  return members.value
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The schemas of bodies by name, whole: Fastify's own copies lack how members are read. */
    bodies: Map<string, TObject>
  }
}

/** Publishes the schema of a body as a component of the document, to be used by `Type.Ref`. */
export function publishBody(app: FastifyInstance, schema: TObject) {
  app.addSchema(schema)
  app.bodies.set(schema.$id!, schema)
}

/** The schema of a body, by its reference. */
export const bodySchema = (app: FastifyInstance, { $ref }: { $ref?: string }): TObject | undefined =>
  $ref === undefined ? undefined : app.bodies.get($ref)

/** Lets Fastify validate by our readers: texts in path and query are converted, bodies are taken as data. */
export const validator = fp(
  async (app) => {
    app.decorate('bodies', new Map())
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
    const use = (context: FastifyInstance) => {
      context.setValidatorCompiler(compile)
      context.setSerializerCompiler(() => JSON.stringify)
    }
    use(app)
    app.addHook('onRegister', use) // a context that publishes schemas would make compilers of its own
  },
  { name: 'validator' },
)
