import t from 'tap'
import { refused } from '../../../src/features/batch/perform.ts'
import { tooMany } from '../../../src/kernel/rate-limits.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT } from '../../support/app.ts'

type Operation = { id?: string; method: string; path: string; body?: object; if_match?: string }
const batch = (api: Api, operations: Operation[], atomic = true, role: 'editor' | 'contributor' = 'editor') =>
  api[role].post('/batch', { operations, atomic })
const statuses = ({ body }: Answer) =>
  (body.results ?? body.data.results).map(({ status, body: one }: Answer) =>
    one.code ? `${status} ${one.code}` : status,
  )

const EVERYTHING: Operation[] = [
  { id: 'hall', method: 'POST', path: '/venues', body: { venue: 'Hall' } },
  { id: 'club', method: 'PUT', path: '/organizers/by-external/crm/1', body: { organizer: 'Club' } },
  { id: 'music', method: 'POST', path: '/categories', body: { name: 'Music' } },
  { id: 'jazz', method: 'POST', path: '/categories', body: { name: 'Jazz', parent: '#music' } },
  {
    id: 'fair',
    method: 'POST',
    path: '/events',
    body: {
      ...EVENT,
      venue: '#hall',
      organizer: [{ id: '#club' }],
      categories: ['#jazz', 'New'],
      tags: '#hash',
    },
  },
  {
    id: 'fira',
    method: 'POST',
    path: '/events',
    body: { title: 'Fira', i18n_language: 'ca', translation_of: '#fair', post_parent: null },
  },
  { method: 'PATCH', path: '/events/#fira', body: { description: 'Nova', password: 'secret' } },
  {
    method: 'POST',
    path: '/events',
    body: { ...EVENT, title: 'Stall', post_parent: '#fair', venue: { venue: 'Yard' } },
  },
  { method: 'DELETE', path: '/events/#fair' },
  { method: 'POST', path: '/events/#fair/restore' },
  { method: 'PUT', path: '/organizers/by-external/crm/1', body: { organizer: 'Club' } },
]

