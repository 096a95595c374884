import { type TSchema, Type } from '@sinclair/typebox'
import { Id, STATUSES, StringEnum, Wall } from './common.ts'

export const DateText = (what: string) =>
  Type.String({ description: `${what}. Format: \`${Wall}\`.`, examples: ['2027-05-14 18:00:00'] })
const TwoDigits = (what: string) =>
  Type.String({ description: `${what} of the date, as two digits.`, examples: ['05'] })
export const DateDetails = Type.Object(
  {
    year: Type.String({ description: 'Year of the date, as four digits.', examples: ['2027'] }),
    month: TwoDigits('Month'),
    day: TwoDigits('Day'),
    hour: TwoDigits('Hour'),
    minutes: TwoDigits('Minutes'),
    seconds: TwoDigits('Seconds'),
  },
  { $id: 'DateDetails', description: 'The parts of a date and time, as zero-padded strings.' },
)

export const ImageSize = Type.Object(
  {
    width: Type.Integer({ description: 'Width of this version in pixels.' }),
    height: Type.Integer({ description: 'Height of this version in pixels.' }),
    'mime-type': Type.String({ description: 'Media type of the file.', examples: ['image/jpeg'] }),
    filesize: Type.Integer({ description: 'Size of the file in bytes.' }),
    url: Type.String({ format: 'uri', description: 'URL of the file of this version.' }),
  },
  { $id: 'ImageSize', description: 'A resized version of an image.' },
)
export const Image = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'URL of the image in its original size.' }),
    id: Id('media file'),
    extension: Type.String({ description: 'Extension of the file name, without a dot.', examples: ['jpg'] }),
    width: Type.Integer({ description: 'Width of the image in pixels.' }),
    height: Type.Integer({ description: 'Height of the image in pixels.' }),
    filesize: Type.Integer({ description: 'Size of the file in bytes.' }),
    sizes: Type.Optional(
      Type.Record(Type.String(), Type.Ref('ImageSize'), {
        description:
          'Smaller versions of the image by name: `thumbnail`, `medium`, `medium_large` and `large`, as far as the image is larger.',
      }),
    ),
  },
  { $id: 'FeaturedImage', description: 'An uploaded image.' },
)

export const Taxonomy = Type.String({
  description: 'Taxonomy of the term: that of categories or that of tags.',
  examples: ['calendar_events_cat', 'post_tag'],
})

export const Translations = (what: string) => ({
  language: Type.String({
    description: `Language of the ${what}, such as \`en\`.`,
    examples: ['en'],
  }),
  translations: Type.Record(Type.String(), Type.Integer(), {
    description: `IDs of the translations of the ${what} by language, as far as the caller may read them.`,
    examples: [{ ca: 12 }],
  }),
})

export const PostOutputs = (what: string) => ({
  id: Id(what),
  author: Type.String({ description: `ID of the user who owns the ${what}, as a string.`, examples: ['1'] }),
  status: StringEnum(STATUSES, {
    description: `Status of the ${what}. Only \`publish\` is visible to everyone.`,
  }),
  date: DateText(`Time of publication of the ${what}, in the site time zone`),
  date_utc: DateText(`Time of publication of the ${what} in UTC, all zeros if it was never published`),
  modified: DateText(`Time of the last change of the ${what}, in the site time zone`),
  modified_utc: DateText(`Time of the last change of the ${what} in UTC`),
  url: Type.String({ format: 'uri', description: `Permanent URL of the ${what}.` }),
  slug: Type.String({
    description: `Slug of the ${what}: the last part of its URL, unique among records of its kind.`,
  }),
  global_id: Type.String({
    description: `Identifier of the ${what} that is unique across sites.`,
    examples: ['calendar.example?id=7'],
  }),
  global_id_lineage: Type.Array(Type.String(), {
    description: 'List that contains only the `global_id`; kept for WordPress clients.',
  }),
  ...Translations(what),
  source: Type.Optional(
    Type.String({
      description: `Name of the other system that the ${what} comes from. Absent if it has none, like \`external_id\`.`,
      examples: ['box-office'],
    }),
  ),
  external_id: Type.Optional(
    Type.String({ description: `ID of the ${what} in that system.`, examples: ['show-4711'] }),
  ),
})

/** The record as JSON-LD, which only a single read shows. */
export const JsonLd = (what: string) =>
  Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: `The ${what} in the schema.org vocabulary, as JSON-LD. Only in the response of a single read.`,
      },
    ),
  )

/** The envelope of a list: entries, links to the next and previous page if they exist, and totals. */
export const Page = <T extends TSchema>(name: string, key: string, item: T) =>
  Type.Object(
    {
      [key]: Type.Array(item, { description: `The ${key.replaceAll('_', ' ')} of this page.` }),
      rest_url: Type.String({ format: 'uri', description: 'URL of this page.' }),
      next_rest_url: Type.Optional(
        Type.String({
          format: 'uri',
          description: 'URL of the next page, with the same filters; absent on the last page.',
        }),
      ),
      previous_rest_url: Type.Optional(
        Type.String({
          format: 'uri',
          description: 'URL of the previous page, with the same filters; absent on the first page.',
        }),
      ),
      total: Type.Integer({ description: 'Number of entries on all pages together.' }),
      total_pages: Type.Integer({ description: 'Number of pages.' }),
    },
    { $id: name, description: `A page of a list of ${key.replaceAll('_', ' ')}.` },
  )
