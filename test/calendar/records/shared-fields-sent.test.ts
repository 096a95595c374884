import t, { type Test } from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'

const ALL = 'translations=all'

/** An event in English with translations into Catalan and Spanish, as it is sent by a client. */
async function three(t: Test, more: object = {}, client: 'editor' | 'author' | 'contributor' = 'editor') {
  const api = await build(t)
  const en = await must(api[client].post('/events', { ...EVENT, title: 'Concert', ...more }))
  const add = (title: string, i18n_language: string) =>
    must(api[client].post('/events', { title, i18n_language, translation_of: en.id }))
  const [ca, es] = [await add('Concert al parc', 'ca'), await add('Concierto', 'es')]
  return { api, en: en.id as number, ca: ca.id as number, es: es.id as number }
}

const read = async (api: Api, ids: number[], ...names: string[]) => {
  const found: unknown[] = []
  for (const id of ids) {
    const event = await must(api.editor.get(`/events/${id}`))
    found.push(names.length === 1 ? event[names[0]!] : names.map((name) => event[name]))
  }
  return found
}

t.test('facts that are sent are applied to all translations, texts to none', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const before = (await must(editor.get('/changes?kind=event'))).next_sync_token
  const sent = {
    title: 'Moved',
    start_date: '2026-12-06 20:00',
    event_status: 'postponed',
    cost: '5',
    website: 'https://a.test/',
  }
  const answer = await editor.patch(`/events/${en}?${ALL}`, {
    ...sent,
    end_date: '2026-12-06 22:00',
    categories: 'Jazz',
  })
  t.match(answer, { status: 200, body: { id: en, title: 'Moved' }, headers: { etag: /"/ } })
  t.equal(answer.headers['x-ignored-parameters'], undefined)
  t.same(await read(api, [en, ca, es], 'title'), ['Moved', 'Concert al parc', 'Concierto'])
  const facts = ['start_date', 'end_date', 'event_status', 'cost', 'website']
  const [first, ...others] = await read(api, [en, ca, es], ...facts)
  t.same(first, ['2026-12-06 20:00:00', '2026-12-06 22:00:00', 'postponed', '$5', 'https://a.test/'])
  t.same(others, [first, first])
  t.match(await read(api, [en, ca, es], 'categories'), [
    [{ name: 'Jazz' }],
    [{ name: 'Jazz' }],
    [{ name: 'Jazz' }],
  ])
  const { changes } = await must(editor.get(`/changes?sync_token=${before}&kind=event`))
  t.same(changes.map(({ id }: { id: number }) => id).sort(), [en, ca, es].sort(), 'each is told of once')
  const tags = async () => [
    (await editor.get(`/events/${ca}`)).headers.etag,
    (await editor.get(`/events/${es}`)).headers.etag,
  ]
  const known = await tags()
  await must(editor.patch(`/events/${en}?${ALL}`, { event_status: 'postponed', description: 'Long' }))
  t.same(await tags(), known, 'what agrees is not written')
})

t.test('without the parameter a write is to one record; other values are refused', async (t) => {
  const { api, en, ca } = await three(t)
  await must(api.editor.patch(`/events/${en}`, { cost: '5' }))
  t.same(await read(api, [en, ca], 'cost'), ['$5', ''])
  const before = await api.fingerprint()
  for (const value of ['', 'some', 'all,all'])
    t.equal(
      refusal(await api.editor.patch(`/events/${en}?translations=${value}`, { cost: '6' })),
      '400 rest_invalid_param translations',
    )
  t.equal(
    refusal(await api.editor.patch(`/events/${en}?${ALL}`, { end_date: '2020-01-01' })),
    '400 rest_invalid_param end_date',
  )
  t.equal((await api.editor.patch(`/events/999?${ALL}`, { cost: '6' })).status, 404)
  t.equal(
    (await api.editor.patch(`/events/${en}?${ALL}`, { cost: '6' }, { headers: { 'if-match': '"old"' } }))
      .status,
    412,
  )
  t.equal(await api.fingerprint(), before)
  const { etag } = (await api.editor.get(`/events/${en}`)).headers
  await must(
    api.editor.put(`/events/by-slug/concert?${ALL}`, { cost: '7' }, { headers: { 'if-match': etag! } }),
  )
  await must(api.editor.post(`/events/${en}?${ALL}`, { ticketed: true }))
  t.same(await read(api, [en, ca], 'cost', 'ticketed'), [
    ['$7', true],
    ['$7', true],
  ])
})

t.test('dates are shared whole, whatever was sent of them', async (t) => {
  const { api, en, ca } = await three(t, { timezone: 'Europe/Madrid' })
  await must(
    api.editor.patch(`/events/${ca}`, { start_date: '2026-12-01', end_date: '2026-12-02', all_day: true }),
  )
  await must(api.editor.patch(`/events/${en}?${ALL}`, { timezone: 'Europe/London' }))
  const names = ['start_date', 'end_date', 'timezone', 'all_day', 'utc_start_date']
  const [one, other] = await read(api, [en, ca], ...names)
  t.same(other, one)
})

t.test('venues, organizers and the parent are those of the language, where there are some', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const translated = async (kind: string, name: string, more: object = {}) => {
    const one = await must(editor.post(`/${kind}s`, { [kind === 'event' ? 'title' : kind]: name, ...more }))
    const title = {
      [kind === 'event' ? 'title' : kind]: `${name} ca`,
      i18n_language: 'ca',
      translation_of: one.id,
    }
    return [one.id, (await must(editor.post(`/${kind}s`, title))).id] as const
  }
  const [hall, sala] = await translated('venue', 'Hall')
  const [choir, cor] = await translated('organizer', 'Choir')
  const [festival, fest] = await translated('event', 'Festival', EVENT)
  const shown = async (id: number) => {
    const { venue, organizer, post_parent } = await must(editor.get(`/events/${id}`))
    return [venue.id, organizer.map((one: { id: number }) => one.id), post_parent]
  }
  const sent = { venue: [hall, sala], organizer: choir, post_parent: festival }
  await must(editor.patch(`/events/${en}?${ALL}`, { ...sent, venue: hall }))
  t.same(
    [await shown(ca), await shown(es)],
    [
      [sala, [cor], fest],
      [hall, [choir], festival],
    ],
  )
  await must(editor.patch(`/events/${en}?${ALL}`, { venue: [hall, sala] }))
  t.equal((await shown(ca))[0], sala, 'two in one language are one')
  const made = await must(
    editor.patch(`/events/${en}?${ALL}`, { venue: { venue: 'New' }, organizer: [], post_parent: 0 }),
  )
  t.same(await shown(ca), [made.venue.id, [], 0])
  await must(editor.patch(`/events/${fest}`, { post_parent: ca }))
  const before = await api.fingerprint()
  t.equal(
    refusal(await editor.patch(`/events/${en}?${ALL}`, { post_parent: festival })),
    '400 rest_invalid_param post_parent',
  )
  t.equal(await api.fingerprint(), before, 'nothing is half-written')
})

t.test('what the caller may not edit stays as it is', async (t) => {
  const { api, en, ca, es } = await three(t, {}, 'author')
  const { editor, author, contributor } = api
  await must(editor.patch(`/events/${es}`, { author: api.credentials.editor.id, password: 'x' }))
  await must(author.patch(`/events/${en}?${ALL}`, { event_status: 'cancelled' }))
  t.same(await read(api, [en, ca, es], 'event_status'), ['cancelled', 'cancelled', 'scheduled'])
  t.equal((await contributor.patch(`/events/${en}?${ALL}`, { cost: '5' })).status, 403)
  t.equal((await author.patch(`/events/${es}?${ALL}`, { cost: '5' })).status, 403)
  await must(author.delete(`/events/${en}?${ALL}&force=true`))
  t.same([(await editor.get(`/events/${ca}`)).status, (await editor.get(`/events/${es}`)).status], [404, 200])
  await must(editor.patch(`/events/${es}?${ALL}`, { cost: '5' }))
  t.equal((await must(editor.get(`/events/${es}`))).cost, '$5', 'a set of one')
})

t.test('who may not publish shares what they may write', async (t) => {
  const { api, en, ca, es } = await three(t, {}, 'contributor')
  await must(api.editor.patch(`/events/${es}`, { status: 'publish' }))
  const { status } = await must(
    api.contributor.patch(`/events/${en}?${ALL}`, { status: 'publish', cost: '5' }),
  )
  t.equal(status, 'pending')
  t.same(await read(api, [en, ca, es], 'status', 'cost'), [
    ['pending', '$5'],
    ['pending', '$5'],
    ['publish', ''],
  ])
})

t.test('translations are published together, also at a later time', async (t) => {
  const { api, en, ca, es } = await three(t, { status: 'draft' })
  const { editor } = api
  t.same(await read(api, [en, ca, es], 'status'), ['draft', 'draft', 'draft'])
  await must(editor.patch(`/events/${en}?${ALL}`, { status: 'publish', date: '2026-12-24 12:00:00' }))
  const later = ['future', '2026-12-24 12:00:00']
  t.same(await read(api, [en, ca, es], 'status', 'date'), [later, later, later])
  await must(editor.patch(`/events/${en}`, { status: 'publish', date: '2026-11-01 12:00:00' }))
  await must(editor.patch(`/events/${en}?${ALL}`, { status: 'publish' }))
  const now = ['publish', '2026-11-01 12:00:00']
  t.same(await read(api, [en, ca, es], 'status', 'date'), [now, now, now])
  await must(editor.patch(`/events/${ca}`, { date: '2026-10-01 12:00:00' }))
  const whole = await must(editor.get(`/events/${en}`))
  await must(editor.patch(`/events/${en}?${ALL}`, { ...whole, translations: {}, featured: true }))
  t.same(await read(api, [en, ca], 'date', 'featured'), [
    ['2026-11-01 12:00:00', true],
    ['2026-10-01 12:00:00', true],
  ])
})

t.test('translations go to the trash, come back and are deleted together', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const statuses = async () => {
    const { events } = await must(editor.get('/events?status=publish,trash&when=all'))
    return events.map(({ id, status }: { id: number; status: string }) => [id, status]).sort()
  }
  const of = (status: string) => [en, ca, es].map((id) => [id, status])
  await must(editor.delete(`/events/${es}`))
  const answer = await must(editor.delete(`/events/${en}?${ALL}`))
  t.match(answer, { id: en, status: 'trash' })
  t.same(await statuses(), of('trash'))
  t.equal((await editor.delete(`/events/${en}?${ALL}`)).status, 410)
  t.equal((await editor.patch(`/events/${en}?${ALL}`, { cost: '5' })).status, 410)
  await must(editor.patch(`/events/${en}?${ALL}`, { status: 'publish' }))
  t.same(await statuses(), of('publish'))
  await must(editor.delete(`/events/${es}`))
  await must(editor.patch(`/events/${en}?${ALL}`, { cost: '5' }))
  t.same(
    await statuses(),
    [
      [en, 'publish'],
      [ca, 'publish'],
      [es, 'trash'],
    ],
    'what is in the trash stays there',
  )
  await must(editor.patch(`/events/${en}?${ALL}`, { status: 'trash' }))
  t.same(await statuses(), of('trash'))
  await must(editor.delete(`/events/${ca}?${ALL}&force=true`))
  t.same(await statuses(), [])
  t.equal((await editor.delete(`/events/999?${ALL}`)).status, 404)
})

