import {
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'

/** How a value is read if its JSON type does not determine it (src/http/input/readers.ts). Not published. */
export const Reads = Symbol('reads')
/** The error code for a blank name. Not published. */
export const Blank = Symbol('blank')
/**
 * Greatest length of a string, or of each string of a list, before tags are removed and entities decoded. `maxLength` applies
 * afterwards. Not published.
 */
export const Sent = Symbol('sent')

/** Marks what a create has no value of unless one is sent: its default is null. Published by the index alone. */
export const Unset = Symbol('unset')

export type Reading =
  | 'boolean'
  | 'flag'
  | 'name'
  | 'line'
  | 'postcode'
  | 'html'
  | 'slug'
  | 'eventSlug'
  | 'moment'
  | 'publication'
  | 'zone'
  | 'status'
  | 'statuses'
  | 'image'
  | 'picture'
  | 'cost'
  | 'url'
  | 'keys'
  | 'terms'
  | 'venues'
  | 'organizers'
  | 'password'
  | 'scopes'
  | 'word'

type BlankCode = 'empty_content' | 'empty_term_name' | 'could-not-create-venue' | 'could-not-create-organizer'
type Options = SchemaOptions & { [Reads]?: Reading; [Blank]?: BlankCode; [Sent]?: number }

/** A schema that is published as `schema`, and whose value becomes a `T` when it is read. */
export const read = <T>(reading: Reading, schema: TSchema, options: Options = {}) =>
  Type.Unsafe<T>({ ...schema, ...options, [Reads]: reading } as Options)

/** A string with a fixed set of values, published as `enum` (a union of literals would become `anyOf`). */
export const StringEnum = <const T extends string>(values: readonly T[], options: SchemaOptions = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options })

/** An optional member of a create whose declared default is null. */
export const Nothing = <T extends TSchema>(schema: T) => Type.Optional({ ...schema, [Unset]: true } as T)

/** An optional parameter with a default: not required in the document, but always set when it is read. */
export const Defaulted = <T extends TSchema>(schema: T, value: unknown) =>
  Type.Optional({ ...schema, default: value } as T) as unknown as T

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

export const Id = (what: string) => Type.Integer({ minimum: 1, description: `ID of the ${what}.` })
/** The format of dates in responses, and one of those in requests. */
export const Wall = 'YYYY-MM-DD HH:MM:SS'

// ---- bodies

/** Factor for the length of a string before it is read: an entity has up to ten characters, a tag any number. */
const WRITTEN_OUT = 10
/** The limits of a string whose tags are removed. */
export const plainText = (maxLength: number) => ({ maxLength, [Sent]: WRITTEN_OUT * maxLength })
/** The limit for dates, zones and words, all of which are much shorter. */
export const Short = { [Sent]: 100 }
/** Greatest length of the name of a category or tag, in characters. */
export const TERM_NAME = 200

/** A string or link that null or an empty string clears (D24). */
export type Clearable<T> = T | null

export const NameInput = (what: string, maxLength: number, blank: BlankCode) =>
  read<string>('name', Type.String(), {
    [Blank]: blank,
    ...plainText(maxLength),
    description: `${what}. Plain text: HTML tags are removed and entities decoded.`,
  })
export const LineInput = (what: string, reading: 'line' | 'postcode' = 'line') =>
  read<Clearable<string>>(reading, Type.String(), {
    ...plainText(1000),
    description: `${what}. One line of plain text. An empty string clears it.`,
  })
export const HtmlInput = (what: string) =>
  read<Clearable<string>>('html', Type.String(), {
    maxLength: 100_000,
    description: `${what}. HTML, which is sanitised; plain text is split into paragraphs. An empty string clears it.`,
  })
const DATE_FORMS = `Accepts \`${Wall}\`, ISO 8601 with or without an offset, an unambiguous text such as \`4 May 2027 7 pm\`, unix seconds (nine digits or more), \`now\`, \`today\`, \`tomorrow\`, \`yesterday\`, or a relative time such as \`+3 days\`.`
export const MomentInput = (what: string, reading: 'moment' | 'publication' = 'moment') =>
  read<string>(reading, Type.String(), {
    ...Short,
    description: `${what}. ${DATE_FORMS}`,
  })
export const UrlInput = (what: string) =>
  read<Clearable<string>>('url', Type.String(), {
    maxLength: 2000,
    description: `${what}. An absolute http, https, ftp or mailto URL. An empty string clears it.`,
  })
