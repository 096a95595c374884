import { Type } from '@sinclair/typebox'

export const IndexQuery = Type.Object({
  namespace: Type.Optional(
    Type.String({
      default: 'calendar/events/v1',
      description: 'The namespace, by default that of this address; any other is 404.',
    }),
  ),
  context: Type.Optional(Type.String({ default: 'view', description: 'Accepted and ignored.' })),
})

export const Index = Type.Object(
  {
    namespace: Type.String({ examples: ['calendar/events/v1'] }),
    routes: Type.Record(
      Type.String(),
      Type.Object({
        namespace: Type.String(),
        methods: Type.Array(Type.String()),
        endpoints: Type.Array(
          Type.Object({
            methods: Type.Array(Type.String()),
            args: Type.Record(Type.String(), Type.Object({}, { additionalProperties: true })),
          }),
        ),
        _links: Type.Optional(
          Type.Object({}, { additionalProperties: true, description: 'Of routes without an ID or slug.' }),
        ),
      }),
      { description: 'Routes by path pattern.' },
    ),
    _links: Type.Object({}, { additionalProperties: true }),
  },
  { $id: 'Index' },
)

const Part = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const Document = Type.Object(
  {
    openapi: Type.String({ description: 'Version of OpenAPI.', examples: ['3.1.0'] }),
    info: Part('Title, version and what holds for all operations.'),
    servers: Type.Array(Part('The mount that was asked, as a relative URL.')),
    paths: Part('Operations by path, relative to the server.'),
    components: Part('Schemas, answers, headers and examples.'),
    tags: Type.Array(Part('A group of operations.')),
  },
  { $id: 'Document', description: 'An OpenAPI document.' },
)
