import t from 'tap'
import { type Api, build, EVENT } from './support/app.ts'

async function seed({ editor }: Api) {
  const { body } = await editor.post('/events', {
    ...EVENT,
    slug: 'concert',
    categories: ['Music', 'Choral'],
    venue: { venue: 'Hall', city: 'Vic' },
    organizer: [{ organizer: 'Choir', phone: '1' }, { organizer: 'Band' }],
  })
  return body
}

t.test('_fields trims an answer to the members it names', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const cases: [fields: string, expected: unknown][] = [
    ['id', { id: event.id }],
    ['title,id', { id: event.id, title: 'Concert' }],
    [' title , id ', { id: event.id, title: 'Concert' }],
    ['venue.venue', { venue: { venue: 'Hall' } }],
    ['venue.venue,venue.city,id', { id: event.id, venue: { venue: 'Hall', city: 'Vic' } }],
    ['organizer.organizer', { organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }] }],
    ['organizer.phone', { organizer: [{ phone: '1' }, {}] }],
    ['categories.name', { categories: event.categories.map(({ name }: { name: string }) => ({ name })) }],
    ['start_date_details.year', { start_date_details: { year: '2026' } }],
    ['image.url,id', { id: event.id, image: false }],
    ['title.length', { title: 'Concert' }],
    ['nothing', {}],
    ['id,nothing.at.all', { id: event.id }],
    [',', {}],
    ['__proto__,constructor,toString', {}],
  ]
  for (const [fields, expected] of cases)
    for (const path of [`/events/${event.id}`, '/events/by-slug/concert']) {
      const { status, body } = await api.anonymous.get(`${path}?_fields=${encodeURIComponent(fields)}`)
      t.same({ status, body }, { status: 200, body: expected }, `${path} ${fields}`)
    }
  t.same((await api.anonymous.get(`/events/${event.id}?_fields[]=id`)).status, 400, 'it is one text')
  t.match(await api.anonymous.get('/events?_fields='), {
    status: 400,
    body: { data: { params: { _fields: String } } },
  })
})

t.test('a name before its dotted form keeps the whole member, whatever the order', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  for (const fields of ['venue,venue.city', 'venue.city,venue']) {
    const { body } = await api.anonymous.get(`/events/${event.id}?_fields=${fields}`)
    const whole = await api.anonymous.get(`/events/${event.id}`)
    t.same(body, { venue: whole.body.venue }, fields)
  }
})

t.test('_fields reaches into the entries of every list', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const cases: [path: string, fields: string, expected: unknown][] = [
    ['/events', 'events.id,total', { events: [{ id: event.id }], total: 1 }],
    ['/events', 'events.venue.city', { events: [{ venue: { city: 'Vic' } }] }],
    ['/events', 'total_pages', { total_pages: 1 }],
    ['/venues', 'venues.venue', { venues: [{ venue: 'Hall' }] }],
    ['/organizers', 'organizers.organizer', { organizers: [{ organizer: 'Band' }, { organizer: 'Choir' }] }],
    ['/categories', 'categories.name', { categories: [{ name: 'Choral' }, { name: 'Music' }] }],
    ['/tags', 'tags.name,total', { tags: [], total: 0 }],
    ['/media', 'media.id,total', { media: [], total: 0 }],
  ]
  for (const [path, fields, expected] of cases)
    t.same((await api.anonymous.get(`${path}?_fields=${fields}`)).body, expected, `${path} ${fields}`)
})

t.test('_fields trims single reads of every kind, and the index', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const { body: tag } = await api.editor.post('/tags', { name: 'Open air' })
  for (const [path, fields, expected] of [
    [`/venues/${event.venue.id}`, 'city', { city: 'Vic' }],
    [`/venues/by-slug/${event.venue.slug}`, 'city', { city: 'Vic' }],
    [`/organizers/${event.organizer[0].id}`, 'phone', { phone: '1' }],
    [`/organizers/by-slug/${event.organizer[0].slug}`, 'phone', { phone: '1' }],
    [`/categories/${event.categories[0].id}`, 'taxonomy', { taxonomy: 'calendar_events_cat' }],
    [`/tags/${tag.id}`, 'name,urls.self', { name: 'Open air', urls: { self: tag.urls.self } }],
    ['', 'namespace', { namespace: 'calendar/events/v1' }],
  ] as const)
    t.same((await api.anonymous.get(`${path}?_fields=${fields}`)).body, expected, path)
})

t.test('links of a trimmed list keep trimming', async (t) => {
  const api = await build(t)
  await seed(api)
  const { body } = await api.anonymous.get(
    '/organizers?per_page=1&_fields=organizers.organizer,next_rest_url',
  )
  t.same(Object.keys(body), ['organizers', 'next_rest_url'])
  const next = body.next_rest_url.slice('http://calendar.test'.length)
  t.same((await api.anonymous.get(`/${next}`)).body, { organizers: [{ organizer: 'Choir' }] })
})

t.test('what WordPress offers beside _fields is not supported', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const plain = await api.anonymous.get(`/events/${event.id}`)
  for (const query of ['_envelope=1', '_jsonp=f', '_embed=1', 'context=edit', '_method=DELETE']) {
    const { headers, text } = await api.anonymous.get(`/events/${event.id}?${query}`)
    t.same(text, plain.text, query)
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
  }
  const { status, body } = await api.editor.post(`/events/${event.id}?_method=DELETE`, undefined, {
    headers: { 'x-http-method-override': 'DELETE' },
  })
  t.match(
    { status, body },
    { status: 200, body: { id: event.id, status: 'publish' } },
    'an update of nothing',
  )
})
