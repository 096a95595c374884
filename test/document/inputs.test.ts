import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'
import { documentOf, operationsOf } from '../support/document.ts'
import { draw, raw } from '../support/pictures.ts'

/** Values of a member: those that are taken, those that are refused, and those that only the words of its description refuse. */
type Values = { yes: unknown[]; no: unknown[]; words?: unknown[] }
type Table = Record<string, Values>

/** What every table of records is about: a venue, an organizer, two events, two terms, an image. */
const KNOWN = { venue: 1, organizer: 2, event: 3, term: 1, image: 1 }
const NONE = 999

const text = (most: number): Values => ({
  yes: ['', 'A', ' <b>A</b> ', 'x'.repeat(most), null],
  no: [5, true, [], ['A'], {}, 'x'.repeat(most + 1)],
})
const name = (most: number): Values => ({
  yes: ['A &amp; B', '<b>A</b>', ' 00 '],
  no: ['', 5, true, [], ['A'], {}, 'x'.repeat(most + 1), null],
  words: [' ', '<b></b>', '0'],
})
/** The tags of paragraphs count. */
const HTML: Values = {
  ...text(100_000),
  yes: ['', 'A', '<b>A</b>', 'x'.repeat(99_990), null],
  words: ['0', 'x'.repeat(100_000)],
}
const FLAG: Values = { yes: [true, false, null], no: ['', 'yes', 2, -1, [], {}] }
/** A flag in words, of a venue. */
const WORD: Values = {
  yes: [true, false, 'true', 'false', '1', '0', 'yes', 'no', 'on', 'off', '', null],
  no: [1, 0, 'maybe', [], {}],
}
const DATE: Values = {
  yes: [
    ...['2027-05-14 20:00:00', '2027-05-14', '2027-05-14T20:00:00+02:00', '20270514T200000Z', 'tomorrow'],
    ...['+3 days', 'NOW', 'Today at 18:30', '4 May 2027 7 pm', '1799578800', null],
  ],
  no: [...['', 'soon', 'next friday', '2027', '14/05', '10:00', '2027-05'], 1799578800, true, [], {}],
  words: ['2027-02-30', '2027-05-14 24:00:00', '12/05/2026', '4 Mai 2027', '+999999 years'],
}
const id = (...known: number[]): Values => ({
  yes: [...known, null],
  no: [-1, 1.5, 2 ** 53, '', 'x', [], {}],
  words: [NONE],
})
const degrees = (most: number): Values => ({
  yes: [0, most, -most, 1.25],
  no: [most + 0.1, -most - 0.1, '', 'x', true, [], {}],
  words: [null],
})
const LANGUAGE: Values = { yes: ['ca', 'en', 'es', null], no: ['', 'fr', 'CA', 5, true, []] }
const SITE: Values = {
  yes: [
    '',
    'http://a.test',
    'HTTPS://a.test/x?y#z',
    'ftp://a.test/',
    'mailto:a@b.test',
    ' http://a.test ',
    null,
  ],
  no: [
    'a.test',
    '/x',
    'javascript:alert(1)',
    'http://',
    `http://a.test/${'x'.repeat(2000)}`,
    5,
    true,
    [],
    {},
  ],
  words: ['http://é.test', 'http://a.test/<'],
}
const STATUS: Values = {
  yes: ['publish', 'future', 'draft', 'pending', 'private', 'trash', null],
  no: ['', 'any', 'Publish', 'publish,draft', 5, true, [], {}],
}
/** One of these words. */
const word = (first: string, ...others: string[]): Values => ({
  yes: [first, ...others, null],
  no: ['', first.toUpperCase(), `${first},${others[0]}`, 5, true, [], [first], {}],
})
const slug: Values = {
  yes: ['s', 'S t', 'y'.repeat(10_000), null],
  no: ['', 5, true, [], {}, 'x'.repeat(10_001)],
  words: ['!!!'],
}
const image = (url: string): Values => ({
  yes: [
    KNOWN.image,
    String(KNOWN.image),
    url,
    '',
    false,
    { id: KNOWN.image },
    { id: KNOWN.image, url },
    null,
  ],
  no: [
    0,
    -1,
    1.5,
    true,
    'bad',
    'ftp://a.test/x.png',
    [],
    [1],
    {},
    { id: 'x' },
    `http://a.test/${'x'.repeat(2000)}`,
  ],
  words: [NONE, String(NONE), 'http://[', { id: NONE }],
})
const terms: Values = {
  yes: [
    ...[KNOWN.term, 'New', 'New,Other', '', ['New', KNOWN.term, 'Other, one'], [], { id: KNOWN.term }],
    ...[[{ id: KNOWN.term, name: 'New' }], NONE, 0, [NONE], 'x'.repeat(200), ['x'.repeat(200)], null],
  ],
  no: [
    -1,
    1.5,
    true,
    {},
    [{}],
    [{ name: 'New' }],
    [true],
    [null],
    [['New']],
    [1.5],
    ['x'.repeat(201)],
    Array(101).fill(1),
  ],
  words: ['x'.repeat(201), 'x,'.repeat(101)],
}
const links = (kind: 'venue' | 'organizer'): Values => {
  const known = KNOWN[kind]
  const other = KNOWN[kind === 'venue' ? 'organizer' : 'venue']
  return {
    yes: [
      ...[
        known,
        String(known),
        `${known},${known}`,
        `${known}, ${known}`,
        { id: known },
        { id: known, slug: 'x' },
      ],
      ...[
        { [kind]: 'New' },
        { [kind]: 'New', phone: '1', website: null, status: 'draft' },
        [],
        0,
        '0',
        '',
        null,
      ],
      [known, String(known), { id: known }, { [kind]: 'Other' }],
    ],
    no: [
      ...[-1, 1.5, 1e15, true, 'x', 'x,1', { id: 0 }, { id: 'x' }, { name: 'New' }, { [kind]: '' }],
      ...[
        { [kind]: 'New', phone: 5 },
        { [kind]: 'New', status: 'x' },
        [true],
        ['x'],
        [-1],
        [{ name: 'x' }],
        [[known]],
      ],
      Array(21).fill(known),
    ],
    words: [NONE, other, [known, NONE], { [kind]: ' ' }],
  }
}

