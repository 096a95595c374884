import type { Own, TermRow } from './records.ts'

/** The path of a page in a language. The default language has no prefix. */
export const pathIn = (
  { path, languages }: { path: string; languages: readonly string[] },
  language: string,
  page: string,
): string => `${path}${language === languages[0] ? '' : `/${language}`}${page}`

/** The page of a published record below the language: `/event/{slug}/`. */
export const pageOf = ({ kind, slug }: Pick<Own, 'kind' | 'slug'>): string => `/${kind}/${slug}/`

/** The page of a category or tag below the language. */
export const pageOfTerm = ({ taxonomy, slug }: Pick<TermRow, 'taxonomy' | 'slug'>): string =>
  `/events/${taxonomy}/${slug}/`

/** A query string of the members that have a value; empty without any. */
export function queryOf(members: Record<string, string | number | undefined>): string {
  const given = Object.entries(members).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
