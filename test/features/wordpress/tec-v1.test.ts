import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const TEC = '//wp-json/tec/v1'
const REST = 'http://calendar.test/wp-json'
/** What clients of tec/v1 send with each request. */
const MORE = {
  headers: { 'content-type': 'application/json', 'x-tec-eea': 'I understand that this is an experiment.' },
}

const ids = (list: { id: number }[]) => list.map(({ id }) => id)

t.test('a program creates, lists, changes and deletes what belongs to an event', async (t) => {
  const { editor, anonymous } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const send = async (method: 'post' | 'put' | 'delete', path: string, body?: object) =>
    (await editor[method](`${TEC}${path}`, body && JSON.stringify(body), MORE)) as Awaited<
      ReturnType<typeof editor.get>
    >
  const venue = await send('post', '/venues', {
    ...{
      title: 'Hall',
      status: 'publish',
      address: 'Carrer Major 12',
      city: 'Vic',
      state_province: 'Barcelona',
    },
    ...{ country: 'Spain', zip: '08500', phone: '1', website: 'https://hall.example', lat: 41.9, lng: 2.2 },
  })
  t.equal(venue.status, 201)
  t.equal(venue.headers.location, `${REST}/tec/v1/venues/${venue.body.id}`)
  t.match(venue.body, {
    ...{ type: 'tribe_venue', title: { rendered: 'Hall' }, city: 'Vic', state_province: 'Barcelona' },
    ...{ zip: '08500', lat: 41.9, lng: 2.2 },
  })
  const organizer = await send('post', '/organizers', { title: 'Choir', email: 'choir@example.org' })
  t.match(organizer.body, {
    type: 'tribe_organizer',
    title: { rendered: 'Choir' },
    email: 'choir@example.org',
  })
  const category = await send('post', '/categories', { name: 'Music' })
  const tag = await send('post', '/tags', { name: 'Late' })
  t.match([category.status, tag.status], [201, 201])

  const made = await send('post', '/events', {
    ...{ title: 'Evensong', description: '<p>Choral</p>', status: 'publish', timezone: 'America/New_York' },
    ...{ start_date: '2026-12-01T20:00:00', end_date: '2026-12-02T01:30:00', all_day: false, cost: '5' },
    ...{ venue: venue.body.id, organizers: [organizer.body.id], website: 'https://a.example' },
    ...{ categories: [category.body.id], tags: [tag.body.id], featured: true },
  })
  t.equal(made.status, 201)
  t.equal(made.headers['x-ignored-fields'], undefined)
  const { id } = made.body
  const event = {
    ...{
      id,
      type: 'tribe_events',
      status: 'publish',
      title: { rendered: 'Evensong' },
      featured: true,
      sticky: false,
    },
    ...{ content: { rendered: '<p>Choral</p>' }, tags: [tag.body.id], tribe_events_cat: [category.body.id] },
    ...{
      start_date: '2026-12-01 20:00:00',
      start_date_utc: '2026-12-02 01:00:00',
      end_date: '2026-12-02 01:30:00',
    },
    ...{
      end_date_utc: '2026-12-02 06:30:00',
      timezone: 'America/New_York',
      duration: 19_800,
      multiday: true,
    },
    ...{ is_past: false, is_now: false, all_day: false, cost: '$5', website: 'https://a.example' },
    ...{ organizers: [organizer.body.id], venues: [venue.body.id] },
  }
  t.match(made.body, event)
  t.match((await anonymous.get(`${TEC}/events/${id}`, undefined, MORE)).body, event)
  t.match((await anonymous.get(`${TEC}/events/${id}`)).body, event, 'without its header as well')
  t.match((await anonymous.get(`${TEC}/venues/${venue.body.id}`)).body, { city: 'Vic', country: 'Spain' })

  const changed = await send('put', `/events/${id}`, { title: 'Vespers', venues: [], organizers: [] })
  t.match(changed.body, { title: { rendered: 'Vespers' }, venues: [], organizers: [], cost: '$5' })
  t.match((await send('put', `/venues/${venue.body.id}`, { city: 'Girona' })).body, {
    city: 'Girona',
    zip: '08500',
  })
  t.match((await send('delete', `/events/${id}`)).body, { id, status: 'trash' })
  t.match((await send('delete', `/events/${id}?force=true`)).body, { deleted: true, previous: { id } })
  t.equal((await send('delete', `/organizers/${organizer.body.id}?force=true`)).status, 200)
  t.equal((await anonymous.get(`${TEC}/events/${id}`)).status, 404)
})

