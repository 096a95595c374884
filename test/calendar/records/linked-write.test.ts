import t from 'tap'
import { must } from '../../support/answers.ts'
import { openRecords } from '../../support/store.ts'
import { faults } from '../../support/validation.ts'

const BASE = 'http://calendar.test'

/** Members of a venue that are shown as they were sent. */
const plain = {
  country: 'Spain',
  province: 'Barcelona',
  state: 'CT',
  zip: '08930',
  phone: '+34 930 000 000',
  website: 'https://venue.example/?a=1&b=2',
}

t.test('a venue comes back with everything it was given', async (t) => {
  const api = await openRecords(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const answer = await api.author.create('venue', {
    venue: ' Parc del F&ograve;rum\n',
    description: 'Seafront <b>park</b>',
    address: 'Carrer de la Pau <i>12</i>',
    city: 'Sant Adri&agrave;',
    ...plain,
    show_map: 'no',
    show_map_link: '1',
    geo_lat: 41.4106,
    geo_lng: '2.2264',
    excerpt: 'not a field',
  })
  const venue = {
    id: 1,
    global_id: 'calendar.test?id=1',
    global_id_lineage: ['calendar.test?id=1'],
    author: String(api.ids.author),
    status: 'publish',
    date: '2026-11-21 10:00:00',
    date_utc: '2026-11-21 09:00:00',
    modified: '2026-11-21 10:00:00',
    modified_utc: '2026-11-21 09:00:00',
    url: `${BASE}/venue/parc-del-forum/`,
    language: 'en',
    venue: 'Parc del Fòrum',
    description: '<p>Seafront <b>park</b></p>',
    slug: 'parc-del-forum',
    address: 'Carrer de la Pau 12',
    city: 'Sant Adrià',
    ...plain,
    stateprovince: 'Barcelona',
    geo_lat: 41.4106,
    geo_lng: 2.2264,
    show_map: false,
    show_map_link: true,
    translations: {},
  }
  t.strictSame(answer, { status: 200, body: venue, ignored: ['excerpt'], created: [] })
  const json_ld = {
    '@type': 'Place',
    name: 'Parc del Fòrum',
    description: 'Seafront park',
    url: venue.url,
    address: {
      '@type': 'PostalAddress',
      streetAddress: 'Carrer de la Pau 12',
      addressLocality: 'Sant Adrià',
      addressRegion: 'Barcelona',
      postalCode: '08930',
      addressCountry: 'Spain',
    },
    telephone: '+34 930 000 000',
    sameAs: 'https://venue.example/?a=1&b=2',
    geo: { '@type': 'GeoCoordinates', latitude: 41.4106, longitude: 2.2264 },
  }
  for (const key of [1, 'Parc-del-Forum']) {
    const { body } = await api.anonymous.read('venue', key)
    t.strictSame(body, { ...venue, json_ld })
    t.same(faults('Venue', body), [])
  }
})

t.test('an organizer comes back with everything it was given', async (t) => {
  const api = await openRecords(t)
  const answer = await api.author.create('organizer', {
    organizer: 'Acme Events',
    description: 'Promoter',
    phone: '+34 930 111 111',
    website: 'mailto:info@acme.example',
    email: 'not checked',
    city: 'not a field',
  })
  const organizer = {
    id: 1,
    global_id: 'calendar.test?id=1',
    global_id_lineage: ['calendar.test?id=1'],
    author: String(api.ids.author),
    status: 'publish',
    date: '2026-11-21 09:00:00',
    date_utc: '2026-11-21 09:00:00',
    modified: '2026-11-21 09:00:00',
    modified_utc: '2026-11-21 09:00:00',
    url: `${BASE}/organizer/acme-events/`,
    language: 'en',
    organizer: 'Acme Events',
    description: '<p>Promoter</p>',
    slug: 'acme-events',
    phone: '+34 930 111 111',
    website: 'mailto:info@acme.example',
    email: 'not checked',
    translations: {},
  }
  t.strictSame(answer, { status: 200, body: organizer, ignored: ['city'], created: [] })
  const { body } = await api.anonymous.read('organizer', 'acme-events')
  const json_ld = {
    '@type': 'Person',
    name: 'Acme Events',
    description: 'Promoter',
    url: 'mailto:info@acme.example',
    telephone: '+34 930 111 111',
    email: 'not checked',
    sameAs: 'mailto:info@acme.example',
  }
  t.strictSame(body, { ...organizer, json_ld })
  t.same(faults('Organizer', body), [])
})

t.test('what is empty is left out', async (t) => {
  const { author, anonymous } = await openRecords(t)
  const common =
    'id global_id global_id_lineage author status date date_utc modified modified_utc url language'.split(' ')
  const venue = await must(
    author.create('venue', { venue: 'Hall', city: '', description: null, geo_lat: null, geo_lng: null }),
  )
  t.same(Object.keys(venue), [...common, 'venue', 'slug', 'show_map', 'show_map_link', 'translations'])
  const organizer = await must(author.create('organizer', { organizer: 'Club', email: ' ', image: '' }))
  t.same(Object.keys(organizer), [...common, 'organizer', 'slug', 'translations'])
  t.same((await anonymous.read('venue', 1)).body.json_ld.address, { '@type': 'PostalAddress' })
  t.same(
    (await must(author.change('venue', 1, { geo_lat: 0, geo_lng: -180 }))).geo_lat,
    0,
    'the equator is a place',
  )
})

t.test('an update changes what it carries, by ID and by slug', async (t) => {
  const { author } = await openRecords(t)
  const changes: [input: object, expected: object, gone?: string[]][] = [
    [{}, {}],
    [{ venue: 'Great &amp; Hall' }, { venue: 'Great & Hall' }],
    [
      { city: 'Bari', phone: '5' },
      { city: 'Bari', phone: '5' },
    ],
    [{ city: '' }, {}, ['city']],
    [{ zip: null }, {}, ['zip']],
    [{ description: '' }, {}, ['description']],
    [{ show_map_link: 'FALSE' }, { show_map_link: false }],
    [
      { show_map_link: null, show_map: 'On' },
      { show_map_link: true, show_map: true },
    ],
    [
      { geo_lat: 1.5, geo_lng: 2 },
      { geo_lat: 1.5, geo_lng: 2 },
    ],
    [{ geo_lat: null, geo_lng: null }, {}, ['geo_lat', 'geo_lng']],
    [{ status: 'private' }, { status: 'private' }],
    [{ status: null }, {}],
    [{ id: 99 }, {}],
  ]
  for (const by of ['id', 'slug'] as const) {
    const input = { venue: 'Hall', city: 'Rome', zip: '1', description: 'x', show_map: 'off' }
    let venue = await must(author.create('venue', input))
    const key = venue[by]
    for (const [input, expected, gone = []] of changes) {
      const { status, body } = await author.change('venue', key, input)
      venue = { ...venue, ...expected }
      for (const name of gone) delete venue[name]
      t.strictSame({ status, body }, { status: 200, body: venue }, `${key} ${JSON.stringify(input)}`)
    }
  }
})

t.test('an organizer is updated in part as well', async (t) => {
  const { author } = await openRecords(t)
  const input = {
    organizer: 'Club',
    phone: '1',
    email: 'a@b.test',
    website: 'http://b.test',
    description: 'x',
  }
  const organizer = await must(author.create('organizer', input))
  t.strictSame(await must(author.change('organizer', 1, {})), organizer)
  const { phone, description, ...rest } = organizer
  const changed = await must(author.change('organizer', 'club', { phone: '', description: null, email: 'c' }))
  t.strictSame(changed, { ...rest, email: 'c' })
})

t.test('state or province is what was given, else the one that fits the country', async (t) => {
  const { author } = await openRecords(t)
  const cases: [input: Record<string, string | null>, expected: string | undefined][] = [
    [{}, undefined],
    [{ state: 'NY' }, 'NY'],
    [{ country: 'US' }, 'NY'],
    [{ country: 'United States', province: 'Ontario' }, 'NY'],
    [{ country: 'Canada' }, 'Ontario'],
    [{ state: '' }, 'Ontario'],
    [{ stateprovince: 'Own words' }, 'Own words'],
    [{ country: '', state: 'TX', city: 'Dallas' }, 'Own words'],
    [{ stateprovince: null }, 'TX'],
    [{ state: '' }, 'Ontario'],
    [{ country: 'Canada', province: '' }, undefined],
  ]
  await must(author.create('venue', { venue: 'Hall' }))
  for (const [input, expected] of cases) {
    const { body } = await author.change('venue', 1, input)
    t.equal(body.stateprovince, expected, JSON.stringify(input))
  }
})
