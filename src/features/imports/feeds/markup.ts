import { Parser } from 'htmlparser2'
import { PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'

/** What HTML says of an event to programs. */
export type Marked = {
  /** Texts of microformats (h-event) and microdata by what they are. */
  start?: string
  end?: string
  location?: string
  /** The texts of scripts with JSON-LD, and the lines that they begin in. */
  scripts: { line: number; text: string }[]
}

type Mark = 'start' | 'end' | 'location'

const named = (member: Mark, names: string[]) => names.map((name) => [name, member] as const)
/** Classes of h-event and its forerunner hCalendar, and names of microdata. */
const MEANT = new Map<string, Mark>([
  ...named('start', ['dt-start', 'dtstart', 'startDate']),
  ...named('end', ['dt-end', 'dtend', 'endDate']),
  ...named('location', ['p-location', 'location']),
])

/** How deep elements may lie, as in browsers. What lies deeper is not read, nor what follows it. */
const DEEPEST = 512

/** Reads what HTML says to programs: the first of each, as its attribute for programs has it, else as people read it. */
export function* readMarkup(html: string): Task<Marked> {
  const found: Marked = { scripts: [] }
  /** What each open element is. */
  const open: (Mark | 'script' | undefined)[] = []
  /** How many open elements are something, whose text is kept. */
  let kept = 0
  let text = ''
  let line = 1
  let counted = 0
  const lineAt = (index: number) => {
    for (; counted < index; counted++) if (html[counted] === '\n') line++
    return line
  }
  const parser: Parser = new Parser({
    onopentag(name, { class: classes = '', itemprop = '', datetime, content, title, type = '' }) {
      const isData = name === 'script' && /^application\/ld\+json\b/i.test(type.trim())
      const words = [...classes.split(/\s+/), ...itemprop.split(/\s+/)]
      const member = isData ? 'script' : words.map((word) => MEANT.get(word)).find(Boolean)
      if (isData || kept === 0) text = ''
      open.push(member)
      if (open.length > DEEPEST) parser.pause()
      if (member !== undefined) kept++
      const told = datetime ?? content ?? (name === 'abbr' ? title : undefined)
      if (member !== undefined && member !== 'script' && told !== undefined) found[member] ??= told.trim()
    },
    ontext(more) {
      if (kept > 0) text += more
    },
    onclosetag() {
      const member = open.pop()
      if (member === undefined) return
      kept--
      if (member === 'script') found.scripts.push({ line: lineAt(parser.startIndex), text })
      else if (text.trim() !== '') found[member] ??= text.replace(/\s+/g, ' ').trim()
    },
  })
  for (let at = 0; at < html.length; at += PIECE) {
    parser.write(html.slice(at, at + PIECE))
    yield
  }
  parser.end()
  return found
}
