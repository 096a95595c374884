import { family } from '../../calendar/resource/service.ts'
import type { PostKind, Taxonomy } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import type { ServiceFeature } from '../host.ts'
import { linkedPages, seriesPages, termPages } from './archives.ts'
import { pageFiles } from './assets.ts'
import { categoryPages } from './categories.ts'
import { embedPages } from './embed.ts'
import { eventPages, previewPages } from './event.ts'
import { listPages } from './lists.ts'
import { dayPages, monthPages } from './months.ts'
import { myListPages } from './my-list.ts'
import { openPages, PAGES_SETTINGS, type Pages } from './pages.ts'
import { sitemaps } from './sitemap.ts'
import { subscribePages } from './subscribe.ts'
import { addWordsCommand } from './words.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What pages share; undefined without pages. */
    pages: Pages | undefined
  }
}
declare module '../host.ts' {
  interface SiteParts {
    /** What pages share; undefined without pages. */
    pages?: Pages | undefined
  }
}

const PAGES = [
  listPages,
  monthPages,
  dayPages,
  embedPages,
  eventPages,
  previewPages,
  seriesPages,
  linkedPages,
  termPages,
  categoryPages,
  subscribePages,
  myListPages,
  pageFiles,
  sitemaps,
]

/** The public pages of the calendar; with `PAGES=off` the addresses of records lead to the API. */
export const pages: ServiceFeature = {
  name: 'pages',
  needs: ['feeds'],
  settings: PAGES_SETTINGS,
  addToSite({ config, site, branding }, parts) {
    parts.pages = openPages(config, site, branding, parts.markupIn)
    parts.versions.push(parts.pages?.front)
  },
  addCommands(program, tools) {
    addWordsCommand(program.command('words'), tools)
  },
  async plugin(app, { parts, service }) {
    app.decorate('pages', parts.pages)
    for (const routes of parts.pages ? PAGES : [permalinks]) app.register(routes, { service })
  },
}

const COLLECTION = {
  event: 'events',
  series: 'series',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
} as const

/**
 * The `url` of records with `PAGES=off`: it redirects to the record in the API (R9). To a caller who may not read the record it is as
 * unknown as a page of it would be.
 */
const permalinks = family('permanent addresses', async (app, { store, home }) => {
  const to = (kind: keyof typeof COLLECTION, id: number) => `${home}/${COLLECTION[kind]}/${id}`

  for (const kind of ['event', 'series', 'venue', 'organizer'] as PostKind[]) {
    app.get(`${SITE}/${kind}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const post = await store.posts.addressed(kind, slug, request.caller)
      if (!store.posts.isReadable(post, request.caller)) throw store.posts.unknown(kind, { slug })
      return reply.redirect(to(kind, post.id))
    })
  }
  for (const taxonomy of ['category', 'tag'] as Taxonomy[]) {
    app.get(`${SITE}/events/${taxonomy}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const [term] = await store.terms.seek(taxonomy, [slug], request.caller)
      if (!term)
        throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with the slug "${slug}".`)
      return reply.redirect(to(taxonomy, term.id))
    })
  }
})
