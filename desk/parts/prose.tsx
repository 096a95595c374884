import type { ComponentChild, VNode } from 'preact'
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { BLOCK, INLINE } from '../../src/kernel/text/markup.ts'
import { isLink, isPicture } from '../rules/url.ts'
import { inertBody } from './inert.ts'

const SHOWN = new Set([...INLINE, ...BLOCK])
const KEPT = ['href', 'src', 'alt', 'title', 'lang', 'dir', 'colspan', 'rowspan', 'start', 'width', 'height']
const isSafe = (name: string, value: string) =>
  name === 'href' ? isLink(value) : name !== 'src' || isPicture(value)

/** A node of an inert document as nodes of the page: elements that carry text, with attributes that can do nothing. */
function copy(node: Node): ComponentChild {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  if (!(node instanceof HTMLElement)) return null
  const name = node.tagName.toLowerCase()
  const children: ComponentChild[] = [...node.childNodes].map(copy)
  if (!SHOWN.has(name)) return null
  const attributes = KEPT.flatMap((key) => {
    const value = node.getAttribute(key)
    return value !== null && isSafe(key, value) ? [[key, value]] : []
  })
  return h(name, Object.fromEntries(attributes), ...children) as VNode
}

/** HTML of a record, shown without trusting it. */
export function Prose({ html }: { html: string }) {
  const shown = useMemo(() => [...inertBody(html).childNodes].map(copy), [html])
  return <div class="prose-text">{shown}</div>
}
