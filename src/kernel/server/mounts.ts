import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type ApiError, invalid } from '../errors.ts'
import type { Negotiation } from '../output/negotiation.ts'

/** A path at which the API is served: a namespace, with or without a language root (R1, D21). */
export type Mount = {
  /** Path without slash at the end, such as `/ca/calendar/events/v1`. */
  path: string
  /** The namespace in the index, without `/wp-json/` and language. */
  namespace: string
  /** The language of its root; undefined without one. */
  language: string | undefined
  /** First word of the namespace, which is part of the names of taxonomies. */
  vendor: string
}

/** All mounts of the API: the namespace and each compatibility prefix, without and with each language. */
export function buildMounts(
  namespace: string,
  prefixes: readonly string[],
  languages: readonly string[],
): Mount[] {
  return [`/${namespace}`, ...prefixes].flatMap((path) =>
    [undefined, ...languages].map((language) => {
      const name = path.replace(/^\/(wp-json\/)?/, '')
      return {
        path: language ? `/${language}${path}` : path,
        namespace: name,
        language,
        vendor: name.split('/')[0]!,
      }
    }),
  )
}

const MOUNT = Symbol('mount')
type Mounted = IncomingMessage & { [MOUNT]?: Mount }
/** The internal prefix of routes outside the API, which no request can use directly. */
export const SITE = '/-site'

/** The path of `BASE_URL`, without slash at the end; empty if it has none. */
export const prefixOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/** Throws `unusable` if a URL below the path of `BASE_URL` could also be that of another mount without it. */
export function checkPrefix(prefix: string, mounts: readonly Mount[]) {
  const [one] = mounts.filter(({ path }) =>
    mounts.some((other) => prefix !== '' && prefix + other.path === path),
  )
  if (one)
    throw Object.assign(
      new Error(`BASE_URL must not end with ${prefix}, because ${one.path} is a path of the API itself`),
      { unusable: true },
    )
}

/** What matches the paths of these routes outside the API, without the internal prefix. */
function patternOf(routes: readonly { url: string }[]): RegExp {
  const patterns = routes
    .filter(({ url }) => url.startsWith(`${SITE}/`))
    .map(({ url }) =>
      url
        .slice(SITE.length)
        .replace(/\/$/, '')
        .replaceAll('.', '\\.')
        .replaceAll('*', '[^?]*')
        .replace(/:\w+(\([^)]*\))?/g, '[^/?]+'),
    )
  return new RegExp(`^(${[...new Set(patterns)].join('|')})/?(\\?|$)`)
}

/**
 * Before routing, removes the mount from the URL, applies method overrides, and goes to the format that `Accept` asks for; other URLs
 * go to the routes of the site. `prefix` is the path of `BASE_URL`: a proxy may remove it or not. `rewrites` have addresses beside the mounts.
 */
export function buildRewrite(
  mounts: readonly Mount[],
  prefix: string,
  { resolve }: Pick<Negotiation, 'resolve'>,
  rewrites: readonly Rewrite[],
) {
  /** The path below its mount, which is noted at the request; undefined if it is in none. */
  function inMount(request: Mounted, url: string): string | undefined {
    for (const mount of mounts) {
      if (!url.startsWith(mount.path)) continue
      const rest = url.slice(mount.path.length)
      if (/^\/(-|%2d)/i.test(rest)) return undefined
      if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') continue
      request[MOUNT] = mount
      return resolve(request, rest[0] === '/' ? rest : `/${rest}`)
    }
    return undefined
  }
  function beside(request: Mounted, url: string): string | undefined {
    for (const rewrite of rewrites) {
      const to = rewrite(request, url, (other) => inMount(request, other))
      if (to !== undefined) return to
    }
    return undefined
  }
  let outside: RegExp | undefined
  return function (this: Pick<FastifyInstance, 'routesAdded'>, request: Mounted): string {
    if (request.method === 'POST') overrideMethod(request)
    // the absolute form of a URL contains the host (RFC 9112 §3.2.2)
    const url = request.url!.replace(/^https?:\/\/[^/?]*/i, '')
    const found = inMount(request, url)
    if (found !== undefined) return found
    if (
      prefix === '' ||
      !/^[/?]?$/.test(url.slice(prefix.length, prefix.length + 1)) ||
      !url.startsWith(prefix)
    )
      return beside(request, url) ?? SITE + url
    const rest = url.slice(prefix.length).replace(/^(?!\/)/, '/')
    const within = inMount(request, rest) ?? beside(request, rest)
    outside ??= patternOf(this.routesAdded) // requests come when all routes are there
    return within ?? SITE + (outside.test(rest) ? rest : url)
  }
}

/**
 * Addresses beside the mounts: the internal URL of one, or undefined if it has none. `enter` goes into the mount that a URL is in, and
 * returns the path below it.
 */
export type Rewrite = (
  request: Mounted,
  url: string,
  enter: (url: string) => string | undefined,
) => string | undefined

/** The mount of a request; undefined outside the API. */
export const mountOf = (request: { raw: Mounted }): Mount | undefined => request.raw[MOUNT]

/** The methods that a POST may stand for. */
const TARGETS = ['GET', 'PUT', 'PATCH', 'DELETE']

const OVERRIDE = Symbol('override')
type Overridden = Pick<IncomingMessage, 'headers' | 'method' | 'url'> & {
  [OVERRIDE]?: { by: string; isKnown: boolean }
}

/**
 * Replaces the method of a POST by that in the parameter `_method`, or else in the header `X-HTTP-Method-Override`,
 * as WordPress does, for clients behind proxies that pass only GET and POST. Call it before routing, so that
 * rights, conditions and limits are those of the intended method.
 */
export function overrideMethod(request: Overridden) {
  const parameter = /[?&]_method=([^&#]*)/.exec(request.url!)?.[1]
  const wanted = (parameter ?? request.headers['x-http-method-override'])?.toString().trim().toUpperCase()
  if (wanted === undefined || wanted === 'POST') return
  const isKnown = TARGETS.includes(wanted)
  request[OVERRIDE] = { by: parameter === undefined ? 'X-HTTP-Method-Override' : '_method', isKnown }
  if (isKnown) request.method = wanted
}

/** Whether the request is a POST that stands for another method. */
export const isOverridden = (request: Overridden) => request[OVERRIDE] !== undefined

/** The 400 for a POST with an override that is not allowed. */
export function refusedOverride({ [OVERRIDE]: override }: Overridden): ApiError | undefined {
  if (override === undefined || override.isKnown) return undefined
  return invalid({ [override.by]: `must be one of ${TARGETS.join(', ')}, on a POST.` })
}
