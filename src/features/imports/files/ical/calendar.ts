import { grouped } from '../../../../kernel/sorting.ts'
import type { Task } from '../../../../kernel/tasks/scheduler.ts'
import { readZone } from '../../../../kernel/time/dates.ts'
import type { Version } from '../../store.ts'
import { type Body, byVersion, digestOf, type Fault, type Item, idOf } from '../item.ts'
import { namedBy, shown } from '../report.ts'
import { UNREADABLE } from '../text.ts'
import { type Component, LONGEST_EVENT, propertyOf, readComponents, textOf } from './components.ts'
import { leftOutOf, type MemberOptions, membersOf } from './members.ts'
import { datesOf, type Repeat, repeatOf, type Times, timesOf, unreadable, withDates } from './times.ts'
import { openZones, type Zones } from './zones.ts'

/** How a file of iCalendar is read: `zone` is that of times that have none. */
type CalendarOptions = MemberOptions & { zone: string }

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
  options: CalendarOptions,
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

function* readAll(calendar: Component, options: CalendarOptions): Task<ReadEvent[]> {
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
export function* readCalendars(
  text: string,
  options: CalendarOptions,
): Task<{ items: Item[]; faults: Fault[] }> {
  const { calendars, faults } = yield* readComponents(text)
  const all: ReadEvent[] = []
  for (const calendar of calendars) for (const read of yield* readAll(calendar, options)) all.push(read)
  return { items: yield* itemsOf(all), faults }
}
