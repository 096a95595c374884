import { inTurns, type Task } from '../../../kernel/tasks/scheduler.ts'
import { toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { decode } from '../files/event-files.ts'
import { readCalendars } from '../files/icalendar.ts'
import type { Fault, Item } from '../files/items.ts'
import { findRoot, readRoot } from '../site/source.ts'
import { failed, type Validators, type Web } from '../site/web.ts'
import { readLinkedData, readMarkup } from './structured-data.ts'
import { type Element, readSyndication, readXml, type SyndicationOptions } from './syndication.ts'

/** The ID of a calendar in an address, which Google writes in base64 where people share one. */
function calendarIn(id: string): string {
  const text = Buffer.from(id, 'base64').toString()
  return id.includes('@') || !/^[\w.+#%-]+@[\w.-]+$/.test(text) ? id : text
}

/** The address of the feed of a public calendar of Google, for those at which people see, embed or share it; any other as it is. */
export function feedAddress(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address)
  if (!/^(?:calendar|www)\.google\.com$/.test(hostname) || !pathname.startsWith('/calendar')) return address
  const id = searchParams.get('src') ?? searchParams.get('cid')
  if (!id) return address
  if (/^(?:https?|webcal):/i.test(id)) return id.replace(/^(?:webcal|http):/i, 'https:')
  return `https://calendar.google.com/calendar/ical/${encodeURIComponent(calendarIn(id))}/public/basic.ics`
}

/** The address of a feed, and what messages call it. */
export type FeedSource = { address: string; shown: string }
/** A feed as it was loaded. */
export type LoadedFeed = { text: string; known: Validators }

/** Loads a feed; `same` if it did not change. Throws if what answers is something else, with `isOther`, or if it can not be had. */
export async function loadFeed(
  web: Web,
  { address, shown }: FeedSource,
  known: Validators = {},
): Promise<LoadedFeed | 'same'> {
  const answer = await web.load(feedAddress(address), shown, known)
  if (answer.status === 304) return 'same'
  const text = answer.status === 200 ? await inTurns(decode(answer.bytes)) : ''
  if (isFeed(text)) return { text, known: answer.known }
  throw failed(
    answer.status === 200
      ? `${shown} answers with something else than a calendar or a feed; it may ask to sign in, or have moved`
      : `${shown} answers ${answer.status}`,
    { isOther: true },
  )
}

/** Addresses that are those of feeds. */
const LIKE_FEEDS =
  /\.(?:ics|ical|ifb|rss|atom|xml)(?:$|[?#])|[/?&=._-](?:ical|ics|rss|atom|feeds?)(?:[/?&=#]|$)/i

/**
 * Finds out what answers at an address: a feed, which is given as it was loaded, or an API, whose root is given. What is tried first is what the
 * address looks like. Throws what can be told to people if it is neither.
 */
export async function discover(
  web: Web,
  { address: given, shown }: FeedSource,
): Promise<LoadedFeed | string> {
  const address = feedAddress(given)
  if (LIKE_FEEDS.test(address))
    try {
      return await loadWhole()
    } catch (error) {
      if (!('isOther' in (error as object))) throw error
      return findRoot(web, readRoot(address)).catch(() => {
        throw error
      })
    }
  try {
    return await findRoot(web, readRoot(address))
  } catch (error) {
    const feed = 'isNone' in (error as object) ? await loadWhole().catch(() => undefined) : undefined
    if (feed) return feed
    throw error
  }

  async function loadWhole() {
    return (await loadFeed(web, { address, shown })) as LoadedFeed
  }
}

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
