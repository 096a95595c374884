import fc from 'fast-check'
import t from 'tap'
import { DATE_PATTERN } from '../../../schemas/dates.ts'
import { defaultWindow } from '../../../src/calendar/routes/event-query.ts'
import * as dates from '../../../src/kernel/time/dates.ts'
import { describeMoment, inZone, isRelative, readMoment } from '../../../src/kernel/time/moments.ts'
import { draws } from '../../support/properties.ts'

const utc = (iso: string) => Date.parse(iso)
const NOW = utc('2026-11-21T09:00:00.750Z')
const PATTERN = new RegExp(DATE_PATTERN)
const read = (value: string, zone = 'America/New_York', now = NOW) => {
  const moment = readMoment(value, { now, zone })
  // whatever is read has the form that the document declares
  if (moment && !PATTERN.test(value)) throw new Error(`${JSON.stringify(value)} does not match`)
  return moment
}

t.test('a date or date-time without an offset is a wall clock', async (t) => {
  const day = '2027-05-01'
  t.same(read(day), { wall: '2027-05-01 00:00:00', hasTime: false })
  t.same(read(` ${day}\n`), { wall: '2027-05-01 00:00:00', hasTime: false })
  t.same(read('2028-02-29'), { wall: '2028-02-29 00:00:00', hasTime: false })
  for (const time of [' 10:05:00', 'T10:05:00', 't10:05', ' 10:05', ' 10:05:00.123', 'T10:05:00,5']) {
    t.same(read(day + time), { wall: '2027-05-01 10:05:00', hasTime: true }, time)
  }
  t.same(read('0001-01-01 00:00:00'), { wall: '0001-01-01 00:00:00', hasTime: true })
  t.same(read('9999-12-31 23:59:59'), { wall: '9999-12-31 23:59:59', hasTime: true })
  t.same(read('2027-03-14 02:30:00'), { wall: '2027-03-14 02:30:00', hasTime: true }, 'not yet settled')
})

t.test('a date-time with an offset is an instant too', async (t) => {
  const table: [string, string][] = [
    ['2027-05-01T10:00:00Z', '2027-05-01T10:00:00Z'],
    ['2027-05-01 10:00:00z', '2027-05-01T10:00:00Z'],
    ['2027-05-01t10:00z', '2027-05-01T10:00:00Z'],
    ['2027-05-01T10:00:00.999Z', '2027-05-01T10:00:00Z'],
    ['2027-05-01T10:00:00+02:00', '2027-05-01T08:00:00Z'],
    ['2027-05-01T10:00:00+0200', '2027-05-01T08:00:00Z'],
    ['2027-05-01T10:00+02', '2027-05-01T08:00:00Z'],
    ['2027-05-01T10:00:00-05:30', '2027-05-01T15:30:00Z'],
    ['2027-05-01 10:00:00 Z', '2027-05-01T10:00:00Z'],
    ['2027-05-01 10:00:00 GMT', '2027-05-01T10:00:00Z'],
    ['2027-05-01 10:00 UTC', '2027-05-01T10:00:00Z'],
    ['2027-05-01 10:00:00 +02:00', '2027-05-01T08:00:00Z'],
    ['20270501T100000Z', '2027-05-01T10:00:00Z'],
    ['20270501T1000-0530', '2027-05-01T15:30:00Z'],
    ['Sat, 01 May 2027 10:00:00 +0200', '2027-05-01T08:00:00Z'],
    // an address decodes an unencoded + to a space
    ['2027-05-01T10:00:00 02:00', '2027-05-01T08:00:00Z'],
    ['2027-05-01T10:00 0200', '2027-05-01T08:00:00Z'],
  ]
  for (const [text, instant] of table) {
    t.same(read(text), { wall: '2027-05-01 10:00:00', instant: utc(instant), hasTime: true }, text)
  }
  t.equal(read('0001-01-01T00:00:00+01:00'), undefined)
  t.equal(read('9999-12-31T23:59:59-01:00'), undefined)
})

