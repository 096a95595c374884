import { buildCost } from './cost.ts'

/** Signs and names that Intl does not have for their currencies. */
const OTHERS: Record<string, string> = { US$: 'USD', Fr: 'CHF', руб: 'RUB', грн: 'UAH', лв: 'BGN' }

type Display = 'symbol' | 'narrowSymbol'
const symbolOf = (currency: string, currencyDisplay: Display): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
    .formatToParts(0)
    .filter(({ type }) => type === 'currency')
    .map(({ value }) => value)
    .join('')

/** The currencies of every symbol and code, made when one is asked for first. */
const tables = new Map<Display, Map<string, string[]>>()
function codesOf(symbol: string, display: Display): string[] {
  let table = tables.get(display)
  if (table === undefined) {
    table = new Map()
    for (const code of Intl.supportedValuesOf('currency')) {
      for (const text of new Set([code, symbolOf(code, display)]))
        table.set(text, [...(table.get(text) ?? []), code])
    }
    tables.set(display, table)
  }
  return table.get(symbol) ?? []
}

/** The ISO 4217 code of a sign, name or code; the site's where it is none of a currency, undefined where it is that of several. */
function codeOf(symbol: string, site: string): string | undefined {
  const narrow = codesOf(symbol, 'narrowSymbol')
  if (narrow.includes(site)) return site
  const [own] = codesOf(symbol, 'symbol')
  const known = OTHERS[symbol] ?? own ?? (narrow.length === 1 ? narrow[0] : undefined)
  if (known !== undefined) return known
  return narrow.length > 1 || /\p{Sc}/u.test(symbol) ? undefined : site
}

/** The ISO 4217 code of a cost, by what its items say; the site's where they say nothing, undefined where they leave it open. */
export function currencyOf(items: string[], site: string): string | undefined {
  const symbols = items.map((item) => buildCost([item], site).cost_details.currency_symbol)
  const [code, ...others] = new Set(
    symbols.filter((symbol) => symbol !== '').map((symbol) => codeOf(symbol, site)),
  )
  if (others.length > 0) return undefined
  return symbols.every((symbol) => symbol === '') ? site : code
}
