import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Fields } from '../../../../schemas/common.ts'
import { discoveryHeaders } from '../../../formats/wordpress/discovery.ts'
import { secondsOf, toWall } from '../../../rules/time/dates.ts'
import { bodyOf } from '../../resource/response.ts'
import { family, type Service } from '../../resource/service.ts'
import { mountOf, SITE } from '../../server/mounts.ts'
import { routesAt } from '../document/namespace.ts'
import { type Place, WP } from './place.ts'

/** Adds the headers by which clients find the API from a page. Register it before the pages. */
export const pageHeaders = (place: Place) =>
  fp<{ service: Service }>(
    async (app, { service }) => {
      app.addHook('onRoute', (route) => {
        if (route.config?.page !== 'calendar') return
        const [, first] = route.url.slice(SITE.length).split('/')
        const urls = place.urlsIn(
          service.base,
          service.site.languages.find((language) => language === first),
        )
        const shown = SHOWN.find(([end]) => route.url.endsWith(end))?.[1]
        const headersOf = ({ params }: FastifyRequest) => {
          const { slug } = params as { slug: string }
          return discoveryHeaders({ ...urls, api: urls.api + (shown ? shown(encodeURIComponent(slug)) : '') })
        }
        const tell = async (request: FastifyRequest, reply: FastifyReply) => {
          reply.headers(headersOf(request))
        }
        route.onRequest = [route.onRequest, tell].flat().filter((hook) => hook !== undefined)
      })
    },
    { name: 'discovery', dependencies: ['methods', 'headers'] },
  )

/** What a page shows, as the API has it, by the end of its route (reference §9.2). */
const SHOWN: [end: string, api: (slug: string) => string][] = [
  ['/event/:slug', (slug) => `events/by-slug/${slug}`],
  ['/events/category/:slug', (slug) => `events/?categories=${slug}`],
  ['/events/tag/:slug', (slug) => `events/?tags=${slug}`],
]

/** `/wp-json/`, the index of what is served there, and those of its namespaces. */
export const discoveryRoutes = (place: Place) =>
  family('discovery', async (app, service) => {
    const { site, base, name } = service
    const rootOf = (request: FastifyRequest) => base + place.rootIn(mountOf(request)!.language)
    const schema = { hide: true, querystring: Type.Object(Fields) }

    app.get(`${WP}/`, { schema }, async (request, reply) => {
      const root = rootOf(request)
      const now = site.clock()
      const mounted = place.mounts.map(({ namespace }) => routesAt(app, namespace, `${root}/${namespace}`))
      return bodyOf(request, reply, [
        printed({
          name,
          description: '',
          url: base,
          home: base,
          gmt_offset: (secondsOf(toWall(now, site.zone)) - secondsOf(toWall(now, 'UTC'))) / 3_600,
          timezone_string: site.zone,
          namespaces: place.mounts.map(({ namespace }) => namespace),
          authentication: [],
          routes: Object.assign({}, ...mounted),
          _links: { help: [{ href: `${base}${place.mounts[0]!.path}/doc` }] },
        }),
      ])
    })
  })

const printed = (body: object) => Buffer.from(JSON.stringify(body))
