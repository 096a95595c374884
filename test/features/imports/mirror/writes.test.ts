import t, { type Test } from 'tap'
import { must } from '../../../support/answers.ts'
import type { Api } from '../../../support/app.ts'
import { EVENT } from '../../../support/given.ts'
import { buildSource, follow, forwarding, importer } from '../../../support/importing.ts'
import { draw, raw } from '../../../support/pictures.ts'

/** A calendar and a mirror of it that passes writes on, in step. */
async function openBoth(t: Test) {
  const source = await buildSource(t, { TIMEZONE: 'America/New_York', DOWNLOAD_ALLOW: '127.0.0.1' })
  // IDs there are others than here
  await must(source.administrator.post('/venues', { venue: 'Cellar' }))
  await must(source.administrator.post('/venues', { venue: 'Hall' }))
  const { authorization } = source.credentials.editor
  const api = await forwarding(t, source.root, authorization, {
    ...{ TIMEZONE: 'Europe/Madrid', DOWNLOAD_ALLOW: '127.0.0.1' },
  })
  return { source, api }
}

t.test('what is written here is written at the source, and read here at once', async (t) => {
  const { source, api } = await openBoth(t)
  const { editor, contributor } = api
  await follow(api)
  const { venues } = (await editor.get('/venues')).body
  const hall = venues.find(({ venue }: { venue: string }) => venue === 'Hall')

  const music = await must(editor.post('/categories', { name: 'Music' }))
  const made = await editor.post('/events', {
    ...EVENT,
    title: 'Tom & <b>Jerry</b>',
    venue: hall.id,
    organizer: { organizer: 'Choir' },
    categories: [music.id],
    tags: ['New', 99_999],
  })
  t.equal(made.status, 201, made.text)
  const { id } = made.body
  t.match(made.headers.location, new RegExp(`/calendar/events/v1/events/${id}$`))
  const read = await editor.get(`/events/${id}`)
  t.equal(made.headers.etag, read.headers.etag)
  t.match(read.body, { title: 'Tom & Jerry', venue: { id: hall.id }, categories: [{ id: music.id }] })
  t.equal(read.body.utc_start_date, '2026-12-01 19:00:00', 'dates are in the zone of this calendar')
  const [there] = (await source.administrator.get(`/events?start_date=2026-11-01`)).body.events
  t.match(there, {
    title: 'Tom & Jerry',
    timezone: 'Europe/Madrid',
    venue: { venue: 'Hall' },
    tags: [{ name: 'New' }],
  })

  const stale = await editor.patch(`/events/${id}`, { title: 'X' }, { headers: { 'if-match': '"x"' } })
  t.equal(stale.status, 412)
  const headers = { 'if-match': read.headers.etag! }
  const changed = await editor.patch(`/events/${id}`, { title: 'Again' }, { headers })
  t.match(changed, { status: 200, body: { id, title: 'Again' } })
  t.equal((await source.administrator.get(`/events/${there.id}`)).body.title, 'Again')
  t.equal((await editor.patch(`/events/${id}`, { title: '' })).status, 400, 'what is wrong here is not sent')

  const draft = await contributor.post('/events', { ...EVENT, title: 'Mine' })
  t.match(draft, { status: 201, body: { status: 'draft' } })
  t.match(await contributor.patch(`/events/${draft.body.id}`, { status: 'publish' }), {
    status: 200,
    body: { status: 'pending' },
  })
  t.equal((await contributor.patch(`/events/${id}`, { title: 'Not mine' })).status, 403)

  const removed = await editor.delete(`/events/${id}`)
  t.match(removed, { status: 200, body: { id, status: 'trash' } })
  t.equal((await source.administrator.get(`/events/${there.id}`)).status, 403)
  t.match(await editor.post(`/events/${id}/restore`), { status: 200, body: { id, status: 'publish' } })
  t.equal((await source.administrator.get(`/events/${there.id}`)).status, 200)
})

