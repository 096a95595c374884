import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const WP = '//wp-json/wp/v2'
const REST = 'http://calendar.test/wp-json'

const upload = async ({ editor }: Api) =>
  (await must(editor.post('/media', await draw(40, 30), raw('stage.png', 'image/png')))).id as number

t.test('a post is created, changed and deleted by the rules of the API', async (t) => {
  const api = await build(t)
  const image = await upload(api)
  const made = await api.editor.post(`${WP}/tribe_events?_locale=user&context=edit`, {
    title: { raw: 'Tea &amp; cake' },
    content: '<p>Long<script>alert(1)</script></p>',
    excerpt: { raw: 'Short' },
    status: 'publish',
    featured_media: image,
    tags: ['Late'],
    tribe_events_cat: ['Music'],
    comment_status: 'closed',
    meta: { _EventStartDate: '2026-12-01 20:00:00', _EventEndDate: '2026-12-01 22:00:00', _EventCost: '5' },
  })
  t.equal(made.status, 201)
  const { id } = made.body
  t.equal(made.headers.location, `${REST}/wp/v2/tribe_events/${id}`)
  t.equal(made.headers['x-ignored-fields'], 'comment_status')
  t.match(made.headers['x-created-terms'], 'Music')
  t.match(made.body, { title: { raw: 'Tea & cake' }, content: { raw: '<p>Long</p>' }, featured_media: image })
  t.match((await api.anonymous.get(`/events/${id}`)).body, {
    ...{ title: 'Tea & cake', cost: '5', start_date: '2026-12-01 20:00:00', image: { id: image } },
    ...{ categories: [{ name: 'Music' }], tags: [{ name: 'Late' }] },
  })

  const at = `${WP}/tribe_events/${id}`
  const kept = await api.editor.post(at, { title: 'Coffee', featured_media: 0, meta: [] })
  t.match([kept.status, kept.headers['x-ignored-fields']], [200, undefined])
  t.match(kept.body, { title: { raw: 'Coffee' }, content: { raw: '<p>Long</p>' }, featured_media: 0 })
  t.equal((await api.editor.put(at, { status: 'draft' })).body.status, 'draft')
  t.equal((await api.anonymous.get(at)).status, 403)
  t.equal((await api.editor.patch(at, { status: 'publish', slug: 'brunch' })).body.slug, 'brunch')
  t.equal(
    (await api.editor.post(at, { meta: { _EventCost: '6', other: 1 } })).headers['x-ignored-fields'],
    'meta',
  )
  const odd = JSON.parse('{"meta":{"__proto__":1,"constructor":2}}')
  t.equal((await api.editor.post(at, odd)).headers['x-ignored-fields'], 'meta')
  t.equal((await api.editor.post(at, { meta: 'text' })).headers['x-ignored-fields'], 'meta')
  t.equal((await api.editor.post(at, { meta: { _EventCost: '9' }, cost: '7' })).status, 200)
  t.equal((await api.anonymous.get(`/events/${id}`)).body.cost, '$7')

  const trashed = await api.editor.delete(at)
  t.match([trashed.status, trashed.body.id, trashed.body.status], [200, id, 'trash'])
  t.equal((await api.editor.delete(at)).status, 410)
  const gone = await api.editor.delete(`${at}?force=true`)
  t.match(gone.body, { deleted: true, previous: { id, title: { rendered: 'Coffee' } } })
  t.equal((await api.editor.delete(`${at}?force=true`)).status, 404)
})

t.test('what was read may be sent back, and changes nothing', async (t) => {
  const api = await build(t)
  const { id } = await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'A & <b>',
      description: '<p>x &amp; y</p>',
      tags: ['Late'],
      ...{ venue: { venue: 'Hall' }, organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }] },
      ...{ cost: '5 - 10', website: 'https://choir.example/', all_day: true },
    }),
  )
  const before = (await api.anonymous.get(`/events/${id}`)).body
  for (const context of ['view', 'edit']) {
    const { body } = await api.editor.get(`${WP}/tribe_events/${id}?context=${context}`)
    t.equal((await api.editor.post(`${WP}/tribe_events/${id}`, body)).status, 200, context)
    t.same((await api.anonymous.get(`/events/${id}`)).body, before, context)
    t.match(body.meta, {
      ...{ _EventStartDate: '2026-12-01 00:00:00', _EventEndDate: '2026-12-01 23:59:59', _EventAllDay: true },
      ...{ _EventVenueID: before.venue.id, _EventOrganizerID: [Number, Number], _EventURL: before.website },
    })
  }
  const at = `${WP}/tribe_events/${id}`
  const meta = { _EventStartDate: '2026-12-02 20:00:00', _EventStartDateUTC: '2026-12-01 20:00:00' }
  const moved = await api.editor.post(at, { meta, all_day: false, end_date: '2026-12-02 21:00:00' })
  t.match([moved.status, moved.headers['x-ignored-fields']], [200, undefined], 'local time counts')
  t.equal(moved.body.meta._EventStartDate, '2026-12-02 20:00:00')
  const alone = await api.editor.post(at, { meta: { _EventStartDateUTC: '2026-12-01 20:00:00' } })
  t.match([alone.status, alone.headers['x-ignored-fields']], [200, 'meta'])
})

