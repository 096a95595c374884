import type { TObject } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import type { Service } from '../../calendar/resource/service.ts'
import { addPreparation } from '../../calendar/resource/writes.ts'
import { faultsOf } from '../../kernel/input/query.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import type { Markup } from '../../kernel/text/markup.ts'
import { ICAL } from '../feeds/addresses.ts'
import type { ServiceFeature } from '../host.ts'
import { discoveryRoutes, openPlace, type Place, pageHeaders, WP } from './discovery.ts'
import type { PostType } from './formats.ts'
import { wpMediaRoutes } from './media.ts'
import { knowsPictures, tidied } from './requests.ts'
import { tecRoutes } from './tec-v1.ts'
import { movedRoutes } from './views.ts'
import { wpRoutes } from './wp-v2.ts'

declare module '../host.ts' {
  interface SiteParts {
    /** The addresses around a mount below `/wp-json`, if there is one. */
    place?: Place
    /** What the heads of pages say about them, by language. */
    markupIn?(language: string): Markup
  }
}

/** What WordPress clients look for beside the API itself, if a mount is below `/wp-json`. */
export const wordpress: ServiceFeature = {
  name: 'wordpress',
  needs: ['imports', 'feeds'],
  addToSite({ config, mounts, site }, parts) {
    const place = openPlace(mounts, site.languages, config)
    if (place === undefined) return
    Object.assign(parts, { place, markupIn: place.markupIn(config.baseUrl) })
    parts.rewrites.push(place.rewrite)
  },
  async plugin(app, { parts: { place }, service }) {
    if (place === undefined) return
    // the hooks come first: they are for pages and the API, which are registered later
    const hooks = [pageHeaders(place), tidyWrites(place), listLanguages(place)]
    const namespaces = [discoveryRoutes(place), wpRoutes(place), wpMediaRoutes(place), tecRoutes(place)]
    for (const routes of [...hooks, movedRoutes, ...namespaces]) app.register(routes, { service })
  },
}

/** The bodies that are understood, by their schemas. */
const BODIES: Record<string, PostType> = {
  EventInput: 'tribe_events',
  EventUpdate: 'tribe_events',
  VenueInput: 'tribe_venue',
  VenueUpdate: 'tribe_venue',
  OrganizerInput: 'tribe_organizer',
  OrganizerUpdate: 'tribe_organizer',
}

/**
 * Understands members in writes to the API that The Events Calendar drops in silence and whose meaning is plain, such as `venue_id`: at
 * the mounts below `/wp-json` alone. Register it before the routes of the API.
 */
const tidyWrites = (place: Place) =>
  fp<{ service: Service }>(
    async (app, { service }) => {
      app.addHook('onRoute', (route) => {
        const { hide, body = {} } = { ...route.schema }
        const type = hide ? undefined : BODIES[(body as { $ref: string }).$ref]
        if (type === undefined) return
        addPreparation(route, async (request) => {
          const mount = mountOf(request)
          if (mount !== undefined && place.own.has(mount))
            request.body = await tidied(
              type,
              request.body as Record<string, unknown>,
              knowsPictures(service, request),
            )
        })
      })
    },
    { name: 'untidy writes', dependencies: ['methods', 'validator'] },
  )

/** The lists and calendars of all records of a kind, by their routes. */
const LISTS = new RegExp(
  `^(?:${ICAL}|${WP}/(?:wp/v2|tec/v1))?/(?:events|series|venues|organizers|categories|tags|suggest|search|tribe_\\w+)(?:\\.[^/]*)?$`,
)
/** Parameters that name records, whatever language they have. */
const NAMING = ['include', 'slug']
/** The word that stands for all languages. */
const ANY = 'any'

/**
 * Visitors get lists at addresses without a language in the first one, as the pages there are, so that who copies a calendar does not
 * take each translation for an event of its own. `i18n_language=any` lists all, as those who sign in get anyway: what they wrote, they
 * have to find. At the mount of our own API nothing changes. Register it before the routes of the API.
 */
const listLanguages = (place: Place) =>
  fp<{ service: Service }>(
    async (app, { service }) => {
      const [standard] = service.site.languages
      app.addHook('onRoute', (route) => {
        const query = route.schema?.querystring as TObject | undefined
        if (!LISTS.test(route.url) || query?.properties.i18n_language === undefined) return
        addPreparation(route, async (request) => {
          const mount = mountOf(request)
          if (mount !== undefined && (mount.language !== undefined || !place.own.has(mount))) return
          const asked = request.given.i18n_language?.values.at(-1)
          if (asked === ANY) delete faultsOf(request.query).i18n_language
          const isOpen = asked === undefined && !NAMING.some((name) => name in request.given)
          if (isOpen && place.listsOne && !request.caller)
            (request.query as { i18n_language?: string }).i18n_language = standard!
        })
      })
    },
    { name: 'languages of lists', dependencies: ['methods', 'parameters'] },
  )
