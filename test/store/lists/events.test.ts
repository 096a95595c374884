import { sql } from 'drizzle-orm'
import t from 'tap'
import { type Answer, build, EVENT, ROOT } from '../../support/app.ts'
import { must, shown } from '../../support/events.ts'
import { faults } from '../../support/schema.ts'
import { setBackAfterEach } from '../../support/set-back.ts'

const api = await build(t)
const { anonymous, author, editor } = api
const BASE = `http://calendar.test${ROOT}`
const follow = (url: string) =>
  anonymous.send({ method: 'GET', url: url.replace('http://calendar.test', '') })
const neighbours = ({ body }: Answer) =>
  ['previous_rest_url', 'next_rest_url'].filter((name) => name in body).map((name) => name.split('_')[0])

// fourteen events: a to n, an hour each, put in from the last to the first
const letters = [...'abcdefghijklmn']
for (const [at, title] of [...letters.entries()].reverse()) {
  const day = `2026-12-${String(at + 1).padStart(2, '0')}`
  await must(editor.post('/events', { title, start_date: `${day} 10:00`, end_date: `${day} 11:00` }))
}

/** The link of lists to their calendar. */
const CALENDAR = `<${BASE.replace('http:', 'webcal:')}/events.ics>; rel="alternate"; type="text/calendar"`

setBackAfterEach(t, api)

t.test('a list of nothing is a page without entries, and its calendar', async (t) => {
  const { anonymous } = await build(t)
  const answer = await anonymous.get('/events')
  t.equal(answer.status, 200)
  t.strictSame(answer.body, {
    events: [],
    rest_url: `${BASE}/events/?per_page=12&start_date=2026-11-20+00%3A00%3A00&end_date=2028-11-21+23%3A59%3A59&page=1`,
    total: 0,
    total_pages: 0,
  })
  t.strictSame(Object.keys(answer.body)[0], 'events')
  t.match(answer.headers, { 'x-tec-total': '0', 'x-tec-totalpages': '0', 'x-wp-total': '0' })
  t.equal(answer.headers.link, CALENDAR)
  t.equal(shown(await anonymous.get('/events?page=2')), '404 event-archive-page-not-found')
})

t.test('pages have twelve entries unless told otherwise, fifty at most', async (t) => {
  const cases: [query: string, titles: string, pages: number, links: string[]][] = [
    ['', 'a b c d e f g h i j k l', 2, ['next']],
    ['page=1', 'a b c d e f g h i j k l', 2, ['next']],
    ['page=2', 'm n', 2, ['previous']],
    ['per_page=5', 'a b c d e', 3, ['next']],
    ['per_page=5&page=2', 'f g h i j', 3, ['previous', 'next']],
    ['per_page=5&page=3', 'k l m n', 3, ['previous']],
    ['per_page=14', letters.join(' '), 1, []],
    ['per_page=50', letters.join(' '), 1, []],
    ['per_page=1000', letters.join(' '), 1, []],
    ['per_page=7&per_page=2&page=7', 'm n', 7, ['previous']],
  ]
  for (const [query, titles, pages, links] of cases) {
    const answer = await anonymous.get(`/events?${query}`)
    t.equal(shown(answer), titles, query)
    t.match(answer.body, { total: 14, total_pages: pages }, query)
    t.strictSame(neighbours(answer), links, query)
    t.match(answer.headers, {
      'x-tec-total': '14',
      'x-tec-totalpages': String(pages),
      'x-wp-total': '14',
      'x-wp-totalpages': String(pages),
    })
  }
  t.match((await anonymous.get('/events?per_page=1000')).body.rest_url, 'per_page=50&')
  t.equal(shown(await anonymous.get('/events?per_page=5&page=4')), '404 event-archive-page-not-found')
})

