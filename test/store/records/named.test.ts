import t from 'tap'
import { refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

type Named = { name: string; slug: string; id: number }
const TAXONOMIES = ['categories', 'tags'] as const
const names = (terms: Named[]) => terms.map(({ name }) => name).join(', ')
const all = async ({ anonymous }: Api, taxonomy: string) =>
  names((await anonymous.get(`/${taxonomy}?hide_empty=false&orderby=id&per_page=50`)).body[taxonomy])

for (const taxonomy of TAXONOMIES)
  t.test(`${taxonomy} are given by ID, slug or name, mixed; new names are created`, async (t) => {
    const api = await build(t)
    const { editor } = api
    const add = async (name: string, more = {}): Promise<number> =>
      (await must(editor.post(`/${taxonomy}`, { name, ...more }))).id
    const music = await add('Live Music')
    const sport = await add('Sport', { slug: 'games' })
    const number = await add('1984', { slug: 'orwell' })
    const clash = await add('Clash', { slug: String(sport) })
    const { id } = await must(editor.post('/events', EVENT))

    const cases: [given: unknown, shown: string, ignored?: string, created?: string][] = [
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
      [99999, '', `${taxonomy}[99999]`],
      [['99999', music, 88888], 'Live Music', `${taxonomy}[99999], ${taxonomy}[88888]`],
      [0, '', `${taxonomy}[0]`],
      [number + 100, '', `${taxonomy}[${number + 100}]`],
      [['New', 'new', 'NEW'], 'New', undefined, 'New'],
      ['Jazz &amp; <b>Blues</b>, games', 'Jazz & Blues, Sport', undefined, 'Jazz & Blues'],
      [['One, two'], 'One, two', undefined, 'One, two'],
      [['Fresh', music], 'Fresh, Live Music', undefined, 'Fresh'],
      ['日本', '日本', undefined, '日本'],
    ]
    for (const [given, shown, ignored, created] of cases) {
      const before = await all(api, taxonomy)
      const label = JSON.stringify(given)
      const first = await editor.post('/events', { ...EVENT, [taxonomy]: given })
      t.match(first, { status: 201 }, label)
      t.equal(names(first.body[taxonomy]), shown, label)
      t.equal(first.headers['x-ignored-fields'], ignored, label)
      t.equal(await all(api, taxonomy), created ? `${before}, ${created}` : before, label)
      const again = await editor.patch(`/events/${id}`, { [taxonomy]: given })
      t.strictSame(
        again.body[taxonomy].map(({ id }: Named) => id),
        first.body[taxonomy].map(({ id }: Named) => id),
      )
      t.equal(again.headers['x-ignored-fields'], ignored, label)
      t.equal(await all(api, taxonomy), created ? `${before}, ${created}` : before, 'made once')
    }
    for (const nothing of ['', ' , ', null, [], [''], ['<i></i>']]) {
      await must(editor.patch(`/events/${id}`, { [taxonomy]: music }))
      const { body, headers } = await editor.patch(`/events/${id}`, { [taxonomy]: nothing })
      t.strictSame([body[taxonomy], headers['x-ignored-fields']], [[], undefined], JSON.stringify(nothing))
    }
  })

t.test('forms and query strings name terms as well', async (t) => {
  const { editor } = await build(t)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { id: music } = await must(editor.post('/categories', { name: 'Music' }))
  const cases: [form: string, shown: string][] = [
    [`categories[]=${music}&categories[]=Sport`, 'Music, Sport'],
    [`categories[0]=sport&categories[1]=${music}`, 'Music, Sport'],
    [`categories=${music}&categories=sport`, 'Music, Sport'],
    ['categories=music,%20sport', 'Music, Sport'],
    ['categories=', ''],
    ['categories[]=', ''],
  ]
  const base = 'title=x&start_date=2027-01-01&end_date=2027-01-02'
  for (const [form, shown] of cases) {
    t.equal(
      names((await must(editor.post('/events', `${base}&${form}`, { headers }))).categories),
      shown,
      form,
    )
    t.equal(names((await must(editor.post(`/events?${base}&${form}`))).categories), shown, `?${form}`)
  }
})

t.test(
  'who may not create a term may not create it inside an event; existing ones are free to use',
  async (t) => {
    const api = await build(t)
    await must(api.editor.post('/categories', { name: 'Known' }))
    await must(api.editor.post('/tags', { name: 'Known' }))
    const cases: [who: 'contributor' | 'author' | 'editor' | 'administrator', refused: string[]][] = [
      ['contributor', ['categories', 'tags']],
      ['author', ['tags']],
      ['editor', []],
      ['administrator', []],
    ]
    for (const [who, refused] of cases) {
      const { id } = await must(api[who].post('/events', EVENT))
      for (const taxonomy of TAXONOMIES) {
        const known = { [taxonomy]: ['known', 99999] }
        t.equal(names((await must(api[who].patch(`/events/${id}`, known)))[taxonomy]), 'Known')
        const sent = { title: 'Changed', venue: { venue: 'V' }, [taxonomy]: ['known', `By ${who}`] }
        const before = await api.fingerprint()
        const read = await api[who].get(`/events/${id}`)
        for (const write of [
          () => api[who].patch(`/events/${id}`, sent),
          () => api[who].post('/events', { ...EVENT, ...sent }),
        ]) {
          const answer = await write()
          if (!refused.includes(taxonomy)) t.equal(names(answer.body[taxonomy]), `By ${who}, Known`)
          else {
            t.equal(refusal(answer), '403 rest_forbidden', `${who} ${taxonomy}`)
            t.match(answer.body.message, `By ${who}`)
            t.equal(await api.fingerprint(), before)
            t.equal((await api[who].get(`/events/${id}`)).text, read.text)
          }
        }
      }
    }
  },
)

t.test('terms of one name get slugs of their own, and a blank slug the name of the taxonomy', async (t) => {
  const { editor } = await build(t)
  const event = await must(
    editor.post('/events', { ...EVENT, categories: ['!!!', 'A b', '???'], tags: ['A b'] }),
  )
  t.strictSame(event.categories.map(({ slug }: Named) => slug).sort(), ['a-b', 'category', 'category-2'])
  t.match(event.tags, [{ name: 'A b', slug: 'a-b', parent: 0 }])
})

t.test('a deleted term leaves its events, and its name is free again', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { id, tags } = await must(editor.post('/events', { ...EVENT, tags: ['a', 'b'] }))
  await must(editor.delete(`/tags/${tags[0].id}`))
  t.equal(names((await api.anonymous.get(`/events/${id}`)).body.tags), 'b')
  const again = await must(editor.patch(`/events/${id}`, { tags: ['b', 'a'] }))
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
  const api = await build(t)
  const stored = await must(api.editor.post('/venues', HALL))
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
    [{ geo_lat: 41.8 }, false],
    [{ show_map: true }, false],
    [{ description: 'Another' }, false],
    [{ venue: 'Café Hall 2' }, false],
  ]
  for (const [sent, same] of cases) {
    const { venue } = await must(
      api.editor.post('/events', { ...EVENT, venue: { venue: HALL.venue, ...sent } }),
    )
    t.equal(venue.id === stored.id, same, JSON.stringify(sent))
    if (!same) await must(api.editor.delete(`/venues/${venue.id}?force=true`))
  }
  const { json_ld, ...now } = (await api.anonymous.get(`/venues/${stored.id}`)).body
  t.strictSame(now, stored, 'it is as it was')
})

