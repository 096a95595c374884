import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { KINDS } from '../../support/given.ts'

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
    ['__proto__,constructor,toString', {}],
  ]
  for (const [fields, expected] of cases)
    for (const path of [`/events/${event.id}`, '/events/by-slug/concert']) {
      const { status, body } = await api.anonymous.get(`${path}?_fields=${encodeURIComponent(fields)}`)
      t.same({ status, body }, { status: 200, body: expected }, `${path} ${fields}`)
    }
  t.same((await api.anonymous.get(`/events/${event.id}?_fields[]=id`)).body, { id: event.id })
  for (const blank of ['', ',', ' , '])
    t.match(await api.anonymous.get(`/events?_fields=${encodeURIComponent(blank)}`), {
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
})

const METHODS = ['PATCH', 'PUT', 'POST', 'DELETE'] as const

const send = ({ editor }: Api, method: (typeof METHODS)[number], path: string, match: string, body: object) =>
  editor[method.toLowerCase() as 'patch'](path, method === 'DELETE' ? undefined : body, {
    headers: { 'if-match': match },
  })
const etagOf = async ({ editor }: Api, path: string) => (await editor.get(path)).headers.etag!

for (const [plural, name, input, ways] of KINDS)
  t.test(`${plural}: a write with If-Match is done only where nobody was faster`, async (t) => {
    const api = await build(t)
    let at = 0
    for (const method of METHODS)
      for (const by of ways) {
        const { id, slug } = await must(api.editor.post(`/${plural}`, input))
        const path = by === 'id' ? `/${plural}/${id}` : `/${plural}/by-slug/${slug}`
        const old = await etagOf(api, path)
        await must(api.editor.patch(path, { description: 'x' }))
        const before = await api.fingerprint()
        const what = `${method} ${by}`
        for (const match of [old, '"other"', `W/${old}`, '']) {
          const answer = await send(api, method, path, match, { [name]: 'Late' })
          t.equal(refusal(answer), '412 rest_precondition_failed', `${what} ${match}`)
          t.equal(answer.headers.etag, await etagOf(api, path), 'the ETag of now')
        }
        t.equal(await api.fingerprint(), before, 'nothing was written')
        const current = await etagOf(api, path)
        const done = await send(api, method, path, `W/"other", ${at++ % 2 ? 'W/' : ''}${current}`, {
          [name]: `By ${what}`,
        })
        t.equal(done.status, 200, what)
      }
  })

t.test('of editors who are equally fast exactly one wins', async (t) => {
  const api = await build(t)
  for (const [plural, name, input] of KINDS)
    for (const method of METHODS) {
      const { id } = await must(api.editor.post(`/${plural}`, input))
      const path = `/${plural}/${id}`
      const etag = await etagOf(api, path)
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, at) => send(api, method, path, etag, { [name]: `${method} ${at}` })),
      )
      const won = answers.filter(({ status }) => status === 200)
      t.equal(won.length, 1, `${method} ${path}`)
      for (const lost of answers.filter(({ status }) => status !== 200))
        if (method === 'DELETE') t.match(refusal(lost), /^(404|410|412) /)
        else
          t.match(
            [refusal(lost), lost.headers.etag],
            ['412 rest_precondition_failed', await etagOf(api, path)],
          )
      if (method !== 'DELETE') t.equal((await api.editor.get(path)).body[name], won[0]!.body[name])
    }
})

t.test('one who is faster without If-Match makes the other late as well', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const etag = await etagOf(api, `/events/${id}`)
  const [bare, held] = await Promise.all([
    api.editor.patch(`/events/${id}`, { title: 'Bare' }),
    send(api, 'PATCH', `/events/${id}`, etag, { title: 'Held' }),
  ])
  t.same([bare.status, refusal(held)], [200, '412 rest_precondition_failed'])
  t.equal((await api.editor.get(`/events/${id}`)).body.title, 'Bare')
})

t.test('an event that shows its venue anew has another ETag, and the time of that', async (t) => {
  const { editor, clock } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const { id } = await must(editor.post('/events', { ...EVENT, venue: venue.id }))
  const path = `/events/${id}`
  const { etag } = (await editor.get(path)).headers
  clock.now += 60_000
  const [renamed, changed] = await Promise.all([
    editor.patch(`/venues/${venue.id}`, { venue: 'House' }),
    editor.patch(path, { title: 'Opera' }, { headers: { 'if-match': etag! } }),
  ])
  t.same([renamed!.status, changed!.status], [200, 412])
  clock.now += 60_000
  const { body, headers } = await editor.get(path)
  t.match(body, { title: 'Concert', venue: { venue: 'House' } })
  t.not(headers.etag, etag)
  t.equal(headers['last-modified'], 'Sat, 21 Nov 2026 09:01:00 GMT')
})

t.test('`*` is any record that is there', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  t.equal((await send(api, 'PATCH', `/events/${id}`, ' * ', { title: 'New' })).status, 200)
  t.equal(refusal(await send(api, 'PATCH', '/events/99', '*', { title: 'New' })), '404 rest-event-not-found')
})

t.test('every other refusal comes first', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const headers = { 'if-match': '"other"' }
  const path = `/events/${id}`
  t.equal(refusal(await api.anonymous.patch(path, {}, { headers })), '401 rest_forbidden')
  t.equal(refusal(await api.author.patch(path, {}, { headers })), '403 rest_forbidden')
  t.equal(refusal(await api.editor.patch('/events/99', {}, { headers })), '404 rest-event-not-found')
  t.equal(refusal(await api.editor.patch(path, { venue: 99 }, { headers })), '400 rest_invalid_param venue')
  await must(api.editor.delete(path))
  t.equal(refusal(await api.editor.patch(path, {}, { headers })), '410 event-is-in-trash')
  const restored = await api.editor.patch(path, { status: 'publish' }, { headers })
  t.same(
    [refusal(restored), restored.headers.etag],
    ['412 rest_precondition_failed', await etagOf(api, path)],
    'the ETag of now, as the refusal of a read has it',
  )
})

t.test('a picture is deleted by its ETag', async (t) => {
  const api = await build(t)
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  const { id } = await must(api.editor.post('/media', gif, { headers: { 'content-type': 'image/gif' } }))
  t.equal(refusal(await send(api, 'DELETE', `/media/${id}`, '"other"', {})), '412 rest_precondition_failed')
  const etag = await etagOf(api, `/media/${id}`)
  const answers = await Promise.all([1, 2].map(() => send(api, 'DELETE', `/media/${id}`, etag, {})))
  t.same(
    answers.map(({ status }) => status),
    [200, 404],
  )
})

t.test('a record that is deleted in the moment it is changed is answered as gone', async (t) => {
  const api = await build(t)
  const force = (path: string) => api.editor.delete(`${path}?force=true`)
  for (const [plural, , input] of KINDS) {
    const { id } = await must(api.editor.post(`/${plural}`, input))
    const path = `/${plural}/${id}`
    const [changed, erased] = await Promise.all([api.editor.patch(path, { description: 'x' }), force(path)])
    t.match([refusal(changed), erased.status], [/^404 [\w-]+-not-found$/, 200], path)
  }
  const { id } = await must(api.editor.post('/events', EVENT))
  const [trashed, erased] = await Promise.all([api.editor.delete(`/events/${id}`), force(`/events/${id}`)])
  t.same([refusal(trashed), erased.status], ['404 rest-event-not-found', 200])
})
