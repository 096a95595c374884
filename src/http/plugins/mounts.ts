import type { IncomingMessage } from 'node:http'
import { overrideMethod } from './override.ts'

/** A place where the API answers: a namespace, below a language root or not (R1, D21). */
export type Mount = {
  /** Path without slash at the end, such as `/ca/calendar/events/v1`. */
  path: string
  /** What the index calls it: without `/wp-json/` and language. */
  namespace: string
  /** The language of its root; undefined at the plain one. */
  language: string | undefined
  /** First word of the namespace, which stands in the taxonomy of categories. */
  vendor: string
}

/** Every mount of the API: the namespace and each compatibility prefix, plain and below each language. */
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
/** Routes outside of the API live below this path, which no request can name. */
export const SITE = '/-site'

/** Takes the mount off the address before routing, and lets a POST stand for another method, so that routes are registered once; everything else goes to the site's routes. */
export function buildRewrite(mounts: readonly Mount[]) {
  return (request: IncomingMessage & { [MOUNT]?: Mount }): string => {
    overrideMethod(request)
    // a proxy's form of the address names the host as well (RFC 9112 §3.2.2)
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

/** The mount that a request came through; undefined outside of the API. */
export const mountOf = (request: { raw: IncomingMessage & { [MOUNT]?: Mount } }): Mount | undefined =>
  request.raw[MOUNT]
