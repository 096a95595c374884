import { listAll } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import type { Place } from '../../rules/places.ts'

/** The statuses that a list is filtered by, in the order of their tabs. */
export const TABS = ['any', 'publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
/** The spans of time. */
export const SPANS = ['upcoming', 'past', 'all', 'dates'] as const

/** The members of events that the table shows. */
const FIELDS = [
  ...['id', 'title', 'status', 'start_date', 'end_date', 'all_day', 'timezone', 'language', 'author'],
  'utc_start_date',
  'translations',
  ...['modified_utc', 'featured', 'event_status', 'hide_from_listings', 'venue', 'image', 'protected'],
  ...['series', 'overrides', 'occurrences'],
]

/** An event as the table shows it. */
export type Row = {
  id: number
  title: string
  status: string
  start_date: string
  end_date: string
  all_day: boolean
  timezone: string
  utc_start_date: string
  language: string
  translations: Record<string, number>
  author: string
  modified_utc: string
  featured: boolean
  event_status: string
  hide_from_listings: boolean
  protected?: boolean
  /** Of a date of a series: its series, and in what it differs. */
  series?: number
  overrides?: string[]
  /** Of one that stands for its series: for how many dates. */
  occurrences?: number
  venue: { venue: string } | { venue: string }[]
  categories?: { id: number }[]
  image: false | { url: string; sizes?: Record<string, { url: string }> }
}

/** What every search has. */
const WORD = /[\p{L}\p{N}]/u

/** The span of time that is chosen at a place. The trash and searches look at all times. */
export const spanOf = ({ status, search, when, from, to }: Place['query']): string =>
  from || to ? 'dates' : (when ?? (status === 'trash' || search ? 'all' : 'upcoming'))

/** What the API is asked for at a place. */
export function queryOf({ query }: Place) {
  const { status = 'any', search = '', category, from, to, language, series, page = '1' } = query
  const span = spanOf(query)
  const fields = session.get()?.limits ? [...FIELDS, 'categories'] : FIELDS
  return {
    // signs alone are no search
    ...{
      status,
      q: WORD.test(search) ? search : undefined,
      categories: category,
      i18n_language: language,
      page,
      // translations share a row
      per_page: SPEAKS_SEVERAL ? 50 : 20,
    },
    // a series is one row, unless its dates are asked for
    ...{ series, expand: series || query.dates === 'every' ? undefined : false },
    when: span === 'dates' ? 'all' : span,
    order: span === 'past' ? 'desc' : 'asc',
    orderby: 'start',
    ends_after: from && `${from} 00:00:00`,
    starts_before: to && `${to} 23:59:59`,
    strict_dates: true,
    _fields: ['total', 'total_pages', ...fields.map((name) => `events.${name}`)].join(),
  }
}

/** Whether the site has several languages. */
export const SPEAKS_SEVERAL = SITE.languages.length > 1

/** Pages of dates that are read of a series: it has 1,500 at most. */
export const MOST_PAGES = 30

/** The dates of a series in all languages of its row, as far as the list at a place has them. */
export async function datesOf(row: { all: Row[] }, place: Place): Promise<Row[]> {
  const { page: _, per_page: __, expand: ___, ...query } = queryOf(place)
  const series = [...new Set(row.all.map((one) => one.series))]
  const read = series.map((one) => listAll<Row>('/events', 'events', { ...query, series: one }, MOST_PAGES))
  return (await Promise.all(read)).flat()
}

/** Whether a row stands for several dates of a series. */
export const isFolded = ({ occurrences = 1 }: Row): boolean => occurrences > 1