for (const atomic of [true, false])
  t.test(
    `operations refer to the records of earlier ones, ${atomic ? 'together' : 'one by one'}`,
    async (t) => {
      const api = await build(t)
      const answer = await batch(api, EVERYTHING, atomic)
      t.same(
        statuses(answer),
        [201, 201, 201, 201, 201, 201, 200, 201, 200, 200, 200],
        answer.text.slice(0, 500),
      )
      const { results } = answer.body
      t.same(
        results.map(({ id }: Operation) => id),
        EVERYTHING.map(({ id }) => id),
      )
      const [hall, club, , jazz, fair, fira, , stall] = results.map(({ body }: Answer) => body)
      const { body } = await api.editor.get(`/events/${fair.id}`)
      t.match(body, {
        status: 'publish',
        venue: { id: hall.id },
        organizer: [{ id: club.id }],
        tags: [{ name: '#hash' }],
      })
      t.same(body.categories.map(({ name }: { name: string }) => name).sort(), ['Jazz', 'New'])
      t.same(body.translations, { ca: fira.id })
      t.match(results[6].body, { id: fira.id, description: '<p>Nova</p>', protected: true })
      t.equal(stall.post_parent, fair.id)
      t.match(await must(api.editor.get(`/categories/${jazz.id}`)), { parent: results[2].body.id })
      const root = 'http://calendar.test/calendar/events/v1'
      t.match(results[4].headers, { Location: `${root}/events/${fair.id}`, 'X-Created-Terms': /New/ })
      t.match(results[6].headers, { ETag: /^"/ })
    },
  )

t.test(
  'of an atomic batch nothing is written if one operation is refused, before its write or in it',
  async (t) => {
    const api = await build(t)
    const { id } = await must(api.editor.post('/events', EVENT))
    await must(api.editor.post('/venues', { venue: 'Hall', source: 'crm', external_id: '1' }))
    const before = await api.fingerprint()
    const make: Operation = { id: 'one', method: 'POST', path: '/venues', body: { venue: 'Hall' } }
    const not = '424 batch_operation_not_made'
    for (const [refused, code] of [
      [{ method: 'POST', path: '/events', body: { title: 'Fair' } }, '400 rest_missing_callback_param'],
      [{ method: 'PATCH', path: '/events/999', body: { title: 'x' } }, '404 rest-event-not-found'],
      [{ method: 'PATCH', path: `/events/${id}`, body: {}, if_match: '"x"' }, '412 rest_precondition_failed'],
      [{ method: 'POST', path: '/events', body: { ...EVENT, organizer: '#one' } }, '400 rest_invalid_param'],
      [
        { method: 'POST', path: '/venues', body: { venue: 'x', source: 'crm', external_id: '1' } },
        '409 external_id_taken',
      ],
      [{ method: 'PUT', path: '/events', body: EVENT }, '405 rest_method_not_allowed'],
      [
        { method: 'POST', path: '/tags', body: { name: 'x', parent: 1 } },
        '400 rest_taxonomy_not_hierarchical',
      ],
      [{ method: 'DELETE', path: '/venues/#one?force=true' }, '404 venue-not-found'],
    ] as [Operation, string][]) {
      const answer = await batch(
        api,
        [make, { id: 'two', ...refused }, make].map((one, at) => ({
          ...one,
          id: at === 2 ? 'three' : one.id!,
        })),
      )
      t.match(answer, { status: 424, body: { code: 'batch_not_applied', data: { operation: 2 } } })
      t.match(answer.body.message, /^Operation 2 \("two"\) was refused, so nothing was written: /)
      t.same(statuses(answer), [not, code, not])
      t.equal(await api.fingerprint(), before, code)
    }
    const unnamed = await batch(api, [{ method: 'PATCH', path: '/tags/9', body: { name: 'x' } }])
    t.match(unnamed.body.message, /^Operation 1 was refused/)
  },
)

t.test(
  'of another batch each operation stands by itself, but for those that need a refused one',
  async (t) => {
    const api = await build(t)
    const answer = await batch(
      api,
      [
        { id: 'a', method: 'POST', path: '/venues', body: {} },
        { id: 'b', method: 'POST', path: '/events', body: { ...EVENT, venue: '#a' } },
        { method: 'PATCH', path: '/events/#b', body: { title: 'x' } },
        { method: 'POST', path: '/events', body: EVENT },
      ],
      false,
    )
    const not = '424 batch_operation_not_made'
    t.same(statuses(answer), ['400 rest_missing_callback_param', not, not, 201])
  },
)

t.test('what is deleted permanently leaves the rest of an atomic batch alone', async (t) => {
  const api = await build(t)
  const tag = await must(api.editor.post('/tags', { name: 'Old' }))
  const venue = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const answer = await batch(api, [
    { method: 'DELETE', path: `/tags/${tag.id}` },
    { method: 'POST', path: `/venues/${venue.id}?_method=DELETE&force=true` },
    { id: 'new', method: 'POST', path: '/organizers', body: { organizer: 'Club' } },
    { method: 'POST', path: '/events', body: { ...EVENT, organizer: '#new' } },
  ])
  t.same(statuses(answer), [200, 200, 201, 201], answer.text.slice(0, 500))
  t.same(answer.body.results[3].body.organizer[0].id, answer.body.results[2].body.id)
  for (const path of [`/tags/${tag.id}`, `/venues/${venue.id}`])
    t.equal((await api.editor.get(path)).status, 404)
})

t.test('an address that can not be read is refused as in a request of its own', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const deep = 'a[b][c][d][e][f]=1'
  for (const [method, path] of [
    ['PATCH', '/venues/by-slug/%zz'],
    ['PATCH', `/venues/${id}?${deep}`],
    ['POST', `/venues/${id}?_method=MOVE`],
    ['POST', `/venues/${id}?_method=PATCH&force=1`],
    ['PATCH', `/venues/${id}?_method=DELETE`],
    ['DELETE', `/venues/${id}?force=perhaps`],
    ['POST', '/categories/by-slug/music'],
  ] as const) {
    const body = method === 'DELETE' ? undefined : { city: 'Girona' }
    const single = await (method === 'DELETE'
      ? api.editor.delete(path)
      : api.editor[method === 'POST' ? 'post' : 'patch'](path, body))
    const answer = await batch(api, [{ method, path, ...(body && { body }) }], false)
    t.match(
      answer.body.results[0],
      { status: single.status, body: { code: single.body.code, message: single.body.message } },
      path,
    )
    const header = 'x-ignored-parameters'
    t.equal(answer.body.results[0].headers['X-Ignored-Parameters'], single.headers[header], path)
  }
})

t.test('each operation counts as a request of its client, and all are made or none', async (t) => {
  for (const atomic of [false, true]) {
    const api = await build(t, { env: { RATE_LIMIT: '4' }, fresh: true })
    const make: Operation = { method: 'POST', path: '/events', body: EVENT }
    t.equal(refusal(await batch(api, Array(5).fill(make), atomic)), '413 rest_payload_too_large')
    const refused = await batch(api, [make, make, make, make], atomic)
    t.equal(refusal(refused), '429 rest_rate_limited')
    t.match(refused.headers['retry-after'], /^\d+$/)
    t.same(statuses(await batch(api, [make, make], atomic)), [201, 201])
    t.equal(refusal(await batch(api, [make], atomic)), '429 rest_rate_limited')
    t.same(statuses(await batch(api, [make, make, make, make], atomic, 'contributor')), Array(4).fill(201))
    t.equal((await must(api.anonymous.get('/events'))).total, 2, 'those of the contributor are drafts')
  }
})

t.test('only what was done before can be referred to', async (t) => {
  const api = await build(t)
  const answer = await batch(api, [
    { method: 'POST', path: '/events', body: { ...EVENT, organizer: '#later' } },
    { id: 'later', method: 'POST', path: '/organizers', body: { organizer: 'Club' } },
  ])
  t.same(statuses(answer), ['400 rest_invalid_param', '424 batch_operation_not_made'])
})

t.test('each operation takes the rights of its route', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/events', EVENT))
  const operations = [
    { method: 'POST', path: '/events', body: EVENT },
    { method: 'PATCH', path: `/events/${id}`, body: { title: 'Mine' } },
    { method: 'POST', path: '/tags', body: { name: 'x' } },
  ]
  const answer = await batch(api, operations, false, 'contributor')
  t.same(statuses(answer), [201, '403 rest_forbidden', '403 rest_forbidden'])
  t.equal(answer.body.results[0].body.status, 'draft')
  t.equal(refusal(await batch(api, operations, true, 'contributor')), '424 batch_not_applied')
  t.equal(refusal(await api.anonymous.post('/batch', { operations })), '401 rest_forbidden')
  t.equal(refusal(await api.subscriber.post('/batch', { operations })), '403 rest_forbidden')
})

