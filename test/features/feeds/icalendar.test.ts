import fc from 'fast-check'
import t from 'tap'
import type { EventRecord } from '../../../src/calendar/formats/records.ts'
import { calendarOf, faults, parse, unfold } from '../../support/icalendar.ts'
import { eventRecord, organizerRecord, pictureRow, termRecord, venueRecord } from '../../support/records.ts'

/** The lines of the only event, without its first and last one. */
const linesOf = (event: Partial<EventRecord>, feed = {}) => {
  const lines = unfold(calendarOf([eventRecord(event)], { single: true, ...feed }))
  return lines.slice(lines.indexOf('BEGIN:VEVENT') + 1, lines.indexOf('END:VEVENT'))
}
/** The lines of some properties. */
const only = (names: string, event: Partial<EventRecord>, feed = {}) =>
  linesOf(event, feed).filter((line) => names.split(' ').includes(/^[A-Z-]+/.exec(line)![0]))

const THEATRE = venueRecord({
  ...{
    title: 'Teatre, gran "sala"',
    address: 'Carrer Major 1',
    city: 'Palma',
    zip: '07001',
    country: 'Spain',
  },
  ...{
    stateprovince: 'Illes Balears',
    geo_lat: 39.5712,
    geo_lng: 2.6466,
    modified_utc: '2026-11-12 09:30:00',
  },
})
const CLUB = organizerRecord({
  title: 'Club "Jazz"; Palma',
  email: 'info+jazz@club.example',
  phone: '+34 971 000 000',
})

t.test('a whole event, and what a calendar says of itself', async (t) => {
  const event = eventRecord({
    ...{
      title: 'Jazz, swing; & més',
      description: '<p>Hello &amp; <b>welcome</b>.</p>\n<p>Two<br />lines</p>',
    },
    ...{
      language: 'ca',
      image: pictureRow('2026/11/jazz nit.jpg'),
      virtual_url: 'https://live.example/a,b;c?d=é',
    },
    ...{ venues: [THEATRE], organizers: [CLUB], modified_utc: '2026-11-10 08:00:01' },
    ...{ categories: [termRecord({ name: 'Music, live' })], tags: [termRecord({ name: 'Jazz' })] },
  })
  const body = calendarOf([event], { title: 'calendar.test: Music, live', description: 'All of it.' })
  t.same(faults(body), [])
  t.matchStrict(body, /^BEGIN:VCALENDAR\r\n/)
  t.same(
    unfold(body),
    String.raw`BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Almanac//Almanac//EN
CALSCALE:GREGORIAN
METHOD:PUBLISH
NAME;LANGUAGE=en:calendar.test: Music\, live
X-WR-CALNAME:calendar.test: Music\, live
DESCRIPTION;LANGUAGE=en:All of it.
X-WR-CALDESC:All of it.
X-WR-TIMEZONE:Europe/Madrid
REFRESH-INTERVAL;VALUE=DURATION:PT1H
X-PUBLISHED-TTL:PT1H
SOURCE;VALUE=URI:http://calendar.test/events.ics
URL:http://calendar.test/
LAST-MODIFIED:20261120T100000Z
BEGIN:VTIMEZONE
TZID:Europe/Madrid
BEGIN:STANDARD
DTSTART:19700101T010000
TZOFFSETFROM:+0100
TZOFFSETTO:+0100
TZNAME:CET
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19740413T230000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
RDATE:19740413T230000
RDATE:19750412T230000
RDATE:19760327T230000
RDATE:19770402T230000
RDATE:19780402T020000
RDATE:19790401T020000
RDATE:19800406T020000
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19741006T010000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
RDATE:19741006T010000
RDATE:19751005T010000
RDATE:19760926T010000
RDATE:19770925T010000
RDATE:19781001T030000
RDATE:19790930T030000
RDATE:19800928T030000
RDATE:19810927T030000
RDATE:19820926T030000
RDATE:19830925T030000
RDATE:19840930T030000
RDATE:19850929T030000
RDATE:19860928T030000
RDATE:19870927T030000
RDATE:19880925T030000
RDATE:19890924T030000
RDATE:19900930T030000
RDATE:19910929T030000
RDATE:19920927T030000
RDATE:19930926T030000
RDATE:19940925T030000
RDATE:19950924T030000
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19810329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19961027T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:10@6e8bc430-9c3a-11d9-9669-0800200c9a66
DTSTAMP:20261112T093000Z
CREATED:20261101T080000Z
LAST-MODIFIED:20261112T093000Z
SEQUENCE:216460801
DTSTART;TZID=Europe/Madrid:20261128T180000
DTEND;TZID=Europe/Madrid:20261128T200000
STATUS:CONFIRMED
TRANSP:OPAQUE
SUMMARY;LANGUAGE=ca:Jazz\, swing\; & més
DESCRIPTION;LANGUAGE=ca:Hello & welcome.\n\nTwo\nlines
X-ALT-DESC;FMTTYPE=text/html:<!DOCTYPE html>\n<html lang="ca"><body><p>Hello &amp\; <b>welcome</b>.</p>\n<p>Two<br />lines</p></body></html>
LOCATION:Teatre\, gran "sala"\, Carrer Major 1\, 07001 Palma\, Illes Balears\, Spain
GEO:39.5712;2.6466
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Carrer Major 1, 07001 Palma, Illes Balears, Spain";X-APPLE-RADIUS=100;X-TITLE="Teatre, gran ^'sala^'":geo:39.5712,2.6466
CONFERENCE;VALUE=URI:https://live.example/a,b;c?d=%C3%A9
CATEGORIES:Music\, live,Jazz
ORGANIZER;CN="Club ^'Jazz^'; Palma":mailto:info+jazz@club.example
CONTACT:Club "Jazz"\; Palma\, +34 971 000 000\, info+jazz@club.example
URL:http://calendar.test/event/concert/
IMAGE;VALUE=URI;DISPLAY=BADGE;FMTTYPE=image/jpeg:http://calendar.test/media/2026/11/jazz%20nit.jpg
ATTACH;FMTTYPE=image/jpeg:http://calendar.test/media/2026/11/jazz%20nit.jpg
END:VEVENT
END:VCALENDAR`.split('\n'),
  )
})

