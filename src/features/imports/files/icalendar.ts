import { decodeHTMLStrict } from 'entities'
import { grouped } from '../../../kernel/sorting.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { BLOCK, INLINE } from '../../../kernel/text/markup.ts'
import { partsOf, readUrl } from '../../../kernel/text/text.ts'
import { readZone } from '../../../kernel/time/dates.ts'
import type { Version } from '../store.ts'
import {
  type Component,
  LONGEST_EVENT,
  type Property,
  propertiesOf,
  propertyOf,
  readComponents,
  textOf,
  textsOf,
} from './icalendar-components.ts'
import {
  datesOf,
  openZones,
  type Repeat,
  repeatOf,
  type Times,
  timesOf,
  unreadable,
  withDates,
  type Zones,
} from './icalendar-times.ts'
import {
  type Body,
  byVersion,
  digestOf,
  type Fault,
  type Item,
  idOf,
  namedBy,
  type ReadOptions,
  shown,
  UNREADABLE,
} from './items.ts'

/** What the events of a calendar share. */
type Context = { zones: Zones; zone: string; isCancelled: boolean }
type ReadEvent = Context & { component: Component; item: Item; isEmpty: boolean }

/** What of an event is guessed: bytes that are no text, and zones that only have the same clocks. */
function guessesIn({ properties }: Component, { zones }: Context): string[] {
  const names = properties.filter(({ value }) => value.includes(UNREADABLE)).map(({ name }) => name)
  const guessed = properties.flatMap(({ parameters: { TZID } }) =>
    TZID !== undefined && zones.isGuessed(TZID) ? [TZID] : [],
  )
  return [
    ...[...new Set(names)].map(
      (name) =>
        `${name} has letters that can not be read, as they are not in UTF-8; ${UNREADABLE} stands for each`,
    ),
    ...[...new Set(guessed)].map(
      (tzid) => `the time zone "${tzid}" is not known; ${zones.find(tzid)} has the same clocks, and is taken`,
    ),
  ]
}

/** What an event of a file calls the members that are read from it. */
const PROPERTIES = namedBy({
  title: 'SUMMARY',
  description: 'DESCRIPTION',
  start_date: 'DTSTART',
  end_date: 'DTEND',
  website: 'URL',
  venue: 'LOCATION',
  organizer: 'ORGANIZER',
  categories: 'CATEGORIES',
  'recurrence.rrule': 'RRULE',
  'recurrence.rdate': 'RDATE',
  'recurrence.exdate': 'EXDATE',
})

const MOMENT = /^\d{8}T\d{6}Z?$/
function versionOf(component: Component): Version {
  const [sequence, stamp] = ['SEQUENCE', 'DTSTAMP'].map((name) => textOf(propertyOf(component, name)))
  return [Number(/^\d{1,10}$/.exec(sequence!)?.[0] ?? 0), MOMENT.test(stamp!) ? stamp! : '']
}

