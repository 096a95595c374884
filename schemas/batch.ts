import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'

export const BATCH_METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'] as const
/** Most operations of a batch. */
export const MOST_OPERATIONS = 100
/** The form of the name of an operation. */
export const OPERATION_ID = '^[A-Za-z0-9_-]{1,64}$'

export type BatchMethod = (typeof BATCH_METHODS)[number]
/** An operation as it was read. */
export type Operation = {
  id?: string
  method: BatchMethod
  path: string
  body?: Record<string, unknown>
  if_match?: string
}

export const BatchOperation = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: OPERATION_ID,
        description:
          'Name of the operation, by which later ones refer to the record that it wrote: letters, digits, `_` and `-`.',
        examples: ['hall'],
      }),
    ),
    method: c.StringEnum(BATCH_METHODS, { description: 'Method of the operation.', examples: ['POST'] }),
    path: Type.String({
      maxLength: 2000,
      description:
        'Address below the root of the API, with its parameters: of events, series, venues, organizers, categories or tags, such as `/events`, `/events/12?apply_to=all`, `/venues/#hall` or `/events/12/restore`.',
      examples: ['/events'],
    }),
    body: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Body of the operation, as its address takes it. `"#hall"` as the value of a member that takes an ID stands for the record that the operation `hall` wrote.',
        },
      ),
    ),
    if_match: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'ETag of the record as last read, as in `If-Match`.',
        examples: ['"mN5tq1Xv"'],
      }),
    ),
  },
  { $id: 'BatchOperation', description: 'A write of one record.' },
)

export const BatchInput = Type.Object(
  {
    operations: c.read<Operation[]>('operations', Type.Array(Type.Object({})), {
      minItems: 1,
      maxItems: MOST_OPERATIONS,
      [c.Declared]: Type.Array(Type.Ref('BatchOperation'), { minItems: 1, maxItems: MOST_OPERATIONS }),
      description: `What is to be done, in this order: 1 to ${MOST_OPERATIONS} writes.`,
      examples: [[{ method: 'PATCH', path: '/events/3', body: { featured: true } }]],
    }),
    atomic: Type.Optional(
      Type.Boolean({
        description:
          '`true` makes all writes in one transaction: if one of them is refused, none is made. `false` makes each by itself. Default: `false`.',
        examples: [true],
      }),
    ),
  },
  { $id: 'BatchInput' },
)
export type BatchInput = { operations: Operation[]; atomic?: boolean | null }

export const BatchResult = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Name of the operation, if it has one.' })),
    status: Type.Integer({ description: 'Status of its response.', examples: [201] }),
    headers: Type.Record(Type.String(), Type.String({ description: 'Value of the header.' }), {
      description: 'Headers of its response that matter, such as `Location` and `ETag`.',
    }),
    body: Type.Object(
      {},
      { additionalProperties: true, description: 'Body of its response: the record, or the error.' },
    ),
  },
  { $id: 'BatchResult', description: 'What came of an operation.' },
)
export type BatchResult = Static<typeof BatchResult>

export const BatchAnswer = Type.Object(
  {
    results: Type.Array(Type.Ref('BatchResult'), {
      description: 'The response to each operation, in the order in which they were sent.',
    }),
  },
  { $id: 'BatchAnswer', description: 'What came of a batch.' },
)
