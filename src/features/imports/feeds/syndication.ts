import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { readUrl } from '../../../kernel/text/text.ts'
import { type Body, digestOf, type Item, idOf } from '../files/item.ts'
import { pointOf, type Told, toldBy, within } from './dialects.ts'
import { type Marked, readMarkup } from './markup.ts'
import { timesBetween } from './moments.ts'
import { type Element, elementsOf, textIn } from './xml.ts'

export type SyndicationOptions = {
  /** The zone of times that have none. */
  zone: string
  /** Whether pictures are downloaded. */
  media: boolean
  /** Where the feed is from. */
  address: string
}

/** Namespaces that tell when an event is: the event module of RSS, xCal, and those of Campus Labs Engage and Trumba. */
const OF_EVENTS = /modules\/event\/?$|xcal|^events$|x-trumba$|cdo\b/i
/** A member that the namespaces of events have. */
const toldOf = (entry: Element, ...names: string[]) => textIn(within(entry, OF_EVENTS), ...names)

/** What is written about an entry, which may be HTML. Elements of XHTML are left out. */
const bodyOf = (entry: Element) => textIn(entry, 'encoded', 'content', 'description', 'summary')

/** The address of the page of an entry: an element with it, or a link of Atom. */
function linkOf(entry: Element): string | undefined {
  const links = elementsOf(entry, 'link')
  const plain = links.map(({ attributes: { rel = 'alternate', href }, text }) =>
    rel === 'alternate' ? (href ?? text.trim()) : '',
  )
  const [link] = plain.filter((text) => /^https?:/i.test(text))
  return link === undefined ? undefined : readUrl(link)
}

/** The picture of an entry: what it encloses, or names as its medium. */
const pictureOf = (entry: Element): string | undefined =>
  elementsOf(entry, 'enclosure', 'content', 'link')
    .filter(({ attributes: { type = '', medium } }) => type.startsWith('image/') || medium === 'image')
    .map(({ attributes: { url, href } }) => url ?? href ?? '')
    .find((address) => /^https?:/i.test(address))

/** A day, for which Trumba has a category. */
const DAY = /^\d{4}\/\d\d\/\d\d\b/

const namesOf = (entry: Element, others: string[] = []) => [
  ...new Set(
    elementsOf(entry, 'category')
      .map(({ attributes: { label, term }, text }) => label ?? term ?? text)
      .concat(others)
      .map((name) => name.trim())
      .filter((name) => name !== '' && !DAY.test(name)),
  ),
]

/** All texts of a member that the namespaces of events have, each once. */
const allOf = (entry: Element, name: string) => [
  ...new Set(
    elementsOf(within(entry, OF_EVENTS), name)
      .map(({ text }) => text.trim())
      .filter((text) => text !== ''),
  ),
]

/** When an entry takes place, by its own members, else by its text, else by what its program means; why that is not known. */
function timesOf(entry: Element, site: string, { start, end }: Marked, by: Told): Body | string {
  const { zone = site, first, last = '' } = by
  // what is of whole days has days by its program, and times by xCal
  if (first?.length === 10) return timesBetween(first, last, zone)
  const own = toldOf(entry, 'startdate', 'dtstart', 'start')
  if (own) return timesBetween(own, toldOf(entry, 'enddate', 'dtend', 'end'), zone)
  return start ? timesBetween(start, end ?? '', zone) : timesBetween(first ?? '', last, zone)
}

/** An RSS or Atom feed as events, in their order. Entries without a start are refused. */
export function* readSyndication(root: Element, { zone, media, address }: SyndicationOptions): Task<Item[]> {
  const channel = elementsOf(root, 'channel')[0]
  const entries = [root, ...(channel ? [channel] : [])].flatMap((one) => elementsOf(one, 'item', 'entry'))
  const generator = channel ? textIn(channel, 'generator') : ''
  const known = new Map<string, number>()
  const items: Item[] = []
  for (const entry of entries) {
    yield
    const by = toldBy(entry, { generator, address, zone })
    const title = by.title ?? textIn(entry, 'title')
    const link = linkOf(entry)
    const own = textIn(entry, 'guid', 'id') || link
    const external_id = own ? idOf(own) : digestOf(title, bodyOf(entry))
    const html = bodyOf(entry)
    const marked = yield* readMarkup(html)
    const times = timesOf(entry, zone, marked, by)
    const before = known.get(external_id)
    known.set(external_id, before ?? entry.line)
    const wrong =
      before !== undefined
        ? `has the ID of the entry in line ${before}`
        : typeof times === 'string'
          ? times
          : undefined
    const place =
      toldOf(entry, 'location') || by.place || (marked.start === undefined ? '' : (marked.location ?? ''))
    const who = [...allOf(entry, 'organizer'), ...allOf(entry, 'host')]
    const isOff = by.isOff || /^cancell?ed$/i.test(toldOf(entry, 'status'))
    const image = media ? (pictureOf(entry) ?? by.image) : undefined
    const body: Body = {
      ...{ title, description: html, categories: namesOf(entry, by.names) },
      ...(link !== undefined && { website: link }),
      ...(place !== '' && { venue: [{ venue: place, ...pointOf(entry) }] }),
      ...(who.length > 0 && { organizer: who.map((organizer) => ({ organizer })) }),
      ...(isOff && { event_status: 'cancelled' }),
      ...(image !== undefined && { image }),
      ...(typeof times === 'object' && times),
    }
    const item = { line: entry.line, name: title || external_id, external_id, body, dates: [], remarks: [] }
    items.push(wrong === undefined ? item : { ...item, refused: wrong })
  }
  return items
}
