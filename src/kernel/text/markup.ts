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

const list = (names: string): string[] => names.split(' ')

/** Elements of HTML that stand in a line of text. */
export const INLINE = list(
  'a abbr b bdi bdo br cite code data del dfn em i img ins kbd mark q rp rt ruby s samp small span strike strong sub sup time u var wbr',
)
/** Elements of HTML that make blocks. */
export const BLOCK = list(
  'address article aside blockquote caption col colgroup dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 ' +
    'header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul',
)
/** Elements whose content is no text of the page. */
export const DROPPED = list(
  'script style textarea option xmp noscript template iframe object embed applet svg math canvas audio video noembed noframes frameset title',
)
const OTHERS = list(
  'html head body base link meta slot param frame form input button select optgroup label fieldset legend datalist ' +
    'output progress meter source track picture map area font center big tt acronym dir menu marquee blink basefont ' +
    'bgsound listing plaintext nobr keygen dialog hgroup search image layer ilayer rb rtc xml isindex portal ' +
    'animate animatemotion animatetransform foreignobject maction malignmark mglyph mpath mtext textpath tspan',
)

/** The name of every element that HTML has or had, in lower case. */
export const ELEMENTS: ReadonlySet<string> = new Set([...INLINE, ...BLOCK, ...DROPPED, ...OTHERS])

/** Attributes that do something on any element or on those of one letter, or that nothing but markup has. */
export const ATTRIBUTES: ReadonlySet<string> = new Set(
  list(
    'accesskey action align autofocus background bgcolor border charset cite class codebase color content contenteditable coords data ' +
      'datetime dir download draggable face formaction height hidden href hreflang id inert is itemid itemprop itemscope itemtype lang ' +
      'longdesc name nonce part ping popover popovertarget poster rel rev role shape size slot spellcheck src srcdoc srcset style ' +
      'tabindex target title translate type valign value width xmlns',
  ),
)
