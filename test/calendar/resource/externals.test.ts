import t from 'tap'
import { must, pick, refusal } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

const RECURRENCE = { rrule: 'FREQ=DAILY;COUNT=3' }
const KINDS: [plural: string, body: Record<string, unknown>][] = [
  ['events', EVENT],
  ['series', { ...EVENT, recurrence: RECURRENCE }],
  ['venues', { venue: 'Hall' }],
  ['organizers', { organizer: 'Club' }],
]
const FROM = { source: 'crm', external_id: 'a/1 é' }
const PATH = '/by-external/crm/a%2F1%20%C3%A9'

t.test(
  'a record shows what another system calls it, and others of its kind can not be called so',
  async (t) => {
    const { editor, anonymous, fingerprint } = await build(t)
    for (const [plural, body] of KINDS) {
      const plain = await must(editor.post(`/${plural}`, body))
      t.notOk('source' in plain || 'external_id' in plain, `${plural} without one`)
      const { id } = await must(editor.post(`/${plural}`, { ...body, ...FROM }))
      t.match(await must(anonymous.get(`/${plural}/${id}`)), FROM)
      const before = await fingerprint()
      const twice = await editor.post(`/${plural}`, { ...body, ...FROM })
      t.equal(refusal(twice), '409 external_id_taken', plural)
      t.match(twice.body.message, ` ${id} has this source`)
      t.equal(refusal(await editor.patch(`/${plural}/${plain.id}`, FROM)), '409 external_id_taken')
      t.equal(await fingerprint(), before)
      t.match(await must(editor.patch(`/${plural}/${plain.id}`, { ...FROM, source: 'CRM' })), {
        source: 'CRM',
      })
      t.match(await must(editor.patch(`/${plural}/${plain.id}`, { status: 'draft' })), { source: 'CRM' })
      await must(editor.delete(`/${plural}/${id}`))
      t.equal(
        refusal(await editor.post(`/${plural}`, { ...body, ...FROM })),
        '409 external_id_taken',
        'in the trash',
      )
      await must(editor.delete(`/${plural}/${id}?force=true`))
      t.match(await must(editor.post(`/${plural}`, { ...body, ...FROM })), FROM, 'free again')
    }
  },
)

t.test('a record has both members or none', async (t) => {
  const { editor } = await build(t)
  const { id } = await must(editor.post('/venues', { venue: 'Hall' }))
  for (const [sent, name] of [
    [{ source: 'crm' }, 'external_id'],
    [{ external_id: '1' }, 'source'],
    [{ source: 'crm', external_id: null }, 'external_id'],
    [{ source: 'x'.repeat(101), external_id: '1' }, 'source'],
    [{ source: 'crm', external_id: 'x'.repeat(256) }, 'external_id'],
    [{ source: 'crm', external_id: 7 }, 'external_id'],
    [{ source: 'crm', external_id: 'a\u0000b' }, 'external_id'],
    [{ source: '\ud800', external_id: 'a' }, 'source'],
  ] as const)
    for (const answer of [
      await editor.post('/venues', { venue: 'Hall', ...sent }),
      await editor.patch(`/venues/${id}`, sent),
    ])
      t.equal(refusal(answer), `400 rest_invalid_param ${name}`, JSON.stringify(sent))
  await must(editor.patch(`/venues/${id}`, { source: 'crm', external_id: '1' }))
  t.match(await must(editor.patch(`/venues/${id}`, { external_id: '2' })), {
    source: 'crm',
    external_id: '2',
  })
  t.equal(refusal(await editor.patch(`/venues/${id}`, { source: null })), '400 rest_invalid_param source')
  const cleared = await must(editor.patch(`/venues/${id}`, { source: '', external_id: null }))
  t.notOk('source' in cleared)
  t.match(await must(editor.patch(`/venues/${id}`, { source: null, external_id: null })), { id })
})

t.test(
  'PUT creates a record and updates it from then on, and writes nothing where nothing differs',
  async (t) => {
    const api = await build(t)
    const { editor, contributor, anonymous, clock, app } = api
    for (const [plural, body] of KINDS) {
      const made = await editor.put(`/${plural}${PATH}`, body)
      t.equal(made.status, 201, made.text)
      const { id } = made.body
      t.equal(made.headers.location, `http://calendar.test/calendar/events/v1/${plural}/${id}`)
      t.match(made.body, FROM)
      t.same(await must(anonymous.get(`/${plural}${PATH}`)), await must(anonymous.get(`/${plural}/${id}`)))
      clock.now += 60_000
      const before = app.store.changes.latest()
      const again = await editor.put(`/${plural}${PATH}`, { ...body, ...FROM })
      t.equal(again.status, 200)
      t.same(again.body, made.body, 'the same version')
      t.same(app.store.changes.latest(), before)
      const changed = await must(editor.put(`/${plural}${PATH}`, { description: '<p>New</p>' }))
      t.match(changed, { id, description: '<p>New</p>', ...pick(made.body, Object.keys(body)) })
      t.not(changed.modified, made.body.modified)
      t.equal(refusal(await contributor.put(`/${plural}${PATH}`, { description: 'x' })), '403 rest_forbidden')
      t.equal(refusal(await anonymous.put(`/${plural}${PATH}`, body)), '401 rest_forbidden')
      await must(editor.delete(`/${plural}/${id}`))
      t.match(
        await must(editor.put(`/${plural}${PATH}`, {})),
        { id, status: 'publish' },
        'back from the trash',
      )
      await must(editor.put(`/${plural}${PATH}`, { status: 'trash' }))
      const trashed = await must(editor.put(`/${plural}${PATH}`, { status: 'trash' }))
      t.match(trashed, { id, status: 'trash', modified: trashed.modified })
      t.match(await must(editor.put(`/${plural}${PATH}`, { status: 'draft' })), { id, status: 'draft' })
    }
  },
)

