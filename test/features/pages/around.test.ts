import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is 9:00 UTC on Saturday, 21 November 2026. */
const add = (api: Api, title: string, more: object = {}) =>
  must(
    api.editor.post('/events', {
      ...{ ...EVENT, title, slug: title.toLowerCase().replaceAll(' ', '-') },
      ...{ start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00', ...more },
    }),
  )
const page = async (api: Api, slug: string) => (await visit(api, `/event/${slug}/`)).text
const moreOf = (text: string, id: string) => {
  const found = new RegExp(`<section class="more" aria-labelledby="${id}">.*?</section>`, 's').exec(text)
  return found ? [textsOf(found[0], 'h2')[0], ...textsOf(found[0], 'h3')] : []
}

t.test('an event has one thing to do first, which says what it is', async (t) => {
  const api = await build(t)
  const website = 'https://www.hall.test/night'
  const virtual_url = 'https://stream.test/night'
  for (const [more, expected] of [
    [{ website, ticketed: true }, ['Get tickets', website]],
    [{ website }, ['Visit the website', website]],
    [{ website, ticketed: true, event_status: 'postponed' }, ['Visit the website', website]],
    [{ website, virtual_url }, ['Visit the website', website]],
    [{ website, virtual_url, attendance_mode: 'online' }, ['Take part online', virtual_url]],
    [{ website, virtual_url, event_status: 'moved_online' }, ['Take part online', virtual_url]],
    [{ virtual_url }, ['Take part online', virtual_url]],
    [{ virtual_url, event_status: 'postponed' }, []],
    [{ ticketed: true }, []],
    [{ website, ticketed: true, event_status: 'cancelled' }, []],
    [{ website, start_date: '2026-11-20 20:00:00', end_date: '2026-11-20 22:00:00' }, []],
  ] as const) {
    const { slug } = await add(api, 'Night', more)
    const text = await page(api, slug)
    const [, action = ''] = /<p class="action">(.*?)<\/p>/s.exec(text) ?? []
    t.same([...textsOf(action, 'a'), ...attributesOf(action, 'a', 'href')], expected, JSON.stringify(more))
    t.equal(
      /<dt>Website<\/dt>/.test(text),
      'website' in more && !(expected as readonly string[]).includes(website),
      'a website stands in one place',
    )
  }
})

t.test('what is next at the place and with the same terms follows', async (t) => {
  const api = await build(t)
  const { venue } = await add(api, 'Concert', {
    venue: { venue: 'Hall' },
    categories: ['Jazz'],
    tags: ['loud'],
  })
  const there = { venue: [Number(venue.id)] }
  await add(api, 'Play', { ...there, start_date: '2026-11-26 20:00:00' })
  await add(api, 'Trio', { ...there, categories: ['Jazz'], start_date: '2026-11-25 20:00:00' })
  await add(api, 'Duo', { categories: ['Jazz'], start_date: '2026-11-24 20:00:00' })
  await add(api, 'Loud', { tags: ['loud'] })
  await add(api, 'Louder', { tags: ['loud'] })
  await add(api, 'Alone')
  await add(api, 'Off', { ...there, event_status: 'cancelled' })
  await add(api, 'Begun', { ...there, start_date: '2026-11-21 08:00:00' })
  await add(api, 'Catalan', { ...there, i18n_language: 'ca' })
  const text = await page(api, 'concert')
  t.same(moreOf(text, 'there'), ['More at Hall', 'Trio', 'Play'])
  t.same(moreOf(text, 'alike'), ['More like this', 'Duo'], 'and none of it twice')
  t.same(moreOf(await page(api, 'loud'), 'alike'), ['More like this', 'Concert', 'Louder'])
  const alone = await page(api, 'alone')
  t.same([moreOf(alone, 'there'), moreOf(alone, 'alike')], [[], []])
  api.clock.now = Date.parse('2026-11-25T20:00:00Z')
  t.same(moreOf(await page(api, 'concert'), 'there'), ['More at Hall', 'Play'], 'until it begins')
})

t.test('other dates of a series are not what is next, and a password hides both', async (t) => {
  const api = await build(t)
  const weekly = { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=4' }, tags: ['choir'] }
  const { venue, slug } = await add(api, 'Rehearsal', { ...weekly, venue: { venue: 'Hall' } })
  const there = { venue: [Number(venue.id)], tags: ['choir'] }
  await add(api, 'Service', { ...there, recurrence: weekly.recurrence })
  await add(api, 'Closed', { ...there, password: 'sesame' })
  const text = await page(api, slug)
  t.same(moreOf(text, 'there').slice(0, 2), ['More at Hall', 'Service'])
  t.notMatch(moreOf(text, 'there').join(), 'Rehearsal')
  t.match(text, '3 more dates')
  const closed = await page(api, 'closed')
  t.same([moreOf(closed, 'there'), moreOf(closed, 'alike')], [[], []])
})

const PLACE = { address: 'Main Street 1', city: 'Vic', country: 'Spain' }
const POINT = { geo_lat: 41.93, geo_lng: 2.25 }
const OSM = 'https://www.openstreetmap.org'

t.test('a place has a map and the way there, of its point or its address', async (t) => {
  const api = await build(t)
  for (const [venue, links] of [
    [
      { ...PLACE, ...POINT },
      [`${OSM}/?mlat=41.93&mlon=2.25#map=17/41.93/2.25`, `${OSM}/directions?to=41.93%2C2.25`],
    ],
    [
      PLACE,
      [
        `${OSM}/search?query=Main+Street+1%2C+Vic%2C+Spain`,
        `${OSM}/directions?to=Main+Street+1%2C+Vic%2C+Spain`,
      ],
    ],
    [{ city: 'Vic' }, []],
    [{ ...PLACE, ...POINT, show_map_link: false }, []],
    [{}, []],
  ] as const) {
    const { slug } = await add(api, 'Night', { venue: { venue: `Hall ${JSON.stringify(venue)}`, ...venue } })
    const text = await page(api, slug)
    const found = attributesOf(text, 'a', 'href').filter((href) => href.startsWith(OSM))
    t.same(found, links, JSON.stringify(venue))
    t.notMatch(text, /<svg|name="referrer"/, 'and asks nobody for a map')
  }
})

t.test('maps are shown of tiles that the operator names, and of nobody else', async (t) => {
  const MAP_TILES = 'https://tiles.test/{z}/{x}/{y}.png?key=1'
  for (const [MAP_ATTRIBUTION, credit] of [
    ['© Somebody', '© Somebody'],
    ['© Them https://them.test/terms', '<a href="https://them.test/terms" rel="noopener">© Them</a>'],
  ] as const) {
    const api = await build(t, { env: { MAP_TILES, MAP_ATTRIBUTION } })
    await add(api, 'Night', { venue: { venue: 'Hall', ...PLACE, ...POINT } })
    await add(api, 'Edge', { venue: { venue: 'Edge', geo_lat: -17, geo_lng: 180 } })
    await add(api, 'Unseen', { venue: { venue: 'Unseen', ...POINT, show_map: false } })
    for (const path of ['/event/night/', '/venue/hall/']) {
      const { text, headers } = await visit(api, path)
      t.match(text, '<svg class="map" viewBox="0 0 320 200" role="img" aria-label="Map: Hall">', path)
      t.match(text, `<p class="credit">${credit}</p>`)
      t.match(text, '<meta name="referrer" content="strict-origin-when-cross-origin">')
      t.match(headers['content-security-policy'], "img-src 'self' https://tiles.test;")
      // the tile of the point: x = (2.25 + 180) / 360 * 2^16, y = (1 - asinh(tan 41.93°) / π) / 2 * 2^16
      t.match(
        text,
        '<image href="https://tiles.test/16/33177/24345.png?key=1" x="6" y="44" width="256" height="256"/>',
      )
    }
    t.match(attributesOf(await page(api, 'edge'), 'image', 'href').join(), '/16/0/', 'the world goes on')
    for (const path of ['/event/unseen/', '/events/'])
      t.notMatch((await visit(api, path)).text, /<svg|"referrer"/, path)
  }
})