/** Reads a VEVENT by itself. */
function readEvent(
  component: Component,
  context: Context,
  options: ReadOptions,
): Omit<ReadEvent, keyof Context> {
  const { zones, zone, isCancelled } = context
  const remarks: string[] = []
  const title = textOf(propertyOf(component, 'SUMMARY'))
  const uid = textOf(propertyOf(component, 'UID'))
  const start = propertyOf(component, 'DTSTART')?.value
  const item = {
    line: component.line,
    name: [title, uid, start].find(Boolean) ?? component.name,
    remarks,
    dates: [],
    body: {},
    version: versionOf(component),
    isPartial: true as const,
    nameOf: PROPERTIES,
    external_id: uid === '' ? digestOf(title, start) : idOf(uid),
  }
  try {
    if (component.size > LONGEST_EVENT)
      throw unreadable(
        `has more than ${LONGEST_EVENT.toLocaleString('en')} characters beside its attachments`,
      )
    const times = timesOf(component, zone, zones.find, remarks)
    // a date that is unlike the others has no rule of its own
    const isDate = propertyOf(component, 'RECURRENCE-ID') !== undefined
    const repeated = isDate ? undefined : repeatOf(component, times, zones.find)
    const isEmpty = repeated === 'none'
    for (const guess of guessesIn(component, context)) remarks.push(guess)
    const body: Body = {
      ...membersOf(component, { ...options, isCancelled }, remarks),
      ...times,
    }
    const leftOut = leftOutOf(component, body)
    if (repeated === undefined || isEmpty) return { component, isEmpty, item: { ...item, leftOut, body } }
    const { repeat, periods } = repeated
    const dates = periods.map(({ id, end }) => ({
      line: component.line,
      recurrence_id: id,
      body: { start_date: id, end_date: end },
    }))
    return {
      component,
      isEmpty,
      item: { ...item, leftOut, dates, body: { ...body, ...repeated.times, recurrence: repeat } },
    }
  } catch (error) {
    return { component, isEmpty: false, item: { ...item, refused: (error as Error).message } }
  }
}

/** The date of a series that an event is in place of; throws if it can not be imported. */
function dateOf(series: ReadEvent, { component, zones, item }: ReadEvent): string {
  const { parameters } = propertyOf(component, 'RECURRENCE-ID')!
  if (parameters.RANGE !== undefined)
    throw unreadable('changes all following dates (RANGE), which can not be taken')
  if (item.refused !== undefined) throw unreadable(item.refused)
  if (series.item.refused !== undefined)
    throw unreadable(`is a date of the series in line ${series.item.line}, which can not be taken`)
  const [{ id }] = datesOf(component, 'RECURRENCE-ID', series.item.body as Times, zones.find) as [
    { id: string },
  ]
  return id
}

/** What a date has otherwise than its series: a title makes it another event, without one it is only moved. */
function changedBy({ component, item }: ReadEvent, whole: Body): Body {
  const { i18n_language: _, ...own } = item.body
  const { start_date, end_date, timezone, all_day } = own
  if (propertyOf(component, 'SUMMARY') === undefined) return { start_date, end_date, timezone, all_day }
  // what the series has and the date has not is its own as well
  const absent = Object.keys(whole).filter(
    (name) => !['recurrence', 'i18n_language', 'status'].includes(name),
  )
  return { ...Object.fromEntries(absent.map((name) => [name, null])), ...own }
}

/** Puts dates that are unlike the others to their series; those that can not be are refused. */
function* addDates(series: ReadEvent, all: ReadEvent[]): Task<void> {
  const { item: own } = series
  const whole = own.body as Body & Times & { recurrence: Repeat }
  const dates = new Map(own.dates.map((date) => [date.recurrence_id, date]))
  const ids: string[] = []
  for (const read of all) {
    yield
    const { item, component } = read
    try {
      const id = dateOf(series, read)
      const body = changedBy(read, whole)
      if ('title' in body) for (const remark of item.remarks) own.remarks.push(remark)
      for (const name of item.leftOut!) own.leftOut!.push(name)
      dates.delete(id)
      dates.set(id, { line: component.line, recurrence_id: id, body, version: item.version! })
      ids.push(id)
    } catch (error) {
      item.refused = (error as Error).message
    }
  }
  if (ids.length === 0) return
  own.dates = [...dates.values()]
  whole.recurrence = withDates(whole.recurrence, whole, ids)
}

function* readAll(calendar: Component, options: ReadOptions): Task<ReadEvent[]> {
  const zone = readZone(textOf(propertyOf(calendar, 'X-WR-TIMEZONE'))) ?? options.zone
  const isCancelled = textOf(propertyOf(calendar, 'METHOD')).toUpperCase() === 'CANCEL'
  const context = { zones: openZones(calendar, zone), zone, isCancelled }
  const all: ReadEvent[] = []
  for (const component of calendar.components) {
    yield
    if (component.name === 'VEVENT') all.push({ ...context, ...readEvent(component, context, options) })
  }
  return all
}

