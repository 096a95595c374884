import { Parser } from 'htmlparser2'

/** What HTML says of an event to programs. */
export type Marked = {
  /** Texts of microformats (h-event) and microdata by what they are. */
  start?: string
  end?: string
  location?: string
  /** The texts of scripts with JSON-LD, and the lines that they begin in. */
  scripts: { line: number; text: string }[]
}

/** Classes of h-event and its forerunner hCalendar, and names of microdata. */
const MEANT: Record<string, 'start' | 'end' | 'location'> = {
  ...{ 'dt-start': 'start', dtstart: 'start', startDate: 'start' },
  ...{ 'dt-end': 'end', dtend: 'end', endDate: 'end' },
  ...{ 'p-location': 'location', location: 'location' },
}

/** Reads what HTML says to programs: the first of each, as its attribute for programs has it, else as people read it. */
export function readMarkup(html: string): Marked {
  const found: Marked = { scripts: [] }
  /** What is open, with what its text is. */
  const open: ('start' | 'end' | 'location' | 'script' | undefined)[] = []
  const starts: number[] = []
  let text = ''
  for (let at = html.indexOf('\n'); at >= 0; at = html.indexOf('\n', at + 1)) starts.push(at)
  const parser: Parser = new Parser({
    onopentag(name, { class: classes = '', itemprop = '', datetime, content, title, type = '' }) {
      const isData = name === 'script' && /^application\/ld\+json\b/i.test(type.trim())
      const member = isData
        ? 'script'
        : [...classes.split(/\s+/), ...itemprop.split(/\s+/)].map((word) => MEANT[word]).find(Boolean)
      if (isData || (member !== undefined && !open.some(Boolean))) text = ''
      open.push(member)
      const told = datetime ?? content ?? (name === 'abbr' ? title : undefined)
      if (member !== undefined && member !== 'script' && told !== undefined) found[member] ??= told.trim()
    },
    ontext(more) {
      if (open.some(Boolean)) text += more
    },
    onclosetag() {
      const member = open.pop()
      if (member === 'script')
        found.scripts.push({ line: starts.filter((at) => at < parser.startIndex).length + 1, text })
      else if (member !== undefined && text.trim() !== '') found[member] ??= text.replace(/\s+/g, ' ').trim()
    },
  })
  parser.write(html)
  parser.end()
  return found
}
