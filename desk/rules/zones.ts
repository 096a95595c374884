import { asUtc, type Moment } from './wall.ts'

/** The day and time by the clocks of a zone; undefined if there is no such zone. */
function wallIn(timeZone: string, at: number): string | undefined {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)
  } catch {
    return undefined // what is being typed
  }
}

/** The time that a wall-clock time becomes which the clocks of a zone skip, as the API takes it: later by the gap. Undefined for one that they show. */
export function settled({ day, time }: Moment, zone: string): Moment | undefined {
  const wall = `${day} ${time}:00`
  const at = asUtc(wall)
  // a year that is being typed is long ago
  if (!(at >= 0)) return undefined
  // the clocks before and after the day
  const shown = [at - DAY, at + DAY].map((one) => {
    const there = wallIn(zone, one)
    return there === undefined ? wall : wallIn(zone, at - (asUtc(there) - one))
  })
  if (shown.includes(wall)) return undefined
  return { day: shown[0]!.slice(0, 10), time: shown[0]!.slice(11, 16) }
}
const DAY = 86_400_000

/** Whether the clocks of two zones show another time at noon of a day. A zone that does not exist differs from none. */
export function differOn(day: string, one: string, other: string): boolean {
  const at = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(at)) return false
  const [here, there] = [wallIn(one, at), wallIn(other, at)]
  return here !== undefined && there !== undefined && here !== there
}

/** Countries whose currency is not the euro, of those whose towns a browser is likely to be in. */
const CURRENCIES: Record<string, string> = {
  ...{ US: 'USD', GB: 'GBP', CH: 'CHF', AU: 'AUD', CA: 'CAD', NZ: 'NZD', JP: 'JPY', BR: 'BRL', MX: 'MXN' },
  ...{ AR: 'ARS', CL: 'CLP', CO: 'COP', PE: 'PEN', UY: 'UYU', SE: 'SEK', NO: 'NOK', DK: 'DKK', PL: 'PLN' },
  ...{ CZ: 'CZK', HU: 'HUF', RO: 'RON', IN: 'INR', ZA: 'ZAR', MA: 'MAD' },
}
const EURO = 'AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC MT NL PT SI SK SM VA'.split(' ')

/** The currency of the country that the first of these languages names, such as `ca-ES`; undefined if none does. */
export function currencyOf(languages: readonly string[]): string | undefined {
  const [country] = languages.flatMap((tag) => /-([A-Z]{2})\b/.exec(tag)?.[1] ?? [])
  if (country === undefined) return undefined
  return EURO.includes(country) ? 'EUR' : CURRENCIES[country]
}
