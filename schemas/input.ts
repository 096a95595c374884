import { type TSchema, Type } from '@sinclair/typebox'
import {
  AnyOf,
  Blank,
  type BlankCode,
  Declared,
  NULL,
  plainText,
  read,
  Short,
  Spares,
  STATUSES,
  type Status,
  StringEnum,
  WordOrNull,
} from './common.ts'
import { DateInput } from './dates.ts'
import { INHERITED_IF_MISSING } from './shared-fields.ts'

/** A string or link that null or an empty string clears (D24). */
export type Clearable<T> = T | null

// ---- texts

export const NameInput = (what: string, maxLength: number, blank: BlankCode, example: string) =>
  read<string>('name', Type.String({ minLength: 1 }), {
    [Blank]: blank,
    ...plainText(maxLength),
    description: `${what}. Plain text: HTML tags are removed and entities decoded. A text must be left, other than \`0\`.`,
    examples: [example],
  })
export const LineInput = (what: string, example: string) =>
  read<Clearable<string>>('line', Type.String(), {
    ...plainText(1000),
    description: `${what}. One line of plain text. An empty string clears it.`,
    examples: [example],
  })
const PostCode = AnyOf('PostCode', 'A postal code; an empty string or null for none.', [
  Type.String({ maxLength: 1000, description: 'The code as it is written.' }),
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The code as a number.' }),
  NULL,
])
export const PostcodeInput = read<Clearable<string>>('postcode', Type.String(), {
  ...plainText(1000),
  [Declared]: PostCode,
  description: 'Postal code of the venue, as a string or a number. An empty string clears it.',
  examples: ['08500', 20095],
})
export const HtmlInput = (what: string, example: string) =>
  read<Clearable<string>>('html', Type.String(), {
    maxLength: 100_000,
    description: `${what}. HTML, which is sanitised; plain text is split into paragraphs. An empty string clears it; \`0\` alone is refused.`,
    examples: [example],
  })
export const SlugInput = (what: string, example: string, reading: 'slug' | 'eventSlug' = 'slug') =>
  read<string>(reading, Type.String(), {
    ...(reading === 'slug' && { minLength: 1 }),
    maxLength: 10_000,
    description: `${what}. Reduced to lower-case letters, digits and hyphens, and cut to 200 bytes; one of them must be left. A slug that is already taken gets a number, such as \`-2\`. Default on create: made from the title or name.`,
    examples: [example],
  })
const Url = Type.String({
  maxLength: 2000,
  pattern: '^\\s*(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://\\S+|[Mm][Aa][Ii][Ll][Tt][Oo]:\\S+)?\\s*$',
})
export const UrlInput = (what: string, example: string, schema: TSchema = Type.String()) =>
  read<Clearable<string>>('url', schema, {
    maxLength: 2000,
    [Declared]: Url,
    description: `${what}. An absolute http, https, ftp or mailto URL with an ASCII host. An empty string clears it.`,
    examples: [example],
  })

const WebUrl = Type.String({ maxLength: 2000, pattern: '^\\s*(?:[Hh][Tt][Tt][Pp][Ss]?://\\S+)?\\s*$' })
/** A URL that browsers open. */
export const WebUrlInput = (what: string, example: string) =>
  read<Clearable<string>>('webUrl', Type.String(), {
    maxLength: 2000,
    [Declared]: WebUrl,
    description: `${what}. An absolute http or https URL with an ASCII host. An empty string clears it.`,
    examples: [example],
  })

// ---- dates, words, numbers

export const MomentInput = (what: string, example: string, reading: 'moment' | 'publication' = 'moment') =>
  read<string>(reading, Type.String(), {
    ...Short,
    [Declared]: DateInput,
    description: `${what}.`,
    examples: [example],
  })
