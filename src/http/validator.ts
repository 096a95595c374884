import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { ApiError } from '../errors.ts'
import { type QueryValue, readMembers, readQuery, throwProblems } from './validation.ts'

const IGNORED = Symbol('ignored')

/** The members of a read body that were not taken. */
export const ignoredOf = (body: unknown): string[] => (body as { [IGNORED]?: string[] } | undefined)?.[IGNORED] ?? []

/** IDs in paths are digits and slugs anything; else there is no such route (reference §0.1). */
function readPath(params: Record<string, string>) {
  if (params.id === undefined) return params
  if (!/^\d+$/.test(params.id)) throw new ApiError('rest_no_route', 'No route was found for this address: an ID is a whole number.')
  return { id: Math.min(Number(params.id), Number.MAX_SAFE_INTEGER) }
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

/** Lets Fastify validate by our readers: texts in path and query are converted, bodies are taken as data. */
export function addValidator(app: FastifyInstance) {
  const compile: FastifySchemaCompiler<{ $ref?: string }> = ({ schema, httpPart }) => {
    const object = (schema.$ref ? app.getSchema(schema.$ref) : schema) as TObject
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
