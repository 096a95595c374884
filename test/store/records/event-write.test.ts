import sharp from 'sharp'
import t from 'tap'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { faults } from '../../support/schema.ts'

const BASE = `http://calendar.test${ROOT}`
const api = await build(t, { env: { TIMEZONE: 'America/New_York', CURRENCY: 'EUR' } })
const { anonymous, editor } = api

async function upload(width = 200): Promise<number> {
  const picture = sharp({ create: { width, height: 100, channels: 3, background: 'navy' } })
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="blue.png"' }
  return (await must(editor.post('/media', await picture.png().toBuffer(), { headers }))).id
}
const embed = ({ json_ld, ...record }: Record<string, unknown>) => record

/** What an event of three fields is, but for the names of its own. */
const PLAIN = {
  author: String(api.credentials.editor.id),
  status: 'publish',
  date: '2026-11-21 04:00:00',
  date_utc: '2026-11-21 09:00:00',
  modified: '2026-11-21 04:00:00',
  modified_utc: '2026-11-21 09:00:00',
  language: 'en',
  description: '',
  excerpt: '',
  image: false,
  all_day: false,
  start_date: '2026-12-01 20:00:00',
  start_date_details: { year: '2026', month: '12', day: '01', hour: '20', minutes: '00', seconds: '00' },
  end_date: '2026-12-01 22:00:00',
  end_date_details: { year: '2026', month: '12', day: '01', hour: '22', minutes: '00', seconds: '00' },
  utc_start_date: '2026-12-02 01:00:00',
  utc_start_date_details: { year: '2026', month: '12', day: '02', hour: '01', minutes: '00', seconds: '00' },
  utc_end_date: '2026-12-02 03:00:00',
  utc_end_date_details: { year: '2026', month: '12', day: '02', hour: '03', minutes: '00', seconds: '00' },
  timezone: 'America/New_York',
  timezone_abbr: 'EST',
  cost: '',
  cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
  website: '',
  show_map: false,
  show_map_link: false,
  hide_from_listings: false,
  sticky: false,
  featured: false,
  ticketed: false,
  event_status: 'scheduled',
  attendance_mode: 'offline',
  virtual_url: '',
  event_status_reason: '',
  previous_start_date: '',
  post_parent: 0,
  translations: {},
  categories: [],
  tags: [],
  venue: [],
  organizer: [],
  custom_fields: [],
}
const named = (id: number, title: string, slug: string) => ({
  id,
  global_id: `calendar.test?id=${id}`,
  global_id_lineage: [`calendar.test?id=${id}`],
  url: `http://calendar.test/event/${slug}/`,
  rest_url: `${BASE}/events/${id}`,
  title,
  slug,
})

t.test('a title and two dates make an event', async (t) => {
  const { status, headers, body } = await editor.post('/events', EVENT)
  t.equal(status, 201)
  t.equal(headers.location, `${BASE}/events/${body.id}`)
  t.strictSame(body, { ...PLAIN, ...named(body.id, 'Concert', 'concert') })
  t.strictSame((await anonymous.get('/events')).body.events, [body], 'a list shows the same')
  const single = await anonymous.get(`/events/${body.id}`)
  t.strictSame(embed(single.body), body, 'a single read adds only json_ld')
  t.strictSame(single.body.json_ld, {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: 'Concert',
    description: '',
    url: 'http://calendar.test/event/concert/',
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    eventStatus: 'https://schema.org/EventScheduled',
    startDate: '2026-12-01T20:00:00-05:00',
    endDate: '2026-12-01T22:00:00-05:00',
    performer: 'Organization',
    location: false,
  })
  t.strictSame((await anonymous.get('/events/by-slug/CONCERT/')).body, single.body)
  t.strictSame(faults('CalendarEvent', single.body), [])
})

