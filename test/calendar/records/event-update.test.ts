import t, { type Test } from 'tap'
import { must, pick } from '../../support/answers.ts'
import { EVENT, ROOT } from '../../support/given.ts'
import { type Kind, openRecords } from '../../support/store.ts'
import { faults } from '../../support/validation.ts'

/** A store, with what creates events and what gives the slugs of new ones. */
async function open(t: Test) {
  const records = await openRecords(t, { env: { TIMEZONE: 'America/New_York' } })
  const add = (more = {}) => must(records.editor.create('event', { ...EVENT, ...more }))
  const slugOf = async (more = {}): Promise<string> => (await add(more)).slug
  return { ...records, add, slugOf }
}

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

t.test('an update keeps every field that it does not name, by ID and slug', async (t) => {
  const { editor, ids, clock, add } = await open(t)
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
    [{ author: ids.author }, { author: String(ids.author) }],
    [{ status: 'pending' }, { status: 'pending', date_utc: '0000-00-00 00:00:00' }],
    [{ categories: [] }, { categories: [] }],
    [{ tags: '' }, { tags: [] }],
    [{ organizer: null }, { organizer: [] }],
    [{ venue: 0 }, { venue: [] }],
  ]
  for (const by of ['id', 'slug'] as const) {
    let before = await add({ ...FULL, slug: `full-${by}` })
    const key = before[by]
    for (const [sent, shown] of changes) {
      clock.now += 60_000
      const minute = new Date(clock.now).toISOString().slice(11, 19)
      const body = await must(editor.change('event', key, sent))
      const modified = { modified: body.modified, modified_utc: `2026-11-21 ${minute}` }
      t.strictSame(body, { ...before, ...shown, ...modified }, `${by} ${JSON.stringify(sent)}`)
      before = body
    }
    const { json_ld, ...read } = await must(editor.read('event', key))
    t.strictSame(read, before, 'it reads as it was answered')
    t.strictSame(faults('CalendarEvent', read), [])
  }
})

t.test('one link is replaced by another, and the others stay', async (t) => {
  const { editor, add } = await open(t)
  const before = await add(FULL)
  const { body } = await editor.change('event', before.id, { organizer: { organizer: 'P' }, tags: ['u'] })
  t.match(body, { venue: { venue: 'V' }, organizer: [{ organizer: 'P' }], tags: [{ name: 'u' }] })
  t.strictSame([body.organizer.length, body.tags.length], [1, 1])
  t.strictSame(body.categories, before.categories)
})

t.test(
  'a body does not say which event is meant, and a slug leads to it until it is another one',
  async (t) => {
    const { anonymous, editor, add } = await open(t)
    const one = await add({ title: 'One', slug: 'one' })
    const two = await add({ title: 'Two', slug: 'two' })
    const change = async (key: number | string, sent: object) => must(editor.change('event', key, sent))
    t.match(await change(one.id, { id: two.id, sticky: true }), { id: one.id })
    t.match(await change('one', { id: two.id, featured: true }), { id: one.id })
    t.match((await anonymous.read('event', 'two')).body, { sticky: false, featured: false })
    t.match(await change('one', { slug: 'renamed' }), { slug: 'renamed' })
    t.equal((await anonymous.read('event', 'one')).status, 404)
    t.equal((await anonymous.read('event', 'renamed')).body.id, one.id)
    t.match(await change('renamed', { slug: 'two' }), { id: one.id, slug: 'two-2' })
  },
)

t.test('events that do not exist are 404 to those who may write, 401 or 403 to others', async (t) => {
  const records = await open(t)
  const { editor } = records
  const { id: venue } = await must(editor.create('venue', { venue: 'Not an event', status: 'publish' }))
  for (const key of [9999, venue, 'not-an-event', Number.MAX_SAFE_INTEGER])
    for (const [who, codes] of [
      ['anonymous', '404 401 401'],
      ['subscriber', '404 403 403'],
      ['contributor', '404 404 404'],
      ['editor', '404 404 404'],
    ] as const) {
      const answers = [
        await records[who].read('event', key),
        await records[who].change('event', key, { title: 'x' }),
        await records[who].remove('event', key),
      ]
      t.equal(answers.map(({ status }) => status).join(' '), codes, `${who} ${key}`)
      for (const { status, body } of answers)
        t.equal(body.code, status === 404 ? 'rest-event-not-found' : 'rest_forbidden')
    }
  const { status } = await editor.change('event', 9999, { featured: 'x' })
  t.equal(status, 400, 'what was sent is looked at first')
})