const imageInput = (reading: 'image' | 'picture') =>
  read<Clearable<{ id: number } | { url: string }>>(reading, Type.String(), {
    maxLength: 2000,
    description:
      'Image: the ID of an uploaded image, as a string, a number or an image object, or an absolute http or https URL to download it from. An empty string or `false` removes the image.',
  })
export const ImageInput = imageInput('image')
export const PictureInput = imageInput('picture')
export const SlugInput = (what: string, reading: 'slug' | 'eventSlug' = 'slug') =>
  read<string>(reading, Type.String(), {
    [Sent]: 10_000,
    description: `${what}. Reduced to lower-case letters, digits and hyphens, and cut to 200 bytes. A slug that is already taken gets a number, such as \`-2\`.`,
  })
export const StatusInput = read<Status>('status', Type.String(), {
  ...Short,
  description: `Status: ${STATUSES.map((status) => `\`${status}\``).join(', ')}. \`publish\` with a future publication date becomes \`future\`; \`publish\` from a contributor becomes \`pending\`. Default on create: \`publish\`, or \`draft\` for contributors.`,
})
export const AuthorInput = Type.Integer({
  minimum: 1,
  description:
    'ID of the user who owns the record. Default on create: the caller. Only editors and administrators may set another user.',
})
export const TranslationOfInput = Type.Integer({
  minimum: 1,
  description: 'ID of the record that this one translates: one of the same kind that the caller may edit.',
})

export const PostInputs = {
  author: Type.Optional(AuthorInput),
  date: Type.Optional(MomentInput('Publication date, in the site time zone')),
  date_utc: Type.Optional(MomentInput('Publication date, in UTC', 'publication')),
  status: Type.Optional(StatusInput),
}

// ---- queries

export const Paging = {
  page: Defaulted(Type.Integer({ minimum: 1, description: 'Page number, starting at 1.' }), 1),
  per_page: Defaulted(
    Type.Integer({ minimum: 1, description: 'Entries per page. Values above 50 are reduced to 50.' }),
    12,
  ),
}
export const Fields = {
  _fields: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Members to return, separated by commas; a dot selects a nested member. Example: `id,title,venue.city`. Default: all.',
    }),
  ),
}
const BOOLEAN_FORMS = 'Accepts `true`, `false`, `1` or `0`.'
export const Truth = (description: string) => Type.Boolean({ description: `${description} ${BOOLEAN_FORMS}` })
/** A boolean that the specification declares without a type. */
export const UntypedTruth = (description: string) =>
  read<boolean>('boolean', {} as TSchema, { description: `${description} ${BOOLEAN_FORMS}` })
export const Search = (where: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1600,
    description: `Search text. Each word must occur in ${where}; case and accents are ignored. At most 20 different words.`,
  })
export const Part = (where: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1600,
    description: `Search text. It must occur in the ${where}; case and accents are ignored.`,
  })
export const Ids = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 1,
    maxItems: 100,
    description: `${description} At most 100 IDs, separated by commas or as a repeated parameter.`,
  })
export const StatusFilter = read<(Status | 'any')[]>('statuses', Type.String(), {
  minLength: 1,
  ...Short,
  description: `Statuses to list, separated by commas: ${STATUSES.map((status) => `\`${status}\``).join(', ')}, or \`any\` for all except \`trash\`. Only contributors and above may use a status other than \`publish\`. Default: \`any\` for them, \`publish\` for everyone else.`,
})
export const MomentFilter = (description: string) =>
  read<string>('moment', Type.String({ format: 'date-time' }), { ...Short, description })
export const Force = {
  force: Type.Optional(
    Truth('`true` deletes permanently; `false` moves the record to the trash. Default: `false`.'),
  ),
}

/** The language selector of every operation (D21), for the configured languages. */
export const LanguageSelector = (languages: readonly string[]) => ({
  i18n_language: Type.Optional(
    StringEnum(languages, {
      description:
        'Language. A list returns only records in this language. A read, update or delete selects the translation of the record in this language, if there is one. In a body it sets the language of the record.',
    }),
  ),
})

/** Returns `schema` with the members of `more`. */
export const extend = <T extends TProperties, U extends TProperties>(
  schema: TObject<T>,
  more: U,
  options: SchemaOptions = {},
) => Type.Object({ ...schema.properties, ...more } as T & U, options)

/** Returns `schema` with all members optional, for the body of an update. */
export const update = (schema: TObject, options: SchemaOptions = {}): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, Type.Optional(member)]),
    ),
    options,
  )

/** A body after reading. A member may be null, which means its default. */
export type Input<T extends TSchema> = { [K in keyof Static<T>]?: Static<T>[K] | null }
