import t from 'tap'
import { refusal } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { must, shown } from '../../support/events.ts'

const api = await build(t)
const { editor, anonymous, clock } = api
const list = async (query: string) => shown(await anonymous.get(`/events?${query}`))
const add = (title: string, start_date: string, end_date: string, more = {}) =>
  must(editor.post('/events', { title, start_date, end_date, ...more }))

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
const ids: Record<string, number> = {}
for (const [title, start, end, more] of EVENTS) {
  ids[title] = (await add(title, start, end, more)).id
  clock.now += 1_000
}
clock.now = Date.parse('2026-11-21T09:00:40Z')

t.test('a list is ordered by start, end, last change or title, in either direction', async (t) => {
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

t.test('pages of every order hold each event once, and their links carry the order', async (t) => {
  for (const orderby of ['start', 'end', 'modified', 'title'])
    for (const order of ['asc', 'desc'])
      for (const more of ['when=all', 'when=all&search=e', 'start_date=2026-11-20', 'when=upcoming']) {
        const query = `${more}&orderby=${orderby}&order=${order}`
        const whole = await list(`${query}&per_page=50`)
        const titles: string[] = []
        let next = `//calendar/events/v1/events?${query}&per_page=2`
        while (next) {
          const { body } = await anonymous.get(next)
          titles.push(...body.events.map(({ title }: { title: string }) => title))
          const url = body.next_rest_url && new URL(body.next_rest_url)
          if (url) t.match(Object.fromEntries(url.searchParams), { orderby, order })
          next = url ? `/${url.pathname}${url.search}` : ''
        }
        t.equal(titles.join(' '), whole, query)
      }
})

t.test('`when` tells what has ended from what has not, by the minute', async (t) => {
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
  clock.now = Date.parse('2026-11-24T10:00:00Z')
  const { id } = await add('Beta', '2026-12-01', '2026-12-02')
  const all = 'when=upcoming'
  t.equal(await list(`${all}&orderby=title`), 'Beta eton Étude Later')
  t.equal(await list(`${all}&orderby=modified`), 'Beta Later eton Étude')
  clock.now += 1_000
  await must(editor.patch(`/events/${ids.eton}`, { title: 'Aeton', end_date: '2026-12-03' }))
  t.equal(await list(`${all}&orderby=title`), 'Aeton Beta Étude Later')
  t.equal(await list(`${all}&orderby=modified`), 'Aeton Beta Later Étude')
  t.equal(await list(`${all}&orderby=end`), 'Étude Beta Aeton Later')
  await must(api.administrator.delete(`/events/${id}?force=true`))
  // whose row the next event gets
  await add('Omega', '2026-11-30', '2026-11-30')
  t.equal(await list(`${all}&orderby=title`), 'Aeton Étude Later Omega')
  t.equal(await list(`${all}&orderby=end&order=desc`), 'Later Aeton Omega Étude')
})

t.test('statuses are lists on events, venues and organizers alike', async (t) => {
  await add('Draft', '2026-12-01', '2026-12-01', { status: 'draft' })
  for (const [plural, name] of [['venues', 'venue'], ['organizers', 'organizer']] as const) // biome-ignore format: pairs
    for (const status of ['draft', 'publish', 'private'])
      await must(editor.post(`/${plural}`, { [name]: `${status} ${name}`, status }))
  for (const plural of ['events', 'venues', 'organizers']) {
    const of = async (query: string) => {
      const { body } = await editor.get(`/${plural}?per_page=50&${query}`)
      return [...new Set(body[plural].map(({ status }: { status: string }) => status))].sort().join(' ')
    }
    t.equal(await of('status=publish,draft'), 'draft publish', plural)
    t.equal(await of('status[]=publish&status[]=draft'), 'draft publish', plural)
    t.match(await anonymous.get(`/${plural}?status=publish,draft`), {
      status: 400,
      body: { data: { params: { status: String } } },
    })
  }
})

t.test('a search without a word, and a radius without a place, are refused', async (t) => {
  for (const search of ['"', '""', '" "', '-""', ' ', '"" -""'])
    t.equal(await list(`search=${encodeURIComponent(search)}`), '400 rest_invalid_param search', search)
  for (const kind of ['venues', 'organizers'])
    t.equal(refusal(await api.anonymous.get(`/${kind}?search=%22!`)), '400 rest_invalid_param search', kind)
  t.equal(await list('search=%22eton%22'), 'Aeton')
  const hall = await must(editor.post('/venues', { venue: 'Hall', geo_lat: 1, geo_lng: 1 }))
  const near = 'geoloc_lat=1&geoloc_lng=1&geoloc_radius=5'
  await add('Near', '2026-12-01', '2026-12-01', { venue: hall.id })
  t.equal(await list(`${near}&venue=${hall.id}`), 'Near')
  t.equal(await list(`geoloc_lat=9&geoloc_lng=9&venue=${hall.id}`), '')
  t.equal(await list('geoloc_radius=5'), '400 rest_invalid_param geoloc_radius')
  t.equal(await list('geoloc_radius=5&geoloc_lat=1'), '400 rest_invalid_param geoloc_lat')
})
