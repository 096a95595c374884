import { decodeHTML } from 'entities'
import sanitizeHtml from 'sanitize-html'
import { ATTRIBUTES, BLOCK, DROPPED, ELEMENTS, INLINE } from './markup.ts'

const BLOCKS = new Set(BLOCK)

const CONTROLS = /[^\P{Cc}\t\n]/gu

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...INLINE, ...BLOCK],
  nonTextTags: DROPPED,
  selfClosing: ['br', 'hr', 'img', 'col', 'wbr'],
  nestingLimit: 50,
  allowedAttributes: {
    '*': ['title', 'lang', 'dir'],
    a: ['href', 'rel', { name: 'target', values: ['_blank'] }],
    img: ['src', 'alt', 'width', 'height', 'loading'],
    td: ['colspan', 'rowspan', 'headers'],
    th: ['colspan', 'rowspan', 'headers', 'scope'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    data: ['value'],
    details: ['open'],
    blockquote: ['cite'],
    q: ['cite'],
    del: ['cite', 'datetime'],
    ins: ['cite', 'datetime'],
    time: ['datetime'],
  },
  allowedClasses: { '*': ['align*', 'has-*', 'is-*', 'language-*', 'size-*', 'wp-*'] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
}

/** Greatest depth of nested elements: the cost of parsing a tag grows with the number of open elements. */
const DEEPEST = 200
const URLS = ['href', 'src', 'cite']

function sanitiseTags(html: string): string {
  let depth = 0
  return sanitizeHtml(html, {
    ...OPTIONS,
    onOpenTag(_name, attributes) {
      if (++depth > DEEPEST) throw new RangeError('nested too deep')
      // comments inside a URL hide its scheme; the sanitiser would remove them one by one
      for (const name of URLS) if (attributes[name]?.includes('<!--')) delete attributes[name]
    },
    onCloseTag() {
      depth--
    },
  })
}

/**
 * Sanitised HTML for descriptions and excerpts (D23). Text outside block elements gets paragraphs: a blank line
 * begins a new one, a single line break is a `<br />`. Applied to its own result, it changes nothing. Returns "" if nothing is visible.
 * Throws a RangeError if elements are nested more than 200 levels deep.
 */
export function toHtml(value: string): string {
  return isClean(value) ? value : isPlain(value) ? addPlainParagraphs(value) : toHtmlAnew(value)
}

/** Characters that the sanitiser or the paragraphs may change, and what it writes as entities itself. */
const CHANGED = /[<>&\p{Cc}\p{Cs}]/u
const WRITTEN = /&(?:amp|lt|gt);/g

/** Whether a text is only paragraphs as they are written here, which most are that come back: to parse them would change nothing. */
function isClean(html: string): boolean {
  if (!html.startsWith('<p>')) return false
  return html.split('\n').every((line) => {
    if (!line.startsWith('<p>') || !line.endsWith('</p>')) return false
    const text = line.slice(3, -4)
    return text !== '' && text.trim() === text && !CHANGED.test(text.replace(WRITTEN, ''))
  })
}

/** Whether a text has no markup, and nothing else that the sanitiser may change. */
const isPlain = (text: string) => !CHANGED.test(text.replace(WRITTEN, '').replaceAll('\n', ''))

/** Paragraphs of a text without markup, as `addParagraphs` makes them. */
function addPlainParagraphs(text: string): string {
  const paragraphs: string[][] = [[]]
  for (const line of text.split('\n').map((line) => line.trim()))
    if (line !== '') paragraphs.at(-1)!.push(line)
    else if (paragraphs.at(-1)!.length > 0) paragraphs.push([])
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => `<p>${lines.join('<br />\n')}</p>`)
    .join('\n')
}

/** Sanitised HTML of any text, parsed. */
export function toHtmlAnew(value: string): string {
  const clean = sanitise(value)
  const once = addParagraphs(clean)
  // twice, because a removed element may leave "<p><p>", which only a second pass corrects
  return clean.includes('<') ? addParagraphs(sanitise(once)) : once
}

/** A text without these characters needs no parsing. */
const MARKUP = /[<>&]/

/** White space other than one space. To find this is faster than to find all, as most is one space. */
const WIDE = /\s{2,}|[^\S ]/g

/** The text of sanitised HTML, white space collapsed. */
export function stripHtml(html: string): string {
  const text = html.replace(/<\/?([a-z0-9]*)(?![a-z0-9])[^<>]*>/gi, (_, name: string) =>
    name !== 'br' && INLINE.includes(name.toLowerCase()) ? '' : ' ',
  )
  return decodeHTML(text).replace(WIDE, ' ').trim()
}

