import t, { type Test } from 'tap'
import { listed, must, refusal, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { type Kind, openRecords } from '../../support/store.ts'

const KINDS = [
  { kind: 'category', plural: 'categories', other: 'tag' },
  { kind: 'tag', plural: 'tags', other: 'category' },
] as const

async function describe(t: Test, { kind, plural, other }: (typeof KINDS)[number]) {
  const { anonymous, editor } = await openRecords(t)
  const names = async (query: string) => listed(await anonymous.list(kind, query), plural, 'name')
  const make = async (input: object, of: Kind = kind) => (await must(editor.create(of, input))).id as number

  const foreign = await make({ name: 'Foreign' }, other)
  const zumba = await make({ name: 'Zumba', slug: 'a-zumba', description: 'Middle' })
  const ballet = await make({ name: 'ballet' })
  const album = await make({ name: 'Álbum', description: 'Zeta' })
  const empty = await make({ name: 'Empty', slug: '日本' })
  const { id: event } = await must(editor.create('event', { ...EVENT, [plural]: [ballet, album] }))
  await must(editor.create('event', { ...EVENT, [plural]: [ballet, zumba] }))
  const { id: draft } = await must(editor.create('event', { ...EVENT, [plural]: [empty], status: 'draft' }))
  const { id: secret } = await must(editor.create('event', { ...EVENT, [plural]: [album], password: 'x' }))

  const bad = (...params: string[]) => ['400 rest_invalid_param', ...params].join(' ')
  const scenarios: [query: string, expected: string][] = [
    ['', 'Álbum, ballet, Zumba'],
    ['hide_empty=1', 'Álbum, ballet, Zumba'],
    ['hide_empty=0', 'Álbum, ballet, Empty, Zumba'],
    ['hide_empty=False', 'Álbum, ballet, Empty, Zumba'],
    ['hide_empty=', bad('hide_empty')],
    ['hide_empty=no', bad('hide_empty')],

    ['order=desc', 'Zumba, ballet, Álbum'],
    ['order=ASC', 'Álbum, ballet, Zumba'],
    ['order=up', bad('order')],
    ['order=', bad('order')],
    ['orderby=name&order=DESC', 'Zumba, ballet, Álbum'],
    ['orderby=slug', 'Zumba, Álbum, ballet'],
    ['orderby=id', 'Zumba, ballet, Álbum'],
    ['orderby=ID&order=desc', 'Álbum, ballet, Zumba'],
    ['orderby=term_group', 'Zumba, ballet, Álbum'],
    ['orderby=count', 'Zumba, Álbum, ballet'],
    ['orderby=count&order=desc', 'ballet, Álbum, Zumba'],
    ['orderby=description', 'ballet, Zumba, Álbum'],
    ['orderby=parent', 'Álbum, ballet, Zumba'],
    [`orderby=include&include=${empty},${ballet},${zumba}`, 'Empty, ballet, Zumba'],
    [`orderby=include&include=${empty},${ballet},${zumba}&order=desc`, 'Zumba, ballet, Empty'],
    ['orderby=include', 'Álbum, ballet, Zumba'],
    ['orderby=title', bad('orderby')],
    ['orderby=include_slugs&order=both', bad('order', 'orderby')],

    [`include=${empty}`, 'Empty'],
    [`include[]=${zumba}&include[]=${album}`, 'Álbum, Zumba'],
    [`include=${zumba}&include=${album}&exclude=${album}`, 'Zumba'],
    [`exclude=${zumba},${ballet}`, 'Álbum'],
    [`include=${zumba},999`, bad('include')],
    [`include=${foreign}&exclude=${foreign}`, bad('include', 'exclude')],
    ['include=ballet', bad('include')],
    ['include=0&exclude=-1', bad('exclude', 'include')],
    ['include=', bad('include')],
    [`exclude=${Array(101).fill(zumba).join(',')}`, bad('exclude')],

    ['search=ALBUM', 'Álbum'],
    ['search=a-z', 'Zumba'],
    ['search=mp', ''],
    ['search=mp&hide_empty=false', 'Empty'],
    ['search=日&hide_empty=false', ''],
    ['search=middle', ''],
    ['search=', bad('search')],
    ['slug=ballet', 'ballet'],
    ['slug=BALLET', 'ballet'],
    ['slug=balle', ''],
    ['slug=日本&hide_empty=false', 'Empty'],
    ['slug=%25e6%2597%25a5%25e6%259c%25ac&hide_empty=false', 'Empty'],
    ['slug=', bad('slug')],
    ['slug[]=ballet', bad('slug')],

    [`event=${event}`, 'Álbum, ballet'],
    [`post=${event}`, 'Álbum, ballet'],
    [`post=${event}&event=${secret}`, ''],
    [`event=${draft}`, ''],
    [`event=${event}&search=b&exclude=${ballet}`, 'Álbum'],
    ['event=999', bad('event')],
    ['post=0&event=999', bad('post')],
    [`post=999&event=${event}`, bad('post')],

    ['per_page=2', 'Álbum, ballet'],
    ['per_page=2&page=2', 'Zumba'],
    ['search=nothing', ''],
    ['page=0&per_page=0', bad('page', 'per_page')],
  ]
  t.test('shows what is asked for, by name unless told otherwise', async (t) => {
    for (const [query, expected] of scenarios) t.equal(await names(query), expected, query)
    t.equal(
      listed(await editor.list(kind, `event=${draft}`), plural, 'name'),
      'Empty',
      'to those who may read it',
    )
  })

  t.test('shows those of one language, if it is asked for', async (t) => {
    await make({ name: 'Àlbum', i18n_language: 'ca' })
    t.equal(await names('i18n_language=ca&hide_empty=0'), 'Àlbum')
    t.equal(await names('i18n_language=en'), 'Álbum, ballet, Zumba')
    t.match(await names('hide_empty=0'), 'Álbum, Àlbum')
  })
}

for (const kind of KINDS) t.test(`a list of ${kind.plural}`, (t) => describe(t, kind))

t.test('categories are listed by parent, tags have none', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const make = async (name: string, parent = 0) =>
    (await must(editor.create('category', { name, parent }))).id as number
  const music = await make('Music')
  const jazz = await make('Jazz', music)
  await make('Bebop', jazz)
  await make('Art')
  await make('Rock', music)
  const cases: [query: string, expected: string][] = [
    ['parent=0', 'Art, Music'],
    [`parent=${music}`, 'Jazz, Rock'],
    [`parent=${jazz}`, 'Bebop'],
    [`parent=${jazz}&include=${music}`, ''],
    ['orderby=parent', 'Art, Music, Jazz, Rock, Bebop'],
    ['orderby=parent&order=desc', 'Bebop, Rock, Jazz, Music, Art'],
    ['parent=999', '400 rest_invalid_param parent'],
    ['parent=-1', '400 rest_invalid_param parent'],
    ['parent=music', '400 rest_invalid_param parent'],
    ['parent=', '400 rest_invalid_param parent'],
  ]
  for (const [query, expected] of cases)
    t.equal(
      listed(await anonymous.list('category', `hide_empty=0&${query}`), 'categories', 'name'),
      expected,
      query,
    )
  await must(editor.create('tag', { name: 'live' }))
  for (const parent of ['0', '999', 'abc', ''])
    t.equal(
      listed(await anonymous.list('tag', `hide_empty=0&parent=${parent}`), 'tags', 'name'),
      'live',
      parent,
    )
})

