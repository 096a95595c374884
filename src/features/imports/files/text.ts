import { PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'

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

/** A character at the end of a piece that may go on in the next, perhaps behind a fold. */
const UNFINISHED = /[\xc2-\xf4][^\xc2-\xf4]{0,8}$/

/** Bytes as signs in pieces, in none of which a character of UTF-8 ends that began in another. */
function* wholeSequences(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.toString('latin1', at, at + PIECE)
    const end = at + PIECE < bytes.length ? piece.search(UNFINISHED) : -1
    const whole = end < 0 ? piece : piece.slice(0, end)
    yield whole
    at += whole.length
  }
}

/** The text of bytes in an encoding, a piece in each step. */
function* textOf(bytes: Buffer, encoding: string, fatal = false): Task<string> {
  const decoder = new TextDecoder(encoding, { fatal })
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })
    yield
  }
  return text + decoder.decode()
}

/** The text of bytes in UTF-8; undefined if one of them is none. */
function* utf8(bytes: Buffer): Task<string | undefined> {
  try {
    return yield* textOf(bytes, 'utf-8', true)
  } catch {
    return undefined
  }
}

/**
 * The text of a file: in UTF-8 or, if a mark at its beginning says so, UTF-16. A line that is folded inside a character is folded after it. A
 * file without any character of several bytes that is UTF-8 is read as the code page of Windows; in all others a byte that is no
 * UTF-8 becomes `UNREADABLE`.
 */
export function* decode(file: Uint8Array): Task<string> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return yield* textOf(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return yield* textOf(bytes, 'utf-16be')
  const text = yield* utf8(bytes)
  if (text !== undefined) return text
  const pieces: string[] = []
  let isUtf8 = false
  for (const piece of wholeSequences(bytes)) {
    const unfolded = piece.replace(FOLDED, '$1$3$2')
    isUtf8 ||= SEQUENCE.test(unfolded)
    pieces.push(unfolded)
    yield
  }
  if (isUtf8) return yield* textOf(Buffer.from(pieces.join(''), 'latin1'), 'utf-8')
  let read = ''
  for (const piece of pieces) {
    read += ofWindows(piece)
    yield
  }
  return read
}
