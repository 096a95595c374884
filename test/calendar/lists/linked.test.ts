import t, { type Test } from 'tap'
import { listed, must, type Told } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Person } from '../../support/store.ts'

/** Both kinds get the same records; these fields are each kind's own, every one with a word of its own. */
const KINDS = [
  {
    kind: 'venue',
    own: {
      address: 'Mainstreet 1',
      city: 'Girona',
      country: 'Spain',
      province: 'Gi',
      state: 'Es',
      zip: '17001',
    },
    found: ['mainstreet', 'girona', 'spain', '17001', '555-0101', 'telegraph.example'],
  },
  {
    kind: 'organizer',
    own: { email: 'hello@club.example' },
    found: ['hello', 'HELLO@club.example', '555-0101', 'telegraph.example'],
  },
] as const

const names = (kind: string, found: Told) => listed(found, `${kind}s`, kind)

async function describe(t: Test, { kind, own, found: words }: (typeof KINDS)[number]) {
  const { anonymous, subscriber, contributor, author, editor, clock, store } = await openRecords(t)
  const make = async (person: Person, name: string, more: object = {}) =>
    (await must(person.create(kind, { [kind]: name, ...more }))).id as number
  const happen = async (id: number, more: object) =>
    (await must(editor.create('event', { ...EVENT, [kind]: id, ...more }))).id as number

  const cafe = await make(editor, 'Café Hall', {
    ...own,
    date: '2026-01-05',
    description: 'Red <b>brick</b> house',
    phone: '555-0101',
    website: 'https://telegraph.example',
  })
  const grand = await make(editor, 'Grand Hall', { date: '2026-01-04' })
  const old = await make(editor, 'Old "Mill\\', { date: '2026-01-03' })
  const mill = await make(editor, 'New Mill', { date: '2026-01-03' })
  await make(author, 'Draft Room', { status: 'draft', date: '2026-01-02' })
  await make(contributor, 'Pending Room', { status: 'publish', date: '2026-01-01' })
  await make(editor, 'Private Room', { status: 'private', date: '2025-12-31' })
  await make(editor, 'Future Room', { date: '2027-01-01' })
  await must(editor.remove(kind, await make(author, 'Gone Room', { date: '2025-12-30' })))

  const upcoming = await happen(cafe, { title: 'Upcoming' })
  await happen(grand, { title: 'Past', start_date: '2026-11-20', end_date: '2026-11-20' })
  const draft = await happen(old, { title: 'Draft', status: 'draft' })
  await happen(mill, { title: 'Hidden', hide_from_listings: true })

  const PUBLIC = 'Café Hall, Grand Hall, New Mill, Old "Mill\\'
  const scenarios: [who: Person, query: string, expected: string][] = [
    [anonymous, '', PUBLIC],
    [subscriber, '', PUBLIC],
    [contributor, '', `${PUBLIC}, Pending Room`],
    [author, '', `${PUBLIC}, Draft Room`],
    [editor, '', `Future Room, ${PUBLIC}, Draft Room, Pending Room, Private Room`],

    [anonymous, 'search=hall', 'Café Hall, Grand Hall'],
    [anonymous, 'search=CAFE', 'Café Hall'],
    [anonymous, 'search=hall,grand', 'Grand Hall'],
    [anonymous, 'search=red-brick', ''],
    [anonymous, 'search=house+red', 'Café Hall'],
    [anonymous, 'search=hall+red', ''],
    [anonymous, 'search=strong', ''],
    [anonymous, 'search="mill\\', 'New Mill, Old "Mill\\'],
    [anonymous, 'search=room', ''],
    [editor, 'search=room', 'Future Room, Draft Room, Pending Room, Private Room'],
    [anonymous, 'search=', '400 rest_invalid_param search'],
    [anonymous, 'search[]=hall', '400 rest_invalid_param search'],

    [anonymous, `event=${upcoming}`, 'Café Hall'],
    [anonymous, `event=${draft}`, ''],
    [editor, `event=${draft}`, 'Old "Mill\\'],
    [anonymous, 'event=999', '400 rest_invalid_param event'],
    [anonymous, `event=${cafe}`, '400 rest_invalid_param event'],
    [anonymous, 'event=0', '400 rest_invalid_param event'],

    [anonymous, 'has_events=true', 'Café Hall, Grand Hall, New Mill'],
    [editor, 'has_events=1', 'Café Hall, Grand Hall, New Mill'],
    [anonymous, 'has_events=FALSE', 'Old "Mill\\'],
    [anonymous, 'has_events=', '400 rest_invalid_param has_events'],
    [anonymous, 'has_events=yes', '400 rest_invalid_param has_events'],

    [anonymous, 'only_with_upcoming=true', 'Café Hall'],
    [editor, 'only_with_upcoming=true', 'Café Hall, Old "Mill\\'],
    [author, 'only_with_upcoming=true', 'Café Hall'],
    [anonymous, 'only_with_upcoming=0', PUBLIC],
    [anonymous, 'only_with_upcoming=maybe', '400 rest_invalid_param only_with_upcoming'],
    [anonymous, `has_events=true&search=hall&event=${upcoming}`, 'Café Hall'],

    [anonymous, 'status=publish', PUBLIC],
    [anonymous, 'status=draft', '400 rest_invalid_param status'],
    [subscriber, 'status=any', '400 rest_invalid_param status'],
    [subscriber, 'status=publish,draft', '400 rest_invalid_param status'],
    [contributor, 'status=pending,private', 'Pending Room'],
    [contributor, 'status=draft', ''],
    [contributor, 'status=trash', ''],
    [author, 'status=trash', 'Gone Room'],
    [author, 'status=any', `${PUBLIC}, Draft Room`],
    [editor, 'status=any', `Future Room, ${PUBLIC}, Draft Room, Pending Room, Private Room`],
    [editor, 'status=future&status=private', 'Future Room, Private Room'],
    [editor, 'status[]=future&status[]=private', 'Future Room, Private Room'],
    [editor, 'status=trash', 'Gone Room'],
    [editor, 'status=bogus', '400 rest_invalid_param status'],
    [editor, 'status=', '400 rest_invalid_param status'],
    [anonymous, 'status=draft&event=999', '400 rest_invalid_param status event'],

    [anonymous, 'per_page=3&page=2', 'Old "Mill\\'],
    [anonymous, 'page=0&per_page=0', '400 rest_invalid_param page per_page'],
    [anonymous, 'page=', '400 rest_invalid_param page'],
    [anonymous, 'orderby=title&offset=2', PUBLIC],
  ]

  t.test(`a list of ${kind}s shows what is asked for, newest first, and counts it`, async (t) => {
    for (const [who, query, expected] of scenarios) {
      const found = await who.list(kind, query)
      t.equal(names(kind, found), expected, query)
      if (found.status === 200 && !query.includes('page='))
        t.equal(found.body.total, expected === '' ? 0 : expected.split(', ').length, 'total')
    }
    for (const word of words)
      t.equal(names(kind, await anonymous.list(kind, `search=${word}`)), 'Café Hall', word)
  })

  t.test(`a list of ${kind}s shows those of one language, if it is asked for`, async (t) => {
    await make(editor, 'Sala Gran', { i18n_language: 'ca' })
    for (const [query, expected] of [
      ['i18n_language=ca', 'Sala Gran'],
      ['i18n_language=en&search=gran', 'Grand Hall'],
      ['i18n_language=es', ''],
      ['search=gran', 'Sala Gran, Grand Hall'],
      ['i18n_language=fr', '400 rest_invalid_param i18n_language'],
    ] as const)
      t.equal(names(kind, await anonymous.list(kind, query)), expected, query)
  })

  t.test(`upcoming is exact for ${kind}s, and decided at the time of the request`, async (t) => {
    for (let number = 0; number < 13; number++) await happen(cafe, { title: `Repeated ${number}` })
    await happen(grand, { start_date: '2028-01-01 10:00', end_date: '2028-01-01 11:00' })
    for (const [now, expected] of [
      ['2026-12-01T20:00:00Z', 'Café Hall, Grand Hall'],
      ['2026-12-01T20:00:01Z', 'Grand Hall'],
      ['2028-01-01T10:00:01Z', ''],
    ] as const) {
      clock.now = Date.parse(now)
      t.equal(names(kind, await anonymous.list(kind, 'only_with_upcoming=true')), expected, now)
    }
    await store.schedule.publish()
    t.match(
      names(kind, await anonymous.list(kind)),
      /^Future Room, Sala Gran/,
      'what was scheduled is published',
    )
  })
}

for (const kind of KINDS) t.test(`lists of ${kind.kind}s`, (t) => describe(t, kind))
