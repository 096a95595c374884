const NAME = /<(?=[a-z/!?])/gi
const STOP = /[>=]/g
const BLANK = /[\s]*/y
const UNQUOTED = /[^\s>]*/y

/**
 * Takes tags and comments away, and leaves the text of all elements and its entities as typed. A `<` that begins nothing
 * tag-like stays: "Jerry <3"; what follows the last `>` is text. One pass, however the tags are nested or left open.
 */
export function stripTags(text: string): string {
  const end = text.lastIndexOf('>') + 1
  let kept = ''
  let at = 0
  for (let open = find(NAME, text, 0); open !== -1 && open < end; open = find(NAME, text, at)) {
    kept += text.slice(at, open)
    at = endOf(text, open) ?? end
  }
  kept += text.slice(at)
  // "<<b>script>" has just become "<script>": no opening bracket before a name survives
  return kept.replace(/(?<!<)<+(?=[a-z/!?])/gi, '')
}

/** Where the tag or comment that begins at `open` ends; undefined where it does not. */
function endOf(text: string, open: number): number | undefined {
  if (text.startsWith('<!--', open)) return behind(text, '-->', open + 2)
  return /[a-z]/i.test(text[open + 1]!) ? endOfOpening(text, open) : behind(text, '>', open)
}

/** The end of an opening tag: quotes hide a `>` where a value begins with them, and nowhere else. */
function endOfOpening(text: string, open: number): number | undefined {
  for (let at = find(STOP, text, open); at !== -1; at = find(STOP, text, at)) {
    if (text[at] === '>') return at + 1
    const value = skip(BLANK, text, at + 1)
    const quote = text[value]!
    const next = quote === '"' || quote === "'" ? behind(text, quote, value + 1) : skip(UNQUOTED, text, value)
    if (next === undefined) return undefined
    at = next
  }
  return undefined
}

function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

/** Where what a sticky pattern takes from here on, be it nothing, ends. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return pattern.lastIndex
}

function behind(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from)
  return at === -1 ? undefined : at + end.length
}
