import t from 'tap'
import type { DateOrder } from '../../../../schemas/imports.ts'
import { readCsv } from '../../../../src/features/imports/files/csv.ts'

const read = (rows: string[], order?: DateOrder) => readCsv(rows.join('\r\n'), { media: true, order })
/** The only event of a table. */
const one = async (head: string, row: string, order?: DateOrder) =>
  (await read([head, row], order)).items[0]!.body

t.test('tables of The Events Calendar are read by its columns', async (t) => {
  const { items, remarks, faults } = await read([
    'Event Name,Event Description,Event Excerpt,Event Start Date,Event Start Time,Event End Date,Event End Time,All Day Event,Event Venue Name,Event Organizer Name(s) or ID(s),Event Category,Event Tags,Event Cost,Event Featured Image,Event Website,Event Show Map,Feature Event,Event Currency Symbol',
    'Concert,<b>Loud</b>,Short,2027-05-14,8:00 PM,2027-05-14,10:30 PM,FALSE,Hall,"Choir, Band","Music, Jazz",Late,12,calendar.example/a.png,choir.example,Yes,no,$',
    'Fair,,,2027-05-15,,2027-05-16,,TRUE,,,,,,,,,,',
  ])
  t.same(faults, [])
  t.same(remarks, ['columns that are not known are left out: Event Currency Symbol'])
  t.match(items[0]!.body, {
    ...{ title: 'Concert', description: '<b>Loud</b>', excerpt: 'Short', all_day: 'FALSE' },
    ...{
      start_date: '2027-05-14 20:00:00',
      end_date: '2027-05-14 22:30:00',
      show_map: 'true',
      featured: 'false',
    },
    ...{ venue: [{ venue: 'Hall' }], organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }] },
    ...{ categories: ['Music', 'Jazz'], tags: ['Late'], cost: '12' },
    ...{ image: 'https://calendar.example/a.png', website: 'https://choir.example' },
  })
  t.match(items[1]!.body, { start_date: '2027-05-15', end_date: '2027-05-16', all_day: 'true' })
})

t.test('tables of Google Calendar and Outlook are read by their columns', async (t) => {
  const { items, remarks } = await read([
    'Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private',
    'Concert,05/30/2027,10:00 AM,05/30/2027,1:00 PM,False,Loud,"Hall, Street 1, Vic",True',
    'Talk,05/31/2027,12:00 AM,05/31/2027,12:30 pm,False,,https://meet.example/a,False',
    'Concert,05/30/2027,8 p.m.,05/30/2027,,False,,,',
  ])
  t.same(remarks, [])
  t.match(items[0]!.body, {
    ...{ start_date: '2027-05-30 10:00:00', end_date: '2027-05-30 13:00:00', status: 'private' },
    venue: [{ venue: 'Hall', address: 'Street 1, Vic' }],
  })
  t.match(items[1]!.body, {
    ...{ start_date: '2027-05-31 00:00:00', end_date: '2027-05-31 12:30:00' },
    ...{
      virtual_url: 'https://meet.example/a',
      attendance_mode: 'online',
      venue: undefined,
      status: undefined,
    },
  })
  t.match(
    items[2]!,
    { body: { start_date: '2027-05-30 20:00:00' }, refused: undefined },
    'another time, another event',
  )
  const outlook =
    '"Subject","Start Date","Start Time","End Date","End Time","All day event","Categories","Private"'
  t.match(
    await one(
      outlook,
      '"Fair","5/30/2027","12:00:00 AM","6/1/2027","12:00:00 AM","True","Open air;Arts","False"',
    ),
    {
      ...{ start_date: '2027-05-30', end_date: '2027-05-31', categories: ['Open air', 'Arts'] },
    },
  )
  t.match(
    await one(outlook, '"Fair","5/30/2027","12:00:00 AM","5/30/2027","12:00:00 AM","True","","False"'),
    {
      ...{ start_date: '2027-05-30', end_date: '2027-05-30' },
    },
  )
})

t.test('dates are read in the order that the table shows, or as one says', async (t) => {
  const starts = async (rows: string[], order?: DateOrder) => {
    const { items, remarks } = await read(
      ['title,start_date', ...rows.map((row, at) => `${at},${row}`)],
      order,
    )
    return [...items.map(({ body }) => body.start_date), ...remarks.map((remark) => remark.slice(0, 13))]
  }
  for (const [rows, order, expected] of [
    [['05/06/2027'], undefined, ['2027-05-06', 'no date tells']],
    [['05/06/2027'], 'dmy', ['2027-06-05']],
    [['05/06/2027', '31/05/2027'], undefined, ['2027-06-05', '2027-05-31']],
    [['05/06/2027', '05/31/2027'], undefined, ['2027-05-06', '2027-05-31']],
    [
      ['05/06/2027', '05/31/2027', '31/05/2027', '30/05/2027'],
      undefined,
      ['2027-06-05', '2027-05-31', '2027-05-31', '2027-05-30'],
    ],
    [['31/05/2027'], 'mdy', ['2027-05-31']],
    [['5.6.2027 20:00', '05-06-2027, 8:00 pm'], undefined, ['2027-06-05 20:00:00', '2027-06-05 20:00:00']],
    [['5.6.2027'], 'mdy', ['2027-05-06']],
    [
      ['5/6.2027', 'soon', '2027-05-06T20:00:00Z', '5.6.2027 later'],
      undefined,
      ['5/6.2027', 'soon', '2027-05-06T20:00:00Z', '2027-06-05 later'],
    ],
  ] as const)
    t.same(
      await starts(
        rows.map((row) => (row.includes(',') ? `"${row}"` : row)),
        order,
      ),
      expected,
      rows.join(' '),
    )
})

