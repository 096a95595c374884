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
      }),
      { description: 'Routes by path pattern.' },
    ),
    _links: Type.Object({}, { additionalProperties: true }),
  },
  { $id: 'Index' },
)
