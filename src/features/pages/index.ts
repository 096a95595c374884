import type { ServiceFeature } from '../host.ts'
import { openPages, type Pages } from './pages.ts'
import { linkedPages, seriesPages, termPages } from './routes/archives.ts'
import { embedPages } from './routes/embed.ts'
import { eventPages, previewPages } from './routes/event.ts'
import { pageFiles } from './routes/files.ts'
import { listPages } from './routes/lists.ts'
import { dayPages, monthPages } from './routes/months.ts'
import { permalinks } from './routes/permalinks.ts'
import { sitemaps } from './routes/sitemap.ts'
import { subscribePages } from './routes/subscribe.ts'
import { PAGES_SETTINGS } from './settings.ts'
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
  subscribePages,
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
