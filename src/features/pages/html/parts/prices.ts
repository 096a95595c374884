import { localeOf } from '../../../../calendar/formats/texts.ts'

/** What is around an amount in a language: `€12`, `12 €`, `€ 12`. */
type Around = { before: string; after: string }

const known = new Map<string, Around>()
/** Where a language writes the symbol of a currency, which stands as `¤` here. */
function aroundIn(language: string): Around {
  const locale = language === 'pt' ? 'pt-PT' : localeOf(language) // its words are those of Portugal
  const parts = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).formatToParts(1)
  const texts = parts.map(({ type, value }) => (type === 'currency' ? '¤' : type === 'literal' ? value : '1'))
  const [before, after] = texts.join('').split(/1+/) as [string, string]
  return { before, after }
}

const AMOUNT = /\d+(?:[.,'’]\d+|[ \u00a0\u2009\u202f]\d{3}(?!\d))*/.source
const PRICE = new RegExp(`(?:(\\p{Sc})\\s?(${AMOUNT})|(${AMOUNT})\\s?(\\p{Sc}))`, 'gu')

/** A price whose symbols of currencies stand where a language has them. Amounts stay as they were written. */
export function withSymbols(price: string, language: string): string {
  const { before, after } = known.get(language) ?? aroundIn(language)
  known.set(language, { before, after })
  return price.replace(PRICE, (_, first?: string, second?: string, third?: string, fourth?: string) => {
    const symbol = () => (first ?? fourth)!
    return before.replace('¤', symbol) + (second ?? third) + after.replace('¤', symbol)
  })
}
