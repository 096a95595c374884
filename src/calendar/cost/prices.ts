import { fold, toSlug } from '../../kernel/text/text.ts'
import { type Amount, FREE, NAMES, RUN, readRun, SIGN } from './amounts.ts'

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
export function pricesIn(source: string, mills: boolean): Amount[] {
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
