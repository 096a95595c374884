import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ICAL from 'ical.js'
import IcalExpander from 'ical-expander'
import nodeIcal from 'node-ical'
import t from 'tap'
import { convertIcsCalendar } from 'ts-ics'
import { must } from '../../../test/support/answers.ts'
import { type Answer, build } from '../../../test/support/app.ts'
import { byCalcurse, byKhal, byPython, byVobject, type Read } from '../programs/programs.ts'

/** Zones with the hour, or half hour, that the clocks show twice in the autumn of 2027: its first time, and the minutes until its second. */
const AUTUMNS = [
  ['Europe/Madrid', '2027-10-31T00:30:00Z', 60],
  ['America/New_York', '2027-11-07T05:30:00Z', 60],
  ['Australia/Lord_Howe', '2027-04-03T14:45:00Z', 30],
  ['America/Santiago', '2027-04-04T02:30:00Z', 60],
] as const

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const utc = (at: number | Date) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

/** Events that begin, end, or both, in the hour that comes twice. A zone has only its first time; the second one can be given in UTC. */
const eventsOf = ([timezone, text, later]: (typeof AUTUMNS)[number]) => {
  const first = Date.parse(text)
  const second = first + later * MINUTE
  return (
    [
      ['before', first - 3 * HOUR, first - 2 * HOUR],
      ['into the first', first - 2 * HOUR, first],
      ['in the first', first, first + 10 * MINUTE],
      ['from the first to the second', first, second],
      ['in the second', second, second + 10 * MINUTE],
      ['out of the second', second, second + 3 * HOUR],
      ['over both', first - 2 * HOUR, second + 2 * HOUR],
      ['after', second + 2 * HOUR, second + 3 * HOUR],
    ] as const
  ).flatMap(([name, start, end]) =>
    (name === 'from the first to the second' ? ['UTC'] : [timezone, 'UTC']).map((zone) => ({
      ...{ title: `${timezone} ${name}, in ${zone}`, timezone: zone, start, end },
    })),
  )
}

/** ts-ics 2.4 changes the clocks of each VTIMEZONE some hours early, so that it has the hours before the change wrong. */
const NEAR = /(before|after|over both), in (?!UTC)/

/** What libraries read, in UTC. */
const READERS: Record<string, (calendar: string, folder: string) => Read[] | Promise<Read[]>> = {
  'ical.js': (calendar) => {
    const component = new ICAL.Component(ICAL.parse(calendar))
    for (const zone of component.getAllSubcomponents('vtimezone'))
      ICAL.TimezoneService.register(new ICAL.Timezone(zone))
    return component.getAllSubcomponents('vevent').map((one) => {
      const { summary, startDate, endDate } = new ICAL.Event(one)
      return { title: summary, start: utc(startDate.toJSDate()), end: utc(endDate.toJSDate()) }
    })
  },
  'ical-expander': (calendar) =>
    new IcalExpander({ ics: calendar }).all().events.map(({ summary, startDate, endDate }) => ({
      ...{ title: summary, start: utc(startDate.toJSDate()), end: utc(endDate.toJSDate()) },
    })),
  'node-ical': (calendar) =>
    Object.values(nodeIcal.sync.parseICS(calendar)).flatMap((one) =>
      one?.type === 'VEVENT'
        ? [{ title: String(one.summary), start: utc(one.start), end: utc(one.end!) }]
        : [],
    ),
  'ts-ics': (calendar) =>
    (convertIcsCalendar(undefined, calendar).events ?? []).map(({ summary, start, end }) => ({
      ...{ title: summary, start: utc(start.date), end: utc((end ?? start).date) },
    })),
  'python3-icalendar': (calendar) =>
    byPython(calendar).events.map(({ title, start, end }) => ({
      ...{ title, start: start[0]!.slice(0, 16), end: (end[0] ?? start[0]!).slice(0, 16) },
    })),
  'python3-vobject': byVobject,
  khal: byKhal,
  calcurse: byCalcurse,
}

const sorted = (events: Read[]) =>
  events.map(({ title, start, end }) => `${title}: ${start} to ${end}`).sort()

t.test('programs read the hour that comes twice at the time that was meant', async (t) => {
  const { editor, anonymous } = await build(t)
  const wanted: Read[] = []
  for (const { title, timezone, start, end } of AUTUMNS.flatMap(eventsOf)) {
    const iso = (at: number) => new Date(at).toISOString()
    const made: Promise<Answer> = editor.post('/events', {
      ...{ title, timezone, start_date: iso(start), end_date: iso(end) },
    })
    const { utc_start_date, utc_end_date } = await must(made)
    if (timezone === 'UTC') t.equal(utc_start_date.slice(0, 16), utc(start), title)
    wanted.push({ title, start: utc_start_date.slice(0, 16), end: utc_end_date.slice(0, 16) })
  }
  const { text } = await anonymous.get('/events.ics?start_date=2027-01-01&end_date=2027-12-31')
  const folder = mkdtempSync(join(tmpdir(), 'almanac-autumn-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, read] of Object.entries(READERS)) {
    const isRead = ({ title }: Read) => name !== 'ts-ics' || !NEAR.test(title)
    t.same(sorted((await read(text, folder)).filter(isRead)), sorted(wanted.filter(isRead)), name)
  }
})
