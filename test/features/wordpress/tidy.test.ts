import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const API = '/wp-json/tribe/events/v1'

/** Writes of an editor that are not held to the document of our API, which has no such members. */
async function open(t: Test, env: Record<string, string> = {}) {
  const { app, editor, author, credentials } = await build(t, { env })
  const headers = { authorization: credentials.editor.authorization }
  const send = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const answer = await app.inject({ method, url, payload, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  return {
    editor,
    author,
    post: (url: string, payload: object) => send('POST', url, payload),
    patch: (url: string, payload: object) => send('PATCH', url, payload),
  }
}

t.test('members that The Events Calendar drops are understood where their meaning is plain', async (t) => {
  const { editor, post, patch } = await open(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const organizer = await must(editor.post('/organizers', { organizer: 'Choir' }))
  const image = (await must(editor.post('/media', await draw(20, 20), raw('a.png')))).id
  const cases: [sent: object, shown: object][] = [
    [{ venue_id: venue.id }, { venue: { id: venue.id } }],
    [{ venue_id: String(venue.id) }, { venue: { id: venue.id } }],
    [{ venues: [venue.id] }, { venue: { id: venue.id } }],
    [{ organizer_id: organizer.id }, { organizer: [{ id: organizer.id }] }],
    [{ organizers: [organizer.id] }, { organizer: [{ id: organizer.id }] }],
    [{ organizer_ids: `${organizer.id}` }, { organizer: [{ id: organizer.id }] }],
    [{ organizers: [{ organizer: 'Choir' }] }, { organizer: [{ id: organizer.id }] }],
    [{ featured_image: image }, { image: { id: image } }],
    [{ featured_media: image }, { image: { id: image } }],
    [{ featured_media: 0 }, { image: false }],
    [{ content: 'Text' }, { description: '<p>Text</p>' }],
    [{ content: { raw: 'Text' } }, { description: '<p>Text</p>' }],
    [{ tribe_events_cat: ['Music'] }, { categories: [{ name: 'Music' }] }],
    [{ title: { raw: 'Other' } }, { title: 'Other' }],
    [
      { meta: { _EventVenueID: venue.id, _EventURL: 'https://a.example' } },
      { venue: { id: venue.id }, website: 'https://a.example' },
    ],
  ]
  for (const [sent, shown] of cases)
    for (const mount of [API, '/ca/wp-json/tribe/events/v1', '/?rest_route=/tribe/events/v1']) {
      const made = await post(`${mount}/events`, { ...EVENT, ...sent })
      t.match(made, { status: 201, body: shown }, JSON.stringify(sent))
      t.equal(made.headers['x-ignored-fields'], undefined, JSON.stringify(sent))
    }
  const event = await must(editor.post('/events', EVENT))
  t.match((await patch(`${API}/events/${event.id}`, { venue_id: venue.id })).body, {
    venue: { id: venue.id },
  })
  t.match((await post(`${API}/events/by-slug/${event.slug}`, { venue_id: 0 })).body, { venue: [] })
  t.match(
    (await post(`${API}/venues`, { title: 'Bar', lat: 41.9, lng: 2.2, state_province: 'Girona' })).body,
    {
      ...{ venue: 'Bar', geo_lat: 41.9, stateprovince: 'Girona' },
    },
  )
  t.equal((await post(`${API}/organizers`, { title: 'Band', content: 'x' })).body.organizer, 'Band')
})

t.test('operations of a batch are understood as well', async (t) => {
  const { editor, post } = await open(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  for (const atomic of [true, false]) {
    const operations = [
      { method: 'POST', path: '/events', body: { ...EVENT, venue_id: venue.id, content: 'Text' } },
    ]
    const { body } = await post(`${API}/batch`, { operations, atomic })
    t.match(body, {
      results: [{ status: 201, body: { venue: { id: venue.id }, description: '<p>Text</p>' } }],
    })
    t.equal(body.results[0].headers['X-Ignored-Fields'], undefined)
  }
})

t.test('a picture that does not exist is named as ignored, and the event is written', async (t) => {
  const { editor, author, post, patch } = await open(t)
  const image = (await must(editor.post('/media', await draw(20, 20), raw('a.png')))).id
  for (const [sent, ignored] of [
    [{ featured_image: 5_000 }, 'featured_image'],
    [{ featured_media: '5000' }, 'featured_media'],
    [{ featured_image: 'stage.png' }, 'featured_image'],
    [{ featured_image: { id: image } }, 'featured_image'],
    [{ featured_media: 1e300 }, 'featured_media'],
  ] as const)
    for (const url of [`${API}/events`, '/wp-json/wp/v2/tribe_events', '/wp-json/tec/v1/events']) {
      const { status, headers } = await post(url, { ...EVENT, ...sent })
      t.same([status, headers['x-ignored-fields']], [201, ignored], JSON.stringify(sent))
    }
  const made = await post(`${API}/events`, { ...EVENT, featured_media: 5_000, featured_image: image })
  t.match(made, { status: 201, body: { image: { id: image } } }, 'of two the one that exists counts')
  t.equal(made.headers['x-ignored-fields'], 'featured_media')
  const kept = await patch(`${API}/events/${made.body.id}`, { featured_media: 5_000 })
  t.match(kept.body, { image: { id: image } }, 'an update keeps the picture that there is')
  const secret = (await must(editor.post('/media', await draw(20, 20), raw('b.png')))).id
  const hidden = await author.post('//wp-json/wp/v2/tribe_events', { ...EVENT, featured_media: secret })
  t.match(
    [hidden.headers['x-ignored-fields'], hidden.body.featured_media],
    ['featured_media', 0],
    'as one unseen',
  )
  for (const sent of [{ image: 5_000 }, { featured_image: 'http://127.0.0.1:1/a.png' }])
    t.match(await post(`${API}/events`, { ...EVENT, ...sent }), {
      status: 400,
      body: { data: { params: { image: /./ } } },
    })
})

t.test('our own names win, and what is not understood is named as before', async (t) => {
  const { editor, post } = await open(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const made = await post(`${API}/events`, {
    ...EVENT,
    ...{
      venue: venue.id,
      venue_id: 99,
      description: 'Own',
      content: 'Other',
      location: 'x',
      meta: { _EventCost: 1, a: 1 },
    },
    cost: '2',
  })
  t.match(made, { status: 201, body: { venue: { id: venue.id }, description: '<p>Own</p>', cost: '$2' } })
  t.equal(made.headers['x-ignored-fields'], 'venue_id, content, location, meta')
  const refused = await post(`${API}/events`, { ...EVENT, venue_id: 99 })
  t.match(refused, { status: 400, body: { code: 'rest_invalid_param', data: { params: { venue: /./ } } } })
  t.equal((await post(`${API}/tags`, { name: 'Late', content: 'x' })).headers['x-ignored-fields'], 'content')
})

t.test('at the address of our own API they are named as ignored', async (t) => {
  for (const env of [undefined, { COMPAT_PREFIXES: '' }]) {
    const { post } = await open(t, env)
    const { headers, body } = await post(`${ROOT}/events`, { ...EVENT, venue_id: 99, content: 'x' })
    t.equal(headers['x-ignored-fields'], 'venue_id, content')
    t.equal(body.description, '')
  }
})

t.test('a recurrence in the form of another program is passed over below /wp-json alone', async (t) => {
  const own = await open(t)
  const post = async (path: string, payload: object) => {
    const { status, headers, body } = await own.post(path, payload)
    return { status, ignored: headers['x-ignored-fields'], body }
  }
  const { id } = (await post(`${ROOT}/events`, EVENT)).body
  for (const recurrence of [{ type: 'weekly', interval: 1 }, [], {}, '', false, 'FREQ=DAILY'])
    for (const path of [`${API}/events`, '/wp-json/wp/v2/tribe_events']) {
      const made = await post(path, { ...EVENT, title: `By ${JSON.stringify(recurrence)}`, recurrence })
      t.match(made, { status: 201, ignored: 'recurrence' }, path)
      const changed = await post(`${path}/${id}`, { title: 'Changed', recurrence })
      t.match(changed, { status: 200, ignored: 'recurrence' }, path)
    }
  t.match(await post(`${ROOT}/events`, { ...EVENT, recurrence: { type: 'weekly' } }), { status: 400 })
  const series = await post(`${API}/events`, { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } })
  t.match(series, { status: 201, ignored: undefined, body: { series: Number } })
  t.match(await post(`${API}/events`, { ...EVENT, recurrence: { rrule: 1 } }), { status: 400 })
  t.match(await post(`${API}/events/${id}`, { recurrence: null }), { status: 200, ignored: undefined })
})
