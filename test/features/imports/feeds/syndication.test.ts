import type { Test } from 'tap'
import t from 'tap'
import {
  type FeedImportOptions,
  importFeed,
  readFeed as steps,
} from '../../../../src/features/imports/feeds/feed-import.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { importer } from '../../../support/importing.ts'
import { calendarOf, rssOf, vevent } from '../../../support/sites.ts'

const readFeed = (...of: Parameters<typeof steps>) => finish(steps(...of))

const BAND = 'https://band.example/feed/'
const read = (text: string, address = BAND) =>
  readFeed(text, { zone: 'Europe/Madrid', media: true, languages: ['en'], address, shown: address })
const item = (more: string, title = 'Concert') => `<title>${title}</title><guid>1</guid>${more}`
const timesOf = (more: string, address = BAND) => {
  const [one] = read(rssOf(item(more)), address).items
  return one!.refused ?? [one!.body.start_date, one!.body.end_date, one!.body.all_day]
}
const ev = (start: string, end = '') =>
  `<ev:startdate>${start}</ev:startdate>${end && `<ev:enddate>${end}</ev:enddate>`}`

t.test('items tell when they are by the event module or xCal, in all forms of dates', async (t) => {
  const evening = ['2026-12-01 20:00:00', '2026-12-01 22:00:00', false]
  const start = ['2026-12-01 20:00:00', '2026-12-01 20:00:00', false]
  for (const [more, told] of [
    [ev('2026-12-01T19:00:00Z', '2026-12-01T22:00:00+0100'), evening],
    [ev('2026-12-01T20:00', '2026-12-01 22:00:00'), evening],
    ['<xcal:dtstart>20261201T190000Z</xcal:dtstart><xcal:dtend>20261201T210000Z</xcal:dtend>', evening],
    [ev('Tue, 01 Dec 2026 19:00:00 GMT'), start],
    [ev('2026-12-01T20:00:00', '2026-11-01T20:00:00'), start],
    [ev('2026-12-01T20:00:00', '2026-12-02'), start],
    [ev('2026-12-01', '2026-12-03'), ['2026-12-01', '2026-12-03', true]],
    [ev('2026-02-30'), 'starts at "2026-02-30", which is no date'],
    [ev('2026-13-01T10:00:00'), 'starts at "2026-13-01T10:00:00", which is no date'],
    [ev('soon'), 'starts at "soon", which is no date'],
    [ev('2026-12-01', 'late'), 'ends at "late", which is no date'],
    ['<pubDate>Tue, 01 Dec 2026 19:00:00 +0000</pubDate>', 'does not tell when it starts'],
  ] as const)
    t.same(timesOf(more), told, more)
  const published = '<pubDate>Tue, 01 Dec 2026 19:00:00 +0000</pubDate>'
  t.same(
    timesOf(published, 'https://club.example/events/feed/'),
    start,
    'The Events Calendar tells the start',
  )
  t.same(timesOf(published, 'https://club.example/events/category/x/feed?a=b'), start)
})

t.test('an item is an event with its page, place, words and picture', async (t) => {
  const more = [
    ...['<link>https://band.example/gig</link>', '<description>Short</description>'],
    '<content:encoded><![CDATA[<p>Long</p>]]></content:encoded>',
    ...[
      '<category>Rock</category><category> </category>',
      '<enclosure url="https://band.example/p.png" type="image/png"/>',
    ],
    ...[
      '<xcal:location>Hall</xcal:location>',
      '<xcal:organizer>Band</xcal:organizer>',
      ev('2026-12-01T20:00:00'),
    ],
  ].join('')
  const { items, reach } = read(rssOf(item(more, 'Rock &amp;amp; roll')))
  t.equal(reach, '2026-12-01 19:00:00')
  t.match(items, [
    {
      ...{ name: 'Rock &amp; roll', external_id: '1', line: 3 },
      body: {
        ...{ title: 'Rock &amp; roll', description: '<p>Long</p>', website: 'https://band.example/gig' },
        ...{ categories: ['Rock'], image: 'https://band.example/p.png', timezone: 'Europe/Madrid' },
        ...{ venue: [{ venue: 'Hall' }], organizer: [{ organizer: 'Band' }] },
      },
    },
  ])
})

t.test('a picture needs an address, and may be left out', async (t) => {
  const text = rssOf(item(`<enclosure type="image/png"/>${ev('2026-12-01')}`))
  t.notOk('image' in read(text).items[0]!.body)
  const own = { zone: 'UTC', media: false, languages: ['en'], address: BAND, shown: 'band' }
  const picture = '<enclosure type="image/png" url="https://band.example/p.png"/>'
  t.notOk('image' in readFeed(rssOf(item(picture)), own).items[0]!.body)
  t.throws(() => read('<html>'), /something else than a calendar or a feed/)
})

