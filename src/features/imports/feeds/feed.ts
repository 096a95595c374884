import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { readCalendars } from '../files/ical/calendar.ts'
import type { Fault, Item } from '../files/item.ts'
import { failed } from '../site/web.ts'
import { readLinkedData, readMarkup } from './structured-data.ts'
import { type Element, readSyndication, readXml, type SyndicationOptions } from './syndication.ts'

/** What a feed tells: events, and lines that can not be read. */
export type ParsedFeed = {
  items: Item[]
  faults: Fault[]
  /** A feed of the next few events says nothing of those that start later than this, a wall clock of UTC. One that is whole has none. */
  reach?: string
}

const ROOTS = ['rss', 'feed', 'RDF']
/** As many events as The Events Calendar tells at most in a file of iCalendar. */
const WINDOW = 30

const startOf = ({ body: { start_date, timezone } }: Item): string =>
  toWall(toEpoch(`${start_date} 00:00:00`.slice(0, 19), String(timezone)), 'UTC')

/** Until when a feed that does not tell all tells all: its last start if it is in the order of starts, and else not at all. */
function reachOf(items: Item[]): string {
  const starts = items.filter(({ body }) => body.start_date !== undefined).map(startOf)
  const isSorted = starts.every((start, at) => at === 0 || starts[at - 1]! <= start)
  return isSorted ? (starts.at(-1) ?? '') : ''
}

function* readCalendar(text: string, options: FeedReadOptions): Task<ParsedFeed> {
  if (!/\nEND:VCALENDAR\s*$/i.test(text.replace(/\r\n?/g, '\n')))
    throw failed(`${options.shown} answers with a calendar that ends too early`)
  const { items, faults } = yield* readCalendars(text, options)
  const isWindow = items.length >= WINDOW && /^PRODID:.*ECPv/m.test(text)
  return { items, faults, ...(isWindow && { reach: reachOf(items) }) }
}

/** How a feed is read. `shown` is what its source is called in messages. */
type FeedReadOptions = SyndicationOptions & { languages: readonly string[]; shown: string }

function* parse(text: string, shown: string): Task<Element> {
  try {
    return yield* readXml(text)
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n')
    throw failed(`${shown} answers with XML that is broken or ends too early (${why})`)
  }
}

/** Whether a text is a page for people that tells programs of events. */
const isPage = (text: string) =>
  /<html\b/i.test(text.slice(0, 4_000)) &&
  /application\/ld\+json/i.test(text) &&
  /"@type"\s*:\s*(?:\[[^\]]{0,200})?"[^"]{0,100}(?:Event|Festival|Hackathon)"/.test(text)

/** Whether a text begins like a feed, or is a page that tells programs of events. */
export function isFeed(text: string): boolean {
  const head = text.slice(0, 4_000).replace(/^[\ufeff\s]+/, '')
  if (/^BEGIN:VCALENDAR\b/i.test(head) || isPage(text)) return true
  return /^<(?!!doctype\s+html\b|html\b)/i.test(head) && /<(?:rss|feed|(?:\w+:)?RDF)\b/i.test(head)
}

/** Reads a feed of iCalendar, RSS or Atom, or the events that a page tells programs by JSON-LD. Throws, in words for people, if it is none or not whole. */
export function* readFeed(text: string, options: FeedReadOptions): Task<ParsedFeed> {
  const plain = text.replace(/^[\ufeff\s]+/, '')
  if (/^BEGIN:VCALENDAR\b/i.test(plain)) return yield* readCalendar(plain, options)
  if (isPage(plain)) {
    const { scripts } = yield* readMarkup(plain)
    const items = yield* readLinkedData(scripts, options)
    if (items.length === 0)
      throw failed(`${options.shown} is a page that tells programs of no event (JSON-LD)`)
    return { items, faults: [], reach: reachOf(items) }
  }
  const root = isFeed(plain) ? yield* parse(plain, options.shown) : undefined
  if (root === undefined || !ROOTS.includes(root.name))
    throw failed(
      `${options.shown} answers with something else than a calendar or a feed; it may ask to sign in, or have moved`,
    )
  const items = yield* readSyndication(root, options)
  return { items, faults: [], reach: reachOf(items) }
}
