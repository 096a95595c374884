import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { SYNC_KINDS } from '../../schemas/changes.ts'
import { read, Short, STATUSES, TERM_NAME } from '../../schemas/common.ts'
import { MOST_LINKS } from '../../schemas/links.ts'
import { OrganizerInput } from '../../schemas/organizer.ts'
import type { RecurrenceInput } from '../../schemas/recurrence.ts'
import { VenueInput } from '../../schemas/venue.ts'
import {
  declareLists,
  declareReaders,
  isLong,
  isObject,
  isRefusal,
  listOf,
  mostSent,
  type Reader,
  type ReadMembers,
  type Refusal,
  readMomentText,
  readNested,
  readSlug,
  readTexts,
  refuse,
  refuseLimits,
  withUnknown,
} from '../kernel/input/readers.ts'
import { readUrl, toPlainText } from '../kernel/text/text.ts'
import { NEVER } from '../kernel/time/dates.ts'
import { readCost } from './cost.ts'

/** The slug of an event: that of a draft may be blank, as it is shown (R11); the store knows whether it is one. */
const readEventSlug: Reader = (raw, ...rest) => (raw === '' ? raw : readSlug(raw, ...rest))

/** What is shown as the date of what was never published says nothing (R11). */
const readPublication: Reader = (raw, ...rest) => (raw === NEVER ? null : readMomentText(raw, ...rest))

const isStatus = (word: string) => (STATUSES as readonly string[]).includes(word)

const readStatus: Reader = (raw) =>
  typeof raw === 'string' && isStatus(raw) ? raw : refuse(`must be one of ${STATUSES.join(', ')}.`)

const readStatuses: Reader = (raw) => {
  const words = readTexts(raw)
  if (words?.every((word) => word === 'any' || isStatus(word)) && words.length > 0) return words
  return refuse(`must be any, or one or more of ${STATUSES.join(', ')}, separated by commas.`)
}

/** An image: its ID or URL, or what answers show, which is `false` or an object with its `id` (R11). */
const readImage: Reader = (raw) => {
  const given = isObject(raw) && 'id' in raw ? raw.id : raw
  if (given === false) return null
  if (typeof given !== 'string' && typeof given !== 'number')
    return refuse(
      'must be the ID of an image, an absolute http(s) URL, an image as answers show it, or false.',
    )
  const text = String(given).trim()
  if (text === '') return null
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) }
  return /^https?:\/\//i.test(text) && URL.canParse(text)
    ? { url: text }
    : refuse('must be the ID of an image, or an absolute http or https URL.')
}

/** An image of a venue or organizer: "0" removes it as well (reference §2.5). */
const readPicture: Reader = (raw, ...rest) => (raw === '0' ? null : readImage(raw, ...rest))

const readCostItems: Reader = (raw, schema) => {
  const items = listOf(raw)
  if (!items.every((item) => typeof item === 'string' || typeof item === 'number'))
    return refuse('must be a number, a string or a list of these.')
  if (isLong(items, mostSent(schema))) return refuseLimits(schema)
  const cost = readCost(items)
  return isLong(cost, schema.maxLength!) ? refuseLimits(schema) : cost
}

const readKinds: Reader = (raw) => {
  const words = readTexts(raw)
  if (words && words.length > 0 && words.every((word) => (SYNC_KINDS as readonly string[]).includes(word)))
    return words
  return refuse(`must be one or more of ${SYNC_KINDS.join(', ')}, separated by commas.`)
}

const LIMITED = ['categories', 'venues'] as const
/** IDs that one list may have. */
const MOST_LIMITS = 100

/** Limits of rights: lists of IDs, of which one that is not sent is empty. */
const readRightLimits: Reader = (raw) => {
  if (!isObject(raw) || Object.keys(raw).some((name) => !(LIMITED as readonly string[]).includes(name)))
    return refuse('must be null, or an object with lists of IDs: categories, venues.')
  const read = { categories: [] as number[], venues: [] as number[] }
  for (const name of LIMITED) {
    const ids: unknown = raw[name] ?? []
    const isRight =
      Array.isArray(ids) && ids.length <= MOST_LIMITS && ids.every((id) => Number.isSafeInteger(id) && id > 0)
    if (!isRight) return refuse(`${name} must be a list of at most ${MOST_LIMITS} IDs.`)
    read[name] = [...new Set<number>(ids)]
  }
  return read
}

/** Longest text of a link, in characters. */
const LINK_TEXT = 100

const readSiteLinks: Reader = (raw, { maxItems }) => {
  if (!Array.isArray(raw) || raw.length > maxItems!)
    return refuse(`must be a list of at most ${maxItems} objects with text and url.`)
  const links = raw.map((link: unknown) => {
    const { text, url } = isObject(link) ? link : {}
    const address = typeof url === 'string' && url.length <= 2000 ? readUrl(url) : undefined
    const name = typeof text === 'string' && text.length <= 10 * LINK_TEXT ? toPlainText(text) : ''
    const isWhole = name !== '' && name.length <= LINK_TEXT && /^https?:/i.test(address ?? '')
    return isWhole && { text: name, url: address }
  })
  const wrong = links.indexOf(false)
  return wrong < 0
    ? links
    : refuse(
        `has a link, number ${wrong + 1}, without a text of at most ${LINK_TEXT} characters or an absolute http or https URL.`,
      )
}

