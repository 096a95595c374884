import { type TSchema, Type } from '@sinclair/typebox'
import { AnyOf, Declared, NULL, plainText, read, Sent, TERM_NAME, TermFilter } from './common.ts'
import type { OrganizerInput } from './organizer.ts'
import { oneId, RecordReference } from './reference.ts'
import type { VenueInput } from './venue.ts'

// What events, venues and organizers refer to: each as the members that are read, beside the components that declare them.

/** A term in an event: an ID, slug or name. */
export type TermKey = number | string
/** A venue or organizer in an event: an existing one, or one to create. */
export type LinkInput<T> = { id: number } | { create: T }

/** Most categories, and most tags, of an event. */
export const MOST_TERMS = 100
/** Most venues, and most organizers, of an event. */
export const MOST_LINKS = 20
const integers = Type.Array(Type.Integer())

// ---- categories and tags

const TermId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'ID of the term. One that does not exist is skipped.',
})
const TermKey = AnyOf('TermKey', 'A category or tag: its ID, slug or name, or a term object.', [
  TermId,
  Type.String({ maxLength: TERM_NAME, description: 'Slug or name.' }),
  Type.Ref('RecordReference'),
])
const TermKeys = AnyOf('TermKeys', 'Categories or tags: a list, or a single one.', [
  TermId,
  Type.String({ description: 'Slugs or names, separated by commas.' }),
  Type.Ref('RecordReference'),
  Type.Array(Type.Ref('TermKey'), { maxItems: MOST_TERMS, description: 'Terms in any of these forms.' }),
  NULL,
])
export const TermsInput = (description: string, examples: unknown[]) =>
  read<TermKey[] | null>('terms', integers, {
    maxItems: MOST_TERMS,
    [Sent]: plainText(TERM_NAME)[Sent],
    [Declared]: TermKeys,
    description,
    examples,
  })

// ---- venues and organizers

/** The component of one link, and that of all links of an event. */
function linkForms(kind: 'venue' | 'organizer', Kind: string): [one: TSchema, all: TSchema] {
  const objects = [Type.Ref('RecordReference'), Type.Ref(`${Kind}Input`)]
  const id = oneId(`ID of the ${kind}; 0 for none.`, 0)
  const text = (pattern: string, description: string) => Type.String({ pattern, description })
  const one = AnyOf(`${Kind}Link`, `A ${kind}: an existing one, or the fields of a new one.`, [
    id,
    text('^(?:0|[1-9]\\d{0,14})?$', `ID of the ${kind}, as a string.`),
    ...objects,
  ])
  const all = AnyOf(`${Kind}Links`, `The ${kind}s of an event: one, or a list.`, [
    id,
    text('^(?:0|[1-9]\\d{0,14}(?:, *[1-9]\\d{0,14})*)?$', `IDs of ${kind}s, separated by commas.`),
    ...objects,
    Type.Array(Type.Ref(`${Kind}Link`), {
      maxItems: MOST_LINKS,
      description: `The ${kind}s, in any of these forms.`,
    }),
    NULL,
  ])
  return [one, all]
}
const [VenueLink, VenueLinks] = linkForms('venue', 'Venue')
const [OrganizerLink, OrganizerLinks] = linkForms('organizer', 'Organizer')

export const VenuesInput = read<LinkInput<VenueInput>[] | null>('venues', integers, {
  maxItems: MOST_LINKS,
  [Declared]: VenueLinks,
  description:
    'Venues of the event: an ID, `{"id": 4}`, an object with the fields of a new venue, or a list of these. A venue with the same name is used again if nothing that is sent contradicts it. An empty list removes all.',
  examples: [{ venue: 'Teatre de la Lluna', city: 'Vic' }, 4, [4, { id: 5 }]],
})
export const OrganizersInput = read<LinkInput<OrganizerInput>[] | null>('organizers', integers, {
  maxItems: MOST_LINKS,
  [Declared]: OrganizerLinks,
  description:
    'Organizers of the event: an ID, `{"id": 4}`, an object with the fields of a new organizer, or a list of these. An organizer with the same name is used again if nothing that is sent contradicts it. An empty list removes all.',
  examples: [{ organizer: 'Cor de Cambra' }, 6, [6, { organizer: 'City of Vic' }]],
})

// ---- costs

const AMOUNT = Type.Number({ description: 'Amount in the currency of the site.' })
const PRICE = Type.String({ maxLength: 1000, description: 'Amount, range or words.' })
const CostAmount = AnyOf('CostAmount', 'A price.', [PRICE, AMOUNT])
const Costs = AnyOf('CostInput', 'A price, or a list of prices.', [
  PRICE,
  AMOUNT,
  Type.Array(Type.Ref('CostAmount'), { maxItems: 100, description: 'Several prices.' }),
  NULL,
])
export const CostInput = read<string[] | null>('cost', {} as TSchema, {
  ...plainText(1000),
  maxItems: 100,
  [Declared]: Costs,
  description:
    'Cost of the event: a number, a string such as `$10 - $20` or `Free`, or a list of these. An empty string clears it.',
  examples: ['$10 - $20', 15],
})

/** The components that others refer to; those of members are published with them. */
export const PARTS = [RecordReference, TermKey, TermFilter, VenueLink, OrganizerLink, CostAmount]
