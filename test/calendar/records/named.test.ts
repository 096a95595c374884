import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Person, type Records } from '../../support/store.ts'

type Named = { name: string; slug: string; id: number }
const TAXONOMIES = { categories: 'category', tags: 'tag' } as const
type Taxonomy = keyof typeof TAXONOMIES
const ALL = Object.keys(TAXONOMIES) as Taxonomy[]
const names = (terms: Named[]) => terms.map(({ name }) => name).join(', ')
const all = async ({ anonymous }: Records, taxonomy: Taxonomy) => {
  const { body } = await anonymous.list(TAXONOMIES[taxonomy], 'hide_empty=false&orderby=id&per_page=50')
  return names(body[taxonomy])
}

for (const taxonomy of ALL)
  t.test(`${taxonomy} are given by ID, slug or name, mixed; new names are created`, async (t) => {
    const api = await openRecords(t)
    const { editor } = api
    const add = async (name: string, more = {}): Promise<number> =>
      (await must(editor.create(TAXONOMIES[taxonomy], { name, ...more }))).id
    const music = await add('Live Music')
    const sport = await add('Sport', { slug: 'games' })
    const number = await add('1984', { slug: 'orwell' })
    const clash = await add('Clash', { slug: String(sport) })
    const { id } = await must(editor.create('event', EVENT))

    const cases: [given: unknown, shown: string, ignored?: string[], created?: string][] = [
      [music, 'Live Music'],
      [[music], 'Live Music'],
      [`${music}`, 'Live Music'],
      ['live-music', 'Live Music'],
      ['LIVE-MUSIC', 'Live Music'],
      ['live MÚSIC', 'Live Music'],
      ['games', 'Sport'],
      ['Sport', 'Sport'],
      [sport, 'Sport'],
      [`${sport}`, 'Clash'],
      [clash, 'Clash'],
      ['1984', '1984'],
      [[music, 'games'], 'Live Music, Sport'],
      [`games, ${music},,orwell `, '1984, Live Music, Sport'],
      [[sport, 'games', 'Sport', ` ${music} `, ''], 'Live Music, Sport'],
      [99999, '', [`${taxonomy}[99999]`]],
      [['99999', music, 88888], 'Live Music', [`${taxonomy}[99999]`, `${taxonomy}[88888]`]],
      [0, '', [`${taxonomy}[0]`]],
      [number + 100, '', [`${taxonomy}[${number + 100}]`]],
      [['New', 'new', 'NEW'], 'New', [], 'New'],
      ['Jazz &amp; <b>Blues</b>, games', 'Jazz & Blues, Sport', [], 'Jazz & Blues'],
      [['One, two'], 'One, two', [], 'One, two'],
      [['Fresh', music], 'Fresh, Live Music', [], 'Fresh'],
      ['日本', '日本', [], '日本'],
    ]
    for (const [given, shown, ignored = [], created] of cases) {
      const before = await all(api, taxonomy)
      const label = JSON.stringify(given)
      const first = await editor.create('event', { ...EVENT, [taxonomy]: given })
      t.match(first, { status: 200 }, label)
      t.equal(names(first.body[taxonomy]), shown, label)
      t.strictSame(first.ignored, ignored, label)
      t.equal(await all(api, taxonomy), created ? `${before}, ${created}` : before, label)
      const again = await editor.change('event', id, { [taxonomy]: given })
      t.strictSame(
        again.body[taxonomy].map(({ id }: Named) => id),
        first.body[taxonomy].map(({ id }: Named) => id),
      )
      t.strictSame(again.ignored, ignored, label)
      t.equal(await all(api, taxonomy), created ? `${before}, ${created}` : before, 'made once')
    }
    for (const nothing of ['', ' , ', null, [], [''], ['<i></i>']]) {
      await must(editor.change('event', id, { [taxonomy]: music }))
      const { body, ignored } = await editor.change('event', id, { [taxonomy]: nothing })
      t.strictSame([body[taxonomy], ignored], [[], []], JSON.stringify(nothing))
    }
  })

t.test(
  'who may not create a term may not create it inside an event; existing ones are free to use',
  async (t) => {
    const api = await openRecords(t)
    await must(api.editor.create('category', { name: 'Known' }))
    await must(api.editor.create('tag', { name: 'Known' }))
    const cases: [who: 'contributor' | 'author' | 'editor' | 'administrator', refused: string[]][] = [
      ['contributor', ['categories', 'tags']],
      ['author', ['tags']],
      ['editor', []],
      ['administrator', []],
    ]
    for (const [who, refused] of cases) {
      const { id } = await must(api[who].create('event', EVENT))
      for (const taxonomy of ALL) {
        const known = { [taxonomy]: ['known', 99999] }
        t.equal(names((await must(api[who].change('event', id, known)))[taxonomy]), 'Known')
        const sent = { title: 'Changed', venue: { venue: 'V' }, [taxonomy]: ['known', `By ${who}`] }
        const before = api.fingerprint()
        const read = await api[who].read('event', id)
        for (const write of [
          () => api[who].change('event', id, sent),
          () => api[who].create('event', { ...EVENT, ...sent }),
        ]) {
          const answer = await write()
          if (!refused.includes(taxonomy)) t.equal(names(answer.body[taxonomy]), `By ${who}, Known`)
          else {
            t.equal(refusal(answer), '403 rest_forbidden', `${who} ${taxonomy}`)
            t.match(answer.body.message, `By ${who}`)
            t.equal(api.fingerprint(), before)
            t.strictSame((await api[who].read('event', id)).body, read.body)
          }
        }
      }
    }
  },
)

