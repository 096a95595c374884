import type { IncomingMessage } from 'node:http'

/** The addresses, below a mount, of what has formats besides JSON. */
export const FORMATTED = /^\/(events(\/\d+)?|(categories|tags|venues|organizers|series)\/\d+)(?=\/?(\?|$))\/?/
/** The parameter by which WordPress clients ask for iCalendar. */
const ASKED = /^(outlook-)?ical=(1|true)$/i

/** The URL without that parameter; undefined if it does not ask for iCalendar. */
export function withoutIcal(url: string): string | undefined {
  const [path, query] = url.split(/\?(.*)/s, 2)
  const all = query?.split('&') ?? []
  const others = all.filter((pair) => !ASKED.test(pair))
  if (others.length === all.length) return undefined
  return others.length === 0 ? path : `${path}?${others.join('&')}`
}

/** iCalendar, if a URL asks for it by that parameter, and the URL without it. */
export function icalIn(url: string) {
  const rest = withoutIcal(url)
  return rest === undefined ? undefined : { extension: 'ics', rest }
}

/** The internal prefix of iCalendar at public addresses, which no request can use directly. */
export const ICAL = '/-ical'
/** The public addresses, outside the API, of what has a calendar; some begin with a language. */
const PUBLIC =
  /^(?:\/([a-z]{2,3}(?:-\w+)*))?(\/(?:events|(?:event|series|venue|organizer|events\/(?:category|tag))\/[^/?]+)\/?(?:\?.*)?)$/

/** The internal URL of the calendar that a request at a public address asks for by `ical=1`; undefined for others. */
export function calendarAt({ method }: Pick<IncomingMessage, 'method'>, url: string): string | undefined {
  const [, language, rest] = PUBLIC.exec(url) ?? []
  const calendar = rest === undefined ? undefined : withoutIcal(rest)
  if (calendar === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (language === undefined) return ICAL + calendar
  return `${ICAL}${calendar}${calendar.includes('?') ? '&' : '?'}i18n_language=${language}`
}
