import type { FastifyReply, FastifyRequest } from 'fastify'
import { NAMED_DAYS } from '../../calendar/days.ts'
import { pathIn } from '../../calendar/formats/urls.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import type { PublicKind, PublicRecord } from '../../calendar/store.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { html, type Markup, textOf, trusted } from '../../kernel/text/markup.ts'
import { absolute } from './layout.ts'
import { pathsOf, withDefault } from './page.ts'
import type { Pages } from './pages.ts'

/** A page as search engines are told of it. Addresses are absolute. */
type SitemapEntry = {
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

function addressOf({ url, modified, languages }: SitemapEntry): Markup {
  const links = Object.entries(languages).map(
    ([language, href]) => html`<xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`,
  )
  return html`<url><loc>${url}</loc>${lastmod(modified)}${links}</url>
`
}

/** The entries of some pages in a site map. */
const printEntries = (pages: SitemapEntry[]): string => pages.map((page) => textOf(addressOf(page))).join('')

/** A site map of entries (sitemaps.org, with the links to translations that search engines read). */
const printSitemap = (...entries: string[]): string =>
  whole(html`<urlset xmlns="${SITEMAP}" xmlns:xhtml="${XHTML}">
${trusted(entries.join(''))}</urlset>`)

/** The list of the parts of a site map. */
const printSitemapIndex = (parts: Pick<SitemapEntry, 'url' | 'modified'>[]): string =>
  whole(html`<sitemapindex xmlns="${SITEMAP}">
${parts.map(({ url, modified }) => html`<sitemap><loc>${url}</loc>${lastmod(modified)}</sitemap>\n`)}</sitemapindex>`)

/** What robots may read, which is everything, and where the site map is (RFC 9309). */
const printRobots = (sitemap: string): string => `User-agent: *\nDisallow:\n\nSitemap: ${sitemap}\n`

const XML = 'application/xml; charset=utf-8'
/** The lists of events, which have a page in every language. */
const LISTS = [
  '/',
  '/events/',
  ...NAMED_DAYS.map((name) => `/events/${name}/`),
  '/events/online/',
  '/events/free/',
  '/events/subscribe/',
]

/** Tells search engines the addresses of all public pages. */
function openSitemap({ front }: Pages, { store }: Service) {
  const address = (path: string) => absolute({ front }, path)
  const known = (paths: Record<string, string>, language: string, modified: string): SitemapEntry => {
    const urls = Object.entries(paths).map(([to, path]): [string, string] => [to, address(path)])
    const languages = urls.length > 1 ? withDefault(front, Object.fromEntries(urls)) : {}
    return { url: address(paths[language]!), modified, languages }
  }

  /** The pages of a record: in its own language, and the oldest of a set of translations in those that have none. */
  function pagesOf(kind: PublicKind, { id, modified, group }: PublicRecord): SitemapEntry[] {
    const all = group.map((one) =>
      kind === 'category' || kind === 'tag' ? { ...one, taxonomy: kind } : { ...one, kind },
    )
    const paths = pathsOf(front, all)
    return Object.keys(paths)
      .filter((language) => (group.find((one) => one.language === language) ?? group[0]!).id === id)
      .map((language) => known(paths, language, modified))
  }

  const print = {
    some: (kind: PublicKind, records: PublicRecord[]) =>
      printEntries(records.flatMap((record) => pagesOf(kind, record))),
    whole: (texts: string[]) => Buffer.from(printSitemap(...texts)),
  }

  return {
    robots: printRobots(address(`${front.path}/sitemap.xml`)),
    async index(): Promise<string> {
      const parts = [{ url: address(`${front.path}/sitemap-list-1.xml`), modified: '' }]
      for (const kind of store.parts.kinds)
        for (const { part, modified } of await store.parts.list(kind))
          parts.push({ url: address(`${front.path}/sitemap-${kind}-${part}.xml`), modified })
      return printSitemapIndex(parts)
    },
    lists: () =>
      printSitemap(
        printEntries(
          LISTS.flatMap((page) => {
            const paths = front.languages.map((language) => [language, pathIn(front, language, page)])
            return front.languages.map((language) => known(Object.fromEntries(paths), language, ''))
          }),
        ),
      ),
    /** The pages of a part; undefined if it has none. */
    part: (kind: PublicKind, part: number) => store.parts.bytes(kind, part, print),
  }
}

/** `robots.txt`, and the site map in parts, which are kept and revalidated like lists. */
export const sitemaps = family('site maps', async (app, service) => {
  const { robots, index, lists, part } = openSitemap(app.pages!, service)
  const add = (
    url: string,
    type: string,
    print: (request: FastifyRequest) => string | Promise<string | Buffer | undefined>,
  ) =>
    app.get(
      SITE + url,
      { schema: { hide: true }, config: { operation: 'list', understands: [], costs: false } },
      async (request, reply: FastifyReply) => {
        const sent = await service.store.consistently(request, async () => print(request))
        if (sent === undefined) throw noRoute()
        return reply.type(type).send(Buffer.isBuffer(sent) ? sent : Buffer.from(sent))
      },
    )
  add('/robots.txt', 'text/plain; charset=utf-8', () => robots)
  add('/sitemap.xml', XML, index)
  add('/sitemap-list-1.xml', XML, lists)
  for (const kind of service.store.parts.kinds)
    add(`/sitemap-${kind}-:part(^[1-9]\\d{0,9}).xml`, XML, (request) =>
      part(kind, Number((request.params as { part: string }).part)),
    )
})
