import type { TObject, TSchema } from '@sinclair/typebox'
import { Blank, type Reading, Reads, Sent } from '../../../schemas/common.ts'
import { DATE_PATTERN } from '../../../schemas/dates.ts'
import { SCOPES } from '../../../schemas/user.ts'
import { type ErrorCode, missing as missingError, type Problems, refuse as throwAny } from '../errors.ts'
import { toHtml } from '../text/html.ts'
import { readUrl, toPlainText, toSlug } from '../text/text.ts'
import { readZone } from '../time/dates.ts'
import { describeMoment, NO_DATE, readMoment } from '../time/moments.ts'

/** Why a value is invalid, and what would be accepted. `code` if it is not rest_invalid_param. */
export type Refusal = { refused: string; code?: ErrorCode }

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value

export const refuse = (refused: string, code?: ErrorCode): Refusal => (code ? { refused, code } : { refused })

/** Default limit of characters, for numbers and words. */
const LONGEST = 1000

/** Greatest length of a string, or of each string in a list, before it is read. */
export const mostSent = (schema: TSchema): number => schema[Sent] ?? schema.maxLength ?? LONGEST

/** Whether a text has at most so many characters, as JSON Schema counts them: an emoji is one. */
export const isWithin = (text: string, most: number) =>
  text.length <= most || (text.length <= 2 * most && [...text].length <= most)

/** Whether a string among the items is longer than this. */
export const isLong = (items: (string | number)[], most: number) =>
  items.some((item) => typeof item === 'string' && !isWithin(item, most))

/** Whether a value is larger than its schema allows, so that it need not be read. */
export function isTooLarge(schema: TSchema, raw: unknown): boolean {
  const { maxItems } = schema
  // the items of a list may come as one string
  const most = mostSent(schema) * (maxItems ?? 1)
  if (typeof raw === 'string') return !isWithin(raw, most)
  if (!Array.isArray(raw) || maxItems === undefined) return false
  return raw.length > maxItems || raw.some((item) => typeof item === 'string' && !isWithin(item, most))
}

/** The refusal of a value that exceeds the limits of its schema; undefined if it fits. */
export function misfit(schema: TSchema, value: unknown): Refusal | undefined {
  return fits(schema, value) ? undefined : refuseLimits(schema, value === '')
}

/** Every number has a maximum, and every list. */
function fits(schema: TSchema, value: unknown): boolean {
  if (typeof value === 'number')
    return (
      value >= (schema.minimum ?? -Infinity) &&
      value <= schema.maximum &&
      value > (schema.exclusiveMinimum ?? -Infinity)
    )
  if (typeof value === 'string')
    return (
      value.length >= (schema.minLength ?? 0) &&
      isWithin(value, schema.maxLength ?? Infinity) &&
      (!schema.enum || schema.enum.includes(value))
    )
  if (!Array.isArray(value)) return true
  const isPlain = schema[Reads] === undefined
  return (
    value.length >= (schema.minItems ?? 0) &&
    value.length <= schema.maxItems &&
    value.every((item) => !isPlain || fits(schema.items, item))
  )
}

/** The requirements of a schema, in words. */
export function refuseLimits(schema: TSchema, isEmpty = false): Refusal {
  const {
    enum: words,
    type,
    minimum,
    maximum,
    maxItems,
    maxLength = mostSent(schema),
    [Reads]: reading,
  } = schema
  if (words) return refuse(`must be one of ${words.join(', ')}.`)
  if (type === 'array') return refuse(`must be at most ${maxItems} ${(reading && OF[reading]) ?? IDS}`)
  if (type === 'integer') return refuse(`must be a whole number from ${minimum} to ${maximum}.`)
  if (type === 'number')
    return refuse(`must be a number${minimum === undefined ? ' above 0' : ` from ${minimum}`} to ${maximum}.`)
  if (type === 'boolean') return refuse(TRUTH)
  if (isEmpty) return refuse('must not be empty.')
  const most = `must have at most ${maxLength} characters`
  if (maxItems !== undefined) return refuse(`${most}, or be a list of at most ${maxItems} such items.`)
  const isTerm = schema[Blank] === 'empty_term_name'
  return refuse(`${most}.`, isTerm ? 'term_name_too_long' : undefined)
}