// it is 2026-11-21 09:00 UTC; titles in the order of their making, a second apart
const EVENTS: [title: string, start: string, end: string, more?: object][] = [
  ['Gone', '2026-11-19 10:00', '2026-11-19 12:00'],
  ['Étude', '2026-11-25 10:00', '2026-11-25 11:00'],
  ['Festival', '2026-11-19 10:00', '2026-11-23 18:00'],
  ['eton', '2026-11-25 10:00', '2026-11-26 11:00'],
  ['Zest', '2026-11-21 08:00', '2026-11-21 09:00'],
  ['Alpha', '2026-11-21 09:00', '2026-11-21 10:00'],
  // which is half past seven to half past eight in UTC
  ['Tokyo', '2026-11-21 16:30', '2026-11-21 17:30', { timezone: 'Asia/Tokyo' }],
  ['Later', '2029-05-01 10:00', '2029-05-01 11:00'],
]

async function open(t: Test) {
  const { editor, anonymous, administrator, clock } = await openRecords(t)
  const add = (title: string, start_date: string, end_date: string, more = {}) =>
    must(editor.create('event', { title, start_date, end_date, ...more }))
  const ids: Record<string, number> = {}
  for (const [title, start, end, more] of EVENTS) {
    ids[title] = (await add(title, start, end, more)).id
    clock.now += 1_000
  }
  clock.now = Date.parse('2026-11-21T09:00:40Z')
  const list = async (query: string) => shown(await anonymous.list('event', query))
  return { editor, anonymous, administrator, clock, add, ids, list }
}