t.test('venues and organizers are written by their titles', async (t) => {
  const { editor, anonymous } = await build(t)
  const venue = await editor.post(`${WP}/tribe_venue`, { title: 'Hall', content: 'Old', city: 'Vic' })
  t.match([venue.status, venue.body.title.raw], [201, 'Hall'])
  t.match((await anonymous.get(`/venues/${venue.body.id}`)).body, { venue: 'Hall', city: 'Vic' })
  const organizer = await editor.post(`${WP}/tribe_organizer`, { title: { raw: 'Choir' }, status: 'publish' })
  t.match([organizer.status, organizer.body.title.raw], [201, 'Choir'])
  const renamed = await editor.post(`${WP}/tribe_organizer/${organizer.body.id}`, { title: 'Band' })
  t.equal(renamed.body.title.raw, 'Band')
  const draft = await editor.post(`${WP}/tribe_venue`, { title: 'Cellar', status: 'draft' })
  t.match([draft.body.status, draft.body.slug], ['draft', 'cellar'])
  const both = await editor.post(`${WP}/tribe_venue`, { title: 'Other', venue: 'Bar' })
  t.match([both.body.title.raw, both.headers['x-ignored-fields']], ['Bar', 'title'])
  t.equal((await editor.post(`${WP}/tribe_venue`, { content: 'x' })).body.code, 'rest_missing_callback_param')
})

t.test('forms are understood as JSON is', async (t) => {
  const { editor } = await build(t)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = 'title[raw]=Concert&start_date=2026-12-01&end_date=2026-12-02&tags[]=Late&tags[]=Loud'
  const made = await editor.post(`${WP}/tribe_events`, form, { headers })
  t.match([made.status, made.body.title.raw, made.body.tags.length], [201, 'Concert', 2])
  const query = await editor.post(`${WP}/tribe_events/${made.body.id}?title=Other`)
  t.equal(query.body.title.raw, 'Other')
  const overridden = await editor.send({
    method: 'POST',
    url: `/wp-json/wp/v2/tribe_events/${made.body.id}`,
    headers: { 'x-http-method-override': 'DELETE' },
  })
  t.equal(overridden.body.status, 'trash')
})