/** Inside an event a venue's maps may also be all that is a boolean elsewhere (contract, Shapes). */
const Switch = Type.Optional(read<boolean>('switch', Type.String(), Short))
const inline: Record<'venue' | 'organizer', TObject> = {
  venue: Type.Object({ ...VenueInput.properties, show_map: Switch, show_map_link: Switch }),
  organizer: OrganizerInput,
}

/** Whether a value unlinks everything (D32). */
const isNothing = (raw: unknown, depth = 0): boolean =>
  raw === null ||
  raw === '' ||
  raw === 0 ||
  raw === '0' ||
  (Array.isArray(raw)
    ? depth < 3 && raw.length <= MOST_LINKS && raw.every((item) => isNothing(item, depth + 1))
    : typeof raw === 'object' && Object.keys(raw).length === 0)

function readLink(raw: unknown, kind: 'venue' | 'organizer', readMembers: ReadMembers): unknown {
  const { id = raw, ...members } = isObject(raw) ? raw : {}
  if ((typeof id === 'number' || typeof id === 'string') && /^[1-9]\d{0,14}$/.test(String(id).trim()))
    return { id: Number(id) }
  // generated clients send null or 0 for the ID of what has none yet
  if (!isObject(raw) || ('id' in raw && id !== null && id !== 0))
    return refuse(`must be IDs of ${kind}s, or objects with the fields of new ones.`)
  const { value, problems, missing, unknown, code } = readMembers(inline[kind], members)
  if (missing.length > 0) return refuse(`needs the member "${kind}", the name of the ${kind}.`)
  const [problem] = Object.entries(problems)
  if (!problem)
    return withUnknown(
      { create: value },
      unknown.map((name) => `${kind}.${name}`),
    )
  return refuse(`${problem[0]} ${problem[1]}`, code && `could-not-create-${kind}`)
}

/** Reads the venues or organizers of an event: existing ones by ID, others to be created (D32). */
export const readLinks =
  (kind: 'venue' | 'organizer'): Reader =>
  (raw, schema, readMembers) => {
    if (isNothing(raw)) return []
    const items = Array.isArray(raw)
      ? raw.filter((item) => !isNothing(item))
      : typeof raw === 'string'
        ? readTexts(raw)!
        : [raw]
    if (items.length > schema.maxItems!) return refuseLimits(schema)
    const links = items.map((item) => readLink(item, kind, readMembers))
    return links.find(isRefusal) ?? links
  }

/** Terms that a filter names: by ID, slug or name. */
export const readKeys: Reader = (raw, schema) => {
  const keys = readTermKeys(readTexts(raw), schema)
  return isRefusal(keys) || keys.length > 0 ? keys : refuse('must contain at least one ID, slug or name.')
}

/** Terms of an event: in a list a comma belongs to the name, in a text it separates (D13); objects, as answers show them, go by their `id`. */
export const readTerms: Reader = (raw, schema) => {
  const items = typeof raw === 'string' ? raw.split(',') : listOf(raw).map(toTermKey)
  return items.every(isTermKey)
    ? readTermKeys(items, schema)
    : refuse('must be IDs, slugs or names, as a list or separated by commas, or terms with their `id`.')
}

/** Of a term as events show it its ID, as a number: digits in a text may be a name. */
function toTermKey(item: unknown): unknown {
  if (!isObject(item)) return item
  return /^\d{1,15}$/.test(String(item.id)) ? Number(item.id) : undefined
}

const isTermKey = (item: unknown): item is string | number =>
  typeof item === 'string' || (Number.isSafeInteger(item) && (item as number) >= 0)

/** Reads IDs, and slugs and names as plain text, without blank ones. */
function readTermKeys(items: (string | number)[] = [], schema: TSchema): (string | number)[] | Refusal {
  const given = items.filter((item) => item !== '')
  if (given.length > schema.maxItems!) return refuseLimits(schema)
  if (isLong(given, mostSent(schema))) return refuse(LONG_NAME)
  const keys = given
    .map((item) => (typeof item === 'string' ? toPlainText(item) : item))
    .filter((key) => key !== '')
  return isLong(keys, TERM_NAME) ? refuse(LONG_NAME) : keys
}
const LONG_NAME = `contains a name of more than ${TERM_NAME} characters.`

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

/** What lists are of, in words. */
const TERMS = 'terms: IDs, slugs or names, as a list or separated by commas.'

declareReaders({
  eventSlug: readEventSlug,
  publication: readPublication,
  status: readStatus,
  statuses: readStatuses,
  image: readImage,
  picture: readPicture,
  cost: readCostItems,
  keys: readKeys,
  terms: readTerms,
  venues: readLinks('venue'),
  organizers: readLinks('organizer'),
  filters: readNested('must be an object with filters of changes.', () => 'no filter of changes', false),
  kinds: readKinds,
  recurrence: readRecurrenceText,
  names: readNames,
  siteLinks: readSiteLinks,
  rightLimits: readRightLimits,
})
declareLists({
  keys: TERMS,
  statuses: 'statuses, separated by commas.',
  terms: TERMS,
  venues: 'venues: IDs, or objects with the fields of new ones.',
  organizers: 'organizers: IDs, or objects with the fields of new ones.',
  kinds: 'kinds, separated by commas.',
})
