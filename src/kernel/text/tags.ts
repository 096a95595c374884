import { ATTRIBUTES, ELEMENTS } from './elements.ts'

/** Where a browser may see markup begin. */
const BEGINNING = /<(?:\/?[a-z]|!(?:--|\[CDATA\[|doctype\b))/gi
const NAME = /<\/?[^\t\n\f\r />]*/y
const GAP = /[\t\n\f\r /]*/y
const BLANK = /[\t\n\f\r ]*/y
const ATTRIBUTE = /[^\t\n\f\r />][^\t\n\f\r />=]*/y
const UNQUOTED = /[^\t\n\f\r >]*/y

/**
 * Takes markup away, and leaves the text of all elements and its entities as typed. Markup is a comment, an element that HTML
 * has or had, a custom or prefixed one, and anything with attributes that act; `x<y`, `Vec<T>` and `<you@host.test>` are text.
 * Where markup is left open, no opening bracket before a name survives. The work grows with the length alone.
 */
export function stripTags(text: string): string {
  const rest = removeTags(text)
  // what stood apart may have come together: "<scr<b>ipt>", "<a<b>>"
  const isLeft = hasMarkup(rest) || (rest !== text && removeTags(rest) !== rest)
  return isLeft ? rest.replace(/(?<!<)<+(?=[a-z/!?])/gi, '') : rest
}

/** Takes out what is markup as the text stands, up to markup that is left open. */
function removeTags(text: string): string {
  let rest = ''
  let at = 0
  for (let open = find(text, 0); open !== -1; ) {
    const next = find(text, open + 1)
    const found = markupAt(text, open, next)
    if (found && found.end === undefined) break
    if (found) {
      rest += text.slice(at, open)
      at = found.end!
    }
    open = next === -1 || next >= at ? next : find(text, at)
  }
  return rest + text.slice(at)
}

/** The markup that begins at `open`, where it ends, if it does; undefined for text. What begins inside is looked at by itself. */
function markupAt(text: string, open: number, next: number): { end?: number | undefined } | undefined {
  if (text[open + 1] === '!')
    return { end: text.startsWith('<!--', open) ? behind(text, '-->', open + 2) : behind(text, '>', open) }
  const name = nameAt(text, open)
  const tag = readTag(text, open, isElement(name) || next === -1 ? text.length : next)
  if (isElement(name) || tag?.acts) return tag!
  const isTag = tag?.end !== undefined && tag.isPlain && ELEMENTS.has(name)
  return isTag ? tag : undefined
}

/** Whether a browser that reads a text as HTML finds anything in it that acts, or any element that is known. */
function hasMarkup(text: string): boolean {
  let end = 0
  for (let open = find(text, 0); open !== -1; open = find(text, open + 1)) {
    if (text[open + 1] === '!' || isElement(nameAt(text, open).replace(/<.*$/s, ''))) return true
    if (open < end) continue
    const tag = readTag(text, open, text.length)!
    if (tag.acts) return true
    end = tag.end ?? text.length
  }
  return false
}

/** The name of the tag that begins at `open`, in lower case. */
const nameAt = (text: string, open: number): string =>
  text
    .slice(open, skip(NAME, text, open))
    .replace(/^<\/?/, '')
    .toLowerCase()

/** Whether a name alone makes markup: elements of one letter do so only as plain tags, since `a<b` is text. */
const isElement = (name: string): boolean =>
  (name.length > 1 && ELEMENTS.has(name)) || (!name.includes('@') && /[-:][a-z]/.test(name))

/** Whether an attribute with a value does something, in a browser or in what pages bring along (`x-on:click`, `@click`). */
const isActing = (name: string): boolean => /^on|^[^a-z0-9=?]|[-:@_]/.test(name) || ATTRIBUTES.has(name)

/** A tag: whether an attribute acts or is set in due form, whether there are none but known ones, and where it ends, if it does. */
type Tag = { acts: boolean; isPlain: boolean; end?: number }

/** Reads the tag that begins at `open` as browsers do; gives it up, undefined, where one that does not act reaches beyond `limit`. */
function readTag(text: string, open: number, limit: number): Tag | undefined {
  const tag: Tag = { acts: false, isPlain: true }
  let isSet = false
  let at = skip(GAP, text, skip(NAME, text, open))
  while (at < text.length && text[at] !== '>') {
    const { end, acts, sets, isKnown } = readAttribute(text, at)
    tag.acts ||= acts
    isSet ||= sets
    tag.isPlain &&= isKnown
    if (end > limit && !tag.acts) return undefined
    at = skip(GAP, text, end)
  }
  if (at >= limit && !tag.acts && limit < text.length) return undefined
  return at < text.length ? { ...tag, acts: tag.acts || isSet, end: at + 1 } : tag
}

type Attribute = { end: number; acts: boolean; sets: boolean; isKnown: boolean }

/** Reads an attribute. Quotes around a value make markup, as does a value that is still to come. */
function readAttribute(text: string, from: number): Attribute {
  const behindName = skip(ATTRIBUTE, text, from)
  const name = text.slice(from, behindName).toLowerCase()
  const isKnown = ATTRIBUTES.has(name)
  const equals = skip(BLANK, text, behindName)
  if (text[equals] !== '=') return { end: behindName, acts: false, sets: false, isKnown }
  const value = skip(BLANK, text, equals + 1)
  const quote = text[value]
  if (quote === '"' || quote === "'")
    return { end: behind(text, quote, value + 1) ?? text.length, acts: true, sets: true, isKnown }
  return {
    end: skip(UNQUOTED, text, value),
    acts: quote === undefined || isActing(name),
    sets: /^[a-z][a-z0-9]*$/.test(name),
    isKnown,
  }
}

function find(text: string, from: number): number {
  BEGINNING.lastIndex = from
  return BEGINNING.exec(text)?.index ?? -1
}

/** The end of the match of a sticky pattern at this position, which may be empty. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return pattern.lastIndex
}

function behind(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from)
  return at === -1 ? undefined : at + end.length
}
