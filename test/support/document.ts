import type { FastifyInstance } from 'fastify'
import { SETTINGS } from '../../src/config.ts'
import { buildDocument } from '../../src/http/openapi/document.ts'

/** A schema as it is published. */
export type Published = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
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
    Record<'responses' | 'examples', Record<string, unknown>>
  >
}

export const documentOf = (app: FastifyInstance, path = `/${SETTINGS.NAMESPACE.default}`) =>
  buildDocument(app, path) as Document

/** The component that an answer is, where it is one. */
const resolve = (document: Document, answer: Response | { $ref: string }): Response =>
  '$ref' in answer ? (document.components.responses![answer.$ref.split('/').at(-1)!] as Response) : answer

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
      const responses = Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, resolve(document, answer)]),
      )
      const bodyName = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1)
      const body = bodyName === undefined ? undefined : document.components.schemas[bodyName]
      return { method, path, operationId, tags, parameters, bodyName, body, responses }
    }),
  )
}
type RawOperation = Omit<Operation, 'body' | 'bodyName' | 'responses'> & {
  responses: Record<string, Response | { $ref: string }>
  requestBody?: { content: Record<string, { schema: Published }> }
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
