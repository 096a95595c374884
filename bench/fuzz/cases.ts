import type { Document, Published } from '../../test/support/document.ts'
import { operationsOf } from '../../test/support/document.ts'
import { PATTERNS, type Pattern, repeat } from '../../test/support/hostile.ts'
import { type Fuzzed, least } from './requests.ts'

/** A place for a text in a request, and how long the longest may be that is tried there, in characters. */
export type Case = { name: string; longest: number; pattern: Pattern; request(text: string): Fuzzed }

/** Bytes of a body, and of an address or header, that are near what is taken. */
const BODY = 1_000_000
const ADDRESS = 14_000
/** A text within the limits of most members. */
const TEXT = 8_000

const JSON_TYPE = { 'content-type': 'application/json' }
const HEADERS =
  'accept accept-encoding authorization content-disposition cookie if-match if-none-match if-modified-since origin x-forwarded-for'.split(
    ' ',
  )
const printable = ({ head = '', unit, tail = '' }: Pattern) => /^[ -~]*$/.test(head + unit + tail)

/** Bodies of every type that repeat what their parsers look for. */
const RAW: [type: string, patterns: Pattern[]][] = [
  ['application/json', ['[', '{"a":', '"', '1', '\\u0000', ' '].map((unit) => ({ unit }))],
  [
    'application/x-www-form-urlencoded',
    ['a[]=1&', 'a[x]=1&a[]=2&', 'a[0][b][c][d]=1&', '[', ']', '%', '&', '=', '+', 'title=1&'].map((unit) => ({
      unit,
    })),
  ],
  [
    'multipart/form-data; boundary=b',
    [
      { unit: 'a' },
      { unit: '\r\n--' },
      { unit: '--b\r\n\r\n' },
      { head: '--b\r\n', unit: 'a' },
      { head: '--b\r\n', unit: 'a: b\r\n' },
      { head: '--b\r\ncontent-disposition: form-data; name="', unit: '\\' },
      { head: '--b\r\ncontent-disposition: form-data', unit: '; a' },
      { unit: '--b\r\ncontent-disposition: form-data; name="title"\r\n\r\nx\r\n' },
    ],
  ],
]

const percent = (text: string) => encodeURIComponent(text)
const isText = ({ type, properties }: Published) => properties === undefined && type !== 'object'

/** Every case of a document; `ids` has a record of each kind by the first part of its path. */
export function casesOf(document: Document, ids: Record<string, number>): Case[] {
  const cases: Case[] = []
  const add = (name: string, longest: number, request: (text: string) => Fuzzed, patterns = PATTERNS) => {
    for (const pattern of patterns) cases.push({ name, longest, pattern, request })
  }
  for (const { method, path, parameters, body, operationId } of operationsOf(document)) {
    // PUT and POST do what PATCH does
    if (/^replace|ByPost$/.test(operationId)) continue
    const at = (slug = 'x') =>
      path
        .replace(/\{id\}/, String(ids[path.split('/')[1]!] ?? 1))
        .replace('{format}', 'jsonld')
        .replace(/\{\w+\}/g, percent(slug))
    const of = (given: Omit<Fuzzed, 'method' | 'headers'>) => ({
      method: method.toUpperCase(),
      headers: {},
      ...given,
    })
    for (const { name, in: place } of parameters)
      add(`${operationId} ${name}`, ADDRESS / 3, (text) =>
        of(place === 'path' ? { path: at(text) } : { path: `${at()}?${name}=${percent(text)}` }),
      )
    const kind = Object.keys(least).find((name) => operationId === `create${name}`)
    for (const [name, schema] of Object.entries(body?.properties ?? {}).filter(([, own]) => isText(own)))
      for (const longest of [Math.min(96_000, 8 * (schema.maxLength ?? TEXT / 8)), BODY])
        add(`${operationId} ${name}`, longest, (text) => ({
          ...of({ path: at(), body: JSON.stringify({ ...(kind && least[kind]), [name]: text }) }),
          headers: JSON_TYPE,
        }))
    // lists are read as such, and items one by one
    for (const name of ['cost', 'categories', 'tags', 'venue', 'organizer'].filter(
      (one) => body?.properties?.[one],
    ))
      add(`${operationId} list of ${name}`, BODY / 2, (text) => ({
        ...of({
          path: at(),
          body: JSON.stringify({ ...(kind && least[kind]), [name]: text.match(/.{1,5}/gsu) }),
        }),
        headers: JSON_TYPE,
      }))
    if (kind === undefined) continue
    for (const [type, patterns] of RAW)
      add(
        `${operationId} as ${type}`,
        BODY,
        (text) => ({ ...of({ path: at(), body: text }), headers: { 'content-type': type } }),
        patterns,
      )
  }
  for (const [method, path] of [
    ['GET', '/events'],
    ['PATCH', `/events/${ids.events}`],
    ['POST', '/media'],
  ] as const)
    for (const header of HEADERS)
      add(
        `${method} ${path} ${header}`,
        ADDRESS,
        (text) => ({ method, path, headers: { [header]: text } }),
        PATTERNS.filter(printable),
      )
  return cases
}

/** The request of a case with a text of so many characters; \"x\" for a harmless one of this length. */
export const requestOf = ({ request, pattern }: Case, characters: number, harmless = false): Fuzzed =>
  request(harmless ? 'x'.repeat(characters) : repeat(pattern, characters))