t.test('an event is the same one when the service moves to another address', async (t) => {
  const moved = { base: 'https://moved.example', host: 'moved.example', home: 'https://moved.example/' }
  t.same(only('UID', {}, moved), only('UID', {}))
  t.not(only('URL', {}, moved)[0], only('URL', {})[0])
})

t.test('an event without anything says no more than it has', async (t) => {
  t.same(linesOf({ date_utc: '', title: '', language: 'en' }), [
    'UID:10@6e8bc430-9c3a-11d9-9669-0800200c9a66',
    'DTSTAMP:20261101T080000Z',
    'LAST-MODIFIED:20261101T080000Z',
    'SEQUENCE:215683200',
    'DTSTART;TZID=Europe/Madrid:20261128T180000',
    'DTEND;TZID=Europe/Madrid:20261128T200000',
    'STATUS:CONFIRMED',
    'TRANSP:OPAQUE',
    'URL:http://calendar.test/event/concert/',
  ])
  const empty = calendarOf([], { updated: undefined, timezone: 'UTC+2' })
  t.same(unfold(empty).slice(4), [
    'METHOD:PUBLISH',
    'NAME;LANGUAGE=en:calendar.test',
    'X-WR-CALNAME:calendar.test',
    'X-WR-TIMEZONE:UTC',
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    'SOURCE;VALUE=URI:http://calendar.test/events.ics',
    'URL:http://calendar.test/',
    'END:VCALENDAR',
  ])
})

