import t from 'tap'
import { readCalendars as steps } from '../../../../src/features/imports/files/icalendar.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'

const readCalendars = (...of: Parameters<typeof steps>) => finish(steps(...of))

const OPTIONS = { zone: 'Europe/Madrid', languages: ['en', 'ca'], media: true }
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:A', ...lines, 'END:VEVENT']
/** The only event of a calendar. */
const one = (...lines: string[]) => {
  const { items, faults } = readCalendars(calendar(...event(...lines)), OPTIONS)
  t.same(faults, [])
  t.equal(items.length, 1)
  return items[0]!
}
const times = (...lines: string[]) => {
  const { start_date, end_date, timezone, all_day } = one(...lines).body
  return [start_date, end_date, timezone, ...(all_day ? ['all day'] : [])].join(' ')
}
const START = 'DTSTART;TZID=Europe/London:20270105T180000'
const shown = (...lines: string[]) => {
  const { title, start_date, end_date, timezone, all_day, event_status, ...rest } = one(START, ...lines).body
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== '' && JSON.stringify(value) !== '[]'),
  )
}

t.test('the times of an event, by zone, length and kind', async (t) => {
  for (const [lines, expected] of [
    [
      [START, 'DTEND;TZID=Europe/London:20270105T193000'],
      '2027-01-05 18:00:00 2027-01-05 19:30:00 Europe/London',
    ],
    [
      [START, 'DTEND;TZID=Europe/Madrid:20270105T203000'],
      '2027-01-05 18:00:00 2027-01-05 19:30:00 Europe/London',
    ],
    [[START, 'DURATION:PT1H30M'], '2027-01-05 18:00:00 2027-01-05 19:30:00 Europe/London'],
    [[START], '2027-01-05 18:00:00 2027-01-05 18:00:00 Europe/London'],
    [[START, 'DTEND:20270105T100000Z'], '2027-01-05 18:00:00 2027-01-05 18:00:00 Europe/London'],
    [
      ['DTSTART:20270105T180000Z', 'DTEND:20270105T190000Z'],
      '2027-01-05 19:00:00 2027-01-05 20:00:00 Europe/Madrid',
    ],
    [
      ['DTSTART:20270105T180000', 'DTEND;VALUE=DATE:20270106'],
      '2027-01-05 18:00:00 2027-01-06 00:00:00 Europe/Madrid',
    ],
    [
      ['DTSTART;VALUE=DATE:20270105', 'DTEND;VALUE=DATE:20270107'],
      '2027-01-05 2027-01-06 Europe/Madrid all day',
    ],
    [
      ['DTSTART;VALUE=DATE:20270105', 'DTEND;VALUE=DATE:20270105'],
      '2027-01-05 2027-01-05 Europe/Madrid all day',
    ],
    [['DTSTART;VALUE=DATE:20270105', 'DURATION:P1W'], '2027-01-05 2027-01-11 Europe/Madrid all day'],
    [['DTSTART;VALUE=DATE:20270105'], '2027-01-05 2027-01-05 Europe/Madrid all day'],
    [['DTSTART:20270105T180000Z', 'RRULE:FREQ=DAILY;COUNT=2'], '2027-01-05 18:00:00 2027-01-05 18:00:00 UTC'],
  ] as const)
    t.equal(times(...lines), expected, lines.join(' '))
})