const textIn = ({ properties }: Component) =>
  JSON.stringify(properties.map(({ name, value }) => [name, value]))

/** The latest version of each event and of each date; copies of it go, and what only has the same UID is refused. */
function* latestOf(all: ReadEvent[]): Task<ReadEvent[]> {
  const latest = new Map<string, ReadEvent>()
  const order = ({ item: one }: ReadEvent, { item: other }: ReadEvent) =>
    byVersion(one.version!, other.version!)
  const keyOf = ({ item, component }: ReadEvent) => {
    const { value = '', parameters } = propertyOf(component, 'RECURRENCE-ID') ?? {}
    return JSON.stringify([item.external_id, value, parameters?.RANGE])
  }
  for (const read of all) {
    yield
    const other = latest.get(keyOf(read))
    if (!other || order(read, other) > 0) latest.set(keyOf(read), read)
  }
  return all.filter((read) => {
    const first = latest.get(keyOf(read))!
    if (read === first) return true
    if (order(read, first) < 0 || textIn(read.component) === textIn(first.component)) return false
    read.item.refused = `has the UID of the event in line ${first.item.line}, ${shown(first.item.name)}, which is taken; each event needs a UID of its own`
    return true
  })
}

/** The events of all calendars of a file, those that repeat with their own dates. */
function* itemsOf(all: ReadEvent[]): Task<Item[]> {
  const versions = yield* latestOf(all)
  const isDate = ({ component }: ReadEvent) => propertyOf(component, 'RECURRENCE-ID') !== undefined
  const wholes = new Map<string, ReadEvent>()
  for (const read of versions)
    if (!isDate(read) && !read.isEmpty && !wholes.has(read.item.external_id))
      wholes.set(read.item.external_id, read)
  const seriesOf = ({ item: { external_id } }: ReadEvent) => {
    const whole = wholes.get(external_id)
    return whole?.item.body.recurrence || whole?.item.refused !== undefined ? whole : undefined
  }
  const kept = versions.filter(({ isEmpty }) => !isEmpty)
  const dates = kept.filter((read) => isDate(read) && seriesOf(read))
  for (const [series, all] of grouped(dates, (read) => seriesOf(read)!)) yield* addDates(series, all)
  const told = new Set(dates.filter(({ item }) => item.refused === undefined))
  return kept
    .filter((read) => !told.has(read))
    .map((read) => {
      const { item, component } = read
      // a date of a series that is not in the file
      if (isDate(read) && !seriesOf(read))
        item.external_id = idOf(`${item.external_id}/${propertyOf(component, 'RECURRENCE-ID')!.value}`)
      return item
    })
}

/** Reads the events of a file of iCalendar, of all its calendars: those that repeat with the dates that are unlike the others. */
export function* readCalendars(text: string, options: ReadOptions): Task<{ items: Item[]; faults: Fault[] }> {
  const { calendars, faults } = yield* readComponents(text)
  const all: ReadEvent[] = []
  for (const calendar of calendars) for (const read of yield* readAll(calendar, options)) all.push(read)
  return { items: yield* itemsOf(all), faults }
}

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Plain text as HTML. */
const asHtml = (text: string) => text.replace(/[&<>]/g, (sign) => ESCAPED[sign] as string)

const ELEMENT = new RegExp(`<(?:${[...INLINE, ...BLOCK].join('|')})(?:\\s[^<>]*)?/?>`, 'i')
/** A sign that opens no tag and no comment. */
const LONE = /<(?!\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>|!--)/gi

/** Text as HTML: that of programs which write HTML is such, with what is no tag as text; in all other text entities alone are read. */
const textAsHtml = (text: string) =>
  ELEMENT.test(text) ? text.replace(LONE, '&lt;') : asHtml(decodeHTMLStrict(text))

