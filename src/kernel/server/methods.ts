import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'
import type { ResponseHead } from '../output/header-values.ts'
import { noRoute } from './errors.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
const REFUSED = new Set([...METHODS, 'OPTIONS'])

/** The URL of the only route of @fastify/cors, which serves OPTIONS of all URLs. */
const ANY = '*'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, in the order in which they were added, but those of other methods. */
    routesAdded: RouteOptions[]
    /** The address of a request that no route is for, if it has routes of other methods. */
    besideRoutes(request: Sent): Address | undefined
  }
}

/** The method of a request, and its URL below the mount. */
type Sent = { method: string; raw: { url?: string } }

/** The error of a request that no route is for: 405 with `Allow` if its address has other methods (D27), else 404. */
export function refusalBeside(request: Sent & Pick<FastifyRequest, 'server'>, head: ResponseHead): ApiError {
  const address = request.server.besideRoutes(request)
  return address ? refuse(address, head) : noRoute()
}

function refuse({ allow }: Address, head: ResponseHead): ApiError {
  head.header('allow', allow)
  return new ApiError('rest_method_not_allowed', `This route supports ${allow}.`)
}

const answer = ({ allow }: Address, reply: FastifyReply) =>
  reply.code(204).header('allow', allow).header('access-control-allow-methods', allow).send()

/**
 * Records all routes, and answers methods that their URLs lack: OPTIONS with 204 and any other with 405, both with `Allow` (D27). Register
 * it before any route.
 */
export const methods = fp(
  async (app) => {
    const added: RouteOptions[] = []
    let addresses: Address[] | undefined
    let limit: onRequestAsyncHookHandler | undefined
    app.decorate('routesAdded', added)
    app.decorate('besideRoutes', ({ method, raw }) => {
      addresses ??= addressesOf(added) // requests come when all routes are there
      const address = REFUSED.has(method) ? addressAt(addresses, raw.url!) : undefined
      return address?.methods.includes(method) ? undefined : address // a route may find nothing by itself
    })
    app.setNotFoundHandler((request, reply) => {
      throw refusalBeside(request, reply)
    })
    app.addHook('onRoute', (route) => {
      if (route.url !== ANY) return void (isOther(route) || added.push(route))
      route.onRequest = [
        async (request) => {
          if (!app.besideRoutes(request)) throw noRoute()
        },
        // as all routes are that are added after the limits
        async function (request, reply) {
          limit ??= app.rateLimit() as unknown as onRequestAsyncHookHandler
          await limit.call(this, request, reply)
        },
      ]
      route.handler = (request, reply) => answer(app.besideRoutes(request)!, reply)
    })
  },
  { name: 'methods' },
)

const isOther = ({ method }: RouteOptions) => method.includes('OPTIONS')

/** Adds the methods that URLs lack where a request with one would come to the route of another URL. Register it after all routes. */
export const otherMethods = fp(
  async (app) => {
    for (const address of overlapping(addressesOf(app.routesAdded))) {
      const missing = METHODS.filter((name) => !address.methods.includes(name))
      app.route({
        method: ['OPTIONS', ...missing],
        url: address.url,
        schema: { hide: true },
        exposeHeadRoute: false,
        // before a body is read
        onRequest: (request, reply, done) =>
          request.method === 'OPTIONS' ? done() : done(refuse(address, reply)),
        handler: (_request, reply) => answer(address, reply),
      })
    }
  },
  { name: 'other methods', dependencies: ['methods', 'permissions'] },
)

/** A URL of routes, the methods that it has, and what `Allow` says of them (D27). */
export type Address = { url: string; methods: readonly string[]; allow: string }

/** The URLs of these routes, in their order. */
export function addressesOf(routes: readonly RouteOptions[]): Address[] {
  const known = new Map<string, string[]>()
  for (const { url, method } of routes) known.set(url, (known.get(url) ?? []).concat(method))
  return [...known].map(([url, given]) => {
    const methods = given.sort()
    return { url, methods, allow: [...methods, 'OPTIONS'].join(', ') }
  })
}

/** The part of a URL between slashes: the text that it begins with, and whether that is all of it or a parameter follows. */
type Segment = { text: string; isWhole: boolean }

function segmentsOf(url: string): Segment[] {
  return withoutSlash(url)
    .split('/')
    .map((part) => {
      const end = part.search(/[:*]/)
      return end < 0 ? { text: part, isWhole: true } : { text: part.slice(0, end), isWhole: false }
    })
}

/** As the router sees a URL: with and without a slash at its end it is the same. */
const withoutSlash = (url: string) => url.replace(/(?<=.)\/$/, '')

/** Whether there may be a text that is both. */
const agree = (a: Segment, b: Segment) =>
  a.isWhole && b.isWhole
    ? a.text === b.text
    : (!b.isWhole && a.text.startsWith(b.text)) || (!a.isWhole && b.text.startsWith(a.text))

/**
 * The URLs that share addresses with another one of other methods, such as `/users/:id/passkeys/options` with
 * `/users/:id/passkeys/:passkey_id`: a request whose method one of them lacks would come to the route of the other. No URL with `*`
 * shares addresses with another one.
 */
export function overlapping(addresses: readonly Address[]): Set<Address> {
  const found = new Set<Address>()
  const alike = new Map<string, { address: Address; segments: Segment[] }[]>()
  for (const address of addresses) {
    const segments = segmentsOf(address.url)
    // those of one length which begin alike
    const group = `${segments.length} ${segments[1]?.text.split('.')[0]}`
    const others = alike.get(group) ?? []
    for (const other of others)
      if (
        other.address.allow !== address.allow &&
        segments.every((segment, i) => agree(segment, other.segments[i]!))
      )
        found.add(address).add(other.address)
    others.push({ address, segments })
    alike.set(group, others)
  }
  return found
}

/** A parameter, with what it must be if the URL says so; an asterisk; and a point, which is nothing else. */
const PARTS = /:\w+(?:\(\^?(.*?)\$?\)(?=[./]|$))?|\*|\./g

/** What matches the paths of a URL, by the URL: applications of one process have the same ones. */
const patterns = new Map<string, RegExp>()

function patternOf(url: string): RegExp {
  const known = patterns.get(url)
  if (known) return known
  const text = withoutSlash(url).replace(PARTS, (part, own?: string) =>
    part === '.' ? '\\.' : part === '*' ? '.*' : own ? `(?:${own})` : '[^/]+',
  )
  const pattern = new RegExp(`^${text}$`)
  patterns.set(url, pattern)
  return pattern
}

/** The first of these URLs that has the path of a request, as the router would read it; undefined if it can not be decoded. */
export function addressAt(addresses: readonly Address[], url: string): Address | undefined {
  const path = decodePath(withoutSlash(url.replace(/[?#].*/s, '')))
  return path === undefined ? undefined : addresses.find(({ url }) => patternOf(url).test(path))
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}
