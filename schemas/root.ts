import { Type } from '@sinclair/typebox'

export const IndexQuery = Type.Object({
  namespace: Type.Optional(
    Type.String({
      default: 'calendar/events/v1',
      description: 'Namespace of the API. Any value but the namespace of the requested URL returns 404.',
      examples: ['calendar/events/v1'],
    }),
  ),
  context: Type.Optional(
    Type.String({
      default: 'view',
      description: 'Accepted from WordPress clients and ignored.',
      examples: ['view'],
    }),
  ),
})

export const Index = Type.Object(
  {
    namespace: Type.String({ description: 'Namespace of the API.', examples: ['calendar/events/v1'] }),
    routes: Type.Record(
      Type.String(),
      Type.Object({
        namespace: Type.String({ description: 'Namespace of the API.' }),
        methods: Type.Array(Type.String(), { description: 'HTTP methods that the route takes.' }),
        endpoints: Type.Array(
          Type.Object({
            methods: Type.Array(Type.String(), { description: 'HTTP methods that the endpoint takes.' }),
            args: Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), {
              description: 'Parameters of the endpoint by name, with their types and defaults.',
            }),
          }),
          { description: 'Endpoints of the route: one for each set of parameters.' },
        ),
        _links: Type.Optional(
          Type.Object(
            {},
            {
              additionalProperties: true,
              description: 'Links to the route; only for routes without an ID or slug.',
            },
          ),
        ),
      }),
      { description: 'Routes by path pattern.' },
    ),
    _links: Type.Object({}, { additionalProperties: true, description: 'Link to the root of the service.' }),
  },
  { $id: 'ApiIndex', description: 'The routes of the API.' },
)

const Part = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const Document = Type.Object(
  {
    openapi: Type.String({ description: 'Version of the OpenAPI specification.', examples: ['3.1.0'] }),
    info: Part('Title, version and general description of the API.'),
    servers: Type.Array(Part('A server.'), { description: 'The namespace root, as a relative URL.' }),
    paths: Part('Operations by path, relative to the server.'),
    webhooks: Type.Optional(Part('Messages that webhooks get, by type; absent in OpenAPI 3.0.')),
    components: Part('Schemas, responses, headers and examples that operations refer to.'),
    tags: Type.Array(Part('A tag.'), { description: 'Groups of operations.' }),
  },
  { $id: 'OpenApiDocument', description: 'An OpenAPI document.' },
)