t.test('an organizer of the same name likewise', async (t) => {
  const api = await build(t)
  const stored = await must(api.editor.post('/organizers', TROUPE))
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
    const event = await must(api.editor.post('/events', { ...EVENT, organizer }))
    t.equal(event.organizer[0].id === stored.id, same, JSON.stringify(sent))
    if (!same) await must(api.editor.delete(`/organizers/${event.organizer[0].id}?force=true`))
  }
})

t.test(
  'of two that fit the older is taken; what lies in the trash, or is not to be seen, is not',
  async (t) => {
    const api = await build(t)
    const { editor, author } = api
    const venueOf = async (client: typeof editor, sent: object) =>
      (await must(client.post('/events', { ...EVENT, venue: { venue: 'Hall', ...sent } }))).venue.id
    const rome = await venueOf(editor, { city: 'Rome' })
    const milan = await venueOf(editor, { city: 'Milan' })
    t.equal(await venueOf(editor, {}), rome)
    t.equal(await venueOf(editor, { city: 'milan' }), milan)
    await must(editor.delete(`/venues/${rome}`))
    t.equal(await venueOf(editor, {}), milan)
    const again = await venueOf(editor, { city: 'Rome' })
    t.notOk([rome, milan].includes(again))
    await must(editor.patch(`/venues/${milan}`, { status: 'private' }))
    t.equal(await venueOf(author, {}), again)
    const own = await venueOf(author, { city: 'Milan' })
    t.notOk([milan, again].includes(own), 'the private one of somebody else is not given away')
    t.equal(await venueOf(editor, { city: 'Milan' }), milan)
  },
)

t.test('an object that names no record of its own kind is a new one', async (t) => {
  const { editor } = await build(t)
  await must(editor.post('/organizers', { organizer: 'Hall' }))
  const event = await must(
    editor.post('/events', { ...EVENT, venue: { venue: 'Hall' }, organizer: { organizer: 'Hall' } }),
  )
  t.match(event, { venue: { venue: 'Hall', slug: 'hall' }, organizer: [{ organizer: 'Hall', slug: 'hall' }] })
  t.not(event.venue.id, event.organizer[0].id)
  t.equal((await editor.get('/organizers')).body.total, 1)
})

t.test('forms write links in brackets', async (t) => {
  const api = await build(t)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { id: a } = await must(api.editor.post('/organizers', { organizer: 'A' }))
  const { id: hall } = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const send = (form: string) =>
    must(api.editor.post('/events', `title=x&start_date=2027-01-01&end_date=2027-01-02&${form}`, { headers }))
  const organizers = (event: { organizer: { organizer: string }[] }) =>
    event.organizer.map(({ organizer }) => organizer).join(' ')
  const cases: [form: string, expected: string][] = [
    [`organizer=${a}`, 'A'],
    [`organizer[]=${a}`, 'A'],
    [`organizer[id]=${a}`, 'A'],
    [`organizer[0]=${a}&organizer[1][organizer]=B&organizer[1][email]=b@b.example`, 'A B'],
    [`organizer[][organizer]=C&organizer[]=${a}`, 'C A'],
    ['organizer[organizer]=D', 'D'],
    [`organizer=${a}&organizer=${a}`, 'A'],
    ['organizer=', ''],
    ['organizer[]=', ''],
    ['organizer=0', ''],
  ]
  for (const [form, expected] of cases) t.equal(organizers(await send(form)), expected, form)
  t.match(await send(`venue[id]=${hall}`), { venue: { id: hall } })
  t.match(await send(`venue[0]=${hall}&venue[1][venue]=Park`), { venue: [{ id: hall }, { venue: 'Park' }] })
  t.match(await send('venue[venue]=Garden&venue[city]=Rome&venue[show_map]=0&venue[geo_lat]=1.5'), {
    venue: { venue: 'Garden', city: 'Rome', show_map: false, geo_lat: 1.5 },
  })
})
