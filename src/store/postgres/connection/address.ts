import { hostname } from 'node:os'

/** Addresses that are the same on every machine. */
const ANYWHERE = /^(0\.0\.0\.0|::|\[::\]|localhost|::1|\[::1\]|127\..*)$/

/** Where a node listens, so that nobody mistakes it for another: by the name of the machine if its address says nothing of that. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const name = ANYWHERE.test(host) ? hostname() : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