t.test('more than fifty matches are never shown at once', async (t) => {
  const crowd = await build(t)
  for (let at = 0; at < 51; at++) await must(crowd.editor.post('/events', EVENT))
  const { body } = await crowd.anonymous.get('/events?per_page=100')
  t.strictSame([body.events.length, body.total, body.total_pages], [50, 51, 2])
  t.equal((await crowd.anonymous.get('/events?per_page=100&page=2')).body.events.length, 1)
})

t.test('events come by local start, then by ID, whatever their flags and zones', async (t) => {
  const order = await build(t)
  const add = (title: string, start: string, more = {}) =>
    must(order.editor.post('/events', { title, start_date: start, end_date: '2027-01-01', ...more }))
  await add('third', '2026-12-01 10:00', { timezone: 'Asia/Tokyo' })
  await add('fourth', '2026-12-01 10:00', { sticky: true, featured: true })
  await add('fifth', '2026-12-01 10:00', { date: '2020-01-01' })
  await add('second', '2026-12-01 09:00', { timezone: 'America/Los_Angeles' })
  await add('first', '2026-11-30 23:00')
  t.equal(shown(await order.anonymous.get('/events')), 'first second third fourth fifth')
})

t.test('links name the neighbouring pages, in the body and in the Link header', async (t) => {
  const { body, headers } = await anonymous.get('/events?per_page=5&page=2')
  const window = 'start_date=2026-11-20+00%3A00%3A00&end_date=2028-11-21+23%3A59%3A59'
  t.equal(body.rest_url, `${BASE}/events/?per_page=5&${window}&page=2`)
  t.equal(body.next_rest_url, `${BASE}/events/?per_page=5&${window}&page=3`)
  t.equal(body.previous_rest_url, `${BASE}/events/?per_page=5&${window}`)
  t.equal(
    headers.link,
    `<${body.next_rest_url}>; rel="next", <${body.previous_rest_url}>; rel="prev", ${CALENDAR}`,
  )
})

t.test('links keep the window of the first page when the clock journal on', async (t) => {
  const { body } = await anonymous.get('/events?per_page=5')
  api.clock.now += 20 * 86_400_000
  t.equal(shown(await follow(body.next_rest_url)), 'f g h i j')
  t.equal(shown(await anonymous.get('/events?per_page=5')), 'j k l m n')
  api.clock.now -= 20 * 86_400_000
})

t.test('links carry every filter that was given, and never a password', async (t) => {
  const { id: category } = await must(editor.post('/categories', { name: 'Rock & Röll' }))
  const { id: tag } = await must(editor.post('/tags', { name: 'late' }))
  const { id: venue } = await must(editor.post('/venues', { venue: 'Hall', geo_lat: 41.4, geo_lng: 2.2 }))
  const { id: organizer } = await must(editor.post('/organizers', { organizer: 'Us' }))
  const parent = await must(
    editor.post('/events', { ...EVENT, start_date: '2020-01-01', end_date: '2020-01-01' }),
  )
  const links = { categories: [category], tags: [tag], venue, organizer: [organizer] }
  const states = { event_status: 'postponed', attendance_mode: 'online' }
  const more = { featured: true, ticketed: true, ...states, post_parent: parent.id, i18n_language: 'ca' }
  const ids: number[] = []
  for (let at = 0; at < 5; at++)
    ids.push((await must(editor.post('/events', { ...EVENT, ...links, ...more, title: 'same #&%' }))).id)
  const filters: Record<string, string> = {
    starts_before: '2027-01-01 00:00:00',
    starts_after: '2026-11-01 00:00:00',
    ends_before: '2027-01-01T00:00:00Z',
    ends_after: '2026-11-01 00:00:00',
    strict_dates: 'true',
    search: 'same #&%',
    categories: 'Rock & Röll',
    tags: `late,${tag}`,
    venue: String(venue),
    organizer: String(organizer),
    featured: 'true',
    status: 'publish',
    geoloc: 'true',
    geoloc_lat: '41.4',
    geoloc_lng: '2.2',
    geoloc_radius: '5',
    post_parent: String(parent.id),
    ticketed: 'true',
    event_status: 'cancelled,postponed',
    attendance_mode: 'online',
    i18n_language: 'ca',
    _fields: 'events.id,next_rest_url,total',
    unknown: 'ä b',
  }
  const query = new URLSearchParams({ ...filters, per_page: '2', password: 'secret' })
  let answer = await anonymous.get(`/events?${query}`)
  const seen: number[] = []
  for (;;) {
    t.equal(answer.body.total, 5)
    seen.push(...answer.body.events.map(({ id }: { id: number }) => id))
    const next = answer.body.next_rest_url
    if (!next) break
    const carried = Object.fromEntries(new URL(next).searchParams)
    t.match(carried, { ...filters, per_page: '2' })
    t.notOk('password' in carried)
    t.equal(new URL(next).href, next, 'a valid URL')
    answer = await follow(next)
  }
  t.strictSame(seen, ids, 'each match once, in order')
})

