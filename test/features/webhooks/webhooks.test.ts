import t from 'tap'
import { must } from '../../support/answers.ts'
import type { Answer } from '../../support/app.ts'
import { EVENT } from '../../support/given.ts'
import { addHook, buildHooks, deliveriesOf, hookOf, openReceiver } from '../../support/receiver.ts'

const URL = 'https://mirror.example/hook'

t.test('a webhook is added, read, changed and removed', async (t) => {
  const api = await buildHooks(t)
  const { administrator } = api
  const made = await administrator.post('/webhooks', {
    url: 'HTTPS://Mirror.example:443/a/../hook',
    colour: 'red',
  })
  t.equal(made.status, 201)
  t.match(made.headers, {
    location: 'http://calendar.test/calendar/events/v1/webhooks/1',
    'cache-control': 'no-store',
    'x-ignored-fields': 'colour',
  })
  const { secret, ...first } = made.body
  const shown = {
    ...{
      id: 1,
      owner: api.credentials.administrator.id,
      url: URL,
      description: '',
      filters: {},
      enabled: true,
      created_utc: '2026-11-21 09:00:00',
    },
    kinds: ['event', 'venue', 'organizer', 'category', 'tag'],
    operations: ['created', 'updated', 'deleted'],
    state: { pending: 0, sequence: first.state.sequence },
  }
  t.same(first, shown)
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.same((await administrator.get('/webhooks/1')).body, shown)
  for (const [change, expected] of [
    [{}, {}],
    [{ description: '<b>Mirror</b>', kinds: 'venue,tag', operations: ['deleted'] }, {}],
    [{ description: null, kinds: null, operations: null, filters: null, enabled: null, url: null }, {}],
    [{ kinds: ['event'], filters: { featured: true } }, { filters: { featured: true } }],
    [{ enabled: false }, { enabled: false, filters: { featured: true }, kinds: ['event'] }],
  ] as const) {
    const { status, body } = await administrator.patch('/webhooks/1', change)
    const set = 'description' in change && change.description !== null
    const own = set ? { description: 'Mirror', kinds: ['venue', 'tag'], operations: ['deleted'] } : {}
    t.match(
      [status, body],
      [
        200,
        {
          ...shown,
          ...own,
          ...expected,
          ...('kinds' in change && change.kinds?.[0] === 'event' && { kinds: ['event'] }),
        },
      ],
      JSON.stringify(change),
    )
  }
  const { body } = await administrator.get('/webhooks/1')
  const again = await administrator.patch('/webhooks/1', body)
  t.same(
    [again.status, again.body, again.headers['x-ignored-fields']],
    [200, body, undefined],
    'what is read may be sent',
  )
  t.same((await administrator.get('/webhooks')).body.webhooks, [body])
  t.same((await administrator.delete('/webhooks/1')).body, body)
  t.equal((await administrator.get('/webhooks/1')).body.code, 'webhook-not-found')
  t.equal((await must(administrator.post('/webhooks', { url: URL }))).id, 2, 'no number is given twice')
})

