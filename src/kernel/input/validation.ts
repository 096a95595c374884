import type { TObject, TSchema } from '@sinclair/typebox'
import { Reads } from '../../../schemas/common.ts'
import { type ErrorCode, missing as missingError, type Problems, refuse } from '../errors.ts'
import { readerOf } from './readers.ts'
import { isRefusal, isTooLarge, misfit, readBoolean, readTexts, refuseLimits } from './values.ts'

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
  refuse(problems, code)
}