t.test('terms of one name get slugs of their own, and a blank slug the name of the taxonomy', async (t) => {
  const { editor } = await openRecords(t)
  const event = await must(
    editor.create('event', { ...EVENT, categories: ['!!!', 'A b', '???'], tags: ['A b'] }),
  )
  t.strictSame(event.categories.map(({ slug }: Named) => slug).sort(), ['a-b', 'category', 'category-2'])
  t.match(event.tags, [{ name: 'A b', slug: 'a-b', parent: 0 }])
})

t.test('a deleted term leaves its events, and its name is free again', async (t) => {
  const api = await openRecords(t)
  const { editor } = api
  const { id, tags } = await must(editor.create('event', { ...EVENT, tags: ['a', 'b'] }))
  await must(editor.remove('tag', tags[0].id))
  t.equal(names((await api.anonymous.read('event', id)).body.tags), 'b')
  const again = await must(editor.change('event', id, { tags: ['b', 'a'] }))
  t.equal(names(again.tags), 'a, b')
  t.not(again.tags[0].id, tags[0].id)
})

const HALL = {
  venue: 'Café Hall',
  address: '1 Main Street',
  city: 'Rome',
  country: 'Italy',
  zip: '00100',
  phone: '5',
  website: 'https://hall.example',
  description: 'A hall',
  geo_lat: 41.9,
  geo_lng: 12.5,
  show_map: 'false',
}
const TROUPE = {
  organizer: 'Zoë’s Troupe',
  email: 'a@zoe.example',
  phone: '7',
  website: 'https://zoe.example',
}

t.test('a venue of the same name is taken again, unless something sent says otherwise', async (t) => {
  const api = await openRecords(t)
  const stored = await must(api.editor.create('venue', HALL))
  const cases: [sent: object, same: boolean][] = [
    [{}, true],
    [{ venue: 'CAFE HALL' }, true],
    [{ venue: ' café  hall ' }, true],
    [{ city: 'ROME', country: 'italy' }, true],
    [{ city: '', zip: null }, true],
    [{ description: '<p>A hall</p>', address: '1 Main Street' }, true],
    [{ geo_lat: '41.9', geo_lng: 12.5, show_map: false, show_map_link: true }, true],
    [{ website: 'https://hall.example', stateprovince: '' }, true],
    [{ city: 'Milan' }, false],
    [{ state: 'Lazio' }, false],
    [{ stateprovince: 'Lazio' }, false],
    [{ geo_lat: 41.8, geo_lng: 12.5 }, false],
    [{ show_map: true }, false],
    [{ description: 'Another' }, false],
    [{ venue: 'Café Hall 2' }, false],
  ]
  for (const [sent, same] of cases) {
    const { venue } = await must(
      api.editor.create('event', { ...EVENT, venue: { venue: HALL.venue, ...sent } }),
    )
    t.equal(venue.id === stored.id, same, JSON.stringify(sent))
    if (!same) await must(api.editor.remove('venue', venue.id, 'force=true'))
  }
  const { json_ld, ...now } = (await api.anonymous.read('venue', stored.id)).body
  t.strictSame(now, stored, 'it is as it was')
})

t.test('an organizer of the same name likewise', async (t) => {
  const api = await openRecords(t)
  const stored = await must(api.editor.create('organizer', TROUPE))
  const cases: [sent: object, same: boolean][] = [
    [{}, true],
    [{ organizer: 'zoe’s troupe' }, true],
    [{ email: 'A@zoe.example', phone: '7' }, true],
    [{ email: 'b@zoe.example' }, false],
    [{ website: 'https://other.example' }, false],
    [{ description: 'Now with one' }, false],
  ]
  for (const [sent, same] of cases) {
    const organizer = { organizer: TROUPE.organizer, ...sent }
    const event = await must(api.editor.create('event', { ...EVENT, organizer }))
    t.equal(event.organizer[0].id === stored.id, same, JSON.stringify(sent))
    if (!same) await must(api.editor.remove('organizer', event.organizer[0].id, 'force=true'))
  }
})

t.test(
  'of two that fit the older is taken; what lies in the trash, or is not to be seen, is not',
  async (t) => {
    const api = await openRecords(t)
    const { editor, author } = api
    const venueOf = async (client: Person, sent: object) =>
      (await must(client.create('event', { ...EVENT, venue: { venue: 'Hall', ...sent } }))).venue.id
    const rome = await venueOf(editor, { city: 'Rome' })
    const milan = await venueOf(editor, { city: 'Milan' })
    t.equal(await venueOf(editor, {}), rome)
    t.equal(await venueOf(editor, { city: 'milan' }), milan)
    await must(editor.remove('venue', rome))
    t.equal(await venueOf(editor, {}), milan)
    const again = await venueOf(editor, { city: 'Rome' })
    t.notOk([rome, milan].includes(again))
    await must(editor.change('venue', milan, { status: 'private' }))
    t.equal(await venueOf(author, {}), again)
    const own = await venueOf(author, { city: 'Milan' })
    t.notOk([milan, again].includes(own), 'the private one of somebody else is not given away')
    t.equal(await venueOf(editor, { city: 'Milan' }), milan)
  },
)

t.test('an object that names no record of its own kind is a new one', async (t) => {
  const { editor } = await openRecords(t)
  await must(editor.create('organizer', { organizer: 'Hall' }))
  const event = await must(
    editor.create('event', { ...EVENT, venue: { venue: 'Hall' }, organizer: { organizer: 'Hall' } }),
  )
  t.match(event, { venue: { venue: 'Hall', slug: 'hall' }, organizer: [{ organizer: 'Hall', slug: 'hall' }] })
  t.not(event.venue.id, event.organizer[0].id)
  t.equal((await editor.list('organizer')).body.total, 1)
})
