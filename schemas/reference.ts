import { Type } from '@sinclair/typebox'

/** Greatest ID in a text or an object: fifteen digits. */
const MOST_ID = 999_999_999_999_999

/** The ID of a record that another one refers to. */
export const oneId = (description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: MOST_ID, description })

export const RecordReference = Type.Object(
  { id: oneId('ID of the record.') },
  {
    $id: 'RecordReference',
    description: 'An existing record, as responses show it. Only its `id` counts.',
  },
)