/** How an event repeats whose start is a date of each of these. */
const recurrence: Values = {
  yes: [
    { rrule: 'FREQ=DAILY;COUNT=2' },
    { rrule: '', rdate: ['2027-05-14 20:00:00'], text: 'x' },
    { rrule: ' freq=monthly;count=2 ', exdate: ['20270514T200000'] },
  ],
  no: [
    '',
    'FREQ=DAILY',
    5,
    true,
    [],
    { rrule: 5 },
    { rrule: null },
    { rdate: null },
    { rrule: 'FREQ=DAILY', exdate: [5] },
    { rrule: 'x'.repeat(4001) },
    { rdate: Array(1501).fill('') },
  ],
  words: [{}, { rrule: '' }, { rule: 'x' }, { rrule: 'FREQ=HOURLY' }, { rdate: ['soon'] }],
}
const names: Values = {
  yes: [[], ['title'], ['title', 'start_date'], null],
  no: [5, true, {}, [5], [['title']], Array(101).fill('title')],
}

/** What another system calls a record. */
const external = (most: number): Values => ({
  yes: ['', null],
  no: ['a\nb', 'x'.repeat(most + 1), 5, true, [], {}],
  words: ['A', 'x'.repeat(most)],
})
const post = {
  author: id(1),
  date: DATE,
  date_utc: { ...DATE, yes: [...DATE.yes, '0000-00-00 00:00:00'] },
  status: STATUS,
  i18n_language: LANGUAGE,
  // one without the other, which is refused by words
  source: external(100),
  external_id: external(255),
}
const place = (...names: string[]) =>
  Object.fromEntries(names.map((name): [string, Values] => [name, text(1000)]))

const label: Values = { yes: ['Site', ' ', '0', 'x'.repeat(100)], no: ['', 'x'.repeat(101), 5, true, [], {}] }
const login: Values = {
  yes: ['a.b_c-d@e', 'X', 'x'.repeat(60)],
  no: ['', 'a b', 'é', 'x'.repeat(61), 5, [], {}],
}
const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator']
const ROLE: Values = { yes: [...ROLES.toReversed(), null], no: ['', 'Editor', 'owner', 5, true, [], {}] }

