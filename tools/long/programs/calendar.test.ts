import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { EventRecord } from '../../../src/calendar/formats/records.ts'
import { vtimezone } from '../../../src/features/feeds/formats/timezone.ts'
import { toUtc, toWall } from '../../../src/kernel/time/dates.ts'
import { clockChanges, mustFindZone, offsetAt } from '../../../src/kernel/time/zones.ts'
import { build, ROOT } from '../../../test/support/app.ts'
import { fillWithDemo } from '../../../test/support/demo.ts'
import { calendarOf, differences, faults, unfold, ZONES } from '../../../test/support/icalendar.ts'
import { eventRecord } from '../../../test/support/records.ts'
import { byCalcurse, byKhal, byPython, type Read } from './programs.ts'

const HOUR = 3_600_000

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-calendar-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const sorted = (events: Read[]) => events.map(({ title, start, end }) => `${title} ${start} ${end}`).sort()

t.test('an independent reader finds the offsets of every zone around every change until 2040', async (t) => {
  t.ok(ZONES.length > 500)
  const known = new Set<string>()
  for (const zone of ZONES) {
    const changes = clockChanges(mustFindZone(zone), Date.UTC(1970, 0, 1), Date.UTC(2040, 0, 1))
    // of zones with the same clocks and the same text but for its name, a reader finds the same
    const same = JSON.stringify([offsetAt(0, mustFindZone(zone)), changes, unfold(vtimezone(zone)).slice(2)])
    if (!known.has(same)) t.same(differences(zone, { from: 1970, to: 2040 }), [], zone)
    known.add(same)
  }
  t.ok(known.size > 250, `${known.size} different zones`)
})

/** In each zone, an event before and one after each change of the clocks in a year; in others, one event. */
function aroundChanges(): EventRecord[] {
  const events: EventRecord[] = []
  for (const timezone of [...ZONES, 'Z', 'UTC+2', '-03:00', 'UTC+5.5']) {
    const changes = clockChanges(mustFindZone(timezone), Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1))
    const starts = changes.flatMap(({ at }) => [at - 5 * HOUR, at + 2 * HOUR])
    for (const at of changes.length > 0 ? starts : [Date.UTC(2027, 5, 1, 12)]) {
      const [start_date, end_date] = [toWall(at, timezone), toWall(at + 2 * HOUR, timezone)]
      const id = events.length + 1
      events.push(eventRecord({ id, title: `${timezone} ${id}`, timezone, start_date, end_date }))
    }
  }
  return events
}

/**
 * Zones of every kind, for the programs that take seconds for each hundred events: rules of the north and south, of half an hour and of
 * the day before, changes without a rule, none at all, and distances from UTC.
 */
const SAMPLE = [
  ...['Europe/Madrid', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Jerusalem'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'America/Nuuk', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Apia'],
  ...['Pacific/Kiritimati', 'Europe/Dublin', 'Antarctica/Troll', 'Z', 'UTC+2', '-03:00', 'UTC+5.5'],
]

t.test('programs read events around the changes of the clocks at their time, in every zone', async (t) => {
  const events = aroundChanges()
  const calendar = calendarOf(events)
  t.same(faults(calendar), [])
  const python = byPython(calendar).events
  t.same(
    python.map(({ title, start, end }) => ({ title, start, end })),
    events.map(({ title, utc_start_date: start, utc_end_date: end }) => ({
      ...{ title, start: [start, start], end: [end, end] },
    })),
    'python3-icalendar',
  )
  const some = events.filter(({ timezone }) => SAMPLE.includes(timezone))
  t.same(
    SAMPLE.filter((zone) => !some.some(({ timezone }) => timezone === zone)),
    [],
  )
  const sample = calendarOf(some)
  const wanted = sorted(
    some.map(({ title, utc_start_date, utc_end_date }) => ({
      ...{ title, start: utc_start_date.slice(0, 16), end: utc_end_date.slice(0, 16) },
    })),
  )
  t.same(sorted(byCalcurse(sample, folderOf(t))), wanted, 'calcurse')
  t.same(sorted(byKhal(sample, folderOf(t))), wanted, 'khal')
})

// biome-ignore lint/suspicious/noExplicitAny: events as clients read them
type Json = any

/** Start and end of an event as programs list it: days, or UTC to the minute. */
function spanOf({ all_day, start_date, end_date, timezone }: Json) {
  const at = (wall: string) => (all_day ? wall.slice(0, 10) : toUtc(wall, timezone).slice(0, 16))
  return { start: at(start_date), end: at(end_date) }
}

/** Where an event takes place. */
function placeOf({ attendance_mode, event_status, virtual_url, venue }: Json): string {
  const isOnline = attendance_mode === 'online' || event_status === 'moved_online'
  return (isOnline && virtual_url) || venue?.venue || virtual_url
}

t.test('programs read all of the demo as the API tells it', async (t) => {
  const env = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' }
  const api = await build(t, { env })
  const { app, anonymous } = api
  await fillWithDemo(api)
  const filter = 'start_date=2020-01-01&end_date=2030-01-01'
  const events: Json[] = []
  for (let path = `/events?${filter}&per_page=50`; path; ) {
    const { body } = await anonymous.get(path)
    events.push(...body.events)
    path = body.next_rest_url?.split(ROOT)[1]
  }
  const total = events.length
  t.ok(total > 70)
  const calendar = (await anonymous.get(`/events.ics?${filter}`)).text
  t.same(faults(calendar), [])

  const python = byPython(calendar)
  t.equal(python.name, 'Almanac')
  const site = await app.store.identity()
  const known = new Map<string, Json>(events.map((event: Json) => [`${event.id}@${site}`, event]))
  t.equal(python.events.length, total)
  for (const { uid, title, url, status, categories, location, start } of python.events) {
    const event = known.get(uid)
    t.equal(title, event.title)
    t.equal(url, event.url)
    t.equal(status === 'CANCELLED', event.event_status === 'cancelled')
    const names = [...event.categories, ...event.tags].map(({ name }: Json) => name)
    t.same(categories, [...new Set(names)], title)
    t.ok(location.startsWith(placeOf(event)), location)
    t.equal(start[0]!.slice(0, 16), spanOf(event).start)
  }
  const wanted = sorted(events.map((event: Json) => ({ title: event.title, ...spanOf(event) })))
  t.same(sorted(byCalcurse(calendar, folderOf(t))), wanted, 'calcurse')
  t.same(sorted(byKhal(calendar, folderOf(t))), wanted, 'khal')
})
