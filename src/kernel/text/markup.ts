const MARKUP = Symbol('markup')

/** HTML that is inserted into other HTML as it is. Only `html` and `trusted` make it. */
export type Markup = { readonly [MARKUP]: string }

/** What a template takes: text is escaped, markup is not, lists are joined, and false, null and undefined are nothing. */
export type Part = string | number | Markup | false | null | undefined | readonly Part[]

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const ESCAPED = /[&<>"']/
const ALL_ESCAPED = /[&<>"']/g

const escapeText = (text: string) =>
  ESCAPED.test(text) ? text.replace(ALL_ESCAPED, (character) => ESCAPES[character]!) : text

function print(part: Part): string {
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  if (!part) return ''
  if (MARKUP in part) return part[MARKUP]
  let text = ''
  for (const one of part) text += print(one)
  return text
}

/** A template of HTML. Every part is escaped, also inside attributes, whose values are always in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = texts[0]!
  for (let at = 0; at < parts.length; at++) text += print(parts[at]) + texts[at + 1]!
  return { [MARKUP]: text }
}

/** HTML from elsewhere that may stand in a page as it is, such as a sanitised description. */
export const trusted = (text: string): Markup => ({ [MARKUP]: text })

/** The HTML of some markup. */
export const textOf = (markup: Markup): string => markup[MARKUP]

/** JSON as the data of a script element. `<` can not end the element. */
export const scriptData = (json: string): Markup => trusted(json.replaceAll('<', '\\u003c'))
