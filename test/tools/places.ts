import { compareDocuments } from '../../tools/document/changes.ts'
import type { OpenApi, Schema } from '../../tools/document/openapi.ts'

export const text = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } })
export const failure = (...codes: string[]) => ({
  content: {
    'application/json': {
      ...text('Failure'),
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})
export const place = { type: 'object', properties: { id: { type: 'integer' } } }

/** A document with everything around its schemas that can change. */
export const PLACES = () => ({
  servers: [{ url: '/v1' }, { url: '/{at}', variables: { at: { default: 'v2' } } }],
  security: [{ basic: [] }],
  paths: {
    '/places/{id}': {
      summary: 'One place.',
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        operationId: 'getPlace',
        tags: ['Places'],
        security: [{}, { basic: [] }, { token: ['read', 'list'] }],
        servers: [{ url: '/read' }],
        parameters: [
          { name: 'include', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'word', in: 'query', schema: { type: 'string' } },
          { name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
          { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
        ],
        responses: {
          200: {
            headers: {
              ETag: { $ref: '#/components/headers/ETag' },
              Link: { required: true, schema: { type: 'string' } },
            },
            content: { 'application/json': text('Place') },
          },
          404: failure('not-found', 'in-trash'),
        },
      },
      put: {
        operationId: 'putPlace',
        tags: ['Places'],
        requestBody: { $ref: '#/components/requestBodies/Place' },
        responses: { 200: { content: { 'application/json': text('Place') } }, 304: {}, 400: failure() },
      },
    },
    '/words': { get: { operationId: 'listWords', tags: ['Words'], responses: { 200: {} } } },
  },
  components: {
    securitySchemes: { basic: { type: 'http', scheme: 'basic' }, token: { type: 'http', scheme: 'bearer' } },
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
    headers: { ETag: { schema: { type: 'string' } } },
    requestBodies: {
      Place: {
        required: true,
        content: { 'application/json': text('Place'), 'multipart/form-data': text('Place') },
      },
    },
    examples: Object.fromEntries(
      ['not-found', 'in-trash', 'gone'].map((code) => [code, { value: { code } }]),
    ),
    schemas: { Failure: { type: 'object', properties: { code: { type: 'string' } } }, Place: place },
  },
})
// biome-ignore lint/suspicious/noExplicitAny: the edits reach deep into the document
export type Edit = (document: any) => any
export const get: Edit = (d) => d.paths['/places/{id}'].get
export const put: Edit = (d) => d.paths['/places/{id}'].put
export const ok: Edit = (d) => get(d).responses[200]
export const body: Edit = (d) => d.components.requestBodies.Place
export const GET = 'GET /places/{id}'
export const PUT = 'PUT /places/{id}'
export const rename = (d: never, from: string, to: string) => {
  const { [from]: schema, ...rest } = (d as ReturnType<typeof PLACES>).components.schemas as Record<
    string,
    unknown
  >
  const renamed = JSON.parse(JSON.stringify(d).replaceAll(`/schemas/${from}"`, `/schemas/${to}"`))
  Object.assign(d, renamed, { components: { ...renamed.components, schemas: { ...rest, [to]: schema } } })
}
export const setCode = (d: never, code: object) => {
  const { schemas } = (d as ReturnType<typeof PLACES>).components
  Object.assign(schemas.Failure.properties.code, code)
}

/** What is done to the document, and what is told, there and back; `!` is breaking. */
export type Case = [title: string, edit: Edit, there: string[], back: string[]]

/** What is told of an edit of the document, and of its reverse. */
export function tellBoth(edit: Edit): string[][] {
  const [older, newer] = [PLACES(), PLACES()]
  edit(newer)
  return [
    [older, newer],
    [newer, older],
  ].map((documents) => {
    const [before, after] = documents as never as [OpenApi, OpenApi]
    return compareDocuments(before, after).map(
      ({ breaking, where, what }) => `${breaking ? '! ' : ''}${where} ${what}`,
    )
  })
}

/** A document that takes and gives one value. */
const document = (schema: Schema, way: string, schemas: Record<string, Schema> = {}): OpenApi => {
  const at = (isHere: boolean) => (isHere ? schema : { type: 'string' })
  const get = {
    parameters: [{ name: 'q', in: 'query', schema: at(way === 'input') }],
    responses: { 200: { content: { 'text/plain': { schema: at(way === 'output') } } } },
  }
  return { paths: { '/': { get } }, components: { schemas } }
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const [string, integer, boolean, object] = ['string', 'integer', 'boolean', 'object'].map(
  (type): Schema => ({ type }),
) as [Schema, Schema, Schema, Schema]
export const members = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
export const COMPONENTS = {
  Word: string,
  Place: members({ id: integer }),
  Names: { enum: ['a', 'b'] },
  Either: { type: ['string', 'integer'] },
}

/** What is told of a value whose schema changes, where the service reads it (`input`) and where it writes it; `#` is its place. */
export const tellOf = (before: Schema, after: Schema) =>
  (['input', 'output'] as const).map((way) =>
    compareDocuments(document(before, way, COMPONENTS), document(after, way, COMPONENTS))
      .filter(({ where }) => !where.startsWith('schema'))
      .map(({ breaking, where, what }) => `${breaking ? '! ' : ''}${where} ${what}`)
      .map((line) => line.replace(way === 'input' ? 'GET / query q' : 'GET / 200', '#')),
  )
