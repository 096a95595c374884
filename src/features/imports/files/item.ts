import { createHash } from 'node:crypto'
import type { Version } from '../store.ts'

/** Members of an event as a request would send them. */
export type Body = Record<string, unknown>

/** A date of a series that is unlike the others. */
type OwnDate = { line: number; recurrence_id: string; body: Body; version?: Version }

/** A line of a file that can not be read, or what of it can not be. */
export type Fault = { line: number; text: string; reason: string }

/** The kinds of records that a file has. */
export type Kind = 'event' | 'series' | 'venue' | 'organizer'

/** A record of a file: a venue or an organizer if it says so, else an event, or a series if its body has a recurrence. */
export type Item = {
  kind?: 'venue' | 'organizer'
  /** The line of the file that it begins in. */
  line: number
  /** What it is called in a report. */
  name: string
  /** What identifies it in its source. */
  external_id: string
  /** The name of its source, if the file tells. */
  source?: string
  body: Body
  /** What its file calls a member of the body, if it has other names. */
  nameOf?: (member: string) => string
  /** Which version of it this is, if the file tells. */
  version?: Version
  /** It shows less than there is of an event that is from here, which is therefore left as it is. */
  isPartial?: true
  dates: OwnDate[]
  remarks: string[]
  /** Names of its parts in the file that have no place here, each as often as it was there. */
  leftOut?: string[]
  /** Why it can not be imported. */
  refused?: string
}

/** What a record of a file is. */
export const kindOf = ({ kind, body }: Item): Kind => kind ?? (body.recurrence ? 'series' : 'event')

/** Greatest length of an ID of another system. */
const LONGEST = 255

/** What identifies an event that has no ID of its own: the same words give the same. */
export const digestOf = (...parts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

/** What an item is remembered by. */
export const digestIn = ({ body, dates }: Item): string =>
  digestOf(
    body,
    dates.map(({ line: _, version: __, ...date }) => date),
  )

/** The order of two versions of an event: the greater SEQUENCE is the later one, then the later DTSTAMP (RFC 5545 §3.8.7.4). */
export const byVersion = ([sequence, stamp]: Version, [other, before]: Version): number =>
  sequence - other || stamp.localeCompare(before)

/** Why a version is not to be imported after another one; undefined if it may be. One without a DTSTAMP is not older for that. */
export function whyOlder(version: Version | undefined, taken: Version | undefined): string | undefined {
  if (!version || !taken || byVersion(version, taken) >= 0) return undefined
  const [name, at] = version[0] === taken[0] ? (['DTSTAMP', 1] as const) : (['SEQUENCE', 0] as const)
  if (version[at] === '') return undefined
  return `is an older version than the one that was taken before (${name} is ${version[at]}, and was ${taken[at]})`
}

/** An ID as it can be stored: without control characters, and not too long. */
export function idOf(text: string): string {
  const plain = text.replace(/\p{Cc}/gu, '').trim()
  return plain.length > LONGEST ? digestOf(plain) : plain
}
