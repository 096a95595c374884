import { type TSchema, Type } from '@sinclair/typebox'
import { Id, STATUSES, StringEnum, Wall } from './common.ts'

export const DateText = (what: string) =>
  Type.String({ description: `${what}, \`${Wall}\`.`, examples: ['2027-05-14 18:00:00'] })
const TwoDigits = Type.String({ examples: ['05'] })
export const DateDetails = Type.Object(
  {
    year: Type.String({ examples: ['2027'] }),
    month: TwoDigits,
    day: TwoDigits,
    hour: TwoDigits,
    minutes: TwoDigits,
    seconds: TwoDigits,
  },
  { $id: 'DateDetails', description: 'The parts of a date, zero-padded, as texts.' },
)

export const ImageSize = Type.Object(
  {
    width: Type.Integer({ description: 'Pixels.' }),
    height: Type.Integer({ description: 'Pixels.' }),
    'mime-type': Type.String({ examples: ['image/jpeg'] }),
    filesize: Type.Integer({ description: 'Bytes.' }),
    url: Type.String({ format: 'uri' }),
  },
  { $id: 'ImageSize', description: 'A resized version of an image.' },
)
export const Image = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'The full picture.' }),
    id: Id('media file'),
    extension: Type.String({ examples: ['jpg'] }),
    width: Type.Integer({ description: 'Pixels.' }),
    height: Type.Integer({ description: 'Pixels.' }),
    filesize: Type.Integer({ description: 'Bytes.' }),
    sizes: Type.Optional(
      Type.Record(Type.String(), Type.Ref('ImageSize'), {
        description: 'Smaller versions by name: thumbnail, medium, medium_large, large.',
      }),
    ),
  },
  { $id: 'Image', description: 'An uploaded image.' },
)

export const Translations = {
  language: Type.String({ description: 'Language of the record.', examples: ['en'] }),
  translations: Type.Record(Type.String(), Type.Integer(), {
    description: 'IDs of its translations by language; only those that the caller may read.',
    examples: [{ ca: 12 }],
  }),
}

export const PostOutputs = (what: string) => ({
  id: Id(what),
  author: Type.String({ description: 'ID of the user who owns it, as a text.', examples: ['1'] }),
  status: StringEnum(STATUSES),
  date: DateText('Publication date in the site time zone'),
  date_utc: DateText('Publication date in UTC; zeros for what was never published'),
  modified: DateText('Last change in the site time zone'),
  modified_utc: DateText('Last change in UTC'),
  url: Type.String({ format: 'uri', description: 'Permanent address.' }),
  slug: Type.String(),
  global_id: Type.String({ examples: ['calendar.example?id=7'] }),
  global_id_lineage: Type.Array(Type.String()),
  ...Translations,
})

/** The envelope of a list: entries, links to the neighbouring pages where there are any, totals. */
export const Page = <T extends TSchema>(name: string, key: string, item: T) =>
  Type.Object(
    {
      [key]: Type.Array(item),
      rest_url: Type.String({ format: 'uri', description: 'This page.' }),
      next_rest_url: Type.Optional(
        Type.String({ format: 'uri', description: 'The next page; absent on the last.' }),
      ),
      previous_rest_url: Type.Optional(
        Type.String({ format: 'uri', description: 'The page before; absent on the first.' }),
      ),
      total: Type.Integer({ description: 'Matches on all pages.' }),
      total_pages: Type.Integer(),
    },
    { $id: name },
  )

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'What went wrong, for programs.', examples: ['rest_invalid_param'] }),
    message: Type.String({ description: 'What went wrong and what would be right, for people.' }),
    data: Type.Object(
      {
        status: Type.Integer({ description: 'The HTTP status.' }),
        params: Type.Optional(
          Type.Unknown({
            description: 'The parameters at fault: names with reasons, or a list of the missing ones.',
          }),
        ),
      },
      { additionalProperties: true },
    ),
  },
  { $id: 'Error', description: 'The body of every answer with a status of 400 or above.' },
)