const EMAIL = /(?<![^\s@,;:<>()])[^\s@,;:<>()]+@[^\s@,;:<>()]+\.[^\s@,;:<>()]+/
const PHONE = /\+?\d[\d\s().-]{4,}\d/
const webUrl = (text: string) => (/^https?:/i.test(text) ? readUrl(text) : undefined)

/** The description: HTML where the file has it beside the text. */
function description(component: Component): string {
  const html = propertiesOf(component, 'X-ALT-DESC').find(
    ({ parameters }) => parameters.FMTTYPE === 'text/html',
  )
  if (!html) return textAsHtml(textOf(propertyOf(component, 'DESCRIPTION')))
  const page = textOf(html)
  const body = /<body\b[^<>]*>/i.exec(page)
  const end = page.toLowerCase().lastIndexOf('</body>')
  return body && end > body.index ? page.slice(body.index + body[0].length, end) : page
}

/** Where an event takes place: at a venue, and online. */
function places(component: Component, remarks: string[]): Body {
  const location = textOf(propertyOf(component, 'LOCATION')).replace(/^[\s,]+/, '')
  const conference = propertiesOf(component, 'CONFERENCE')
    .map(({ value }) => webUrl(value))
    .find(Boolean)
  const link = webUrl(location)
  const virtual_url = conference ?? link
  const online = virtual_url && { virtual_url, attendance_mode: link || location === '' ? 'online' : 'mixed' }
  const [lat, lng] = (propertyOf(component, 'GEO')?.value ?? '').split(';').map(Number)
  const isPlaced = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
  if (location === '' || link) {
    if (isPlaced) remarks.push('has coordinates without a place, which are left out')
    return { ...online }
  }
  const apple = propertyOf(component, 'X-APPLE-STRUCTURED-LOCATION')?.parameters
  const venue = apple?.['X-TITLE'] || partsOf(location)[0]!
  const rest = location.startsWith(venue) ? location.slice(venue.length).replace(/^[\s,;]+/, '') : location
  const address = partsOf(rest).join(', ')
  return {
    venue: [
      {
        venue,
        ...(address !== '' && { address }),
        ...(isPlaced && { geo_lat: lat, geo_lng: lng }),
      },
    ],
    ...online,
  }
}

/** Who can be reached, as ORGANIZER and CONTACT say. */
function organizers(component: Component): Body[] {
  const organizer = propertyOf(component, 'ORGANIZER')
  const address = organizer?.value.trim() ?? ''
  const email = EMAIL.exec(address.replace(/^mailto:/i, ''))?.[0]
  const website = webUrl(address)
  const name = organizer?.parameters.CN?.trim() || email || website
  const found: Body[] = name
    ? [{ organizer: name, ...(email && { email }), ...(website && { website }) }]
    : []
  for (const contact of propertiesOf(component, 'CONTACT')) {
    const text = textOf(contact)
    const [who = ''] = partsOf(text)
    const reached = { phone: PHONE.exec(text)?.[0], email: EMAIL.exec(text)?.[0] }
    const same = found.find(({ organizer }) => organizer === who)
    if (same) Object.assign(same, { ...(reached.phone && { phone: reached.phone }) })
    else if (who !== '' && who !== reached.phone && who !== reached.email)
      found.push({
        organizer: who,
        ...(reached.phone && { phone: reached.phone }),
        ...(reached.email && { email: reached.email }),
      })
  }
  return found
}

/** The picture: the first that is on the web. */
function picture(component: Component): string | undefined {
  const isPicture = ({
    name,
    parameters: { FMTTYPE = '' },
  }: {
    name: string
    parameters: Record<string, string>
  }) => name === 'IMAGE' || FMTTYPE.startsWith('image/')
  const all = [...propertiesOf(component, 'IMAGE'), ...propertiesOf(component, 'ATTACH').filter(isPicture)]
  return all.map(({ value }) => webUrl(value.trim())).find((url) => url !== undefined)
}

