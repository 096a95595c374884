import t from 'tap'
import { refusal } from './support/answers.ts'
import { build, EVENT, ROOT } from './support/app.ts'
import { must } from './support/events.ts'
import { seed } from './support/seed.ts'

const BASE = 'http://calendar.test'

t.test('the url of every record leads to it in the API', async (t) => {
  const api = await build(t)
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
  const { editor, anonymous } = await build(t)
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
  const { editor } = await build(t)
  const { id, slug } = await must(editor.post('/events', { ...EVENT, status: 'draft' }))
  const to = async (path: string) => (await editor.get(`/${path}`)).headers.location
  t.equal(slug, '')
  t.equal(await to(`/event/${id}/`), `${BASE}${ROOT}/events/${id}`)
  const other = await must(editor.post('/events', { ...EVENT, slug: String(id) }))
  t.equal(await to(`/event/${id}/`), `${BASE}${ROOT}/events/${other.id}`)
})

t.test('the url of a record leads only those to it who may read it', async (t) => {
  const { editor, anonymous } = await build(t)
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = kind === 'event' ? EVENT : { [kind]: 'Hidden' }
    const { id, slug } = await must(editor.post(`/${kind}s`, { ...least, slug: 'hidden', status: 'private' }))
    for (const path of [`/${kind}/${slug}/`, `/${kind}/${id}/`]) {
      const hidden = await anonymous.get(`/${path}`)
      t.equal(refusal(hidden), `403 ${kind}-not-accessible`, path)
      t.notOk(hidden.headers.location)
      t.equal((await editor.get(`/${path}`)).headers.location, `${BASE}${ROOT}/${kind}s/${id}`)
    }
    await must(editor.delete(`/${kind}s/${id}`))
    const trashed = kind === 'event' ? 'event-no-longer-available' : `${kind}-not-accessible`
    t.equal(refusal(await anonymous.get(`//${kind}/hidden__trashed/`)), `403 ${trashed}`)
  }
})

t.test('what does not exist has no address', async (t) => {
  const api = await build(t)
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