t.test('an event can not be its own parent or translation, by whatever name', async (t) => {
  const { editor, add } = await open(t)
  const { id, slug } = await add({ title: 'Own' })
  for (const key of [id, slug])
    for (const name of ['post_parent', 'translation_of']) {
      const { status, body } = await editor.change('event', key, { [name]: id })
      t.strictSame([status, Object.keys(body.data.params)], [400, [name]], `${key} ${name}`)
      t.match(body.data.params[name], 'its own')
    }
})

t.test('children of an event that is deleted for good have no parent any more', async (t) => {
  const { anonymous, editor, add } = await open(t)
  const { id: parent } = await add({ title: 'Parent' })
  const { id: child } = await add({ title: 'Child', post_parent: parent })
  await must(editor.remove('event', parent))
  t.equal((await anonymous.read('event', child)).body.post_parent, parent)
  await must(editor.remove('event', parent, 'force=true'))
  t.equal((await anonymous.read('event', child)).body.post_parent, 0)
})

t.test('slugs come from the title, are numbered when taken, and stay', async (t) => {
  const { anonymous, editor, slugOf } = await open(t)
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
    t.equal((await anonymous.read('event', slug)).body.slug, slug)
  }
  t.equal((await anonymous.read('event', '日本')).status, 200, 'as characters too')
  t.equal(
    (await must(editor.create('venue', { venue: 'Café Ölüm Æon' }))).slug,
    'cafe-olum-aeon',
    'another kind',
  )
  const change = (sent: object) => editor.change('event', 'cafe-olum-aeon-2', sent)
  t.equal((await change({ title: 'Bar' })).body.slug, 'cafe-olum-aeon-2')
  t.equal((await change({ slug: 'cafe-olum-aeon-2' })).body.slug, 'cafe-olum-aeon-2')
  t.equal((await change({ title: 'Bar', slug: null })).body.slug, 'bar', 'null with a title: anew')
})

t.test('a draft has no slug until it is published, unless it was given one', async (t) => {
  const { editor, add, slugOf } = await open(t)
  const { id, slug, url } = await add({ title: 'Draft one', status: 'draft' })
  t.strictSame([slug, url], ['', `http://calendar.test/event/${id}/`])
  t.equal((await editor.change('event', id, { title: 'Draft two', status: 'pending' })).body.slug, '')
  t.equal((await editor.change('event', id, { status: 'private' })).body.slug, 'draft-two')
  t.equal(await slugOf({ title: 'Given', slug: 'mine', status: 'draft' }), 'mine')
  const { body } = await editor.change('event', 'mine', { status: 'publish' })
  t.strictSame(pick(body, { slug: '', status: '' }), { slug: 'mine', status: 'publish' })
  t.equal(body.rest_url, `http://calendar.test${ROOT}/events/${body.id}`)
})

t.test('names that are taken are numbered, however many and however long', async (t) => {
  const { editor } = await openRecords(t)
  const make: [kind: Kind, body: (name: string) => object][] = [
    ['event', (title) => ({ ...EVENT, title })],
    ['venue', (venue) => ({ venue })],
  ]
  for (const [kind, body] of make)
    for (const [name, numbered] of [
      ['Jam', (number: number) => `jam-${number}`],
      ['x'.repeat(250), (number: number) => `${'x'.repeat(199 - String(number).length)}-${number}`],
    ] as const) {
      const slugs: string[] = []
      for (let count = 1; count <= 24; count++) slugs.push((await must(editor.create(kind, body(name)))).slug)
      t.strictSame(
        slugs.slice(1),
        Array.from({ length: 23 }, (_, at) => numbered(at + 2)),
      )
      t.equal(slugs[0]!.length, Math.min(name.length, 200))
    }
  await must(editor.create('event', { ...EVENT, title: 'x', slug: 'jam-40' }))
  t.equal(
    (await must(editor.create('event', { ...EVENT, title: 'Jam' }))).slug,
    'jam-41',
    'the next after the highest',
  )
})

t.test('a title without letters and digits gives a slug all the same', async (t) => {
  const { editor } = await openRecords(t)
  t.match(await must(editor.create('event', { ...EVENT, title: '!!!' })), { slug: 'event' })
  const { id } = await must(editor.create('event', { ...EVENT, title: '???', status: 'draft' }))
  t.match(await must(editor.change('event', id, { status: 'publish' })), { slug: String(id) })
  t.match(await must(editor.change('event', id, { title: 'Words', slug: null })), { slug: 'words' })
  t.match(await must(editor.change('event', id, { title: '…', slug: null })), { slug: String(id) })
})
