import { decodeHTML } from 'entities'
import { Parser } from 'htmlparser2'
import { filled } from '../../../calendar/formats/urls.ts'
import { PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'
import { readUrl } from '../../../kernel/text/text.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import { type Body, digestOf, type Item, idOf, type ReadOptions } from '../files/items.ts'

type Thing = Record<string, unknown>

/** Events of schema.org and its subtypes that take place; not those that are published. */
const EVENT =
  /^(?:https?:\/\/schema\.org\/)?(?!Publication|Broadcast|OnDemand|Delivery)(?:\w*Event|Festival|Hackathon)$/

const listOf = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat())
const isThing = (value: unknown): value is Thing => typeof value === 'object' && value !== null
const thingsOf = (value: unknown): Thing[] => listOf(value).filter(isThing)
const typesOf = ({ '@type': type }: Thing) => listOf(type).map(String)

/** The text of a member: of something with a name its name. WordPress writes entities into texts. */
function textOf(value: unknown): string {
  const [first] = listOf(value)
  if (isThing(first)) return textOf(first.name ?? first['@value'])
  return typeof first === 'string' || typeof first === 'number' ? decodeHTML(String(first)).trim() : ''
}

/** The web address of a member, or of something that it is. */
function urlOf(value: unknown): string | undefined {
  const [first] = listOf(value)
  const text = isThing(first) ? (first.url ?? first.contentUrl ?? first['@id']) : first
  return typeof text === 'string' && /^https?:\/\//i.test(text.trim()) ? readUrl(text.trim()) : undefined
}

function venueOf(place: Thing): Body | undefined {
  const { address, geo } = place
  const [parts] = thingsOf(address)
  const [at] = thingsOf(geo)
  const [lat, lng] = [Number(at?.latitude ?? Number.NaN), Number(at?.longitude ?? Number.NaN)]
  const street = parts ? textOf(parts.streetAddress) : textOf(address)
  const venue = textOf(place.name) || street
  if (venue === '') return undefined
  return filled({
    venue,
    address: street === venue ? undefined : street,
    website: urlOf(place.url),
    city: textOf(parts?.addressLocality),
    zip: textOf(parts?.postalCode),
    stateprovince: textOf(parts?.addressRegion),
    country: textOf(parts?.addressCountry),
    ...(Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && { geo_lat: lat, geo_lng: lng }),
  })
}

/** Where an event takes place: at venues, and online. */
function placesOf({ location, eventAttendanceMode }: Thing): Body {
  const all = listOf(location)
  const isOnline = (one: unknown) =>
    isThing(one) && typesOf(one).some((type) => type.endsWith('VirtualLocation'))
  const venues = all
    .filter((one) => !isOnline(one))
    .map((one) => venueOf(isThing(one) ? one : { name: one }))
    .filter((venue) => venue !== undefined)
  const virtual_url = all.filter(isOnline).map(urlOf).find(Boolean)
  const [, mode] = /(Online|Mixed)EventAttendanceMode$/.exec(String(eventAttendanceMode)) ?? []
  const attendance_mode = mode?.toLowerCase() ?? (virtual_url && (venues.length > 0 ? 'mixed' : 'online'))
  return { ...(venues.length > 0 && { venue: venues }), ...filled({ virtual_url, attendance_mode }) }
}

/** What an event costs: the prices of its offers, each once. */
function costOf({ offers, isAccessibleForFree }: Thing): string[] | undefined {
  const costs = thingsOf(offers).flatMap(({ price, lowPrice, highPrice, priceCurrency = '' }) =>
    [price, lowPrice, highPrice]
      .map(textOf)
      .filter((text) => text !== '')
      .map((text) => (/^[\d.,]+$/.test(text) ? `${text} ${priceCurrency}`.trim() : text)),
  )
  if (costs.length > 0) return [...new Set(costs)]
  return isAccessibleForFree === true || /^true$/i.test(String(isAccessibleForFree)) ? ['0'] : undefined
}

const STATES = new Map([
  ...Object.entries({ EventCancelled: 'cancelled', EventPostponed: 'postponed' }),
  ...Object.entries({ EventRescheduled: 'rescheduled', EventMovedOnline: 'moved_online' }),
])

