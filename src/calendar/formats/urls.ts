import type { Own, TermRow } from './records.ts'

/**
 * Markers in stored JSON for parts that depend on the requested URL. A control character never occurs
 * in JSON text, where it is escaped, so these bytes can not be content.
 */
export const BASE = '\u0001' // BASE_URL
export const ROOT = '\u0002' // URL of the requested mount
export const VENDOR = '\u0003' // first word of the namespace of the mount
export const HOST = '\u0004' // host and path of BASE_URL

const MARKS: Record<string, string> = {
  '"\\u0001': `"${BASE}`,
  '"\\u0002': `"${ROOT}`,
  '"\\u0003': `"${VENDOR}`,
  '"\\u0004': `"${HOST}`,
}

/** JSON text in which strings that begin with a marker contain it as a raw byte. Input never does: readers drop control characters. */
export const print = (value: unknown) =>
  JSON.stringify(value).replace(/"\\u000[1-4]/g, (mark) => MARKS[mark]!)
/** An object without its closing brace, so that members can be appended. */
export const open = (value: object) => Buffer.from(print(value).slice(0, -1))

/** The members that have a value; venues and organizers show no others (reference §2.2). */
export const filled = (members: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== '' && value !== null && value !== undefined && value !== false,
    ),
  )

/** The permanent URL of a record, and the URL of an image. What is stored contains the marker for `base`. */
export const permalink = (post: Pick<Own, 'kind' | 'slug' | 'id'>, base = BASE) =>
  `${base}/${post.kind}/${post.slug || post.id}/`
/** The permanent URL of a series by its ID, for those who do not know its slug. */
export const seriesUrl = (id: number, base = BASE) => `${base}/series/${id}/`
export const mediaUrl = (file: string, base = BASE) => `${base}/media/${file}`

/** The URLs and words that replace the markers. */
export type Origin = { base: string; root: string; vendor: string; host: string }

const places = new WeakMap<Origin, Buffer[]>()

/** The replacement of each marker, by its byte. */
function placesOf(origin: Origin): Buffer[] {
  const known = places.get(origin)
  if (known) return known
  const texts = { [BASE]: origin.base, [ROOT]: origin.root, [VENDOR]: origin.vendor, [HOST]: origin.host }
  const values = [Buffer.alloc(0)] // no marker is 0
  for (const [mark, text] of Object.entries(texts)) values[mark.charCodeAt(0)] = Buffer.from(text)
  places.set(origin, values)
  return values
}

/** `json` with its markers replaced, as a list of parts. It is neither copied nor decoded. */
export function place(json: Buffer, origin: Origin): Buffer[] {
  const values = placesOf(origin)
  const next = values.map((_, mark) => (mark === 0 ? -1 : json.indexOf(mark)))
  /** The next marker; 0 if there is none. */
  const first = () => {
    let nearest = 0
    for (let mark = 1; mark < next.length; mark++)
      if (next[mark]! >= 0 && (nearest === 0 || next[mark]! < next[nearest]!)) nearest = mark
    return nearest
  }
  const parts: Buffer[] = []
  let from = 0
  for (let mark = first(); mark > 0; mark = first()) {
    const at = next[mark]!
    parts.push(json.subarray(from, at), values[mark]!)
    from = at + 1
    next[mark] = json.indexOf(mark, from)
  }
  parts.push(json.subarray(from))
  return parts
}

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
