import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

const WP = '//wp-json/wp/v2'
const REST = 'http://calendar.test/wp-json'

const ids = (list: { id: number }[]) => list.map(({ id }) => id)

t.test('IDs, slugs and other filters hold at once', async (t) => {
  const { anonymous, editor, clock } = await build(t)
  const add = async (venue: string) => (await must(editor.post('/venues', { venue }))).id as number
  const [hall, bar] = [await add('Hall'), await add('Bar')]
  clock.now += 10_000
  const cafe = await add('Cafe')
  const draft = await must(editor.post('/venues', { venue: 'Cellar', status: 'draft', slug: 'cellar' }))
  for (const [query, expected] of [
    [`include=${hall}&search=nothing`, []],
    [`include=${hall},${bar}&search=bar`, [bar]],
    [`include=${hall},${cafe}&modified_after=2026-11-21T09:00:05Z`, [cafe]],
    [`include=${hall},${cafe}&modified_before=2026-11-21T09:00:05Z`, [hall]],
    ['slug=hall&search=bar', []],
    ['slug=hall&modified_after=2026-11-21T09:00:05Z', []],
    ['slug=hall,cafe', [cafe, hall]],
    ['slug[]=hall&slug[]=none', [hall]],
    ['slug=none,other', []],
    [`slug=hall,cafe&include=${hall}`, [hall]],
    [`include=${hall},${draft.id}`, [hall]],
    ['slug=cellar,hall', [hall]],
    [`exclude=${hall},${cafe}`, [bar]],
    [`exclude=${hall}&search=hall`, []],
    ['offset=1', [bar, hall]],
    ['offset=1&per_page=1', [bar]],
    ['offset=1&per_page=2&page=9', [bar, hall]],
    ['offset=9', []],
    ['offset=0&per_page=1', [cafe]],
  ] as const)
    t.same(ids((await anonymous.get(`${WP}/tribe_venue?${query}`)).body), expected, query)
  t.equal((await anonymous.get(`${WP}/tribe_venue?slug=cellar&status=draft`)).status, 400)
  for (const query of [
    'slug=',
    'slug=%20,',
    `slug=${'a,'.repeat(100)}a`,
    'offset=-1',
    'offset=x',
    'exclude=x',
  ])
    t.equal((await anonymous.get(`${WP}/tribe_venue?${query}`)).body.code, 'rest_invalid_param', query)
})

t.test('slugs of events and terms may be lists', async (t) => {
  const { anonymous, editor } = await build(t)
  const made = new Map<string, number>()
  for (const title of ['One', 'Two', 'Three']) {
    const event = await must(editor.post('/events', { ...EVENT, title, tags: [title] }))
    made.set(title, event.id).set(`tag ${title}`, event.tags[0].id)
  }
  const list = async (query: string) => ids((await anonymous.get(`${WP}/${query}`)).body)
  const [one, two, three] = ['One', 'Two', 'Three'].map((title) => made.get(title)!)
  t.same(await list('tribe_events?slug=one,three'), [three, one])
  t.same(await list('tribe_events?slug=one,none&search=two'), [])
  t.same(await list(`tribe_events?slug=one,two&include=${two},${three}`), [two])
  t.same(await list('tags?slug=one,two&order=desc&orderby=name'), [made.get('tag Two'), made.get('tag One')])
  t.same(await list('tags?slug=one,two&per_page=1&page=2'), [made.get('tag Two')])
  t.same(await list('tags?slug=none,other'), [])
  t.same(await list(`tags?slug=one,two&exclude=${made.get('tag One')}`), [made.get('tag Two')])
  t.equal((await anonymous.get(`${WP}/tags?slug=${'a,'.repeat(100)}a`)).status, 400)
})

t.test('a list may begin at any entry, and leads on from there', async (t) => {
  const { anonymous, editor } = await build(t)
  const made: number[] = []
  for (let at = 0; at < 5; at++)
    made.unshift((await must(editor.post('/events', { ...EVENT, title: `Event ${at}` }))).id)
  const list = (query: string) => anonymous.get(`${WP}/tribe_events?${query}`)
  const part = await list('per_page=2&offset=1')
  t.same(ids(part.body), made.slice(1, 3))
  t.match(part.headers, { 'x-wp-total': '5', 'x-wp-totalpages': '3' })
  const at = (offset: number) => `${REST}/wp/v2/tribe_events?per_page=2&offset=${offset}`
  t.equal(part.headers.link, `<${at(3)}>; rel="next", <${at(0)}>; rel="prev"`)
  t.equal((await list('per_page=2&offset=3')).headers.link, `<${at(1)}>; rel="prev"`)
  t.same(ids((await list('per_page=2&offset=3')).body), made.slice(3))
  t.same(ids((await list('offset=2')).body), made.slice(2))
})

