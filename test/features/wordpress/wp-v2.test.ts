import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const WP = '//wp-json/wp/v2'
const REST = 'http://calendar.test/wp-json'

/** A picture of the editor. */
const upload = async ({ editor }: Api) =>
  (await must(editor.post('/media', await draw(400, 300), raw('stage.png', 'image/png')))).id as number

const ids = (list: { id: number }[]) => list.map(({ id }) => id)

t.test('an event is shown as a post', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const image = await upload(api)
  const event = await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Tea & <cake>',
      description: '<p>Long</p>',
      excerpt: '<p>Short</p>',
      categories: ['Music'],
      tags: ['Late', 'Loud'],
      image,
    }),
  )
  const { status, headers, body } = await api.anonymous.get(`${WP}/tribe_events/${event.id}`)
  t.equal(status, 200)
  t.equal(headers['content-type'], 'application/json; charset=utf-8')
  t.ok(headers.etag)
  t.same(body, {
    id: event.id,
    date: '2026-11-21T10:00:00',
    date_gmt: '2026-11-21T09:00:00',
    guid: { rendered: event.url },
    modified: '2026-11-21T10:00:00',
    modified_gmt: '2026-11-21T09:00:00',
    slug: event.slug,
    status: 'publish',
    type: 'tribe_events',
    link: event.url,
    title: { rendered: 'Tea &#038; &lt;cake&gt;' },
    content: { rendered: event.description, protected: false },
    excerpt: { rendered: event.excerpt, protected: false },
    author: api.credentials.editor.id,
    featured_media: image,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {
      ...{ _EventStartDate: event.start_date, _EventEndDate: event.end_date },
      ...{ _EventStartDateUTC: event.utc_start_date, _EventEndDateUTC: event.utc_end_date },
      ...{ _EventTimezone: event.timezone, _EventAllDay: false },
      ...{ _EventCost: event.cost, _EventURL: event.website },
    },
    tags: ids(event.tags),
    tribe_events_cat: ids(event.categories),
    _links: {
      self: [{ href: `${REST}/wp/v2/tribe_events/${event.id}` }],
      collection: [{ href: `${REST}/wp/v2/tribe_events` }],
      about: [{ href: `${REST}/wp/v2/types/tribe_events` }],
      'wp:featuredmedia': [{ href: `${REST}/wp/v2/media/${image}`, embeddable: true }],
      'wp:term': [
        { href: `${REST}/wp/v2/tags?post=${event.id}`, taxonomy: 'post_tag', embeddable: true },
        {
          href: `${REST}/wp/v2/tribe_events_cat?post=${event.id}`,
          taxonomy: 'tribe_events_cat',
          embeddable: true,
        },
      ],
    },
  })

  const at = `${WP}/tribe_events/${event.id}`
  const { body: all } = await api.anonymous.get(`${at}?_embed`)
  t.match(all._embedded, {
    'wp:featuredmedia': [{ id: image, media_type: 'image', mime_type: 'image/png' }],
    'wp:term': [
      [
        { name: 'Late', taxonomy: 'post_tag', link: 'http://calendar.test/events/tag/late/' },
        { name: 'Loud' },
      ],
      [{ name: 'Music', taxonomy: 'tribe_events_cat', parent: 0 }],
    ],
  })
  t.same(Object.keys((await api.anonymous.get(`${at}?_embed=1`)).body._embedded).length, 2)
  const { body: some } = await api.anonymous.get(`${at}?_embed=author,wp:featuredmedia`)
  t.same(Object.keys(some._embedded), ['wp:featuredmedia'])
  const { body: terms } = await api.anonymous.get(`${at}?_embed[]=wp:term`)
  t.same(Object.keys(terms._embedded), ['wp:term'])
  t.same((await api.anonymous.get(`${at}?_fields=id,title.rendered`)).body, {
    id: event.id,
    title: { rendered: 'Tea &#038; &lt;cake&gt;' },
  })
  const { body: short } = await api.anonymous.get(`${at}?context=embed`)
  t.match(short, { id: event.id, featured_media: image })
  t.equal(short.content, undefined)
  t.equal((await api.anonymous.get(`${at}?context=other`)).status, 400)
  const same = await api.anonymous.get(at, undefined, { headers: { 'if-none-match': headers.etag } })
  t.equal(same.status, 304)
  const catalan = await api.anonymous.get(`//ca${at.slice(1)}`)
  t.equal(catalan.body._links.collection[0].href, 'http://calendar.test/ca/wp-json/wp/v2/tribe_events')
})

