import { hostname } from 'node:os'

/** The URLs of a list of hosts, as libpq takes it: postgres://one,two:5433/calendar. */
export function urlsOf(url: string): string[] {
  const [, before, hosts, after] = /^([^:]+:\/\/(?:[^/?@]*@)?)([^/?]*)(.*)$/.exec(url)!
  return hosts!.split(',').map((host) => before + host + after)
}

/** The URL without its password, for people. */
export const redacted = (url: string) =>
  url.replace(/^([^:]+:\/\/[^:/?@]*):.*@/, '$1:***@').replace(/([?&]\w*password=)[^&]*/gi, '$1***')

/** Addresses that are the same on every machine. */
const ANYWHERE = /^(0\.0\.0\.0|::|\[::\]|localhost|::1|\[::1\]|127\..*)$/

/** Where a node listens, so that nobody mistakes it for another: by the name of the machine if its address says nothing of that. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const name = ANYWHERE.test(host) ? hostname() : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