t.test('what is wrong is named, and nothing is stored', async (t) => {
  const api = await buildHooks(t)
  const { administrator } = api
  await must(administrator.post('/webhooks', { url: URL }))
  const before = await api.fingerprint()
  const both = ['post', 'patch'] as const
  const send = (method: 'post' | 'patch', body: object): Promise<Answer> =>
    administrator[method](method === 'post' ? '/webhooks' : '/webhooks/1', body)
  for (const url of [
    ...[
      'mirror.example/hook',
      '/hook',
      'ftp://mirror.example/',
      'https://a:b@mirror.example/',
      'javascript:alert(1)',
    ],
    ...['http://[', 'file:///etc/passwd'],
  ])
    for (const method of both)
      t.match(
        await send(method, { url }),
        {
          status: 400,
          body: {
            code: 'rest_invalid_param',
            data: { params: { url: /^The URL must be an absolute http/ } },
          },
        },
        url,
      )
  for (const host of [
    ...[
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '[::1]',
      '[fd00::1]',
      '0x7f.0.0.2',
      '2130706434',
      '[::ffff:a00:1]',
    ],
    ...['private.test', 'metadata.test', 'loop.test', 'mixed.test', 'localhost'],
  ])
    for (const method of both)
      t.match(
        await send(method, { url: `http://${host}:8080/hook` }),
        {
          status: 400,
          body: {
            data: { params: { url: /^The host of this URL is, or resolves to, a private or local address/ } },
          },
        },
        host,
      )
  for (const [body, name, why] of [
    [{ url: '' }, 'url', 'must not be empty.'],
    [{ url: 7 }, 'url', 'must be a string, in quotes.'],
    [{ url: `https://mirror.example/${'x'.repeat(2_000)}` }, 'url', 'must have at most 2000 characters.'],
    [{ url: URL, kinds: [] }, 'kinds', /^must be one or more of event, series, venue/],
    [{ url: URL, kinds: ['media'] }, 'kinds', /^must be one or more of event, series, venue/],
    [{ url: URL, operations: 'created,moved' }, 'operations', /^must be one or more of created/],
    [{ url: URL, enabled: 'perhaps' }, 'enabled', /^must be true or false/],
    [{ url: URL, kinds: ['event'], filters: 'featured' }, 'filters', /^must be an object/],
    [{ url: URL, kinds: ['event'], filters: { colour: 1 } }, 'filters', /^"colour" is no filter/],
    [
      { url: URL, kinds: ['event'], filters: { featured: 'so' } },
      'filters',
      /^featured must be true or false/,
    ],
  ] as const)
    for (const method of both)
      t.match(
        await send(method, body),
        { status: 400, body: { data: { params: { [name]: why } } } },
        JSON.stringify(body),
      )
  t.match(await send('post', {}), {
    status: 400,
    body: { code: 'rest_missing_callback_param', data: { params: ['url'] } },
  })
  for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(90)}`, 'A'.repeat(44), 7])
    for (const answer of [
      await send('post', { url: URL, secret }),
      await administrator.post('/webhooks/1/secret', { secret }),
    ])
      t.match(answer, { status: 400, body: { data: { params: { secret: /^must / } } } }, String(secret))
  t.equal(await api.fingerprint(), before)
})

t.test('there may be 25 webhooks', async (t) => {
  const api = await buildHooks(t)
  for (let at = 0; at < 25; at++) await must(api.administrator.post('/webhooks', { url: URL }))
  const before = await api.fingerprint()
  t.match(await api.administrator.post('/webhooks', { url: URL }), {
    status: 400,
    body: {
      code: 'too-many-webhooks',
      message: 'There are 25 webhooks, which is the limit; delete one first.',
    },
  })
  t.equal(await api.fingerprint(), before)
  const page = await must(api.administrator.get('/webhooks?per_page=10&page=3'))
  t.match(page, {
    total: 25,
    total_pages: 3,
    webhooks: [{ id: 21 }, { id: 22 }, { id: 23 }, { id: 24 }, { id: 25 }],
  })
  t.match(await api.administrator.get('/webhooks?page=9'), {
    status: 404,
    body: { code: 'webhook-archive-page-not-found' },
  })
})

t.test('a token needs the scope admin', async (t) => {
  const api = await buildHooks(t)
  const { id } = api.credentials.administrator
  for (const [scopes, status] of [
    [['read', 'write'], 403],
    [['admin'], 200],
  ] as const) {
    const { token } = await api.app.store.tokens.add(id, 'x', [...scopes], null)
    const headers = { authorization: `Bearer ${token}` }
    t.equal((await api.anonymous.get('/webhooks', undefined, { headers })).status, status, scopes.join())
  }
})

t.test('a test message is sent once, also to a webhook that is disabled', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t, (_got, response) => response.writeHead(503).end('closed'))
  const hook = await addHook(api, receiver, { enabled: false })
  const made = await api.administrator.post(`/webhooks/${hook.id}/test`)
  t.equal(made.status, 201)
  t.match(made.body, { id: 1, type: 'ping', sequence: 0, status: 'waiting', attempts: 0 })
  t.notOk('record_id' in made.body)
  t.equal(made.headers.location, `http://calendar.test/calendar/events/v1/webhooks/${hook.id}/deliveries/1`)
  await api.app.hooks.drain()
  t.same(JSON.parse(receiver.got[0]!.text), {
    type: 'ping',
    timestamp: '2026-11-21T09:00:00Z',
    data: { webhook: hook.id },
  })
  const path = made.headers.location!.replace('http://calendar.test/calendar/events/v1', '')
  t.match((await api.administrator.get(path)).body, {
    ...{ status: 'failed', attempts: 1, response_code: 503, response: 'closed' },
    message_id: receiver.got[0]!.id,
  })
  api.clock.now += 86_400_000
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1)
  t.notOk((await hookOf(api, hook)).state.failing_since_utc, 'a test says nothing about the webhook')
  const again = await must(api.administrator.post(`${path}/replay`))
  t.match(again, { id: 2, type: 'ping' })
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 2)
  t.not(receiver.got[1]!.id, receiver.got[0]!.id, 'a test is another one each time')
})

