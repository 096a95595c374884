import { basename, extname } from 'node:path'
import { decodeHTMLStrict } from 'entities'
import { stripTags } from './html.ts'

const SLUG_BYTES = 200

/**
 * One line of plain text (D23): markup goes and the text between tags stays, that of scripts and the like too; entities are
 * decoded once, control characters and line breaks are single spaces.
 */
export function toPlainText(value: string): string {
  // spaces first, for a tag may have a control character where a browser is to see one
  return stripTags(toLine(decodeHTMLStrict(stripTags(toLine(value)))))
    .replace(/ +/g, ' ')
    .trim()
}

const toLine = (text: string): string =>
  text.replace(/\p{Cs}/gu, '\ufffd').replace(/[\p{Cc}\u2028\u2029 ]+/gu, ' ')

/** The parts of a text between lines and commas, or between what else is named, without spaces around them; empty ones are left out. */
export const partsOf = (text: string, between: RegExp | string = /[,\n]/): string[] =>
  text
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** A text with spaces for control characters, of which PostgreSQL can not store NUL. */
export const withoutControls = (text: string) => text.replace(/\p{Cc}/gu, ' ')

// letters that Unicode doesn't decompose into a base letter and a mark
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'k',
  ς: 'σ',
}
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
// accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic; in other scripts a mark makes a different letter
const MARKS = /(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu
const VANISHING = /[!-,:-@[-^`{-~°‘’‚‛“”„‟«»‹›′″ʼʹ¡¿…\p{Cf}\p{Sk}\ufffd\p{Variation_Selector}]/gu
const LATIN_MARKS = /([\p{Script=Latin}\p{N}\s])\p{M}+/gu

/** The two letters of Catalan with a point between them, which many write as one of these or leave out. */
const GEMINATE = /(?<=\p{L})l(?:[·•‧∙⋅]l)+(?=\p{L})/gu
const TYPED_GEMINATE = /(?<=\p{L})l(?:\.l)+(?=\p{L})/gu
const withoutPoints = (letters: string) => 'l'.repeat((letters.length + 1) / 2)

const SURPLUS = /(\p{M}{30})\p{M}+/gu

/** The Unicode normal form of a text. Runs of marks are cut after the thirtieth (UAX #15 §13), because sorting longer ones is slow. */
const normalize = (text: string, form: 'NFKD' | 'NFC') => text.replace(SURPLUS, '$1').normalize(form)

function simplify(text: string, dropMarks: (decomposed: string) => string): string {
  const lower = normalize(text, 'NFKD').toLowerCase()
  const letters = dropMarks(lower)
    .replace(LETTER, (letter) => LETTERS[letter]!)
    .replace(GEMINATE, withoutPoints)
  return normalize(letters, 'NFC')
}

const ASCII = /^[ -~]*$/

/** Text for searching and comparing: lower case, without accents and the point of `col·legi`, white space and control characters collapsed. */
export function fold(text: string): string {
  const simple = ASCII.test(text)
    ? text.toLowerCase().replace(/ {2,}/g, ' ')
    : simplify(text, (s) => s.replace(MARKS, '')).replace(/[\s\p{Cc}]+/gu, ' ')
  return simple.replace(TYPED_GEMINATE, withoutPoints).trim()
}

/**
 * The slug of a title or name (reference §4.6), "" if nothing is left. Latin letters lose their accents, other scripts are
 * percent-encoded. White space, dashes, "." and "/" separate words; other punctuation is removed, that of `col·legi` as well. At most 200 bytes (R5).
 */
export function toSlug(text: string): string {
  const plain = decodeOctets(toPlainText(text))
    .replace(/[©®°™´˚]/g, '')
    .replaceAll('×', 'x')
  // remove punctuation first, since it may be between a letter and its mark
  const words = simplify(plain, (s) => s.replace(VANISHING, '').replace(LATIN_MARKS, '$1'))
    .replace(/[\s\p{Z}\p{Pd}\p{Cc}./]+/gu, '-')
    .replace(/[^a-z0-9_\p{L}\p{N}\p{M}\p{So}]+/gu, '-')
  return cut(encodeURIComponent(trimDashes(words)).toLowerCase(), SLUG_BYTES)
}

/** The slug with "-n" appended, within 200 bytes (R8). */
export function withSuffix(slug: string, n: number | string): string {
  const suffix = `-${n}`
  return cut(slug, SLUG_BYTES - suffix.length) + suffix
}

/** Decodes percent-encoded UTF-8, so that a slug that is sent back stays the same. */
function decodeOctets(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (octets) => {
    try {
      return decodeURIComponent(octets)
    } catch {
      return octets
    }
  })
}

function trimDashes(text: string): string {
  return text.replace(/-+/g, '-').replace(/^-|-$/g, '')
}

const CHARACTER =
  /%f[0-7](?:%[89ab][0-9a-f]){3}|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%[cd][0-9a-f]%[89ab][0-9a-f]|./gs

/** The beginning of a slug, without cutting a character in half. */
function cut(slug: string, bytes: number): string {
  if (slug.length <= bytes) return slug
  let length = 0
  for (const [character] of slug.matchAll(CHARACTER)) {
    if (length + character.length > bytes) break
    length += character.length
  }
  return trimDashes(slug.slice(0, length))
}

const WEB_URL =
  /^(?:https?|ftp):\/\/(?:[^\s/?#@\\<>"]+@)?(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?)(?::\d+)?(?:[/?#][^\s<>"`\\]*)?$/i
const MAILTO = /^mailto:[^\s<>"`\\@?]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?:\?[^\s<>"`\\]*)?$/i

/** The trimmed URL if it is http, https, ftp or mailto with an ASCII host (R8); otherwise undefined. */
export function readUrl(value: string): string | undefined {
  const url = value.trim()
  return (WEB_URL.test(url) || MAILTO.test(url)) && URL.canParse(url) ? url : undefined
}

/** Greatest length of the readable part of a name, in characters. */
const LONGEST = 80
/** What is added to the names of pictures, so that nobody guesses them. */
const RANDOM = /-[0-9a-f]{20}$/

/** The name of a file without its extension, as the readable part of the name under which it is stored. */
export const stemOf = (name: string): string =>
  toSlug(basename(name, extname(name)))
    .replaceAll('%', '')
    .slice(0, LONGEST) || 'image'

/** The readable part of the name of a stored file, which is that of the file that was uploaded. */
export const storedStem = (path: string): string => basename(path, extname(path)).replace(RANDOM, '')