t.test('what is no operation is refused with its number, and nothing is done', async (t) => {
  const api = await build(t)
  const before = await api.fingerprint()
  const ok = { id: 'a', method: 'POST', path: '/venues', body: { venue: 'Hall' } }
  for (const [wrong, why] of [
    ['x', /^Operation 2: must be an object/],
    [{ ...ok, id: 'b', extra: 1 }, /must not have "extra"/],
    [{ ...ok, id: '#b' }, /id must be/],
    [{ ...ok, id: 5 }, /id must be/],
    [ok, /id "a" is that of an earlier/],
    [{ ...ok, id: 'b', method: 'GET' }, /method must be one of POST/],
    ...[
      '/users',
      '/batch',
      '/events/12/preview',
      'events',
      '/events/../users',
      '/venues/by-slug/%2e%2E',
      '/venues\\..',
      5,
      undefined,
      '/events#x',
    ].map((path): [object, RegExp] => [{ method: 'POST', path }, /path must be that of/]),
    [{ method: 'PATCH', path: '/events/#b' }, /path refers to "#b"/],
    [{ method: 'PATCH', path: '/events/1', body: [] }, /body must be an object/],
    [{ method: 'PATCH', path: '/events/1', if_match: 'a\nb' }, /if_match must be/],
    [{ method: 'PATCH', path: '/events/1', if_match: 5 }, /if_match must be/],
  ] as [unknown, RegExp][]) {
    const answer = await api.editor.post('/batch', { operations: [ok, wrong] })
    t.equal(refusal(answer), '400 rest_invalid_param operations', JSON.stringify(wrong))
    t.match(answer.body.data.params.operations, why)
  }
  for (const operations of [[], {}, Array(101).fill({ method: 'POST', path: '/events' })])
    t.equal(refusal(await api.editor.post('/batch', { operations })), '400 rest_invalid_param operations')
  t.equal(refusal(await api.editor.post('/batch', {})), '400 rest_missing_callback_param operations')
  t.equal(await api.fingerprint(), before)
})

t.test('a batch with a key that is sent again is made once, together or one by one', async (t) => {
  const api = await build(t)
  for (const atomic of [true, false]) {
    const send = (many: number) =>
      api.editor.post(
        '/batch',
        { operations: EVERYTHING.slice(0, many), atomic },
        { headers: { 'idempotency-key': `k${atomic}` } },
      )
    const first = await send(1)
    const before = await api.fingerprint()
    t.same((await send(1)).text, first.text)
    t.equal(refusal(await send(2)), '409 idempotency_key_reused')
    t.equal(await api.fingerprint(), before)
  }
})

t.test('a batch below a language root writes in its language', async (t) => {
  const { editor } = await build(t)
  const operations = [{ method: 'POST', path: '/events', body: EVENT }]
  const answer = await editor.post('//ca/calendar/events/v1/batch?x=1', { operations, atomic: true })
  t.match(answer.body, { results: [{ status: 201, body: { language: 'ca' } }] }, answer.text)
})

t.test('a transaction that can not be made refuses the whole batch', async (t) => {
  const api = await build(t)
  const { db } = api.app.store
  const { write } = db
  db.write = async (work) => {
    if (String(work).includes('runAll')) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    return write(work)
  }
  const answer = await batch(api, EVERYTHING.slice(0, 2))
  t.equal(refusal(answer), '507 insufficient_storage')
})

t.test('an operation that may be sent again says when', async (t) => {
  const { status, headers } = refused(tooMany(7))
  t.strictSame([status, headers?.['Retry-After']], [429, '7'])
})
