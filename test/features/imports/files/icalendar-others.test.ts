import t from 'tap'
import { decode } from '../../../../src/features/imports/files/event-files.ts'
import { readCalendars as steps } from '../../../../src/features/imports/files/icalendar.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'

const readCalendars = (...of: Parameters<typeof steps>) => finish(steps(...of))

const OPTIONS = { zone: 'Europe/Madrid', languages: ['ca', 'en'], media: true }
const START = 'DTSTART:20270510T190000'
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:A', ...lines, 'END:VEVENT']
const dated = (...lines: string[]) => event(START, 'DTEND:20270510T210000', ...lines)
const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const read = (...lines: string[]) => readCalendars(calendar(...lines), OPTIONS).items
const one = (...lines: string[]) => {
  const [item, ...more] = read(...event(...lines))
  t.same(more, [])
  return item!
}
/** The times of an event, and what is said of them. */
const timesOf = (...lines: string[]) => {
  const { body, remarks, refused } = one(...lines)
  return (
    refused ?? [body.start_date, body.end_date, ...(body.all_day ? ['all day'] : []), ...remarks].join(', ')
  )
}

t.test('text that is cut or written in another way says nothing of the rest', async (t) => {
  const file = (...lines: string[]) => Buffer.from(calendar(...dated(...lines)), 'latin1')
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  const items = (...lines: string[]) => readCalendars(finish(decode(file(...lines))), OPTIONS).items[0]!
  const cut = items(`LOCATION:${utf8('Plaça')}`, 'DESCRIPTION:caf\xc3')
  t.match(cut, {
    body: { venue: [{ venue: 'Plaça' }], description: 'caf\ufffd' },
    remarks: [
      'DESCRIPTION has letters that can not be read, as they are not in UTF-8; \ufffd stands for each',
    ],
  })
  const euro = utf8('€')
  for (const at of [1, 2])
    t.match(
      items(`DESCRIPTION:5 ${euro.slice(0, at)}\r\n ${euro.slice(at)} and a ç${utf8('ç')}`.replace('ç', '')),
      {
        body: { description: '5 € and a ç' },
        remarks: [],
      },
    )
  t.match(items('DESCRIPTION:caf\xe9 \x80'), { body: { description: 'café €' }, remarks: [] })
})

