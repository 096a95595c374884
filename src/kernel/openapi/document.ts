import swagger from '@fastify/swagger'
import type { TObject, TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { ErrorBody } from '../../../schemas/error.ts'
import { type ErrorTable, KERNEL_ERRORS } from '../errors.ts'
import { publishedQuery, REFERENCE } from '../input/validator.ts'
import { finish, type Task } from '../tasks/scheduler.ts'
import {
  byPlace,
  type Complete,
  inPlace,
  isObject,
  type Json,
  nameWords,
  type Places,
  rewrite,
  shareParts,
} from './components.ts'
import { type Collected, completeOperations, type OperationRules } from './operations.ts'
import { allHeaders } from './responses.ts'

export type Document = Complete & { servers: { url: string }[] }
/** Adds to a document what is no route. */
type Completion = (document: Complete) => Complete

/** What a part of the service adds to the document: its tags with their descriptions, the components of its responses, and its errors. */
export type Documented = { tags?: Record<string, string>; answers?: readonly TSchema[]; errors?: ErrorTable }

/** What the document says of the service as a whole, whichever parts it has. */
export type Documentation = Omit<OperationRules, 'errors'> & {
  title: string
  introduction: string
  places: Places
  /** Response headers that the service has beside those of the kernel, as components. */
  headers: Json
  /** The singulars of collections that are not their plurals without an s. */
  singulars: Record<string, string>
}

/** How what was collected is completed. */
type Completing = Documentation & {
  /** The errors of all parts, in their places. */
  errors: ErrorTable
  languages: readonly string[]
  /** What features add to the document. */
  completions: Completion[]
}

declare module 'fastify' {
  interface FastifyInstance {
    documentation: Completing
  }
}

type Options = {
  version: string
  documentation: Documentation
  parts: readonly Documented[]
  languages: readonly string[]
}

/** Collects the document while routes are registered. */
export const openapi = fp<Options>(
  async (app, { version, documentation, parts, languages }) => {
    const { title, introduction, places, headers } = documentation
    const errors: ErrorTable = Object.assign({}, KERNEL_ERRORS, ...parts.map(({ errors }) => errors))
    const placed = Object.entries(errors).toSorted(byPlace(places.errors, ([code]) => code))
    app.decorate('documentation', {
      ...documentation,
      errors: Object.fromEntries(placed),
      languages,
      completions: [],
    })
    const described: Record<string, string> = Object.assign({}, ...parts.map(({ tags }) => tags))
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title,
          version,
          description: introduction,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        tags: Object.entries(described)
          .toSorted(byPlace(places.tags, ([name]) => name))
          .map(([name, description]) => ({ name, description })),
        components: {
          headers: allHeaders(headers) as never,
          securitySchemes: {
            basic: {
              type: 'http',
              scheme: 'basic',
              description:
                'A login and one of its application passwords. Spaces in the password are ignored.',
            },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description: 'A token, created with `almanac token create` or `POST /tokens`.',
            },
          },
        },
      },
      transform: ({ schema, url }) => {
        const query = schema?.querystring as TObject | undefined
        return { url, schema: query ? { ...schema, querystring: publishedQuery(query) } : schema }
      },
      transformObject: (collected) => {
        const { openapiObject } = collected as Extract<typeof collected, { openapiObject: object }>
        for (const path of Object.values(openapiObject.paths!)) delete path!.head // every GET has it
        return openapiObject
      },
      refResolver: { buildLocalReference: (json) => String(json.$id) },
    })
    app.addSchema(ErrorBody)
    for (const { answers = [] } of parts) for (const schema of answers) app.addSchema(schema)
  },
  { name: 'openapi', dependencies: ['validator'] },
)

/** The OpenAPI 3.1 document of this application for the namespace root at `path`, in steps, of which each is long. */
export function* documentOf(app: FastifyInstance, path: string): Task<Document> {
  const collected = app.swagger() as unknown as Complete
  yield
  return yield* complete(collected, path, app.documentation)
}

/** The document at once. */
export const buildDocument = (app: FastifyInstance, path: string) => finish(documentOf(app, path))

/** Completes what was collected of routes and components, in whatever order they were registered. */
export function* complete(collected: Complete, path: string, completing: Completing): Task<Document> {
  const { places, errors, languages, singulars, completions } = completing
  const copied = JSON.parse(JSON.stringify(inPlace(collected, places)))
  yield
  const listed = rewrite(copied, (object) => {
    const { schema, [REFERENCE]: component, ...rest } = object as { schema?: Json; [REFERENCE]?: string }
    if (component) return { $ref: `#/components/schemas/${component}`, ...rest }
    // the collector makes `enum` of `const`; some generators read one of them, and some the other
    const [only, ...others] = object.type === 'boolean' && Array.isArray(object.enum) ? object.enum : [true]
    if (only === false && others.length === 0) return { ...object, const: false }
    const isList = object.in === 'query' && schema?.type === 'array'
    return isList ? { ...object, style: 'form', explode: false } : object
  })
  yield
  const completed = completeOperations(listed as Collected, completing)
  yield
  const named = nameWords(completed, languages, Object.keys(errors))
  yield
  const shared = shareParts(named, singulars)
  yield
  const { openapi, info, paths, ...rest } = completions.reduce((whole, add) => add(whole), shared)
  return { openapi, info, servers: [{ url: path }], paths: orderPaths(paths, places), ...rest }
}

