import type { Post } from './v1.ts'

/**
 * Stands in stored JSON for what depends on the address that was called. A control character never occurs
 * inside JSON text, where it is escaped, so these bytes can be told from content.
 */
export const BASE = '\u0001' // BASE_URL
export const ROOT = '\u0002' // the mount that was called, as URL
export const VENDOR = '\u0003' // first word of the mount's namespace
export const HOST = '\u0004' // host and path of BASE_URL

const MARKS: Record<string, string> = {
  '"\\u0001': `"${BASE}`,
  '"\\u0002': `"${ROOT}`,
  '"\\u0003': `"${VENDOR}`,
  '"\\u0004': `"${HOST}`,
}

/** JSON text in which texts that begin with a marker carry it as a raw byte. What clients send never begins so: readers drop control characters. */
export const print = (value: unknown) =>
  JSON.stringify(value).replace(/"\\u000[1-4]/g, (mark) => MARKS[mark]!)
/** An object's members, to be continued with others and a closing brace. */
export const open = (value: object) => Buffer.from(print(value).slice(0, -1))

/** Members without a value leave venues and organizers (reference §2.2). */
export const filled = (members: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== '' && value !== null && value !== undefined && value !== false,
    ),
  )

/** The page of a record, and the address of a picture. */
export const permalink = (post: Post) => `${BASE}/${post.kind}/${post.slug || post.id}/`
export const mediaUrl = (file: string) => `${BASE}/media/${file}`
