import { parseDocument } from 'htmlparser2'
import { ELEMENTS } from '../../src/kernel/text/markup.ts'

/** An element as a parser sees it that knows nothing of the sanitiser's options. */
export type Element = { name: string; attribs: Record<string, string>; children: Element[]; data?: string }

/** All elements of a text read as HTML, outer ones first. */
export const elementsOf = (html: string): Element[] => flatten(parseDocument(html).children as never)

const flatten = (nodes: Element[]): Element[] =>
  nodes.flatMap((node) => (node.attribs ? [node, ...flatten(node.children)] : []))

const LOADING = /^(src|href|cite|action|formaction|data|poster|background|srcset|xlink:href|ping|longdesc)$/
const RUNS =
  /^(script|style|iframe|frame|object|embed|applet|base|meta|link|form|input|button|textarea|select|svg|math|template|noscript|xmp|title|plaintext|audio|video|isindex|marquee)$/

/** What a browser would run of a text that is put into a page; undefined where there is nothing. */
export function findDanger(html: string): string | undefined {
  for (const { name, attribs } of elementsOf(html)) {
    if (RUNS.test(name) || !/^[a-z][a-z0-9]*$/.test(name)) return `<${name}>`
    for (const [key, value] of Object.entries(attribs)) {
      if (!/^[a-z]+$/.test(key) || /^(on.*|style|srcdoc|is|slot)$/.test(key)) return `<${name} ${key}>`
      if (LOADING.test(key) && !isSafe(value)) return `<${name} ${key}="${value}">`
    }
  }
  return undefined
}

/** What of a plain text is markup to a browser that is given it as HTML; undefined where all of it is text or does nothing. */
export function findMarkup(text: string): string | undefined {
  if (/<!--|<\/?script([\s/>]|$)/i.test(text)) return text
  const found = elementsOf(text).find(
    ({ name, attribs }) =>
      (name.length > 1 && ELEMENTS.has(name)) ||
      /^[\w.]+[-:][a-z]/.test(name) ||
      Object.entries(attribs).some(
        ([key, value]) => value !== '' && /^on|^(style|href|src)$|^[@:]|^\w+[-:]/.test(key),
      ),
  )
  return found && `<${found.name}>`
}

/** Judged as browsers read URLs: what they can not parse leads nowhere. */
export function isSafe(url: string): boolean {
  const base = 'https://x.test'
  return (
    !URL.canParse(url, base) || ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url, base).protocol)
  )
}
