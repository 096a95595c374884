import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** The form of `dns.lookup` in use: all addresses of a name at once. */
export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void

/** `allow` lists hosts, addresses and CIDR blocks exempt from the ban (R4, R9 DOWNLOAD_ALLOW). */
export type Guarded = { allow: string[]; lookup: Lookup }

// ipaddr.js calls every unnamed block unicast, also ::7f00:1; only this block is allocated (RFC 4291, IANA).
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
// A public address by number, but in Azure the endpoint with the settings and secrets of each machine.
const AZURE_HOST = '168.63.129.16'

/**
 * Whether an IP address is public (R4). An IPv6 form that contains an IPv4 address is public if that address is.
 * Throws if the text is not an address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return isPublicIPv4(parsed)
  const carried = carriedIPv4(parsed)
  if (carried.length > 0) return carried.every(isPublicIPv4)
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_IPV6)
}

function isPublicIPv4(address: IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== AZURE_HOST
}

function carriedIPv4(address: IPv6): IPv4[] {
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === '6to4') return [new ipaddr.IPv4(bytes.slice(2, 6))]
  if (address.match(NAT64)) return [new ipaddr.IPv4(bytes.slice(12))]
  if (range !== 'teredo') return []
  // Teredo contains the address of its server as it is, and that of its client with all bits inverted (RFC 4380).
  return [new ipaddr.IPv4(bytes.slice(4, 8)), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 255))]
}

/** An absolute http(s) URL without credentials, or one that is relative to such a `base`; otherwise undefined. */
export function readWebUrl(location: string, base?: string): URL | undefined {
  if (!URL.canParse(location, base)) return undefined
  const url = new URL(location, base)
  const usable = url.protocol === 'http:' || url.protocol === 'https:'
  return usable && url.username === '' && url.password === '' ? url : undefined
}

/** Whether the host of a URL is an address that is banned. Node.js looks up only names, so this is asked before each request. */
export function isBanned({ hostname }: URL, { allow }: Pick<Guarded, 'allow'>): boolean {
  const host = bare(hostname)
  return isIP(host) !== 0 && !isAllowed(host, host, allow)
}

/** The code of the error of a connection to a name that has a banned address. */
export const BANNED = 'ADDRESS_NOT_ALLOWED'

/**
 * The `lookup` of one request; calls `ban` if an address of the name is banned. Node.js connects to the addresses that it returns,
 * without a second lookup.
 */
export function checkedLookup({ allow, lookup }: Guarded, ban: () => void): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { all: true }, (error, addresses = []) => {
      const first = addresses[0]
      if (first === undefined) return callback(error ?? new Error('no address'), [])
      if (!addresses.every(({ address }) => isAllowed(bare(hostname), address, allow))) {
        ban()
        return callback(Object.assign(new Error('not allowed'), { code: BANNED }), [])
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
}

/** Whether the host of a URL is banned, or a name of which an address is banned now. A name that is not found is not banned. */
export async function leadsInward(url: URL, guarded: Guarded): Promise<boolean> {
  if (isBanned(url, guarded)) return true
  return new Promise((resolve) => {
    checkedLookup(guarded, () => resolve(true))(bare(url.hostname), { all: true }, () => resolve(false))
  })
}

function isAllowed(host: string, address: string, allow: string[]): boolean {
  return isIP(address) !== 0 && (isPublic(address) || allow.some((entry) => exempts(entry, host, address)))
}

function exempts(entry: string, host: string, address: string): boolean {
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  }
  const name = bare(entry)
  return isIP(name) === 0 ? name === host : ipaddr.process(name).toString() === parsed.toString()
}

/** A host in the form for comparison: lower case, without the brackets of IPv6 and the final dot of DNS. */
function bare(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
}