const LIMITS: Values = {
  yes: [{}, { categories: [] }, { categories: [KNOWN.term], venues: [KNOWN.venue] }, null],
  no: [
    ...[
      '',
      5,
      true,
      [],
      [1],
      { categories: 1 },
      { categories: [0] },
      { categories: ['1'] },
      { venues: [1.5] },
    ],
    ...[{ venues: [2 ** 53] }, { tags: [1] }, { venues: Array(101).fill(1) }],
  ],
  words: [{ venues: [NONE] }, { categories: [NONE] }],
}

/** The members of an update of a user. */
const PERSON = (address: string): Table => ({
  name: {
    yes: ['', 'A', ' <b>A</b> ', 'x'.repeat(100), null],
    no: [5, true, [], ['A'], {}, 'x'.repeat(101)],
  },
  email: {
    yes: ['', ' ', address, null],
    no: [5, true, [], [address], {}, 'x'.repeat(255)],
    words: ['x', 'a@b', `${address}, ${address}`, `A <${address}>`],
  },
})
const USER_UPDATE: Table = {
  role: ROLE,
  disabled: FLAG,
  ...PERSON('changed@town.example'),
  limits: LIMITS,
}

/** The members of an update of an image. */
const MEDIA_UPDATE: Table = {
  alt_texts: {
    yes: [{}, { en: 'A' }, { en: ' <b>A</b> ', ca: '', es: null }, { ca: 'x'.repeat(1000) }, null],
    no: ['', 'A', 5, true, [], ['A'], { fr: 'A' }, { en: 5 }, { en: {} }, { en: 'x'.repeat(1001) }],
  },
  focal_point: {
    yes: [{ x: 0, y: 1 }, { y: 0.4, x: 0.25 }, { x: 0.5, y: 0.5 }, null],
    no: [
      '',
      '0.5',
      5,
      true,
      [],
      [0, 1],
      {},
      { x: 0.5 },
      { x: -0.1, y: 0 },
      { x: 0, y: 1.1 },
      { x: 0, y: null },
    ],
  },
}

/** The members that an event and a series have in common. */
const dated = (picture: string): Table => ({
  ...post,
  title: name(1000),
  start_date: DATE,
  end_date: { ...DATE, yes: ['2027-05-14 23:00:00', '2028-05-14', '+900 days', null] },
  description: HTML,
  excerpt: HTML,
  slug: { ...slug, no: slug.no.filter((value) => value !== ''), words: ['', ...slug.words!] },
  timezone: {
    yes: ['Europe/Madrid', 'utc', 'UTC+5.5', '+05:30', '', null],
    no: ['x'.repeat(101), 5, true, [], {}],
    words: ['Nowhere/City', '+15:00'],
  },
  all_day: FLAG,
  image: image(picture),
  cost: {
    yes: [5, 0, -1, 1.5, '5', '$10 - $20', 'Free', '', [], [5, '10'], null],
    no: [true, {}, [true], [{}], [[5]], [null], 'x'.repeat(1001), ['x'.repeat(1001)], Array(101).fill(5)],
  },
  website: SITE,
  ...{ show_map: FLAG, show_map_link: FLAG, hide_from_listings: FLAG },
  ...{ sticky: FLAG, featured: FLAG, ticketed: FLAG },
  event_status: word('scheduled', 'cancelled', 'postponed', 'moved_online', 'rescheduled'),
  attendance_mode: word('offline', 'online', 'mixed'),
  virtual_url: {
    yes: SITE.yes.filter((value) => !/^(ftp|mailto)/.test(String(value))),
    no: [...SITE.no, 'ftp://a.test/', 'mailto:a@b.test'],
    words: SITE.words!,
  },
  event_status_reason: text(1000),
  categories: terms,
  tags: terms,
  venue: links('venue'),
  organizer: links('organizer'),
  translation_of: id(),
  password: { yes: ['secret', '', 'x'.repeat(255), null], no: ['a\nb', 'x'.repeat(256), 5, true, []] },
})

