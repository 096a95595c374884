import { Ajv2020 } from 'ajv/dist/2020.js'

const S = 'https://schema.org/'
const text = { type: 'string', minLength: 1 }
const url = { type: 'string', pattern: '^(https?://|\\u0001/)\\S+$' }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d)?$' }
const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }
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
const listOf = (items: object) => ({ anyOf: [items, { type: 'array', items, minItems: 2 }] })
const HOST = {
  type: 'object',
  required: ['@type', 'name'],
  properties: { '@type': { const: 'Organization' }, name: text, url },
}
const mode = (name: string) => ({ properties: { eventAttendanceMode: { const: `${S}${name}` } } })
const SCHEDULE = {
  type: 'object',
  required: ['@type', 'startDate', 'repeatFrequency', 'scheduleTimezone'],
  properties: {
    '@type': { const: 'Schedule' },
    startDate: day,
    endDate: day,
    startTime: { type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d$' },
    duration: { type: 'string', pattern: '^P(\\d+D|T\\d+[MS])$' },
    repeatFrequency: { type: 'string', pattern: '^P\\d+[DWMY]$' },
    repeatCount: { type: 'integer', minimum: 1 },
    byDay: listOf({
      type: 'string',
      pattern: `^(${S}(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|-?\\d*(MO|TU|WE|TH|FR|SA|SU))$`,
    }),
    byMonth: listOf({ type: 'integer', minimum: 1, maximum: 12 }),
    byMonthDay: listOf({ type: 'integer', minimum: 1, maximum: 31 }),
    exceptDate: listOf(time),
    scheduleTimezone: text,
  },
  additionalProperties: false,
}
const SERIES = {
  type: 'object',
  required: ['@type', '@id', 'url'],
  properties: { '@type': { const: 'EventSeries' }, '@id': url, url },
}
/** What search engines ask of an event, and schema.org of a series and its dates: required and recommended members, by the way in which it is attended. */
const SCHEMA = {
  type: 'object',
  required: ['@type', 'name', 'startDate', 'eventStatus', 'eventAttendanceMode', 'url'],
  properties: {
    '@type': { enum: ['Event', 'EventSeries'] },
    superEvent: SERIES,
    eventSchedule: listOf(SCHEDULE),
    name: text,
    description: text,
    image: url,
    url,
    startDate: time,
    endDate: time,
    eventStatus: {
      enum: ['Scheduled', 'Cancelled', 'Postponed', 'MovedOnline', 'Rescheduled'].map(
        (one) => `${S}Event${one}`,
      ),
    },
    offers: { type: 'array', items: OFFER, minItems: 1 },
    organizer: { anyOf: [HOST, { type: 'array', items: HOST, minItems: 2 }] },
    performer: false,
  },
  if: { properties: { '@type': { const: 'Event' } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so
  then: { required: ['endDate'], properties: { eventSchedule: false } },
  else: { properties: { superEvent: false } },
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
