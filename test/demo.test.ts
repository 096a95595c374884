import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { EVENTS, loadDemo } from '../demo/load.ts'
import { drawPoster, POSTERS } from '../demo/posters.ts'
import { EVENT_STATES, STATE_NAMES } from '../schemas/event-states.ts'
import { build, ROOT } from './support/app.ts'
import { keepPosters, poster } from './support/demo.ts'

type Inject = Parameters<typeof loadDemo>[0]['inject']
const LISTS = ['events', 'venues', 'organizers', 'categories', 'tags'] as const

async function start(t: Test) {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' } })
  const { authorization } = api.credentials.administrator
  return {
    ...api,
    options: { root: ROOT, authorization, now: api.clock.now, zone: 'Europe/Madrid', draw: poster },
  }
}

t.test('the demo fills every list, in every language, by requests that are all taken', async (t) => {
  const { app, anonymous, administrator, clock, options } = await start(t)
  const told: [number, number][] = []
  const counts = await loadDemo(app, { ...options, progress: (...at) => told.push(at) })

  t.same(counts, { media: 10, venues: 14, organizers: 8, categories: 45, tags: 24, events: 75 })
  const total = Object.values(counts).reduce((sum, count) => sum + count)
  t.equal(told.length, total)
  t.same(
    [told[0], told.at(-1)],
    [
      [1, total],
      [total, total],
    ],
    'the progress ends where it said it would',
  )

  for (const name of LISTS)
    for (const language of ['', '/ca', '/en', '/es'])
      t.ok((await anonymous.get(`/${language}${ROOT}/${name}`)).body.total > 0, `${language} ${name}`)

  t.test('images exist in their sizes', async (t) => {
    const { media } = (await anonymous.get('/media')).body
    t.equal(media.length, 10)
    for (const { source_url, sizes } of media) {
      t.same(Object.keys(sizes), ['thumbnail', 'medium', 'medium_large', 'large'])
      const file = await anonymous.get(source_url.replace('http://calendar.test', '/'))
      t.match([file.status, file.headers['content-type']], [200, 'image/jpeg'])
    }
  })

  t.test('events are of every sort', async (t) => {
    const all = async (query: string) =>
      (await administrator.get(`/events?start_date=2026-01-01&per_page=50&${query}`)).body
    const count = async (query: string) => (await all(query)).total
    const now = new Date(clock.now).toISOString()
    t.ok((await count(`ends_before=${now}&strict_dates=1`)) >= 10, 'past')
    t.ok((await count(`starts_before=${now}&ends_after=${now}&strict_dates=1`)) >= 3, 'running')
    t.ok((await count('starts_after=yesterday&ends_before=tomorrow')) >= 5, 'today')
    t.ok((await count('starts_after=today')) >= 40, 'upcoming')
    for (const query of ['featured=1', 'ticketed=1', 'geoloc=0', 'geoloc_lat=40.4&geoloc_lng=-3.7'])
      t.ok((await count(query)) > 0, query)
    for (const name of STATE_NAMES)
      for (const state of EVENT_STATES[name]) t.ok((await count(`${name}=${state}`)) > 0, state)
    for (const status of ['draft', 'private', 'future']) t.equal(await count(`status=${status}`), 1, status)

    const { events } = await all('starts_after=2026-11-22')
    const zones = new Set(events.map((event: { timezone: string }) => event.timezone))
    t.same([...zones].sort(), [
      'America/New_York',
      'Asia/Tokyo',
      'Atlantic/Canary',
      'Europe/London',
      'Europe/Madrid',
    ])
    t.ok(events.some((event: { all_day: boolean }) => event.all_day))
    t.ok(events.some((event: { translations: object }) => Object.keys(event.translations).length === 2))
    t.ok(events.some((event: { venue: unknown }) => Array.isArray(event.venue) && event.venue.length === 2))
    t.ok(events.some((event: { post_parent: number }) => event.post_parent > 0))
  })

  t.test('one event has a password, one is hidden', async (t) => {
    const view = await anonymous.get('/events/by-slug/private-view-ink-and-moss')
    t.match(view, { status: 403, body: { code: 'event-password-protected' } })
    t.equal((await anonymous.get('/events?search=voluntaris')).body.total, 0)
    t.equal((await anonymous.get('/events/by-slug/reunio-de-voluntaris')).status, 200)
  })

  t.test('a drawing marathon of twelve hours on the clock takes eleven or thirteen', async (t) => {
    const [marathon] = (await anonymous.get('/events?search=marathon')).body.events
    const hours =
      (Date.parse(`${marathon.utc_end_date}Z`) - Date.parse(`${marathon.utc_start_date}Z`)) / 3_600_000
    t.equal(hours, 11)
    t.match(marathon, { start_date: '2027-03-27 22:00:00', end_date: '2027-03-28 10:00:00' })
  })
})

t.test('the demo stops at the first request that is refused', async (t) => {
  const { app, credentials, options } = await start(t)
  const { authorization } = credentials.subscriber
  const { draw, ...others } = options
  await t.rejects(loadDemo(app, { ...others, authorization }), {
    message: /^POST \/media was answered 403, .*rest_forbidden/,
  })
})

t.test('the demo waits where the service is busy, and tries again', async (t) => {
  const { options } = await start(t)
  const waited: number[] = []
  const pause = async (milliseconds: number) => waited.push(milliseconds)
  let busy = 3
  const inject: Inject = async () =>
    busy-- > 0
      ? { statusCode: 503, payload: '', headers: busy === 1 ? {} : { 'retry-after': '2' } }
      : { statusCode: 400, payload: 'no', headers: {} }
  await t.rejects(loadDemo({ inject }, { ...options, pause }), { message: /^POST \/media was answered 400/ })
  t.same(waited, [2_000, 1_000, 2_000])

  const always = async () => ({ statusCode: 503, payload: 'busy', headers: { 'retry-after': '2' } })
  await t.rejects(loadDemo({ inject: always }, { ...options, pause }), {
    message: /^POST \/media was answered 503, ignored fields: undefined; busy/,
  })
  t.equal(waited.length, 3 + 10, 'not for ever')
})

t.test('the demo stops where a field is not taken', async (t) => {
  const { app, options } = await start(t)
  const inject: Inject = (request) =>
    app.inject({
      ...request,
      url: `${ROOT}/venues`,
      headers: { authorization: options.authorization },
      payload: { venue: 'V', colour: 'red' },
    })
  await t.rejects(loadDemo({ inject }, options), {
    message: /^POST \/media was answered 201, ignored fields: colour/,
  })
})

t.test('every event of the demo has a title in each of its languages, no two the same', async (t) => {
  const titles = EVENTS.flatMap(({ texts }) => Object.values(texts).map(({ title }) => title))
  t.equal(new Set(titles).size, titles.length)
})

t.test('each poster is a picture of its own, three fifths wider than high', async (t) => {
  const drawn = await Promise.all(POSTERS.map((name) => drawPoster(name, 100)))
  for (const file of drawn) t.match(await sharp(file).metadata(), { format: 'jpeg', width: 160, height: 100 })
  t.equal(new Set(drawn.map(String)).size, POSTERS.length)
})

t.test('a poster is drawn once, and then read', async (t) => {
  const folder = join(t.testdir(), 'posters')
  const draw = keepPosters(folder)
  const drawn = await draw('rings')
  t.ok(drawn.equals(await drawPoster('rings')))
  const [file, ...others] = readdirSync(folder)
  t.same(others, [])
  writeFileSync(join(folder, file!), 'kept')
  t.equal(String(await draw('rings')), 'kept')
})
