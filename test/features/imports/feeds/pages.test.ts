import t from 'tap'
import { feedAddress, readFeed as steps } from '../../../../src/features/imports/feeds/feed-import.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { rssOf } from '../../../support/sites.ts'

const readFeed = (...of: Parameters<typeof steps>) => finish(steps(...of))

const PLACE = 'https://place.example/whats-on/'
const read = (text: string) =>
  readFeed(text, { zone: 'Europe/Madrid', media: true, languages: ['en'], address: PLACE, shown: PLACE })
const page = (...values: unknown[]) =>
  `<!doctype html><html><head><title>What’s on</title>\n${values
    .map(
      (value) =>
        `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`,
    )
    .join('\n')}</head><body><p>Hi</p></body></html>`
const CONCERT = {
  ...{ '@context': 'https://schema.org', '@type': 'MusicEvent', name: 'Jazz &#038; more' },
  ...{ startDate: '2026-12-01T20:00:00+01:00', endDate: '2026-12-01T22:00:00+01:00', url: `${PLACE}jazz` },
}
const bodyOf = (more: object) => read(page({ ...CONCERT, ...more })).items[0]!.body

t.test('a page tells of its events by JSON-LD', async (t) => {
  const { items, faults } = read(
    page(
      { '@type': 'Organization', name: 'Place' },
      {
        ...CONCERT,
        ...{
          description: 'Two &lt;b&gt;bands&lt;/b&gt;',
          image: [{ '@type': 'ImageObject', url: `${PLACE}a.png` }],
        },
        location: {
          ...{ '@type': 'Place', name: 'Hall', url: PLACE, geo: { latitude: 41.5, longitude: '2.1' } },
          address: {
            ...{
              streetAddress: 'Main St 1',
              addressLocality: 'Vic',
              postalCode: '08500',
              addressRegion: 'B',
            },
            addressCountry: { '@type': 'Country', name: 'ES' },
          },
        },
        organizer: [
          {
            '@type': 'Person',
            name: 'Ann',
            email: 'mailto:ann@place.example',
            telephone: '+34 1',
            url: PLACE,
          },
          'Bob',
          { '@type': 'Person', email: 'mailto:eve@place.example' },
        ],
        offers: [
          { '@type': 'Offer', price: 10, priceCurrency: 'EUR' },
          { '@type': 'AggregateOffer', lowPrice: '5.00', highPrice: '10', priceCurrency: 'EUR' },
        ],
        eventStatus: 'https://schema.org/EventPostponed',
      },
    ),
  )
  t.same(faults, [])
  t.same(items, [
    {
      ...{ line: 3, name: 'Jazz & more', external_id: `${PLACE}jazz 2026-12-01T20:00:00+01:00` },
      ...{ dates: [], remarks: [] },
      body: {
        ...{ title: 'Jazz & more', description: 'Two <b>bands</b>', website: `${PLACE}jazz` },
        venue: [
          {
            ...{ venue: 'Hall', address: 'Main St 1', website: PLACE, city: 'Vic', zip: '08500' },
            ...{ stateprovince: 'B', country: 'ES', geo_lat: 41.5, geo_lng: 2.1 },
          },
        ],
        event_status: 'postponed',
        cost: ['10 EUR', '5.00 EUR'],
        organizer: [
          { organizer: 'Ann', phone: '+34 1', website: PLACE, email: 'ann@place.example' },
          { organizer: 'Bob' },
          { organizer: 'eve@place.example', email: 'eve@place.example' },
        ],
        image: `${PLACE}a.png`,
        ...{ start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' },
        ...{ timezone: 'Europe/Madrid', all_day: false },
      },
    },
  ])
})

t.test('events are found in lists of all shapes, each date once', async (t) => {
  const on = (startDate: string, more: object = {}) => ({
    ...CONCERT,
    startDate,
    endDate: undefined,
    ...more,
  })
  const { items } = read(
    page(
      { '@graph': [on('2026-12-01'), { '@type': 'WebPage' }, on('2026-12-01')] },
      { '@type': 'ItemList', itemListElement: [{ '@type': 'ListItem', item: on('2026-12-02') }] },
      [on('2026-12-03', { '@type': ['Thing', 'https://schema.org/Festival'], subEvent: [on('2026-12-04')] })],
      { '@type': 'PublicationEvent', name: 'No', startDate: '2026-12-05' },
      '{ broken',
      on('2026-12-06T25:00'),
      on('', { url: undefined }),
      on('2026-12-07', { endDate: 'late' }),
    ),
  )
  t.same(
    items.map(({ body, refused }) => refused ?? body.start_date),
    [
      ...['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04'],
      'starts at "2026-12-06T25:00", which is no date',
      'does not tell when it starts',
      'ends at "late", which is no date',
    ],
  )
  let deep: object = on('2026-12-08')
  for (let depth = 0; depth < 100; depth++) deep = { '@graph': [deep] }
  t.throws(() => read(page(deep)), { message: /is a page that tells programs of no event/ })
  t.throws(() => read(page({ '@type': 'Organization' })), {
    message: /something else than a calendar or a feed/,
  })
  t.throws(() => read('<html><p>Sign in</p></html>'), { message: /something else than a calendar or a feed/ })
})

t.test('where an event takes place, and what it costs, in all ways of saying so', async (t) => {
  const online = { '@type': 'VirtualLocation', url: 'https://live.example/1' }
  for (const [more, expected] of [
    [{ location: online }, { virtual_url: online.url, attendance_mode: 'online', venue: undefined }],
    [{ location: ['Hall', online] }, { venue: [{ venue: 'Hall' }], attendance_mode: 'mixed' }],
    [{ location: { '@type': 'Place', address: 'Main St 1' } }, { venue: [{ venue: 'Main St 1' }] }],
    [{ location: { '@type': 'Place' } }, { venue: undefined }],
    [{ eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode' }, { attendance_mode: 'online' }],
    [{ isAccessibleForFree: true }, { cost: ['0'] }],
    [{ isAccessibleForFree: 'True', offers: [] }, { cost: ['0'] }],
    [{ isAccessibleForFree: false }, { cost: undefined }],
    [{ offers: { price: 'Donation' } }, { cost: ['Donation'] }],
    [{ eventStatus: 'EventCancelled' }, { event_status: 'cancelled' }],
    [{ eventStatus: 'EventScheduled' }, { event_status: undefined }],
    [
      { image: 'data:image/png;base64,AAAA', url: 'ftp://x' },
      { image: undefined, website: undefined },
    ],
    [{ image: { contentUrl: `${PLACE}a.png` } }, { image: `${PLACE}a.png` }],
    [{ image: { '@id': `${PLACE}b.png` } }, { image: `${PLACE}b.png` }],
    [{ image: {} }, { image: undefined }],
    [{ name: [{ '@value': 'Named' }] }, { title: 'Named' }],
  ] as const)
    t.match(bodyOf(more), expected, JSON.stringify(more))
  t.match(read(page({ ...CONCERT, name: undefined })).items, [
    { name: `${PLACE}jazz`, body: { title: undefined } },
  ])
})

t.test('what the service writes into its pages is read as it was', async (t) => {
  const { editor, anonymous } = await build(t)
  const sent = {
    ...{ title: 'Fira', start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' },
    ...{
      timezone: 'Europe/Madrid',
      cost: '12 €',
      event_status: 'cancelled',
      organizer: { organizer: 'Cor' },
    },
    venue: { venue: 'Sala', city: 'Vic', country: 'ES' },
  }
  await must(editor.post('/events', sent))
  const { text } = await anonymous.get('//event/fira/')
  const { items } = read(text)
  t.match(items, [
    {
      body: {
        ...{ title: 'Fira', start_date: sent.start_date, end_date: sent.end_date, cost: ['12 EUR'] },
        ...{
          event_status: 'cancelled',
          organizer: [{ organizer: 'Cor' }],
          venue: [{ venue: 'Sala', city: 'Vic' }],
        },
      },
    },
  ])
})

t.test('feeds of Campus Labs Engage and Trumba, and of text that says when', async (t) => {
  const one = (more: string) => read(rssOf(`<title>Talk</title><guid>1</guid>${more}`)).items[0]!
  const engage = (name: string, text: string) => `<${name} xmlns="events">${text}</${name}>`
  t.match(
    one(
      engage('start', 'Tue, 01 Dec 2026 19:00:00 GMT') +
        engage('end', 'Tue, 01 Dec 2026 21:00:00 GMT') +
        engage('location', 'Keefe 213') +
        engage('status', 'cancelled') +
        engage('host', 'Ann') +
        engage('host', 'Bob'),
    ).body,
    {
      ...{ start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00', event_status: 'cancelled' },
      ...{ venue: [{ venue: 'Keefe 213' }], organizer: [{ organizer: 'Ann' }, { organizer: 'Bob' }] },
    },
  )
  const trumba = (text: string, isWhole: boolean) =>
    `<category>2026/12/01 (Tue)</category><category>Talks</category>
    <xcal:dtstart>2026-11-30T23:00:00Z</xcal:dtstart><xcal:dtend>2026-12-01T23:00:00Z</xcal:dtend>
    <x:localstart xmlns:x="http://schemas.trumba.com/rss/x-trumba" tzAbbr="CET">2026-12-01T${text}</x:localstart>
    <x:localend xmlns:x="http://schemas.trumba.com/rss/x-trumba">2026-12-02T00:00:00</x:localend>
    <m:cdo-alldayevent xmlns:m="http://schemas.microsoft.com/x-microsoft/cdo">${isWhole}</m:cdo-alldayevent>`
  t.match(one(trumba('00:00:00', true)).body, {
    ...{ start_date: '2026-12-01', end_date: '2026-12-01', all_day: true, categories: ['Talks'] },
  })
  const several = trumba('00:00:00', true).replace('2026-12-02T00', '2026-12-03T12')
  t.match(one(several).body, { start_date: '2026-12-01', end_date: '2026-12-03', all_day: true })
  t.match(one(trumba('00:00:00', true).replace('2026-12-02T', 'late')).body, { all_day: false })
  t.match(one(trumba('00:00:00', false)).body, { start_date: '2026-12-01 00:00:00', all_day: false })
  for (const html of [
    `<div class="h-event">From <time class="dt-start dtstart" datetime="2026-12-01T20:00:00+01:00">Tuesday</time>
      to <time class="dt-end" datetime="2026-12-01T22:00:00+01:00">ten</time> at <span class="p-location">Hall\n 2</span></div>`,
    `<abbr class="dtstart" title="2026-12-01T20:00">8 pm</abbr><abbr class="dtend" title="2026-12-01T22:00">10</abbr><i class="location">Hall 2</i>`,
    `<meta itemprop="startDate" content="2026-12-01T19:00Z"><meta itemprop="endDate" content="2026-12-01T21:00Z"><b itemprop="location"><i>Hall</i> 2</b>`,
    `<time class="dt-start">2026-12-01T20:00</time><time class="dt-end">2026-12-01T22:00</time><p class="p-location">Hall 2</p>`,
  ])
    t.match(
      one(`<description><![CDATA[${html}]]></description>`).body,
      {
        ...{ start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' },
        venue: [{ venue: 'Hall 2' }],
      },
      html,
    )
  t.match(one('<description>&lt;time class="dt-start"&gt;2026-12-01&lt;/time&gt;</description>').body, {
    ...{ start_date: '2026-12-01', venue: undefined },
  })
  t.equal(
    one('<description>&lt;i class="location"&gt;Hall&lt;/i&gt;</description>').refused,
    'does not tell when it starts',
  )
})

t.test('addresses at which Google shows and shares a calendar lead to its feed', async (t) => {
  const feed = 'https://calendar.google.com/calendar/ical/a.b_c%40group.calendar.google.com/public/basic.ics'
  const id = 'a.b_c@group.calendar.google.com'
  for (const [given, expected] of [
    [`https://calendar.google.com/calendar/embed?src=${encodeURIComponent(id)}&ctz=Europe%2FMadrid`, feed],
    [
      `https://calendar.google.com/calendar/u/0?cid=${Buffer.from(id).toString('base64').replace(/=+$/, '')}`,
      feed,
    ],
    [`https://calendar.google.com/calendar/u/0/r?cid=${id}`, feed],
    [`https://www.google.com/calendar/embed?src=${id}`, feed],
    [
      'https://calendar.google.com/calendar/render?cid=webcal://club.example/events.ics',
      'https://club.example/events.ics',
    ],
    [feed, feed],
    ['https://calendar.google.com/calendar/u/0/r', 'https://calendar.google.com/calendar/u/0/r'],
    [`https://club.example/calendar/embed?src=${id}`, `https://club.example/calendar/embed?src=${id}`],
  ] as const)
    t.equal(feedAddress(given), expected, given)
})
