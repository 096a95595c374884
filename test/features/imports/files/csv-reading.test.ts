import t from 'tap'
import { readCsv } from '../../../../src/features/imports/files/csv.ts'
import { decode as steps } from '../../../../src/features/imports/files/event-files.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'

const decode = (bytes: Uint8Array) => finish(steps(bytes))

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

t.test('a long text is read in steps, and its characters stay whole between them', (t) => {
  const LONG = 100_000
  const lineOf = (character: string) => `x${character.repeat(LONG)}`
  const latin = (text: string) => Buffer.from(text, 'latin1')
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  const [c, fold] = [utf8('ç'), '\xc3\r\n \xa7']
  const read: [Buffer, string][] = [
    [Buffer.from(lineOf('€')), lineOf('€')],
    [Buffer.from(`\ufeff${lineOf('😀')}`, 'utf16le'), lineOf('😀')],
    [Buffer.from([0xff, 0xfe, ...Buffer.alloc(2 * LONG, '\x00\xd8', 'latin1')]), '\ufffd'.repeat(LONG)],
    [latin(lineOf(c + fold)), lineOf('ç' + 'ç\r\n ')],
    [latin(lineOf(`${c}\xff`)), lineOf('ç\ufffd')],
    [latin(lineOf('\x80')), lineOf('€')],
  ]
  for (const [bytes, text] of read) {
    const task = steps(bytes)
    let [step, many] = [task.next(), 0]
    for (; !step.done; step = task.next()) many++
    t.equal(step.value === text, true, text.slice(0, 5))
    t.ok(many >= bytes.length / 16_384, `${many} steps`)
  }
  t.end()
})

t.test('a row is no larger than an event may be, and has so many columns', async (t) => {
  const table = (...rows: string[]) =>
    readCsv(['title,start_date,description', ...rows].join('\n'), { media: false })
  const long = 'x'.repeat(60_000)
  const { items } = await table(...Array.from({ length: 30 }, (_, at) => `${at},2027-01-05,${long}`))
  t.equal(items.length, 30)
  await t.rejects(table('A,2027-01-05,B', `C,2027-01-05,${long.repeat(30)}`), {
    message: /has a row of more than 1048576 bytes up to line 3: /,
  })
  await t.rejects(table(`A,2027-01-05,"${`${long}\n`.repeat(30)}`), { message: /is a quote not closed/ })
  await t.rejects(readCsv(','.repeat(2 ** 21), { media: false }), { message: /has a row of more than/ })
  const few = readCsv(`title,start_date\n${'A,2027-01-05\n'.repeat(5_000)}`, { media: false, most: 1_000 })
  await t.rejects(few, { message: /has more than 1,000 rows; divide it/ })
  await t.rejects(readCsv(','.repeat(1_000), { media: false }), { message: /has 1001 columns/ })
})

t.test('rows end as any program ends them', async (t) => {
  for (const end of ['\n', '\r\n', '\r'])
    t.match(
      (await readCsv(['title,start_date', 'A,2027-01-05', 'B,2027-01-06'].join(end), { media: false })).items,
      [{ name: 'A' }, { name: 'B' }],
    )
})
