import { readUrl } from '../../rules/text/text.ts'
import { type Body, digestOf, type Item, idOf } from '../files/item.ts'
import { type Moment, readMoment } from './moments.ts'
import { type Element, elementsOf, textIn } from './xml.ts'

export type SyndicationOptions = {
  /** The zone of times that have none. */
  zone: string
  /** Whether pictures are downloaded. */
  media: boolean
  /** Where the feed is from. */
  address: string
}

/** Namespaces that tell when an event is: the event module of RSS, and xCal. */
const OF_EVENTS = /modules\/event\/?$|xcal/i
/** A feed of The Events Calendar, in which the date of publication is the start of the event. */
const OF_EVENTS_CALENDAR = /\/events\/(?:(?:category|tag)\/[^?#]+\/)?feed\/?(?:$|[?#])/

/** A member that the namespaces of events have. */
const toldOf = (entry: Element, ...names: string[]) =>
  textIn({ ...entry, elements: entry.elements.filter(({ uri }) => OF_EVENTS.test(uri)) }, ...names)

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

const namesOf = (entry: Element) => [
  ...new Set(
    elementsOf(entry, 'category')
      .map(({ attributes: { label, term }, text }) => (label ?? term ?? text).trim())
      .filter((name) => name !== ''),
  ),
]

/** When an entry takes place; why that is not known. */
function timesOf(entry: Element, zone: string, isPublishedAtStart: boolean): Body | string {
  const published = isPublishedAtStart ? textIn(entry, 'pubDate') : ''
  const first = toldOf(entry, 'startdate', 'dtstart') || published
  const last = toldOf(entry, 'enddate', 'dtend')
  if (first === '') return 'does not tell when it starts'
  const start = readMoment(first, zone)
  if (start === undefined) return `starts at "${first}", which is no date`
  const told = last === '' ? start : readMoment(last, zone)
  if (told === undefined) return `ends at "${last}", which is no date`
  const end: Moment = told.isDay === start.isDay && told.wall > start.wall ? told : start
  return { start_date: start.wall, end_date: end.wall, timezone: zone, all_day: start.isDay }
}

/** An RSS or Atom feed as events, in their order. Entries without a start are refused. */
export function readSyndication(root: Element, { zone, media, address }: SyndicationOptions): Item[] {
  const channel = elementsOf(root, 'channel')[0]
  const entries = [root, ...(channel ? [channel] : [])].flatMap((one) => elementsOf(one, 'item', 'entry'))
  const isPublishedAtStart = OF_EVENTS_CALENDAR.test(address)
  const known = new Map<string, number>()
  return entries.map((entry) => {
    const title = textIn(entry, 'title')
    const link = linkOf(entry)
    const own = textIn(entry, 'guid', 'id') || link
    const external_id = own ? idOf(own) : digestOf(title, bodyOf(entry))
    const times = timesOf(entry, zone, isPublishedAtStart)
    const before = known.get(external_id)
    known.set(external_id, before ?? entry.line)
    const wrong =
      before !== undefined
        ? `has the ID of the entry in line ${before}`
        : typeof times === 'string'
          ? times
          : undefined
    const place = toldOf(entry, 'location')
    const who = toldOf(entry, 'organizer')
    const image = media ? pictureOf(entry) : undefined
    const body: Body = {
      ...{ title, description: bodyOf(entry), categories: namesOf(entry) },
      ...(link !== undefined && { website: link }),
      ...(place !== '' && { venue: [{ venue: place }] }),
      ...(who !== '' && { organizer: [{ organizer: who }] }),
      ...(image !== undefined && { image }),
      ...(typeof times === 'object' && times),
    }
    const item = { line: entry.line, name: title || external_id, external_id, body, dates: [], remarks: [] }
    return wrong === undefined ? item : { ...item, refused: wrong }
  })
}
