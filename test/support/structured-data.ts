import { Ajv2020 } from 'ajv/dist/2020.js'

const S = 'https://schema.org/'
const text = { type: 'string', minLength: 1 }
const url = { type: 'string', pattern: '^(https?://|\\u0001/)\\S+$' }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d)?$' }
const PLACE = {
  type: 'object',
  required: ['@type', 'name', 'address'],
  properties: {
    '@type': { const: 'Place' },
    name: text,
    address: {
      type: 'object',
      required: ['@type'],
      properties: { '@type': { const: 'PostalAddress' } },
      additionalProperties: text,
    },
  },
}
const VIRTUAL = {
  type: 'object',
  required: ['@type', 'url'],
  properties: { '@type': { const: 'VirtualLocation' }, url },
  additionalProperties: false,
}
const BOTH = { type: 'array', prefixItems: [VIRTUAL, PLACE], minItems: 2, maxItems: 2 }
const OFFER = {
  type: 'object',
  required: ['@type', 'url', 'availability', 'validFrom'],
  anyOf: [{ required: ['price'] }, { required: ['description'] }],
  properties: {
    '@type': { const: 'Offer' },
    url,
    validFrom: time,
    availability: { enum: [`${S}InStock`, `${S}Discontinued`] },
    price: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
    priceCurrency: { type: 'string', pattern: '^[A-Z]{3}$' },
    description: text,
  },
  additionalProperties: false,
}
const HOST = {
  type: 'object',
  required: ['@type', 'name'],
  properties: { '@type': { const: 'Organization' }, name: text, url },
}
const mode = (name: string) => ({ properties: { eventAttendanceMode: { const: `${S}${name}` } } })
/** What search engines ask of an event: required and recommended members, by the way in which it is attended. */
const SCHEMA = {
  type: 'object',
  required: ['@type', 'name', 'startDate', 'endDate', 'eventStatus', 'eventAttendanceMode', 'url'],
  properties: {
    '@type': { const: 'Event' },
    name: text,
    description: text,
    image: url,
    url,
    startDate: time,
    endDate: time,
    eventStatus: {
      enum: ['Scheduled', 'Cancelled', 'Postponed', 'MovedOnline'].map((one) => `${S}Event${one}`),
    },
    offers: { type: 'array', items: OFFER, minItems: 1 },
    organizer: { anyOf: [HOST, { type: 'array', items: HOST, minItems: 2 }] },
    performer: false,
  },
  oneOf: [
    { ...mode('OfflineEventAttendanceMode'), allOf: [{ properties: { location: PLACE } }] },
    {
      ...mode('OnlineEventAttendanceMode'),
      required: ['location'],
      allOf: [{ properties: { location: VIRTUAL } }],
    },
    {
      ...mode('MixedEventAttendanceMode'),
      required: ['location'],
      allOf: [{ properties: { location: { anyOf: [BOTH, VIRTUAL] } } }],
    },
  ],
}
const isRight = new Ajv2020({ allErrors: true, strict: false }).compile(SCHEMA)
/** What an event as structured data lacks, or has that search engines do not accept. */
export const faultsOf = (data: unknown): string[] =>
  isRight(data) ? [] : isRight.errors!.map((one) => `${one.instancePath} ${one.message}`)