t.test('a number of nine digits or more is unix seconds', async (t) => {
  const table: [string, string][] = [
    ['0', '1970-01-01T00:00:00Z'],
    ['-0', '1970-01-01T00:00:00Z'],
    ['100000000', '1973-03-03T09:46:40Z'],
    ['-100000000', '1966-10-31T14:13:20Z'],
    ['@-86400', '1969-12-31T00:00:00Z'],
    ['@3', '1970-01-01T00:00:03Z'],
    ['1799578800', '2027-01-10T11:00:00Z'],
    ['1799578800.75', '2027-01-10T11:00:00Z'],
    ['-62135596800', '0001-01-01T00:00:00Z'],
    ['253402300799', '9999-12-31T23:59:59Z'],
  ]
  for (const [text, iso] of table) {
    const wall = iso.replace('T', ' ').replace('Z', '')
    t.strictSame(read(text), { wall, instant: utc(iso), hasTime: true }, text)
  }
  for (const text of ['-62135596801', '253402300800', '9'.repeat(400), '2027', '+3', '-86400', '12345678'])
    t.equal(read(text), undefined, text)
})

t.test('words are counted from now in the zone that is given', async (t) => {
  t.same(read('now'), { wall: '2026-11-21 04:00:00', instant: utc('2026-11-21T09:00:00Z'), hasTime: true })
  t.same(read(' NOW '), read('now'))
  t.same(read('today'), { wall: '2026-11-21 00:00:00', hasTime: false })
  t.same(read('Tomorrow'), { wall: '2026-11-22 00:00:00', hasTime: false })
  t.same(read('yesterday'), { wall: '2026-11-20 00:00:00', hasTime: false })
  t.same(read('today', 'Pacific/Kiritimati', utc('2026-11-21T10:00:00Z')), {
    wall: '2026-11-22 00:00:00',
    hasTime: false,
  })
  t.same(read('tomorrow', 'Pacific/Honolulu', utc('2026-12-31T09:00:00Z')), {
    wall: '2026-12-31 00:00:00',
    hasTime: false,
  })
})

t.test('relative dates keep the time of day and clamp at the end of a month', async (t) => {
  const table: [string, string, string][] = [
    ['2027-05-14T12:00:00Z', '+3 days', '2027-05-17 08:00:00'],
    ['2027-05-14T12:00:00Z', '+1day', '2027-05-15 08:00:00'],
    ['2027-05-14T12:00:00Z', '-2 WEEKS', '2027-04-30 08:00:00'],
    ['2027-05-14T12:00:00Z', '+1 month', '2027-06-14 08:00:00'],
    ['2027-05-14T12:00:00Z', '+90 minutes', '2027-05-14 09:30:00'],
    ['2027-05-14T12:00:00Z', '+5 hours', '2027-05-14 13:00:00'],
    ['2027-05-14T12:00:00Z', '-1 year', '2026-05-14 08:00:00'],
    ['2027-05-14T12:00:00Z', '+0 days', '2027-05-14 08:00:00'],
    ['2027-01-31T12:00:00Z', '+1 month', '2027-02-28 07:00:00'],
    ['2028-02-29T12:00:00Z', '+1 years', '2029-02-28 07:00:00'],
    ['2027-03-13T17:00:00Z', '+1 day', '2027-03-14 12:00:00'],
    ['2027-03-13T17:00:00Z', '+24 hours', '2027-03-14 13:00:00'],
    ['2027-03-13T07:30:00Z', '+1 day', '2027-03-14 03:30:00'],
    ['2027-11-07T05:30:00Z', '+1 hour', '2027-11-07 01:30:00'],
  ]
  for (const [now, text, wall] of table) {
    const moment = read(text, 'America/New_York', utc(now))
    t.match(moment, { wall, instant: Number, hasTime: true }, `${text} from ${now}`)
    t.equal(inZone(moment!, 'America/New_York'), wall)
  }
  t.equal(
    read('+1 hour', 'America/New_York', utc('2027-11-07T05:30:00Z'))?.instant,
    utc('2027-11-07T06:30:00Z'),
  )
  for (const text of ['+9000 years', '-3000 years', '+99999999999999999999 days', '+9999999 years']) {
    t.equal(read(text), undefined, text)
  }
})