t.test('how long an event lasts is read as its author meant it', async (t) => {
  for (const [lines, expected] of [
    // the clocks change on 28 March 2027
    [['DTSTART:20270327T100000', 'DURATION:P1D'], '2027-03-27 10:00:00, 2027-03-28 10:00:00'],
    [['DTSTART:20270327T100000', 'DURATION:P1W'], '2027-03-27 10:00:00, 2027-04-03 10:00:00'],
    [['DTSTART:20270327T100000', 'DURATION:PT24H'], '2027-03-27 10:00:00, 2027-03-28 11:00:00'],
    [['DTSTART:20270327T100000', 'DURATION:P1DT2H'], '2027-03-27 10:00:00, 2027-03-28 12:00:00'],
    [['DTSTART;VALUE=DATE:20270327', 'DURATION:PT3H'], '2027-03-27, 2027-03-27, all day'],
    [['DTSTART;VALUE=DATE:20270327', 'DURATION:P2D'], '2027-03-27, 2027-03-28, all day'],
    // empty properties say nothing
    [[START, 'DTEND:'], '2027-05-10 19:00:00, 2027-05-10 19:00:00'],
    [
      [START, 'DURATION:', 'RRULE:', 'EXDATE:', 'RDATE;VALUE=DATE:'],
      '2027-05-10 19:00:00, 2027-05-10 19:00:00',
    ],
    [['DTSTART:20270106', 'DTEND:20270106', 'RRULE:'], '2027-01-06, 2027-01-06, all day'],
    // whole days as Outlook says them
    [
      ['DTSTART:20270510T000000', 'DTEND:20270512T000000', 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'],
      '2027-05-10, 2027-05-11, all day',
    ],
    [['DTSTART:20270510T000000', 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'], '2027-05-10, 2027-05-10, all day'],
    [
      [START, 'DTEND:20270512T000000', 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'],
      '2027-05-10 19:00:00, 2027-05-12 00:00:00',
    ],
    [
      ['DTSTART:20270510T000000', 'DTEND:20270510T120000', 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'],
      '2027-05-10 00:00:00, 2027-05-10 12:00:00',
    ],
    [
      ['DTSTART;VALUE=DATE:20270510T190000', 'DTEND;VALUE=DATE:20270512'],
      '2027-05-10, 2027-05-11, all day, DTSTART has a time after its date, which is left out',
    ],
  ] as const)
    t.equal(timesOf(...lines), expected, lines.join(' '))
})

/** An event that repeats: its first date, its rule, and dates that are added and left out. */
const repeatOf = (...lines: string[]) => {
  const [item] = read(...dated(...lines))
  if (!item) return 'nothing'
  const { start_date, end_date, recurrence } = item.body as {
    start_date: string
    end_date: string
    recurrence?: object
  }
  return item.refused ?? { start_date, end_date, ...recurrence }
}

t.test('the first date of a rule is what the file says, and it counts', async (t) => {
  const thursday = { start_date: '2027-05-13 19:00:00', end_date: '2027-05-13 21:00:00' }
  const alone = { start_date: '2027-05-10 19:00:00', end_date: '2027-05-10 21:00:00' }
  const first = '2027-05-10 19:00:00'
  for (const [lines, expected] of [
    [
      ['RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=4'],
      { ...thursday, rrule: 'FREQ=WEEKLY;BYDAY=TH;COUNT=3', rdate: [first], exdate: [] },
    ],
    [
      ['RRULE:COUNT=4;FREQ=WEEKLY;BYDAY= TH'],
      { ...thursday, rrule: ';COUNT=3;FREQ=WEEKLY;BYDAY=TH', rdate: [first], exdate: [] },
    ],
    [
      ['RRULE:FREQ=WEEKLY;BYDAY=TH'],
      { ...thursday, rrule: 'FREQ=WEEKLY;BYDAY=TH', rdate: [first], exdate: [] },
    ],
    [['RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=1'], alone],
    [['RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=20270512T000000Z'], alone],
    [
      ['RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=1', 'RDATE:20270601T190000'],
      { ...alone, rdate: ['2027-06-01 19:00:00'], exdate: [] },
    ],
    [['RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=1', 'EXDATE:20270510T190000'], 'nothing'],
    [
      ['RRULE:FREQ=WEEKLY;BYDAY=MO, TU;COUNT=2'],
      { ...alone, rrule: 'FREQ=WEEKLY;BYDAY=MO,TU;COUNT=2', rdate: [], exdate: [] },
    ],
    [
      ['RRULE:FREQ=WEEKLY;BYDAY=TH,XX'],
      { ...alone, rrule: 'FREQ=WEEKLY;BYDAY=TH,XX', rdate: [], exdate: [] },
    ],
    [['RDATE:20270510T190000'], alone],
    [['RDATE:20270510T190000,20270601T190000'], { ...alone, rdate: ['2027-06-01 19:00:00'], exdate: [] }],
    // what is left of a series that was divided at its first date
    [['RRULE:FREQ=WEEKLY;UNTIL=20270517T000000Z', 'EXDATE:20270510T190000'], 'nothing'],
    [['RRULE:FREQ=WEEKLY;UNTIL=20270509'], 'nothing'],
    [
      ['RRULE:FREQ=WEEKLY;UNTIL=20270509', 'RDATE:20270601T190000'],
      { ...alone, rdate: ['2027-06-01 19:00:00'], exdate: [] },
    ],
    // an end in UTC is a day earlier here
    [['RRULE:FREQ=WEEKLY;UNTIL=20270509T215959Z'], 'nothing'],
    [['RRULE:FREQ=WEEKLY;UNTIL=20270510T000000'], alone],
    [['RRULE:FREQ=WEEKLY;UNTIL=20270510T000000', 'EXDATE:20270510T190000'], 'nothing'],
    [
      ['RRULE:FREQ=WEEKLY;UNTIL=20270510T000000', 'RDATE:20270601T190000'],
      { ...alone, rdate: ['2027-06-01 19:00:00'], exdate: [] },
    ],
    [['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'], alone],
  ] as const)
    t.same(repeatOf(...lines), expected, lines.join(' '))
  const [whole] = read(
    ...event('DTSTART;VALUE=DATE:20270510', 'DTEND;VALUE=DATE:20270512', 'RRULE:FREQ=WEEKLY;BYDAY=TH'),
  )
  t.match(whole!.body, {
    start_date: '2027-05-13',
    end_date: '2027-05-14',
    recurrence: { rdate: ['2027-05-10'] },
  })
})

t.test('dates of a series keep what they say of themselves', async (t) => {
  const own = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']
  const [periods] = read(
    ...dated(
      'RDATE;VALUE=PERIOD:20270515T100000/PT5H,20270516T100000/20270516T110000',
      'RDATE:20270520T190000',
    ),
  )
  t.same(
    periods!.dates.map(({ recurrence_id, body }) => [recurrence_id, body.end_date]),
    [
      ['2027-05-15 10:00:00', '2027-05-15 15:00:00'],
      ['2027-05-16 10:00:00', '2027-05-16 11:00:00'],
    ],
  )
  const series = [...dated('LOCATION:Hall', 'RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE:20270524T190000')]
  const moved = read(...series, ...own('RECURRENCE-ID:20270517T190000', 'DTSTART:20270518T190000'))
  t.same(
    moved.map(({ dates }) => dates.map(({ body }) => body)),
    [
      [
        {
          start_date: '2027-05-18 19:00:00',
          end_date: '2027-05-18 19:00:00',
          timezone: 'Europe/Madrid',
          all_day: false,
        },
      ],
    ],
    'one that is only moved has the rest of its series',
  )
  const [ruled] = read(
    ...series,
    ...own('SUMMARY:B', 'RECURRENCE-ID:20270517T190000', START, 'RRULE:FREQ=DAILY'),
  )
  t.match(ruled!.dates, [{ body: { title: 'B', venue: null } }])
  t.notOk('recurrence' in ruled!.dates[0]!.body, 'it has no rule of its own')
  const [added] = read(
    ...series,
    ...own('SUMMARY:C', 'RECURRENCE-ID:20270524T190000', START),
    ...own('SUMMARY:D', 'RECURRENCE-ID:20270819T190000', START, 'STATUS:TENTATIVE'),
  )
  t.match(added!, {
    body: { recurrence: { rdate: ['2027-08-19 19:00:00'], exdate: [] } },
    dates: [{ recurrence_id: '2027-05-24 19:00:00' }, { recurrence_id: '2027-08-19 19:00:00' }],
    remarks: ['is tentative in the file, and taken as scheduled'],
  })
  const [, broken] = read(...series, ...own('SUMMARY:G', 'RECURRENCE-ID:20270517T190000', 'DTSTART:soon'))
  t.match(broken, { name: 'G', refused: 'DTSTART is "soon", which is no date such as 20270514T200000' })
  const [whole, lost] = read(...series, ...own('SUMMARY:H', 'RECURRENCE-ID:soon', START))
  t.equal(whole!.refused, undefined)
  t.match(lost, { name: 'H', refused: 'RECURRENCE-ID has "soon", which is no date such as 20270514T200000' })
  const [period] = read(
    ...dated('RDATE;VALUE=PERIOD:20270515T100000/PT5H'),
    ...own('SUMMARY:E', 'RECURRENCE-ID:20270515T100000', START),
  )
  t.match(period!.dates, [{ body: { title: 'E' } }])
  t.equal(period!.dates.length, 1)
  const emptied = read(
    ...dated('RRULE:FREQ=WEEKLY;COUNT=1', 'EXDATE:20270510T190000'),
    ...own('SUMMARY:F', 'RECURRENCE-ID:20270510T190000', START),
  )
  t.same(
    emptied.map(({ name, external_id }) => [name, external_id]),
    [['F', '1/20270510T190000']],
  )
})

t.test('a series may have as many dates of its own as a file has room for', async (t) => {
  const MANY = 12_000
  const ids = Array.from({ length: MANY }, (_, at) => {
    const day = new Date(Date.UTC(2027, 4, 11 + at)).toISOString().slice(0, 10)
    return `${day.replaceAll('-', '')}T200000`
  })
  for (const rule of ['RRULE:FREQ=DAILY;COUNT=9999', 'RRULE:FREQ=MINUTELY;INTERVAL=60;COUNT=99999999']) {
    const lines = [
      ...dated(rule, `EXDATE:${ids.slice(0, 9).join(',')}`),
      ...ids.flatMap((id) => event(`RECURRENCE-ID:${id}`, START)),
    ]
    const [series, ...others] = readCalendars(['BEGIN:VCALENDAR', ...lines].join('\r\n'), OPTIONS).items
    t.same(others, [])
    t.equal(series!.dates.length, MANY)
    const { rdate, exdate } = series!.body.recurrence as { rdate: string[]; exdate: string[] }
    t.same(exdate, [])
    t.match(rdate.at(-1), '2060-')
  }
})

t.test('of several versions of an event the latest is taken', async (t) => {
  const version = (title: string, ...lines: string[]) => [
    'BEGIN:VEVENT',
    'UID:1',
    `SUMMARY:${title}`,
    START,
    ...lines,
    'END:VEVENT',
  ]
  const names = (...lines: string[]) => read(...lines).map(({ name, refused }) => refused ?? name)
  const [first, second] = [version('A', 'SEQUENCE:2'), version('B', 'SEQUENCE:10')]
  t.same(names(...first, ...second), ['B'])
  t.same(names(...second, ...first), ['B'])
  const stamped = version('C', 'SEQUENCE:10', 'DTSTAMP:20260101T000000Z')
  t.same(names(...second, ...stamped), ['C'])
  t.same(names(...first, ...first), ['A'], 'a copy is no failure')
  t.same(names(...version('A'), ...version('B')), [
    'A',
    'has the UID of the event in line 2, "A", which is taken; each event needs a UID of its own',
  ])
  const text = [calendar(...first), calendar(...second), calendar(...version('D'))].join('')
  t.same(
    readCalendars(text, OPTIONS).items.map(({ name }) => name),
    ['B'],
    'several calendars are one file',
  )
  const dates = (title: string, sequence: number) =>
    version(title, 'RECURRENCE-ID:20270510T190000', `SEQUENCE:${sequence}`)
  const [series] = read(...dated('RRULE:FREQ=DAILY;COUNT=2'), ...dates('new', 2), ...dates('old', 1))
  t.match(series!.dates, [{ body: { title: 'new' } }])
})

t.test('what a file does not say or says as others do', async (t) => {
  t.match(read('METHOD:CANCEL', ...dated())[0]!.body, { event_status: 'cancelled' })
  t.match(
    readCalendars(dated().join('\n'), OPTIONS),
    { items: [{ name: 'A' }], faults: [] },
    'without VCALENDAR',
  )
  const untitled = ['BEGIN:VEVENT', 'UID:1', START, 'END:VEVENT']
  t.match(read(...untitled), [
    { body: { title: '(Sense títol)' }, remarks: ['has no SUMMARY, and is called (Sense títol)'] },
  ])
  const unnamed = read('BEGIN:VEVENT', START, 'END:VEVENT', 'BEGIN:VEVENT', 'END:VEVENT')
  t.same(
    unnamed.map(({ name }) => name),
    ['20270510T190000', 'VEVENT'],
  )
  for (const languages of [['oc'], []])
    t.match(readCalendars(calendar(...untitled), { ...OPTIONS, languages }).items, [
      { body: { title: '(No title)' } },
    ])
  const long = 'x'.repeat(213)
  t.match(one(START, `CATEGORIES:Walks,${long}`), {
    body: { categories: ['Walks'] },
    remarks: [`a category has 213 characters and may have 200; it is left out: "${'x'.repeat(40)}…"`],
  })
  for (const [text, expected] of [
    ['<p>Bring a <b>lamp</b></p><a href="https://a.example/">read</a>', undefined],
    ['x < 5, <ann@example.org> & me', 'x &lt; 5, &lt;ann@example.org&gt; &amp; me'],
    [
      '<b>x < 5</b>, <ann@example.org> <html-blob>a</html-blob><!-- b -->',
      '<b>x &lt; 5</b>, &lt;ann@example.org> <html-blob>a</html-blob><!-- b -->',
    ],
    ['Ann&nbsp\\;&amp\\; Ben &#8211\\; AT&T', 'Ann\u00a0&amp; Ben – AT&amp;T'],
    ['a<br/>b', undefined],
    ['<bold>', '&lt;bold&gt;'],
  ] as const)
    t.equal(one(START, `DESCRIPTION:${text}`).body.description, expected ?? text)
})

t.test('what is not kept here is counted by its name', async (t) => {
  const more = [
    ...[
      'GEO:41.9;2.2',
      'TRANSP:OPAQUE',
      'PRIORITY:1',
      'CREATED:20260101T000000Z',
      'X-WR-ODD:',
      'CLASS:PUBLIC',
    ],
    ...['ATTACH;FMTTYPE=image/png:https://a.example/a.png', 'ATTACH:https://a.example/a.pdf'],
    ...['BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM'],
  ]
  t.same(one(START, ...more).leftOut, ['GEO', 'TRANSP', 'PRIORITY', 'CREATED', 'ATTACH', 'VALARM'])
  t.same(one(START, 'LOCATION:Hall', ...more).leftOut, ['TRANSP', 'PRIORITY', 'CREATED', 'ATTACH', 'VALARM'])
  const [series] = read(
    ...dated('RRULE:FREQ=DAILY;COUNT=2', 'TRANSP:OPAQUE'),
    ...['BEGIN:VEVENT', 'UID:1', 'RECURRENCE-ID:20270510T190000', START, 'PRIORITY:1', 'END:VEVENT'],
  )
  t.same(series!.leftOut, ['TRANSP', 'PRIORITY'], 'that of its dates as well')
})

t.test('what is written around events does not lose them', async (t) => {
  const titles = (text: string) => {
    const { items, faults } = readCalendars(text, OPTIONS)
    return [...items.map(({ name }) => name), ...faults.map(({ text, reason }) => `${text} ${reason}`)]
  }
  const named = (uid: string) =>
    dated(`SUMMARY:${uid}`, `UID:${uid}`).filter((line) => line !== 'UID:1' && line !== 'SUMMARY:A')
  const cut = 'does not end: the file may be cut off'
  t.same(
    titles(
      calendar(...named('B'))
        .replaceAll('\r\n', '\n\n')
        .replace('SUMMARY:', 'SUMMARY\n\n :'),
    ),
    ['B'],
  )
  t.same(titles(calendar(calendar(...named('B')).trimEnd(), ...named('C'))), ['C', 'B'])
  t.same(titles(calendar('BEGIN:VTIMEZONE', ...named('B'), ...named('C'))), [
    ...['B', 'C', 'END:VCALENDAR ends VCALENDAR, which did not begin'],
    ...[`BEGIN:VCALENDAR ${cut}`, `BEGIN:VTIMEZONE ${cut}`],
  ])
  const [first] = [named('B').slice(0, -1)]
  t.same(titles(calendar(...first, ...named('C'))).slice(0, 2), ['B', 'C'])
  t.same(titles(''), [])
})

t.test('a zone is known by the place in its name, also one that the file explains badly', async (t) => {
  const zone = (tzid: string, ...lines: string[]) => {
    const [item] = read(...lines, ...event(`DTSTART;TZID=${tzid}:20270510T190000`))
    return item!.refused ?? [item!.body.timezone, ...item!.remarks].join()
  }
  t.equal(zone('US-Eastern'), zone('US/Eastern'))
  const bare = (tzid: string) => ['BEGIN:VTIMEZONE', `TZID:${tzid}`, 'END:VTIMEZONE']
  t.equal(zone('/Mozilla.org/BasicTimezones/GMT', ...bare('/Mozilla.org/BasicTimezones/GMT')), zone('GMT'))
  t.match(zone('Home', ...bare('Home')), /"Home" is not known, and the file/)
  const [whole] = read(...bare('Home'), ...event('DTSTART;VALUE=DATE;TZID=Home:20270510'))
  t.same(whole!.remarks, [], 'a zone that nothing needs is not guessed')
  const dates = read(...event('DTSTART;VALUE=DATE:20270510', 'RDATE;VALUE=DATE:20270511Z,20270512'))[0]!.body
  t.match(dates, { recurrence: { rdate: ['2027-05-11', '2027-05-12'] } })
})

t.test('an event is no larger than one by a request may be, beside what is attached', (t) => {
  const long = (name: string, value: string) =>
    readCalendars(calendar(...dated('UID:a', `${name}:${value.repeat(2 ** 17)}`)), OPTIONS).items[0]!
  t.equal(long('RDATE', '20270514,').refused, 'has more than 1,048,576 characters beside its attachments')
  t.equal(long('ATTACH', 'AAAAAAAAA').refused, undefined)
  const many = dated('UID:a', 'X:1234\r\n'.repeat(2 ** 18))
  t.match(readCalendars(calendar(...many), OPTIONS).items[0], { refused: /^has more than/ })
  t.end()
})
