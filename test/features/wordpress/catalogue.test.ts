import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

const WP = '//wp-json/wp/v2'
const REST = 'http://calendar.test/wp-json'

const ids = (list: { id: number }[]) => list.map(({ id }) => id)

t.test('terms are listed, read and created', async (t) => {
  const api = await build(t)
  const event = await must(
    api.editor.post('/events', { ...EVENT, categories: ['Music'], tags: ['Late & loud'] }),
  )
  const [category, tag] = [event.categories[0].id, event.tags[0].id]
  t.same((await api.anonymous.get(`${WP}/tags/${tag}`)).body, {
    id: tag,
    count: 1,
    description: '',
    link: 'http://calendar.test/events/tag/late-loud/',
    name: 'Late &#038; loud',
    slug: 'late-loud',
    taxonomy: 'post_tag',
    meta: [],
    _links: {
      self: [{ href: `${REST}/wp/v2/tags/${tag}` }],
      collection: [{ href: `${REST}/wp/v2/tags` }],
      about: [{ href: `${REST}/wp/v2/taxonomies/post_tag` }],
      'wp:post_type': [{ href: `${REST}/wp/v2/tribe_events?tags=${tag}` }],
    },
  })
  for (const base of ['tribe_events_cat', 'categories']) {
    const made = await api.editor.post(`${WP}/${base}`, { name: `Empty ${base}`, parent: category })
    t.equal(made.status, 201)
    t.equal(made.headers.location, `${REST}/wp/v2/${base}/${made.body.id}`)
    t.match(made.body, { parent: category, count: 0 })
    const again = await api.editor.post(`${WP}/${base}`, { name: `Empty ${base}`, parent: category })
    t.match([again.status, again.body.code, again.body.data.term_id], [400, 'term_exists', made.body.id])
    const list = async (query: string) => ids((await api.anonymous.get(`${WP}/${base}?${query}`)).body)
    t.ok((await list('')).includes(made.body.id), 'empty ones are listed')
    t.same(await list('hide_empty=true'), [category])
    t.same(await list('search=musi'), [category])
    t.same(await list('slug=music'), [category])
    t.same(await list('slug=none'), [])
    t.same(await list(`include=${category},999`), [category])
    t.same(await list('include=999'), [])
    t.notOk((await list(`exclude=${category},999`)).includes(category))
    t.ok((await list('exclude=999')).includes(category))
    t.same(await list(`post=${event.id}`), [category])
    t.ok((await list(`parent=${category}&orderby=count&order=desc`)).includes(made.body.id))
    t.equal(
      (await api.anonymous.get(`${WP}/${base}?per_page=1`)).headers['x-wp-totalpages'],
      base === 'categories' ? '3' : '2',
    )
    t.match(await api.anonymous.get(`${WP}/${base}?page=9`), { status: 200, body: [] }, 'it just ends')
    const renamed = await api.editor.post(`${WP}/${base}/${made.body.id}`, { name: `Named ${base}` })
    t.match([renamed.status, renamed.body.name], [200, `Named ${base}`])
    t.equal((await api.editor.delete(`${WP}/${base}/${made.body.id}?force=true`)).status, 405)
  }
  for (const [who, status] of [
    ['anonymous', 401],
    ['contributor', 403],
    ['editor', 201],
  ] as const)
    t.equal((await api[who].post(`${WP}/tags`, { name: `By ${who}` })).status, status, who)
  t.equal((await api.editor.post(`${WP}/tags`, {})).body.code, 'rest_missing_callback_param')
  t.equal(
    (await api.editor.post(`${WP}/tags`, { name: 'x', parent: 1 })).body.code,
    'rest_taxonomy_not_hierarchical',
  )
  t.equal((await api.anonymous.get(`${WP}/tags?orderby=rand`)).status, 400)
  t.equal((await api.anonymous.get(`${WP}/tags/99`)).status, 404)
})

