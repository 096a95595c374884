import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { decodeHTMLStrict } from 'entities'
import { STATUSES } from '../../../../schemas/common.ts'
import { MOST_LINKS, MOST_TERMS } from '../../../../schemas/links.ts'
import { buildCost, readCost } from '../../../calendar/cost.ts'
import { toPlainText } from '../../../kernel/text/text.ts'
import type { RecordKind } from '../store.ts'

/** A record as a source shows it. */
export type SourceJson = Record<string, unknown>

/** The kinds of records that events are linked to. */
export const LINKED = ['venue', 'organizer', 'category', 'tag'] as const
export type Linked = (typeof LINKED)[number]

/** A record of a source as it is imported. All IDs in it are those of the source. */
export type SourceRecord = {
  kind: RecordKind
  id: number
  /** How reports name it. */
  name: string
  /** The members of a request that would create it, without what it is linked to. */
  body: Record<string, unknown>
  /** The address of its picture; null if it has none. */
  image: string | null
  links: Record<Linked, number[]>
  /** The term or event above it; 0 for none. */
  parent: number
  /** Its translations into other languages. */
  translations: number[]
  /** Which date of which series an event is, and in which members it differs from it. */
  date?: { series: number; id: string; overrides: string[] }
  /** Records that it shows whole, and that the source may list nowhere else. */
  embedded: SourceRecord[]
  /** The ID that it is to have here, where that of the source belongs to another record. */
  keeps?: number
  /** Why it can not be imported. */
  refused?: string
}

/** A record without anything. */
const blank = (kind: RecordKind, id: number): SourceRecord => ({
  kind,
  id,
  name: '',
  body: {},
  image: null,
  parent: 0,
  translations: [],
  embedded: [],
  links: { venue: [], organizer: [], category: [], tag: [] },
})

/** What a record is remembered by: equal as long as the source shows the same of it. Without pictures, or with another category, it is another one. */
export function digestOf(
  { body, image, links, parent, translations, date }: SourceRecord,
  withMedia: boolean,
  category?: string,
): string {
  const whole = [body, withMedia ? image : undefined, links, parent, [...translations].sort(), date]
  if (category !== undefined) whole.push(category)
  return createHash('sha256').update(JSON.stringify(whole)).digest('base64url').slice(0, 27)
}

/** A whole number above 0, as a number or as text; 0 for anything else. */
export const idOf = (value: unknown): number =>
  /^[1-9]\d{0,14}$/.test(String(value)) && typeof value !== 'object' ? Number(value) : 0

