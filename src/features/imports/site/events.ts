import { isDeepStrictEqual } from 'node:util'
import { decodeHTMLStrict } from 'entities'
import { MOST_LINKS, MOST_TERMS } from '../../../../schemas/links.ts'
import { buildCost, readCost } from '../../../calendar/cost.ts'
import { toPlainText } from '../../../kernel/text/text.ts'
import { refusalOf, takePlace, takePost } from './places.ts'
import {
  asHtml,
  blank,
  idOf,
  isPlain,
  linesOf,
  membersOf,
  objectsOf,
  pictureOf,
  type Shown,
  type Taken,
  textOf,
  translationsOf,
} from './taken.ts'
import { takeTerm } from './terms.ts'

/** What a record is read for: the language of those that have none, and the currency here. */
export type Reading = { language?: string | undefined; currency: string }

const AS_THEY_ARE = [
  ...['start_date', 'end_date', 'timezone', 'all_day', 'show_map', 'show_map_link', 'hide_from_listings'],
  ...['sticky', 'featured', 'ticketed', 'event_status', 'attendance_mode'],
]

/** What an event is linked to, and how many of each it may have. */
const MOST = { venue: MOST_LINKS, organizer: MOST_LINKS, categories: MOST_TERMS, tags: MOST_TERMS }

/** Why an event can not have what it is linked to. */
function tooMany(record: Shown): string | undefined {
  for (const [name, most] of Object.entries(MOST)) {
    const { length } = objectsOf(record[name])
    if (length > most) return `it has ${length} of \`${name}\`, and an event here has at most ${most}`
  }
  return undefined
}

/** What is taken of an event, or of a series. */
export function takeEvent(kind: 'event' | 'series', record: Shown, { language, currency }: Reading): Taken {
  const excess = tooMany(record)
  const inside = excess ? [] : takeInside(record, language)
  const linked = (of: string) => inside.filter(({ kind }) => kind === of).map(({ id }) => id)
  const body = {
    ...takePost(record, language),
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
    ...{ name: toPlainText(textOf(record, 'title') ?? ''), body, image: pictureOf(record), inside },
    links: {
      ...{ venue: linked('venue'), organizer: linked('organizer') },
      ...{ category: linked('category'), tag: linked('tag') },
    },
    parent: series === 0 ? idOf(record.post_parent) : 0,
    translations: translationsOf(record),
    ...(series > 0 && {
      date: {
        ...{ series, id: String(record.recurrence_id) },
        overrides: Array.isArray(record.overrides) ? record.overrides.map(String) : [],
      },
    }),
    ...(refused !== undefined && { refused }),
  }
}

/** The records that an event shows. */
const takeInside = (record: Shown, language: string | undefined): Taken[] =>
  [
    ...objectsOf(record.venue).map((one) => takePlace('venue', one, language)),
    ...objectsOf(record.organizer).map((one) => takePlace('organizer', one, language)),
    ...objectsOf(record.categories).map((one) => takeTerm('category', one, language)),
    ...objectsOf(record.tags).map((one) => takeTerm('tag', one, language)),
  ].filter(({ id }) => id > 0)

/** Whether an event is under a password: this calendar says so, WordPress shows nothing of it. */
const isProtected = ({ protected: isTold, all_day }: Shown) => isTold === true || all_day === null

/** The website of an event. WordPress shows it as HTML, and where there is none the address of the event. */
function websiteOf(record: Shown): string | null {
  const text = textOf(record, 'website')
  if (text === undefined) return null
  const url = isPlain(record) ? text : decodeHTMLStrict(text)
  return url === record.url ? null : url
}

/** The cost as it has to be sent to be shown here as there: its amounts as far as these say all, else what is shown. */
function costOf(record: Shown, currency: string): string[] {
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