t.test('a date may be written in any form that has one meaning', async (t) => {
  const days = `2027-5-4|2027-05-4|2027/05/04|2027/5/4|20270504|4.5.2027|04.05.2027|4 May 2027|04-May-2027|4th May, 2027
    May 4, 2027|may 4 2027|May 4th, 2027|Tue, 4 May 2027|Tuesday 4 May 2027`
  for (const text of days.split(/\||\n\s+/))
    t.same(read(text), { wall: '2027-05-04 00:00:00', hasTime: false }, text)
  const clocks: [string, string][] = [
    ['2027/5/4T19:00', '19:00:00'],
    ['2027-05-04 7:00 pm', '19:00:00'],
    ['May 4, 2027 at 7pm', '19:00:00'],
    ['May 4, 2027, 7:05:09 p.m.', '19:05:09'],
    ['4 May 2027 12 am', '00:00:00'],
    ['4.5.2027 12:30 AM', '00:30:00'],
    ['4.5.2027 12:30 PM', '12:30:00'],
    ['20270504T1905', '19:05:00'],
    ['20270504190509', '19:05:09'],
    ['2027-05-04 9:05', '09:05:00'],
  ]
  for (const [text, clock] of clocks) t.same(read(text), { wall: `2027-05-04 ${clock}`, hasTime: true }, text)
  for (const text of ['12/25/2026', '25/12/2026', '25-12-2026'])
    t.same(read(text), { wall: '2026-12-25 00:00:00', hasTime: false }, text)
  t.same(read('5/5/2027'), { wall: '2027-05-05 00:00:00', hasTime: false }, 'the same day either way')
  t.same(read('12/25/2026 7:00 pm'), { wall: '2026-12-25 19:00:00', hasTime: true })
})

t.test('a day in words may have a time', async (t) => {
  t.same(read('tomorrow 9am'), { wall: '2026-11-22 09:00:00', hasTime: true })
  t.same(read('Today at 18:30'), { wall: '2026-11-21 18:30:00', hasTime: true })
  t.same(read('yesterday, 7:05 p.m.'), { wall: '2026-11-20 19:05:00', hasTime: true })
  t.same(read('3 days'), read('+3 days'))
  t.equal(read('tomorrow 9'), undefined)
  t.equal(read('tomorrow 25:00'), undefined)
})

t.test('what moves with the clock is told from what does not', async (t) => {
  for (const text of ['now', ' Today', 'tomorrow 9am', '+3 days', '3 days', '-1 hour'])
    t.ok(isRelative(text), text)
  for (const text of ['2027-05-04', '1799578800', 'May 4, 2027', '', 'bad']) t.notOk(isRelative(text), text)
})

t.test('why a text is no date is said with what to write instead', async (t) => {
  const table: [string, string][] = [
    ['12/05/2026 7:00 pm', 'is ambiguous; write 2026-12-05 or 2026-05-12.'],
    ['05-12-2026', 'is ambiguous; write 2026-05-12 or 2026-12-05.'],
    ['1799578800000', 'must be in seconds; it looks like milliseconds.'],
    ['2027', 'must have at least nine digits as unix seconds, or be a full date such as 2027-05-14.'],
  ]
  for (const [text, why] of table) {
    t.equal(read(text), undefined, text)
    t.equal(describeMoment(text), why)
  }
  for (const text of ['', 'next friday', '2027-02-30', '9'.repeat(400)])
    t.match(describeMoment(text), /^must be a date such as /, text)
})

t.test(
  'the pattern of a date is that of all texts that are read, and of no others in plain words',
  async (t) => {
    const part = (...texts: string[]) => fc.constantFrom(...texts)
    const day = part(
      ...[
        '2027-05-04',
        '2027-5-4',
        '2027/05/04',
        '20270504',
        '4.5.2027',
        '25/12/2026',
        '12-25/2026',
        '5/5/2027',
      ],
      ...['4 May 2027', '04-May-2027', '4th sept., 2027', 'May 4, 2027', 'december 31st 2027', 'Jan. 1 2027'],
      ...[
        'Tue, 4 May 2027',
        'Tuesday 4 May 2027',
        'tue. may 4, 2027',
        '0000-00-00',
        '31.02.2027',
        '4 Mai 2027',
      ],
      ...[
        'today',
        'Tomorrow',
        'YESTERDAY',
        'now',
        '+3 days',
        '-2 WEEKS',
        '1hour',
        '@-86400',
        '1799578800.5',
        '0',
      ],
    )
    const at = part('', '', 'T', 't', ' ', ', ', ' at ', ', at ', ' AT ', ',')
    const clock = part(
      '',
      '7pm',
      '7 P.M.',
      '19:05',
      '9:05',
      '19:05:09',
      '19:05:09.5',
      '190509',
      '1905',
      '12 am',
      '24:00',
    )
    const offset = part('', '', 'Z', ' gmt', 'UTC', '+02:00', ' -0530', '+02', ' 02:00', '+2')
    const text = fc
      .tuple(part('', ' ', '\n'), day, at, clock, offset, part('', ' '))
      .map((parts) => parts.join(''))
    let dates = 0
    fc.assert(
      fc.property(text, (written) => {
        if (read(written)) dates++
      }),
      { seed: 20_261_122, numRuns: draws(5000) },
    )
    t.ok(dates > draws(5000) / 10, `${dates} of them are dates`)
    for (const words of [
      '',
      ' ',
      'soon',
      'next friday',
      'in 3 days',
      'May 2027',
      '2027',
      '2027-05',
      '27-05-04',
      '10:00',
    ])
      t.notMatch(words, PATTERN, words)
  },
)