t.test('lists are arrays, with totals in headers and past events', async (t) => {
  const { editor, anonymous } = await build(t)
  const at: Record<string, number> = {}
  for (const date of ['2027-01-01', '2020-01-01', '2026-12-01'])
    at[date] = (
      await must(
        editor.post('/events', {
          ...EVENT,
          title: `On ${date}`,
          start_date: `${date} 10:00`,
          end_date: `${date} 11:00`,
        }),
      )
    ).id
  const dates = (list: { start_date: string }[]) => list.map(({ start_date }) => start_date.slice(0, 10))
  const list = (query: string) => anonymous.get(`${TEC}/events?${query}`, undefined, MORE)
  const all = await list('')
  t.same(dates(all.body), ['2020-01-01', '2026-12-01', '2027-01-01'])
  t.match(all.headers, { 'x-wp-total': '3', 'x-wp-totalpages': '1' })
  t.equal(all.body[0].is_past, true)
  for (const [query, expected] of [
    ['orderby=event_date&order=DESC', ['2027-01-01', '2026-12-01', '2020-01-01']],
    ['start_date=2026-12-01&per_page=1', ['2026-12-01']],
    ['end_date=2026-12-31', ['2020-01-01', '2026-12-01']],
    ['search=2027', ['2027-01-01']],
    [`include=${at['2027-01-01']},${at['2020-01-01']}`, ['2020-01-01', '2027-01-01']],
    ['per_page=500', ['2020-01-01', '2026-12-01', '2027-01-01']],
    ['status=publish&page=2&per_page=2', ['2027-01-01']],
  ] as const)
    t.same(dates((await list(query)).body), expected, query)
  t.match((await list('per_page=1&page=2')).headers.link, /rel="next", .*rel="prev"/)
  t.match(await list('page=9'), {
    status: 404,
    body: { code: 'event-archive-page-not-found', data: { status: 404 } },
  })
  t.equal((await anonymous.get(`${TEC}/organizers?page=2`)).body.code, 'organizer-archive-page-not-found')
  t.equal((await list('orderby=nothing')).body.code, 'rest_invalid_param')
  t.same((await anonymous.get(`${TEC}/venues`)).body, [])
  t.equal((await anonymous.get(`${TEC}/tickets`)).body.code, 'rest_no_route')
})

t.test('an answer says what is on now, and is not kept for longer', async (t) => {
  const { editor, anonymous, clock } = await build(t)
  const event = { ...EVENT, start_date: '2026-11-21 09:30:00', end_date: '2026-11-21 10:00:00' }
  const { id } = await must(editor.post('/events', event))
  const states: boolean[][] = []
  for (const minutes of [0, 30, 61]) {
    clock.now = Date.parse('2026-11-21T09:00:00Z') + minutes * 60_000
    for (const path of [`/events/${id}`, '/events', `/events/${id}`, '/events']) {
      const { body } = await anonymous.get(TEC + path)
      const { is_now, is_past } = [body].flat()[0]
      states.push([is_now, is_past])
    }
  }
  const times = (state: boolean[]) => Array.from({ length: 4 }, () => state)
  t.same(states, [...times([false, false]), ...times([true, false]), ...times([false, true])])
})

