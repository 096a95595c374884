import { decodeHTML } from 'entities'
import { LinkifyIt } from 'linkify-it'
import { readRun } from '../../calendar/cost.ts'
import { escapeHtml, localeOf } from '../../calendar/formats/texts.ts'
import { beginningOf } from '../../kernel/text/html.ts'
import { html, type Markup, trusted } from '../../kernel/text/markup.ts'
import type { View } from './page.ts'

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

/** Domains at the top that calendars of towns and venues name, beside those of countries and the oldest ones. */
const TOP = `app art bayern barcelona berlin blog bzh cat dev eus events gal hamburg koeln london madrid
  nyc online paris quebec saarland scot site swiss theater tickets tirol tours travel wales wien zone`.split(
  /\s+/,
)
const addresses = new LinkifyIt({ fuzzyLink: true }).add('ftp:', null).add('//', null).tlds(TOP, true)
/** A name of a host that is meant as an address: alone, words that lack a space after a full stop look like one. */
const MEANT = /^www\.|\//i

/** Texts that have no such sign have no address. */
const LIKELY = /[@/]|www\./i

/** Text of HTML with the addresses in it as links; what is no link stays as it is written. */
function linked(text: string): string {
  if (!LIKELY.test(text)) return text
  const plain = decodeHTML(text)
  const found = (addresses.match(plain) ?? []).filter(({ schema, raw }) => schema !== '' || MEANT.test(raw))
  let made = ''
  let at = 0
  for (const { schema, index, lastIndex, raw, url } of found) {
    const href = schema === '' ? `https://${raw}` : url
    made += `${escapeHtml(plain.slice(at, index))}<a href="${escapeHtml(href)}">${escapeHtml(raw)}</a>`
    at = lastIndex
  }
  return found.length === 0 ? text : made + escapeHtml(plain.slice(at))
}

/** Elements in which an address is no link: one already, or shown as it is typed. */
const LITERAL = ['a', 'code', 'pre', 'kbd', 'samp']

/**
 * A sanitised description as part of a page, with the addresses in its text as links. Pictures of other hosts become links, because a page requests nothing from others; inside
 * a link only their alternative text is left.
 */
export function prose({ front }: Pick<View, 'front'>, description: string): Markup {
  let links = 0
  let literal = 0
  const text = description.replace(/<(\/?)(\w+)[^<>]*>|[^<>]+/g, (tag, end?: string, name?: string) => {
    if (name === undefined) return literal > 0 ? tag : linked(tag)
    const step = end ? -1 : 1
    if (name === 'a') links += step
    if (LITERAL.includes(name)) literal += step
    if (name !== 'img') return tag
    const source = attribute(tag, 'src')
    if (source.startsWith(`${front.base}/media/`))
      return tag.includes(' loading="') ? tag : tag.replace('<img', '<img loading="lazy"')
    const alternative = attribute(tag, 'alt')
    return links > 0 ? alternative : `<a href="${source}">${alternative || source}</a>`
  })
  return trusted(text.replace(/<table\b/g, '<table tabindex="0"')) // it may scroll, by keyboard as well
}

/** The beginning of a description in plain text, for search engines and previews. */
export function summaryOf(description: string, length = 200): string {
  const text = beginningOf(description, length)
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), length / 2)).trimEnd()}…`
}

/** A web address that is shown without what every address has. */
export const webLink = (url: string, text = url.replace(/^https?:\/\/(www\.)?|\/$/g, '')): Markup =>
  html`<a href="${url}" rel="noopener">${text}</a>`

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

/** An amount as a language writes it, with the decimals that were written; what may be several stays as it is. */
function amountIn(written: string, language: string): string {
  const [amount, ...others] = readRun(written, false)
  if (others.length > 0) return written
  const { value } = amount!
  const decimals = value.split('.')[1]?.length ?? 0
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return Number(value).toLocaleString(localeOf(language), digits)
}

/** A price whose amounts and symbols of currencies are written as a language has them. */
export function withSymbols(price: string, language: string): string {
  const { before, after } = known.get(language) ?? aroundIn(language)
  known.set(language, { before, after })
  return price.replace(PRICE, (_, first?: string, second?: string, third?: string, fourth?: string) => {
    const symbol = () => (first ?? fourth)!
    return before.replace('¤', symbol) + amountIn((second ?? third)!, language) + after.replace('¤', symbol)
  })
}