t.test('anything else is no date', async (t) => {
  const texts = `2027-02-30|2027-02-29|2027-04-31|2027-13-01|2027-00-10|2027-01-00|2027-01|27-01-01|27-1-1|2027-5/4
    0000-00-00|0000-01-01|10000-01-01|-2027-01-01|+002027-01-01|2027-05-01Z|2027-05-01T|13/13/2026|0/0/2027
    2027-05-01 24:00:00|2027-05-01 25:00|2027-05-01 10:60|2027-05-01 10:00:60|2027-05-01 10|2027-05-01 10:00:
    2027-05-01 10:00.5|2027-05-01 10:00:00.|2027-05-01 0pm|2027-05-01 13pm|20270501T1065|20270501T2500
    2027-05-01 10:00+24:00|2027-05-01 10:00+02:60|2027-05-01 10:00+2|2027-05-01 10:00+02:|Mon, 4 May 2027|4 Mai 2027
    2027-05-01 10:00:00 America/Los_Angeles|2027-05-01 10:00:00[Europe/Paris]|24:00:00|25:00|May 2027|May 4
    next monday|tomorrow +2 hours|bad|now()|constructor
    + 3 days|+3 fortnights|+3 seconds|+1.5 hours|++3 days|+3 dayss|1e9|.5|5.|0x10`
  for (const text of ['', ' ', ...texts.split(/\||\n\s+/)])
    t.equal(read(text), undefined, JSON.stringify(text))
})

t.test('in a zone an instant is converted and a wall clock settled', async (t) => {
  t.equal(inZone(read('2026-12-21T08:00:00Z')!, 'Europe/Paris'), '2026-12-21 09:00:00')
  t.equal(inZone(read('1799578800')!, 'America/New_York'), '2027-01-10 06:00:00')
  t.equal(inZone(read('2027-05-01 10:00')!, 'Europe/Paris'), '2027-05-01 10:00:00')
  t.equal(inZone(read('2027-03-28 02:30')!, 'Europe/Paris'), '2027-03-28 03:30:00')
  t.equal(inZone(read('now')!, 'Asia/Tokyo'), '2026-11-21 18:00:00')
})

t.test('days and months are counted on the calendar', async (t) => {
  t.equal(dates.startOfDay('2027-05-14 18:30:15'), '2027-05-14 00:00:00')
  t.equal(dates.endOfDay('2027-05-14 18:30:15'), '2027-05-14 23:59:59')
  t.equal(dates.addDays('2028-02-28 18:30:15', 2), '2028-03-01 18:30:15')
  t.equal(dates.addDays('2027-01-01 00:00:00', -1), '2026-12-31 00:00:00')
  t.equal(dates.addDays('9999-12-31 12:00:00', 1), '9999-12-31 23:59:59')
  t.equal(dates.addMonths('2027-01-31 10:00:00', 1), '2027-02-28 10:00:00')
  t.equal(dates.addMonths('2028-02-29 10:00:00', -12), '2027-02-28 10:00:00')
  t.equal(dates.addMonths('9999-12-01 10:00:00', 1), '9999-12-31 23:59:59')
})

t.test('the details of a date are zero-padded texts', async (t) => {
  const details = { year: '2027', month: '05', day: '04', hour: '08', minutes: '03', seconds: '09' }
  t.strictSame(dates.dateDetails('2027-05-04 08:03:09'), details)
})

t.test('the default window runs from yesterday to the day 24 months ahead, in the site zone', async (t) => {
  const table: [string, string, string, string][] = [
    ['2026-11-21T09:00:00Z', 'America/New_York', '2026-11-20', '2028-11-21'],
    ['2026-11-21T03:00:00Z', 'America/New_York', '2026-11-19', '2028-11-20'],
    ['2026-11-21T20:00:00Z', 'Asia/Tokyo', '2026-11-21', '2028-11-22'],
    ['2028-02-29T12:00:00Z', 'UTC', '2028-02-28', '2030-02-28'],
  ]
  for (const [now, zone, first, last] of table) {
    t.strictSame(
      defaultWindow(utc(now), zone),
      { start: `${first} 00:00:00`, end: `${last} 23:59:59` },
      `${now} ${zone}`,
    )
  }
})
