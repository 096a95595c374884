import t from 'tap'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { must, pick } from '../../support/events.ts'
import { faults } from '../../support/schema.ts'

const api = await build(t, { env: { TIMEZONE: 'America/New_York' } })
const { anonymous, editor } = api
const METHODS = ['post', 'put', 'patch'] as const
const add = (more = {}) => must(editor.post('/events', { ...EVENT, ...more }))
const slugOf = async (more = {}): Promise<string> => (await add(more)).slug

const FULL = {
  ...{
    title: 'Full',
    description: 'long',
    excerpt: 'short',
    slug: 'full',
    cost: '$5',
    website: 'https://x.example',
  },
  ...{
    start_date: '2027-03-01 10:00',
    end_date: '2027-03-01 12:00',
    timezone: 'Europe/Paris',
    all_day: false,
  },
  ...{
    show_map: true,
    show_map_link: true,
    sticky: true,
    featured: true,
    ticketed: true,
    hide_from_listings: true,
  },
  ...{ categories: ['c'], tags: ['t'], venue: { venue: 'V' }, organizer: [{ organizer: 'O' }] },
  ...{ status: 'private', date: '2020-02-02 02:02:02', i18n_language: 'ca' },
}

t.test(
  'an update keeps every field that it does not name, by POST, PUT and PATCH, by ID and slug',
  async (t) => {
    const { id: parent } = await add({ title: 'Parent' })
    const changes: [sent: object, shown: object][] = [
      [{}, {}],
      [{ title: 'New' }, { title: 'New' }],
      [{ description: 'other' }, { description: '<p>other</p>' }],
      [{ excerpt: 'other' }, { excerpt: '<p>other</p>' }],
      [{ website: '' }, { website: '' }],
      [{ sticky: false }, { sticky: false }],
      [{ featured: '0' }, { featured: false }],
      [{ show_map: 0 }, { show_map: false }],
      [{ ticketed: false }, { ticketed: false }],
      [{ hide_from_listings: false }, { hide_from_listings: false }],
      [{ post_parent: parent }, { post_parent: parent }],
      [{ author: api.credentials.author.id }, { author: String(api.credentials.author.id) }],
      [{ status: 'pending' }, { status: 'pending', date_utc: '0000-00-00 00:00:00' }],
      [{ categories: [] }, { categories: [] }],
      [{ tags: '' }, { tags: [] }],
      [{ organizer: null }, { organizer: [] }],
      [{ venue: 0 }, { venue: [] }],
    ]
    for (const method of METHODS) {
      for (const by of ['id', 'slug'] as const) {
        const slug = `full-${method}-${by}`
        let before = await add({ ...FULL, slug })
        const path = by === 'id' ? `/events/${before.id}` : `/events/by-slug/${slug}`
        for (const [sent, shown] of changes) {
          api.clock.now += 60_000
          const minute = new Date(api.clock.now).toISOString().slice(11, 19)
          const { status, body } = await editor[method](path, sent)
          const modified = { modified: body.modified, modified_utc: `2026-11-21 ${minute}` }
          t.equal(status, 200)
          t.strictSame(body, { ...before, ...shown, ...modified }, `${method} ${by} ${JSON.stringify(sent)}`)
          before = body
        }
        const { json_ld, ...read } = (await editor.get(path)).body
        t.strictSame(read, before, 'it reads as it was answered')
        t.strictSame(faults('CalendarEvent', read), [])
      }
    }
    api.clock.now = Date.parse('2026-11-21T09:00:00Z')
  },
)

t.test('one link is replaced by another, and the others stay', async (t) => {
  const before = await add(FULL)
  const { body } = await editor.patch(`/events/${before.id}`, { organizer: { organizer: 'P' }, tags: ['u'] })
  t.match(body, { venue: { venue: 'V' }, organizer: [{ organizer: 'P' }], tags: [{ name: 'u' }] })
  t.strictSame([body.organizer.length, body.tags.length], [1, 1])
  t.strictSame(body.categories, before.categories)
})

