import t from 'tap'
import { even, openRandom } from '../../../bench/seed/random.ts'
import type { EventRecord } from '../../../src/calendar/formats/records.ts'
import { expand, idOf, secondsOf } from '../../../src/calendar/recurrence/expansion.ts'
import { readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import type { Recurrence } from '../../../src/calendar/recurrence/rule.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'
import {
  calendarOfSeries,
  datesIn,
  faults,
  localSpan,
  madeSeries,
  printSpans,
  recurrenceIn,
  spanOf,
  unfold,
} from '../../support/icalendar.ts'
import { firstOf, randomRecurrences, ZONES } from '../../support/recurrences.ts'

const TUESDAYS = { start: '2026-12-01 19:30:00', zone: 'Europe/Madrid', allDay: false }
const HOUR = 3600
const read = (input: object, pattern = TUESDAYS): Recurrence => {
  const { recurrence, refusals } = readRecurrence(input, pattern, { toWall })
  if (!recurrence) throw new Error(JSON.stringify(refusals))
  return recurrence
}
const REPEATS = /^(UID|DTSTART|DTEND|RRULE|RDATE|EXDATE|RECURRENCE-ID|SUMMARY)\b/
/** The lines of the events of a calendar that say when they take place, and their titles. */
const linesOf = (calendar: string) =>
  calendar
    .split(/^(?=BEGIN:VEVENT)/m)
    .slice(1)
    .flatMap((event) => unfold(event.split(/^END:VEVENT/m)[0]!).filter((line) => REPEATS.test(line)))
/** The lines that say how events repeat. */
const repetitionOf = (calendar: string) =>
  linesOf(calendar).filter((line) => /^(RRULE|RDATE|EXDATE|RECURRENCE-ID)/.test(line))
const SITE = '6e8bc430-9c3a-11d9-9669-0800200c9a66'

t.test(
  'a series is one event with its rule, and one more for each date that is unlike the others',
  async (t) => {
    const recurrence = read({
      rrule: 'FREQ=WEEKLY;BYDAY=TU;UNTIL=20270112',
      rdate: ['2026-12-24 18:00:00'],
      exdate: ['2026-12-29 19:30:00'],
    })
    const own = {
      '2026-12-08 19:30:00': { title: 'Matins' },
      '2026-12-15 19:30:00': {
        overrides: [],
        start_date: '2026-12-16 20:00:00',
        end_date: '2026-12-16 21:00:00',
      },
    } as Record<string, Partial<EventRecord>>
    const { series, events } = madeSeries(recurrence, { length: HOUR, until: '2027-01-12 19:30:00', own })
    const calendar = calendarOfSeries(series, events)
    t.same(faults(calendar), [])
    t.same(linesOf(calendar), [
      `UID:5@${SITE}`,
      'DTSTART;TZID=Europe/Madrid:20261201T193000',
      'DTEND;TZID=Europe/Madrid:20261201T203000',
      'RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270112T183000Z',
      'RDATE;TZID=Europe/Madrid:20261224T180000',
      'EXDATE;TZID=Europe/Madrid:20261229T193000',
      'SUMMARY:Concert',
      `UID:5@${SITE}`,
      'DTSTART;TZID=Europe/Madrid:20261208T193000',
      'DTEND;TZID=Europe/Madrid:20261208T203000',
      'RECURRENCE-ID;TZID=Europe/Madrid:20261208T193000',
      'SUMMARY:Matins',
      `UID:5@${SITE}`,
      'DTSTART;TZID=Europe/Madrid:20261216T200000',
      'DTEND;TZID=Europe/Madrid:20261216T210000',
      'RECURRENCE-ID;TZID=Europe/Madrid:20261215T193000',
      'SUMMARY:Concert',
    ])
    t.match(calendar, 'URL:http://calendar.test/series/concerts/\r\n')
    t.same(printSpans(datesIn(calendar)), printSpans(events.map(spanOf)))
  },
)

t.test('days are dates, times of UTC are in UTC, and added dates alone have no rule', async (t) => {
  const day = { start: '2026-12-31 00:00:00', zone: 'UTC+2', allDay: true }
  const days = madeSeries(read({ rrule: 'FREQ=YEARLY', exdate: ['2028-12-31'] }, day), {
    length: 0,
    until: '2030-12-31',
  })
  t.same(linesOf(calendarOfSeries(days.series, days.events)).slice(1, -1), [
    'DTSTART;VALUE=DATE:20261231',
    'DTEND;VALUE=DATE:20270101',
    'RRULE:FREQ=YEARLY',
    'EXDATE;VALUE=DATE:20281231',
  ])
  const utc = { start: '2026-12-01 19:30:00', zone: 'Etc/UTC', allDay: false }
  const added = madeSeries(read({ rdate: ['2026-12-03 08:00:00', '2026-12-05 09:00:00'] }, utc), {
    length: HOUR,
    until: '2026-12-05 09:00:00',
  })
  t.same(linesOf(calendarOfSeries(added.series, added.events)).slice(1, -1), [
    'DTSTART:20261201T193000Z',
    'DTEND:20261201T203000Z',
    'RDATE:20261201T193000Z',
    'RDATE:20261203T080000Z',
    'RDATE:20261205T090000Z',
  ])
})

t.test('a date that programs would have at another time or for longer is written by itself', async (t) => {
  const night = { start: '2026-10-18 01:30:00', zone: 'Europe/Madrid', allDay: false }
  const weekly = madeSeries(read({ rrule: 'FREQ=WEEKLY;COUNT=3' }, night), {
    length: 3 * HOUR,
    until: '2026-11-01 01:30:00',
  })
  const longer = calendarOfSeries(weekly.series, weekly.events)
  t.same(
    linesOf(longer).filter((line) => line.startsWith('RECURRENCE-ID')),
    ['RECURRENCE-ID;TZID=Europe/Madrid:20261025T013000'],
    'the night has an hour more, on the clock it is as long',
  )
  t.same(printSpans(datesIn(longer)), printSpans(weekly.events.map(spanOf)))

  const late = { start: '2026-10-24 02:30:00', zone: 'Europe/Madrid', allDay: false }
  const daily = madeSeries(read({ rrule: 'FREQ=DAILY;COUNT=3' }, late), {
    length: HOUR,
    until: '2026-10-26 02:30:00',
  })
  t.match(
    linesOf(calendarOfSeries(daily.series, daily.events)),
    [
      /^UID/,
      'DTSTART;TZID=Europe/Madrid:20261024T023000',
      'DTEND;TZID=Europe/Madrid:20261024T033000',
      'RRULE:FREQ=DAILY;COUNT=3',
      /SUMMARY/,
      /^UID/,
      'DTSTART:20261025T003000Z',
      'DTEND:20261025T023000Z',
      'RECURRENCE-ID;TZID=Europe/Madrid:20261025T023000',
    ],
    'a time that the clocks show twice',
  )
  const gap = { start: '2027-03-27 02:30:00', zone: 'Europe/Madrid', allDay: false }
  const skipped = madeSeries(read({ rrule: 'FREQ=DAILY;COUNT=3' }, gap), {
    length: HOUR,
    until: '2027-03-29 02:30:00',
  })
  t.match(linesOf(calendarOfSeries(skipped.series, skipped.events)).slice(6), [
    'DTSTART;TZID=Europe/Madrid:20270328T033000',
    'DTEND;TZID=Europe/Madrid:20270328T043000',
    'RECURRENCE-ID;TZID=Europe/Madrid:20270328T023000',
  ])
})

t.test('a series that can not be written as one is written by its dates', async (t) => {
  const single = (
    pattern: typeof TUESDAYS,
    input: object,
    own: Record<string, Partial<EventRecord>> = {},
  ) => {
    const recurrence = read(input, pattern)
    const { series, events } = madeSeries(recurrence, {
      length: HOUR,
      until: expand(recurrence, { limit: 5 }).at(-1)!,
      own,
    })
    const calendar = calendarOfSeries(series, events)
    const shown = events.filter(({ start_date }) => start_date < '2200')
    t.same(repetitionOf(calendar), [], JSON.stringify([pattern, input]))
    t.same(
      linesOf(calendar).filter((line) => line.startsWith('UID')),
      shown.map(({ id }) => `UID:${id}@${SITE}`),
      JSON.stringify([pattern, input]),
    )
    t.same(printSpans(datesIn(calendar)), printSpans(shown.map(spanOf)))
  }
  const rule = { rrule: 'FREQ=DAILY;COUNT=3' }
  single({ ...TUESDAYS, zone: 'UTC+2' }, rule)
  single({ ...TUESDAYS, start: '1969-12-30 12:00:00' }, rule)
  single({ ...TUESDAYS, start: '2026-10-25 02:30:00' }, rule)
  single({ ...TUESDAYS, start: '2199-12-30 12:00:00' }, rule)
  single({ ...TUESDAYS, start: '2200-01-01 12:00:00' }, rule)
  single(TUESDAYS, { ...rule, rdate: ['2026-11-30 12:00:00'] })
  single({ start: '2026-12-01 00:00:00', zone: 'UTC', allDay: true }, { ...rule, rdate: ['2026-11-30'] })
  single(TUESDAYS, rule, {
    '2026-12-02 19:30:00': { start_date: '2300-01-01 10:00:00', end_date: '2300-01-01 11:00:00' },
  })
})

t.test('dates without an event that is shown are taken out, and a series that is full ends', async (t) => {
  const { series, events } = madeSeries(read({ rrule: 'FREQ=WEEKLY' }), {
    length: HOUR,
    until: '2026-12-29 19:30:00',
  })
  const shown = events.filter((_, at) => at !== 1 && at !== 4)
  t.same(repetitionOf(calendarOfSeries(series, shown)), [
    'RRULE:FREQ=WEEKLY',
    'EXDATE;TZID=Europe/Madrid:20261208T193000',
    'EXDATE;TZID=Europe/Madrid:20261229T193000',
  ])
  const full = { ...series, series: { ...series.series, next_utc: null } }
  t.same(repetitionOf(calendarOfSeries(full, events)), ['RRULE:FREQ=WEEKLY;UNTIL=20261229T183000Z'])
  const later = (next_utc: string | null) => ({
    ...series,
    series: { ...series.series, next_utc, rdate: ['2026-12-08 19:30:00', '2031-01-01 19:30:00'] },
  })
  t.same(
    repetitionOf(calendarOfSeries(later('2027-01-05 18:30:00'), events)),
    ['RRULE:FREQ=WEEKLY', 'RDATE;TZID=Europe/Madrid:20310101T193000'],
    'an added date to come; one that the rule gives is not added',
  )
  t.same(repetitionOf(calendarOfSeries(later(null), events)), ['RRULE:FREQ=WEEKLY;UNTIL=20261229T183000Z'])
})

t.test('a series of each minute since 1970 is printed by the dates that it has here', async (t) => {
  const [hours, minutes] = [24, 60].map((count) => [...Array(count).keys()].join())
  const rrule = `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes}`
  const until = '2026-12-01 19:34:00'
  const { series, events } = madeSeries(read({ rrule }), { length: 1, until })
  const row = { ...series.series, since: TUESDAYS.start, next_utc: '2026-12-01 18:35:00' }
  const old = { ...series, start_date: '1970-01-01 00:00:00', series: row }
  t.match(repetitionOf(calendarOfSeries(old, events)), [/^RRULE:FREQ=DAILY;BYHOUR=/])
  t.match(repetitionOf(calendarOfSeries(old, events.slice(1))), [/^RRULE/, /^EXDATE.*:20261201T193000$/])
})

t.test('a series is newer when one of its dates is', async (t) => {
  const { series, events } = madeSeries(read({ rrule: 'FREQ=WEEKLY;COUNT=3' }), {
    length: HOUR,
    until: '2026-12-15 19:30:00',
  })
  const stampOf = (records: EventRecord[]) =>
    unfold(calendarOfSeries(series, records))
      .filter((line) => /^(LAST-MODIFIED|SEQUENCE)/.test(line))
      .slice(1)
  t.same(stampOf(events), ['LAST-MODIFIED:20261101T080000Z', 'SEQUENCE:215683200'])
  const [first, second, third] = events as [EventRecord, EventRecord, EventRecord]
  const later = { ...second, modified_utc: '2026-11-02 08:00:00' }
  t.same(stampOf([first, later, third]), ['LAST-MODIFIED:20261102T080000Z', 'SEQUENCE:215769600'])
})

/** A rule with an end or without, with dates added and taken out, some of them changed or moved. */
function vary(endless: Recurrence, seed: number) {
  const random = openRandom(seed)
  const { start, zone, allDay, rrule } = endless
  const given = expand(endless, { limit: 2 + even(random, 20) })
  const end = [`;COUNT=${given.length}`, `;UNTIL=${given.at(-1)!.replace(/[-:]/g, '').replace(' ', 'T')}`, '']
  const some = (chance: number) => given.slice(1).filter(() => random() < chance)
  const added = some(0.1).map((id) => idOf(secondsOf(id) + (allDay ? 2 : 0.1) * 86_400, allDay))
  const input = { rrule: rrule + end[even(random, 3)], rdate: added, exdate: some(0.2) }
  const recurrence = read(input, { start, zone, allDay })
  const until = expand(recurrence, { to: [given.at(-1)!, ...recurrence.rdate].sort().at(-1)! }).at(-1)!
  const length = allDay ? even(random, 3) * 86_400 : (1 + even(random, 8)) * 1800
  const own: Record<string, Partial<EventRecord>> = {}
  for (const id of expand(recurrence, { to: until })) {
    if (random() < 0.1) own[id] = { title: 'Other' }
    if (random() < 0.1) {
      const at = idOf(secondsOf(id) + (even(random, 9) - 4) * (allDay ? 86_400 : 5400), false)
      own[id] = { ...own[id], featured: true, ...localSpan(at, length, recurrence) }
    }
  }
  return { recurrence, ...madeSeries(recurrence, { length, until, own }) }
}

const RULES = 200

t.test('what is written of any series is read as the same series, and written the same again', async (t) => {
  let written = 0
  for (const [at, endless] of randomRecurrences(28, RULES).entries()) {
    const { recurrence, series, events } = vary(endless, at)
    const calendar = calendarOfSeries(series, events)
    if (repetitionOf(calendar).length === 0) continue
    written++
    const again = recurrenceIn(calendar)
    const { until } = series.series
    if (
      `${expand(again, { to: until })}` !== `${expand(recurrence, { to: until })}` ||
      again.rrule !== recurrence.rrule
    )
      t.fail(`${at}: ${JSON.stringify([recurrence, again])}`)
    const copy = {
      ...series,
      series: { ...series.series, rrule: again.rrule, rdate: again.rdate, exdate: again.exdate },
    }
    if (calendarOfSeries(copy, events) !== calendar) t.fail(`${at} is written otherwise`)
  }
  t.ok(written > RULES / 2, `${written} of ${RULES}`)
})

/** Rules that ical.js reads as RFC 5545 says; of some others it seeks the dates for ever. */
const SIMPLE = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY',
  'FREQ=WEEKLY;BYDAY=TU,TH',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU',
  'FREQ=MONTHLY',
  'FREQ=MONTHLY;BYDAY=2FR',
  'FREQ=MONTHLY;INTERVAL=2;BYDAY=-1SU',
  'FREQ=MONTHLY;BYMONTHDAY=1,13',
  'FREQ=YEARLY',
]

/** A series with one of these rules, in any zone, at times near which clocks change. */
function simple(seed: number): Recurrence {
  const random = openRandom(seed * 7919)
  const one = <T>(list: readonly T[]) => list[even(random, list.length)]!
  const allDay = random() < 0.2
  const time = allDay ? '00:00:00' : one(['18:00:00', '01:30:00', '02:30:00', '22:00:00'])
  const day = idOf((even(random, 14_000) + 7_300) * 86_400, true)
  const rule = one(SIMPLE)
  const start = firstOf(rule, `${day} ${time}`)
  return read({ rrule: rule }, { start, zone: one(ZONES), allDay })
}

t.test('another program finds the dates of any series in what is written of it', async (t) => {
  let dates = 0
  for (let seed = 0; seed < RULES; seed++) {
    const { recurrence, series, events } = vary(simple(seed), seed)
    const found = printSpans(datesIn(calendarOfSeries(series, events), series.series.until))
    const wanted = printSpans(events.map(spanOf))
    dates += wanted.length
    if (`${found}` !== `${wanted}`) t.same(found, wanted, `${seed} ${JSON.stringify(recurrence)}`)
  }
  t.ok(dates > 5 * RULES, `${dates} dates`)
})
