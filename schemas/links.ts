import { type TSchema, Type } from '@sinclair/typebox'
import { Declared, plainText, read, Sent, TERM_NAME } from './common.ts'
import type { OrganizerInput } from './organizer.ts'
import type { VenueInput } from './venue.ts'

/** A term in an event: an ID, slug or name. */
export type TermKey = number | string
/** A venue or organizer in an event: an existing one, or one to create. */
export type LinkInput<T> = { id: number } | { create: T }

/** Most categories, and most tags, of an event. */
const MOST_TERMS = 100
/** Most venues, and most organizers, of an event. */
export const MOST_LINKS = 20
/** Greatest ID in a text or an object: fifteen digits. */
const MOST_ID = 999_999_999_999_999

const integers = Type.Array(Type.Integer())

/** A component of the document that is one of several types. */
const component = ($id: string, description: string, anyOf: TSchema[], examples: unknown[]) =>
  Type.Unsafe<unknown>({ $id, description, anyOf, examples } as object)
const NULL = { type: 'null' } as never as TSchema

const RecordReference = Type.Object(
  { id: Type.Integer({ minimum: 1, maximum: MOST_ID, description: 'ID of the record.', examples: [4] }) },
  {
    $id: 'RecordReference',
    description: 'An existing record, as responses show it. Only its `id` counts.',
  },
)

// ---- categories and tags

const TermId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'ID of the term. One that does not exist is skipped.',
})
const TermKey = component(
  'TermKey',
  'A category or tag: its ID, slug or name, or a term object. A name that does not exist is created.',
  [
    TermId,
    Type.String({ ...plainText(TERM_NAME), description: 'Slug or name.' }),
    Type.Ref('RecordReference'),
  ],
  ['Concerts', 12],
)
const TermKeys = component(
  'TermKeys',
  'Categories or tags: a list, or a single one. A string may hold several, separated by commas. An empty list removes all.',
  [
    TermId,
    Type.String({ description: 'Slugs or names, separated by commas.' }),
    Type.Ref('RecordReference'),
    Type.Array(Type.Ref('TermKey'), { maxItems: MOST_TERMS, description: 'Terms in any of these forms.' }),
    NULL,
  ],
  [['Concerts', 'open-air', 12], 'Concerts,open-air', 12],
)
export const TermsInput = (description: string, examples: unknown[]) =>
  read<TermKey[] | null>('terms', integers, {
    maxItems: MOST_TERMS,
    [Sent]: plainText(TERM_NAME)[Sent],
    [Declared]: TermKeys,
    description,
    examples,
  })

// ---- venues and organizers

const links = (
  kind: 'venue' | 'organizer',
  Kind: string,
  example: object,
): [one: TSchema, several: TSchema] => {
  const forms = (text: TSchema) => [
    Type.Integer({ minimum: 0, maximum: MOST_ID, description: `ID of the ${kind}; 0 for none.` }),
    text,
    Type.Ref('RecordReference'),
    Type.Ref(`${Kind}Input`),
  ]
  const digits = Type.String({
    pattern: '^(?:0|[1-9]\\d{0,14})?$',
    description: `ID of the ${kind}, as a string.`,
  })
  const list = Type.String({
    pattern: '^(?:0|[1-9]\\d{0,14}(?:, *[1-9]\\d{0,14})*)?$',
    description: `IDs of ${kind}s, separated by commas.`,
  })
  return [
    component(
      `${Kind}Link`,
      `A ${kind} of an event: its ID, an object with its \`id\`, or the fields of a new one.`,
      forms(digits),
      [4, example],
    ),
    component(
      `${Kind}Links`,
      `The ${kind}s of an event: one, or a list. A new one is created, unless one with the same name fits. An empty list removes all.`,
      [
        ...forms(list),
        Type.Array(Type.Ref(`${Kind}Link`), {
          maxItems: MOST_LINKS,
          description: `The ${kind}s, in any of these forms.`,
        }),
        NULL,
      ],
      [example, 4, [4, example]],
    ),
  ]
}
const [VenueLink, VenueLinks] = links('venue', 'Venue', { venue: 'Teatre de la Lluna', city: 'Vic' })
const [OrganizerLink, OrganizerLinks] = links('organizer', 'Organizer', { organizer: 'Cor de Cambra' })

export const VenuesInput = (description: string, examples: unknown[]) =>
  read<LinkInput<VenueInput>[] | null>('venues', integers, {
    maxItems: MOST_LINKS,
    [Declared]: VenueLinks,
    description,
    examples,
  })
export const OrganizersInput = (description: string, examples: unknown[]) =>
  read<LinkInput<OrganizerInput>[] | null>('organizers', integers, {
    maxItems: MOST_LINKS,
    [Declared]: OrganizerLinks,
    description,
    examples,
  })

// ---- images and costs

const ImageLink = component(
  'ImageLink',
  'An image: the ID of an uploaded one, as a number, a string or an image object, or an absolute http or https URL to download it from. An empty string or `false` removes it.',
  [
    Type.Integer({ minimum: 1, maximum: MOST_ID, description: 'ID of the image.' }),
    Type.String({
      maxLength: 2000,
      pattern: '^\\s*(?:\\d{1,15}|[Hh][Tt][Tt][Pp][Ss]?://\\S.*)?\\s*$',
      description: 'ID or URL of the image; an empty string for none.',
    }),
    Type.Ref('RecordReference'),
    Type.Literal(false),
    NULL,
  ],
  ['https://cor.example/evensong.jpg', 7],
)
const imageInput = (reading: 'image' | 'picture', what: string) =>
  read<{ id: number } | { url: string } | null>(reading, Type.String(), {
    maxLength: 2000,
    [Declared]: ImageLink,
    description: `${what}: the ID of an uploaded image, or an absolute http or https URL to download it from. An empty string or \`false\` removes the image.`,
    examples: ['https://cor.example/evensong.jpg', 7],
  })
export const ImageInput = imageInput('image', 'Image of the event')
export const PictureInput = (what: string) => imageInput('picture', `Image of the ${what}`)

const CostItem = component(
  'CostItem',
  'A price: a number, or a string with amounts or words.',
  [
    Type.Number({ description: 'Amount in the currency of the site.' }),
    Type.String({ ...plainText(1000), description: 'Amount, range or words.' }),
  ],
  [15, '$10 - $20', 'Free'],
)
const CostItems = component(
  'CostItems',
  'Cost: one price, or a list. An empty string or list clears it.',
  [
    Type.Number({ description: 'Amount in the currency of the site.' }),
    Type.String({ ...plainText(1000), description: 'Amount, range or words.' }),
    Type.Array(Type.Ref('CostItem'), { maxItems: 100, description: 'Several prices.' }),
    NULL,
  ],
  [15, '$10 - $20', ['5', '10']],
)
export const CostInput = read<string[] | null>('cost', {} as TSchema, {
  ...plainText(1000),
  maxItems: 100,
  [Declared]: CostItems,
  description:
    'Cost of the event: a number, a string such as `$10 - $20` or `Free`, or a list of these. An empty string clears it.',
  examples: ['$10 - $20', 15],
})

/** The components that members refer to. */
export const COMPONENTS = [
  RecordReference,
  TermKey,
  TermKeys,
  VenueLink,
  VenueLinks,
  OrganizerLink,
  OrganizerLinks,
  ImageLink,
  CostItem,
  CostItems,
]
