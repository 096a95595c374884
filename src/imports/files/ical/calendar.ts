import { readZone } from '../../../rules/time/dates.ts'
import { type Body, digestOf, type Item, idOf } from '../item.ts'
import { type Component, type Fault, propertyOf, readComponents, textOf } from './components.ts'
import { membersOf, type Reading } from './members.ts'
import { datesOf, recurrenceOf, timesOf } from './times.ts'
import { openZones } from './zones.ts'

/** How a file of iCalendar is read: `zone` is that of times that have none. */
export type CalendarOptions = Reading & { zone: string }

type Read = { component: Component; find: (tzid: string) => string | undefined; zone: string; item: Item }

const NO_TITLE = 'has no SUMMARY'

/** Reads a VEVENT by itself. */
function readEvent(component: Component, read: Pick<Read, 'find' | 'zone'>, options: CalendarOptions): Item {
  const remarks: string[] = []
  const title = textOf(propertyOf(component, 'SUMMARY'))
  const uid = textOf(propertyOf(component, 'UID'))
  const start = propertyOf(component, 'DTSTART')?.value
  const item = {
    ...{ line: component.line, name: title || uid, remarks, dates: [], body: {}, isPartial: true as const },
    external_id: uid === '' ? digestOf(title, start) : idOf(uid),
  }
  try {
    const times = timesOf(component, read.zone, read.find)
    const recurrence = recurrenceOf(component, times, read.find)
    const body: Body = {
      ...membersOf(component, options, remarks),
      ...times,
      ...(recurrence && { recurrence }),
    }
    return { ...item, body, ...(title === '' && { refused: NO_TITLE }) }
  } catch (error) {
    return { ...item, refused: (error as Error).message }
  }
}

/** Puts a date that is unlike the others to its series; gives why that is not possible. */
function addDate(series: Read, { component, find, item }: Read): string | undefined {
  const { parameters } = propertyOf(component, 'RECURRENCE-ID')!
  if (parameters.RANGE !== undefined) return 'changes all following dates (RANGE), which can not be taken'
  if (item.refused !== undefined) return item.refused
  if (series.item.refused !== undefined) return 'is a date of a series that can not be taken'
  const whole = series.item.body as Body & { timezone: string; start_date: string; all_day: boolean }
  const [id] = datesOf(component, 'RECURRENCE-ID', { ...whole, end_date: '' }, find)
  const { i18n_language: _, ...own } = item.body
  // what the series has and the date has not is its own as well
  const absent = Object.keys(whole).filter(
    (name) => !['recurrence', 'i18n_language', 'status'].includes(name),
  )
  const body: Body = { ...Object.fromEntries(absent.map((name) => [name, null])), ...own }
  series.item.dates.push({ line: component.line, recurrence_id: id!, body })
  return undefined
}

function readAll(calendar: Component, options: CalendarOptions): Item[] {
  const told = readZone(textOf(propertyOf(calendar, 'X-WR-TIMEZONE')))
  const zone = told ?? options.zone
  const find = openZones(calendar, zone)
  const all = calendar.components
    .filter(({ name }) => name === 'VEVENT')
    .map((component) => ({ component, find, zone, item: readEvent(component, { find, zone }, options) }))
  const wholes = new Map<string, Read>()
  for (const read of all) {
    if (propertyOf(read.component, 'RECURRENCE-ID')) continue
    const { item } = read
    const first = wholes.get(item.external_id)
    if (first) item.refused = `has the UID of the event in line ${first.item.line}`
    else wholes.set(item.external_id, read)
  }
  for (const read of all) {
    const id = propertyOf(read.component, 'RECURRENCE-ID')
    const { item } = read
    const series = id && wholes.get(item.external_id)
    if (!id) continue
    if (series?.item.body.recurrence || series?.item.refused !== undefined) {
      const refused = addDate(series, read)
      if (refused === undefined)
        item.external_id = '' // it is told with its series
      else item.refused = refused
    } else item.external_id = idOf(`${item.external_id}/${id.value}`) // a date of a series that is not in the file
  }
  return all.map(({ item }) => item).filter(({ external_id }) => external_id !== '')
}

/** Reads the events of a file of iCalendar: those that repeat with the dates that are unlike the others. */
export function readCalendars(text: string, options: CalendarOptions): { items: Item[]; faults: Fault[] } {
  const { calendars, faults } = readComponents(text)
  return { items: calendars.flatMap((calendar) => readAll(calendar, options)), faults }
}
