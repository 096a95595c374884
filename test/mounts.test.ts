import t from 'tap'
import { build, EVENT, ROOT } from './support/app.ts'
import { seed } from './support/seed.ts'

const BASE = 'http://calendar.test'
const LANGUAGES = ['', '/en', '/ca', '/es']
const OWN = LANGUAGES.map((language) => language + ROOT)
const COMPATIBLE = LANGUAGES.map((language) => `${language}/wp-json/tribe/events/v1`)

/** Every text in a value that is an address of the API, at whatever mount. */
function addresses(value: unknown): string[] {
  if (typeof value === 'string') return /\/events\/v1(\/|$)/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addresses) : []
}

t.test('the API answers at every mount, with links to the mount that was called', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  for (const mount of [...OWN, ...COMPATIBLE]) {
    // a language root lists its own language; everything here is English, the default
    const empty = /^\/(ca|es)\//.test(mount)
    for (const path of [
      `/events/${event.id}`,
      `/events/by-slug/${event.slug}`,
      `/venues/${event.venue.id}`,
      `/organizers/${event.organizer[0].id}`,
      `/categories/${event.categories[0].id}`,
      `/tags/${event.tags[0].id}`,
    ]) {
      const { status, body } = await api.anonymous.get(`/${mount}${path}`)
      t.equal(status, 200, mount + path)
      const links = addresses(body)
      t.equal(links.length > 0, !/venues|organizers/.test(path), 'only these have none')
      t.ok(
        links.every((link) => link.startsWith(`${BASE}${mount}/`)),
        `${links}`,
      )
    }
    for (const path of [
      '/events',
      '/categories?hide_empty=0&per_page=1',
      '/tags',
      '/organizers?per_page=1',
    ]) {
      const { status, body, headers } = await api.anonymous.get(`/${mount}${path}`)
      t.match({ status, body }, { status: 200, body: { total: empty ? 0 : Number } }, mount + path)
      const links = [
        ...addresses(body),
        ...[...(headers.link ?? '').matchAll(/<(.*?)>/g)].map(([, to]) => to!),
      ]
      t.ok(links.length > 0)
      t.ok(
        links.every((link) => link.startsWith(`${BASE}${mount}/`)),
        `${links}`,
      )
    }
  }
})

t.test('following the links of a list leads through all of it, at the mount that was called', async (t) => {
  const api = await build(t)
  await seed(api)
  const mount = COMPATIBLE[1]!
  const seen: string[] = []
  let next: string | undefined = `${BASE}${mount}/organizers?per_page=1`
  while (next) {
    t.ok(next.startsWith(`${BASE}${mount}/organizers`))
    const { body } = await api.anonymous.get(`/${next.slice(BASE.length)}`)
    for (const { organizer } of body.organizers) seen.push(organizer)
    next = body.next_rest_url
  }
  t.same(seen.sort(), ['Band', 'Choir'])
})

t.test('a question mark within the query does not cut filters off the links', async (t) => {
  const { anonymous } = await build(t)
  const { body } = await anonymous.get('/events?search=what?&featured=1&x=a?b')
  const query = new URL(body.rest_url).searchParams
  t.match(Object.fromEntries(query), { search: 'what?', featured: 'true', x: 'a?b' })
})

t.test('a created record is at the mount where it was created', async (t) => {
  const { editor } = await build(t)
  for (const mount of [...OWN, ...COMPATIBLE]) {
    for (const [path, input] of [
      ['/events', EVENT],
      ['/venues', { venue: 'Hall' }],
      ['/tags', { name: `Tag of ${mount}` }],
    ] as const) {
      const { body, headers } = await editor.post(`/${mount}${path}`, input)
      t.equal(headers.location, `${BASE}${mount}${path}/${body.id}`)
      t.equal(body.language, /^\/(en|ca|es)\//.exec(mount)?.[1] ?? 'en', `${mount} writes its language`)
      t.match(await editor.get(`/${headers.location!.slice(BASE.length)}`), {
        status: 200,
        body: { id: body.id },
      })
    }
  }
})

t.test('the taxonomy of categories carries the first word of the namespace', async (t) => {
  const api = await build(t, { env: { COMPAT_PREFIXES: '/wp-json/tribe/events/v1, fair/v2' } })
  const event = await seed(api)
  for (const [mount, taxonomy] of [
    ...OWN.map((mount) => [mount, 'calendar_events_cat']),
    ...COMPATIBLE.map((mount) => [mount, 'tribe_events_cat']),
    ['/fair/v2', 'fair_events_cat'],
    ['/ca/fair/v2', 'fair_events_cat'],
  ] as const) {
    const { body } = await api.anonymous.get(`/${mount}/events/${event.id}`)
    const { body: category } = await api.anonymous.get(`/${mount}/categories/${body.categories[0].id}`)
    t.same([body.categories[0].taxonomy, category.taxonomy], [taxonomy, taxonomy], mount)
    t.same(body.tags[0].taxonomy, 'post_tag', 'tags have the same everywhere')
  }
})

t.test('mounts and languages are configuration', async (t) => {
  const { anonymous } = await build(t, {
    env: { NAMESPACE: 'diary/v1', COMPAT_PREFIXES: '', LANGUAGES: 'de,pt-BR' },
  })
  const statuses: Record<string, number> = {}
  for (const mount of [
    '/diary/v1',
    '/de/diary/v1',
    '/pt-BR/diary/v1',
    '/en/diary/v1',
    '/calendar/events/v1',
    '/wp-json/tribe/events/v1',
  ])
    statuses[mount] = (await anonymous.get(`/${mount}/events`)).status
  t.same(statuses, {
    '/diary/v1': 200,
    '/de/diary/v1': 200,
    '/pt-BR/diary/v1': 200,
    '/en/diary/v1': 404,
    '/calendar/events/v1': 404,
    '/wp-json/tribe/events/v1': 404,
  })
  t.match((await anonymous.get('//diary/v1/events?i18n_language=en')).body.data.params, {
    i18n_language: 'must be one of de, pt-BR.',
  })
})
