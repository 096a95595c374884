import { signal } from './signal.ts'

const { api, site, home, languages, zone, currency, asks, mails, mirror, forwards, openid, local } =
  document.documentElement.dataset
const { submits, digests } = document.documentElement.dataset

/** The name of the calendar, which an administrator may change while the desk is open. */
export const siteName = signal(site!)

/** What the service says about itself in the page of the desk. */
export const SITE = {
  /** Path of the API. */
  api: api!,
  get name() {
    return siteName.get()
  },
  /** Path of the public pages; empty without pages. */
  home: home!,
  /** The languages of records; the first is the default. */
  languages: languages!.split(','),
  zone: zone!,
  currency: currency!,
  /** Whether nobody has said yet what time zone, currency and language are. */
  asks: asks !== undefined,
  /** Whether the service sends mail. */
  mails: mails !== undefined,
  /** What the calendar is a mirror of, if it is one. */
  mirror,
  /** Whether writes are passed on to it. */
  forwards: forwards !== undefined,
  /** What the provider is called with which people sign in, if there is one. */
  openid,
  /** Whether people sign in without it. */
  local: local !== 'off',
  /** Whether visitors may propose events. */
  submits: submits !== undefined,
  /** Whether visitors may subscribe to events by mail. */
  digests: digests !== undefined,
}

/** The whole address of a path of the API, for programs elsewhere. */
export const apiUrl = (path: string): string => `${location.origin}${SITE.api}${path}`

/** The path of an address of this service, by which it is reached from wherever the desk was. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, location.href)
  return pathname + search
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const textOf = (html: string) => html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)

/** Reads the page of the desk again: takes over its name and its colour, and gives what it says of the site. */
export async function refresh() {
  const answer = await fetch(location.pathname, { cache: 'no-cache', credentials: 'omit' })
  const page = await answer.text()
  const said = (name: string) => textOf(new RegExp(` data-${name}="([^"]*)"`).exec(page)?.[1] ?? '')
  const style = / href="([^"]+\.css)"/.exec(page)?.[1]
  const link = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')!
  if (answer.ok && style !== undefined && link.getAttribute('href') !== style) link.href = style
  if (answer.ok) siteName.set(said('site'))
  return { zone: said('zone'), currency: said('currency'), languages: said('languages') }
}
