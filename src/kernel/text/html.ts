import { decodeHTML } from 'entities'
import sanitizeHtml from 'sanitize-html'
import { BLOCK, DROPPED, ELEMENTS, INLINE } from './elements.ts'

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

/** The text of sanitised HTML, white space collapsed. */
export function stripHtml(html: string): string {
  const text = html.replace(/<\/?([a-z0-9]*)(?![a-z0-9])[^<>]*>/gi, (_, name: string) =>
    name !== 'br' && INLINE.includes(name.toLowerCase()) ? '' : ' ',
  )
  return decodeHTML(text).replace(/\s+/g, ' ').trim()
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