t.test('a program learns who it is, and what there is', async (t) => {
  const api = await build(t)
  t.equal((await api.anonymous.get(`${WP}/users/me`)).status, 401)
  const { body: me } = await api.editor.get(`${WP}/users/me`)
  t.match(me, { id: api.credentials.editor.id, name: 'editor', slug: 'editor' })
  t.equal(me.roles, undefined)
  t.match((await api.editor.get(`${WP}/users/me?context=edit`)).body, {
    roles: ['editor'],
    capabilities: { edit_posts: true, upload_files: true, manage_options: false },
  })
  t.match((await api.subscriber.get(`${WP}/users/me?context=edit`)).body.capabilities, {
    read: true,
    edit_posts: false,
  })

  const { body: types } = await api.anonymous.get(`${WP}/types`)
  t.same(Object.keys(types), ['tribe_events', 'tribe_venue', 'tribe_organizer', 'attachment'])
  t.match((await api.anonymous.get(`${WP}/types/tribe_events`)).body, {
    rest_base: 'tribe_events',
    taxonomies: ['post_tag', 'tribe_events_cat', 'category'],
    _links: { 'wp:items': [{ href: `${REST}/wp/v2/tribe_events` }] },
  })
  t.equal((await api.anonymous.get(`${WP}/types/post`)).body.code, 'rest_no_route')
  t.match((await api.anonymous.get(`${WP}/taxonomies/tribe_events_cat`)).body, { hierarchical: true })
  t.equal((await api.anonymous.get(`${WP}/taxonomies/constructor`)).status, 404)
  t.match((await api.anonymous.get(`${WP}/taxonomies`)).body.post_tag, { rest_base: 'tags' })

  const { body: index } = await api.anonymous.get('//wp-json/')
  t.ok(index.namespaces.includes('wp/v2'))
  t.match(index.routes['/wp/v2/tribe_events/(?P<id>[\\w-]+)'].methods, [
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
  ])
  t.match(index.routes['/wp/v2/tags'], {
    endpoints: [{ methods: ['GET'], args: { search: { required: false } } }, { methods: ['POST'] }],
    _links: { self: [{ href: `${REST}/wp/v2/tags` }] },
  })
  const { body: own } = await api.anonymous.get('//wp-json/wp/v2')
  t.match(own, { namespace: 'wp/v2', _links: { up: [{ href: `${REST}/` }] } })
  t.ok(Object.keys(own.routes).every((path) => path.startsWith('/wp/v2/')))
})

t.test('a search finds records of one kind', async (t) => {
  const { anonymous, editor } = await build(t)
  const { id, url } = await must(editor.post('/events', { ...EVENT, title: 'Tea & cake' }))
  await must(editor.post('/venues', { venue: 'Tea house' }))
  t.same((await anonymous.get(`${WP}/search?search=tea&subtype=tribe_events`)).body, [
    {
      ...{ id, title: 'Tea & cake', url, type: 'post', subtype: 'tribe_events' },
      _links: { self: [{ href: `${REST}/wp/v2/tribe_events/${id}` }] },
    },
  ])
  t.match((await anonymous.get(`${WP}/search?search=tea&subtype=tribe_venue`)).body, [{ title: 'Tea house' }])
  t.equal((await anonymous.get(`${WP}/search?search=tea&page=2`)).body.code, 'rest_post_invalid_page_number')
  t.equal((await anonymous.get(`${WP}/search?search=tea&subtype=page`)).status, 400)
})

t.test('a list costs its client what one of the API costs', async (t) => {
  const { anonymous, editor } = await build(t, { env: { COST_LIMIT: '1' } })
  for (const title of ['A', 'B']) await must(editor.post('/events', { ...EVENT, title }))
  const list = (page: number) =>
    anonymous.send({
      method: 'GET',
      url: `/wp-json/wp/v2/tribe_events?page=${page}&per_page=1`,
      remoteAddress: '203.0.113.7',
    })
  const statuses = [(await list(1)).status]
  while (statuses.at(-1) === 200 && statuses.length < 50)
    statuses.push((await list(1 + (statuses.length % 2))).status)
  t.equal(statuses.at(-1), 429)
})