const TRUTH = 'must be true or false (or 1 or 0).'
const IDS = 'IDs: whole numbers above 0, separated by commas.'
/** What the lists of a reader are of, in words. */
const OF: Record<string, string> = {
  words: 'values, separated by commas.',
  scopes: 'scopes.',
}

/** Adds the words for lists that readers of the calendar or of a feature take. */
export const declareLists = (more: Record<string, string>) => void Object.assign(OF, more)

const Unknown = Symbol('unknown')
/** A value that was read, with the names of what was sent inside it and nobody understands. */
export const withUnknown = <T extends object>(value: T, names: string[]) =>
  Object.assign(value, { [Unknown]: names })
/** The names of what was sent inside the members of a list and nobody understands. */
export const unknownIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(
        (item: { [Unknown]?: string[] } | string) => (item as { [Unknown]?: string[] })[Unknown] ?? [],
      )
    : []

/** Whether a value is an object with members of its own, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Wraps a value in a list, unless it is one. */
export const listOf = (raw: unknown): unknown[] => (Array.isArray(raw) ? raw : [raw])
/** Reads a list, or strings with commas, without empty members and surrounding white space; undefined if it contains other values than strings and numbers. */
export function readTexts(raw: unknown): string[] | undefined {
  const items = listOf(raw)
  if (!items.every((item) => typeof item === 'string' || typeof item === 'number')) return undefined
  return items
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter(Boolean)
}

const TRUE = ['true', '1']
const FALSE = ['false', '0']

/** true, false, 1, 0, or these as words in any case. */
export function readBoolean(raw: unknown): boolean | Refusal {
  const word = typeof raw === 'object' ? '' : String(raw).toLowerCase()
  if (TRUE.includes(word)) return true
  if (FALSE.includes(word)) return false
  return refuse(TRUTH)
}

/** The result of reading an object by its schema. `code` belongs to the only problem, if it has its own. */
export type Members = {
  value: Record<string, unknown>
  problems: Problems
  missing: string[]
  unknown: string[]
  code?: ErrorCode
}

/** Reads a body by its schema: absent members stay absent, null is kept for optional members, unknown ones are listed. */
export function readMembers(schema: TObject, raw: Record<string, unknown>): Members {
  const result: Members = { value: {}, problems: {}, missing: [], unknown: [] }
  const required = schema.required ?? []
  for (const name of required) if (raw[name] === undefined || raw[name] === null) result.missing.push(name)
  for (const [name, given] of Object.entries(raw)) {
    const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (member === undefined) result.unknown.push(name)
    else if (given === null && member[Reads] === 'name') result.problems[name] = 'can not be cleared.'
    else if (given === null) result.value[name] = null
    else take(result, name, member, readValue(member, given))
  }
  if (Object.keys(result.problems).length > 1) delete result.code
  return result
}

/** Puts a value that was read into a result, or what is wrong with it. */
export function take(result: Members, name: string, schema: TSchema, value: unknown) {
  const problem = isRefusal(value) ? value : misfit(schema, value)
  if (problem === undefined) {
    result.value[name] = value
    return
  }
  result.problems[name] = problem.refused
  if (problem.code) result.code = problem.code
}

/** Converts `raw` by this schema, or returns a refusal. Values larger than the schema allows are refused before they are read. */
export function readValue(schema: TSchema, raw: unknown): unknown {
  const reading = schema[Reads]
  if (reading === undefined && schema.type === 'string')
    return typeof raw === 'string' ? raw : { refused: 'must be a string, in quotes.' }
  if (isTooLarge(schema, raw)) return refuseLimits(schema)
  if (reading) return readerOf(reading)(raw, schema, readMembers)
  if (schema.type === 'boolean') return readBoolean(raw)
  const read = schema.type === 'array' ? readIntegers : schema.type === 'integer' ? readInteger : readNumber
  return read(raw) ?? refuseLimits(schema)
}