t.test('the path says which event is meant, whatever the body or the query says', async (t) => {
  const one = await add({ title: 'One', slug: 'one' })
  const two = await add({ title: 'Two', slug: 'two' })
  t.equal((await anonymous.get(`/events/${one.id}?id=${two.id}&slug=two`)).body.title, 'One')
  t.equal((await anonymous.get(`/events/by-slug/one?slug=two&id=${two.id}`)).body.title, 'One')
  t.match((await editor.patch(`/events/${one.id}?id=${two.id}`, { id: two.id, sticky: true })).body, {
    id: one.id,
  })
  t.match((await editor.patch('/events/by-slug/one', { id: two.id, featured: true })).body, { id: one.id })
  t.match((await anonymous.get('/events/by-slug/two')).body, { sticky: false, featured: false })
  t.match(await editor.patch('/events/by-slug/one', { slug: 'renamed' }), {
    status: 200,
    body: { slug: 'renamed' },
  })
  t.equal((await anonymous.get('/events/by-slug/one')).status, 404)
  t.equal((await anonymous.get('/events/by-slug/renamed')).body.id, one.id)
  t.match(await editor.patch('/events/by-slug/renamed', { slug: 'two' }), {
    body: { id: one.id, slug: 'two-2' },
  })
})

t.test('events that do not exist are 404 to those who may write, 401 or 403 to others', async (t) => {
  const { id: venue } = await must(editor.post('/venues', { venue: 'Not an event', status: 'publish' }))
  for (const path of [
    '/events/9999',
    `/events/${venue}`,
    '/events/by-slug/not-an-event',
    '/events/99999999999999999999',
  ]) {
    for (const [client, codes] of [
      [anonymous, '404 401 401'],
      [api.subscriber, '404 403 403'],
      [api.contributor, '404 404 404'],
      [editor, '404 404 404'],
    ] as const) {
      const answers = [
        await client.get(path),
        await client.patch(path, { title: 'x' }),
        await client.delete(path),
      ]
      t.equal(answers.map(({ status }) => status).join(' '), codes, path)
      for (const { status, body } of answers)
        t.equal(body.code, status === 404 ? 'rest-event-not-found' : 'rest_forbidden')
    }
  }
  t.match(await anonymous.get('/events/abc'), { status: 404, body: { code: 'rest_no_route' } })
  t.match(
    await editor.patch('/events/9999', { featured: 'x' }),
    { status: 400 },
    'what was sent is looked at first',
  )
})

t.test('an event can not be its own parent or translation, by whatever name', async (t) => {
  const { id, slug } = await add({ title: 'Own' })
  for (const path of [`/events/${id}`, `/events/by-slug/${slug}`])
    for (const name of ['post_parent', 'translation_of']) {
      const { status, body } = await editor.patch(path, { [name]: id })
      t.strictSame([status, Object.keys(body.data.params)], [400, [name]], `${path} ${name}`)
      t.match(body.data.params[name], 'its own')
    }
})

t.test('children of an event that is deleted for good have no parent any more', async (t) => {
  const { id: parent } = await add({ title: 'Parent' })
  const { id: child } = await add({ title: 'Child', post_parent: parent })
  await must(editor.delete(`/events/${parent}`))
  t.equal((await anonymous.get(`/events/${child}`)).body.post_parent, parent)
  await must(editor.delete(`/events/${parent}?force=true`))
  t.equal((await anonymous.get(`/events/${child}`)).body.post_parent, 0)
})