t.test('zones of other programs are found by their name, their place or their clocks', async (t) => {
  const read = (year: string, tzid: string, ...lines: string[]) => {
    const text = calendar(
      'X-WR-TIMEZONE:Europe/Paris',
      ...(lines.length > 0 ? ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, 'END:VTIMEZONE'] : []),
      ...event(`DTSTART;TZID="${tzid}":${year}0105T180000`),
      ...['BEGIN:VEVENT', 'UID:undated', 'END:VEVENT'],
    )
    return readCalendars(text, OPTIONS).items[0]!
  }
  const zone = (...given: Parameters<typeof read>) => {
    const { body, refused } = read(...given)
    return refused ?? body.timezone
  }
  const observance = (kind: string, from: string, [before, after]: [string, string], ...more: string[]) => [
    ...[
      `BEGIN:${kind}`,
      `DTSTART:${from}`,
      `TZOFFSETFROM:${before}`,
      `TZOFFSETTO:${after}`,
      ...more,
      `END:${kind}`,
    ],
  ]
  const yearly = (day: string, month: number) => `RRULE:FREQ=YEARLY;BYDAY=${day};BYMONTH=${month}`
  /** A zone by the time of its changes in October and in March. */
  const clocks = (
    [winter, summer]: [string, string],
    autumn: string,
    spring: string,
    days = ['-1SU', '-1SU'],
  ) => [
    ...observance('STANDARD', `16010101T${autumn}`, [summer, winter], yearly(days[0]!, 10)),
    ...observance('DAYLIGHT', `16010101T${spring}`, [winter, summer], yearly(days[1]!, 3)),
  ]
  for (const [tzid, expected] of [
    ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
    ['China Standard Time', 'Asia/Shanghai'],
  ] as const)
    t.equal(zone('2027', tzid), expected)
  t.equal(zone('2027', 'Somewhere', 'X-LIC-LOCATION:Europe/Rome'), 'Europe/Rome')

  const guessed = read('2027', 'Mine', ...clocks(['+0100', '+0200'], '030000', '020000'))
  t.equal(guessed.body.timezone, 'Europe/Paris', 'that of the calendar first')
  t.same(guessed.remarks, [
    'the time zone "Mine" is not known; Europe/Paris has the same clocks, and is taken',
  ])
  for (const [expected, ...lines] of [
    ['Europe/Kiev', ...clocks(['+0200', '+0300'], '040000', '030000')],
    ['Asia/Jerusalem', ...clocks(['+0200', '+0300'], '020000', '020000', ['-1SU', '-1FR'])],
    ['Asia/Tokyo', ...observance('STANDARD', '19700101', ['+0900', '+0900'])],
    // that of New York but for some hours
    [
      'America/Havana',
      ...observance('STANDARD', '20121104T010000', ['-0400', '-0500'], yearly('1SU', 11)),
      ...observance('DAYLIGHT', '20130310T000000', ['-0500', '-0400'], yearly('2SU', 3)),
    ],
    ['Asia/Shanghai', ...observance('STANDARD', '16010101T020000', ['+0800', '+0800'])],
    ['Europe/London', ...clocks(['+0000', '+0100'], '020000', '010000')],
    [
      'America/New_York',
      ...observance('STANDARD', '20071104T020000', ['-0400', '-0500'], yearly('1SU', 11)),
      ...observance('DAYLIGHT', '20070311T020000', ['-0500', '-0400'], yearly('2SU', 3)),
      ...observance(
        'DAYLIGHT',
        '19870405T020000',
        ['-0500', '-0400'],
        `${yearly('1SU', 4)};UNTIL=20060402T070000Z`,
      ),
    ],
    // only the years of the file count, and a clock that begins in them has the offset before it
    [
      'America/New_York',
      ...observance('DAYLIGHT', '20270314T020000', ['-0500', '-0400']),
      ...observance('STANDARD', '20271107T020000', ['-0400', '-0500'], 'RDATE:20271107T020000,soon'),
    ],
    ['Africa/Lagos', ...observance('DAYLIGHT', '19700101T000000', ['+0100', '+0100'])],
    // seconds, offsets that are no zone's, and a rule that is none
    ['Asia/Kolkata', ...observance('STANDARD', '19700101T000000', ['+195328', '+053000'], 'RRULE:often')],
  ] as const)
    t.match(zone('2027', `Not ${expected}`, ...lines), expected.replace('Kolkata', 'Calcutta'))

  const many = Array.from({ length: 501 }, () =>
    observance('STANDARD', '19700101T000000', ['+0100', '+0100']),
  ).flat()
  for (const lines of [
    [],
    ['BEGIN:STANDARD', 'END:STANDARD'],
    observance('STANDARD', '', ['+0100', '+0100']),
    observance('STANDARD', '19700101T000000', ['+0100', '+0717']),
    observance('STANDARD', '19700101T000000', ['+0100', '+0100'], 'RRULE:FREQ=DAILY').concat(
      observance('DAYLIGHT', '19700101T120000', ['+0100', '+0200'], 'RRULE:FREQ=DAILY'),
    ),
    many,
  ])
    t.equal(
      zone('2027', 'Nowhere', ...lines),
      'the time zone "Nowhere" is not known, and the file does not explain it; a name such as Europe/Madrid is',
    )
})