function readNumber(raw: unknown): number | undefined {
  if (
    typeof raw !== 'number' &&
    (typeof raw !== 'string' || !/^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(raw))
  )
    return undefined
  return Number.isFinite(Number(raw)) ? Number(raw) : undefined
}
function readInteger(raw: unknown): number | undefined {
  const number = readNumber(raw)
  return Number.isSafeInteger(number) ? number : undefined
}
function readIntegers(raw: unknown): number[] | undefined {
  const numbers = readTexts(raw)?.map(readInteger)
  return !numbers || numbers.includes(undefined) ? undefined : (numbers as number[])
}

/** Throws the error about an invalid input. */
export function throwProblems({ problems, missing, code }: Pick<Members, 'problems' | 'missing' | 'code'>) {
  if (missing.length > 0) throw missingError(missing)
  throwAny(problems, code)
}

/** Reads the members of an object by its schema, as `validation.ts` does for whole bodies. */
export type ReadMembers = (schema: TObject, raw: Record<string, unknown>) => Members
/** Converts a sent value by its schema, or returns a refusal. */
export type Reader = (raw: unknown, schema: TSchema, readMembers: ReadMembers) => unknown

/** A JSON number is not a string (D25). */
const SEND_TEXT = 'must be a string, in quotes.'

/** A flag that is declared as text: its words, and the boolean that answers show (R11). */
const readFlag: Reader = (raw) => {
  if (typeof raw === 'boolean') return raw
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  const word = raw.toLowerCase()
  if (['yes', 'on'].includes(word)) return true
  if (['no', 'off', ''].includes(word)) return false
  return isRefusal(readBoolean(word))
    ? refuse('must be one of true, false, 1, 0, yes, no, on, off.')
    : readBoolean(word)
}

/** A flag that is read as text and as a boolean. */
const readSwitch: Reader = (raw, ...rest) =>
  typeof raw === 'number' ? readBoolean(raw) : readFlag(raw, ...rest)

const readLine: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return toPlainText(raw) || null
}

/** A postal code, which is often kept as a number. */
const readPostcode: Reader = (raw, ...rest) =>
  readLine(Number.isSafeInteger(raw) && (raw as number) >= 0 ? String(raw) : raw, ...rest)

const readName: Reader = (raw, schema) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw === '' || raw === '0') return refuse('must not be empty.')
  return toPlainText(raw) || refuse('must contain text, not only white space or tags.', schema[Blank])
}

const readHtml: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw === '0') return refuse('must be a text other than "0"; send "" to clear it.')
  try {
    return toHtml(raw) || null
  } catch {
    return refuse('must not nest HTML elements more than 200 levels deep; close open elements.')
  }
}

export const readSlug: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return toSlug(raw) || refuse('must contain letters or digits.')
}

/** The form of a date; what has it may still be none. */
const MOMENT = new RegExp(DATE_PATTERN, 'u')

export const readMomentText: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (readMoment(raw, { now: 0, zone: 'UTC' })) return raw
  const why = describeMoment(raw)
  return refuse(why === NO_DATE && MOMENT.test(raw) ? 'names a day or time that does not exist.' : why)
}

const readZoneText: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw.trim() === '') return null
  return (
    readZone(raw) ??
    refuse(
      'must be an IANA time zone such as Europe/Madrid, UTC, or an offset such as UTC+5.5 or +05:30 within -12 to +14.',
    )
  )
}

/** One or several of the words of a schema, each once and in the order of the schema: lists are kept by what they are of. */
const readWords: Reader = (raw, schema) => {
  const known: string[] = schema.items.enum
  const words = readTexts(raw) ?? []
  if (words.length > schema.maxItems!) return refuseLimits(schema)
  return words.length > 0 && words.every((word) => known.includes(word))
    ? known.filter((word) => words.includes(word))
    : refuse(`must be one or more of ${known.join(', ')}, separated by commas.`)
}

/** An address of one of these schemes. */
const readAddress =
  (schemes: RegExp, refusal: string): Reader =>
  (raw) => {
    if (typeof raw !== 'string') return refuse(SEND_TEXT)
    if (raw.trim() === '') return null
    const url = readUrl(raw)
    return url !== undefined && schemes.test(url) ? url : refuse(refusal)
  }