t.test('links say false filters too, and lists given in any of the usual ways', async (t) => {
  for (const query of [
    'include=3,2',
    'include=3&include=2',
    'include[]=3&include[]=2',
    'include[0]=3&include[1]=2',
  ]) {
    const { body } = await anonymous.get(`/events?${query}&featured=0`)
    const carried = Object.fromEntries(new URL(body.rest_url).searchParams)
    t.strictSame(carried, { per_page: '12', page: '1', include: '3,2', featured: 'false' }, query)
    t.equal(body.total, 2)
  }
})

t.test('every parameter at fault is named at once', async (t) => {
  const numbers = ['page', 'per_page', 'geoloc_lat', 'geoloc_lng', 'geoloc_radius', 'post_parent']
  const booleans = ['featured', 'ticketed', 'geoloc', 'strict_dates']
  const dates = ['start_date', 'end_date', 'starts_before', 'starts_after', 'ends_before', 'ends_after']
  const lists = ['venue', 'organizer', 'include']
  const words = ['status', 'i18n_language', 'event_status', 'attendance_mode']
  const names = [...numbers, ...booleans, ...dates, ...lists, ...words]
  const { status, body } = await anonymous.get(`/events?${names.map((name) => `${name}=wrong`).join('&')}`)
  t.strictSame([status, body.code, body.data.status], [400, 'rest_invalid_param', 400])
  t.strictSame(Object.keys(body.data.params).sort(), names.sort())
  for (const name of names) t.match(body.message, `${name}: must`)
})

t.test('values that can not be taken are refused by name', async (t) => {
  const cases: [query: string, names: string][] = [
    ...['page', 'per_page'].flatMap((name): [string, string][] =>
      ['', '0', '-1', '2.5', 'two', '1,2'].map((value) => [`${name}=${value}`, name]),
    ),
    ['page[]=1', 'page'],
    ['search=', 'search'],
    ['categories=', 'categories'],
    ['tags=,', 'tags'],
    ['venue=', 'venue'],
    ['include=1,x', 'include'],
    ['include=0', 'include'],
    [`include=${Array(101).fill(1)}`, 'include'],
    ['featured=', 'featured'],
    ['featured=yes', 'featured'],
    ['status=', 'status'],
    ['status=published', 'status'],
    ['event_status=', 'event_status'],
    ['event_status=any', 'event_status'],
    ['event_status=scheduled,Cancelled', 'event_status'],
    ['attendance_mode=,', 'attendance_mode'],
    ['attendance_mode=hybrid', 'attendance_mode'],
    ['geoloc_lat=91&geoloc_lng=0', 'geoloc_lat'],
    ['geoloc_lat=0&geoloc_lng=-180.5', 'geoloc_lng'],
    ['geoloc_lat=1', 'geoloc_lat'],
    ['geoloc_lng=1', 'geoloc_lng'],
    ['geoloc_lat=1&geoloc_lng=1&geoloc_radius=0', 'geoloc_radius'],
    ['i18n_language=fr', 'i18n_language'],
    ['_fields=', '_fields'],
    ['password=', 'password'],
    [
      'categories=none&tags=none&venue=999&organizer=999&post_parent=999',
      'categories tags venue organizer post_parent',
    ],
    ['geoloc_lat=1&status=draft&venue=999', 'geoloc_lat status venue'],
  ]
  for (const [query, names] of cases)
    t.equal(shown(await anonymous.get(`/events?${query}`)), `400 rest_invalid_param ${names}`, query)
})