t.test('Atom and RSS 1.0 are read in the same way', async (t) => {
  const EV = 'xmlns:ev="http://purl.org/rss/1.0/modules/event/"'
  const atom = `<!-- made by hand --><feed xmlns="http://www.w3.org/2005/Atom" ${EV}><entry><id>urn:1</id><title>One</title>
<link rel="self" href="https://a.example/x"/><link href="https://a.example/one"/><link rel="enclosure" type="image/png" href="https://a.example/p.png"/>
<category term="rock" label="Rock"/><category term="pop"/>${ev('2026-12-02T20:00:00')}</entry></feed>`
  t.match(read(`\ufeff\n${atom}`).items, [
    {
      external_id: 'urn:1',
      body: {
        website: 'https://a.example/one',
        categories: ['Rock', 'pop'],
        image: 'https://a.example/p.png',
      },
    },
  ])
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ${EV}><channel/>
<item><title>Two</title><link>https://a.example/two</link>${ev('2026-12-03')}</item><item>${ev('2026-12-02')}</item></rdf:RDF>`
  const { items, reach } = read(rdf)
  t.match(items, [{ external_id: 'https://a.example/two' }, { external_id: /^[0-9a-f]{32}$/ }])
  t.equal(reach, '', 'a feed that is not in the order of its events says nothing of what it does not tell')
  t.equal(read(rssOf()).reach, '')
})

async function importsOf(t: Test) {
  const api = await build(t)
  const { pictures } = importer(t, api)
  const { id } = api.credentials.administrator
  return {
    api,
    take: (text: string, options: FeedImportOptions = {}) =>
      importFeed(
        {
          ...{ store: api.app.store, pictures, address: BAND, shown: 'band' },
          writer: {
            caller: { id, role: 'administrator' as const },
            by: { origin: 'command' as const, address: 'test' },
            language: 'en',
          },
        },
        text,
        options,
      ),
    titles: async (status: string) =>
      (await api.administrator.get(`/events?start_date=2000-01-01&per_page=50&status=${status}`)).body.events
        .map(({ title }: { title: string }) => title)
        .sort(),
  }
}
const gig = (id: number, day: number, more = '') =>
  `<guid>${id}</guid><title>Gig ${id}</title>${ev(`2026-12-0${day}T20:00:00`)}${more}`

t.test('a feed of the next events says only of these that they are gone', async (t) => {
  const { api, take, titles } = await importsOf(t)
  const first = await take(
    rssOf(gig(1, 1), gig(2, 2), gig(3, 3), '<guid>4</guid><title>News</title>', gig(1, 5)),
  )
  t.match(first.told, [
    { name: 'News', reason: 'does not tell when it starts' },
    { name: 'Gig 1', reason: 'has the ID of the entry in line 3' },
  ])
  t.match(first.counts, { event: { added: 3, refused: 2 } })
  const png = '<enclosure url="http://10.0.0.1/p.png" type="image/png"/>'
  const second = await take(rssOf(gig(1, 1, png), gig(5, 2)))
  t.match(second.gone, [{ name: 'Gig 2' }])
  t.match(second.told, [
    { name: 'Gig 1', remarks: [/^its picture http:\/\/10.0.0.1\/p.png was not taken: The host/] },
  ])
  t.same(await titles('publish'), ['Gig 1', 'Gig 3', 'Gig 5'])
  t.same(await titles('trash'), ['Gig 2'])
  t.match((await take(rssOf(gig(3, 3), gig(5, 2)))).gone, [])

  const [one] = (await api.administrator.get('/events?search=Gig+1')).body.events
  api.clock.now += 60_000
  await must(api.administrator.patch(`/events/${one.id}`, { title: 'Mine' }))
  const planned = await take(rssOf(gig(6, 6)), { dryRun: true })
  t.match(planned, { run: 0, counts: { event: { added: 1 } } })
  t.same(planned.gone.map(({ name, why }) => [name, why]).sort(), [
    ['Gig 3', undefined],
    ['Gig 5', undefined],
    ['Mine', 'it is gone from the source, but was edited here since'],
  ])
  t.same(await titles('publish'), ['Gig 3', 'Gig 5', 'Mine'])
})