const readPassword: Reader = (raw) => (typeof raw === 'string' ? raw || null : refuse(SEND_TEXT))

/** What another system calls a record, kept as it is. */
const readExternal: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return /[\p{Cc}\p{Cs}]/u.test(raw) ? refuse('must be text without control characters.') : raw || null
}

const readScopes: Reader = (raw) => {
  const words = readTexts(raw)
  if (words && words.length > 0 && words.every((word) => (SCOPES as readonly string[]).includes(word)))
    return [...new Set(words)]
  return refuse(`must be one or more of ${SCOPES.join(', ')}, as a list or separated by commas.`)
}

/** An object, whose members are read as those of a body; `unknownIs` tells what a name is that it must not have. */
export const readNested =
  (refusal: string, unknownIs: (known: string[]) => string, mayBeNull: boolean): Reader =>
  (raw, { properties }, readMembers) => {
    if (!isObject(raw)) return refuse(refusal)
    const { value, problems, unknown } = readMembers({ properties } as TObject, raw)
    const nulls = mayBeNull ? [] : Object.keys(value).filter((name) => value[name] === null)
    const wrong = [
      ...unknown.map((name) => `"${name}" is ${unknownIs(Object.keys(properties))}.`),
      ...Object.entries(problems).map(([name, problem]) => `${name} ${problem}`),
      ...nulls.map((name) => `${name} must not be null.`),
    ]
    return wrong.length > 0 ? refuse(wrong.join(' ')) : value
  }

const readCoordinates = readNested(
  'must be an object with x and y, numbers from 0 to 1.',
  () => 'no part of a point, which has x and y',
  false,
)

const readPoint: Reader = (raw, schema, readMembers) => {
  const point = readCoordinates(raw, schema, readMembers) as object
  return isRefusal(point) || ('x' in point && 'y' in point) ? point : refuse('must have both x and y.')
}

/** One of a few words, in any case. */
const readWord: Reader = (raw) => String(raw).toLowerCase()

/** A language as `LANGUAGES` has it. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/

const readLanguages: Reader = (raw) => {
  const words = readTexts(raw)
  if (words && words.length > 0 && words.every((word) => LANGUAGE.test(word))) return [...new Set(words)]
  return refuse('must be one or more codes of languages such as en, as a list or separated by commas.')
}

/** Names of members, as one text with commas. */
const readFields: Reader = (raw) => readTexts(raw)!.join(',') || refuse('must name at least one member.')

/** One of a few words in any case; others, which clients of other services send, count as none. */
const readKnown: Reader = (raw, schema) =>
  schema.enum.find((word: string) => word === String(raw).toLowerCase())

export type ReaderTable = Partial<Record<Reading, Reader>>

/** The readers of the kernel by name, and those that others declare. */
const readers: ReaderTable = {
  flag: readFlag,
  switch: readSwitch,
  name: readName,
  line: readLine,
  postcode: readPostcode,
  html: readHtml,
  slug: readSlug,
  moment: readMomentText,
  zone: readZoneText,
  words: readWords,
  url: readAddress(/^/, 'must be an absolute http, https, ftp or mailto URL with an ASCII host.'),
  // what browsers open: no mail, and no file
  webUrl: readAddress(/^https?:/i, 'must be an absolute http or https URL with an ASCII host.'),
  password: readPassword,
  scopes: readScopes,
  texts: readNested(
    'must be an object with texts by language.',
    (known) => `no language of this calendar, which has ${known.join(', ')}`,
    true,
  ),
  point: readPoint,
  word: readWord,
  known: readKnown,
  fields: readFields,
  languages: readLanguages,
  external: readExternal,
}

/** Adds readers of the calendar or of a feature. */
export const declareReaders = (more: ReaderTable) => void Object.assign(readers, more)

/** The reader that a schema names. Throws if nobody has declared it. */
export function readerOf(name: Reading): Reader {
  const reader = readers[name]
  if (!reader) throw new Error(`Nobody declares how "${name}" is read.`)
  return reader
}
