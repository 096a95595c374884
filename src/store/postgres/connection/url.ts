/** The URLs of a list of hosts, as libpq takes it: postgres://one,two:5433/calendar. */
export function urlsOf(url: string): string[] {
  const [, before, hosts, after] = /^([^:]+:\/\/(?:[^/?@]*@)?)([^/?]*)(.*)$/.exec(url)!
  return hosts!.split(',').map((host) => before + host + after)
}

/** The URL without its password, for people. */
export const redacted = (url: string) =>
  url.replace(/^([^:]+:\/\/[^:/?@]*):.*@/, '$1:***@').replace(/([?&]\w*password=)[^&]*/gi, '$1***')