t.test('parameters that do not exist are ignored', async (t) => {
  const plain = shown(await anonymous.get('/events'))
  for (const query of ['offset=3', 'orderby=date&order=desc', 'context=edit', '_embed', 'foo[bar]=1'])
    t.equal(shown(await anonymous.get(`/events?${query}`)), plain, query)
})

t.test('a page has the shape that is published, whoever asks', async (t) => {
  for (const client of [anonymous, author, editor]) {
    const { body, text } = await client.get('/events?per_page=3&page=2')
    t.strictSame(faults('EventPage', body), [])
    t.notMatch(text, /null/)
  }
})

t.test('few events among many are listed as among few', async (t) => {
  const lists: string[][] = []
  for (const others of [0, 100_000]) {
    const { app, editor, anonymous } = await build(t)
    // IDs say how many there may be
    await app.store.db.write(async (tx) =>
      tx.run(sql`insert into sqlite_sequence (name, seq) values ('posts', ${others})`),
    )
    const hall = await must(editor.post('/venues', { venue: 'Hall', geo_lat: 41, geo_lng: 2 }))
    const barn = await must(editor.post('/venues', { venue: 'Barn' }))
    for (let at = 1; at <= 12; at++)
      await must(
        editor.post('/events', {
          ...EVENT,
          title: `E${at}`,
          description: at % 2 ? 'opera' : 'jazz',
          start_date: `2027-01-${String(at).padStart(2, '0')} 18:00:00`,
          end_date: `2027-01-${String(at + (at % 5)).padStart(2, '0')} 20:00:00`,
          venue: at % 3 ? hall.id : barn.id,
          tags: at < 9 ? ['early'] : ['late', 'long'],
          featured: at % 4 === 0,
        }),
      )
    const seen: string[] = []
    const see = async () => {
      for (const query of [
        'tags=early',
        'tags=early&featured=true',
        'tags=late&search=opera',
        'tags=late&search=-opera',
        'search=opera&page=2&per_page=4',
        `tags=late&venue=${hall.id}`,
        `venue=${hall.id},${barn.id}&tags=early,late`,
        `venue=${barn.id}&geoloc=true`,
        `tags=early&geoloc=true`,
        `tags=early&geoloc=false`,
        `venue=${hall.id}&geoloc_lat=41&geoloc_lng=2`,
        `venue=${barn.id}&geoloc_lat=41&geoloc_lng=2`,
        'tags=early&ends_after=2027-01-05T12:00:00&strict_dates=true',
        'tags=early&starts_after=2027-01-03T18:00:00&ends_before=2027-01-09T20:00:00&strict_dates=true',
        'search=jazz&ends_before=2027-01-07',
      ])
        seen.push(`${query.replace(/venue=[\d,]+/, '')}: ${shown(await anonymous.get(`/events?${query}`))}`)
    }
    await see()
    const { events } = (await editor.get('/events?tags=early&per_page=2')).body
    await must(editor.patch(`/events/${events[0].id}`, { tags: ['late'], description: 'opera jazz' }))
    await must(editor.delete(`/events/${events[1].id}`))
    await see()
    lists.push(seen)
  }
  t.strictSame(lists[1], lists[0])
  t.match(lists[0], ['tags=early: E1 E2 E3 E4 E5 E6 E7 E8', 'tags=early&featured=true: E4 E8'])
})
