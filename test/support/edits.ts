/** A small document with one of everything that can change. */
export const BASE = () => ({
  paths: {
    '/tags': {
      get: {
        operationId: 'listTags',
        security: [{}, { basic: [] }] as object[],
        parameters: [
          { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 9 } },
          { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'] } },
          { name: 'id', in: 'path', required: true, schema: { type: 'array', items: { type: 'integer' } } },
        ],
        responses: { 200: ref('Tag'), 404: { $ref: '#/components/responses/NotFound' } },
      },
      post: {
        operationId: 'createTag',
        security: [{ basic: [] }],
        requestBody: { required: false, ...ref('TagInput') } as object | undefined,
        responses: { 201: ref('Tag') },
      },
    },
  },
  components: {
    responses: { NotFound: ref('Error') },
    schemas: {
      Error: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
      TagInput: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 200, pattern: 'a' }, slug: { type: 'string' } },
      },
      Tag: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          status: { type: 'string', enum: ['on', 'off'] },
          urls: { $ref: '#/components/schemas/Urls' },
          more: {},
          image: { anyOf: [{ $ref: '#/components/schemas/Urls' }, { type: 'boolean', enum: [false] }] },
          above: { $ref: '#/components/schemas/Tag' },
        },
      },
      Urls: { type: 'object', properties: { self: { type: 'string', format: 'uri' } } },
    },
  },
})
export const ref = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})

// biome-ignore lint/suspicious/noExplicitAny: the edits reach deep into the document
type Any = any
export type Edit = (document: Any) => Any
export const get: Edit = (d) => d.paths['/tags'].get
export const parameter: Edit = (d) => get(d).parameters
export const post: Edit = (d) => d.paths['/tags'].post
export const schemas: Edit = (d) => d.components.schemas
export const input: Edit = (d) => schemas(d).TagInput
export const tag: Edit = (d) => schemas(d).Tag