t.test('what an event shows', async (t) => {
  t.same(shown('DESCRIPTION:A & B\\nC\\, <D>'), { description: 'A &amp; B\nC, &lt;D&gt;' })
  const html = 'X-ALT-DESC;FMTTYPE=text/html:<!DOCTYPE html><html><body class="x"><p>Hi</p></body></html>'
  t.same(shown('DESCRIPTION:Hi', html), { description: '<p>Hi</p>' })
  t.same(shown('X-ALT-DESC:plain', 'X-ALT-DESC;FMTTYPE=text/html:<b>Hi</b>'), { description: '<b>Hi</b>' })
  t.same(shown('LOCATION:Hall\\, Carrer Nou 1\\, Vic', 'GEO:41.9;2.2'), {
    venue: [{ venue: 'Hall', address: 'Carrer Nou 1, Vic', geo_lat: 41.9, geo_lng: 2.2 }],
  })
  const apple = 'X-APPLE-STRUCTURED-LOCATION;X-TITLE="The Hall, old":geo:1,2'
  t.same(shown('LOCATION:The Hall\\, old\\nNew Street 2', apple), {
    venue: [{ venue: 'The Hall, old', address: 'New Street 2' }],
  })
  t.same(shown('LOCATION:Elsewhere\\, 5', 'X-APPLE-STRUCTURED-LOCATION;X-TITLE=Hall:geo:1,2'), {
    venue: [{ venue: 'Hall', address: 'Elsewhere, 5' }],
  })
  t.same(shown('LOCATION:https://meet.example/1'), {
    virtual_url: 'https://meet.example/1',
    attendance_mode: 'online',
  })
  t.same(shown('LOCATION:Hall', 'CONFERENCE;VALUE=URI:https://meet.example/1'), {
    ...{ venue: [{ venue: 'Hall' }], virtual_url: 'https://meet.example/1', attendance_mode: 'mixed' },
  })
  t.same(shown('LOCATION:\\, Hall'), { venue: [{ venue: 'Hall' }] })
  t.same(shown('LOCATION:\\,'), {})
  t.same(one(START, 'GEO:1;2').remarks, ['has coordinates without a place, which are left out'])
  t.same(shown('ORGANIZER;CN="Choir: B":mailto:choir@example.org', 'CONTACT:Choir: B\\, +34 93 000 00 00'), {
    organizer: [{ organizer: 'Choir: B', email: 'choir@example.org', phone: '+34 93 000 00 00' }],
  })
  t.same(
    shown(
      'ORGANIZER:https://choir.example/',
      'CONTACT:Anna\\, 555-123-4567\\, anna@example.org',
      'CONTACT:555-123-4567',
      'CONTACT:Bert',
    ),
    {
      organizer: [
        { organizer: 'https://choir.example/', website: 'https://choir.example/' },
        { organizer: 'Anna', phone: '555-123-4567', email: 'anna@example.org' },
        { organizer: 'Bert' },
      ],
    },
  )
  t.same(shown('ORGANIZER:invalid:nomail', 'ORGANIZER;CN=X:mailto:x', 'CONTACT:a@example.org'), {})
  t.same(shown('ORGANIZER;CN=Choir:mailto:x@y.example', 'CONTACT:Choir'), {
    organizer: [{ organizer: 'Choir', email: 'x@y.example' }],
  })
  t.same(shown('CATEGORIES:A,B\\, C', 'CATEGORIES:A, D'), { categories: ['A', 'B, C', 'D'] })
  t.same(shown('URL:https://a.example/', 'CLASS:PRIVATE'), {
    website: 'https://a.example/',
    status: 'private',
  })
  t.same(shown('ATTACH:https://a.example/a.pdf', 'ATTACH;FMTTYPE=image/png:https://a.example/a.png'), {
    image: 'https://a.example/a.png',
  })
  t.same(shown('IMAGE;ENCODING=BASE64;VALUE=BINARY:AAAA'), {})
  t.equal(one(START, 'STATUS:CANCELLED').body.event_status, 'cancelled')
  t.same(one(START, 'STATUS:TENTATIVE').remarks, ['is tentative in the file, and taken as scheduled'])
  const text = calendar(
    'BEGIN:VEVENT',
    "SUMMARY;LANGUAGE=CA;X-P=a^nb^^^':Títol\\n2",
    START,
    'END:VEVENT',
  ).replace('ítol', 'í\r\n tol')
  const [item] = readCalendars(`\ufeff${text}`, { ...OPTIONS, media: false }).items
  t.match(item, {
    name: 'Títol\n2',
    external_id: /^[\da-f]{32}$/,
    body: { title: 'Títol 2', i18n_language: 'ca' },
  })
  t.equal(one(START, `X-LONG:${'x'.repeat(80)}`).external_id, '1')
  const long = calendar('BEGIN:VEVENT', `UID:${'u'.repeat(300)}`, 'SUMMARY:A', START, 'END:VEVENT')
  t.match(readCalendars(long, OPTIONS).items[0]!.external_id, /^[\da-f]{32}$/)
})

