import { html, type Markup } from '../../../kernel/text/markup.ts'

/** What WordPress clients look for on a page, as absolute URLs: the REST API, the API of the calendar, and the home of the site. */
export type Discovery = { rest: string; api: string; home: string }

/** The version that pages of The Events Calendar tell (reference §9.2). */
const VERSION = 'v1'

/** The elements of a page by which clients find the APIs. */
export const discoveryMarkup = ({ rest, api, home }: Discovery): Markup =>
  html`<link rel="https://api.w.org/" href="${rest}">
<meta name="tec-api-version" content="${VERSION}"><meta name="tec-api-origin" content="${home}"><link rel="alternate" href="${api}">`

/** The response headers of a page by which clients find the APIs. `api` may be the address of what the page shows. */
export const discoveryHeaders = ({ rest, api, home }: Discovery): Record<string, string> => ({
  link: `<${rest}>; rel="https://api.w.org/"`,
  'x-tec-api-version': VERSION,
  'x-tec-api-root': api,
  'x-tec-api-origin': home,
})
