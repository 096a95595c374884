import t from 'tap'
import { readCsv } from '../../src/imports/files/csv.ts'
import { decode } from '../../src/imports/files/text.ts'

t.test('a table is read by the names of its columns', async (t) => {
  const text = [
    '\ufeffTitle;start_date;END_DATE;venue;venue_city;venue_geo_lat;venue_geo_lng;organizer;organizer_email;categories;rrule;exdate;external_id;source;colour;image',
    `"Two\nlines";2027-01-05 18:00;;Hall;Vic;41.9;2.2;Choir;c@example.org;"Music, Jazz";FREQ=DAILY;2027-01-06 18:00:00;7;erp;red;https://a.example/a.png`,
    '',
    'Day;2027-01-05;;;;;;A;;;;;;;;',
    "'=1+1;2027-01-05;;;;;;A, B;x@example.org;;;;7;erp;;",
    'Other;2027-01-05;;;;;;;;;;;7;erp;;',
    'Many;2027-01-05;;;;;;;;;;;;;;;;more',
    'Few;2027-01-05',
    ';;;;',
    '"Open;2027',
  ].join('\n')
  const { items, faults, remarks } = await readCsv(text, { media: true })
  t.same(remarks, ['columns that are not known are left out: colour'])
  t.match(faults, [
    { line: 11, reason: 'has a cell that begins with a quote (") and does not end with one' },
    { line: 8, text: 'Many', reason: /^has 18 cells, and the first line 16/ },
  ])
  t.same(
    items.map(({ line, name, refused }) => [line, name, refused]),
    [
      [2, 'Two\nlines', undefined],
      [5, 'Day', undefined],
      [
        6,
        '=1+1',
        'is the event of line 2 again; another one has another title, start or venue, or an external_id of its own',
      ],
      [
        7,
        'Other',
        'is the event of line 2 again; another one has another title, start or venue, or an external_id of its own',
      ],
      [9, 'Few', undefined],
    ],
  )
  t.same(items[0]!.body, {
    ...{ start_date: '2027-01-05 18:00', end_date: '2027-01-05 18:00', all_day: false, title: 'Two\nlines' },
    venue: [{ venue: 'Hall', city: 'Vic', geo_lat: 41.9, geo_lng: 2.2 }],
    organizer: [{ organizer: 'Choir', email: 'c@example.org' }],
    categories: ['Music', 'Jazz'],
    recurrence: { rrule: 'FREQ=DAILY', rdate: [], exdate: ['2027-01-06 18:00:00'] },
    image: 'https://a.example/a.png',
  })
  t.same([items[1]!.body.all_day, items[1]!.source, items[1]!.external_id.length], [true, undefined, 32])
  t.same(items[2]!.body.organizer, [{ organizer: 'A' }, { organizer: 'B' }])
  await t.rejects(readCsv('title,end_date\n', { media: true }), {
    message: /has no column start_date in its first line/,
  })
  await t.rejects(readCsv('', { media: true }), { message: /has no column title and start_date/ })
  const days = await readCsv(
    'start_date\ttitle\tall_day\ttags\trdate\timage\n2027-01-05\tA\tno\tx;y, z\t2027-01-07\thttps://a.example/',
    { media: false },
  )
  t.same(days.items[0]!.body, {
    ...{
      title: 'A',
      start_date: '2027-01-05',
      end_date: '2027-01-05',
      all_day: 'false',
      tags: ['x', 'y, z'],
    },
    recurrence: { rdate: ['2027-01-07'], exdate: [] },
  })
})

t.test('the text of a file is known by its first bytes', async (t) => {
  t.equal(decode(Buffer.from('àé')), 'àé')
  t.equal(decode(Buffer.from([0xe0, 0x20, 0x80])), 'à €')
  t.equal(decode(Buffer.from('\ufeffà', 'utf16le')), 'à')
  t.equal(decode(Buffer.from('\ufeffà', 'utf16le').swap16()), 'à')
})

t.test('rows end as any program ends them', async (t) => {
  for (const end of ['\n', '\r\n', '\r'])
    t.match(
      (await readCsv(['title,start_date', 'A,2027-01-05', 'B,2027-01-06'].join(end), { media: false })).items,
      [{ name: 'A' }, { name: 'B' }],
    )
})