t.test('every field that is sent is stored, and shown', async (t) => {
  const image = await upload()
  const sent = {
    title: ' Fish &amp; <b>Chips</b>\nnight ',
    description: 'One <script>x()</script>line\n\n<a href="javascript:x" onclick="x">Two</a>',
    excerpt: '<p>In short</p>',
    slug: 'Fish Night!',
    start_date: '2027-05-14T18:00:00',
    end_date: '2027-05-14 23:30',
    timezone: 'europe/madrid',
    date: '2026-10-01 12:00:00',
    author: api.credentials.author.id,
    status: 'publish',
    image: String(image),
    cost: ['25', '15 €'],
    website: 'https://fish.example/?a=1&b=2',
    show_map: true,
    show_map_link: 'true',
    sticky: 1,
    featured: '1',
    hide_from_listings: false,
    ticketed: 'TRUE',
    event_status: 'postponed',
    attendance_mode: 'mixed',
    virtual_url: ' https://stream.example/fish?a=1&b=2 ',
    categories: ['Food'],
    tags: 'late, Cheap',
    venue: { venue: 'Harbour', city: 'Palma', geo_lat: 39.57, geo_lng: 2.63, show_map: false },
    organizer: [{ organizer: 'Cook', email: 'cook@fish.example' }, { organizer: 'Waiter' }],
    post_parent: 1,
    i18n_language: 'en',
  }
  const { status, body } = await editor.post('/events', sent)
  t.equal(status, 201)
  const venue = (await anonymous.get('/venues/by-slug/harbour')).body
  const cook = (await anonymous.get('/organizers/by-slug/cook')).body
  const waiter = (await anonymous.get('/organizers/by-slug/waiter')).body
  t.match(venue, { venue: 'Harbour', city: 'Palma', geo_lat: 39.57, show_map: false, status: 'publish' })
  const term = (id: number, name: string, slug: string, taxonomy: string, collection: string) => ({
    ...{ name, slug, term_group: 0, term_taxonomy_id: id, taxonomy, description: '', parent: 0, count: 1 },
    ...{
      filter: 'raw',
      id,
      urls: { self: `${BASE}/${collection}/${id}`, collection: `${BASE}/${collection}` },
    },
  })
  const event = {
    ...PLAIN,
    ...named(body.id, 'Fish & Chips night', 'fish-night'),
    description: '<p>One line</p>\n<p><a>Two</a></p>',
    excerpt: '<p>In short</p>',
    author: String(api.credentials.author.id),
    date: '2026-10-01 12:00:00',
    date_utc: '2026-10-01 16:00:00',
    start_date: '2027-05-14 18:00:00',
    start_date_details: { year: '2027', month: '05', day: '14', hour: '18', minutes: '00', seconds: '00' },
    end_date: '2027-05-14 23:30:00',
    end_date_details: { year: '2027', month: '05', day: '14', hour: '23', minutes: '30', seconds: '00' },
    utc_start_date: '2027-05-14 16:00:00',
    utc_start_date_details: {
      year: '2027',
      month: '05',
      day: '14',
      hour: '16',
      minutes: '00',
      seconds: '00',
    },
    utc_end_date: '2027-05-14 21:30:00',
    utc_end_date_details: { year: '2027', month: '05', day: '14', hour: '21', minutes: '30', seconds: '00' },
    timezone: 'Europe/Madrid',
    timezone_abbr: 'CEST',
    cost: '15€ – 25€',
    cost_details: {
      currency_symbol: '€',
      currency_code: '',
      currency_position: 'postfix',
      values: ['15', '25'],
    },
    website: 'https://fish.example/?a=1&b=2',
    ...{ show_map: true, show_map_link: true, sticky: true, featured: true, ticketed: true },
    ...{ event_status: 'postponed', attendance_mode: 'mixed' },
    virtual_url: 'https://stream.example/fish?a=1&b=2',
    post_parent: 1,
    image: (await must(anonymous.get(`/events/${body.id}`))).image,
    categories: [term(1, 'Food', 'food', 'calendar_events_cat', 'categories')],
    tags: [term(3, 'Cheap', 'cheap', 'post_tag', 'tags'), term(2, 'late', 'late', 'post_tag', 'tags')],
    venue: embed(venue),
    organizer: [embed(cook), embed(waiter)],
  }
  t.strictSame(body, event)
  t.match(body.image, {
    id: image,
    extension: 'png',
    width: 200,
    height: 100,
    sizes: { thumbnail: { width: 150 } },
  })
  const single = (await anonymous.get(`/events/${body.id}`)).body
  t.strictSame(
    embed({ ...single, venue: embed(single.venue), organizer: single.organizer.map(embed) }),
    event,
  )
  t.match(single.json_ld, {
    image: body.image.url,
    startDate: '2027-05-14T18:00:00+02:00',
    eventStatus: 'https://schema.org/EventPostponed',
    eventAttendanceMode: 'https://schema.org/MixedEventAttendanceMode',
    location: [
      { '@type': 'VirtualLocation', url: 'https://stream.example/fish?a=1&b=2' },
      { '@type': 'Place', name: 'Harbour', address: { addressLocality: 'Palma' } },
    ],
    organizer: { '@type': 'Person', name: 'Cook', email: 'cook@fish.example' },
    offers: { price: '15 – 25', priceCurrency: 'EUR' },
  })
  t.strictSame(single.venue, venue, 'with a json_ld of its own')
  t.strictSame(faults('CalendarEvent', single), [])
})

t.test('required fields that are missing are all named, whoever asks', async (t) => {
  const cases: [body: object | undefined, missing: string[]][] = [
    [undefined, ['title', 'start_date', 'end_date']],
    [{}, ['title', 'start_date', 'end_date']],
    [[], ['title', 'start_date', 'end_date']],
    [{ title: 'x', featured: 'wrong' }, ['start_date', 'end_date']],
    [{ ...EVENT, title: null }, ['title']],
    [{ ...EVENT, end_date: null }, ['end_date']],
  ]
  for (const [sent, params] of cases)
    for (const client of [anonymous, editor]) {
      const { status, body } = await client.post('/events', sent)
      t.strictSame(
        [status, body.code, body.data],
        [400, 'rest_missing_callback_param', { status: 400, params }],
      )
    }
  t.match(await anonymous.post('/events', EVENT), { status: 401, body: { code: 'rest_forbidden' } })
  t.match(await api.subscriber.post('/events', EVENT), { status: 403, body: { code: 'rest_forbidden' } })
})
