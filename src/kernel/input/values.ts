import type { TSchema } from '@sinclair/typebox'
import { Blank, Reads, Sent } from '../../../schemas/common.ts'
import type { ErrorCode } from '../errors.ts'

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