t.test(
  'times are in the zone of the event, in UTC where it is no place or long ago, and days where it is all day',
  async (t) => {
    const local = { start_date: '2026-11-28 18:00:00', end_date: '2026-11-29 01:30:00' }
    const day = { all_day: true, start_date: '2026-12-31 00:00:00', end_date: '2026-12-31 23:59:59' }
    const zone = (timezone: string) => ({ ...local, timezone })
    const table: [Partial<EventRecord>, ...string[]][] = [
      [
        zone('America/New_York'),
        ';TZID=America/New_York:20261128T180000',
        ';TZID=America/New_York:20261129T013000',
      ],
      [zone('US/Eastern'), ';TZID=US/Eastern:20261128T180000', ';TZID=US/Eastern:20261129T013000'],
      ...['UTC', 'Z', 'GMT', 'GMT+0', 'Etc/UTC', 'Etc/Greenwich', '+00:00', 'UTC+0'].map(
        (name): [Partial<EventRecord>, ...string[]] => [zone(name), ':20261128T180000Z', ':20261129T013000Z'],
      ),
      [zone('UTC+2'), ':20261128T160000Z', ':20261128T233000Z'],
      [zone('-03:00'), ':20261128T210000Z', ':20261129T043000Z'],
      [zone('UTC+5.5'), ':20261128T123000Z', ':20261128T200000Z'],
      [zone('Etc/GMT-2'), ':20261128T160000Z', ':20261128T233000Z'],
      [
        { start_date: '1970-01-01 01:00:00', end_date: '1970-01-01 02:00:00' },
        ';TZID=Europe/Madrid:19700101T010000',
        ';TZID=Europe/Madrid:19700101T020000',
      ],
      [
        { start_date: '1970-01-01 00:59:59', end_date: '1970-01-01 02:00:00' },
        ':19691231T235959Z',
        ':19700101T010000Z',
      ],
      [
        { start_date: '0001-01-02 00:00:00', end_date: '9999-12-31 12:00:00', timezone: 'UTC' },
        ':00010102T000000Z',
        ':21991231T235959Z',
      ],
      [
        { start_date: '2026-11-28 18:00:00', end_date: '2026-11-28 18:00:00' },
        ';TZID=Europe/Madrid:20261128T180000',
      ],
      [day, ';VALUE=DATE:20261231', ';VALUE=DATE:20270101'],
      [{ ...day, timezone: 'UTC-12' }, ';VALUE=DATE:20261231', ';VALUE=DATE:20270101'],
      [
        { ...day, start_date: '2028-02-27 00:00:00', end_date: '2028-02-29 23:59:59' },
        ';VALUE=DATE:20280227',
        ';VALUE=DATE:20280301',
      ],
      [
        { ...day, start_date: '1969-07-20 00:00:00', end_date: '1969-07-21 23:59:59' },
        ';VALUE=DATE:19690720',
        ';VALUE=DATE:19690722',
      ],
      [
        { ...day, start_date: '9999-12-31 00:00:00', end_date: '9999-12-31 23:59:59' },
        ';VALUE=DATE:99991231',
      ],
      [
        { ...day, start_date: '2026-02-27 00:00:00', end_date: '9999-12-31 23:59:59' },
        ';VALUE=DATE:20260227',
        ';VALUE=DATE:22000101',
      ],
      ...(
        [
          ['Europe/Madrid', '2026-10-25', '02:00:00', '02:59:59', '000000Z', '005959Z'],
          ['America/New_York', '2026-11-01', '00:30:00', '01:30:00', '043000Z', '053000Z'],
          ['Australia/Lord_Howe', '2026-04-05', '01:45:00', '03:00:00', null, null],
        ] as const
      ).map(([timezone, day, from, to, start, end]): [Partial<EventRecord>, ...string[]] => {
        const local = { timezone, start_date: `${day} ${from}`, end_date: `${day} ${to}` }
        const compact = day.replaceAll('-', '')
        return start === null
          ? [local, ':20260404T144500Z', ':20260404T163000Z']
          : [local, `:${compact}T${start}`, `:${compact}T${end}`]
      }),
      [
        // the clocks go from 03:00 back to 02:00, which is not shown twice
        {
          timezone: 'Europe/Madrid',
          start_date: '2026-10-25 01:59:59',
          end_date: '2026-10-25 03:00:00',
        },
        ';TZID=Europe/Madrid:20261025T015959',
        ';TZID=Europe/Madrid:20261025T030000',
      ],
    ]
    for (const [event, start, end] of table)
      t.same(
        only('DTSTART DTEND', event),
        [`DTSTART${start}`, ...(end === undefined ? [] : [`DTEND${end}`])],
        JSON.stringify(event),
      )
  },
)

