import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Blank, type Reading, STATUSES } from '../../schemas/common.ts'
import { OrganizerInput } from '../../schemas/organizer.ts'
import { SCOPES } from '../../schemas/user.ts'
import { VenueInput } from '../../schemas/venue.ts'
import { readCost } from '../cost.ts'
import { readZone } from '../dates.ts'
import type { ErrorCode } from '../errors.ts'
import { toHtml } from '../html.ts'
import { describeMoment, readMoment } from '../moments.ts'
import { readUrl, toPlainText, toSlug } from '../text.ts'
import type { Members } from './validation.ts'

/** Why a value can not be taken, and what would be right. `code` where it is another than rest_invalid_param. */
export type Refusal = { refused: string; code?: ErrorCode }
export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value
const refuse = (refused: string, code?: ErrorCode): Refusal => (code ? { refused, code } : { refused })

/** Reads the members of an object by its schema: what `validation.ts` does for whole bodies. */
type ReadMembers = (schema: TObject, raw: Record<string, unknown>) => Members
type Reader = (raw: unknown, schema: TSchema, readMembers: ReadMembers) => unknown

const TRUE = ['true', '1']
const FALSE = ['false', '0']

/** true, false, 1, 0, or these as words in any case. */
export function readBoolean(raw: unknown): boolean | Refusal {
  const word = typeof raw === 'object' ? '' : String(raw).toLowerCase()
  if (TRUE.includes(word)) return true
  if (FALSE.includes(word)) return false
  return refuse('must be true or false (or 1 or 0).')
}

/** A JSON number is no text (D25). */
const SEND_TEXT = 'must be sent as a string, in quotes.'

/** The same for a flag that is declared as text; inside an event a real boolean is taken as well. */
const readFlag: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  const word = raw.toLowerCase()
  if (['yes', 'on'].includes(word)) return true
  if (['no', 'off', ''].includes(word)) return false
  return isRefusal(readBoolean(word))
    ? refuse('must be one of true, false, 1, 0, yes, no, on, off.')
    : readBoolean(word)
}

const readLine: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return toPlainText(raw) || null
}

const readName: Reader = (raw, schema) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw === '' || raw === '0') return refuse('must not be empty.')
  const name = toPlainText(raw)
  const blank = schema[Blank as never] as ErrorCode
  if (name === '') return refuse('must have some text, not only white space or tags.', blank)
  const isLong = blank === 'empty_term_name' && name.length > schema.maxLength
  return isLong ? refuse(`must have ${schema.maxLength} characters at most.`, 'term_name_too_long') : name
}

const readHtml: Reader = (raw, schema) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw === '0') return refuse('must be a text; "0" is taken for none, send "" to clear it.')
  return raw.length > schema.maxLength ? raw : toHtml(raw) || null
}

const readSlug: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return toSlug(raw) || refuse('must contain letters or digits.')
}

const readMomentText: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  return readMoment(raw, { now: 0, zone: 'UTC' }) ? raw : refuse(describeMoment(raw))
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

const isStatus = (word: string) => (STATUSES as readonly string[]).includes(word)

const readStatus: Reader = (raw) =>
  typeof raw === 'string' && isStatus(raw) ? raw : refuse(`must be one of ${STATUSES.join(', ')}.`)

const readStatuses: Reader = (raw) => {
  const words = readTexts(raw)
  if (words && words.length > 0 && words.every((word) => word === 'any' || isStatus(word))) return words
  return refuse(`must be any, or some of ${STATUSES.join(', ')}, separated by commas.`)
}

const readImage: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  const text = raw.trim()
  if (text === '') return null
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) }
  return /^https?:\/\//i.test(text) && URL.canParse(text)
    ? { url: text }
    : refuse('must be the ID of an image or an absolute http(s) URL.')
}

/** An image of a venue or organizer: "0" removes it as well (reference §2.5). */
const readPicture: Reader = (raw, ...rest) => (raw === '0' ? null : readImage(raw, ...rest))

const readCostItems: Reader = (raw) => {
  if (typeof raw === 'string' || typeof raw === 'number') return readCost(raw)
  if (Array.isArray(raw) && raw.every((item) => typeof item === 'string' || typeof item === 'number'))
    return readCost(raw)
  return refuse('must be a number, a text or a list of these.')
}

const readWebsite: Reader = (raw) => {
  if (typeof raw !== 'string') return refuse(SEND_TEXT)
  if (raw.trim() === '') return null
  return readUrl(raw) ?? refuse('must be an absolute http, https, ftp or mailto URL with an ASCII host.')
}