/** The depth down to which a document has a line for each member: operations and components. */
const LINES = 3

function lines(value: unknown, depth: number): string {
  if (depth === 0 || !isObject(value) || Array.isArray(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${lines(member, depth - 1)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`
}

/** The bytes of a document as sent and as written to a file: not indented, with a line for each operation and component. */
export const print = (document: Document) => Buffer.from(`${lines(document, LINES)}\n`)

/** Methods in the order in which people need them: those of a list, those of a record, and what does the same as PATCH. */
const METHODS = ['get', 'post', 'patch', 'delete', 'put']
/** Methods of one record in this order. A POST to a record does the same as PATCH, and comes last. */
const OF_RECORDS = ['get', 'patch', 'delete', 'put', 'post']

/** Paths in the order of the tags of their first operations, and the methods of each in a fixed order. */
function orderPaths(paths: Complete['paths'], places: Places): Complete['paths'] {
  const byTag = byPlace(places.tags, (path: string) => (Object.values(paths[path]!)[0]!.tags as [string])[0])
  return Object.fromEntries(
    Object.keys(paths)
      .toSorted(byTag)
      .map((path) => {
        const order = path.endsWith('}') ? OF_RECORDS : METHODS
        const methods = Object.entries(paths[path]!).toSorted(
          ([a], [b]) => order.indexOf(a) - order.indexOf(b),
        )
        return [path, Object.fromEntries(methods)]
      }),
  )
}

/** One type, or a choice of several; `null` among them is a member of its own beside the first. */
function typesOf(type: unknown): Json {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const types = type.filter((one) => one !== 'null')
  const nullable = types.length < type.length && { nullable: true }
  if (types.length === 1) return { type: types[0], ...nullable }
  return { anyOf: types.map((one, at) => ({ type: one, ...(at === 0 && nullable) })) }
}

const isNull = (schema: unknown) => isObject(schema) && schema.type === 'null'

/** In 3.0 only what has a type can be null, and a set of words has to contain it. */
const canBeNull = (schema: unknown) =>
  isObject(schema) && typeof schema.type === 'string' && schema.enum === undefined

/**
 * A choice without `null`: one of the others can be null instead. A choice of one is that one, which keeps a reference, and loses
 * its null.
 */
function choiceOf(name: 'anyOf' | 'oneOf', choice: unknown): Json {
  if (!Array.isArray(choice)) return {}
  const others = choice.filter((schema) => !isNull(schema))
  if (others.length === choice.length) return { [name]: choice }
  const at = others.findIndex(canBeNull)
  const members = others.map((one, index) => (index === at ? { ...one, nullable: true } : one))
  return members.length === 1 ? members[0] : { [name]: members }
}

/** A limit that excludes its value. */
const limitOf = (name: 'minimum' | 'maximum', exclusive: string, value: unknown): Json =>
  value === undefined ? {} : { [name]: value, [exclusive]: true }

/**
 * A reference alone: OpenAPI 3.0 ignores what stands beside it. An `allOf` would keep the words, but generators for typed languages
 * make a class of its own of each.
 */
const referenceOf = ({ $ref, ...rest }: Json): Json => ($ref === undefined ? rest : { $ref })

/** One media type: of a body in several, generators make as many functions of one name. */
const firstOf = (content: Json): Json => Object.fromEntries(Object.entries(content).slice(0, 1))

function older(schema: Json): Json {
  const { examples, exclusiveMinimum, exclusiveMaximum, identifier, type, anyOf, oneOf, ...others } = schema
  // 3.0 has no word for members that need each other: the description says it
  const { const: only, content, dependentRequired: _, ...rest } = others
  return referenceOf({
    ...typesOf(type),
    ...choiceOf('anyOf', anyOf),
    ...choiceOf('oneOf', oneOf),
    ...rest,
    ...(isObject(content) && { content: firstOf(content) }),
    ...(only !== undefined && { enum: [only] }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(examples !== undefined && !Array.isArray(examples) && { examples }),
    ...limitOf('minimum', 'exclusiveMinimum', exclusiveMinimum),
    ...limitOf('maximum', 'exclusiveMaximum', exclusiveMaximum),
    ...(identifier !== undefined && { url: 'https://opensource.org/license/mit' }),
  })
}

/** A document without the schemas that it does not use: those of media types and messages that were left out. */
function onlyUsed<T extends Json>(document: T): T {
  const components = document.components as { schemas: Json }
  const text = JSON.stringify(document)
  const used = Object.entries(components.schemas).filter(([name]) =>
    text.includes(`"#/components/schemas/${name}"`),
  )
  return { ...document, components: { ...components, schemas: Object.fromEntries(used) } }
}

/** Converts an OpenAPI 3.1 document to 3.0.3, for generators that need it (D42). */
export const downgrade = <T extends Json>({ webhooks: _, ...document }: T): T =>
  onlyUsed({
    ...(rewrite(document, older) as T),
    openapi: '3.0.3',
  })
