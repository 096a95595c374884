import type { Mount, Rewrite } from '../../kernel/server/mounts.ts'
import { html, type Markup } from '../../kernel/text/markup.ts'
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