t.test('a calendar ends with the year 2199, a single event whenever it is', async (t) => {
  const day = (title: string, start: string, end: string) =>
    eventRecord({ title, start_date: `${start} 10:00:00`, end_date: `${end} 12:00:00` })
  const events = [
    day('Last', '2199-12-31', '2199-12-31'),
    day('Beyond', '2200-01-01', '2200-01-01'),
    day('Far', '9999-12-31', '9999-12-31'),
    day('Open', '2026-12-01', '9999-12-31'),
  ]
  const body = calendarOf(events)
  const shown = unfold(body).filter(
    (line) => /^(SUMMARY|DTSTART|DTEND)/.test(line) && !/:1970|:19/.test(line),
  )
  t.same(
    shown.filter((line) => line.startsWith('SUMMARY')),
    ['SUMMARY:Last', 'SUMMARY:Open'],
  )
  t.same(
    shown.filter((line) => line.startsWith('DTEND')),
    ['DTEND;TZID=Europe/Madrid:21991231T120000', 'DTEND;TZID=Europe/Madrid:21991231T235959'],
  )
  t.notMatch(body, /[2-9][2-9]\d\d1231T|:9999/)
  const far = calendarOf([events[2]!], { single: true })
  t.match(far, 'DTSTART;TZID=Europe/Madrid:99991231T100000')
  t.same(faults(far), [])
})

t.test('each zone comes once, before its first event, and only if times are written in it', async (t) => {
  const zones = ['Europe/Madrid', 'UTC', 'Asia/Tokyo', 'Europe/Madrid', 'UTC+2', 'Asia/Tokyo']
  const events = zones.map((timezone, i) => eventRecord({ id: i + 1, timezone }))
  const body = calendarOf([eventRecord({ all_day: true, timezone: 'Asia/Kolkata' }), ...events])
  t.same(
    unfold(body).filter((line) => /^(?:TZID|UID):/.test(line)),
    [
      'UID:10@6e8bc430-9c3a-11d9-9669-0800200c9a66',
      'TZID:Europe/Madrid',
      'UID:1@6e8bc430-9c3a-11d9-9669-0800200c9a66',
      'UID:2@6e8bc430-9c3a-11d9-9669-0800200c9a66',
    ].concat(
      [
        'TZID:Asia/Tokyo',
        'UID:3@6e8bc430-9c3a-11d9-9669-0800200c9a66',
        'UID:4@6e8bc430-9c3a-11d9-9669-0800200c9a66',
      ],
      ['UID:5@6e8bc430-9c3a-11d9-9669-0800200c9a66', 'UID:6@6e8bc430-9c3a-11d9-9669-0800200c9a66'],
    ),
  )
  t.equal(calendarOf(events), calendarOf(events), 'the same again for the next reader')
})

t.test('the state of an event is told, and whether it takes the time of those who subscribe', async (t) => {
  const table: [Partial<EventRecord>, ...string[]][] = [
    [{}, 'STATUS:CONFIRMED', 'TRANSP:OPAQUE'],
    [{ event_status: 'moved_online' }, 'STATUS:CONFIRMED', 'TRANSP:OPAQUE'],
    [{ event_status: 'cancelled' }, 'STATUS:CANCELLED', 'TRANSP:TRANSPARENT'],
    [{ event_status: 'postponed' }, 'STATUS:TENTATIVE', 'TRANSP:TRANSPARENT'],
    [{ status: 'draft' }, 'STATUS:TENTATIVE', 'TRANSP:OPAQUE'],
    [{ status: 'pending', event_status: 'cancelled' }, 'STATUS:CANCELLED', 'TRANSP:TRANSPARENT'],
    [{ status: 'future' }, 'STATUS:CONFIRMED', 'TRANSP:OPAQUE'],
    [{ status: 'trash' }, 'STATUS:CANCELLED', 'TRANSP:TRANSPARENT'],
    [{ status: 'private' }, 'STATUS:CONFIRMED', 'TRANSP:OPAQUE', 'CLASS:PRIVATE'],
    [{ all_day: true }, 'STATUS:CONFIRMED', 'TRANSP:TRANSPARENT'],
  ]
  for (const [event, ...lines] of table)
    t.same(only('STATUS TRANSP CLASS', event), lines, JSON.stringify(event))
})