/** The beginning of sanitised HTML as plain text, at least `length` characters of it if there are as many. Only as much as that takes is looked at. */
export function beginningOf(html: string, length: number): string {
  const end = html.lastIndexOf('<', 4 * length) // between two elements, so that nothing is cut in two
  const text = end > length ? stripHtml(html.slice(0, end)) : ''
  return text.length > length ? text : stripHtml(html)
}

function sanitise(html: string): string {
  const text = html
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cs}/gu, '\ufffd')
    // "<you@host.test>" and "<your name>" are text, not elements
    .replace(/<(?=\/?([a-z][^\s/>]{0,40}))/gi, (_, name: string) =>
      isElement(name.toLowerCase()) ? '<' : '&lt;',
    )
  return (MARKUP.test(text) ? sanitiseTags(text) : text)
    .replace(CONTROLS, '')
    .replace(/<img(?![^<>]* src=")[^<>]*>/g, '')
}

function isElement(name: string): boolean {
  return ELEMENTS.has(name) || /^[a-z0-9]+[:-][a-z0-9:-]+$/.test(name)
}

/** A placeholder for `<br />` that counts as text. `sanitise` removes this character from input. */
const BREAK = '\u0001'
const SEPARATOR = new RegExp(`([\n${BREAK}])`)

function addParagraphs(html: string): string {
  const blocks: string[][] = []
  let run: string[] = []
  for (const unit of readUnits(html.replace(/<br(?: [^<>]*)? \/>/g, BREAK))) {
    if (!unit.some(isBlock)) {
      for (const token of unit) run.push(token)
      continue
    }
    blocks.push(wrap(run))
    run = []
    const block = unit.join('').replaceAll(BREAK, '<br />')
    if (!/^<p(?: [^<>]*)?>[ \t\n]*<\/p>$/.test(block)) blocks.push([block])
  }
  blocks.push(wrap(run))
  const all = blocks.flat().join('\n')
  return /<(?:img|hr)\b/.test(all) || stripHtml(all) !== '' ? all : ''
}

/** Outermost elements with their content, and the texts between them, as lists of tags and texts. */
function* readUnits(html: string): Generator<string[]> {
  let unit: string[] = []
  let depth = 0
  for (const token of html.split(/(<[^<>]*>)/)) {
    unit.push(token)
    depth += step(token)
    if (depth > 0) continue
    yield unit
    unit = []
  }
}

function isBlock(token: string): boolean {
  return BLOCKS.has(/^<([a-z0-9]+)/.exec(token)?.[1] ?? '')
}

/** How a token changes the depth: 1 for an opening tag, -1 for a closing one. */
function step(token: string): number {
  if (!token.startsWith('<') || token.endsWith(' />')) return 0
  return token.startsWith('</') ? -1 : 1
}

/** Paragraphs of a run of inline tags and texts, without breaks at either end and without empty paragraphs. */
function wrap(run: string[]): string[] {
  const paragraphs: string[] = []
  let html = ''
  let visible = false
  let depth = 0
  let gap = { typed: 0, tags: 0 }
  const finish = (): void => {
    if (visible) paragraphs.push(`<p>${html.trimEnd()}</p>`)
    html = ''
    visible = false
  }
  const settle = (): void => {
    const breaks = Math.min(2, Math.max(gap.typed, gap.tags))
    gap = { typed: 0, tags: 0 }
    if (breaks === 2 && depth === 0) finish()
    else if (visible) html += '<br />\n'.repeat(breaks)
  }
  const addText = (text: string): void => {
    const rest = gap.typed + gap.tags > 0 || !visible ? text.trimStart() : text
    if (rest === '') return
    settle()
    html += rest
    visible = true
  }
  for (const token of run.flatMap(splitLines)) {
    if (token === '\n') gap.typed++
    else if (token === BREAK) gap.tags++
    else if (!token.startsWith('<')) addText(token)
    else {
      if (!token.startsWith('</')) settle()
      html += token
      visible ||= token.startsWith('<img')
      depth += step(token)
    }
  }
  finish()
  return paragraphs
}

/** Splits a text into lines and breaks, without white space before a break. A tag is returned unchanged. */
function splitLines(token: string): string[] {
  if (token.startsWith('<')) return [token]
  return token
    .split(SEPARATOR)
    .map((part, i, parts) => (i % 2 === 0 && i < parts.length - 1 ? part.trimEnd() : part))
}

/** Where a browser may see markup begin. */
const BEGINNING = /<(?:\/?[a-z]|!(?:--|\[CDATA\[|doctype\b))/gi
const NAME = /<\/?[^\t\n\f\r />]*/y
const GAP = /[\t\n\f\r /]*/y
const BLANK = /[\t\n\f\r ]*/y
const ATTRIBUTE = /[^\t\n\f\r />][^\t\n\f\r />=]*/y
const UNQUOTED = /[^\t\n\f\r >]*/y

/**
 * Takes markup away, and leaves the text of all elements and its entities as typed. Markup is a comment, an element that HTML
 * has or had, a custom or prefixed one, and anything with attributes that act; `x<y`, `Vec<T>` and `<you@host.test>` are text.
 * Where markup is left open, no opening bracket before a name survives. The work grows with the length alone.
 */
export function stripTags(text: string): string {
  const rest = removeTags(text)
  // what stood apart may have come together: "<scr<b>ipt>", "<a<b>>"
  const isLeft = hasMarkup(rest) || (rest !== text && removeTags(rest) !== rest)
  return isLeft ? rest.replace(/(?<!<)<+(?=[a-z/!?])/gi, '') : rest
}

/** Takes out what is markup as the text stands, up to markup that is left open. */
function removeTags(text: string): string {
  let rest = ''
  let at = 0
  for (let open = find(text, 0); open !== -1; ) {
    const next = find(text, open + 1)
    const found = markupAt(text, open, next)
    if (found && found.end === undefined) break
    if (found) {
      rest += text.slice(at, open)
      at = found.end!
    }
    open = next === -1 || next >= at ? next : find(text, at)
  }
  return rest + text.slice(at)
}

/** The markup that begins at `open`, where it ends, if it does; undefined for text. What begins inside is looked at by itself. */
function markupAt(text: string, open: number, next: number): { end?: number | undefined } | undefined {
  if (text[open + 1] === '!')
    return { end: text.startsWith('<!--', open) ? behind(text, '-->', open + 2) : behind(text, '>', open) }
  const name = nameAt(text, open)
  const tag = readTag(text, open, beginsElement(name) || next === -1 ? text.length : next)
  if (beginsElement(name) || tag?.acts) return tag!
  const isTag = tag?.end !== undefined && tag.isPlain && ELEMENTS.has(name)
  return isTag ? tag : undefined
}

/** Whether a browser that reads a text as HTML finds anything in it that acts, or any element that is known. */
function hasMarkup(text: string): boolean {
  let end = 0
  for (let open = find(text, 0); open !== -1; open = find(text, open + 1)) {
    if (text[open + 1] === '!' || beginsElement(nameAt(text, open).replace(/<.*$/s, ''))) return true
    if (open < end) continue
    const tag = readTag(text, open, text.length)!
    if (tag.acts) return true
    end = tag.end ?? text.length
  }
  return false
}

/** The name of the tag that begins at `open`, in lower case. */
const nameAt = (text: string, open: number): string =>
  text
    .slice(open, skip(NAME, text, open))
    .replace(/^<\/?/, '')
    .toLowerCase()

/** Whether a name alone makes markup: elements of one letter do so only as plain tags, since `a<b` is text. */
const beginsElement = (name: string): boolean =>
  (name.length > 1 && ELEMENTS.has(name)) || (!name.includes('@') && /[-:][a-z]/.test(name))

/** Whether an attribute with a value does something, in a browser or in what pages bring along (`x-on:click`, `@click`). */
const isActing = (name: string): boolean => /^on|^[^a-z0-9=?]|[-:@_]/.test(name) || ATTRIBUTES.has(name)

/** A tag: whether an attribute acts or is set in due form, whether there are none but known ones, and where it ends, if it does. */
type Tag = { acts: boolean; isPlain: boolean; end?: number }

/** Reads the tag that begins at `open` as browsers do; gives it up, undefined, where one that does not act reaches beyond `limit`. */
function readTag(text: string, open: number, limit: number): Tag | undefined {
  const tag: Tag = { acts: false, isPlain: true }
  let isSet = false
  let at = skip(GAP, text, skip(NAME, text, open))
  while (at < text.length && text[at] !== '>') {
    const { end, acts, sets, isKnown } = readAttribute(text, at)
    tag.acts ||= acts
    isSet ||= sets
    tag.isPlain &&= isKnown
    if (end > limit && !tag.acts) return undefined
    at = skip(GAP, text, end)
  }
  if (at >= limit && !tag.acts && limit < text.length) return undefined
  return at < text.length ? { ...tag, acts: tag.acts || isSet, end: at + 1 } : tag
}

type Attribute = { end: number; acts: boolean; sets: boolean; isKnown: boolean }

/** Reads an attribute. Quotes around a value make markup, as does a value that is still to come. */
function readAttribute(text: string, from: number): Attribute {
  const behindName = skip(ATTRIBUTE, text, from)
  const name = text.slice(from, behindName).toLowerCase()
  const isKnown = ATTRIBUTES.has(name)
  const equals = skip(BLANK, text, behindName)
  if (text[equals] !== '=') return { end: behindName, acts: false, sets: false, isKnown }
  const value = skip(BLANK, text, equals + 1)
  const quote = text[value]
  if (quote === '"' || quote === "'")
    return { end: behind(text, quote, value + 1) ?? text.length, acts: true, sets: true, isKnown }
  return {
    end: skip(UNQUOTED, text, value),
    acts: quote === undefined || isActing(name),
    sets: /^[a-z][a-z0-9]*$/.test(name),
    isKnown,
  }
}

function find(text: string, from: number): number {
  BEGINNING.lastIndex = from
  return BEGINNING.exec(text)?.index ?? -1
}

/** The end of the match of a sticky pattern at this position, which may be empty. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return pattern.lastIndex
}

function behind(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from)
  return at === -1 ? undefined : at + end.length
}

const TAG = /^<(\/?)([a-z0-9]+)/
/** Marks for the end of a line and of a paragraph: no characters, so that no text has them. */
const [LINE, PARAGRAPH] = ['\ufdd0', '\ufdd1']
/** The end of a line is enough for these; other blocks are paragraphs. */
const LINES = new Set(['tr', 'dt', 'dd', 'caption', 'figcaption', 'summary', 'thead', 'tbody', 'tfoot'])
const PARAGRAPHS = new Set(BLOCK)

const attribute = (tag: string, name: string) =>
  decodeHTML(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '').trim()

/** What a tag stands for, other than that of a link. */
function ofTag(tag: string, name: string, isEnd: boolean): string {
  if (name === 'br') return LINE
  if (name === 'img') return attribute(tag, 'alt')
  if (name === 'li') return isEnd ? '' : `${LINE}- `
  if (name === 'td' || name === 'th') return ' '
  if (LINES.has(name)) return isEnd ? LINE : ''
  return PARAGRAPHS.has(name) ? PARAGRAPH : ''
}

/** A text; its lines are kept only if it is preformatted. */
const ofText = (text: string, isPreformatted: boolean) =>
  decodeHTML(text)
    .replace(/[\ufdd0\ufdd1]/g, '')
    .replace(/\n/g, isPreformatted ? LINE : ' ')
    .replace(WIDE, ' ')

/** The address of a link, unless its text is that. */
const ofLink = (href: string, text: string) =>
  href === '' || [href, href.replace(/^mailto:/, '')].includes(text.trim()) ? '' : ` (${href})`

/**
 * Sanitised HTML as text in lines: an empty line between paragraphs, `- ` before the items of lists, the address behind the text of
 * a link, and what describes a picture in its place.
 */
export function readable(html: string): string {
  let text = ''
  let preformatted = 0
  const links: { href: string; from: number }[] = []
  for (const token of html.split(/(<[^<>]*>)/)) {
    const [, slash, name] = TAG.exec(token) ?? []
    const isEnd = slash === '/'
    if (name === undefined) text += ofText(token, preformatted > 0)
    else if (name !== 'a') text += ofTag(token, name, isEnd)
    else if (!isEnd) links.push({ href: attribute(token, 'href'), from: text.length })
    else {
      const { href, from } = links.pop() ?? { href: '', from: 0 }
      text += ofLink(href, text.slice(from))
    }
    if (name === 'pre') preformatted += isEnd ? -1 : 1
  }
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/(\ufdd0- )[ \ufdd0\ufdd1]+/g, '$1')
    .replace(/ ?[\ufdd0\ufdd1][ \ufdd0\ufdd1]*/g, (run) =>
      /\ufdd1|\ufdd0 ?\ufdd0/.test(run) ? '\n\n' : '\n',
    )
    .trim()
}
