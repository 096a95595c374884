/** The parts of an OpenAPI document that a comparison reads; 3.0 and 3.1. */
export type Json = Record<string, unknown>
type Reference = { $ref?: string }
export type Schema = Json & {
  $ref?: string
  type?: string | string[]
  nullable?: boolean
  enum?: unknown[]
  const?: unknown
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}
export type Content = Record<string, Media>
type Media = {
  schema?: Schema
  example?: unknown
  examples?: Record<string, Reference & { value?: unknown }>
  encoding?: Json
}
export type Parameter = Reference & {
  name: string
  in: string
  required?: boolean
  deprecated?: boolean
  style?: string
  explode?: boolean
  schema?: Schema
  content?: Content
}
export type Header = Omit<Parameter, 'name' | 'in'>
export type Body = Reference & { required?: boolean; content: Content }
export type Answer = Reference & { content?: Content; headers?: Record<string, Header> }
export type Server = { url: string; variables?: Json }
export type Security = Record<string, string[]>[]
export type Operation = {
  operationId?: string
  tags?: string[]
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Answer>
  security?: Security
  servers?: Server[]
}
type Path = { parameters?: Parameter[]; servers?: Server[] } & Record<string, unknown>
export type OpenApi = {
  paths: Record<string, Path>
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, Json> } & Json
  servers?: Server[]
  security?: Security
}

/** Notes a difference: whether it breaks clients, where it is, and what changed there. */
export type Tell = (breaking: boolean, where: string, what: string) => void

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Every operation by its method and path, with what its path and the document declare for it. */
export function operationsOf({ paths, security }: OpenApi): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, { parameters = [], servers, ...rest }]) =>
      METHODS.filter((method) => method in rest).map((method) => {
        const operation = rest[method] as Operation
        const all = [...parameters, ...(operation.parameters ?? [])]
        return [`${method.toUpperCase()} ${path}`, { security, servers, ...operation, parameters: all }]
      }),
    ),
  )
}

/** What a local reference leads to. */
export function lookUp(document: OpenApi, reference: string): unknown {
  const names = reference.slice('#/'.length).split('/')
  const found = names
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => (at as Json | undefined)?.[name], document)
  if (found === undefined) throw new Error(`${reference} leads nowhere in the OpenAPI document`)
  return found
}

/** The value itself, or the component that it refers to. */
export const resolve = <T extends Reference>(document: OpenApi, value: T): T =>
  value.$ref === undefined ? value : (lookUp(document, value.$ref) as T)

/** Every name of two records with what stands there before and after. */
export const pairs = <T>(
  before: Record<string, T> = {},
  after: Record<string, T> = {},
): [name: string, before: T | undefined, after: T | undefined][] =>
  Object.keys({ ...before, ...after }).map((name) => [name, before[name], after[name]])

/** Whether two values of JSON are the same. */
export const isSame = (before: unknown, after: unknown) => JSON.stringify(before) === JSON.stringify(after)

/** A value as a message shows it. */
export const show = (value: unknown) =>
  value === undefined ? 'none' : typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
