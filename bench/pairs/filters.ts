import { Kind, type TSchema } from '@sinclair/typebox'
import { LanguageSelector } from '../../schemas/common.ts'
import { EventQuery } from '../../schemas/event-query.ts'
import { openRandom } from '../seed/random.ts'
import type { Sizes } from '../seed/records.ts'
import { sharesOf, vocabularyOf } from '../seed/vocabulary.ts'

/** Parameters that make one filter; some need others beside them. */
export type Values = Record<string, string>

/** Every parameter of lists of events, by its schema. */
const PARAMETERS: Record<string, TSchema> = {
  ...EventQuery.properties,
  ...LanguageSelector(['en', 'ca', 'es']),
}

const EARLY = '2000-01-01'
const LATE = '2100-01-01'
const POINT = { geoloc_lat: '39.5', geoloc_lng: '-3' }

/** Values that tell most of each filter: what matches much, what matches little, and what is slow to find out. */
function tellingOf({ venues, organizers, categories, tags, events }: Sizes): Record<string, Values[]> {
  const firstEvent = venues + organizers + 1
  const { rare, common } = textsOf(events)
  return {
    page: [{ page: '2' }, { page: String(Math.max(2, Math.floor(events / 80))) }],
    per_page: [{ per_page: '50' }],
    start_date: [{ start_date: EARLY }, { start_date: '2028-06-01' }],
    end_date: [{ end_date: LATE }, { end_date: '2026-12-01' }],
    starts_before: [{ starts_before: LATE }, { starts_before: '2026-12-01' }],
    starts_after: [{ starts_after: EARLY }, { starts_after: '2032-01-01' }],
    ends_before: [{ ends_before: LATE }, { ends_before: '2026-12-01' }],
    ends_after: [{ ends_after: EARLY }, { ends_after: '2032-01-01' }],
    strict_dates: [{ strict_dates: 'true', start_date: '2026-11-21T10:30:00Z' }],
    search: [{ search: common }, { search: rare }, { search: 'qz' }],
    categories: [{ categories: '1' }, { categories: `${categories - 1},${categories}` }],
    tags: [{ tags: String(categories + 1) }, { tags: `${categories + tags - 1},${categories + tags}` }],
    venue: [{ venue: '1' }, { venue: `${venues - 1},${venues}` }],
    organizer: [{ organizer: String(venues + 1) }, { organizer: String(venues + organizers) }],
    status: [{ status: 'publish' }],
    geoloc_lat: [POINT],
    geoloc_lng: [POINT],
    geoloc_radius: [
      { ...POINT, geoloc_radius: '5' },
      { ...POINT, geoloc_radius: '20000' },
    ],
    include: [{ include: Array.from({ length: 100 }, (_, at) => firstEvent + at).join(',') }],
    post_parent: [{ post_parent: String(firstEvent) }],
    password: [{ password: 'nobody has it' }],
    i18n_language: [{ i18n_language: 'en' }, { i18n_language: 'es' }],
  }
}

function textsOf(events: number): { rare: string; common: string } {
  const shares = [...sharesOf(vocabularyOf(openRandom(events)))].filter(([text]) => text.length >= 3)
  const first = (least: number, most: number) =>
    shares.find(([, share]) => share >= least && share < most)![0]
  return { rare: first(0.001, 0.002), common: first(0.4, 0.6) }
}

/** The values of every filter; one that nobody has thought of yet gets those of its schema. */
export function filtersOf(sizes: Sizes): Record<string, Values[]> {
  const telling = tellingOf(sizes)
  return Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, schema]) => [name, telling[name] ?? fromSchema(name, schema)]),
  )
}

function fromSchema(name: string, schema: TSchema): Values[] {
  const values: string[] =
    schema.enum ??
    (schema[Kind] === 'Boolean'
      ? ['true', 'false']
      : schema.format === 'date-time'
        ? ['2026-12-01', '2028-06-01']
        : ['Integer', 'Number', 'Array'].includes(schema[Kind])
          ? [String(schema.minimum ?? 1)]
          : undefined)
  if (!values) throw new Error(`Give the filter ${name} values in bench/pairs/filters.ts.`)
  return values.map((value) => ({ [name]: value }))
}

/** Each filter alone and each two filters with all of their values; where both set a parameter, the second one's counts. */
export function pairsOf(filters: Record<string, Values[]>): Values[] {
  const names = Object.keys(filters)
  const all = names.flatMap((one, at) =>
    filters[one]!.flatMap((first) => [
      first,
      ...names.slice(at + 1).flatMap((other) => filters[other]!.map((second) => ({ ...first, ...second }))),
    ]),
  )
  return [...new Map(all.map((values) => [JSON.stringify(Object.entries(values).sort()), values])).values()]
}
