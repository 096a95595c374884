import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as i from './input.ts'
import * as output from './output.ts'

const part = (of: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `Part of the ${of}, from 0 to 1.`, examples: [0.25] })
const POINT = { x: part('width, from the left'), y: part('height, from the top') }
type FocalPoint = { x: number; y: number }

/** The focal point as it is sent. */
const focalPoint = Type.Optional(
  c.read<FocalPoint>('point', Type.Object(POINT, { additionalProperties: false }), {
    description:
      'The point that stays in sight where pages cut the image to another shape. By default the centre.',
    examples: [{ x: 0.25, y: 0.4 }],
  }),
)

export const Media = Type.Object(
  {
    id: c.Id('media file'),
    source_url: Type.String({ format: 'uri', description: 'URL of the image in its original size.' }),
    url: Type.String({ format: 'uri', description: 'The same URL as `source_url`.' }),
    author: Type.String({ description: 'ID of the user who uploaded the image, as a string.' }),
    date_utc: output.DateText('Time of the upload in UTC'),
    mime_type: Type.String({ description: 'Media type of the file.', examples: ['image/jpeg'] }),
    extension: Type.String({ description: 'Extension of the file name, without a dot.', examples: ['jpg'] }),
    width: Type.Integer({ description: 'Width of the image in pixels.' }),
    height: Type.Integer({ description: 'Height of the image in pixels.' }),
    filesize: Type.Integer({ description: 'Size of the file in bytes.' }),
    sizes: Type.Record(Type.String(), Type.Ref('ImageSize'), {
      description:
        'Smaller versions of the image by name: `thumbnail`, `medium`, `medium_large` and `large`, as far as the image is larger.',
    }),
    alt_texts: Type.Record(Type.String(), Type.String(), {
      description:
        'Alternative texts by language: what the image shows, for those who do not see it. Empty if there are none.',
      examples: [{ en: 'A band on a stage' }],
    }),
    focal_point: Type.Object(POINT, {
      description:
        'The point that stays in sight where pages cut the image to another shape. The centre unless one was set.',
      examples: [{ x: 0.25, y: 0.4 }],
    }),
  },
  { $id: 'Media', description: 'An uploaded image with its smaller versions.' },
)

export const MediaUpload = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'The image: JPEG, PNG, GIF, WebP or AVIF, at most 10 MiB.',
    }),
  },
  { $id: 'MediaUpload', description: 'A multipart form with one file.' },
)

export const MediaUses = Type.Object(
  {
    uses: Type.Array(
      Type.Object({
        id: c.Id('record'),
        kind: Type.String({
          enum: ['event', 'series', 'venue', 'organizer'],
          description: 'Kind of the record.',
        }),
        title: Type.String({
          description: 'Title of the event or series, or name of the venue or organizer.',
        }),
        slug: Type.String({ description: 'Slug of the record: the last part of its URL.' }),
        status: Type.String({ description: 'Status of the record.' }),
        language: Type.String({ description: 'Language of the record.' }),
        as: Type.String({
          enum: ['image', 'text'],
          description: 'Whether the image is that of the record, or stands in one of its texts.',
        }),
        url: Type.String({ format: 'uri', description: 'Permanent URL of the record.' }),
        rest_url: Type.String({ format: 'uri', description: 'URL of the record in this API.' }),
      }),
      { description: 'Records that show the image, by ID.' },
    ),
    total: Type.Integer({ description: 'How many records show it.' }),
  },
  { $id: 'MediaUses', description: 'Where an image is used.' },
)

/** The body of an update: alternative texts in the languages of the site, and the focal point. */
export function MediaUpdate(languages: readonly string[]) {
  const text = (language: string) =>
    Type.Optional({
      ...i.LineInput(`Alternative text in the language \`${language}\``, 'A band on a stage'),
      type: ['string', 'null'],
    })
  const texts = Object.fromEntries(languages.map((language) => [language, text(language)]))
  return Type.Object(
    {
      alt_texts: Type.Optional(
        c.read<AltTexts>('texts', Type.Object(texts, { additionalProperties: false }), {
          description:
            'Alternative texts by language: what the image shows, for those who do not see it. Languages that are not sent keep their text; an empty string or `null` removes one, and `null` instead of the object removes all.',
          examples: [{ [languages[0]!]: 'A band on a stage' }],
        }),
      ),
      focal_point: focalPoint,
    },
    { $id: 'MediaUpdate' },
  )
}
type AltTexts = Record<string, string | null>
export type MediaUpdate = { alt_texts?: AltTexts | null; focal_point?: FocalPoint | null }

const start = (what: string, of: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `${what} edge: part of the ${of}, from 0 to 1. By default 0.`,
      examples: [0.1],
    }),
  )
const side = (of: string) =>
  Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: `Part of the ${of}, from 0 to 1. By default 1.`,
      examples: [0.5],
    }),
  )
/** The body of a crop: a frame, in parts of the image as it stands after it was turned. */
export const MediaCrop = Type.Object(
  {
    x: start('Left', 'width'),
    y: start('Upper', 'height'),
    width: side('width'),
    height: side('height'),
    turns: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: 'Quarter turns clockwise, by which the image is turned first. By default none.',
        examples: [1],
      }),
    ),
  },
  { $id: 'MediaCrop' },
)
export type MediaCrop = Static<typeof MediaCrop>

export const MediaQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search(
      'the name of the file, its alternative texts, or the titles of records that show the image',
      'band',
    ),
  ),
  without_alt_text: Type.Optional(
    c.read<string[]>('languages', Type.Array(Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]+)*$' })), {
      minItems: 1,
      maxItems: 100,
      ...c.Short,
      description:
        'Only images that lack an alternative text in one of these languages: codes, separated by commas or as a repeated parameter.',
      examples: [['en', 'ca']],
    }),
  ),
})
export type MediaQuery = Static<typeof MediaQuery>
export const MediaPage = output.Page('MediaPage', 'media', Type.Ref('Media'))