t.test('venues and organizers are posts without terms', async (t) => {
  const { anonymous, editor } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall & bar', description: '<p>Old</p>' }))
  const organizer = await must(editor.post('/organizers', { organizer: 'Choir' }))
  t.match((await anonymous.get(`${WP}/tribe_venue/${venue.id}?_embed`)).body, {
    ...{ type: 'tribe_venue', title: { rendered: 'Hall &#038; bar' }, featured_media: 0 },
    ...{ content: { rendered: '<p>Old</p>' }, excerpt: { rendered: '' }, _embedded: {} },
  })
  const { body } = await anonymous.get(`${WP}/tribe_organizer`)
  t.match(body, [{ id: organizer.id, title: { rendered: 'Choir' } }])
  t.equal(body[0].tags, undefined)
  for (const path of [
    'tribe_venue/99',
    `tribe_organizer/${venue.id}`,
    'tribe_events/1x',
    `tribe_events/${venue.id}`,
    'posts',
    'pages/1',
    'users',
    'comments',
  ])
    t.equal((await anonymous.get(`${WP}/${path}`)).status, 404, path)
})

t.test('lists have totals, pages and neighbours in headers', async (t) => {
  const { anonymous, editor, clock } = await build(t)
  const made: number[] = []
  for (const [at, title] of ['B', 'A', 'C'].entries()) {
    clock.now += 1_000
    const event = {
      ...EVENT,
      title,
      start_date: `2026-12-0${3 - at} 20:00`,
      end_date: `2026-12-0${3 - at} 21:00`,
    }
    made.push((await must(editor.post('/events', event))).id)
  }
  const [first, second, third] = made as [number, number, number]
  const list = (query: string) => anonymous.get(`${WP}/tribe_events?${query}`)
  const { headers, body } = await list('per_page=1&page=2&_fields=id')
  t.same(body, [{ id: second }])
  t.match(headers, { 'x-wp-total': '3', 'x-wp-totalpages': '3' })
  const at = (page: number) => `${REST}/wp/v2/tribe_events?per_page=1&_fields=id&page=${page}`
  t.equal(headers.link, `<${at(3)}>; rel="next", <${at(1)}>; rel="prev"`)
  const after = await anonymous.get(`/${at(3).slice('http://calendar.test'.length)}`)
  t.same(after.body, [{ id: first }])
  t.equal(after.headers.link!.includes('rel="next"'), false)

  for (const [query, expected] of [
    ['', [third, second, first]],
    ['orderby=date&order=asc', [first, second, third]],
    ['orderby=title&order=ASC', [second, first, third]],
    ['orderby=title&order=desc', [third, first, second]],
    ['orderby=start_date', [third, second, first]],
    ['orderby=id&order=asc', [first, second, third]],
    [`include=${first},${third}&order=asc`, [first, third]],
    [`include[]=${first}&include[]=999`, [first]],
    ['include=999', []],
    ['search=c', [third]],
    ['search=', [third, second, first]],
    ['slug=a', [second]],
    ['slug=none', []],
    [`slug=a&include=${first}`, []],
    ['per_page=1000000000', [third, second, first]],
    ['modified_after=2026-11-21T09:00:02Z', [third]],
    ['status=publish', [third, second, first]],
    ['page=1&include=999&_embed=1', []],
  ] as const)
    t.same(ids((await list(query)).body), expected, query)

  for (const [query, code] of [
    ['page=2', 'rest_post_invalid_page_number'],
    ['page=0', 'rest_invalid_param'],
    ['per_page=x', 'rest_invalid_param'],
    ['orderby=rand', 'rest_invalid_param'],
    ['order=up', 'rest_invalid_param'],
    [`include=${Array.from({ length: 101 }, (_, at) => at + 1)}`, 'rest_invalid_param'],
    ['include=x', 'rest_invalid_param'],
    ['status=draft', 'rest_invalid_param'],
    ['search=%22%22', 'rest_invalid_param'],
    ['tags=none', 'rest_invalid_param'],
  ] as const) {
    const { status, body } = await list(query)
    t.match({ status, body }, { status: 400, body: { code, data: { status: 400 }, message: /./ } }, query)
  }
  const told = await list('exclude=1&utm=2&_embed&page=1&_locale=user&_=1&_wpnonce=x&after=2026-01-01')
  t.equal(told.headers['x-ignored-parameters'], 'exclude, utm, after')
  t.equal(
    (await anonymous.send({ method: 'HEAD', url: '/wp-json/wp/v2/tribe_events' })).headers['x-wp-total'],
    '3',
  )
  const { length } = (await list(Array.from({ length: 300 }, (_, at) => `a${at}=1`).join('&'))).body
  t.equal(length, undefined, 'too many parameters are refused')
})

