import {
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'

/** How a value is read if its JSON type does not determine it (src/kernel/input/readers.ts). Not published. */
export const Reads = Symbol('reads')
/** The error code for a blank name. Not published. */
export const Blank = Symbol('blank')
/**
 * Greatest length of a string, or of each string of a list, before tags are removed and entities decoded. `maxLength` applies
 * afterwards. Not published.
 */
export const Sent = Symbol('sent')

/**
 * What the document declares a member as, if that is more than the schema that it is read by and that the index shows. A schema
 * with `$id` is a component of the document. Not published itself.
 */
export const Declared = Symbol('declared')

/** Of a component for what is required: the one for what may be null. Not published itself. */
export const OrNull = Symbol('or null')

/** The required members that may be missing from a body which has a value of this one. Not published. */
export const Spares = Symbol('spares')

/** Marks what a create has no value of unless one is sent: its default is null. Published only by the index. */
export const Unset = Symbol('unset')

export type Reading =
  | 'flag'
  | 'switch'
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
  | 'words'
  | 'image'
  | 'picture'
  | 'cost'
  | 'url'
  | 'webUrl'
  | 'keys'
  | 'terms'
  | 'venues'
  | 'organizers'
  | 'password'
  | 'scopes'
  | 'filters'
  | 'texts'
  | 'point'
  | 'kinds'
  | 'word'
  | 'known'
  | 'fields'
  | 'recurrence'
  | 'names'
  | 'siteLinks'
  | 'languages'
  | 'external'
  | 'operations'
  | 'rightLimits'

export type BlankCode =
  | 'empty_content'
  | 'empty_term_name'
  | 'could-not-create-venue'
  | 'could-not-create-organizer'

declare module '@sinclair/typebox' {
  interface SchemaOptions {
    [Reads]?: Reading
    [Blank]?: BlankCode
    [Sent]?: number
    [Declared]?: TSchema
    [OrNull]?: TSchema
    [Spares]?: readonly string[]
    [Unset]?: true
  }
}

/** A schema that is published as `schema`, and whose value becomes a `T` when it is read. */
export const read = <T>(reading: Reading, schema: TSchema, options: SchemaOptions = {}) =>
  Type.Unsafe<T>({ ...schema, ...options, [Reads]: reading })

/** A string with a fixed set of values, published as `enum` (a union of literals would become `anyOf`). */
export const StringEnum = <const T extends string>(values: readonly T[], options: SchemaOptions = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options })

// Unions are components of the document, of the form `anyOf`: generators name the type of a component, and most fail at others.

export const NULL = Type.Unsafe<null>({ type: 'null' })
/** `const` narrows types in some generators, `enum` in others. */
export const FALSE = Type.Unsafe<false>({ type: 'boolean', const: false, enum: [false] })
/** A component that is one of several types: scalars first, then objects, a list, null. */
export const AnyOf = ($id: string, description: string, anyOf: TSchema[]) =>
  Type.Unsafe<unknown>({ $id, description, anyOf } as SchemaOptions)
/** A component with a fixed set of strings, or null. */
export const WordOrNull = ($id: string, words: readonly string[], description: string) =>
  AnyOf($id, description, [StringEnum(words), NULL])

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
  series: [4, 'choir-practice'],
  venue: [1, 'teatre-de-la-lluna'],
  organizer: [2, 'cor-de-cambra'],
  category: [1],
  tag: [2],
  'media file': [1],
  user: [6],
  'application password': [2],
  session: [6],
  passkey: [1],
  'provider link': [14],
  token: [5],
  webhook: [1],
  delivery: [1],
  revision: [1],
  import: [1],
  submission: [1],
  digest: [1],
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

// ---- limits

/** Factor for the length of a string before it is read: an entity has up to ten characters, a tag any number. */
const WRITTEN_OUT = 10
/** The limits of a string whose tags are removed. */
export const plainText = (maxLength: number) => ({ maxLength, [Sent]: WRITTEN_OUT * maxLength })
/** The limit for dates, zones and words, all of which are much shorter. */
export const Short = { [Sent]: 100 }
/** Greatest length of the name of a category or tag, in characters. */
export const TERM_NAME = 200

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
        'Members to return, separated by commas or as a repeated parameter. A dot selects a nested member, also in the entries of a list. The response then lacks members that its schema requires. Default: all.',
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
/** One of the terms that a list is filtered by, as a component of the document. */
export const TermFilter = AnyOf('TermFilter', 'A category or tag: its ID, slug or name.', [
  Type.Integer(ID_LIMITS),
  Type.String({ minLength: 1, maxLength: TERM_NAME }),
])
export const TermsFilter = (description: string, example: (number | string)[]) =>
  read<string[]>('keys', Type.Array(Type.Integer()), {
    minItems: 1,
    maxItems: 100,
    [Sent]: plainText(TERM_NAME)[Sent],
    [Declared]: Type.Array(Type.Ref('TermFilter')),
    description: `${description} At most 100 IDs, slugs or names, separated by commas or as a repeated parameter.`,
    examples: [example],
  })
export const STATUS_FILTERS = [...STATUSES, 'any'] as const
export const StatusFilter = read<(Status | 'any')[]>('statuses', Type.Array(StringEnum(STATUS_FILTERS)), {
  minItems: 1,
  maxItems: 100,
  ...Short,
  description:
    'Statuses to list, separated by commas or as a repeated parameter; `any` stands for all except `trash`. Only contributors and above may use a status other than `publish`. Default: `any` for them, `publish` for everyone else.',
  examples: [['publish']],
})
/** One or several of a few words, of which an event has one. */
export const WordsFilter = <const T extends string>(words: readonly T[], description: string, example: T[]) =>
  read<T[]>('words', Type.Array(StringEnum(words)), {
    minItems: 1,
    maxItems: 100,
    ...Short,
    description: `${description} One or several values, separated by commas or as a repeated parameter.`,
    examples: [example],
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
) =>
  Type.Object({ ...schema.properties, ...more } as T & U, {
    ...(schema.dependentRequired && { dependentRequired: schema.dependentRequired }),
    ...options,
  })

/** Returns `schema` with all members optional and without defaults, for the body of an update (R10). */
export const update = (schema: TObject, options: SchemaOptions = {}): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, { default: _, ...member }]) => [
        name,
        Type.Optional(member as TSchema),
      ]),
    ),
    options,
  )

/** A body after reading. A member may be null, which means its default. */
export type Input<T extends TSchema> = { [K in keyof Static<T>]?: Static<T>[K] | null }