export const StatusInput = read<Status>('status', Type.String(), {
  ...Short,
  [Declared]: WordOrNull('StatusOrNull', STATUSES, 'The status of a record, or null for its default.'),
  description:
    'Status of the record. `publish` with a future publication date becomes `future`; `publish` from a contributor becomes `pending`. Default on create: `publish`, or `draft` for contributors.',
  examples: ['publish', 'draft'],
})
export const ZoneInput = read<Clearable<string>>('zone', Type.String(), {
  ...Short,
  [Declared]: Type.String({ maxLength: 100 }),
  description:
    'Time zone of the event: an IANA name such as `Europe/Madrid`, `UTC`, or an offset such as `UTC+5.5` or `+05:30`. Default, also for an empty string: the site time zone.',
  examples: ['Europe/Madrid', 'UTC+5.5'],
})
/** One of a few words, the default first; null stands for it. `$id` names the component of the document. */
export const WordInput = <const T extends string>($id: string, words: readonly T[], description: string) =>
  Type.Unsafe<T>({
    ...StringEnum(words),
    [Declared]: WordOrNull($id, words, `One of a few words, or null for \`${words[0]}\`.`),
    description,
    examples: words.slice(1, 2),
  } as object)
/** A boolean of a body. */
export const Switch = (description: string) => Type.Boolean({ description, examples: [true] })
/** A whole number of a body. */
export const Whole = (description: string, example: number, minimum = 1) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description, examples: [example] })

export const TranslationOfInput = Whole(
  'ID of the record that this one translates: one of the same kind that the caller may edit. `null` ends the link.',
  12,
)
/** Of a kind that has facts (R17). */
export const TranslationOfPostInput = {
  ...Whole(
    'ID of the record that this one translates: one of the same kind that the caller may edit. A new record takes from it what is the same in all languages and is not sent, so that dates, although required otherwise, may be left out. `null` ends the link.',
    12,
  ),
  [Spares]: INHERITED_IF_MISSING,
}
export const PostInputs = {
  author: Type.Optional(
    Whole(
      'ID of the user who owns the record. Default on create: the caller. Only editors and administrators may set another user.',
      3,
    ),
  ),
  date: Type.Optional(MomentInput('Publication date, in the site time zone', '2026-11-21 09:00:00')),
  date_utc: Type.Optional(MomentInput('Publication date, in UTC', '2026-11-21 08:00:00', 'publication')),
  status: Type.Optional(StatusInput),
}

/** Longest name of another system, and longest ID in it. */
export const EXTERNAL = { source: 100, external_id: 255 }
const WITHOUT_CONTROLS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'
const externalText = (maxLength: number, description: string, example: string) =>
  read<Clearable<string>>('external', Type.String(), {
    maxLength,
    pattern: WITHOUT_CONTROLS,
    description,
    examples: [example],
  })
/** What another system calls a record, in a path. */
export const ExternalParams = (what: string) => ({
  source: Type.String({
    minLength: 1,
    maxLength: EXTERNAL.source,
    description: `Name of the other system that the ${what} comes from.`,
    examples: ['box-office'],
  }),
  external_id: Type.String({
    minLength: 1,
    maxLength: EXTERNAL.external_id,
    description: `ID of the ${what} in that system, percent-encoded.`,
    examples: ['show-4711'],
  }),
})
/** What another system calls a record. */
export const ExternalInputs = {
  source: Type.Optional(
    externalText(
      EXTERNAL.source,
      'Name of the other system that the record comes from. It goes with `external_id`: a record has both or none, and no two records of a kind have the same. `null` or an empty string for both removes them.',
      'box-office',
    ),
  ),
  external_id: Type.Optional(
    externalText(
      EXTERNAL.external_id,
      'ID of the record in the system `source`, exactly as it is written there: upper and lower case differ.',
      'show-4711',
    ),
  ),
}
/** The language of a record, in the body of a write (D21, R12). */
export const LanguageInput = (languages: readonly string[]) => ({
  i18n_language: Type.Optional({
    ...StringEnum(languages),
    [Declared]: WordOrNull('LanguageOrNull', languages, 'A language of the site, or null for the default.'),
    description:
      'Language of the record. Default on create: the language of the path, or else of the site. Inside an event it is ignored: a new venue or organizer has the language of the event.',
    examples: [languages[0]],
  }),
})