/** The text of a member, which some sources send as a number; undefined where there is none. */
function textOf(record: SourceJson, name: string): string | undefined {
  const value = record[name]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a record is of a calendar like this one, which shows names as plain text, while WordPress shows them as HTML. */
const isPlain = (record: SourceJson) => typeof record.language === 'string'

/** Plain text as a request has to send it, where names are read as HTML. */
export const asHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Some members that are lines of text; null for those that a record does not have, so that an update clears them. */
const linesOf = (record: SourceJson, names: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(
    names.map((name) => {
      const text = textOf(record, name)
      return [name, text === undefined ? null : isPlain(record) ? asHtml(text) : text]
    }),
  )

/** Some members as they are, as far as a record has them. */
const membersOf = (record: SourceJson, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))

/** The objects in a member, which is a list, a single object, or nothing. */
export const objectsOf = (value: unknown): SourceJson[] =>
  [value]
    .flat()
    .filter((one): one is SourceJson => typeof one === 'object' && one !== null && !Array.isArray(one))

/** The IDs of the translations of a record into other languages. */
const translationsOf = ({ id, translations }: SourceJson): number[] =>
  Object.values((translations ?? {}) as object)
    .map(idOf)
    .filter((other) => other > 0 && other !== id)

/** The address of the picture of a record. */
const pictureOf = ({ image }: SourceJson): string | null =>
  objectsOf(image)
    .map(({ url }) => url)
    .find((url) => typeof url === 'string') ?? null

/** What a record is read for: the language of those that have none, and the currency here. */
export type ReadOptions = { language?: string | undefined; currency: string }

const AS_THEY_ARE = [
  ...['start_date', 'end_date', 'timezone', 'all_day', 'show_map', 'show_map_link', 'hide_from_listings'],
  ...['sticky', 'featured', 'ticketed', 'event_status', 'attendance_mode'],
]

/** What an event is linked to, and how many of each it may have. */
const MOST = { venue: MOST_LINKS, organizer: MOST_LINKS, categories: MOST_TERMS, tags: MOST_TERMS }

/** Why an event can not have what it is linked to. */
function tooMany(record: SourceJson): string | undefined {
  for (const [name, most] of Object.entries(MOST)) {
    const { length } = objectsOf(record[name])
    if (length > most) return `it has ${length} of \`${name}\`, and an event here has at most ${most}`
  }
  return undefined
}

/** Reads an event or a series. */
export function readEvent(
  kind: 'event' | 'series',
  record: SourceJson,
  { language, currency }: ReadOptions,
): SourceRecord {
  const excess = tooMany(record)
  const inside = excess ? [] : readEmbedded(record, language)
  const linked = (of: string) => inside.filter(({ kind }) => kind === of).map(({ id }) => id)
  const body = {
    ...readPost(record, language),
    ...linesOf(record, ['title', 'event_status_reason']),
    excerpt: textOf(record, 'excerpt') ?? null,
    cost: costOf(record, currency),
    website: websiteOf(record),
    virtual_url: textOf(record, 'virtual_url') ?? null,
    ...(record.is_virtual === true && { attendance_mode: 'online' }),
    ...membersOf(record, AS_THEY_ARE),
    ...(kind === 'series' && {
      recurrence: membersOf({ ...objectsOf(record.recurrence)[0] }, ['rrule', 'rdate', 'exdate']),
    }),
  }
  const series = idOf(record.series)
  const refused = isProtected(record)
    ? 'it is under a password, which the source does not tell'
    : (excess ?? refusalOf(body))
  return {
    ...blank(kind, idOf(record.id)),
    name: toPlainText(textOf(record, 'title') ?? ''),
    body,
    image: pictureOf(record),
    embedded: inside,
    links: {
      venue: linked('venue'),
      organizer: linked('organizer'),
      category: linked('category'),
      tag: linked('tag'),
    },
    parent: series === 0 ? idOf(record.post_parent) : 0,
    translations: translationsOf(record),
    ...(series > 0 && {
      date: {
        series,
        id: String(record.recurrence_id),
        overrides: Array.isArray(record.overrides) ? record.overrides.map(String) : [],
      },
    }),
    ...(refused !== undefined && { refused }),
  }
}

/** The records that an event shows. */
const readEmbedded = (record: SourceJson, language: string | undefined): SourceRecord[] =>
  [
    ...objectsOf(record.venue).map((one) => readPlace('venue', one, language)),
    ...objectsOf(record.organizer).map((one) => readPlace('organizer', one, language)),
    ...objectsOf(record.categories).map((one) => readTerm('category', one, language)),
    ...objectsOf(record.tags).map((one) => readTerm('tag', one, language)),
  ].filter(({ id }) => id > 0)

/** Whether an event is under a password: this calendar says so, WordPress shows nothing of it. */
const isProtected = ({ protected: isTold, all_day }: SourceJson) => isTold === true || all_day === null

/** The website of an event. WordPress shows it as HTML, and where there is none the address of the event. */
function websiteOf(record: SourceJson): string | null {
  const text = textOf(record, 'website')
  if (text === undefined) return null
  const url = isPlain(record) ? text : decodeHTMLStrict(text)
  return url === record.url ? null : url
}

/** The cost as it has to be sent to be shown here as there: its amounts as far as these say all, else what is shown. */
function costOf(record: SourceJson, currency: string): string[] {
  const text = textOf(record, 'cost')
  if (text === undefined) return []
  const shown = isPlain(record) ? text : toPlainText(text)
  const told = { ...objectsOf(record.cost_details)[0] }
  const { currency_symbol: symbol, currency_position: place } = told
  const values = Array.isArray(told.values) ? told.values.map(String) : []
  const marked = values.map((value) => (place === 'prefix' ? `${symbol}${value}` : `${value}${symbol}`))
  const isShown = (names: readonly string[]) => (items: string[]) => {
    const { cost, cost_details } = buildCost(readCost(items), currency)
    return (
      cost === shown && names.every((name) => isDeepStrictEqual(told[name], cost_details[name as 'values']))
    )
  }
  const forms = [marked, values, [asHtml(shown)]]
  return forms.find(isShown(DETAILS)) ?? forms.find(isShown(['values'])) ?? [asHtml(shown)]
}

/** What tells of a cost beside what is shown. */
const DETAILS = ['values', 'currency_symbol', 'currency_position']

/** The members that venues have as lines of text. */
const VENUE = ['venue', 'address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince']
const ORGANIZER = ['organizer', 'phone', 'email']

/** What is shown as the date of what was never published. */
const NEVER = '0000-00-00 00:00:00'

/** What all records but terms have. */
function readPost(record: SourceJson, language?: string): SourceRecord['body'] {
  const date = textOf(record, 'date_utc')
  return {
    slug: textOf(record, 'slug'),
    status: textOf(record, 'status') ?? 'publish',
    ...(date !== undefined && date !== NEVER && { date_utc: date }),
    description: textOf(record, 'description') ?? null,
    i18n_language: textOf(record, 'language') ?? language,
  }
}

/** Why the status of a record keeps it from being imported; undefined if it does not. */
function refusalOf({ status }: SourceRecord['body']): string | undefined {
  return (STATUSES as readonly unknown[]).includes(status) && status !== 'trash'
    ? undefined
    : `its status is ${status}, which records here do not have`
}

/** Reads a venue or an organizer, from a list or from an event that shows it. */
function readPlace(kind: 'venue' | 'organizer', record: SourceJson, language?: string): SourceRecord {
  const name = textOf(record, kind)
  const own =
    kind === 'venue'
      ? { ...linesOf(record, VENUE), ...membersOf(record, ['show_map', 'show_map_link']), ...pointOf(record) }
      : linesOf(record, ORGANIZER)
  const body = { ...readPost(record, language), ...own, website: textOf(record, 'website') ?? null }
  const refused = name === undefined ? 'it is under a password, or has no name' : refusalOf(body)
  return {
    ...blank(kind, idOf(record.id)),
    name: name ?? textOf(record, 'slug') ?? '',
    body,
    image: pictureOf(record),
    translations: translationsOf(record),
    ...(refused !== undefined && { refused }),
  }
}

/** Where a venue is: both coordinates or none. */
function pointOf(record: SourceJson) {
  const [geo_lat, geo_lng] = [Number(textOf(record, 'geo_lat')), Number(textOf(record, 'geo_lng'))]
  return Number.isFinite(geo_lat) && Number.isFinite(geo_lng)
    ? { geo_lat, geo_lng }
    : { geo_lat: null, geo_lng: null }
}

/** Reads a category or a tag. Those inside events have the same members. */
function readTerm(kind: 'category' | 'tag', record: SourceJson, language?: string): SourceRecord {
  return {
    ...blank(kind, idOf(record.id)),
    name: textOf(record, 'name') ?? '',
    body: {
      ...linesOf(record, ['name']),
      slug: textOf(record, 'slug'),
      description: textOf(record, 'description') ?? null,
      i18n_language: textOf(record, 'language') ?? language,
    },
    parent: kind === 'category' ? idOf(record.parent) : 0,
    translations: translationsOf(record),
  }
}

/** Terms so that each comes after the one above it. Of those that are above each other in a circle, one comes first. */
export function parentsFirst(terms: SourceRecord[]): SourceRecord[] {
  const left = new Map(terms.map((term) => [term.id, term]))
  const ordered: SourceRecord[] = []
  const add = (term: SourceRecord) => {
    // before those above it, so that a circle ends
    left.delete(term.id)
    const above = left.get(term.parent)
    if (above) add(above)
    ordered.push(term)
  }
  for (const term of terms) if (left.has(term.id)) add(term)
  return ordered
}

/** Reads a record of any kind. */
export function readRecord(kind: RecordKind, record: SourceJson, reading: ReadOptions): SourceRecord {
  if (kind === 'event' || kind === 'series') return readEvent(kind, record, reading)
  return kind === 'venue' || kind === 'organizer'
    ? readPlace(kind, record, reading.language)
    : readTerm(kind, record, reading.language)
}