t.test('rules, added and left out dates, and dates that are unlike the others', async (t) => {
  const rule = [
    'RRULE:FREQ=WEEKLY;COUNT=4',
    'RDATE;VALUE=PERIOD:20270106T180000/PT1H',
    'EXDATE;TZID=Europe/Madrid:20270112T190000',
  ]
  t.same(one(START, ...rule).body.recurrence, {
    ...{ rrule: 'FREQ=WEEKLY;COUNT=4', rdate: ['2027-01-06 18:00:00'], exdate: ['2027-01-12 18:00:00'] },
  })
  t.same(one('DTSTART;VALUE=DATE:20270105', 'RDATE;VALUE=DATE:20270107,20270109').body.recurrence, {
    ...{ rdate: ['2027-01-07', '2027-01-09'], exdate: [] },
  })
  const dates = calendar(
    ...[
      'BEGIN:VEVENT',
      'UID:1',
      'SUMMARY:Guest',
      'RECURRENCE-ID:20270112T180000Z',
      'DTSTART;TZID=Europe/London:20270113T190000',
      'CLASS:PRIVATE',
      'END:VEVENT',
    ],
    ...event(START, 'RRULE:FREQ=WEEKLY;COUNT=4', 'LOCATION:Hall'),
    ...[
      'BEGIN:VEVENT',
      'UID:1',
      'SUMMARY:All',
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20270119T180000',
      START,
      'END:VEVENT',
    ],
    ...[
      'BEGIN:VEVENT',
      'UID:2',
      'SUMMARY:Alone',
      'RECURRENCE-ID;TZID=Europe/London:20270119T180000',
      START,
      'END:VEVENT',
    ],
    ...['BEGIN:VEVENT', 'UID:3', 'SUMMARY:Bad', 'RRULE:FREQ=DAILY', 'END:VEVENT'],
    ...['BEGIN:VEVENT', 'UID:3', 'SUMMARY:Of bad', 'RECURRENCE-ID:20270119T180000Z', START, 'END:VEVENT'],
    ...['BEGIN:VEVENT', 'UID:1', 'SUMMARY:Again', START, 'END:VEVENT'],
  )
  const { items } = readCalendars(dates, OPTIONS)
  t.same(
    items.map(({ name, external_id, refused }) => [name, external_id, refused]),
    [
      ['A', '1', undefined],
      ['All', '1', 'changes all following dates (RANGE), which can not be taken'],
      ['Alone', '2/20270119T180000', undefined],
      ['Bad', '3', 'has no DTSTART'],
      ['Of bad', '3', 'is a date of the series in line 29, which can not be taken'],
      [
        'Again',
        '1',
        'has the UID of the event in line 10, "A", which is taken; each event needs a UID of its own',
      ],
    ],
  )
  t.match(items[0]!.dates, [
    {
      recurrence_id: '2027-01-12 18:00:00',
      body: { title: 'Guest', start_date: '2027-01-13 19:00:00', venue: null, status: 'private' },
    },
  ])
  t.notOk('recurrence' in items[0]!.dates[0]!.body)
  for (const [lines, refused] of [
    [[START, 'RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], 'has several RRULE; one can be taken'],
    [[START, 'RDATE:soon'], 'RDATE has "soon", which is no date such as 20270514T200000'],
    [[START, 'DURATION:long'], 'DURATION is "long", which is no length of time such as PT1H'],
    [['DTSTART:20270230'], 'DTSTART is "20270230", which is no date such as 20270514T200000'],
  ] as const)
    t.equal(one(...lines).refused, refused)
})

t.test('lines that are none are told, and the rest of a file is read', async (t) => {
  const text = [
    '',
    'BEGIN:VCALENDAR',
    'no line',
    ' folded',
    'END:VEVENT',
    ...event(START),
    'BEGIN:VEVENT',
    'SUMMARY:B',
    START,
  ].join('\n')
  const { items, faults } = readCalendars(text, OPTIONS)
  t.same(faults, [
    { line: 3, text: 'no linefolded', reason: 'is no line of iCalendar' },
    { line: 5, text: 'END:VEVENT', reason: 'ends VEVENT, which did not begin' },
    { line: 2, text: 'BEGIN:VCALENDAR', reason: 'does not end: the file may be cut off' },
    { line: 11, text: 'BEGIN:VEVENT', reason: 'does not end: the file may be cut off' },
  ])
  t.same(
    items.map(({ name }) => name),
    ['A', 'B'],
  )
  t.same(readCalendars('', OPTIONS), { items: [], faults: [] })
})