t.test(
  'a version is that of the last change of what the event shows; its number counts changes of the event alone',
  async (t) => {
    const at = (modified_utc: string) => ({ modified_utc })
    const event = { date_utc: '2026-11-05 00:00:00', ...at('2026-11-05 00:00:01') }
    const table: [Partial<EventRecord>, string][] = [
      [{}, '20261105T000001Z'],
      [{ venues: [venueRecord({}), venueRecord(at('2026-11-06 00:00:00'))] }, '20261106T000000Z'],
      [{ organizers: [organizerRecord(at('2026-11-07 00:00:00'))] }, '20261107T000000Z'],
      [
        { categories: [termRecord(at('2026-11-08 00:00:00'))], tags: [termRecord(at(''))] },
        '20261108T000000Z',
      ],
      [{ tags: [termRecord(at('2026-11-09 00:00:00'))], venues: [venueRecord({})] }, '20261109T000000Z'],
    ]
    for (const [more, stamp] of table)
      t.same(only('DTSTAMP CREATED LAST-MODIFIED SEQUENCE', { ...event, ...more }), [
        `DTSTAMP:${stamp}`,
        'CREATED:20261105T000000Z',
        `LAST-MODIFIED:${stamp}`,
        'SEQUENCE:216000001',
      ])
    t.same(only('CREATED', { date_utc: '2027-01-01 00:00:00' }), [], 'a date to come is not when it was made')
    t.same(only('SEQUENCE', at('1999-01-01 00:00:00')), ['SEQUENCE:0'])
  },
)

t.test('places are those of venues or online, as the event is attended', async (t) => {
  const bare = venueRecord({ title: 'Plaza', geo_lat: 1.5 })
  const live = 'https://live.example/'
  const online = [`LOCATION:${live}`, `CONFERENCE;VALUE=URI:${live}`]
  const map = 'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=100;X-TITLE=Hall:geo:0,-0.5'
  const hall = venueRecord({ title: 'Hall', geo_lat: 0, geo_lng: -0.5 })
  const table: [Partial<EventRecord>, ...string[]][] = [
    [{ venues: [bare] }, 'LOCATION:Plaza'],
    [{ venues: [bare, hall] }, 'LOCATION:Plaza\\; Hall', 'GEO:0;-0.5', map],
    [{ venues: [bare], virtual_url: live }, 'LOCATION:Plaza', online[1]!],
    [{ venues: [bare], virtual_url: live, attendance_mode: 'mixed' }, 'LOCATION:Plaza', online[1]!],
    [{ virtual_url: live, attendance_mode: 'mixed' }, ...online],
    [{ venues: [hall], virtual_url: live, attendance_mode: 'online' }, ...online],
    [{ venues: [hall], virtual_url: live, event_status: 'moved_online' }, ...online],
    [{ venues: [bare], attendance_mode: 'online' }, 'LOCATION:Plaza'],
  ]
  for (const [event, ...lines] of table)
    t.same(only('LOCATION GEO X-APPLE-STRUCTURED-LOCATION CONFERENCE', event), lines, JSON.stringify(event))
})

t.test('the first organizer has an address or a page, the others are contacts', async (t) => {
  const named = (given: object) => organizerRecord({ title: 'Club', slug: 'club', ...given })
  const table: [object, string][] = [
    [{ email: 'a@b.example' }, 'mailto:a@b.example'],
    [{ email: 'a%b?c&d#é@b.example' }, 'mailto:a%25b%3Fc%26d%23%C3%A9@b.example'],
    [{ email: 'no address', website: 'https://club.example/é' }, 'https://club.example/%C3%A9'],
    [{ email: 'a@localhost' }, 'http://calendar.test/organizer/club/'],
    [{ email: 'a@b.example\r\nATTENDEE:mailto:x@y.example' }, 'http://calendar.test/organizer/club/'],
  ]
  for (const [given, url] of table)
    t.same(only('ORGANIZER CONTACT ATTENDEE', { organizers: [named(given)] }), [`ORGANIZER;CN=Club:${url}`])
  t.same(
    only('ORGANIZER CONTACT', { organizers: [named({ phone: '1' }), named({ email: 'x@y.example' })] }),
    [
      'ORGANIZER;CN=Club:http://calendar.test/organizer/club/',
      'CONTACT:Club\\, 1',
      'CONTACT:Club\\, x@y.example',
    ],
  )
})

