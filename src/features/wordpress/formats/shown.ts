/** A record as its own endpoints show it, of which the forms of WordPress are made: what is hidden there is hidden here. */
// biome-ignore lint/suspicious/noExplicitAny: members differ by kind
export type Own = Record<string, any>

/** Where the REST API of WordPress is, without a slash at the end: `https://cal.example/wp-json`. */
export type Where = { rest: string }

/** Whether a record is shown for a page, or to be changed, with what was written beside what is rendered. */
export type Context = 'view' | 'embed' | 'edit'

const ESCAPES: Record<string, string> = { '&': '&#038;', '<': '&lt;', '>': '&gt;' }

/** One line of plain text as HTML. */
export const escaped = (text: string) => text.replace(/[&<>]/g, (character) => ESCAPES[character]!)

/** A text, as HTML and, to be changed, as it was written. */
export const rendered = (context: Context, html: string, raw: string = html) => ({
  rendered: html,
  ...(context === 'edit' && { raw }),
})

/** A local time, `2026-12-01T20:00:00`. */
export const moment = (wall: string) => wall.replace(' ', 'T')

/** Links of a record: relation and addresses. */
export type Links = Record<string, ({ href: string } & Record<string, unknown>)[]>

/** One link. */
export const link = (href: string, more: Record<string, unknown> = {}) => [{ href, ...more }]
