import type { Post } from './v1.ts'

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

/** The permanent URL of a record, and the URL of an image. */
export const permalink = (post: Post) => `${BASE}/${post.kind}/${post.slug || post.id}/`
export const mediaUrl = (file: string) => `${BASE}/media/${file}`
