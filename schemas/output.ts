import { type TSchema, Type } from '@sinclair/typebox'
import { Id, STATUSES, StringEnum, Wall } from './common.ts'

export const DateText = (what: string) =>
  Type.String({ description: `${what}. Format: \`${Wall}\`.`, examples: ['2027-05-14 18:00:00'] })
const TwoDigits = (what: string) => Type.String({ description: `${what}, two digits.`, examples: ['05'] })
export const DateDetails = Type.Object(
  {
    year: Type.String({ description: 'Year, four digits.', examples: ['2027'] }),
    month: TwoDigits('Month'),
    day: TwoDigits('Day of the month'),
    hour: TwoDigits('Hour'),
    minutes: TwoDigits('Minutes'),
    seconds: TwoDigits('Seconds'),
  },
  { $id: 'DateDetails', description: 'The parts of a date and time, as zero-padded strings.' },
)

export const ImageSize = Type.Object(
  {
    width: Type.Integer({ description: 'Width in pixels.' }),
    height: Type.Integer({ description: 'Height in pixels.' }),
    'mime-type': Type.String({ description: 'Media type.', examples: ['image/jpeg'] }),
    filesize: Type.Integer({ description: 'File size in bytes.' }),
    url: Type.String({ format: 'uri', description: 'URL of this version.' }),
  },
  { $id: 'ImageSize', description: 'A resized version of an image.' },
)
export const Image = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'URL of the image in its original size.' }),
    id: Id('media file'),
    extension: Type.String({ description: 'File name extension.', examples: ['jpg'] }),
    width: Type.Integer({ description: 'Width in pixels.' }),
    height: Type.Integer({ description: 'Height in pixels.' }),
    filesize: Type.Integer({ description: 'File size in bytes.' }),
    sizes: Type.Optional(
      Type.Record(Type.String(), Type.Ref('ImageSize'), {
        description: 'Smaller versions by name: `thumbnail`, `medium`, `medium_large`, `large`.',
      }),
    ),
  },
  { $id: 'FeaturedImage', description: 'An uploaded image.' },
)

export const Taxonomy = Type.String({
  description: 'Taxonomy of the term.',
  examples: ['calendar_events_cat', 'post_tag'],
})

export const Translations = {
  language: Type.String({ description: 'Language of the record.', examples: ['en'] }),
  translations: Type.Record(Type.String(), Type.Integer(), {
    description: 'IDs of the translations by language. Only those that the caller may read.',
    examples: [{ ca: 12 }],
  }),
}

export const PostOutputs = (what: string) => ({
  id: Id(what),
  author: Type.String({ description: 'ID of the user who owns the record, as a string.', examples: ['1'] }),
  status: StringEnum(STATUSES, { description: 'Status.' }),
  date: DateText('Publication date in the site time zone'),
  date_utc: DateText('Publication date in UTC, all zeros if never published'),
  modified: DateText('Last change in the site time zone'),
  modified_utc: DateText('Last change in UTC'),
  url: Type.String({ format: 'uri', description: 'Permanent URL of the record.' }),
  slug: Type.String({ description: 'Slug.' }),
  global_id: Type.String({
    description: 'Identifier that is unique across sites.',
    examples: ['calendar.example?id=7'],
  }),
  global_id_lineage: Type.Array(Type.String(), { description: 'The `global_id` in a list.' }),
  ...Translations,
})

/** The envelope of a list: entries, links to the next and previous page if they exist, and totals. */
export const Page = <T extends TSchema>(name: string, key: string, item: T) =>
  Type.Object(
    {
      [key]: Type.Array(item, { description: 'The entries of this page.' }),
      rest_url: Type.String({ format: 'uri', description: 'URL of this page.' }),
      next_rest_url: Type.Optional(
        Type.String({ format: 'uri', description: 'URL of the next page; absent on the last page.' }),
      ),
      previous_rest_url: Type.Optional(
        Type.String({ format: 'uri', description: 'URL of the previous page; absent on the first page.' }),
      ),
      total: Type.Integer({ description: 'Number of entries on all pages.' }),
      total_pages: Type.Integer({ description: 'Number of pages.' }),
    },
    { $id: name, description: `A page of a list: ${key.replaceAll('_', ' ')}.` },
  )

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'Machine-readable error code.', examples: ['rest_invalid_param'] }),
    message: Type.String({
      description: 'Human-readable explanation: what is wrong, and what would be accepted.',
    }),
    data: Type.Object(
      {
        status: Type.Integer({ description: 'HTTP status code.' }),
        params: Type.Optional(
          Type.Union([Type.Record(Type.String(), Type.String()), Type.Array(Type.String())], {
            description: 'Invalid parameters by name, with the reason; or a list of the missing ones.',
          }),
        ),
        details: Type.Optional(
          Type.Object(
            {},
            { additionalProperties: true, description: 'Always empty; kept for WordPress clients.' },
          ),
        ),
        retry_after: Type.Optional(
          Type.Integer({ description: 'Seconds to wait before the next attempt, as in `Retry-After`.' }),
        ),
        term_id: Type.Optional(
          Type.Integer({ description: 'ID of the term that has this name already, with `term_exists`.' }),
        ),
        request_id: Type.Optional(
          Type.String({ description: 'ID of the request in the log, with `internal_server_error`.' }),
        ),
      },
      { additionalProperties: true, description: 'Details of the error.' },
    ),
  },
  { $id: 'ApiError', description: 'The body of every response with status 400 or above.' },
)
