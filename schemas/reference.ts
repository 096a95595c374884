import { Type } from '@sinclair/typebox'
import { AnyOf, Declared, FALSE, NULL, read } from './common.ts'

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

const ImageLink = AnyOf('ImageLink', 'An image: an uploaded one, one to download, or none.', [
  oneId('ID of the image.'),
  Type.String({
    maxLength: 2000,
    pattern: '^\\s*(?:\\d{1,15}|[Hh][Tt][Tt][Pp][Ss]?://\\S.*)?\\s*$',
    description: 'ID or URL of the image; an empty string for none.',
  }),
  FALSE,
  Type.Ref('RecordReference'),
  NULL,
])
const imageInput = (reading: 'image' | 'picture', what: string) =>
  read<{ id: number } | { url: string } | null>(reading, Type.String(), {
    maxLength: 2000,
    [Declared]: ImageLink,
    description: `Image of the ${what}: the ID of an uploaded image, or an absolute http or https URL to download it from. An empty string or \`false\` removes the image.`,
    examples: ['https://cor.example/evensong.jpg', 7],
  })
export const ImageInput = imageInput('image', 'event')
export const PictureInput = (what: 'venue' | 'organizer') => imageInput('picture', what)
