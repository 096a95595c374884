import type { FastifyInstance } from 'fastify'
import { SETTINGS } from '../../src/config.ts'
import { buildDocument } from '../../src/kernel/openapi/document.ts'

/** A schema as it is published. */
export type Published = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
  description?: string
  examples?: unknown[]
  items?: Published
  anyOf?: Published[]
  allOf?: Published[]
  maxLength?: number
  required?: string[]
  properties?: Record<string, Published>
}
export type Parameter = {
  name: string
  in: 'query' | 'path'
  required?: boolean
  schema: Published
} & Record<string, unknown>
export type Operation = {
  method: string
  path: string
  operationId: string
  tags: string[]
  parameters: Parameter[]
  /** The names of request headers. */
  headers: string[]
  /** The body by media type. */
  content: Record<string, { schema: Published }> | undefined
  /** The component of the body. */
  bodyName: string | undefined
  /** The schema of the body, its reference resolved. */
  body: Published | undefined
  responses: Record<string, Response>
}
export type Response = {
  description: string
  headers: Record<string, unknown>
  content?: Record<string, { schema: Published; examples?: Record<string, unknown> }>
}
export type Document = ReturnType<typeof buildDocument> & {
  paths: Record<string, Record<string, Record<string, unknown>>>
  components: { schemas: Record<string, Published> } & Partial<
    Record<'parameters' | 'requestBodies' | 'responses' | 'headers' | 'examples', Record<string, unknown>>
  >
}

const built = new Map<string, Document>()

/** The document of an application, by what it is made of: building it takes longer than most requests of a test together. */
export function documentOf(app: FastifyInstance, path = `/${SETTINGS.NAMESPACE.default}`): Document {
  const routes = app.routesAdded.map(({ method, url, schema }) => [method, url, schema?.operationId])
  const key = JSON.stringify([path, routes])
  const document = built.get(key) ?? (buildDocument(app, path) as Document)
  built.set(key, document)
  return structuredClone(document)
}

/** What a reference leads to, with the members beside it; anything else is given as it is. */
export function resolve<T>(document: Document, part: T | { $ref: string }): T {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return part as T
  const { $ref, ...rest } = part
  const [, , kind, name] = $ref.split('/') as [string, string, keyof Document['components'], string]
  return { ...resolve(document, document.components[kind]![name] as T), ...rest }
}

/** The words of a set that has a name stand where it is referred to. */
function withWords(document: Document, schema: Published): Published {
  if (schema.items) return { ...schema, items: withWords(document, schema.items) }
  if (schema.$ref === undefined) return schema
  const { type, enum: words } = resolve<Published>(document, { $ref: schema.$ref })
  const { $ref: _, ...rest } = schema
  return words ? { type: type!, enum: words, ...rest } : schema
}

/** The component of a schema: itself, or what it extends. */
export const nameOf = ({ $ref, allOf }: Published) => ($ref ?? allOf?.[0]?.$ref)?.split('/').at(-1)

/** The schemas that a published schema is one of, references resolved; null is none of them. */
export function formsOf(document: Document, { $ref, anyOf, allOf, ...schema }: Published): Published[] {
  const inner = $ref ? [document.components.schemas[$ref.split('/').at(-1)!]!] : (anyOf ?? allOf)
  if (inner) return inner.flatMap((form) => formsOf(document, form))
  const items = schema.items ? formsOf(document, schema.items) : [undefined]
  return [schema.type]
    .flat()
    .filter((type) => type !== 'null')
    .flatMap((type) => items.map((one) => ({ ...schema, type, items: one }) as Published))
}

/** Every operation of a document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const {
        operationId,
        tags,
        parameters = [],
        requestBody,
        responses: answers,
      } = operation as never as RawOperation
      const all = parameters.map((part) => {
        const parameter = resolve<AnyParameter>(document, part)
        return { ...parameter, schema: withWords(document, parameter.schema) }
      })
      const responses = Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, resolve<Response>(document, answer)]),
      )
      const content = requestBody && resolve<RawBody>(document, requestBody).content
      const bodyName = content?.['application/json']?.schema.$ref?.split('/').at(-1)
      const named = bodyName === undefined ? undefined : document.components.schemas[bodyName]
      const body = named && {
        ...named,
        properties: Object.fromEntries(
          Object.entries(named.properties ?? {}).map(([name, schema]) => [name, withWords(document, schema)]),
        ),
      }
      return {
        method,
        path,
        operationId,
        tags,
        parameters: all.filter((one): one is Parameter => one.in !== 'header'),
        headers: all.filter((one) => one.in === 'header').map(({ name }) => name),
        content,
        bodyName,
        body,
        responses,
      }
    }),
  )
}
type AnyParameter = Parameter | { name: string; in: 'header'; schema: Published }
type RawBody = { content: Record<string, { schema: Published }> }
type RawOperation = Omit<Operation, 'body' | 'bodyName' | 'responses' | 'parameters'> & {
  parameters: (AnyParameter | { $ref: string })[]
  responses: Record<string, Response | { $ref: string }>
  requestBody?: RawBody | { $ref: string }
}

/** Calls `look` with every object inside of `value`, and the names that lead to it. */
export function visit(
  value: unknown,
  look: (object: Record<string, unknown>, way: string[]) => void,
  way: string[] = [],
) {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) look(value as Record<string, unknown>, way)
  for (const [name, member] of Object.entries(value)) visit(member, look, [...way, name])
}