t.test('who may not write changes nothing', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const venue = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const tag = await must(api.editor.post('/tags', { name: 'Late' }))
  const image = await upload(api)
  const before = await api.fingerprint()
  for (const [who, status] of [
    ['anonymous', 401],
    ['subscriber', 403],
    ['contributor', 403],
  ] as const)
    for (const [path, body] of [
      [`tribe_events/${id}`, { title: 'x' }],
      [`tribe_venue/${venue.id}`, { title: 'x' }],
      [`tags/${tag.id}`, { name: 'x' }],
      [`media/${image}`, { alt_text: 'x' }],
      ['tags', { name: 'x' }],
      ['media', 'x'],
    ] as const)
      t.equal((await api[who].post(`${WP}/${path}`, body)).status, status, `${who} ${path}`)
  for (const who of ['anonymous', 'subscriber'] as const)
    t.not((await api[who].post(`${WP}/tribe_events`, { ...EVENT })).status, 201)
  t.equal((await api.contributor.delete(`${WP}/tribe_events/${id}?force=true`)).status, 403)
  for (const [body, code] of [
    [{ title: 'x' }, 'rest_missing_callback_param'],
    [{ ...EVENT, title: '<b> </b>' }, 'empty_content'],
    [{ ...EVENT, title: { raw: { raw: 'x' } } }, 'rest_invalid_param'],
    [{ ...EVENT, title: {} }, 'empty_content'],
    [{ ...EVENT, content: ['x'] }, 'rest_invalid_param'],
    [{ ...EVENT, status: 'auto-draft' }, 'rest_invalid_param'],
    [{ ...EVENT, tags: Array.from({ length: 101 }, (_, at) => at) }, 'rest_invalid_param'],
    [{ ...EVENT, venue_id: 99 }, 'rest_invalid_param'],
    [[1], 'rest_missing_callback_param'],
    ['{', 'rest_invalid_json'],
  ] as const) {
    const sent = typeof body === 'string' ? { headers: { 'content-type': 'application/json' } } : {}
    const answer = await api.editor.post(`${WP}/tribe_events`, body, sent)
    t.match(answer, { status: 400, body: { code, data: { status: 400 } } }, JSON.stringify(body).slice(0, 80))
  }
  const deep = `${'{"title":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  const headers = { 'content-type': 'application/json' }
  t.equal((await api.editor.post(`${WP}/tribe_events`, deep, { headers })).status, 400)
  const large = JSON.stringify({ ...EVENT, content: 'x'.repeat(2 ** 20) })
  t.equal((await api.editor.post(`${WP}/tribe_events`, large, { headers })).status, 413)
  t.equal((await api.editor.post(`${WP}/tribe_events/99`, { title: 'x' })).status, 404)
  t.equal(await api.fingerprint(), before)
  const draft = await api.contributor.post(`${WP}/tribe_events`, { ...EVENT, status: 'publish' })
  t.equal(draft.body.status, 'pending', 'a contributor may hand in')
})

t.test('a write may be on the condition that nothing has changed', async (t) => {
  const { editor, anonymous } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const at = `${WP}/tribe_events/${id}`
  const { headers } = await anonymous.get(at)
  const write = (title: string, etag: string) =>
    editor.patch(at, { title }, { headers: { 'if-match': etag } })
  const first = await write('One', headers.etag!)
  t.equal(first.status, 200)
  t.equal((await write('Two', headers.etag!)).status, 412)
  t.equal((await write('Three', first.headers.etag!)).status, 200)
  t.equal((await editor.delete(at, undefined, { headers: { 'if-match': headers.etag! } })).status, 412)
})

t.test('a token without the scope may not write here either', async (t) => {
  const { app, anonymous, credentials } = await build(t)
  const { token } = await app.store.tokens.add(credentials.editor.id, 'reader', ['read'], null)
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await anonymous.post(`${WP}/tribe_events`, EVENT, { headers })).status, 403)
  t.equal((await anonymous.get(`${WP}/users/me`, undefined, { headers })).status, 200)
})

t.test('a program that looks for what it made makes it once', async (t) => {
  const { editor } = await build(t)
  const run = async () => {
    const found = await editor.get(`${WP}/tribe_events?slug=weekly-jazz&status=any`)
    const event = {
      title: 'Jazz',
      slug: 'weekly-jazz',
      start_date: '2026-12-01',
      end_date: '2026-12-02',
      status: 'draft',
    }
    const at = found.body.length === 0 ? '' : `/${found.body[0].id}`
    return (await editor.post(`${WP}/tribe_events${at}`, event)).status
  }
  t.same([await run(), await run(), await run()], [201, 200, 200])
  t.equal((await editor.get(`${WP}/tribe_events?status=any`)).headers['x-wp-total'], '1')
})

t.test('what WordPress reads in bodies is read', async (t) => {
  const { editor } = await build(t)
  const add = async (more: object = {}) =>
    (await must(editor.post('/events', { ...EVENT, ...more }))).id as number
  for (const path of [`${WP}/tribe_events`, '//wp-json/tec/v1/events']) {
    const [gone, trashed] = [await add(), await add()]
    const answer = await editor.delete(`${path}/${gone}`, { force: true })
    t.match([answer.status, answer.headers['x-ignored-fields']], [200, undefined])
    t.equal((await editor.get(`/events/${gone}`)).status, 404, 'deleted for good')
    const other = await editor.delete(`${path}/${trashed}`, { force: 'maybe', reason: 'x' })
    t.match([other.status, other.headers['x-ignored-fields']], [200, 'force, reason'])
    t.equal(other.body.status, 'trash')
  }
  const own = await editor.delete(`/events/${await add()}`, { force: true })
  t.match([own.status, own.body.status, own.headers['x-ignored-fields']], [200, 'trash', 'force'])

  const made = await editor.post(`${WP}/tribe_events`, { ...EVENT, title: 'Tea party', slug: '' })
  t.match(made, { status: 201, body: { slug: 'tea-party' } })
  t.match(await editor.post(`${WP}/tribe_events/${made.body.id}`, { slug: '' }), {
    status: 200,
    body: { slug: 'tea-party' },
  })
  t.match(await editor.post(`${WP}/tags`, { name: 'Late', slug: '' }), {
    status: 201,
    body: { slug: 'late' },
  })

  const { title: _, ...untitled } = EVENT
  const fingerprint = async () => (await must(editor.get('/events?status=any'))).total
  const before = await fingerprint()
  for (const base of ['tribe_events', 'tribe_venue', 'tribe_organizer'])
    t.match(await editor.post(`${WP}/${base}`, untitled), {
      status: 400,
      body: { code: 'empty_content', data: { status: 400 } },
    })
  for (const body of [
    { ...untitled, content: 'Long' },
    { ...untitled, excerpt: 'Short' },
  ])
    t.match(await editor.post(`${WP}/tribe_events`, body), { status: 400, body: { code: /^rest_/ } })
  t.equal(await fingerprint(), before)
})