t.test('a slug leads to the record in the language of the address', async (t) => {
  const { anonymous, editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const other = await must(
    editor.post('/events', { ...EVENT, title: 'Concert en català', i18n_language: 'ca', translation_of: id }),
  )
  t.same(ids((await anonymous.get(`${WP}/tribe_events?slug=concert`)).body), [id])
  t.same(ids((await anonymous.get('//ca/wp-json/wp/v2/tribe_events?slug=concert')).body), [other.id])
  t.same(ids((await anonymous.get('//ca/wp-json/wp/v2/tribe_events')).body), [other.id])
  t.same(ids((await anonymous.get(`${WP}/tribe_events?i18n_language=ca`)).body), [other.id])
})

t.test('events are filtered by terms, venue, organizer and dates', async (t) => {
  const { anonymous, editor } = await build(t)
  const one = await must(
    editor.post('/events', {
      ...EVENT,
      ...{
        categories: ['Music'],
        tags: ['Late'],
        venue: { venue: 'Hall' },
        organizer: [{ organizer: 'Choir' }],
      },
      featured: true,
    }),
  )
  await must(
    editor.post('/events', { ...EVENT, title: 'Other', start_date: '2020-01-01', end_date: '2020-01-02' }),
  )
  const [category, tag] = [one.categories[0].id, one.tags[0].id]
  for (const query of [
    `tribe_events_cat=${category}`,
    `categories[]=${category}`,
    `tags=${tag}`,
    'tags=late',
    `tags=99999,late,${tag}&tribe_events_cat=99999,${category}`,
    `venue=${one.venue.id}`,
    `organizer=${one.organizer[0].id}`,
    'start_date=2026-12-01',
    'featured=true',
  ])
    t.same(ids((await anonymous.get(`${WP}/tribe_events?${query}`)).body), [one.id], query)
  t.notOk((await anonymous.get(`${WP}/tribe_events?tags=99999`)).body.length, 'terms that are all unknown')
  t.same(ids((await anonymous.get(`${WP}/tribe_events?end_date=2021-01-01`)).body).length, 1)
  t.equal((await anonymous.get(`${WP}/tribe_events`)).body.length, 2, 'past ones are listed')
})

t.test('venues and organizers are found by search, slug and IDs', async (t) => {
  const { anonymous, editor } = await build(t)
  const [one, two] = [
    await must(editor.post('/venues', { venue: 'Hall' })),
    await must(editor.post('/venues', { venue: 'Bar' })),
  ]
  const draft = await must(editor.post('/venues', { venue: 'Cellar', status: 'draft', slug: 'cellar' }))
  const list = async (query: string, client = anonymous) =>
    ids((await client.get(`${WP}/tribe_venue?${query}`)).body)
  t.same(await list(''), [two.id, one.id])
  t.same(await list('orderby=title&order=asc'), [two.id, one.id], 'newest first in any order')
  t.same(await list('search=hall'), [one.id])
  t.same(await list('slug=bar'), [two.id])
  t.same(await list(`include=${one.id},${two.id},${draft.id},999&per_page=2`), [two.id, one.id])
  t.same(await list(`include=${one.id},${two.id}&per_page=1&page=2`), [one.id])
  t.same(await list('slug=cellar'), [])
  t.same(await list('slug=cellar', editor), [], 'published ones, unless others are asked for')
  t.same(await list('slug=cellar&status=any', editor), [draft.id])
  t.same(await list('slug=cellar&status=draft', editor), [draft.id])
  t.same(await list('status=draft', editor), [draft.id])
  t.equal((await anonymous.get(`${WP}/tribe_venue?page=2`)).body.code, 'rest_post_invalid_page_number')
  t.equal((await anonymous.get(`${WP}/tribe_venue?status=draft`)).status, 400)
})

t.test('context=edit is for those who write, and has texts as they were written', async (t) => {
  const api = await build(t)
  const { id } = await must(
    api.author.post('/events', { ...EVENT, title: 'Tea & cake', description: 'Text' }),
  )
  const at = `${WP}/tribe_events`
  for (const [who, ofList, ofOne] of [
    ['anonymous', 401, 401],
    ['subscriber', 403, 403],
    ['contributor', 200, 403],
    ['author', 200, 200],
    ['editor', 200, 200],
  ] as const) {
    t.equal((await api[who].get(`${at}?context=edit`)).status, ofList, who)
    t.equal((await api[who].get(`${at}/${id}?context=edit`)).status, ofOne, who)
  }
  t.match((await api.editor.get(`${at}/${id}?context=edit`)).body, {
    title: { raw: 'Tea & cake', rendered: 'Tea &#038; cake' },
    content: { raw: '<p>Text</p>', rendered: '<p>Text</p>' },
  })
})
