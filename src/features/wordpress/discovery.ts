import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Fields } from '../../../schemas/common.ts'
import { bodyOf, family, type Service } from '../../calendar/resource/service.ts'
import { routesAt } from '../../calendar/routes/namespace.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { type Mount, mountOf, type Rewrite, SITE } from '../../kernel/server/mounts.ts'
import { html, type Markup } from '../../kernel/text/markup.ts'
import { secondsOf, toWall } from '../../kernel/time/dates.ts'
import { openViews } from './views.ts'

/** Where WordPress has its REST API. */
const API = '/wp-json'
/** The internal prefix of what is served there beside the mounts, which no request can use directly. */
export const WP = '/-wp'

/** Addresses of the API, programs and files, which are no pages of WordPress. */
const TOOLS = /^\/(?:wp-json|desk|media|assets|healthz?|readyz|version|metrics)(?:[/?]|$)/
/** A page of WordPress or ours, below its language. */
const PAGE = /^\/?(?:(?:index\.php|feed|events?|venue|organizer|series|embed)(?:[/?].*)?)?$/s
/** The REST API below what is no language here. */
const ELSEWHERE = /^\/[^/?]+\/wp-json(?:[/?]|$)/
/** The name of the program before the REST API, as sites without rewriting have it. */
const PROGRAM = /^((?:\/[^/?]+)?)\/index\.php(?=\/wp-json(?:[/?]|$))/
/** What is below the root of the REST API where nothing is. */
const NOWHERE = '/-'

const ROUTE = 'rest_route='

/** The root of the REST API for a language, without a slash at the end; undefined is that of the site. */
const rootIn = (language: string | undefined) => `${language === undefined ? '' : `/${language}`}${API}`

/**
 * Where a site has what WordPress clients look for: beside the mounts below `/wp-json`, and at the addresses of calendars, feeds and views,
 * for each language. Undefined if no mount is below `/wp-json`.
 */
export function openPlace(
  mounts: readonly Mount[],
  languages: readonly string[],
  { pages, compatLanguages }: { pages: boolean; compatLanguages: 'first' | 'all' },
) {
  const own = mounts.filter(({ path, language }) => path.startsWith(`${rootIn(language)}/`))
  if (own.length === 0) return undefined
  const views = openViews(own[0]!.path, languages, pages)
  const roots = new Map([...own].reverse().map((mount) => [rootIn(mount.language), mount.path]))

  /** The URLs that pages in a language tell clients. */
  const urlsIn = (base: string, language: string | undefined) => ({
    rest: `${base}${rootIn(language)}/`,
    api: `${base}${language === undefined ? '' : `/${language}`}${own[0]!.path}/`,
    home: base,
  })

  const inLanguage = new RegExp(`^/(${languages.join('|')})(?=[/?]|$)`)
  /** The URL below `/wp-json` that `rest_route` names at any page; undefined for a URL without it. */
  const routed = (url: string): string | undefined => {
    if (!url.includes(ROUTE)) return undefined
    const [address = '', query = ''] = url.split(/\?(.*)/s, 2)
    const pairs = query.split('&')
    const route = pairs.findLast((pair) => pair.startsWith(ROUTE))?.slice(ROUTE.length)
    const [prefix = '', language] = inLanguage.exec(address) ?? []
    const page = address.slice(prefix.length)
    if (route === undefined || TOOLS.test(page)) return undefined
    const path = rootIn(language) + (PAGE.test(page) ? `/${pathOf(route)}` : NOWHERE)
    const others = pairs.filter((pair) => !pair.startsWith(ROUTE)).join('&')
    return others === '' ? path : `${path}?${others}`
  }
  /** Whether a URL looks for the REST API below a language that the site does not have. */
  const isElsewhere = (url: string) =>
    ELSEWHERE.test(url) && ![inLanguage, TOOLS, PAGE].some((known) => known.test(url))

  const rewrite: Rewrite = (request, given, enter) => {
    const plain = given.replace(PROGRAM, '$1')
    const url = isElsewhere(plain) ? API + NOWHERE : (routed(plain) ?? plain)
    const found = url === given ? undefined : enter(url)
    if (found !== undefined) return found
    for (const [root, mount] of roots) {
      const rest = url.startsWith(root) ? url.slice(root.length) : undefined
      if (rest === undefined || !/^([/?]|$)/.test(rest)) continue
      // whoever asks here gets JSON, also where there is nothing
      enter(mount)
      return WP + rest
    }
    return views(request, url, enter)
  }
  return {
    rewrite,
    /** Whether lists for visitors at addresses without a language are in the first one. */
    listsOne: compatLanguages === 'first',
    /** The mounts that clients of The Events Calendar use. */
    own: new Set(own),
    /** The mounts without a language, whose namespaces the index lists. */
    mounts: own.filter(({ language }) => language === undefined),
    rootIn,
    urlsIn,
    /** What pages say to clients in their head, by their language; the first has no prefix. `base` is the URL of the service. */
    markupIn(base: string) {
      const markups = languages.map((language, at) =>
        discoveryMarkup(urlsIn(base, at === 0 ? undefined : language)),
      )
      return (language: string) => markups[languages.indexOf(language)]!
    },
  }
}
export type Place = NonNullable<ReturnType<typeof openPlace>>

/** A path in a query as one in an address. One that can not be decoded stays, and is refused as such. */
function pathOf(route: string): string {
  try {
    const path = decodeURIComponent(route.replaceAll('+', ' ')).replace(/^\/+/, '')
    return path.split('/').map(encodeURIComponent).join('/')
  } catch {
    return route
  }
}

/** What WordPress clients look for on a page, as absolute URLs: the REST API, the API of the calendar, and the home of the site. */
type Discovery = { rest: string; api: string; home: string }

/** The version that pages of The Events Calendar tell (reference §9.2). */
const VERSION = 'v1'

/** The elements of a page by which clients find the APIs. */
const discoveryMarkup = ({ rest, api, home }: Discovery): Markup =>
  html`<link rel="https://api.w.org/" href="${rest}">
<meta name="tec-api-version" content="${VERSION}"><meta name="tec-api-origin" content="${home}"><link rel="alternate" href="${api}">`

/** The response headers of a page by which clients find the APIs. `api` may be the address of what the page shows. */
export const discoveryHeaders = ({ rest, api, home }: Discovery): Record<string, string> => ({
  link: `<${rest}>; rel="https://api.w.org/"`,
  'x-tec-api-version': VERSION,
  'x-tec-api-root': api,
  'x-tec-api-origin': home,
})

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
