import type { RecurrenceInput } from '../../../schemas/recurrence.ts'
import type { Reader } from '../../kernel/input/readers.ts'
import { isObject, readTexts, refuse, refuseLimits } from '../../kernel/input/values.ts'

/** What answers show besides. */
const SHOWN = ['until', 'text', 'since']
const LISTS = ['rdate', 'exdate'] as const

/** A list of texts, or texts divided by commas. */
const textsOf = (raw: unknown) =>
  [raw].flat().every((text) => typeof text === 'string') ? readTexts(raw) : undefined

/** The form of a recurrence: what its parts mean is read with the event that repeats. */
export const readRecurrenceText: Reader = (raw) => {
  if (!isObject(raw)) return refuse('must be an object with rrule, rdate and exdate, or null.')
  const read: RecurrenceInput = {}
  const unknown = Object.keys(raw).find((name) => ![...LISTS, ...SHOWN, 'rrule'].includes(name))
  if (unknown !== undefined) return refuse(`must not have "${unknown}", only rrule, rdate and exdate.`)
  const { rrule } = raw
  if (typeof rrule === 'string' && rrule.trim() !== '') read.rrule = rrule
  else if (typeof rrule !== 'string' && rrule !== undefined) return refuse('rrule must be a string.')
  for (const name of LISTS) {
    const texts = raw[name] === undefined ? [] : textsOf(raw[name])
    if (!texts) return refuse(`${name} must be a list of dates.`)
    read[name] = texts
  }
  return read.rrule === undefined && read.rdate!.length === 0
    ? refuse('must have an rrule, or dates in rdate.')
    : read
}

/** Names of members. */
export const readNames: Reader = (raw, schema) => {
  const names = textsOf(raw)
  if (!names) return refuse('must be a list of names of members.')
  return names.length > schema.maxItems! ? refuseLimits(schema) : names
}