t.test('the excerpt stands in for a description; names of categories and tags come once', async (t) => {
  t.match(only('DESCRIPTION X-ALT-DESC', { excerpt: '<p>Short</p>' }), ['DESCRIPTION:Short', /<p>Short<\/p>/])
  t.same(only('DESCRIPTION', { description: '<p>Long</p>', excerpt: '<p>Short</p>' }), ['DESCRIPTION:Long'])
  const [a, b] = [termRecord({ name: 'Jazz' }), termRecord({ name: 'Rock; pop' })]
  t.same(only('CATEGORIES', { categories: [a], tags: [a, b] }), ['CATEGORIES:Jazz,Rock\\; pop'])
})

/** Texts that break out of lines, parameters and escapes, and long ones of all widths. */
const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'a ,;:\\"^\n\r\t\v\0\u007f\u0085\u2028é漢😀\u0301\ud800n'),
    maxLength: 200,
  }),
  // the replacement character is how half a character would show
  fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => text.replaceAll('\ufffd', '')),
  fc.constantFrom('x\r\nBEGIN:VALARM', '\\n\\,\\;', '^n^^^\'"', 'é'.repeat(200), '😀'.repeat(60)),
)
/** A text as it arrives: any break is one, and what no line may contain is gone. */
const arrived = (text: string) =>
  text.replace(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')

const arrivedUrl = (url: string) => url.replace(/[^\P{Cc}\t]|\p{Cs}/gu, '')

t.test('an independent reader finds what was written, whatever the texts', async (t) => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 6, maxLength: 6 }), (texts) => {
      const [title = '', category = '', calendar = '', url = '', ...names] = texts
      // this reader takes escapes of values for escapes of parameters, which have others
      const [venue, organizer] = names.map((name) => `at ${name.replaceAll('\\', '/')}`) as [string, string]
      const event = eventRecord({
        ...{ title, language: 'ca', virtual_url: `https://x.example/${url.replaceAll('%', '~')}` },
        ...{ venues: [venueRecord({ title: venue, geo_lat: 1, geo_lng: 2 })] },
        ...{
          organizers: [organizerRecord({ title: organizer })],
          categories: [termRecord({ name: category })],
        },
      })
      const body = calendarOf([event, eventRecord({ id: 11 })], { description: calendar })
      t.same(faults(body), [])
      const read = parse(body)
      const [first, second] = read.getAllSubcomponents('vevent')
      const value = (name: string) => first!.getFirstPropertyValue(name)
      const parameter = (name: string, key: string) => first!.getFirstProperty(name)!.getFirstParameter(key)
      const same = (found: unknown, text: string, what: string) => t.equal(found ?? '', arrived(text), what)
      same(read.getFirstPropertyValue('description'), calendar, 'what the calendar is')
      same(value('summary'), title, 'title')
      same(value('location'), venue, 'place')
      same(value('categories'), category, 'category')
      same(parameter('x-apple-structured-location', 'x-title'), venue, 'name on the map')
      same(parameter('organizer', 'cn'), organizer, 'organizer')
      t.match(value('conference'), /^https:\/\/x\.example\/[!-~]*$/)
      t.equal(decodeURIComponent(String(value('conference')).slice(18)), arrivedUrl(url.replaceAll('%', '~')))
      t.equal(second!.getFirstPropertyValue('uid'), '11@6e8bc430-9c3a-11d9-9669-0800200c9a66')
      t.equal(read.getAllSubcomponents().length, 3)
    }),
    { numRuns: 200 },
  )
})