t.test('slugs come from the title, are numbered when taken, and stay', async (t) => {
  const cases: [sent: object, slug: string][] = [
    [{ title: 'Café – Ölüm & Æon!' }, 'cafe-olum-aeon'],
    [{ title: 'CAFÉ: ölüm, æon' }, 'cafe-olum-aeon-2'],
    [{ title: 'Cafe Olum Aeon' }, 'cafe-olum-aeon-3'],
    [{ title: 'x', slug: 'Cafe Ölum  aeon' }, 'cafe-olum-aeon-4'],
    [{ title: '日本' }, '%e6%97%a5%e6%9c%ac'],
    [{ title: '日本' }, '%e6%97%a5%e6%9c%ac-2'],
    [{ title: 'y', slug: null }, 'y'],
    [{ title: '2027' }, '2027'],
    [{ title: '!!!' }, 'event'],
    [{ title: `${'long '.repeat(60)}` }, `${'long-'.repeat(39)}long`],
    [{ title: 'z', slug: 's'.repeat(300) }, 's'.repeat(200)],
    [{ title: 'z', slug: 's'.repeat(300) }, `${'s'.repeat(198)}-2`],
  ]
  for (const [sent, slug] of cases) {
    t.equal(await slugOf(sent), slug)
    t.equal((await anonymous.get(`/events/by-slug/${slug}`)).body.slug, slug)
  }
  t.equal((await anonymous.get('/events/by-slug/日本')).status, 200, 'as characters too')
  t.equal(
    (await must(editor.post('/venues', { venue: 'Café Ölüm Æon' }))).slug,
    'cafe-olum-aeon',
    'another kind',
  )
  const path = '/events/by-slug/cafe-olum-aeon-2'
  t.equal((await editor.patch(path, { title: 'Bar' })).body.slug, 'cafe-olum-aeon-2')
  t.equal((await editor.patch(path, { slug: 'cafe-olum-aeon-2' })).body.slug, 'cafe-olum-aeon-2')
  t.equal(
    (await editor.patch(path, { title: 'Bar', slug: null })).body.slug,
    'bar',
    'null with a title: anew',
  )
})

t.test('a draft has no slug until it is published, unless it was given one', async (t) => {
  const { id, slug, url } = await add({ title: 'Draft one', status: 'draft' })
  t.strictSame([slug, url], ['', `http://calendar.test/event/${id}/`])
  t.equal((await editor.patch(`/events/${id}`, { title: 'Draft two', status: 'pending' })).body.slug, '')
  t.equal((await editor.patch(`/events/${id}`, { status: 'private' })).body.slug, 'draft-two')
  t.equal(await slugOf({ title: 'Given', slug: 'mine', status: 'draft' }), 'mine')
  const { body } = await editor.patch('/events/by-slug/mine', { status: 'publish' })
  t.strictSame(pick(body, { slug: '', status: '' }), { slug: 'mine', status: 'publish' })
  t.equal(body.rest_url, `http://calendar.test${ROOT}/events/${body.id}`)
})

t.test('names that are taken are numbered, however many and however long', async (t) => {
  const { editor } = await build(t)
  const make: [path: string, body: (name: string) => object][] = [
    ['/events', (title) => ({ ...EVENT, title })],
    ['/venues', (venue) => ({ venue })],
  ]
  for (const [path, body] of make)
    for (const [name, numbered] of [
      ['Jam', (number: number) => `jam-${number}`],
      ['x'.repeat(250), (number: number) => `${'x'.repeat(199 - String(number).length)}-${number}`],
    ] as const) {
      const slugs: string[] = []
      for (let count = 1; count <= 24; count++) slugs.push((await must(editor.post(path, body(name)))).slug)
      t.strictSame(
        slugs.slice(1),
        Array.from({ length: 23 }, (_, at) => numbered(at + 2)),
      )
      t.equal(slugs[0]!.length, Math.min(name.length, 200))
    }
  await must(editor.post('/events', { ...EVENT, title: 'x', slug: 'jam-40' }))
  t.equal(
    (await must(editor.post('/events', { ...EVENT, title: 'Jam' }))).slug,
    'jam-41',
    'the next after the highest',
  )
})

t.test('a title without letters and digits gives a slug all the same', async (t) => {
  const { editor } = await build(t)
  t.match(await must(editor.post('/events', { ...EVENT, title: '!!!' })), { slug: 'event' })
  const { id } = await must(editor.post('/events', { ...EVENT, title: '???', status: 'draft' }))
  t.match(await must(editor.patch(`/events/${id}`, { status: 'publish' })), { slug: String(id) })
  t.match(await must(editor.patch(`/events/${id}`, { title: 'Words', slug: null })), { slug: 'words' })
  t.match(await must(editor.patch(`/events/${id}`, { title: '…', slug: null })), { slug: String(id) })
})
