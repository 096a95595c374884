import { beginningOf } from '../../../rules/text/html.ts'
import { html, type Markup, trusted } from '../markup.ts'
import type { View } from '../view.ts'

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

/**
 * A sanitised description as part of a page. Pictures of other hosts become links, because a page requests nothing from others; inside
 * a link only their alternative text is left.
 */
export function prose({ front }: Pick<View, 'front'>, description: string): Markup {
  let links = 0
  const text = description.replace(/<(a|\/a|img)\b[^<>]*>/g, (tag, name: string) => {
    if (name !== 'img') {
      links += name === 'a' ? 1 : -1
      return tag
    }
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
