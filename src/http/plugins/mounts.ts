import type { IncomingMessage } from 'node:http'
import { overrideMethod } from './override.ts'

/** A path at which the API is served: a namespace, with or without a language root (R1, D21). */
export type Mount = {
  /** Path without slash at the end, such as `/ca/calendar/events/v1`. */
  path: string
  /** The namespace in the index, without `/wp-json/` and language. */
  namespace: string
  /** The language of its root; undefined without one. */
  language: string | undefined
  /** First word of the namespace, which is part of the taxonomy of categories. */
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
/** The internal prefix of routes outside the API, which no request can use directly. */
export const SITE = '/-site'

/** Before routing, removes the mount from the URL and applies method overrides; other URLs go to the routes of the site. */
export function buildRewrite(mounts: readonly Mount[]) {
  return (request: IncomingMessage & { [MOUNT]?: Mount }): string => {
    overrideMethod(request)
    // the absolute form of a URL contains the host (RFC 9112 §3.2.2)
    const url = request.url!.replace(/^https?:\/\/[^/?]*/i, '')
    for (const mount of mounts) {
      if (!url.startsWith(mount.path)) continue
      const rest = url.slice(mount.path.length)
      if (/^\/(-|%2d)/i.test(rest)) break
      if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') continue
      request[MOUNT] = mount
      return rest[0] === '/' ? rest : `/${rest}`
    }
    return SITE + url
  }
}

/** The mount of a request; undefined outside the API. */
export const mountOf = (request: { raw: IncomingMessage & { [MOUNT]?: Mount } }): Mount | undefined =>
  request.raw[MOUNT]