t.test('a list is ordered by start, end, last change or title, in either direction', async (t) => {
  const { ids, list } = await open(t)
  for (const [query, titles] of [
    ['', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['orderby=start&order=asc', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['order=desc', 'Later eton Étude Tokyo Alpha Zest Festival Gone'],
    ['order=DESC', 'Later eton Étude Tokyo Alpha Zest Festival Gone'],
    ['orderby=end', 'Gone Zest Alpha Tokyo Festival Étude eton Later'],
    ['orderby=end&order=desc', 'Later eton Étude Festival Tokyo Alpha Zest Gone'],
    ['orderby=title', 'Alpha eton Étude Festival Gone Later Tokyo Zest'],
    ['orderby=title&order=desc', 'Zest Tokyo Later Gone Festival Étude eton Alpha'],
    ['orderby=modified', 'Later Tokyo Alpha Zest eton Festival Étude Gone'],
    ['orderby=modified&order=asc', 'Gone Étude Festival eton Zest Alpha Tokyo Later'],
    ['orderby=title&search=zzzz', ''],
    ['orderby=title&search=e&order=asc', 'eton Étude Festival Gone Later Zest'],
    [`orderby=title&include=${ids.Zest},${ids.Gone},${ids.Alpha}`, 'Alpha Gone Zest'],
    [`order=desc&include=${ids.Zest},${ids.Gone},${ids.Alpha}`, 'Alpha Zest Gone'],
    // what meant nothing before means nothing now
    ['orderby=date', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['orderby=ID&order=DESC', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['orderby=', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['order=sideways', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
  ] as const)
    t.equal(await list(`when=all&${query}`), titles, query)
})

t.test('pages of every order hold each event once', async (t) => {
  const { list } = await open(t)
  for (const orderby of ['start', 'end', 'modified', 'title'])
    for (const order of ['asc', 'desc'])
      for (const more of ['when=all', 'when=all&search=e', 'start_date=2026-11-20', 'when=upcoming']) {
        const query = `${more}&orderby=${orderby}&order=${order}`
        const titles: string[] = []
        for (let page = 1, found = ''; page === 1 || found !== ''; page++) {
          found = await list(`${query}&per_page=2&page=${page}`)
          titles.push(found)
        }
        t.equal(titles.join(' ').trim(), await list(`${query}&per_page=50`), query)
      }
})

t.test('`when` tells what has ended from what has not, by the minute', async (t) => {
  const { clock, ids, list } = await open(t)
  for (const [query, titles] of [
    ['when=upcoming', 'Festival Alpha Étude eton Later'],
    ['when=ongoing', 'Festival Alpha'],
    ['when=past', 'Gone Zest Tokyo'],
    ['when=past&order=desc', 'Tokyo Zest Gone'],
    ['when=all', 'Gone Festival Zest Alpha Tokyo Étude eton Later'],
    ['', 'Zest Alpha Tokyo Étude eton'],
    ['when=upcoming&end_date=2026-11-25', 'Festival Alpha Étude'],
    ['when=past&start_date=2026-11-20', 'Zest Tokyo'],
    ['when=all&starts_after=2026-11-25', 'Later'],
    ['when=never', '400 rest_invalid_param when'],
    // as dates are, it is lifted by `include`
    [`when=past&include=${ids.Later}`, 'Later'],
  ] as const) {
    t.equal(await list(query), titles, query)
  }
  clock.now = Date.parse('2026-11-21T09:59:59Z')
  t.equal(await list('when=ongoing'), 'Festival Alpha')
  clock.now = Date.parse('2026-11-21T10:00:00Z')
  t.equal(await list('when=ongoing'), 'Festival')
  clock.now = Date.parse('2026-11-23T18:00:00Z')
  t.equal(await list('when=upcoming'), 'Étude eton Later')
})

t.test('an order follows what is written', async (t) => {
  const { editor, administrator, clock, add, ids, list } = await open(t)
  clock.now = Date.parse('2026-11-24T10:00:00Z')
  const { id } = await add('Beta', '2026-12-01', '2026-12-02')
  const all = 'when=upcoming'
  t.equal(await list(`${all}&orderby=title`), 'Beta eton Étude Later')
  t.equal(await list(`${all}&orderby=modified`), 'Beta Later eton Étude')
  clock.now += 1_000
  await must(editor.change('event', ids.eton!, { title: 'Aeton', end_date: '2026-12-03' }))
  t.equal(await list(`${all}&orderby=title`), 'Aeton Beta Étude Later')
  t.equal(await list(`${all}&orderby=modified`), 'Aeton Beta Later Étude')
  t.equal(await list(`${all}&orderby=end`), 'Étude Beta Aeton Later')
  await must(administrator.remove('event', id, 'force=true'))
  // whose row the next event gets
  await add('Omega', '2026-11-30', '2026-11-30')
  t.equal(await list(`${all}&orderby=title`), 'Aeton Étude Later Omega')
  t.equal(await list(`${all}&orderby=end&order=desc`), 'Later Aeton Omega Étude')
})

t.test('a search without a word, and a radius without a place, are refused', async (t) => {
  const { editor, anonymous, add, list } = await open(t)
  for (const search of ['"', '""', '" "', '-""', ' ', '"" -""'])
    t.equal(await list(`search=${encodeURIComponent(search)}`), '400 rest_invalid_param search', search)
  for (const kind of ['venue', 'organizer'] as const)
    t.equal(refusal(await anonymous.list(kind, 'search=%22!')), '400 rest_invalid_param search', kind)
  t.equal(await list('search=%22eton%22'), 'eton')
  const hall = await must(editor.create('venue', { venue: 'Hall', geo_lat: 1, geo_lng: 1 }))
  const near = 'geoloc_lat=1&geoloc_lng=1&geoloc_radius=5'
  await add('Near', '2026-12-01', '2026-12-01', { venue: hall.id })
  t.equal(await list(`${near}&venue=${hall.id}`), 'Near')
  t.equal(await list(`geoloc_lat=9&geoloc_lng=9&venue=${hall.id}`), '')
  t.equal(await list('geoloc_radius=5'), '400 rest_invalid_param geoloc_radius')
  t.not(
    await list('geoloc_radius=40'),
    '400 rest_invalid_param geoloc_radius',
    'a client that sends defaults',
  )
  t.equal(await list('geoloc_radius=5&geoloc_lat=1'), '400 rest_invalid_param geoloc_lat')
})
