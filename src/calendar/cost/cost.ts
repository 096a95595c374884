import { LRUCache } from 'lru-cache'
import { toPlainText, toSlug } from '../../kernel/text/text.ts'
import { type Amount, type Currency, FREE, NAMES, RUN, readCurrency, readRun, SIGN } from './amounts.ts'
import { pricesIn } from './prices.ts'

export type Cost = {
  cost: string
  cost_details: {
    currency_symbol: string
    currency_code: string
    currency_position: '' | 'prefix' | 'postfix'
    values: string[]
  }
  /** What of `values` tells a program what one pays (R23): no price is a count, an age, a percentage or a time. */
  prices: string[]
}

type Mark = { text: string; position: '' | 'prefix' | 'postfix' }
/** The parts of an item: amounts with the symbol next to them, or only words. A phrase is shown as written. */
type Item = Mark & { source: string; amounts: Amount[]; phrase: boolean }

/** The items of a cost as stored (D17): plain text without tags and entities; blank items are dropped. A list keeps its items separate. */
export function readCost(value: string | number | (string | number)[]): string[] {
  return [value]
    .flat()
    .map((item) => (typeof item === 'number' ? printNumber(item) : toPlainText(item)))
    .filter((item) => item !== '')
}

/** Prints a number without exponent. Three decimals get a fourth; otherwise "1.125" would be read as thousands. */
function printNumber(number: number): string {
  const text = /e/.test(String(number))
    ? number.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
    : String(number)
  return text.replace(/\.\d{3}$/, '$&0')
}

/**
 * The display string and the details of a cost (D17, reference §4.4). `siteCurrency` is an ISO 4217 code; its narrow
 * symbol precedes amounts that have no symbol. Throws a RangeError if it is not three letters.
 */
export function buildCost(items: string[], siteCurrency: string): Cost {
  const key = JSON.stringify([siteCurrency, ...items])
  if (key.length > LONGEST_KNOWN) return readCosts(items, siteCurrency)
  const known = costs.get(key)
  if (known) return known
  const cost = readCosts(items, siteCurrency)
  costs.set(key, cost)
  return cost
}

/** Costs are few beside the events that have them, and reading one takes longer than much else of a write. */
const LONGEST_KNOWN = 100
const costs = new LRUCache<string, Cost>({ max: 1_000 })

function readCosts(items: string[], siteCurrency: string): Cost {
  const site = readCurrency(siteCurrency)
  const parsed = items.map((item) => parseItem(item, site))
  const amounts = sortAmounts(parsed.flatMap((item) => item.amounts))
  const words = parsed.filter((item) => item.amounts.length === 0).map((item) => item.source)
  const symbol = commonSymbol(parsed)
  return {
    cost:
      amounts.length === 0
        ? words.join(', ')
        : renderAmounts(parsed, amounts, symbol.text === '' ? symbolOfSite(site) : symbol),
    cost_details: {
      currency_symbol: symbol.text,
      currency_code: '',
      currency_position: symbol.position,
      values: [
        ...new Set(words.map((word) => toSlug(word) || word)),
        ...amounts.map((amount) => amount.value),
      ],
    },
    prices: sortAmounts(items.flatMap((item) => pricesIn(item, site.mills))).map(({ value }) => value),
  }
}

const symbolOfSite = ({ symbol }: Currency): Mark => ({ text: symbol, position: 'prefix' })

function parseItem(source: string, site: Currency): Item {
  const [beginning = ''] = FREE.exec(source) ?? []
  const free = /\d/.test(source.slice(beginning.length)) ? beginning : ''
  const rest = source.slice(free.length)
  const amounts = (rest.match(RUN) ?? []).flatMap((run) => readRun(run, site.mills))
  const texts = rest.split(RUN).map((text) => text.trim())
  if (free !== '') amounts.unshift({ written: '0', value: '0' })
  if (amounts.length === 0) return { source, amounts, text: '', position: '', phrase: false }
  return amounts.length === 1
    ? { source, amounts, ...readLabel(texts) }
    : { source, amounts, ...readRange(texts, symbolOfSite(site)) }
}

/** The only currency sign ("US$") in the texts around amounts, or else the only code or name ("EUR", "kr"). */
function findMark(texts: string[]): string {
  const signs = new Set(texts.flatMap((text) => text.match(SIGN) ?? []))
  const words = texts
    .map((text) => text.match(/\p{L}+/gu) ?? [])
    .flatMap((all) => [...all.slice(0, 1), ...all.slice(-1)])
  const names = new Set(words.filter((word) => NAMES.has(word)))
  const [mark, ...others] = signs.size > 0 ? signs : names
  return others.length === 0 ? (mark ?? '') : ''
}

/** The symbol of an item with one amount: that of a currency, or the whole text if it is on one side (reference §4.4). */
function readLabel([before = '', after = '']: string[]): Mark & { phrase: boolean } {
  const rest = [before, after].filter((text) => text !== '').join(' ')
  const text = findMark([before, after]) || (before === '' || after === '' ? rest : '')
  return { ...place(text, before), phrase: text !== rest }
}

/** The symbol of a range in one item. The symbol of the site, in its usual place, is not reported. */
function readRange(texts: string[], site: Mark): Mark & { phrase: boolean } {
  const [before = ''] = texts
  const symbol = place(findMark(texts), before)
  const own = symbol.text === site.text && symbol.position === site.position
  return { ...(own ? NONE : symbol), phrase: false }
}

const NONE: Mark = { text: '', position: '' }

function place(text: string, before: string): Mark {
  return text === '' ? NONE : { text, position: before.includes(text) ? 'prefix' : 'postfix' }
}

/** The symbol that the items have in common. If they have different ones there is none, as in the reference. */
function commonSymbol(items: Item[]): Mark {
  const marked = items.filter((item) => item.text !== '')
  const [first] = marked
  return first && marked.every((item) => item.text === first.text)
    ? { text: first.text, position: first.position }
    : NONE
}

/** Sorts amounts in ascending order without duplicates, each as first written. */
function sortAmounts(amounts: Amount[]): Amount[] {
  const byNumber = new Map<number, Amount>()
  for (const amount of amounts)
    if (!byNumber.has(Number(amount.value))) byNumber.set(Number(amount.value), amount)
  return [...byNumber].sort(([a], [b]) => a - b).map(([, amount]) => amount)
}

function renderAmounts(items: Item[], amounts: Amount[], symbol: Mark): string {
  const [only, ...others] = items
  if (only?.phrase && others.length === 0) return only.source
  const all = amounts.map((amount) => renderAmount(amount, symbol))
  return [...new Set([...all.slice(0, 1), ...all.slice(-1)])].join(' – ')
}

function renderAmount(amount: Amount, symbol: Mark): string {
  if (Number(amount.value) === 0) return 'Free'
  const space = /\s|\p{L}{4}/u.test(symbol.text) ? ' ' : ''
  return symbol.position === 'prefix'
    ? symbol.text + space + amount.written
    : amount.written + space + symbol.text
}

/** Signs and names that Intl does not have for their currencies. */
const OTHERS = new Map(Object.entries({ US$: 'USD', Fr: 'CHF', руб: 'RUB', грн: 'UAH', лв: 'BGN' }))

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
  const known = OTHERS.get(symbol) ?? own ?? (narrow.length === 1 ? narrow[0] : undefined)
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
