import { html, type Markup, textOf, trusted } from '../../../kernel/text/markup.ts'

/** A page as search engines are told of it. Addresses are absolute. */
export type Known = {
  url: string
  /** The last change in UTC, as a wall clock; empty if it is not known. */
  modified: string
  /** The page in each language, by language; `x-default` for all others. */
  languages: Record<string, string>
}

const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const XHTML = 'http://www.w3.org/1999/xhtml'

const lastmod = (modified: string) => modified && html`<lastmod>${modified.replace(' ', 'T')}Z</lastmod>`
const whole = (root: Markup) => `<?xml version="1.0" encoding="UTF-8"?>\n${textOf(root)}\n`

function addressOf({ url, modified, languages }: Known): Markup {
  const links = Object.entries(languages).map(
    ([language, href]) => html`<xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`,
  )
  return html`<url><loc>${url}</loc>${lastmod(modified)}${links}</url>
`
}

/** The entries of some pages in a site map. */
export const printEntries = (pages: Known[]): string => pages.map((page) => textOf(addressOf(page))).join('')

/** A site map of entries (sitemaps.org, with the links to translations that search engines read). */
export const printSitemap = (...entries: string[]): string =>
  whole(html`<urlset xmlns="${SITEMAP}" xmlns:xhtml="${XHTML}">
${trusted(entries.join(''))}</urlset>`)

/** The list of the parts of a site map. */
export const printSitemapIndex = (parts: Pick<Known, 'url' | 'modified'>[]): string =>
  whole(html`<sitemapindex xmlns="${SITEMAP}">
${parts.map(({ url, modified }) => html`<sitemap><loc>${url}</loc>${lastmod(modified)}</sitemap>\n`)}</sitemapindex>`)

/** What robots may read, which is everything, and where the site map is (RFC 9309). */
export const printRobots = (sitemap: string): string => `User-agent: *\nDisallow:\n\nSitemap: ${sitemap}\n`