const readPassword: Reader = (raw) => (typeof raw === 'string' ? raw || null : refuse(SEND_TEXT))

const readScopes: Reader = (raw) => {
  const words = readTexts(raw)
  if (words && words.length > 0 && words.every((word) => (SCOPES as readonly string[]).includes(word)))
    return [...new Set(words)]
  return refuse(`must be some of ${SCOPES.join(', ')}, as a list or separated by commas.`)
}

const readWord: Reader = (raw) =>
  typeof raw === 'string' && raw !== '' ? raw.toLowerCase() : refuse('must not be empty.')

/** A list given as such or as texts with commas, white space around its members and empty ones dropped; undefined where it holds anything but texts and numbers. */
export function readTexts(raw: unknown): string[] | undefined {
  const items = Array.isArray(raw) ? raw : [raw]
  if (!items.every((item) => typeof item === 'string' || typeof item === 'number')) return undefined
  return items
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter(Boolean)
}

const readKeys: Reader = (raw) => {
  const keys = readTexts(raw)?.map(toPlainText)
  return keys && keys.length > 0 ? keys : refuse('must name at least one: an ID, slug or name.')
}

/** Terms of an event: in a list a comma belongs to the name, in a text it separates (D13). */
const readTerms: Reader = (raw) => {
  const items = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : [raw]
  if (!items.every((item) => typeof item === 'string' || (Number.isSafeInteger(item) && item >= 0)))
    return refuse('must be IDs, slugs or names, as a list or separated by commas.')
  const keys = items
    .map((item) => (typeof item === 'string' ? toPlainText(item) : item))
    .filter((key) => key !== '')
  const long = keys.find((key) => typeof key === 'string' && key.length > 200)
  return long === undefined ? keys : refuse('has a name of more than 200 characters.')
}

/** What unlinks everything (D32). */
const isNothing = (raw: unknown, depth = 0): boolean =>
  raw === null ||
  raw === '' ||
  raw === 0 ||
  raw === '0' ||
  (Array.isArray(raw)
    ? depth < 3 && raw.every((item) => isNothing(item, depth + 1))
    : typeof raw === 'object' && Object.keys(raw).length === 0)

function readLink(raw: unknown, kind: 'venue' | 'organizer', readMembers: ReadMembers): unknown {
  const id = typeof raw === 'object' && raw !== null && 'id' in raw ? raw.id : raw
  if ((typeof id === 'number' || typeof id === 'string') && /^[1-9]\d{0,14}$/.test(String(id).trim()))
    return { id: Number(id) }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || 'id' in raw)
    return refuse(`must be IDs of ${kind}s, or objects to create them.`)
  const { value, problems, missing, code } = readMembers(inline[kind], raw as Record<string, unknown>)
  if (missing.length > 0) return refuse(`needs the member "${kind}", its name.`)
  const [problem] = Object.entries(problems)
  if (!problem) return { create: value }
  return refuse(`${problem[0]} ${problem[1]}`, code && `could-not-create-${kind}`)
}

const readLinks =
  (kind: 'venue' | 'organizer'): Reader =>
  (raw, _schema, readMembers) => {
    if (isNothing(raw)) return []
    const items = Array.isArray(raw)
      ? raw.filter((item) => !isNothing(item))
      : typeof raw === 'string'
        ? readTexts(raw)!
        : [raw]
    const links = items.map((item) => readLink(item, kind, readMembers))
    return links.find(isRefusal) ?? links
  }

export const readers: Record<Reading, Reader> = {
  boolean: readBoolean,
  flag: readFlag,
  name: readName,
  line: readLine,
  html: readHtml,
  slug: readSlug,
  moment: readMomentText,
  zone: readZoneText,
  status: readStatus,
  statuses: readStatuses,
  image: readImage,
  picture: readPicture,
  cost: readCostItems,
  url: readWebsite,
  keys: readKeys,
  terms: readTerms,
  venues: readLinks('venue'),
  organizers: readLinks('organizer'),
  password: readPassword,
  scopes: readScopes,
  word: readWord,
}

/** Inside an event a venue's maps may be real booleans (contract, Shapes). */
const inline: Record<'venue' | 'organizer', TObject> = {
  venue: Type.Object({
    ...VenueInput.properties,
    show_map: Type.Optional(Type.Boolean()),
    show_map_link: Type.Optional(Type.Boolean()),
  }),
  organizer: OrganizerInput,
}
