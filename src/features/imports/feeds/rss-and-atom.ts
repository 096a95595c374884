import { SaxesParser } from 'saxes'
import { PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'
import { readUrl } from '../../../kernel/text/text.ts'
import { addDays, readZone } from '../../../kernel/time/dates.ts'
import { type Body, digestOf, type Item, idOf, type ReadOptions } from '../files/items.ts'
import { type Markup, readMarkup, readMoment, timesBetween } from './structured-data.ts'

/** How a feed is read, which is at an address. */
type SyndicationOptions = Pick<ReadOptions, 'zone' | 'media'> & { address: string }

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
function timesOf(entry: Element, site: string, { start, end }: Markup, by: ProgramFields): Body | string {
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
    const by = fieldsByProgram(entry, { generator, address, zone })
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
      title,
      description: html,
      categories: namesOf(entry, by.names),
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

/** What the program that wrote a feed says of an entry in its own way. Days are as `2027-05-14`, times as they stand there. */
type ProgramFields = {
  title?: string
  first?: string
  last?: string
  /** The zone of the event. */
  zone?: string
  place?: string
  names?: string[]
  image?: string | undefined
  isOff?: boolean
}

/** An entry with only those of its members that namespaces have. */
const within = (entry: Element, uri: RegExp): Element => ({
  ...entry,
  elements: entry.elements.filter((one) => uri.test(one.uri)),
})

/** The first and the last day of what lasts from one time to another, by the clock of a zone; a midnight ends the day before. */
function daysBetween(
  first: string,
  last: string,
  zone: string,
): Pick<ProgramFields, 'first' | 'last'> | undefined {
  const [start, end] = [readMoment(first, zone)?.wall, readMoment(last, zone)?.wall]
  if (start === undefined || end === undefined) return undefined
  const isMidnight = end > start && end.endsWith(' 00:00:00')
  return { first: start.slice(0, 10), last: (isMidnight ? addDays(end, -1) : end).slice(0, 10) }
}

/** Trumba has events of whole days by the clock of their place up to a midnight, while xCal has them in UTC. */
function ofTrumba(entry: Element): ProgramFields {
  const own = within(entry, /x-trumba$|cdo\b|xcal/i)
  if (!/^true$/i.test(textIn(own, 'cdo-alldayevent'))) return {}
  return daysBetween(textIn(own, 'localstart'), textIn(own, 'localend'), 'UTC') ?? {}
}

/** LiveWhale publishes an event as it begins, and adds the rest under names of its own. Its news and galleries are published when they are written. */
function ofLiveWhale(entry: Element, site: string): ProgramFields {
  const own = within(entry, /livewhale/i)
  const type = textIn(own, 'type')
  if (textIn(own, 'id', 'ends') + type === '' || !/^(?:event|$)/i.test(type)) return {}
  const zone = readZone(textIn(own, 'timezone')) ?? site
  const times = { first: textIn(entry, 'pubDate'), last: textIn(own, 'ends') }
  return {
    ...times,
    zone,
    isOff: textIn(own, 'is_canceled') === '1',
    ...(textIn(own, 'all_day') === '1' && daysBetween(times.first, times.last || times.first, zone)),
    place: textIn(entry, 'featurename'),
    names: textIn(own, 'categories').split(/[|,]/),
    image: readUrl(textIn(own, 'image_full', 'image')),
  }
}

/** Localist publishes an event as it begins; its title is between its date and, if it has a place, the name of that: `May 14, 2027: Concert at Hall`. */
function ofLocalist(entry: Element): ProgramFields {
  const title = textIn(entry, 'title').replace(/^\p{Lu}\p{L}+\.? \d{1,2}, \d{4}: /u, '')
  const at = pointOf(entry) === undefined ? -1 : title.lastIndexOf(' at ')
  const named = at < 1 ? { title } : { title: title.slice(0, at), place: title.slice(at + 4).trim() }
  return { ...named, first: textIn(entry, 'pubDate') }
}

/** A feed of The Events Calendar, in which the date of publication is the start of the event. */
const OF_EVENTS_CALENDAR = /\/events\/(?:(?:category|tag)\/[^?#]+\/)?feed\/?(?:$|[?#])/

/** What is known of an entry by the program that wrote its feed, which comes from an address. `zone` is that of the site. */
function fieldsByProgram(
  entry: Element,
  { generator, address, zone }: { generator: string; address: string; zone: string },
): ProgramFields {
  if (OF_EVENTS_CALENDAR.test(address)) return { first: textIn(entry, 'pubDate') }
  if (/^localist\b/i.test(generator)) return ofLocalist(entry)
  return { ...ofTrumba(entry), ...ofLiveWhale(entry, zone) }
}

/** Where an entry is, in degrees, by GeoRSS or the vocabulary of W3C. */
function pointOf(entry: Element): { geo_lat: number; geo_lng: number } | undefined {
  const pair = textIn(entry, 'point') || `${textIn(entry, 'lat')} ${textIn(entry, 'long')}`
  const [lat, lng, ...more] = pair
    .trim()
    .split(/[ ,]+/)
    .map((text) => (text === '' ? Number.NaN : Number(text)))
  const isOnEarth = Math.abs(lat!) <= 90 && Math.abs(lng!) <= 180 && more.length === 0
  return isOnEarth ? { geo_lat: lat!, geo_lng: lng! } : undefined
}

/** An element of XML: its name without prefix, its namespace, its attributes by name without prefix, and what is inside. */
export type Element = {
  name: string
  uri: string
  attributes: Record<string, string>
  text: string
  elements: Element[]
  line: number
}

/** Reads XML. Throws if it breaks the rules of XML, as one that is cut off does. Entities that a document declares are not known. */
export function* readXml(text: string): Task<Element> {
  const document: Element = { name: '', uri: '', attributes: {}, text: '', elements: [], line: 0 }
  const open = [document]
  const parser = new SaxesParser({ xmlns: true })
  const write = (words: string) => {
    open.at(-1)!.text += words
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    const own = Object.values(attributes).map(({ local, value }) => [local, value])
    const element: Element = {
      name: local,
      uri,
      attributes: Object.fromEntries(own),
      text: '',
      elements: [],
      line: parser.line,
    }
    open.at(-1)!.elements.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', write)
  parser.on('cdata', write)
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE))
    yield
  }
  parser.close()
  return document.elements[0]!
}

/** All elements with one of these names, directly inside. */
const elementsOf = ({ elements }: Element, ...names: string[]): Element[] =>
  elements.filter(({ name }) => names.includes(name))
/** The text of the first element with one of these names that has some; empty without any. */
const textIn = (element: Element, ...names: string[]): string =>
  names
    .flatMap((name) => elementsOf(element, name))
    .map(({ text }) => text.trim())
    .find((text) => text !== '') ?? ''
