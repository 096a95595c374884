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

/** Marks what a create has no value of unless one is sent: its default is null. Published only by the index. */
export const Unset = Symbol('unset')

export type Reading =
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
  | 'known'
  | 'fields'

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

/** The greatest ID and page number: JSON numbers above it are not exact. */
export const GREATEST = Number.MAX_SAFE_INTEGER
/** The limits of an ID in a request. */
export const ID_LIMITS = { minimum: 1, maximum: GREATEST }

export const Id = (what: string) => Type.Integer({ minimum: 1, description: `ID of the ${what}.` })
/** The records in the examples of the document: their IDs, and their slugs if they have an address by slug. */
const SHOWN = {
  event: [3, 'evensong-talk'],
  venue: [1, 'teatre-de-la-lluna'],
  organizer: [2, 'cor-de-cambra'],
  category: [1],
  tag: [2],
  'media file': [1],
  user: [6],
  'application password': [2],
  token: [6],
} as const
export type Shown = keyof typeof SHOWN
/** An ID in a path. */
export const PathId = (what: Shown) =>
  Type.Integer({ ...ID_LIMITS, description: `ID of the ${what}.`, examples: [SHOWN[what][0]] })
/** A slug in a path. */
export const PathSlug = (what: Shown) =>
  Type.String({
    minLength: 1,
    maxLength: 2000,
    description: `Slug of the ${what}, as responses show it or in any writing that results in the same slug.`,
    examples: SHOWN[what].slice(1),
  })
/** The format of dates in responses, and one of those in requests. */
export const Wall = 'YYYY-MM-DD HH:MM:SS'

const inAnyCase = (word: string) => word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
const oneOf = (...words: string[]) => `(${words.map(inAnyCase).join('|')})`
const HALF = ' ?[AaPp][.]?[Mm][.]?'
const CLOCK = `[0-9]{1,2}(:[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?(${HALF})?|${HALF})`
const OFFSET = `( ?${oneOf('z', 'utc', 'gmt')}| ?[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?| ([01][0-9]|2[0-3]):?[0-5][0-9])`
const TIME = `((([Tt]|,? | ${inAnyCase('at')} )${CLOCK}|[Tt][0-9]{4}([0-5][0-9])?)${OFFSET}?)?`
const DAY = '[0-9]{1,2}([SsNnRrTt][TtDdHh])?'
const NAME = '[A-Za-z]{3,9}[.]?'
const DATE = [
  '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}',
  '[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}',
  '[0-9]{8}',
  '[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}',
  '[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}',
  `(${NAME},? )?(${DAY}[ -]${NAME},?[ -]|${NAME} ${DAY},? )[0-9]{4}`,
].join('|')
/** The forms of a date in a request (D35, R16). What has one of them may still be a day that does not exist, or two. */
export const MOMENT_PATTERN = `^(${[
  `(${DATE})${TIME}`,
  '[0-9]{14}',
  '(@[+-]?[0-9]+|[+-]?([0-9]{9,12}|0))([.][0-9]+)?',
  inAnyCase('now'),
  `${oneOf('yesterday', 'today', 'tomorrow')}(,? (${inAnyCase('at')} )?${CLOCK})?`,
  `[+-]?[0-9]+ *${oneOf('minute', 'hour', 'day', 'week', 'month', 'year')}[Ss]?`,
].join('|')})$`
export const MOMENT_EXAMPLES = [
  '2027-05-14',
  '2027-05-14 20:00:00',
  '2027-05-14T20:00:00+02:00',
  'tomorrow',
  '+3 days',
]

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
  page: Defaulted(
    Type.Integer({ ...ID_LIMITS, description: 'Number of the page, starting at 1.', examples: [1] }),
    1,
  ),
  per_page: Defaulted(
    Type.Integer({
      ...ID_LIMITS,
      description: 'Number of entries per page. Values above 50 are reduced to 50.',
      examples: [20],
    }),
    12,
  ),
}
export const Fields = {
  _fields: Type.Optional(
    read<string>('fields', Type.Array(Type.String({ minLength: 1 })), {
      minItems: 1,
      description:
        'Members to return, separated by commas or as a repeated parameter. A dot selects a nested member, also in the entries of a list. Default: all.',
      examples: [
        ['id', 'title', 'venue.city'],
        ['total', 'events.id', 'events.title'],
      ],
    }),
  ),
}
export const Truth = (description: string, example = true) =>
  Type.Boolean({ description: `${description} \`1\` and \`0\` are accepted as well.`, examples: [example] })
export const Search = (where: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1600,
    description: `Text to search for. Each word must occur in ${where}; case and accents are ignored. At most 20 different words.`,
    examples: [example],
  })
export const Part = (where: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1600,
    description: `Text to search for. It must occur in the ${where}; case and accents are ignored.`,
    examples: [example],
  })
/** The ID of one record that a list is filtered by. */
export const IdFilter = (description: string, example: number) =>
  Type.Integer({ ...ID_LIMITS, description, examples: [example] })
export const Ids = (description: string, example: number[]) =>
  Type.Array(Type.Integer(ID_LIMITS), {
    minItems: 1,
    maxItems: 100,
    description: `${description} At most 100 IDs, separated by commas or as a repeated parameter.`,
    examples: [example],
  })
/** IDs, slugs or names of terms. */
export const TermFilter = (description: string, example: (number | string)[]) =>
  read<string[]>(
    'keys',
    Type.Array({
      anyOf: [
        { type: 'integer', ...ID_LIMITS },
        { type: 'string', minLength: 1, maxLength: TERM_NAME },
      ],
    } as unknown as TSchema),
    {
      minItems: 1,
      maxItems: 100,
      [Sent]: plainText(TERM_NAME)[Sent],
      description: `${description} At most 100 IDs, slugs or names, separated by commas or as a repeated parameter.`,
      examples: [example],
    },
  )
export const STATUS_FILTERS = [...STATUSES, 'any'] as const
export const StatusFilter = read<(Status | 'any')[]>('statuses', Type.Array(StringEnum(STATUS_FILTERS)), {
  minItems: 1,
  maxItems: 100,
  ...Short,
  description:
    'Statuses to list, separated by commas or as a repeated parameter; `any` stands for all except `trash`. Only contributors and above may use a status other than `publish`. Default: `any` for them, `publish` for everyone else.',
  examples: [['publish']],
})
export const MomentFilter = (description: string) =>
  read<string>('moment', Type.String(), {
    ...Short,
    maxLength: 64,
    pattern: MOMENT_PATTERN,
    description: `${description} Accepts a date, a date with a time and perhaps an offset, unix seconds, or words such as \`now\` and \`+3 days\`.`,
    examples: MOMENT_EXAMPLES,
  })
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
      examples: languages.slice(0, 1),
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