t.test('a delivery is sent again with its ID and the record as it is now', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver)
  const { id } = await must(api.editor.post('/events', EVENT))
  await api.app.hooks.drain()
  await must(api.editor.patch(`/events/${id}`, { title: 'Later' }))
  await api.app.hooks.drain()
  const [, first] = await deliveriesOf(api, hook)
  const made = await api.administrator.post(`/webhooks/${hook.id}/deliveries/${first.id}/replay`)
  t.match(made, {
    status: 201,
    body: { type: 'event.created', status: 'waiting', message_id: first.message_id },
  })
  t.not(made.body.id, first.id)
  await api.app.hooks.drain()
  const [told, , again] = receiver.got
  t.equal(again!.id, told!.id)
  t.equal(again!.data.record.title, 'Later')
  await must(api.editor.delete(`/events/${id}`))
  await api.app.hooks.drain()
  await must(api.administrator.post(`/webhooks/${hook.id}/deliveries/${first.id}/replay`))
  await api.app.hooks.drain()
  t.match(
    receiver.got.at(-1),
    { id: told!.id, type: 'event.deleted' },
    'of what is gone only the end is told',
  )
  receiver.behaviour = (_got, response) => response.writeHead(500).end()
  const waiting = await must(api.administrator.post(`/webhooks/${hook.id}/deliveries/${first.id}/replay`))
  await api.app.hooks.drain()
  receiver.behaviour = (_got, response) => response.writeHead(200).end()
  const same = await must(api.administrator.post(`/webhooks/${hook.id}/deliveries/${first.id}/replay`))
  t.equal(same.id, waiting.id, 'one that waits is not doubled')
  await api.app.hooks.drain()
  t.match(await deliveriesOf(api, hook, '&status=delivered'), [
    { id: same.id, attempts: 2 },
    {},
    {},
    {},
    {},
    {},
  ])
  t.match(await api.administrator.get(`/webhooks/${hook.id}/deliveries/999`), {
    status: 404,
    body: { code: 'webhook-delivery-not-found' },
  })
})

t.test('changes are sent again from a time or a number on', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const ids: number[] = []
  const add = async (title: string) =>
    ids.push((await must(api.editor.post('/events', { ...EVENT, title }))).id)
  await add('One')
  api.clock.now += 3_600_000
  await add('Two')
  const hook = await addHook(api, receiver)
  await add('Three')
  await api.app.hooks.drain()
  t.equal(receiver.got.length, 1)
  const replay = (body: object) => api.administrator.post(`/webhooks/${hook.id}/replay`, body)
  const told = async () => {
    receiver.got.length = 0
    await api.app.hooks.drain()
    return receiver.got.map(({ data }) => data.id).sort((a, b) => a - b)
  }
  const { state } = await hookOf(api, hook)
  t.match(await replay({ since: '2026-11-21 10:00:00' }), { status: 200, body: { id: hook.id } })
  t.same(await told(), ids.slice(1))
  await must(replay({ since: '-2 days' }))
  t.same(await told(), ids)
  await must(replay({ after: state.sequence - 1 }))
  t.same(await told(), ids.slice(2))
  await must(replay({ after: state.sequence, since: null }))
  t.same(await told(), [])
  await add('Four')
  await must(replay({ since: '2031-01-01' }))
  t.same(await told(), ids.slice(3), 'what was not told yet is not passed over')
  const before = await hookOf(api, hook)
  for (const [body, why] of [
    [{}, { since: /^requires a time here/ }],
    [{ since: null, after: null }, { since: /^requires a time here/ }],
    [{ since: 'today', after: 0 }, { since: /^requires a time here/ }],
    [{ after: 99_999 }, { after: /^The log ends with change \d+; send a smaller number\.$/ }],
    [{ after: -1 }, { after: /^must be a whole number from 0/ }],
    [{ since: 'long ago' }, { since: /^must be/ }],
  ])
    t.match(await replay(body!), { status: 400, body: { data: { params: why } } }, JSON.stringify(body))
  t.same(await hookOf(api, hook), before)
})

t.test('deliveries are listed in pages, by status', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver)
  for (let at = 0; at < 5; at++) await must(api.editor.post('/events', { ...EVENT, title: `Event ${at}` }))
  await api.app.hooks.drain()
  const path = `/webhooks/${hook.id}/deliveries`
  const first = await must(api.administrator.get(`${path}?per_page=3&status=delivered`))
  t.match(first, { total: 5, total_pages: 2, deliveries: [{ id: 5 }, { id: 4 }, { id: 3 }] })
  t.match(first.next_rest_url, /status=delivered/)
  t.same((await must(api.administrator.get(`${path}?status=failed`))).deliveries, [])
  t.match(await api.administrator.get(`${path}?page=2`), {
    status: 404,
    body: { code: 'delivery-archive-page-not-found' },
  })
  t.match(await api.administrator.get(`${path}?status=lost`), { status: 400 })
})
