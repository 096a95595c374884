import t from 'tap'
import { ruleOf, tzidOf, vtimezone } from '../../../src/features/feeds/formats/timezone.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { differences, faults, unfold } from '../../support/icalendar.ts'

/** Zones of all kinds of rules: none, half hours, midnight, the end of a month, the south, Ramadan, days that were left out. */
const ZONES =
  'Africa/Cairo Africa/Casablanca Africa/Monrovia America/New_York America/Nuuk America/Santiago Asia/Gaza Asia/Jerusalem ' +
  'Asia/Tokyo Australia/Lord_Howe Europe/Dublin Europe/Madrid Europe/Moscow Pacific/Apia Pacific/Chatham'

t.test('an independent reader finds the same offsets around every change since 1970', async (t) => {
  for (const zone of ZONES.split(' ')) t.same(differences(zone, { from: 1970, to: 2045 }), [], zone)
})

t.test('a rule in force is one that all programs know; without one, each change is listed', async (t) => {
  const table: [string, ...string[]][] = [
    ['Asia/Tokyo'],
    ['Europe/Madrid', 'BYMONTH=3;BYDAY=-1SU', 'BYMONTH=10;BYDAY=-1SU'],
    ['America/New_York', 'BYMONTH=3;BYDAY=2SU', 'BYMONTH=11;BYDAY=1SU'],
    [
      'America/Santiago',
      'BYMONTH=4;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=SU',
      'BYMONTH=9;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=SU',
    ],
    // the day after the last Thursday of October may be the first of November
    [
      'Africa/Cairo',
      'BYMONTH=4;BYDAY=-1FR',
      'BYMONTH=10;BYMONTHDAY=26,27,28,29,30,31;BYDAY=FR',
      'BYMONTH=11;BYMONTHDAY=1;BYDAY=FR',
    ],
    ['Africa/Casablanca'],
  ]
  for (const [zone, ...rules] of table)
    t.same(
      unfold(vtimezone(zone)).filter((line) => line.startsWith('RRULE')),
      rules.map((rule) => `RRULE:FREQ=YEARLY;${rule}`),
      zone,
    )
  t.match(vtimezone('Africa/Casablanca'), /\r\nRDATE:2087\d{4}T\d{6}\r\n/)
})

t.test('times after all changes of rules have one observance of a kind', async (t) => {
  const since = Date.UTC(2026, 0, 1)
  const count = (text: string, kind: string) => text.split(`BEGIN:${kind}`).length - 1
  for (const [zone, standard, daylight] of [
    ['Europe/Madrid', 1, 1],
    ['America/New_York', 1, 1],
    ['America/Santiago', 1, 1],
    ['Australia/Lord_Howe', 1, 1],
    ['Europe/Dublin', 1, 1],
    ['Asia/Tokyo', 1, 0],
    ['Europe/Moscow', 1, 0],
    ['Asia/Kolkata', 1, 0],
  ] as const) {
    const text = vtimezone(zone, since)
    t.same([count(text, 'STANDARD'), count(text, 'DAYLIGHT')], [standard, daylight], zone)
    t.notMatch(text, 'RDATE', zone)
    t.same(faults(text), [], zone)
    t.same(differences(zone, { from: 2026, to: 2045 }, text), [], zone)
  }
  // what these have is no pair of rules
  for (const zone of ['Africa/Cairo', 'Africa/Casablanca', 'Asia/Gaza'])
    t.equal(vtimezone(zone, since), vtimezone(zone), zone)
  const last = Date.UTC(1996, 9, 27, 1)
  t.not(vtimezone('Europe/Madrid', last), vtimezone('Europe/Madrid'))
  t.equal(vtimezone('Europe/Madrid', last - 1), vtimezone('Europe/Madrid'))
})

t.test('a calendar describes a zone for the first of its events, and of their series', async (t) => {
  const { editor, anonymous } = await build(t)
  const observances = async (path: string) =>
    (await anonymous.get(path)).text.split(/BEGIN:(?:STANDARD|DAYLIGHT)/).length - 1
  const madrid = { ...EVENT, timezone: 'Europe/Madrid' }
  const one = await must(editor.post('/events', madrid))
  t.equal(await observances('/events.ics?when=all'), 2)
  const old = { ...madrid, title: 'Old', start_date: '1990-05-01 20:00:00', end_date: '1990-05-01 22:00:00' }
  await must(editor.post('/events', old))
  t.ok((await observances('/events.ics?when=all')) > 4)
  t.ok((await observances('/events.ics?when=all&order=desc')) > 4, 'whichever comes first')
  t.equal(await observances('/events.ics'), 2, 'of those that it shows')
  t.equal(await observances(`/events/${one.id}.ics`), 2)
  const rule = { recurrence: { rrule: 'FREQ=YEARLY;COUNT=40' } }
  const series = await must(editor.post('/series', { ...old, ...rule, title: 'Yearly' }))
  t.ok((await observances(`/series/${series.id}.ics`)) > 4)
  t.ok((await observances('/events.ics?search=yearly')) > 4, 'as its series began before')
})

t.test('offsets have seconds where a zone had them, and half a year ahead is summer', async (t) => {
  t.same(faults(vtimezone('Africa/Monrovia')), [])
  t.match(vtimezone('Africa/Monrovia'), 'TZOFFSETFROM:-004430\r\nTZOFFSETTO:+0000\r\n')
  const summers = (zone: string) => vtimezone(zone).split('BEGIN:DAYLIGHT').length - 1
  t.same(['Asia/Tokyo', 'Europe/Madrid', 'Australia/Sydney'].map(summers), [0, 2, 2])
  t.match(
    vtimezone('Europe/Moscow'),
    /BEGIN:STANDARD\r\nDTSTART:20110327T020000\r\nTZOFFSETFROM:\+0300\r\nTZOFFSETTO:\+0400/,
  )
})

t.test('a distance from UTC is no zone', async (t) => {
  for (const name of ['UTC', 'Z', '+02:00', 'UTC-3.5', 'Etc/GMT+5', 'GMT0', 'Zulu', 'Greenwich'])
    t.equal(tzidOf(name), undefined, name)
  for (const name of ['EST5EDT', 'NZ', 'Europe/Kiev', 'GB-Eire']) t.equal(tzidOf(name), name)
})

t.test('days of a month become the shortest rule that gives these days and no others', async (t) => {
  const from = (first: number, last = first + 6) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const table: [month: number, days: number[], rule: string][] = [
    [10, from(25), 'BYDAY=-1SU'],
    [4, from(24), 'BYDAY=-1SU'],
    [3, from(22), 'BYDAY=4SU'],
    [2, from(22), 'BYDAY=4SU'],
    [2, from(22, 29), 'BYMONTHDAY=22,23,24,25,26,27,28,29;BYDAY=SU'],
    [4, from(2), 'BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=SU'],
    [11, [1], 'BYMONTHDAY=1;BYDAY=SU'],
  ]
  for (const [month, days, rule] of table)
    t.equal(ruleOf({ month, weekday: 0, days }), `FREQ=YEARLY;BYMONTH=${month};${rule}`)
})