t.test('parameters that WordPress clients add to every address are not named', async (t) => {
  const { anonymous } = await build(t)
  const usual = '_locale=user&_=1&_wpnonce=x&context=view&rest_route=x'
  for (const path of ['tribe_venue', 'tags', 'media', 'search', 'types', 'tribe_organizer'])
    t.equal((await anonymous.get(`${WP}/${path}?${usual}`)).headers['x-ignored-parameters'], undefined, path)
  const { headers } = await anonymous.get('//?rest_route=/wp/v2/tags&_locale=user&utm=1')
  t.equal(headers['x-ignored-parameters'], 'utm')
})

t.test('a search without a kind goes through events, venues and organizers', async (t) => {
  const { anonymous, editor } = await build(t)
  const events: number[] = []
  for (const title of ['Tea and cake', 'Tea at five', 'Tea for two'])
    events.unshift((await must(editor.post('/events', { ...EVENT, title }))).id)
  const venue = (await must(editor.post('/venues', { venue: 'Tea house' }))).id
  const organizer = (await must(editor.post('/organizers', { organizer: 'Friends of tea' }))).id
  await must(editor.post('/organizers', { organizer: 'Teachers', status: 'draft' }))
  await must(editor.post('/venues', { venue: 'Bar' }))
  const all = [...events, venue, organizer]
  const search = (query: string) => anonymous.get(`${WP}/search?${query}`)
  for (const [query, expected] of [
    ['search=tea', all],
    ['search=tea&subtype=any&type=post', all],
    ['search=tea&per_page=2', all.slice(0, 2)],
    ['search=tea&per_page=2&page=2', all.slice(2, 4)],
    ['search=tea&per_page=2&page=3', all.slice(4)],
    ['search=tea&per_page=4&page=2', all.slice(4)],
    ['search=tea&offset=1&per_page=3', all.slice(1, 4)],
    ['search=tea&offset=3', all.slice(3)],
    [`search=tea&include=${venue}`, [venue]],
    ['search=tea&subtype=tribe_organizer', [organizer]],
    ['search=nothing', []],
  ] as const)
    t.same(ids((await search(query)).body), expected, query)
  const { body, headers } = await search('search=tea&per_page=2&page=2')
  t.match(headers, { 'x-wp-total': '5', 'x-wp-totalpages': '3' })
  t.match(body, [
    { subtype: 'tribe_events' },
    {
      ...{ id: venue, title: 'Tea house', type: 'post', subtype: 'tribe_venue' },
      _links: { self: [{ href: `${REST}/wp/v2/tribe_venue/${venue}` }] },
    },
  ])
  t.equal((await search('search=tea&page=2')).body.code, 'rest_post_invalid_page_number')
  t.equal((await search('search=tea&tags=late')).headers['x-ignored-parameters'], 'tags')
})

t.test('a write to a date of a series says which dates it is for', async (t) => {
  const api = await build(t)
  const { id } = await must(
    api.editor.post('/events', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }),
  )
  const titles = async () => {
    const { body } = await api.editor.get(`${WP}/tribe_events?per_page=50&orderby=start_date&status=publish`)
    return body.map(({ title }: { title: { rendered: string } }) => title.rendered)
  }
  t.same(await titles(), ['Concert', 'Concert', 'Concert'])
  const at = `${WP}/tribe_events/${id}`
  const made = await api.editor.put(`${at}?apply_to=all`, { title: 'Recital' })
  t.match([made.status, made.headers['x-ignored-fields']], [200, undefined])
  t.same(await titles(), ['Recital', 'Recital', 'Recital'])
  t.equal(
    (await api.editor.put(`//wp-json/tec/v1/events/${id}?apply_to=this`, { title: 'Solo' })).status,
    200,
  )
  t.same(await titles(), ['Solo', 'Recital', 'Recital'])
  const before = await api.fingerprint()
  t.match((await api.editor.put(`${at}?apply_to=none`, { title: 'No' })).body.data.params, { apply_to: /./ })
  t.equal(await api.fingerprint(), before)
  t.equal((await api.editor.delete(`${at}?apply_to=all`)).status, 200)
  t.same(await titles(), [])
})

t.test('where it has no meaning, apply_to is named as ignored', async (t) => {
  const { editor } = await build(t)
  const venue = await editor.post(`${WP}/tribe_venue?apply_to=all`, { title: 'Hall' })
  t.match([venue.status, venue.headers['x-ignored-fields']], [201, 'apply_to'])
  const at = `${WP}/tribe_venue/${venue.body.id}?apply_to=all`
  t.equal((await editor.put(at, { title: 'Bar' })).headers['x-ignored-fields'], 'apply_to')
  t.equal((await editor.delete(at)).headers['x-ignored-parameters'], 'apply_to')
  const event = await editor.post(`${WP}/tribe_events?apply_to=all`, EVENT)
  t.equal(event.headers['x-ignored-fields'], 'apply_to')
})
