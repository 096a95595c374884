import { decodeHTML } from 'entities'
import { BLOCK } from './elements.ts'

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
    .replace(/\s+/g, ' ')

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
    .replace(/ +/g, ' ')
    .replace(/(\ufdd0- )[ \ufdd0\ufdd1]+/g, '$1')
    .replace(/ ?[\ufdd0\ufdd1][ \ufdd0\ufdd1]*/g, (run) =>
      /\ufdd1|\ufdd0 ?\ufdd0/.test(run) ? '\n\n' : '\n',
    )
    .trim()
}
