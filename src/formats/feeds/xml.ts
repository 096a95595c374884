/** What XML 1.0 can not contain, not even escaped: most control characters, and halves of pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML, also inside of quotes. What XML forbids is left out. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"]/g, (character) => ESCAPES[character]!)

type Attributes = Record<string, string>

const begin = (name: string, attributes: Attributes) =>
  name +
  Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    .join('')

/** An element with text; nothing if there is none. */
export const element = (name: string, text: string, attributes: Attributes = {}): string =>
  text && `<${begin(name, attributes)}>${escapeXml(text)}</${name}>\n`

/** An element without content. */
export const empty = (name: string, attributes: Attributes): string => `<${begin(name, attributes)}/>\n`

/** The beginning of an element with others inside, and its end. */
export const open = (name: string, attributes: Attributes = {}): string => `<${begin(name, attributes)}>\n`
export const close = (name: string): string => `</${name}>\n`

/** The first line of every document. */
export const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'