t.test('what PUT can not take is refused', async (t) => {
  const { editor, anonymous } = await build(t)
  const other = '/events/by-external/crm/other'
  const lacking = await editor.put(other, { title: 'Fair' })
  t.equal(refusal(lacking), '400 rest_missing_callback_param start_date end_date')
  t.equal(refusal(await editor.put(other, { ...EVENT, source: 'else' })), '400 rest_invalid_param source')
  t.equal(refusal(await editor.put(other, { ...EVENT, venue: 99 })), '400 rest_invalid_param venue')
  t.equal(
    refusal(await editor.put(other, { ...EVENT, venue: 99, title: 5 })),
    '400 rest_invalid_param title venue',
  )
  t.equal(refusal(await anonymous.get(other)), '404 rest-event-not-found')
  const long = `/events/by-external/${'x'.repeat(101)}/1`
  t.equal(refusal(await editor.put(long, EVENT)), '400 rest_invalid_param source')
  t.equal(refusal(await editor.get('/events/by-external/a%00b/1')), '400 rest_invalid_param source')
  const { id } = await must(editor.post('/events', EVENT))
  const translation = { title: 'Fira', i18n_language: 'ca', translation_of: id }
  t.match(await editor.put('/events/by-external/crm/ca', translation), {
    status: 201,
    body: { start_date: EVENT.start_date },
  })
})

t.test('PUT is on a condition, if it has one', async (t) => {
  const { editor, fingerprint } = await build(t)
  const path = `/venues${PATH}`
  const on = (headers: Record<string, string>) => ({ headers })
  const stale = '412 rest_precondition_failed'
  for (const match of ['*', '"x"'])
    t.equal(refusal(await editor.put(path, { venue: 'Hall' }, on({ 'if-match': match }))), stale, match)
  t.equal((await editor.put(path, { venue: 'Hall' }, on({ 'if-none-match': '*' }))).status, 201)
  const before = await fingerprint()
  t.equal(refusal(await editor.put(path, { city: 'Vic' }, on({ 'if-none-match': '*' }))), stale)
  const refused = await editor.put(path, { city: 'Vic' }, on({ 'if-match': '"x"' }))
  t.equal(refusal(refused), stale)
  const { headers } = await editor.get(path)
  t.equal(refused.headers.etag, headers.etag)
  t.equal(await fingerprint(), before)
  t.match(await must(editor.put(path, { city: 'Vic' }, on({ 'if-match': String(headers.etag) }))), {
    city: 'Vic',
  })
  t.match(await must(editor.put(path, { city: 'Berga' }, on({ 'if-match': '*' }))), { city: 'Berga' })
})

t.test('a venue inside an event is found by what another system calls it', async (t) => {
  const { editor, contributor } = await build(t)
  const venue = { venue: 'Hall', source: 'crm', external_id: 'v1' }
  await must(editor.post('/venues', { venue: 'Hall' }))
  const one = (await must(editor.post('/events', { ...EVENT, venue }))).venue
  t.match(one, venue, 'a new one, in spite of its name')
  const two = (await must(editor.post('/events', { ...EVENT, venue: { ...venue, venue: 'Great hall' } })))
    .venue
  t.match(two, { id: one.id, venue: 'Hall' })
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, venue: { venue: 'Hall', source: 'crm' } })),
    '400 rest_invalid_param venue',
  )
  await must(editor.patch(`/venues/${one.id}`, { status: 'private' }))
  const hidden = await contributor.post('/events', { ...EVENT, venue })
  t.equal(refusal(hidden), '409 external_id_taken')
  t.match(hidden.body.message, 'Another venue has')
  await must(editor.delete(`/venues/${one.id}`))
  t.equal(refusal(await editor.post('/events', { ...EVENT, venue })), '409 external_id_taken', 'in the trash')
  for (const plural of ['events', 'series']) {
    const body = { ...EVENT, venue, recurrence: plural === 'series' ? RECURRENCE : undefined }
    t.equal(
      refusal(await contributor.put(`/${plural}/by-external/a/1`, body)),
      '409 external_id_taken',
      plural,
    )
  }
})

t.test('a date of a series is called so by itself', async (t) => {
  const { editor } = await build(t)
  const first = await must(editor.post('/events', { ...EVENT, ...FROM, recurrence: RECURRENCE }))
  t.match(first, FROM)
  t.notOk('source' in (await must(editor.get(`/series/${first.series}`))))
  const { events } = await must(editor.get(`/events?series=${first.series}&start_date=2026-01-01`))
  t.same(
    events.map((one: object) => 'source' in one),
    [true, false, false],
  )
  const second = events[1].id
  const own = { source: 'crm', external_id: '2' }
  t.match(await must(editor.patch(`/events/${second}`, own)), { ...own, overrides: [] })
  const all = await editor.patch(`/events/${second}?apply_to=all`, {
    source: 'x',
    external_id: 'y',
    title: 'All',
  })
  t.match(all, { body: { ...own, title: 'All' }, headers: { 'x-ignored-fields': 'source, external_id' } })
  t.match(await must(editor.get(`/events/${first.id}`)), { ...FROM, title: 'All' })
})
