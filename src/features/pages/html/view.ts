import { hasDates, type TermRow } from '../../../calendar/formats/records.ts'
import { pageOf, pageOfTerm, pathIn, queryOf } from '../../../calendar/formats/urls.ts'
import type { Link } from '../../../calendar/settings.ts'
import type { Markup } from '../../../kernel/text/markup.ts'
import type { Words } from '../words.ts'

/** What all pages of a site share. Paths begin with that of BASE_URL, so that a page works at any host. */
export type Front = {
  name: string
  /** BASE_URL, for addresses that leave the page, such as canonical ones. */
  base: string
  /** The path of BASE_URL without slash at the end; empty if it has none. */
  path: string
  /** The path of the API below `path`, such as `/calendar/events/v1`. */
  api: string
  /** The first one is the default. */
  languages: readonly string[]
  zone: string
  /** Paths of the style sheets that every page loads, that of the calendar first. */
  styles: string[]
  /** The paths of the style sheets of some pages, which stand after that of the calendar. */
  sheets: { month: string; record: string; focus: string; submit: string }
  script: string
  logo: string | undefined
  /** HTML of the operator by language. */
  header: Record<string, Markup>
  footer: Record<string, Markup>
  /** More entries of the menu, and links at the end. */
  menu: readonly Link[]
  links: readonly Link[]
  icon: string
  /** Whether visitors may propose events. */
  submits: boolean
  /** The tiles of maps, with `{z}`, `{x}` and `{y}` in their address, and whose they are; undefined for no maps. */
  map: { tiles: string; attribution: string } | undefined
  /** What each page in a language says in its head to programs that look for an API. */
  discovery: ((language: string) => Markup) | undefined
}

/** One page: its site, its language, and the local time of the site. */
export type View = {
  front: Front
  language: string
  words: Words
  /** The local time of the site, `YYYY-MM-DD HH:MM:SS`. */
  now: string
}

/** The path of a page in the language of the view. */
export const pathOf = ({ front, language }: Pick<View, 'front' | 'language'>, page: string): string =>
  pathIn(front, language, page)

/** What decides the path of a record. */
type Addressed = { kind: 'event' | 'series' | 'venue' | 'organizer'; slug: string; language: string }

/**
 * The path of a record as a page links to it. An event or a series in the language of the page has no prefix, because its page is in its
 * own language.
 */
export const linkTo = ({ front, language }: Pick<View, 'front' | 'language'>, record: Addressed): string =>
  hasDates(record.kind) && record.language === language
    ? front.path + pageOf(record)
    : pathIn(front, language, pageOf(record))

/** The path of a category or tag as a page links to it. */
export const linkToTerm = (
  { front, language }: Pick<View, 'front' | 'language'>,
  term: Pick<TermRow, 'taxonomy' | 'slug' | 'language'>,
): string =>
  term.language === language ? front.path + pageOfTerm(term) : pathIn(front, language, pageOfTerm(term))

type Term = Pick<TermRow, 'taxonomy' | 'slug' | 'language'>

/**
 * The paths at which a record and its translations are known, by language: `records` are all of these, the oldest first. Events and series
 * have a page in their own language only. The others have one in every language, without a translation that of the oldest; but a term has no
 * page in the default language unless it is of that language, because its path without prefix is in its own.
 */
export function pathsOf(front: Front, records: readonly (Addressed | Term)[]): Record<string, string> {
  const [oldest] = records
  const path = (language: string) => {
    const own = records.find((one) => one.language === language)
    const shown = own ?? oldest!
    if ('taxonomy' in shown)
      return own || language !== front.languages[0] ? linkToTerm({ front, language }, shown) : undefined
    return own || !hasDates(shown.kind) ? linkTo({ front, language }, shown) : undefined
  }
  return Object.fromEntries(
    front.languages.flatMap((language) => {
      const known = path(language)
      return known === undefined ? [] : [[language, known]]
    }),
  )
}

/**
 * Paths by language, and as `x-default` the one for readers of all other languages: that of the default language, if there is one.
 */
export function withDefault<T>(front: Pick<Front, 'languages'>, paths: Record<string, T>): Record<string, T> {
  const standard = paths[front.languages[0]!]
  return standard === undefined ? paths : { ...paths, 'x-default': standard }
}

/** The path of a file in the library of pictures. */
export const mediaPath = ({ path }: Front, file: string): string => `${path}/media/${file}`

/** The filters of feeds that one may subscribe to, by the names of the API. Days are none: a subscription goes on. */
export const SUBSCRIBED = [
  'q',
  'search',
  'categories',
  'tags',
  'venue',
  'organizer',
  'series',
  'attendance_mode',
  'free',
] as const
export type Subscribed = Partial<Record<(typeof SUBSCRIBED)[number], string>>

/** The page on which one subscribes to the events of a list, of which the filters are given by the names of the API. */
export const subscribePath = (view: View, filters: Record<string, string | undefined> = {}): string =>
  pathOf(view, '/events/subscribe/') +
  queryOf(Object.fromEntries(SUBSCRIBED.map((name) => [name, filters[name]])))
