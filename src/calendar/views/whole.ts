import { isUtf8 } from 'node:buffer'
import { BASE, HOST } from '../formats/json.ts'

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [OPEN_OBJECT, END_OBJECT, OPEN_LIST, END_LIST] = [123, 125, 91, 93]

/** The bytes that JSON has outside of strings, brackets apart: white space is never stored. */
const PLAIN = new Uint8Array(256)
for (const byte of Buffer.from('-+.0123456789eEtrufalsn,:')) PLAIN[byte] = 1
/** The bytes that may follow a backslash. */
const ESCAPED = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrtu')) ESCAPED[byte] = 1
const SPACE = 32

const isMarker = (byte: number) => byte >= BASE.charCodeAt(0) && byte <= HOST.charCodeAt(0)

/** The place of the quote that ends the string that another begins; -1 if it does not end, or has what a string can not have. */
function endOfString(json: Buffer, start: number): number {
  // a marker stands only there
  for (let at = start + (isMarker(json[start + 1]!) ? 2 : 1); at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) return at
    if (byte < SPACE || (byte === BACKSLASH && ESCAPED[json[++at]!] !== 1)) return -1
  }
  return -1
}

/**
 * How stored JSON ends: with which brackets missing, from the innermost, and whether inside a member. Undefined if something is cut off elsewhere or
 * does not belong there. Strings, brackets and the bytes between them are looked at, which takes less time than parsing; numbers and words are read
 * at the end only.
 */
function endOf(json: Buffer): { missing: string; isValue: boolean } | undefined {
  const open: number[] = []
  let beforeString = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) {
      beforeString = json[at - 1]!
      at = endOfString(json, at)
      if (at < 0) return undefined
    } else if (byte === OPEN_OBJECT) open.push(END_OBJECT)
    else if (byte === OPEN_LIST) open.push(END_LIST)
    else if (byte === END_OBJECT || byte === END_LIST) {
      if (open.pop() !== byte) return undefined
    } else if (PLAIN[byte] === 0 || open.length === 0) return undefined
  }
  const isString = json[json.length - 1] === QUOTE
  const isValue = isString
    ? beforeString === COLON
    : VALUE.test(json.toString('latin1', Math.max(0, json.length - 5)))
  return { missing: String.fromCharCode(...open.reverse()), isValue }
}
/** The end of a value that is no string. */
const VALUE = /(?:\d|true|false|null|[\]}])$/

const isText = (json: unknown): json is Buffer =>
  Buffer.isBuffer(json) && isUtf8(json) && json[0] === OPEN_OBJECT

/** Whether stored JSON is an object with members that waits for more of them. */
export function isOpenObject(json: unknown): json is Buffer {
  const end = isText(json) ? endOf(json) : undefined
  return end?.missing === '}' && end.isValue
}

/** Whether JSON-LD of an event, which its place and host complete, or of another record is whole. */
export function isLinkedData(json: unknown): json is Buffer {
  const end = isText(json) ? endOf(json) : undefined
  if (!end) return false
  const { missing, isValue } = end
  const last = (json as Buffer).at(-1)
  return (
    missing === '' || (missing === '}' && (isValue || last === COLON)) || (missing === ']}' && last === COMMA)
  )
}
