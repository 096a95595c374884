import fc from 'fast-check'
import type { Operation, Published } from '../../test/support/document.ts'

/** A request as it goes out. */
export type Fuzzed = {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

const WORDS = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  'any',
  'now',
  '+1 day',
  '2026-02-30',
  '9999-12-31 23:59:59',
]
const NUMBERS = [0, -0, -1, 1, 50, 51, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 0.1, 89.9999, 180]
const ODD = [
  '\u0000',
  '\ud800',
  '\u202e',
  '👩‍👩‍👧',
  "' OR 1=1 --",
  '%',
  '__proto__',
  '<script>',
  '\u0001',
  '../',
  '[]',
  '{',
]

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(5_000), 'é'.repeat(2_100), '1'.repeat(400)) },
)
const numbers = fc.oneof(fc.constantFrom(...NUMBERS), fc.integer(), fc.double({ noNaN: true }))
const deep = fc.integer({ min: 1, max: 2_000 }).map((depth) => {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = at % 2 ? [value] : { a: value }
  return value
})
const anything = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: deep },
  { weight: 3, arbitrary: texts },
  { weight: 3, arbitrary: numbers },
)

/** Mostly values of the schema and its edges, sometimes anything. */
function valuesOf(schema: Published): fc.Arbitrary<unknown> {
  const right: fc.Arbitrary<unknown> = schema.enum
    ? fc.constantFrom(...schema.enum)
    : schema.type === 'boolean'
      ? fc.boolean()
      : schema.type === 'integer' || schema.type === 'number'
        ? fc.oneof(
            { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
            { weight: 1, arbitrary: numbers },
          )
        : schema.type === 'array'
          ? fc.array(valuesOf(schema.items ?? {}), { maxLength: 4 })
          : schema.type === 'object'
            ? objectOf(schema)
            : texts
  return fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: anything })
}
/** Some members of a schema: few, so that one strange value does not always hide the others. */
function objectOf({ properties = {} }: Published): fc.Arbitrary<object> {
  return fc
    .subarray(Object.entries(properties), { maxLength: Math.min(4, Object.keys(properties).length) })
    .chain((members) =>
      fc.record(Object.fromEntries(members.map(([name, schema]) => [name, valuesOf(schema)]))),
    )
}

/** The least that makes a record of each kind. */
export const least: Record<string, object> = {
  Event: { title: 'Fuzz', start_date: '+1 day', end_date: '+2 days' },
  Venue: { venue: 'Fuzz' },
  Organizer: { organizer: 'Fuzz' },
  Category: { name: 'Fuzz' },
  Tag: { name: 'Fuzz' },
}

const TYPES = ['application/json', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'text/plain', 'image/png', 'image/svg+xml', 'x', 'application/vnd.api+json'] // biome-ignore format: one list

/** A body as bytes: mostly JSON, sometimes broken, doubled, of another kind, or very large. */
const printed = (value: object): fc.Arbitrary<{ body: string | Buffer; type: string }> => {
  const json = JSON.stringify(value)
  const types = fc.constantFrom(...TYPES)
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({ body: json, type: TYPES[0]! }) },
    { weight: 1, arbitrary: types.map((type) => ({ body: json, type })) },
    { weight: 1, arbitrary: fc.nat(json.length).map((end) => ({ body: json.slice(0, end), type: TYPES[0]! })) },
    { weight: 1, arbitrary: fc.constant({ body: `{"title":1,${json.slice(1)}`.replace(',}', '}'), type: TYPES[0]! }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).chain((bytes) => types.map((type) => ({ body: Buffer.from(bytes), type }))) },
    { weight: 1, arbitrary: fc.constant({ body: new URLSearchParams(Object.entries(value).map(([name, member]): [string, string] => [name, String(JSON.stringify(member))])).toString(), type: TYPES[2]! }) },
    { weight: 1, arbitrary: texts.map((text) => ({ body: `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${text}\r\n--b--\r\n`, type: TYPES[3]! })) },
    { weight: 1, arbitrary: fc.constantFrom(2 ** 20 - 100, 2 ** 20 + 100).map((size) => ({ body: `{"title":"${'x'.repeat(size)}"}`, type: TYPES[0]! })) },
  ) // biome-ignore format: a table
}

const percent = (text: string) => encodeURIComponent(Buffer.from(text).toString())

/** Requests of one operation of the document. */
export function requestsOf(
  { method, path, parameters, body, operationId }: Operation,
  token: () => string,
): fc.Arbitrary<Fuzzed> {
  // the first user and token are the fuzzer's own
  const first = /^\/(users|tokens)/.test(path) ? 2 : 1
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const places = fc.tuple(
    ...inPath.map(
      ({ name, schema }) =>
      fc.oneof({ weight: 6, arbitrary: schema.type === 'integer' ? fc.integer({ min: first, max: 120 }) : fc.constantFrom('fuzz', 'fuzz-2', 'x') }, { weight: 1, arbitrary: texts }).map((value) => [name, String(value)] as const), // biome-ignore format: one value
    ),
  )
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, valuesOf(schema)])), {
    requiredKeys: [],
  })
  const some = query.chain((values) =>
    fc.subarray(Object.entries(values), { maxLength: Math.min(3, Object.keys(values).length) }),
  )
  const kind = Object.keys(least).find((name) => operationId === `create${name}`)
  const content = body
    ? objectOf(body).chain((value) => printed({ ...(kind && least[kind]), ...value }))
    : fc.constant(undefined)
  const who = fc.nat(29).map((at) => (at < 4 ? 'none' : at === 4 ? 'wrong' : 'token'))
  const match = fc.constantFrom(undefined, undefined, undefined, '*', '"x"', '"', texts)
  return fc.tuple(places, some, content, who, match).map(([values, pairs, sent, caller, condition]) => {
    const address = values.reduce((at, [name, value]) => at.replace(`{${name}}`, percent(value)), path)
    const search = pairs.map(
      ([name, value]) =>
        `${percent(name)}=${percent(typeof value === 'object' ? String(JSON.stringify(value)) : String(value))}`,
    )
    const headers: Record<string, string> = {
      ...(caller === 'token' && { authorization: `Bearer ${token()}` }),
      ...(caller === 'wrong' && { authorization: 'Bearer alm_wrong' }),
      ...(typeof condition === 'string' && { [method === 'get' ? 'if-none-match' : 'if-match']: condition }),
      ...(sent && { 'content-type': sent.type }),
    }
    return {
      method: method.toUpperCase(),
      path: address + (search.length > 0 ? `?${search.join('&')}` : ''),
      headers,
      ...(sent && { body: sent.body }),
    }
  })
}

const GET = 'GET /calendar/events/v1/events HTTP/1.1\r\n'
/** What is not HTTP, or nearly. */
export const broken: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      `${GET}\r\n`,
      `${GET}Host: a\r\nContent-Length: -1\r\n\r\n`,
      `${GET}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${GET}Host: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      `${GET}Host: a\r\nX\u0000: y\r\n\r\n`,
      `${GET}Host: a\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'GET //../..//etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'POST /calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'POST /calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
      `GET /${'a/'.repeat(7_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
      `${`${GET}Host: a\r\n\r\n`.repeat(20)}`,
      'GET http://other.test/calendar/events/v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      `${GET}Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      `${GET}Host: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
    )
    .map((text) => Buffer.from(text)),
)