/** The values of all members, by kind. `picture` is the URL of a known image. */
const inputTables = (picture: string): Record<string, Table> => ({
  Event: {
    ...dated(picture),
    post_parent: id(KNOWN.event, 0),
    recurrence: { ...recurrence, yes: [...recurrence.yes, null] },
    overrides: names,
  },
  Series: { ...dated(picture), recurrence: { ...recurrence, words: [...recurrence.words!, null] } },
  Venue: {
    ...post,
    venue: name(1000),
    description: HTML,
    ...{ show_map: WORD, show_map_link: WORD },
    ...place('address', 'city', 'country', 'province', 'state', 'phone', 'stateprovince'),
    zip: {
      yes: ['', '08500', 8500, 0, null],
      no: [-1, 1.5, 2 ** 53, true, [], {}, 'x'.repeat(1001)],
    },
    website: SITE,
    image: image(picture),
    geo_lat: degrees(90),
    geo_lng: degrees(180),
    translation_of: id(),
  },
  Organizer: {
    ...post,
    organizer: name(1000),
    description: HTML,
    ...place('phone', 'email'),
    website: SITE,
    image: image(picture),
    translation_of: id(),
  },
  Category: {
    name: name(200),
    description: HTML,
    slug,
    parent: id(KNOWN.term, 0),
    translation_of: id(),
    i18n_language: LANGUAGE,
  },
  Tag: { name: name(200), description: HTML, slug, translation_of: id(), i18n_language: LANGUAGE },
  User: {
    ...{ login, role: { yes: ROLES, no: ROLE.no }, limits: LIMITS },
    ...{ ...PERSON('made@town.example'), invite: FLAG },
  },
  ApplicationPassword: { name: label },
  Token: {
    limits: LIMITS,
    user: { yes: [1], no: id().no },
    name: label,
    scopes: {
      yes: [['read'], ['read', 'write', 'admin'], ['read', 'read'], null],
      no: [[], ['all'], 'all', 5, true, {}, [['read']], [null], Array(101).fill('read')],
    },
    expires: {
      ...DATE,
      yes: DATE.yes.filter((text) => text !== 'NOW'),
      words: [...DATE.words!, 'NOW', 'yesterday'],
    },
  },
})

const api = await build(t)
const { administrator: admin } = api
const document = documentOf(api.app)
const operations = operationsOf(document)
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
ajv.addSchema({ $id: 'document', components: document.components })

type Body = Record<string, unknown>
/** Whether the document allows a body. */
const allows = (component: string, body: Body) =>
  ajv.getSchema(`document#/components/schemas/${component}`)!(body) as boolean

let made = 0
/** Where a kind is created, and the least of it; names that are taken only once are numbered. */
const KINDS: Record<string, [path: string, least: () => Body]> = {
  Event: ['/events', () => ({ ...EVENT, end_date: '2030-01-01' })],
  Series: [
    '/series',
    () => ({ ...EVENT, end_date: '2030-01-01', recurrence: { rrule: 'FREQ=DAILY;COUNT=1' } }),
  ],
  Venue: ['/venues', () => ({ venue: 'Hall', geo_lat: 1, geo_lng: 1 })],
  Organizer: ['/organizers', () => ({ organizer: 'Club' })],
  Category: ['/categories', () => ({ name: `Category ${++made}` })],
  Tag: ['/tags', () => ({ name: `Tag ${++made}` })],
  User: ['/users', () => ({ login: `user${++made}`, role: 'author' })],
  ApplicationPassword: ['/users/1/application-passwords', () => ({ name: 'Site' })],
  Media: ['/media', () => ({})],
  Token: ['/tokens', () => ({ name: 'Site', user: 1 })],
}
const create = (kind: string) => must(admin.post(KINDS[kind]![0], KINDS[kind]![1]()))

const picture = await must(admin.post('/media', await draw(9, 9), raw('a.png', 'image/png')))
for (const kind of ['Venue', 'Organizer', 'Event', 'Category', 'Tag']) await create(kind)

const bodyOf = (operationId: string) => operations.find((one) => one.operationId === operationId)?.bodyName

