/** An amount as written ("1.250,50") and as a plain number ("1250.50"). */
export type Amount = { written: string; value: string }

export type Currency = { symbol: string; mills: boolean }
const currencies = new Map<string, Currency>()

/** The narrow symbol of a currency, and whether it has three decimals, like the dinars. */
export function readCurrency(code: string): Currency {
  const known = currencies.get(code)
  if (known) return known
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
  })
  const parts = format.formatToParts(0).filter((part) => part.type === 'currency')
  const text = parts.map((part) => part.value).join('')
  const mills = format.resolvedOptions().maximumFractionDigits === 3
  const currency: Currency = { symbol: text, mills }
  currencies.set(code, currency)
  return currency
}

// digits with single separators; readRun decides which separate thousands and which decimals
export const RUN = /(?:(?<![\p{L}\d.,])\.)?\d+(?:[.,'’ \u00a0\u2009\u202f]\d+)*/gu
/** What makes nothing to pay the least price of a range. */
export const FREE = /^free\s*(?:[-–—]|to\b)\s*/iu

const GROUPED =
  /^(?<whole>[1-9]\d{0,2}([.,'’ \u00a0\u2009\u202f])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](?<cents>\d+))?$/
const LAKHS = /^(?<whole>\d{1,2}(?:,\d{2})+,\d{3})(?:\.(?<cents>\d+))?$/
const DECIMAL = /^(?<whole>\d*)[.,](?<cents>\d+)$/
const WHOLE = /^(?<whole>\d+)$/
const MILLS = /^(?<whole>\d+)\.(?<cents>\d{3})$/

/** The amounts of a run of digits: one number in either notation ("1.250,50", "1,250.50"), otherwise a list ("10,20,30"). */
export function readRun(run: string, mills: boolean): Amount[] {
  const forms = mills ? [MILLS, GROUPED, LAKHS, DECIMAL, WHOLE] : [GROUPED, LAKHS, DECIMAL, WHOLE]
  for (const form of forms) {
    const { whole, cents } = form.exec(run)?.groups ?? {}
    if (whole === undefined) continue
    const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0'
    return [{ written: run, value: cents === undefined ? digits : `${digits}.${cents}` }]
  }
  const pieces = run.split(/\s/.test(run) ? /\s/ : /\D/).filter((piece) => piece !== '')
  return pieces.flatMap((piece) => readRun(piece, mills))
}

/** The signs of currencies, with the letters that tell of which country one is. */
export const SIGN = /(?<!\p{L})\p{Lu}{1,3}\p{Sc}|\p{Sc}/gu
/** Codes of ISO 4217, and what people write for others. */
export const NAMES = new Set([
  ...Intl.supportedValuesOf('currency'),
  'kr',
  'zł',
  'Kč',
  'Ft',
  'lei',
  'Fr',
  'Rs',
  'руб',
  'грн',
  'лв',
])
