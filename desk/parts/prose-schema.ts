import { DOMParser, DOMSerializer, type MarkSpec, type Node, type NodeSpec, Schema } from 'prosemirror-model'
import { isLink, isPicture } from '../rules/url.ts'
import { inertBody } from './inert.ts'

type Attributes = Record<string, string | null>
/** Reads attributes of an element. One whose first is no address that a text may have is left out; a link leaves its text. */
const from = (names: string[], isSafe: (address: string) => boolean) => (element: HTMLElement) =>
  isSafe(element.getAttribute(names[0]!)!) &&
  Object.fromEntries(names.map((name) => [name, element.getAttribute(name)]))
const given = (attributes: Attributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null))
const unset = (names: string[]) => Object.fromEntries(names.map((name) => [name, { default: null }]))

/** An element of HTML without attributes that holds text. */
const block = (tag: string, more: Partial<NodeSpec> = {}): NodeSpec => ({
  ...{ content: 'inline*', group: 'block', defining: true },
  parseDOM: [{ tag }],
  toDOM: () => [tag, 0],
  ...more,
})
const mark = (tag: string, others: string[] = []): MarkSpec => ({
  parseDOM: [tag, ...others].map((name) => ({ tag: name })),
  toDOM: () => [tag, 0],
})

const IMAGE = ['src', 'alt', 'width', 'height']
const LINK = ['href', 'title', 'rel', 'target']

/** What the text editor can hold: only what the API keeps when it cleans HTML. */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: block('p', { defining: false }),
    heading2: block('h2'),
    heading3: block('h3'),
    heading4: block('h4'),
    blockquote: block('blockquote', { content: 'block+' }),
    preformatted: block('pre', { marks: '', code: true, whitespace: 'pre' }),
    bullet_list: block('ul', { content: 'list_item+', defining: false }),
    ordered_list: block('ol', { content: 'list_item+', defining: false }),
    list_item: block('li', { content: 'paragraph block*', group: '' }),
    horizontal_rule: block('hr', { content: '', toDOM: () => ['hr'] }),
    text: { group: 'inline' },
    hard_break: {
      inline: true,
      group: 'inline',
      selectable: false,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
    },
    image: {
      ...{ inline: true, group: 'inline', attrs: unset(IMAGE) },
      parseDOM: [{ tag: 'img[src]', getAttrs: from(IMAGE, isPicture) }],
      toDOM: ({ attrs }) => ['img', given(attrs)],
    },
  },
  marks: {
    link: {
      ...{ attrs: unset(LINK), inclusive: false },
      parseDOM: [{ tag: 'a[href]', getAttrs: from(LINK, isLink) }],
      toDOM: ({ attrs }) => ['a', given(attrs), 0],
    },
    strong: mark('strong', ['b']),
    em: mark('em', ['i']),
    underline: mark('u'),
    strike: mark('s', ['del', 'strike']),
    sub: mark('sub'),
    sup: mark('sup'),
    code: mark('code'),
  },
})

/** Reads HTML as far as the editor can hold it. */
export const readHtml = (html: string): Node => DOMParser.fromSchema(schema).parse(inertBody(html))

/** The HTML of a text; empty if it has none. An item of a list with one paragraph has its text itself. */
export function writeHtml(doc: Node): string {
  if (doc.textContent.trim() === '' && !/image|horizontal_rule/.test(doc.toString())) return ''
  // pictures of the document of the page would be loaded each time
  const inert = document.implementation.createHTMLDocument()
  const box = inert.createElement('div')
  box.append(DOMSerializer.fromSchema(schema).serializeFragment(doc.content, { document: inert }))
  for (const item of box.querySelectorAll('li')) {
    const [first, ...rest] = item.children
    if (first?.tagName === 'P' && rest.every(({ tagName }) => tagName === 'UL' || tagName === 'OL'))
      first.replaceWith(...first.childNodes)
  }
  return box.innerHTML
}

/** HTML as it is compared: without space between blocks, and with one name for each mark. */
const plain = (html: string) =>
  inertBody(html)
    .innerHTML.replace(
      /<(\/?)(b|i|strike)(?=[ >])/g,
      (_, slash, tag) => `<${slash}${{ b: 'strong', i: 'em', strike: 's' }[tag as 'b']}`,
    )
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:p|ul|ol|li|h[2-6]|blockquote|hr|br|pre)(?: [^>]*)?>) ?/g, '$1')
    .trim()

/** Whether the editor can hold all of a text. If not, it is edited as HTML, so that nothing is lost. */
export const isHeld = (html: string): boolean => plain(writeHtml(readHtml(html))) === plain(html)
