/** The signs of the code page of Windows from 128 to 159, where it differs from ISO 8859-1. */
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const ofWindows = (latin: string) =>
  latin.replace(/[\u0080-\u009f]/g, (sign) => SIGNS[sign.charCodeAt(0) - 128] as string)

/** The sign that stands for bytes that are no text. */
export const UNREADABLE = '\ufffd'

/** A character of UTF-8 with more than one byte, each byte as a sign. */
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/
/** A character that a folded line of iCalendar has on both sides of the fold (RFC 5545 §3.1). */
const FOLDED = /([\xc2-\xf4][\x80-\xbf]{0,2})(\r?\n[ \t])([\x80-\xbf]{1,3})/g

/** The text of bytes in UTF-8; undefined if one of them is none. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The text of a file: in UTF-8 or, if a mark at its beginning says so, UTF-16. A line that is folded inside a character is folded after it. A
 * file without any character of several bytes that is UTF-8 is read as the code page of Windows; in all others a byte that is no
 * UTF-8 becomes `UNREADABLE`.
 */
export function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const text = utf8(bytes)
  if (text !== undefined) return text
  const latin = Buffer.from(bytes).toString('latin1').replace(FOLDED, '$1$3$2')
  return SEQUENCE.test(latin)
    ? new TextDecoder('utf-8').decode(Buffer.from(latin, 'latin1'))
    : ofWindows(latin)
}
