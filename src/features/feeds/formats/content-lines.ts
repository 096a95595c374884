/** The parameters of a property by name; those without a value are left out. */
type Parameters = Record<string, string | undefined>

/** Octets of a line without its end (RFC 5545 §3.1). */
const LONGEST = 75
const PRINTABLE = /^[ -~]*$/
/** What no line may contain: controls but for the tab, and half characters. */
const FORBIDDEN = /[^\P{Cc}\t]|\p{Cs}/gu
/** Controls, and halves also of whole characters: a text without any has nothing that is forbidden, and this is found faster. */
const SUSPECT = /[^\t -~\u00a0-\ud7ff\ue000-\uffff]/
/** Every sign that some reader takes for the end of a line. */
const BREAKS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g

const allowed = (text: string) => (SUSPECT.test(text) ? text.replace(FORBIDDEN, '') : text)

const sizeOf = (code: number) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)

/** Where a line of at most so many octets ends that begins at a place of a text: no character is in two lines. */
function endOf(text: string, from: number, most: number): number {
  let octets = 0
  let at = from
  while (at < text.length) {
    const code = text.codePointAt(at)!
    octets += sizeOf(code)
    if (octets > most) break
    at += code > 0xffff ? 2 : 1
  }
  return at
}

/** A line with its end, without what is forbidden, and with breaks where it is too long. */
function fold(line: string): string {
  const isPlain = PRINTABLE.test(line)
  if (line.length <= LONGEST && isPlain) return `${line}\r\n`
  const text = isPlain ? line : allowed(line)
  let folded = ''
  // a line that goes on begins with a space
  for (let from = 0, most = LONGEST; from < text.length; most = LONGEST - 1) {
    const to = isPlain ? from + most : endOf(text, from, most)
    folded += `${from > 0 ? ' ' : ''}${text.slice(from, to)}\r\n`
    from = to
  }
  return folded
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
  return fold(`${head}:${value}`)
}

/** A value of type TEXT (RFC 5545 §3.3.11). */
export const text = (value: string): string => value.replace(/[\\;,]/g, '\\$&').replace(BREAKS, '\\n')

/** A value of type URI (RFC 3986): what no URL may contain is percent-encoded. */
export const uri = (url: string): string => allowed(url).replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent)

/** A local time as DATE-TIME without a zone (RFC 5545 §3.3.5). */
export const dateTime = (wall: string): string => wall.replace(/[-:]/g, '').replace(' ', 'T')
/** The day of a local time as DATE (RFC 5545 §3.3.4). */
export const date = (wall: string): string => wall.slice(0, 10).replace(/-/g, '')
