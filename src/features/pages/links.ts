/** A link of the operator: its text, and an address of the web or a path of this host. */
export type Link = { text: string; url: string }

const ADDRESS = /^(?:\/(?!\/)\S*|(?:https?:\/\/|mailto:)\S+)$/

/**
 * Reads links as settings write them: a text and its address with a space between, separated by semicolons. Undefined if one of them lacks a
 * text, or an address that is allowed: http, https, mailto, or a path.
 */
export function readLinks(value: string): Link[] | undefined {
  const links: Link[] = []
  for (const entry of value.split(';').map((one) => one.trim())) {
    if (entry === '') continue
    const [, text, url] = /^(.*\S)\s+(\S+)$/s.exec(entry) ?? []
    if (text === undefined || !ADDRESS.test(url!)) return undefined
    links.push({ text, url: url! })
  }
  return links
}