t.test('a calendar of The Events Calendar has thirty events at most', async (t) => {
  const { take } = await importsOf(t)
  const all = Array.from({ length: 30 }, (_, at) => vevent(`e${at}`, at + 1))
  const asThere = (...events: string[][]) =>
    calendarOf(...events).replace('-//club', '-//Club - ECPv6.3//NONSGML v1.0//EN')
  await take(asThere(...all))
  const { gone } = await take(asThere(vevent('new', 1), ...all.slice(0, 29)))
  t.same(gone, [])
  const later = await take(asThere(...all.slice(1), vevent('late', 31)))
  t.match(later.gone, [{ name: 'e0' }, { name: 'new' }])
})

t.test('feeds of Localist and LiveWhale are published as their events begin', async (t) => {
  const channel = (generator: string, ...entries: string[]) => `<rss version="2.0"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"
    xmlns:georss="http://www.georss.org/georss" xmlns:livewhale="http://www.livewhale.com/ns/rss/2.0/">
    <channel><generator>${generator}</generator>${entries.map((one) => `<item>${one}</item>`).join('')}</channel></rss>`
  const published = '<pubDate>Tue, 01 Dec 2026 19:00:00 +0000</pubDate>'
  const title = 'Dec 1, 2026: Tea at Four at the Hall'
  const localist = read(
    channel(
      'Localist',
      `<title>${title}</title><guid>a</guid>${published}<geo:lat>41.9</geo:lat><geo:long>2.2</geo:long>`,
      `<title>${title}</title><guid>b</guid>${published}`,
      `<title>Talk</title><guid>c</guid>${published}<geo:lat>91</geo:lat><geo:long>2.2</geo:long>`,
    ),
  ).items
  const evening = { start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 20:00:00' }
  t.match(localist, [
    {
      body: { title: 'Tea at Four', venue: [{ venue: 'the Hall', geo_lat: 41.9, geo_lng: 2.2 }], ...evening },
    },
    { body: { title: 'Tea at Four at the Hall', venue: undefined, ...evening } },
    { body: { title: 'Talk', venue: undefined } },
  ])

  const whale = (more: string) =>
    `<title>Exhibit</title><guid>${more}</guid>${published}<livewhale:id>7</livewhale:id>${more}`
  const [evenings, days, day, off] = read(
    channel(
      'LiveWhale 2.5',
      whale(
        '<livewhale:ends>Tue, 01 Dec 2026 21:00:00 +0000</livewhale:ends><livewhale:timezone>America/New_York</livewhale:timezone><livewhale:categories>Arts|Films</livewhale:categories><georss:featurename>Hall</georss:featurename><georss:point>41.9 2.2</georss:point><livewhale:image_full>https://calendar.example/a.png</livewhale:image_full>',
      ),
      whale(
        '<livewhale:all_day>1</livewhale:all_day><livewhale:ends>Thu, 03 Dec 2026 23:00:00 +0000</livewhale:ends>',
      ),
      whale('<livewhale:all_day>1</livewhale:all_day><livewhale:timezone>Mars</livewhale:timezone>'),
      whale('<livewhale:is_canceled>1</livewhale:is_canceled>'),
    ),
  ).items
  t.match(evenings!.body, {
    ...{ start_date: '2026-12-01 14:00:00', end_date: '2026-12-01 16:00:00', timezone: 'America/New_York' },
    ...{ categories: ['Arts', 'Films'], venue: [{ venue: 'Hall', geo_lat: 41.9, geo_lng: 2.2 }] },
    image: 'https://calendar.example/a.png',
  })
  t.match(days!.body, { start_date: '2026-12-01', end_date: '2026-12-03', all_day: true })
  t.match(day!.body, { start_date: '2026-12-01', end_date: '2026-12-01', all_day: true })
  const [unclear] = read(
    channel(
      'LiveWhale',
      '<title>A</title><guid>1</guid><pubDate>soon</pubDate><livewhale:id>1</livewhale:id><livewhale:all_day>1</livewhale:all_day>',
    ),
  ).items
  t.equal(unclear!.refused, 'starts at "soon", which is no date')
  t.match(off!.body, { event_status: 'cancelled', ...evening })
  const kinds = ['news', 'galleries', 'events', 'event'].map(
    (kind) => `<title>A</title><guid>${kind}</guid>${published}<livewhale:type>${kind}</livewhale:type>`,
  )
  t.same(
    read(channel('LiveWhale', ...kinds)).items.map(({ refused }) => refused),
    ['does not tell when it starts', 'does not tell when it starts', undefined, undefined],
    'what is no event is published when it is written',
  )
})