t.test('a write to many dates is here with all of them, and a repeated one is made once', async (t) => {
  const { source, api } = await openBoth(t)
  const { editor } = api
  await follow(api)
  const headers = { 'idempotency-key': 'choir' }
  const weekly = { ...EVENT, title: 'Choir', recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' } }
  const first = await editor.post('/events', weekly, { headers })
  t.equal(first.status, 201, first.text)
  const again = await editor.post('/events', weekly, { headers })
  t.same([again.status, again.body, again.headers['idempotency-replayed']], [201, first.body, 'true'])
  const listed = async (of: Api) =>
    (await of.administrator.get('/events?start_date=2026-12-01&end_date=2026-12-31')).body.events.map(
      ({ title, start_date }: Record<string, string>) => `${start_date!.slice(0, 10)} ${title}`,
    )
  t.same(await listed(api), ['2026-12-01 Choir', '2026-12-08 Choir', '2026-12-15 Choir'])
  t.same(await listed(source), await listed(api))

  const { series } = first.body
  t.equal((await editor.patch(`/events/${first.body.id}?apply_to=all`, { title: 'Chorus' })).status, 200)
  t.same(await listed(api), ['2026-12-01 Chorus', '2026-12-08 Chorus', '2026-12-15 Chorus'])
  t.equal((await editor.patch(`/series/${series}`, { title: 'Quartet', description: null })).status, 200)
  t.same(await listed(api), ['2026-12-01 Quartet', '2026-12-08 Quartet', '2026-12-15 Quartet'])
  const gone = await editor.delete(`/series/${series}`)
  t.match(gone, { status: 200, body: { status: 'trash' } })
  t.same(await listed(source), [])
  t.same(await listed(api), [])
})

t.test('what can not be passed on is refused, with the reason', async (t) => {
  const { source, api } = await openBoth(t)
  const { administrator } = api
  const early = await administrator.post('/events', EVENT)
  t.match(early, { status: 503, body: { code: 'rest_not_ready', data: { retry_after: 10 } } })
  await follow(api)
  const { store } = api.app
  const caller = { id: api.credentials.administrator.id, role: 'administrator' as const }
  const writer = { caller, by: { origin: 'command' as const, address: 'test' }, language: 'en' }
  const images = { bring: async () => new Map(), discard: async () => {} }
  const byCommand = (body: { venue: string }) =>
    store.write(writer, { body, given: {}, ignored: [], isLong: false }, images, (w, input) =>
      store.venues.create(w, input),
    )
  const { done: own } = await byCommand({ venue: 'Own' })
  const hall = (await administrator.get('/venues/by-slug/hall')).body.id
  api.clock.now += 1_000
  await store.write(writer, { body: {}, given: {}, ignored: [], isLong: false }, images, (w) =>
    store.venues.update(w, { id: hall }, { city: 'Vic' }, false),
  )
  const { pictures } = importer(t, api)
  const image = await store.media.create(
    await pictures.upload(await draw(8, 8), 'own.png', 'somebody'),
    caller,
  )
  const { before, title } = { before: await source.fingerprint(), title: 'Late' }
  for (const [why, answer] of [
    [
      /venue \d+ did not come from there/,
      () => administrator.post('/events', { ...EVENT, title, venue: own }),
    ],
    [/venue \d+ did not come/, () => administrator.patch(`/venues/${own}`, { city: 'Vic' })],
    [/was edited here/, () => administrator.delete(`/venues/${hall}`)],
    [/image \d+ did not come/, () => administrator.post('/events', { ...EVENT, title, image })],
    [/under a password/, () => administrator.post('/events', { ...EVENT, title, password: 'x' })],
    [/another author/, () => administrator.post('/events', { ...EVENT, author: api.credentials.editor.id })],
    [/this is none/, () => administrator.put('/events/by-external/feed/1', EVENT)],
    [/this is none/, () => administrator.post('/batch', { operations: [] })],
  ] as const) {
    const { status, body } = await answer()
    t.equal(status, 403, String(why))
    t.match(body, { code: 'calendar_is_mirror', message: why, data: { source: source.root } }, String(why))
  }
  t.equal(await source.fingerprint(), before)
})

t.test(
  'a picture, a term with heirs and a venue inside go to the source by what they are there',
  async (t) => {
    const { source, api } = await openBoth(t)
    const { editor } = api
    const image = await must(source.administrator.post('/media', await draw(8, 8), raw('a.png', 'image/png')))
    await must(
      source.administrator.post('/events', { ...EVENT, image: image.id, categories: ['Old', 'New'] }),
    )
    await must(source.administrator.post('/events', { ...EVENT, title: 'Unseen', status: 'draft' }))
    await follow(api)
    const { events } = (await editor.get('/events?status=any&start_date=2026-11-01')).body
    const one = events.find(({ title }: { title: string }) => title === 'Concert')
    const [old, fresh] = one.categories
    const whole = { ...one, title: 'With picture' }
    const put = await editor.put(`/events/${one.id}`, whole)
    t.match(put, { status: 200, body: { title: 'With picture', image: { id: one.image.id } } })
    t.match((await source.administrator.get('/events?start_date=2026-11-01')).body.events[0], {
      ...{ title: 'With picture', image: { id: image.id } },
    })
    const gone = await editor.delete(`/categories/${old.id}?reassign=${fresh.id}`)
    t.match(gone, { status: 200, body: { name: old.name } })
    t.match((await editor.get(`/events/${one.id}`)).body.categories, [{ id: fresh.id }])
    t.equal((await editor.get(`/categories/${old.id}`)).status, 404)

    const spoken = await editor.post('//ca/calendar/events/v1/events', { ...EVENT, title: 'Concert de cor' })
    t.match(spoken, { status: 201, body: { language: 'ca' } })
    t.match(await editor.patch(`/events/${spoken.body.id}`, { status: 'trash' }), {
      ...{ status: 200, body: { status: 'trash' } },
    })
  },
)
