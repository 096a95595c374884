import type { ServiceFeature } from '../host.ts'
import type { Markup } from '../pages/html/markup.ts'
import { listLanguages, tidyWrites } from './compatibility.ts'
import { discoveryRoutes, pageHeaders } from './discovery.ts'
import { wpMediaRoutes } from './media.ts'
import { openPlace } from './place.ts'
import { tecRoutes } from './tec-v1.ts'
import { movedRoutes } from './views.ts'
import { wpRoutes } from './wp-v2.ts'

declare module '../host.ts' {
  interface SiteParts {
    /** The addresses around a mount below `/wp-json`, if there is one. */
    place?: ReturnType<typeof openPlace>
    /** What the heads of pages say about them, by language. */
    markupIn?(language: string): Markup
  }
}

/** What WordPress clients look for beside the API itself, if a mount is below `/wp-json`. */
export const wordpress: ServiceFeature = {
  name: 'wordpress',
  needs: ['pages'],
  addToSite({ config, mounts, site }, parts) {
    const place = openPlace(mounts, site.languages, config)
    if (place === undefined) return
    Object.assign(parts, { place, rewrite: place.rewrite, markupIn: place.markupIn(config.baseUrl) })
  },
  async plugin(app, { parts: { place }, service }) {
    if (place === undefined) return
    // the hooks come first: they are for pages and the API, which are registered later
    const hooks = [pageHeaders(place), tidyWrites(place), listLanguages(place)]
    const namespaces = [discoveryRoutes(place), wpRoutes(place), wpMediaRoutes(place), tecRoutes(place)]
    for (const routes of [...hooks, movedRoutes, ...namespaces]) app.register(routes, { service })
  },
}
