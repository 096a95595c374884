import t from 'tap'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

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
    [{ geo_lat: 41.8, geo_lng: 12.5 }, false],
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
  t.match(
    await send('venue[venue]=Garden&venue[city]=Rome&venue[show_map]=0&venue[geo_lat]=1.5&venue[geo_lng]=2'),
    {
      venue: { venue: 'Garden', city: 'Rome', show_map: false, geo_lat: 1.5 },
    },
  )
})