t.test('an end without a day is on the day of its start, or the next', async (t) => {
  const head = 'title,start_date,start_time,end_date,end_time'
    .replaceAll('_time', ' time')
    .replaceAll('_date', ' date')
  for (const [row, start, end] of [
    ['A,2027-05-14,20:00,,22:00', '2027-05-14 20:00:00', '2027-05-14 22:00:00'],
    ['A,2027-05-14,22:00,,02:00', '2027-05-14 22:00:00', '2027-05-15 02:00:00'],
    ['A,2027-05-14,20:00,,', '2027-05-14 20:00:00', '2027-05-14 20:00:00'],
    ['A,2027-05-14,20:00,2027-05-15,', '2027-05-14 20:00:00', '2027-05-15'],
    ['A,2027-05-14,late,,25:00', '2027-05-14 late', '2027-05-15 25:00'],
    ['A,soon,20:00,,19:00', 'soon', 'soon'],
    ['A,2027-05-14,8,,10:75', '2027-05-14 8', '2027-05-15 10:75'],
  ] as const)
    t.match(await one(head, row), { start_date: start, end_date: end }, row)
})

t.test('a first line may say what separates the cells', async (t) => {
  const { items, faults } = await read(['sep=|', 'title|start_date', 'A, B; C|2027-05-14', '"Open|'])
  t.match(items, [{ line: 3, name: 'A, B; C' }])
  t.match(faults, [{ line: 4 }])
  await t.rejects(read(['a,b']), {
    problems: undefined,
    message: /known columns are title.*Google Calendar and Outlook/s,
  })
  t.match(await one('title,start_date,website', 'A,2027-05-14,not an address'), { website: 'not an address' })
  t.match(await one('title,start_date,Private,status', 'A,2027-05-14,yes,draft'), { status: 'draft' })
})

t.test(
  'tables of venues and organizers are read by the columns of The Events Calendar, or by ours',
  async (t) => {
    const venues = await read([
      'Venue Name,Venue Country,Venue Address,Venue Address 2,Venue City,Venue State/Province,Venue Zip,Venue Phone,Venue Website,Venue Featured Image,Venue Show Map',
      'Hall,Spain,Carrer Nou 1,2n,Vic,Barcelona,08500,938 000 000,hall.example,hall.example/a.png,Yes',
      'Hall,,,,Vic,,,,,,',
      'Hall,,,,Manlleu,,,,,,',
      ',,,,Vic,,,,,,',
      'Hall,,,,Manlleu,,,,,,',
    ])
    t.same(venues.remarks, ['columns that are not known are left out: Venue Show Map'])
    const [hall, ...others] = venues.items
    t.match(hall, {
      ...{ kind: 'venue', name: 'Hall', line: 2, refused: undefined },
      body: {
        ...{ venue: 'Hall', country: 'Spain', address: 'Carrer Nou 1, 2n', city: 'Vic', zip: '08500' },
        ...{ stateprovince: 'Barcelona', phone: '938 000 000', website: 'https://hall.example' },
        image: 'https://hall.example/a.png',
      },
    })
    t.same(
      others.map(({ refused }) => refused),
      [undefined, undefined, undefined, 'is the venue of line 4 again'],
    )
    t.notOk('venue' in others[2]!.body)

    const organizers = await read([
      'Organizer Name;Organizer Email;Organizer Website;Organizer Phone;Organizer Description;status;i18n_language',
      'Choir;cor@example.org;choir.example;938;<p>Sings</p>;draft;ca',
    ])
    t.match(organizers.items, [
      {
        kind: 'organizer',
        body: {
          ...{ organizer: 'Choir', email: 'cor@example.org', website: 'https://choir.example', phone: '938' },
          ...{ description: '<p>Sings</p>', status: 'draft', i18n_language: 'ca' },
        },
      },
    ])
    t.match(
      (
        await read([
          'venue,venue_city,venue_geo_lat,venue_geo_lng,external_id,source',
          'Hall,Vic,41.9,2.2,7,box',
        ])
      ).items,
      [
        {
          kind: 'venue',
          external_id: '7',
          source: 'box',
          body: { venue: 'Hall', city: 'Vic', geo_lat: 41.9, geo_lng: 2.2 },
        },
      ],
    )
    await t.rejects(read(['venue,start_date', 'Hall,2027-05-14']), { message: /no column title/ })
  },
)
