import { discoveryMarkup } from '../../../formats/wordpress/discovery.ts'
import type { Face, Mount } from '../../server/mounts.ts'
import { openViews } from './views.ts'

/** Where WordPress has its REST API. */
const API = '/wp-json'
/** The internal prefix of what is served there beside the mounts, which no request can use directly. */
export const WP = '/-wp'

/** `/` and `/index.php`, in the default language or in that of a prefix, with a query. */
const FRONT = /^(?:\/([^/?]+))?\/(?:index\.php)?\?(.*)$/s

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

  const rewrite: Face = (request, given, enter) => {
    const url = routed(given) ?? given
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
    /** Whether a mount is one that clients of The Events Calendar use. */
    has: (mount: Mount | undefined) => mount !== undefined && own.includes(mount),
    /** The mounts without a language, whose namespaces the index lists. */
    mounts: own.filter(({ language }) => language === undefined),
    rootIn,
    urlsIn,
    /** What pages say to clients in their head, by their language; the first has no prefix. `base` is the URL of the service. */
    markupIn: (base: string) => (language: string) =>
      discoveryMarkup(urlsIn(base, language === languages[0] ? undefined : language)),
  }
}
export type Place = NonNullable<ReturnType<typeof openPlace>>

/** The URL below `/wp-json` that `rest_route` names; undefined for a URL without it. */
function routed(url: string): string | undefined {
  const [, language, query] = FRONT.exec(url) ?? []
  const pairs = query?.split('&') ?? []
  const route = pairs.findLast((pair) => pair.startsWith(ROUTE))?.slice(ROUTE.length)
  if (route === undefined) return undefined
  const others = pairs.filter((pair) => !pair.startsWith(ROUTE)).join('&')
  const path = `${rootIn(language)}/${pathOf(route)}`
  return others === '' ? path : `${path}?${others}`
}

/** A path in a query as one in an address. One that can not be decoded stays, and is refused as such. */
function pathOf(route: string): string {
  try {
    const path = decodeURIComponent(route.replaceAll('+', ' ')).replace(/^\/+/, '')
    return path.split('/').map(encodeURIComponent).join('/')
  } catch {
    return route
  }
}
