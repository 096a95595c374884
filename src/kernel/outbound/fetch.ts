import dns from 'node:dns'
import { BANNED, checkedLookup, type Guarded, isBanned } from './guard.ts'

/** What may be reached: hosts that the operator named, with their ports if these are not the usual ones, and public addresses. */
export type FetchOptions = Pick<Guarded, 'allow'> & Partial<Pick<Guarded, 'lookup'>> & { named: string[] }

const REDIRECTS = [301, 302, 303, 307, 308]
const MOST_REDIRECTS = 10

/** Whether a host is one of these, or that of one of them at its usual port, as where a site moved to https. */
const isNamed = ({ host, hostname, port }: URL, named: string[]) =>
  named.some((one) => one === host || (port === '' && new URL(`http://${one}`).hostname === hostname))

/** Whether whoever has an address may read what was meant for another one: the same host, and no less secret on the way. */
export const isSameReader = (from: URL, to: URL) =>
  isNamed(to, [from.host]) && (from.protocol !== 'https:' || to.protocol === 'https:')

const refused = (from: URL, to: string) =>
  Object.assign(
    new Error(
      `${from.host} redirects to ${to}, which is no public web address; name the address that is meant itself, or its host in DOWNLOAD_ALLOW`,
    ),
    { unusable: true },
  )

/**
 * `fetch` for addresses that the operator named. Their hosts may be private. Wherever a redirect leads to has to be public (R4), by each
 * address of its name, and credentials do not follow to another host. Requests with `redirect: 'manual'` follow nowhere.
 */
export function openFetch({ named, allow, lookup = dns.lookup }: FetchOptions): typeof globalThis.fetch {
  let guard: Promise<{ guarded: object; fetch: typeof globalThis.fetch }> | undefined
  /** What connects to public addresses alone; loaded with the first redirect to another host. */
  const openGuard = () =>
    (guard ??= import('undici').then(({ Agent, fetch }) => ({
      guarded: new Agent({ connect: { lookup: checkedLookup({ allow, lookup }, () => {}) } }),
      fetch: fetch as unknown as typeof globalThis.fetch,
    })))

  /** One request to an address to which a redirect led. */
  async function reach(url: URL, from: URL, init: RequestInit): Promise<Response> {
    if (isNamed(url, named)) return globalThis.fetch(url, init)
    if (!/^https?:$/.test(url.protocol) || isBanned(url, { allow }))
      throw refused(from, url.host || url.protocol)
    const { guarded, fetch } = await openGuard()
    return fetch(url, { ...init, dispatcher: guarded } as RequestInit).catch((error) => {
      throw error.cause?.code === BANNED ? refused(from, url.host) : error
    })
  }

  return async (input, init = {}) => {
    const first = new URL(String(input))
    const manual = { ...init, redirect: 'manual' as const }
    let [url, response] = [first, await globalThis.fetch(first, manual)]
    if (init.redirect === 'manual') return response
    for (let redirects = 0; REDIRECTS.includes(response.status); redirects++) {
      const location = response.headers.get('location')
      if (location === null) return response
      await response.body?.cancel()
      if (redirects === MOST_REDIRECTS || !URL.canParse(location, url.href))
        throw new Error('too many redirects')
      const next = new URL(location, url)
      const headers = new Headers(init.headers)
      if (!isSameReader(first, next)) for (const name of ['authorization', 'cookie']) headers.delete(name)
      response = await reach(next, url, { ...manual, headers })
      url = next
    }
    return response
  }
}