t.test('what is not public is not shown, and who may not write writes nothing', async (t) => {
  const api = await build(t)
  const image = (await must(api.editor.post('/media', await draw(20, 20), raw('a.png')))).id
  const venue = await must(api.editor.post('/venues', { venue: 'SECRET', status: 'draft' }))
  const draft = await must(api.editor.post('/events', { ...EVENT, title: 'SECRET', status: 'draft' }))
  const locked = await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Locked',
      password: 'x',
      description: 'SECRET',
      image,
      venue: venue.id,
    }),
  )
  for (const path of ['/events', '/venues', `/events?include=${draft.id}`, '/events?search=SECRET'])
    t.notMatch((await api.anonymous.get(TEC + path)).text, 'SECRET', path)
  t.match((await api.anonymous.get(`${TEC}/events`)).body, [
    { id: locked.id, venues: [], organizers: [], featured_media: 0 },
  ])
  t.equal((await api.anonymous.get(`${TEC}/events/${draft.id}`)).status, 403)
  t.equal((await api.anonymous.get(`${TEC}/events?status=draft`)).status, 400)
  t.same(ids((await api.editor.get(`${TEC}/events?status=draft`)).body), [draft.id])
  const before = await api.fingerprint()
  for (const [who, status] of [
    ['anonymous', 401],
    ['subscriber', 403],
  ] as const) {
    t.equal((await api[who].post(`${TEC}/events`, EVENT)).status, status)
    t.equal((await api[who].put(`${TEC}/events/${draft.id}`, { title: 'x' })).status, status)
    t.equal((await api[who].delete(`${TEC}/events/${draft.id}?force=true`)).status, status)
  }
  t.equal(await api.fingerprint(), before)
})

t.test('it has an OpenAPI document of its own', async (t) => {
  const { anonymous } = await build(t)
  for (const [path, url] of [
    [`${TEC}/docs`, `${REST}/tec/v1`],
    ['//ca/wp-json/tec/v1/docs', 'http://calendar.test/ca/wp-json/tec/v1'],
  ] as const) {
    const { status, body } = await anonymous.get(path)
    t.equal(status, 200)
    t.match(body, { openapi: '3.0.4', servers: [{ url }] })
    const operations = Object.values(body.paths).flatMap((methods) => Object.values(methods as object))
    const names = operations.map(({ operationId }) => operationId)
    t.equal(names.length, 23)
    t.equal(new Set(names).size, names.length)
    for (const [, name] of JSON.stringify(body).matchAll(/#\/components\/schemas\/(\w+)/g))
      t.ok(body.components.schemas[name!], String(name))
    const asked = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
    const headers = { ...asked, 'access-control-request-headers': 'x-tec-eea' }
    const preflight = await anonymous.send({ method: 'OPTIONS', url: '/wp-json/tec/v1/events', headers })
    t.match(preflight.headers['access-control-allow-headers'], 'x-tec-eea')
    t.ok(body.paths['/events'].get.parameters.some(({ name }: { name: string }) => name === 'start_date'))
  }
  const { body } = await anonymous.get('//wp-json/tec/v1')
  t.ok(body.routes['/tec/v1/docs'])
  t.ok((await anonymous.get('//wp-json/')).body.namespaces.includes('tec/v1'))
})

t.test('answers have the members that the document names, and writes take them', async (t) => {
  const { editor, anonymous } = await build(t)
  const { components } = (await anonymous.get(`${TEC}/docs`)).body
  const sent: Record<string, object> = {
    Event: EVENT,
    Venue: { title: 'Hall', city: 'Vic' },
    Organizer: { title: 'Choir' },
    Category: { name: 'Music' },
    Tag: { name: 'Late' },
  }
  for (const [One, body] of Object.entries(sent)) {
    const path = One === 'Category' ? '/categories' : `/${One.toLowerCase()}s`
    const made = await editor.post(TEC + path, body)
    t.equal(made.status, 201, One)
    const { properties, required } = components.schemas[`${One}Input`]
    for (const name of required) t.ok(name in body && name in properties, `${One} ${name}`)
    const shown = components.schemas[One].properties
    for (const [name, value] of Object.entries(made.body)) {
      const { type } = shown[name] ?? {}
      if (type === 'integer') t.type(value, 'number', name)
      else if (type === 'array') t.ok(Array.isArray(value), name)
      else if (type !== undefined) t.type(value, type, name)
    }
    for (const name of ['id', 'slug']) t.ok(name in shown, `${One} ${name}`)
  }
})

t.test('without a compatibility prefix there is neither tec/v1 nor wp/v2', async (t) => {
  const { anonymous } = await build(t, { env: { COMPAT_PREFIXES: '' } })
  for (const path of ['tec/v1/events', 'tec/v1/docs', 'wp/v2/tribe_events', 'wp/v2/media', 'wp/v2/users/me'])
    t.equal((await anonymous.get(`//wp-json/${path}`)).status, 404, path)
})