t.test('translations come back from the trash together by one request', async (t) => {
  const { api, en, ca, es } = await three(t)
  await must(api.editor.delete(`/events/${en}?${ALL}`))
  await must(api.editor.post(`/events/${ca}/restore`))
  t.same(await read(api, [ca], 'status'), ['publish'])
  t.match(await must(api.editor.post(`/events/${en}/restore?${ALL}`)), { id: en, status: 'publish' })
  t.same(await read(api, [en, ca, es], 'status'), ['publish', 'publish', 'publish'])
})

t.test('venues and organizers share facts too; names of places only where they change', async (t) => {
  const { editor } = await build(t)
  const hall = await must(editor.post('/venues', { venue: 'Hall', city: 'Vic', country: 'Spain' }))
  const sala = { venue: 'Sala', country: 'Espanya', i18n_language: 'ca', translation_of: hall.id }
  const { id } = await must(editor.post('/venues', sala))
  await must(
    editor.patch(`/venues/${hall.id}?${ALL}`, { country: 'Spain', city: 'Girona', address: 'Main Street 1' }),
  )
  t.match(await must(editor.get(`/venues/${id}`)), {
    country: 'Espanya',
    city: 'Girona',
    address: 'Main Street 1',
    venue: 'Sala',
  })
  await must(editor.patch(`/venues/${hall.id}?${ALL}`, { geo_lat: 1, geo_lng: 2 }))
  t.match(await must(editor.get(`/venues/${id}`)), { geo_lat: 1, geo_lng: 2 })
  await must(editor.patch(`/venues/${hall.id}`, { phone: '1' }))
  await must(editor.patch(`/venues/${id}?${ALL}`, { venue: 'Teatre' }))
  t.equal((await must(editor.get(`/venues/${hall.id}`))).venue, 'Hall')
  await must(editor.delete(`/venues/${id}?${ALL}`))
  t.match(await must(editor.get('/venues?status=trash')), { total: 2 })
  await must(editor.patch(`/venues/${id}?${ALL}`, { status: 'publish' }))
  t.match(await must(editor.get('/venues')), { total: 2 })
  const choir = await must(editor.post('/organizers', { organizer: 'Choir' }))
  const cor = await must(
    editor.post('/organizers', { organizer: 'Cor', i18n_language: 'ca', translation_of: choir.id }),
  )
  await must(editor.patch(`/organizers/by-slug/choir?${ALL}`, { email: 'a@cor.test', description: 'Long' }))
  t.match(await must(editor.get(`/organizers/${cor.id}`)), { email: 'a@cor.test', organizer: 'Cor' })
  await must(editor.delete(`/organizers/${choir.id}?${ALL}&force=true`))
  t.equal((await editor.get(`/organizers/${cor.id}`)).status, 404)
  t.equal((await editor.patch(`/organizers/999?${ALL}`, { phone: '1' })).status, 404)
})