type Case = { kind: string; member: string; value: unknown; declared: boolean; taken: boolean }
const casesOf = (kind: string, member: string, { yes, no, words = [] }: Values): Case[] => [
  ...yes.map((value) => ({ kind, member, value, declared: true, taken: true })),
  ...no.map((value) => ({ kind, member, value, declared: false, taken: false })),
  ...words.map((value) => ({ kind, member, value, declared: true, taken: false })),
]

/** Members whose values may be taken once, or keep others from being taken. */
const FRESH = ['name', 'slug', 'status', 'recurrence']

async function tryUpdate(t: Test, { kind, member, value, declared, taken }: Case, known: number) {
  const component = bodyOf(`update${kind}`)
  if (component === undefined) return
  const label = `${kind}.${member} ${JSON.stringify(value).slice(0, 60)} in an update`
  const isFresh = taken && FRESH.includes(member)
  const { id } = isFresh ? await create(kind) : { id: known }
  const answer = await admin.patch(`${KINDS[kind]![0]}/${id}`, { [member]: value })
  t.equal(allows(component, { [member]: value }), declared, `${label}, declared`)
  t.equal(answer.status, taken ? 200 : 400, `${label}: ${answer.text.slice(0, 200)}`)
  if (isFresh) await must(admin.delete(`${KINDS[kind]![0]}/${id}?force=true`))
}

async function tryCreate(t: Test, { kind, member, value, ...expected }: Case) {
  const component = bodyOf(`create${kind}`)!
  const [path, least] = KINDS[kind]!
  const label = `${kind}.${member} ${JSON.stringify(value).slice(0, 60)}`
  const { required = [] } = document.components.schemas[component]!
  // null is no value of what has to be there
  const isThere = value !== null || !required.includes(member)
  const body = { ...least(), [member]: value }
  const answer = await admin.post(path, body)
  t.equal(allows(component, body), expected.declared && isThere, `${label}, declared`)
  t.equal(answer.status, expected.taken && isThere ? 201 : 400, `${label}: ${answer.text.slice(0, 200)}`)
}

const membersOf = (component: string) => Object.keys(document.components.schemas[component]!.properties!)

for (const [kind, table] of Object.entries(inputTables(picture.source_url)))
  t.test(`the service takes of ${kind} what the document declares`, async (t) => {
    t.same(Object.keys(table).sort(), membersOf(bodyOf(`create${kind}`)!).sort(), 'every member has values')
    const { id } = await create(kind)
    for (const [member, values] of Object.entries(table))
      for (const one of casesOf(kind, member, values)) {
        if (kind !== 'User') await tryUpdate(t, one, id)
        await tryCreate(t, one)
      }
  })

t.test('the service takes of an update of a user what the document declares', async (t) => {
  t.same(Object.keys(USER_UPDATE), membersOf('UserUpdate'))
  const { id } = await create('User')
  for (const [member, values] of Object.entries(USER_UPDATE))
    for (const one of casesOf('User', member, values)) await tryUpdate(t, one, id)
})

t.test('the service takes of an update of an image what the document declares', async (t) => {
  t.same(Object.keys(MEDIA_UPDATE), membersOf('MediaUpdate'))
  for (const [member, values] of Object.entries(MEDIA_UPDATE))
    for (const one of casesOf('Media', member, values)) await tryUpdate(t, one, picture.id)
})

t.test('every member of a body is described and has examples, which the document allows', async (t) => {
  const components = new Set(operations.flatMap(({ bodyName }) => bodyName ?? []))
  for (const component of components) {
    const { properties = {}, required } = document.components.schemas[component]!
    for (const [member, { description, examples = [], default: fallback }] of Object.entries(properties)) {
      const label = `${component}.${member}`
      t.match(description, /^[A-Z`].{15,}\.$/, label)
      t.ok(examples.length > 0, label)
      // every body without required members is an update (R10)
      if (required === undefined) t.equal(fallback, undefined, `${label} has no default`)
      const schema = { $ref: `document#/components/schemas/${component}/properties/${member}` }
      for (const example of examples)
        t.ok(ajv.validate(schema, example), `${label}: ${JSON.stringify(example)}`)
    }
  }
  t.ok(components.size >= 14)
})
