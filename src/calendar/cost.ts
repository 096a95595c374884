import { LRUCache } from 'lru-cache'
import { fold, toPlainText, toSlug } from '../kernel/text/text.ts'

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

/** The cost of an event that names none, in whatever currency. */
export const NO_COST: Cost = {
  cost: '',
  cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
  prices: [],
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

/** An amount as written ("1.250,50") and as a plain number ("1250.50"). */
type Amount = { written: string; value: string }

type Currency = { symbol: string; mills: boolean }
const currencies = new Map<string, Currency>()

/** The narrow symbol of a currency, and whether it has three decimals, like the dinars. */
function readCurrency(code: string): Currency {
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
const RUN = /(?:(?<![\p{L}\d.,])\.)?\d+(?:[.,'’ \u00a0\u2009\u202f]\d+)*/gu
/** What makes nothing to pay the least price of a range. */
const FREE = /^free\s*(?:[-–—]|to\b)\s*/iu

const GROUPED =
  /^(?<whole>[1-9]\d{0,2}([.,'’ \u00a0\u2009\u202f])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](?<cents>\d+))?$/
const LAKHS = /^(?<whole>\d{1,2}(?:,\d{2})+,\d{3})(?:\.(?<cents>\d+))?$/
const DECIMAL = /^(?<whole>\d*)[.,](?<cents>\d+)$/
const WHOLE = /^(?<whole>\d+)$/
const MILLS = /^(?<whole>\d+)\.(?<cents>\d{3})$/

/** The amounts of a run of digits, where `mills` says that three decimals are usual: one number in either notation ("1.250,50", "1,250.50"), otherwise a list ("10,20,30"). */
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
const SIGN = /(?<!\p{L})\p{Lu}{1,3}\p{Sc}|\p{Sc}/gu
/** Codes of ISO 4217, and what people write for others. */
const NAMES = new Set([
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

/** A part of a cost. Links join amounts ("10 to 20"), breaks part them; words after an amount say what it counts. */
type Token = { is: 'amount' | 'currency' | 'link' | 'break' | 'word'; isSpaced: boolean; amount?: Amount }

const PART = new RegExp(`${SIGN.source}|\\p{L}+|[^\\s\\p{L}]`, 'gu')
const CURRENCY = /^(?:eur|euros?|dollars?|dòlars|dólares|pounds?|francs?|franken)$/i
const LINKS =
  'from to or and de del des a à fins o i y e desde hasta von ab bis oder und ou et da al até - – — / ~ &'.split(
    ' ',
  )
const BREAK = /^[,;.()[\]|!?"]$/

function kindOf(part: string): Token['is'] {
  if (/\p{Sc}/u.test(part) || NAMES.has(part) || CURRENCY.test(part)) return 'currency'
  if (LINKS.includes(part.toLowerCase())) return 'link'
  return BREAK.test(part) ? 'break' : 'word'
}

function tokensOf(source: string, mills: boolean): Token[] {
  const tokens: Token[] = []
  let at = 0
  const spaced = (from: number) => /\s/.test(source[from - 1] ?? '')
  const readText = (to: number) => {
    for (const { 0: part, index } of source.slice(at, to).matchAll(PART))
      tokens.push({ is: kindOf(part), isSpaced: spaced(at + index) })
  }
  for (const { 0: run, index } of source.matchAll(RUN)) {
    readText(index)
    // spaces between amounts join nothing
    const isList = !/\s/.test(run)
    for (const [place, amount] of readRun(run, mills).entries()) {
      if (place > 0 && isList) tokens.push({ is: 'break', isSpaced: false })
      tokens.push({ is: 'amount', isSpaced: spaced(index), amount })
    }
    at = index + run.length
  }
  readText(source.length)
  return tokens
}

/** The amounts that have a currency beside them: one between two belongs to that which it touches, else to the first. */
function markedIn(tokens: Token[]): Set<Token> {
  const marked = new Set<Token>()
  for (const [at, { is, isSpaced }] of tokens.entries()) {
    if (is !== 'currency') continue
    const [before, after] = [tokens[at - 1], tokens[at + 1]].map((one) => (one?.amount ? one : undefined))
    const isAfter = !before || marked.has(before) || (after && isSpaced && !after.isSpaced)
    const own = isAfter ? after : before
    if (own) marked.add(own)
  }
  return marked
}

/**
 * What one pays by an item of a cost (R23): amounts that stand alone, and in a text those beside a currency, or joined to one ("10 to 20 €").
 * What a word follows is a count, an age, a time or a percentage ("2 for 1", "50%", "20h"). `mills` as `readRun` takes it.
 */
function pricesIn(source: string, mills: boolean): Amount[] {
  const [beginning = ''] = FREE.exec(source) ?? []
  const tokens = tokensOf(source.slice(beginning.length), mills)
  const amounts = tokens.filter(({ amount }) => amount)
  const marked = markedIn(tokens)
  const isAlone = tokens.every(({ is }) => is !== 'word' && is !== 'currency')
  if (isAlone) for (const one of amounts) marked.add(one)
  for (const chain of chainsOf(tokens)) if (isJoined(chain, marked)) for (const one of chain) marked.add(one)
  const prices = amounts.filter((one) => marked.has(one)).map(({ amount }) => amount!)
  return beginning !== '' && prices.length > 0 ? [{ written: '0', value: '0' }, ...prices] : prices
}

/** The parts of a cost that words and, beside these, breaks part; what parts two ends the first. */
function chainsOf(tokens: Token[]): Token[][] {
  const hasWords = tokens.some(({ is }) => is === 'word')
  const chains: Token[][] = [[]]
  for (const token of tokens) {
    chains.at(-1)!.push(token)
    if (token.is === 'word' || (token.is === 'break' && hasWords)) chains.push([])
  }
  return chains
}

/** Whether all amounts of a chain are what one pays as one of them is: none but these has anything after it that it could count. */
const isJoined = (chain: Token[], marked: Set<Token>) =>
  chain.some((one) => marked.has(one)) &&
  chain.every(
    (one, at) => !one.amount || marked.has(one) || ['link', 'break', undefined].includes(chain[at + 1]?.is),
  )

/** What people write for "free" in the languages that the service has words in, without case and accents. */
const FREE_WORDS = new Set(
  ['free', 'free entry', 'free admission', 'gratis', 'gratuit', 'gratuita', 'gratuito'].concat(
    ...['entrada lliure', 'entrada gratuita', 'entrada libre', 'entrada livre'],
    ...['kostenlos', 'kostenfrei', 'eintritt frei', 'freier eintritt'],
    ...['entree libre', 'entree gratuite', 'ingresso libero', 'ingresso gratuito'],
  ),
)

/** Whether a cost says that there is nothing to pay: all of its prices are 0, or its words say so. An empty one says nothing. */
export function isFree(items: string[]): boolean {
  const isNothing = (item: string) => {
    const prices = pricesIn(item, false)
    if (prices.length === 0) return FREE_WORDS.has(fold(toSlug(item)).replaceAll('-', ' '))
    return prices.every(({ value }) => Number(value) === 0)
  }
  return items.length > 0 && items.every(isNothing)
}