/** Characters of the name of a category. */
const LONGEST_NAME = 200

function categories(component: Component, remarks: string[]): string[] {
  const all = [...new Set(propertiesOf(component, 'CATEGORIES').flatMap(textsOf))]
  const [taken, long] = [
    all.filter(({ length }) => length <= LONGEST_NAME),
    all.filter(({ length }) => length > LONGEST_NAME),
  ]
  for (const name of long)
    remarks.push(
      `a category has ${name.length} characters and may have ${LONGEST_NAME}; it is left out: ${shown(name)}`,
    )
  return taken
}

/** What an event without SUMMARY is called, as calendar programs show it, in the language of the site. */
const UNTITLED: Record<string, string> = {
  ca: '(Sense títol)',
  de: '(Kein Titel)',
  en: '(No title)',
  es: '(Sin título)',
  fr: '(Sans titre)',
  it: '(Senza titolo)',
  pt: '(Sem título)',
}
function titleOf(
  summary: Property | undefined,
  [language = '']: readonly string[],
  remarks: string[],
): string {
  const title = partsOf(textOf(summary), '\n').join(' ')
  if (title !== '') return title
  const untitled = UNTITLED[language] ?? UNTITLED.en!
  remarks.push(`has no SUMMARY, and is called ${untitled}`)
  return untitled
}

/** Properties that are read, or that tell which version of an event is the latest. */
const READ = new Set([
  ...[
    'UID',
    'DTSTAMP',
    'SEQUENCE',
    'RECURRENCE-ID',
    'DTSTART',
    'DTEND',
    'DURATION',
    'RRULE',
    'RDATE',
    'EXDATE',
  ],
  ...[
    'SUMMARY',
    'DESCRIPTION',
    'X-ALT-DESC',
    'LOCATION',
    'X-APPLE-STRUCTURED-LOCATION',
    'ORGANIZER',
    'CONTACT',
  ],
  ...['CATEGORIES', 'STATUS', 'CLASS', 'URL', 'CONFERENCE', 'X-MICROSOFT-CDO-ALLDAYEVENT'],
])
/** The names of the properties and components of an event of which nothing is in its members, each as often as it is there. */
function leftOutOf(component: Component, { venue, image }: Body): string[] {
  const isPlaced = Array.isArray(venue) && 'geo_lat' in venue[0]
  const isTaken = ({ name, value }: Property) =>
    READ.has(name) || (name === 'GEO' && isPlaced) || (image !== undefined && webUrl(value.trim()) === image)
  return [...component.properties.filter((one) => !isTaken(one)), ...component.components].map(
    ({ name }) => name,
  )
}

/** The members of an event but for its dates. `remarks` tell what could not be imported, or was guessed. */
export function membersOf(
  component: Component,
  { languages, media, isCancelled }: Omit<ReadOptions, 'zone'> & { isCancelled: boolean },
  remarks: string[],
): Body {
  const summary = propertyOf(component, 'SUMMARY')
  const language = summary?.parameters.LANGUAGE?.toLowerCase()
  const status = textOf(propertyOf(component, 'STATUS')).toUpperCase()
  const isPrivate = ['PRIVATE', 'CONFIDENTIAL'].includes(textOf(propertyOf(component, 'CLASS')).toUpperCase())
  const website = readUrl(propertyOf(component, 'URL')?.value ?? '')
  const image = media ? picture(component) : undefined
  if (status === 'TENTATIVE') remarks.push('is tentative in the file, and taken as scheduled')
  return {
    title: titleOf(summary, languages, remarks),
    description: description(component),
    event_status: status === 'CANCELLED' || isCancelled ? 'cancelled' : 'scheduled',
    ...(isPrivate && { status: 'private' }),
    ...(website && { website }),
    categories: categories(component, remarks),
    ...places(component, remarks),
    organizer: organizers(component),
    ...(image && { image }),
    ...(language && languages.includes(language) && { i18n_language: language }),
  }
}
