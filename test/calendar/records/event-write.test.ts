import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { EVENT, ROOT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'
import { faults } from '../../support/validation.ts'
import { storePicture } from '../../support/writes.ts'

const BASE = `http://calendar.test${ROOT}`
const open = (t: Test) => openRecords(t, { env: { TIMEZONE: 'America/New_York', CURRENCY: 'EUR' } })

const embed = ({ json_ld, ...record }: Record<string, unknown>) => record

/** What an event of three fields is, but for the names of its own. */
const PLAIN = {
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
  const { anonymous, editor, ids } = await open(t)
  const body = await must(editor.create('event', EVENT))
  t.strictSame(body, { ...PLAIN, author: String(ids.editor), ...named(body.id, 'Concert', 'concert') })
  t.strictSame((await anonymous.list('event')).body.events, [body], 'a list shows the same')
  const single = await anonymous.read('event', body.id)
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
  t.strictSame((await anonymous.read('event', 'CONCERT/')).body, single.body)
  t.strictSame(faults('CalendarEvent', single.body), [])
})

t.test('every field that is sent is stored, and shown', async (t) => {
  const { anonymous, editor, store, ids, callers } = await open(t)
  await must(editor.create('event', EVENT))
  const image = await storePicture(store, callers.editor)
  const sent = {
    title: ' Fish &amp; <b>Chips</b>\nnight ',
    description: 'One <script>x()</script>line\n\n<a href="javascript:x" onclick="x">Two</a>',
    excerpt: '<p>In short</p>',
    slug: 'Fish Night!',
    start_date: '2027-05-14T18:00:00',
    end_date: '2027-05-14 23:30',
    timezone: 'europe/madrid',
    date: '2026-10-01 12:00:00',
    author: ids.author,
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
  const body = await must(editor.create('event', sent))
  const venue = (await anonymous.read('venue', 'harbour')).body
  const cook = (await anonymous.read('organizer', 'cook')).body
  const waiter = (await anonymous.read('organizer', 'waiter')).body
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
    author: String(ids.author),
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
    image: (await must(anonymous.read('event', body.id))).image,
    categories: [term(1, 'Food', 'food', 'calendar_events_cat', 'categories')],
    tags: [term(3, 'Cheap', 'cheap', 'post_tag', 'tags'), term(2, 'late', 'late', 'post_tag', 'tags')],
    venue: embed(venue),
    organizer: [embed(cook), embed(waiter)],
  }
  t.strictSame(body, event)
  t.match(body.image, { id: image, extension: 'png', width: 9, height: 9 })
  const single = (await anonymous.read('event', body.id)).body
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

t.test('required fields that are missing are all named', async (t) => {
  const { editor } = await open(t)
  const cases: [sent: object, missing: string[]][] = [
    [{}, ['title', 'start_date', 'end_date']],
    [{ title: 'x', featured: 'wrong' }, ['start_date', 'end_date']],
    [{ ...EVENT, title: null }, ['title']],
    [{ ...EVENT, end_date: null }, ['end_date']],
  ]
  for (const [sent, params] of cases) {
    const { status, body } = await editor.create('event', sent)
    t.strictSame(
      [status, body.code, body.data],
      [400, 'rest_missing_callback_param', { status: 400, params }],
    )
  }
})
