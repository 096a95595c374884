import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { seed } from '../../support/seed.ts'

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
        links.every((link) => link.replace(/^webcal:/, 'http:').startsWith(`${BASE}${mount}/`)),
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
        links.every((link) => link.replace(/^webcal:/, 'http:').startsWith(`${BASE}${mount}/`)),
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

/** Without pages, the addresses of records lead to the API. */
const OFF = { env: { PAGES: 'off' } }

t.test('the url of every record leads to it in the API', async (t) => {
  const api = await build(t, OFF)
  const event = await seed(api)
  const records = [
    ['events', event],
    ['venues', event.venue],
    ['organizers', event.organizer[0]],
    ['categories', (await api.anonymous.get(`/categories/${event.categories[0].id}`)).body],
    ['tags', (await api.anonymous.get(`/tags/${event.tags[0].id}`)).body],
  ] as const
  for (const [plural, { id, url }] of records) {
    const path = url.slice(BASE.length)
    const location = `${BASE}${ROOT}/${plural}/${id}`
    for (const way of [
      path,
      path.replace(/\/$/, ''),
      path.toUpperCase().replace(/^\/[A-Z/]+\//, (kind: string) => kind.toLowerCase()),
    ])
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers } = await api.anonymous.send({ method, url: way })
        t.same([status, headers.location], [302, location], `${method} ${way}`)
      }
    t.match(await api.anonymous.get(`/${location.slice(BASE.length)}`), { status: 200, body: { id } })
  }
})

t.test('slugs of any script lead to their record', async (t) => {
  const { editor, anonymous } = await build(t, OFF)
  const event = await must(editor.post('/events', { ...EVENT, title: '音楽会 с друзьями' }))
  const tag = await must(editor.post('/tags', { name: '日本' }))
  for (const [{ url, id }, plural] of [
    [event, 'events'],
    [tag, 'tags'],
  ] as const)
    for (const path of [url.slice(BASE.length), decodeURI(url.slice(BASE.length))])
      t.match(
        await anonymous.get(`/${encodeURI(decodeURI(path))}`),
        { status: 302, headers: { location: `${BASE}${ROOT}/${plural}/${id}` } },
        path,
      )
})

t.test('a draft without a slug is found by its ID, unless a slug says otherwise', async (t) => {
  const { editor } = await build(t, OFF)
  const { id, slug } = await must(editor.post('/events', { ...EVENT, status: 'draft' }))
  const to = async (path: string) => (await editor.get(`/${path}`)).headers.location
  t.equal(slug, '')
  t.equal(await to(`/event/${id}/`), `${BASE}${ROOT}/events/${id}`)
  const other = await must(editor.post('/events', { ...EVENT, slug: String(id) }))
  t.equal(await to(`/event/${id}/`), `${BASE}${ROOT}/events/${other.id}`)
})

t.test('the url of a record leads only those to it who may read it', async (t) => {
  const { editor, anonymous } = await build(t, OFF)
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = kind === 'event' ? EVENT : { [kind]: 'Hidden' }
    const unknown = kind === 'event' ? 'rest-event-not-found' : `${kind}-not-found`
    const { id, slug } = await must(editor.post(`/${kind}s`, { ...least, slug: 'hidden', status: 'private' }))
    for (const path of [`/${kind}/${slug}/`, `/${kind}/${id}/`]) {
      const hidden = await anonymous.get(`/${path}`)
      t.equal(refusal(hidden), `404 ${unknown}`, path)
      t.notOk(hidden.headers.location)
      t.equal((await editor.get(`/${path}`)).headers.location, `${BASE}${ROOT}/${kind}s/${id}`)
    }
    await must(editor.delete(`/${kind}s/${id}`))
    t.equal(refusal(await anonymous.get(`//${kind}/hidden__trashed/`)), `404 ${unknown}`)
    const leads = await editor.get(`//${kind}/hidden__trashed/`)
    t.equal(leads.status, kind === 'event' ? 404 : 302, 'nobody reads an event in the trash')
  }
})

t.test('what does not exist has no address', async (t) => {
  const api = await build(t, OFF)
  const event = await seed(api)
  const venue = event.venue.slug
  const cases: [path: string, expected: string][] = [
    ['/event/none/', '404 rest-event-not-found'],
    [`/event/${event.venue.id}/`, '404 rest-event-not-found'],
    [`/event/${'9'.repeat(30)}/`, '404 rest-event-not-found'],
    [`/event/${venue}`, '404 rest-event-not-found'],
    ['/venue/none', '404 venue-not-found'],
    ['/organizer/0', '404 organizer-not-found'],
    ['/events/category/none', '404 category-not-found'],
    [`/events/tag/${event.categories[0].slug}/`, '404 tag-not-found'],
    ['/events/tag/', '404 rest_no_route'],
    ['/tag/open-air', '404 rest_no_route'],
    ['/event/%zz', '400 rest_bad_request'],
  ]
  for (const [path, expected] of cases) t.equal(refusal(await api.anonymous.get(`/${path}`)), expected, path)
  t.equal(refusal(await api.editor.post(`//event/${event.slug}`)), '405 rest_method_not_allowed')
  t.equal(
    refusal(
      await api.anonymous.get(`//event/${event.slug}`, undefined, { headers: { authorization: 'Bearer x' } }),
    ),
    '401 invalid_token',
  )
})
