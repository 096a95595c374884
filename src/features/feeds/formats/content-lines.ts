/** The parameters of a property by name; those without a value are left out. */
type Parameters = Record<string, string | undefined>

/** Octets of a line without its end (RFC 5545 §3.1). */
const LONGEST = 75
const PRINTABLE = /^[ -~]*$/
/** What no line may contain: controls but for the tab, and half characters. */
const FORBIDDEN = /[^\P{Cc}\t]|\p{Cs}/gu
/** Every sign that some reader takes for the end of a line. */
const BREAKS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g

const sizeOf = (code: number) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)

/** Where lines of at most 75 octets begin in a text, no character in two of them. */
function* startsOf(text: string): Generator<number> {
  let octets = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!
    const size = sizeOf(code)
    if (octets + size > LONGEST) {
      yield at
      octets = 1 // the space before it
    }
    octets += size
    at += code > 0xffff ? 2 : 1
  }
}

function fold(text: string): string {
  if (text.length <= LONGEST && PRINTABLE.test(text)) return `${text}\r\n`
  let folded = ''
  let from = 0
  for (const start of startsOf(text)) {
    folded += `${text.slice(from, start)}\r\n `
    from = start
  }
  return `${folded}${text.slice(from)}\r\n`
}

/** The value of a parameter (RFC 6868), quoted unless it is a word. */
function parameter(value: string): string {
  if (/^[\w/-]+$/.test(value)) return value
  const encoded = value.replace(/\^/g, '^^').replace(BREAKS, '^n').replace(/"/g, "^'")
  return `"${encoded}"`
}

/**
 * A property as folded lines with their ends (RFC 5545 §3.1). `value` has the form of its type: see `text` and `uri`. Controls are
 * removed from all of it, so that a value can not begin another property.
 */
export function line(name: string, value: string, parameters: Parameters = {}): string {
  let head = name
  for (const [key, given] of Object.entries(parameters)) if (given) head += `;${key}=${parameter(given)}`
  return fold(`${head}:${value}`.replace(FORBIDDEN, ''))
}

/** A value of type TEXT (RFC 5545 §3.3.11). */
export const text = (value: string): string => value.replace(/[\\;,]/g, '\\$&').replace(BREAKS, '\\n')

/** A value of type URI (RFC 3986): what no URL may contain is percent-encoded. */
export const uri = (url: string): string =>
  url.replace(FORBIDDEN, '').replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent)

/** A local time as DATE-TIME without a zone (RFC 5545 §3.3.5). */
export const dateTime = (wall: string): string => wall.replace(/[-:]/g, '').replace(' ', 'T')
/** The day of a local time as DATE (RFC 5545 §3.3.4). */
export const date = (wall: string): string => wall.slice(0, 10).replace(/-/g, '')
