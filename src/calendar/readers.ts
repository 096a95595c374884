import { SYNC_KINDS } from '../../schemas/changes.ts'
import { STATUSES } from '../../schemas/common.ts'
import {
  declareLists,
  declareReaders,
  isLong,
  isObject,
  listOf,
  mostSent,
  type Reader,
  readMomentText,
  readNested,
  readSlug,
  readTexts,
  refuse,
  refuseLimits,
} from '../kernel/input/readers.ts'
import { readUrl, toPlainText } from '../kernel/text/text.ts'
import { NEVER } from '../kernel/time/dates.ts'
import { readCost } from './cost.ts'
import { readKeys, readLinks, readNames, readRecurrenceText, readTerms } from './input.ts'

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
