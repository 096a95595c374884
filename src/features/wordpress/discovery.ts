import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Fields } from '../../../schemas/common.ts'
import { bodyOf, family, type Service } from '../../calendar/resource/service.ts'
import { routesAt } from '../../calendar/routes/namespace.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { mountOf, SITE } from '../../kernel/server/mounts.ts'
import { secondsOf, toWall } from '../../kernel/time/dates.ts'
import { discoveryHeaders, type Place, WP } from './place.ts'

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
        const plain = discoveryHeaders(urls)
        const headersOf = ({ params }: FastifyRequest) => {
          if (!shown) return plain
          const { slug } = params as { slug: string }
          return discoveryHeaders({ ...urls, api: urls.api + shown(encodeURIComponent(slug)) })
        }
        const addHeaders: onRequestHookHandler = (request, reply, done) => {
          reply.headers(headersOf(request))
          done()
        }
        route.onRequest = [route.onRequest, addHeaders].flat().filter((hook) => hook !== undefined)
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
    const { site, base } = service
    const rootOf = (request: FastifyRequest) => base + place.rootIn(mountOf(request)!.language)
    const schema = { hide: true, querystring: Type.Object(Fields) }

    const namespaces = () => [
      ...place.mounts.map(({ namespace }) => namespace),
      ...new Set(Object.values(ownRoutes(app, base)).map(({ namespace }) => namespace)),
    ]
    /** The routes below each root as JSON: some hundred kilobytes, which never change. */
    const printed = new Map<string, Buffer>()
    const routesBelow = (root: string): Buffer => {
      const known = printed.get(root)
      if (known) return known
      const mounted = place.mounts.map(({ namespace }) => routesAt(app, namespace, `${root}/${namespace}`))
      const routes = Buffer.from(JSON.stringify(Object.assign({}, ...mounted, ownRoutes(app, root))))
      printed.set(root, routes)
      return routes
    }

    app.get(`${WP}/`, { schema }, async (request, reply) => {
      const now = site.clock()
      const head = {
        name: service.branding().name,
        description: '',
        url: base,
        home: base,
        gmt_offset: (secondsOf(toWall(now, site.zone)) - secondsOf(toWall(now, 'UTC'))) / 3_600,
        timezone_string: site.zone,
        namespaces: namespaces(),
        authentication: [],
        _links: { help: [{ href: `${base}${place.mounts[0]!.path}/doc` }] },
      }
      const [begin] = JSON.stringify(head).split(/\}$/)
      return bodyOf(request, reply, [
        Buffer.from(`${begin},"routes":`),
        routesBelow(rootOf(request)),
        Buffer.from('}'),
      ])
    })

    app.get(`${WP}/:vendor/:version`, { schema }, async (request, reply) => {
      const { vendor, version } = request.params as { vendor: string; version: string }
      const namespace = `${vendor}/${version}`
      const root = rootOf(request)
      const routes = Object.entries(ownRoutes(app, root)).filter(([, route]) => route.namespace === namespace)
      if (routes.length === 0) throw noRoute()
      const body = { namespace, routes: Object.fromEntries(routes), _links: { up: [{ href: `${root}/` }] } }
      return bodyOf(request, reply, [Buffer.from(JSON.stringify(body))])
    })
  })

type Described = { namespace: string; methods: string[]; endpoints: object[] }

/** The routes beside the mounts, by their patterns, as the index shows them. `root` is the URL of the index without a slash. */
function ownRoutes(app: FastifyInstance, root: string): Record<string, Described> {
  const routes: Record<string, Described> = {}
  for (const { url, method, schema } of app.routesAdded) {
    const [, path, namespace] = OWN.exec(url) ?? []
    const methods = [method].flat().filter((name) => name !== 'HEAD')
    if (path === undefined) continue
    const args = Object.keys((schema!.querystring as TObject).properties)
    const self = path.includes(':') ? {} : { _links: { self: [{ href: root + path }] } }
    const pattern = path.replace(/:(\w+)/g, '(?P<$1>[\\w-]+)')
    routes[pattern] ??= {
      namespace: namespace!,
      methods: [],
      endpoints: [],
      ...self,
    }
    const known = routes[pattern]
    known.methods.push(...methods)
    known.endpoints.push({
      methods,
      args: Object.fromEntries(args.map((name) => [name, { required: false }])),
    })
  }
  return routes
}
/** A route beside the mounts: its path, and the namespace in it. */
const OWN = new RegExp(`^${WP}(/(\\w+/v\\d+)/.*)$`)
