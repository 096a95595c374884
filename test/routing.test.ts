import t from 'tap'
import { build, ROOT } from './support/app.ts'
import { seed } from './support/seed.ts'

const BASE = 'http://calendar.test'
const OTHER = '/ca/wp-json/tribe/events/v1'

t.test('addresses that lead nowhere are 404 rest_no_route', async (t) => {
  const api = await build(t)
  await seed(api)
  const nowhere = [
    '/',
    '/calendar',
    '/calendar/events',
    '/calendar/events/v1x/events',
    '/calendar/events/v2/events',
    '/xx/calendar/events/v1/events',
    '/ca/ca/calendar/events/v1/events',
    '/wp-json/ca/tribe/events/v1/events',
    '/calendar/events/v1//events',
    '//calendar/events/v1/events',
    '/Calendar/events/v1/events',
    '/nowhere',
    ...[
      '/nowhere',
      '/Events',
      '/events/abc',
      '/events/-1',
      '/events/1.5',
      '/events/1e3',
      '/events/0x1',
      '/events/1/2',
      '/events/by-slug/',
      '/events/by-slug/a/b',
      `/events/by-slug/${'a'.repeat(2001)}`,
      '/categories/by-slug/arts',
      '/doc/x',
      '/events/1%2F',
      '/events%2F1',
    ].map((path) => ROOT + path),
  ]
  for (const path of nowhere) {
    const { status, body, headers } = await api.administrator.get(`/${path}`)
    t.same(
      { status, code: body.code, data: body.data },
      { status: 404, code: 'rest_no_route', data: { status: 404 } },
      path,
    )
    t.match(headers, { 'content-type': 'application/json; charset=utf-8' })
  }
})

t.test('no request can name the routes outside of the mounts by their inner prefix', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const { headers } = await api.anonymous.get(`//event/${event.slug}/`)
  t.equal(headers.location, `${BASE}${ROOT}/events/${event.id}`, 'the address of a record leads to it')
  const names = ['-site', '%2Dsite', '%2dsite', '-s%69te', '%2D%73%69%74%65', '-site/-site', '-sitemap']
  for (const name of names)
    for (const root of ['', ROOT, OTHER])
      for (const path of [`/event/${event.slug}`, '/media/x.png', ''])
        t.match(
          await api.anonymous.get(`/${root}/${name}${path}`),
          { status: 404, body: { code: 'rest_no_route' } },
          `${root}/${name}${path}`,
        )
})

t.test('a slash at the end makes no difference', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  for (const path of [
    '',
    '/doc',
    '/events',
    '/tags',
    `/events/${event.id}`,
    `/events/by-slug/${event.slug}`,
  ]) {
    const plain = await api.anonymous.get(path)
    const slash = await api.anonymous.get(`${path}/`)
    t.match(plain, { status: 200 })
    t.same(slash.text, plain.text, path)
    t.same((await api.anonymous.get(`${path}/?x=1`)).status, 200)
  }
  t.match(await api.editor.post('/tags/', { name: 'With a slash' }), { status: 201 })
  t.match(await api.editor.patch(`/events/${event.id}/`, { title: 'Slashed' }), { status: 200 })
})

t.test('an ID may have zeros in front, and one beyond all numbers is unknown', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  t.match(await api.anonymous.get(`/events/000${event.id}`), { status: 200, body: { id: event.id } })
  for (const id of ['0', '9007199254740993', '9'.repeat(400)])
    t.match(
      await api.anonymous.get(`/events/${id}`),
      { status: 404, body: { code: 'rest-event-not-found' } },
      id,
    )
})

t.test('an address that can not be decoded is 400', async (t) => {
  const { anonymous } = await build(t)
  for (const path of ['/%zz', '/events/%zz', '/events/by-slug/%', '/events/by-slug/%E0%A4%A', '/%ff']) {
    for (const root of [ROOT, OTHER, '']) {
      const { status, body } = await anonymous.get(`/${root}${path}`)
      t.match(
        { status, body },
        { status: 400, body: { code: 'rest_bad_request', data: { status: 400 } } },
        path,
      )
    }
  }
  t.match(await anonymous.get('/events?search=%zz'), { status: 200 }, 'a query is taken as far as it goes')
})