/** All events in a value of JSON-LD: alone, in lists, and in the members that hold some. */
function* eventsIn(value: unknown, depth = 0): Generator<Thing> {
  if (depth > 20) return
  for (const thing of thingsOf(value)) {
    if (typesOf(thing).some((type) => EVENT.test(type))) yield thing
    for (const name of ['@graph', 'itemListElement', 'item', 'event', 'events', 'subEvent', 'mainEntity'])
      yield* eventsIn(thing[name], depth + 1)
  }
}

/** The events that the scripts of a page tell programs, in their order and each once. A script that is no JSON has none. */
export function* readLinkedData(
  scripts: { line: number; text: string }[],
  { zone, media }: Pick<ReadOptions, 'zone' | 'media'>,
): Task<Item[]> {
  const items = new Map<string, Item>()
  for (const { line, text } of scripts) {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      continue
    }
    for (const thing of eventsIn(value)) {
      yield
      const item = itemOf(thing, zone, media)
      items.set(item.external_id, items.get(item.external_id) ?? { ...item, line })
    }
  }
  return [...items.values()]
}

function itemOf(thing: Thing, zone: string, media: boolean): Item {
  const title = textOf(thing.name)
  const start = textOf(thing.startDate)
  const times = timesBetween(start, textOf(thing.endDate), zone)
  const link = urlOf(thing.url)
  const own = textOf(thing['@id']) || textOf(thing.identifier) || link || ''
  const organizers = listOf(thing.organizer)
    .map((one) => {
      const [{ email, telephone, url } = {}] = thingsOf(one)
      const mail = textOf(email).replace(/^mailto:/i, '')
      return filled({
        organizer: textOf(one) || mail,
        phone: textOf(telephone),
        website: urlOf(url),
        email: mail,
      })
    })
    .filter(({ organizer }) => organizer !== undefined)
  const state = textOf(thing.eventStatus).split('/').at(-1)!
  const body: Body = {
    ...filled({ title, description: textOf(thing.description), website: link }),
    ...placesOf(thing),
    ...filled({ event_status: STATES.get(state), cost: costOf(thing) }),
    ...(organizers.length > 0 && { organizer: organizers }),
    ...(media && filled({ image: urlOf(thing.image) })),
    ...(typeof times === 'object' && times),
  }
  return {
    // the dates of a series often share one page
    line: 1,
    name: title || own,
    external_id: own ? idOf(`${own} ${start}`.trim()) : digestOf(title, start),
    body,
    dates: [],
    remarks: [],
    ...(typeof times === 'string' && { refused: times }),
  }
}

/** What HTML says of an event to programs. */
export type Markup = {
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
export function* readMarkup(html: string): Task<Markup> {
  const found: Markup = { scripts: [] }
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

/** A moment as a feed tells it: a day, or a time by the clock of a zone. */
type Moment = { wall: string; isDay: boolean }

const WRITTEN =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i

/** Reads a date of ISO 8601, iCalendar or RFC 822 by the clock of a zone, which those without an offset are of. Undefined if it is none. */
export function readMoment(text: string, zone: string): Moment | undefined {
  const [, year, month, day, hour, minute, second = '00', offset] = WRITTEN.exec(text.trim()) ?? []
  if (year === undefined) {
    const at = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? undefined : { wall: toWall(at, zone), isDay: false }
  }
  const date = `${year}-${month}-${day}`
  const time = `${hour ?? '00'}:${minute ?? '00'}:${second}`
  const sign = offset?.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')
  const at = Date.parse(`${date}T${time}${sign ?? 'Z'}`)
  if (Number.isNaN(at) || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined
  if (hour === undefined) return { wall: date, isDay: true }
  return { wall: sign === undefined ? `${date} ${time}` : toWall(at, zone), isDay: false }
}

/**
 * When an event takes place that is written to begin and end so; why that is not known. An end before its start, or that is no time as
 * this is, says nothing, as an empty one does.
 */
export function timesBetween(first: string, last: string, zone: string): Body | string {
  if (first === '') return 'does not tell when it starts'
  const start = readMoment(first, zone)
  if (start === undefined) return `starts at "${first}", which is no date`
  const told = last === '' ? start : readMoment(last, zone)
  if (told === undefined) return `ends at "${last}", which is no date`
  const end = told.isDay === start.isDay && told.wall > start.wall ? told : start
  return { start_date: start.wall, end_date: end.wall, timezone: zone, all_day: start.isDay }
}
