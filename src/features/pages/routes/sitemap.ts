import type { FastifyReply, FastifyRequest } from 'fastify'
import { pathIn } from '../../../calendar/formats/paths.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import type { PublicKind, PublicRecord } from '../../../calendar/store.ts'
import { NAMED_DAYS } from '../../../calendar/time/days.ts'
import { noRoute } from '../../../kernel/server/errors.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { absolute } from '../html/layout.ts'
import { type Known, printEntries, printRobots, printSitemap, printSitemapIndex } from '../html/sitemap.ts'
import { pathsOf, withDefault } from '../html/view.ts'

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
function openKnown({ pages, store }: Service) {
  const { front } = pages!
  const address = (path: string) => absolute({ front }, path)
  const known = (paths: Record<string, string>, language: string, modified: string): Known => {
    const urls = Object.entries(paths).map(([to, path]): [string, string] => [to, address(path)])
    const languages = urls.length > 1 ? withDefault(front, Object.fromEntries(urls)) : {}
    return { url: address(paths[language]!), modified, languages }
  }

  /** The pages of a record: in its own language, and the oldest of a set of translations in those that have none. */
  function pagesOf(kind: PublicKind, { id, modified, group }: PublicRecord): Known[] {
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
  const { robots, index, lists, part } = openKnown(service)
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
