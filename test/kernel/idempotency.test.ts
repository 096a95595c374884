import { sql } from 'drizzle-orm'
import t from 'tap'
import { must, refusal } from '../support/answers.ts'
import { build, countOf, EVENT } from '../support/app.ts'

const DAY = 86_400_000
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

t.test('a repeated request gets the first answer, and writes nothing', async (t) => {
  const { editor, author, fingerprint, clock } = await build(t)
  const body = { ...EVENT, categories: ['Jazz'], odd: 1 }
  const first = await editor.post('/events', body, keyed('"one"'))
  t.equal(first.status, 201)
  t.notOk('idempotency-replayed' in first.headers)
  const before = await fingerprint()
  clock.now += DAY - 1_000
  for (const key of ['"one"', 'one', ' "one" ']) {
    const again = await editor.post('/events', body, keyed(key))
    t.equal(again.status, 201)
    t.equal(again.text, first.text)
    t.equal(again.headers['idempotency-replayed'], 'true')
    for (const name of ['location', 'etag', 'content-type', 'x-ignored-fields', 'x-created-terms'])
      t.equal(again.headers[name], first.headers[name], name)
  }
  t.equal(await fingerprint(), before)
  const other = '409 idempotency_key_reused'
  t.equal(refusal(await editor.post('/events', { ...body, title: 'Other' }, keyed('one'))), other)
  t.equal(refusal(await editor.post('/events?sticky=1', body, keyed('one'))), other)
  t.equal(await fingerprint(), before)
  t.equal((await editor.post('/venues', { venue: 'Hall' }, keyed('one'))).status, 201, 'elsewhere')
  t.equal((await author.post('/events', body, keyed('one'))).headers['idempotency-replayed'], undefined)
  t.equal((await editor.post('/events', body, keyed('two'))).body.id > first.body.id, true)
  clock.now += 2_000
  const late = await editor.post('/events', body, keyed('one'))
  t.equal(late.headers['idempotency-replayed'], undefined, 'after a day it is another request')
})

t.test('a key belongs to the rights with which it was sent first', async (t) => {
  const { app, credentials, editor, administrator, fingerprint } = await build(t)
  const { tokens, users } = app.store
  const { id } = credentials.editor
  const music = await must(administrator.post('/categories', { name: 'Music' }))
  const bodies = { ...EVENT, categories: [music.id] }
  const bearer = async (...[scopes, limits]: [Parameters<typeof tokens.add>[2], object?]) => ({
    ...{
      authorization: `Bearer ${(await tokens.add(id, 'other', scopes, null, undefined, limits as never)).token}`,
    },
  })
  const all = await bearer(['admin', 'write', 'read'])
  const writes = await bearer(['read', 'write'])
  const limited = await bearer(['read', 'write'], { categories: [music.id], venues: [] })
  const send = (headers: object, key = 'a') =>
    editor.post('/events', bodies, { headers: { 'idempotency-key': key, ...headers } })
  const first = await must(send({}))
  const before = await fingerprint()
  t.match(await send(all), { status: 201, body: { id: first.id } }, 'another token with the same rights')
  for (const weaker of [writes, limited])
    t.equal(refusal(await send(weaker)), '409 idempotency_key_reused', 'whoever may do less')
  t.equal(await fingerprint(), before)
  t.not((await must(send(limited, 'b'))).id, first.id)
  t.equal(refusal(await send({}, 'b')), '409 idempotency_key_reused', 'and whoever may do more')
  await users.update(id, { role: 'contributor' })
  t.equal(refusal(await send({})), '409 idempotency_key_reused', 'the role is another one')
})

t.test('every POST that creates or restores understands a key', async (t) => {
  const { editor } = await build(t)
  for (const [plural, body, other] of [
    ['events', EVENT, { ...EVENT, title: 'X' }],
    [
      'series',
      { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
      { ...EVENT, title: 'X', recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
    ],
    ['venues', { venue: 'Hall' }, { venue: 'Club' }],
    ['organizers', { organizer: 'Hall' }, { organizer: 'Club' }],
    ['categories', { name: 'One' }, { name: 'Two' }],
    ['tags', { name: 'One' }, { name: 'Two' }],
  ] as const) {
    const { id } = await must(editor.post(`/${plural}`, body, keyed('a')))
    t.match(await editor.post(`/${plural}`, body, keyed('a')), { status: 201, body: { id } }, plural)
    t.equal(refusal(await editor.post(`/${plural}`, other, keyed('a'))), '409 idempotency_key_reused')
    if (plural === 'categories' || plural === 'tags') continue
    await must(editor.delete(`/${plural}/${id}`))
    const path = `/${plural}/${id}/restore`
    const restored = await must(editor.post(path, undefined, keyed('b')))
    await must(editor.delete(`/${plural}/${id}`))
    t.same(await must(editor.post(path, undefined, keyed('b'))), restored, 'as it was then')
    t.equal(
      refusal(await editor.post(`${path}?translations=all`, undefined, keyed('b'))),
      '409 idempotency_key_reused',
    )
    t.not((await editor.get(`/${plural}/${id}`)).body.status, 'publish')
    t.equal((await editor.post(path, undefined, keyed('c'))).status, 200)
    t.equal((await editor.post(path, undefined, keyed('d'))).status, 200, 'nothing is written')
    t.equal((await editor.post(path, undefined, keyed('d'))).headers['idempotency-replayed'], 'true')
  }
})

t.test('what was refused is not kept, and a key has a form', async (t) => {
  const { editor, anonymous } = await build(t)
  const { title: _, ...lacking } = EVENT
  t.equal(refusal(await editor.post('/events', lacking, keyed('a'))), '400 rest_missing_callback_param title')
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, venue: 99 }, keyed('a'))),
    '400 rest_invalid_param venue',
  )
  t.equal(refusal(await anonymous.post('/events', EVENT, keyed('a'))), '401 rest_forbidden')
  t.equal((await editor.post('/events', EVENT, keyed('a'))).headers['idempotency-replayed'], undefined)
  for (const key of ['', '""', 'x'.repeat(256), 'a"b', '"a\\b"', 'é'])
    t.equal(
      refusal(await editor.post('/events', EVENT, keyed(key))),
      '400 rest_invalid_param Idempotency-Key',
      key,
    )
  t.equal((await editor.post('/events', EVENT, keyed('"a\\"b"'))).status, 201)
})

t.test('requests with one key at the same time make one record', async (t) => {
  const { editor } = await build(t)
  const all = await Promise.all(Array.from({ length: 5 }, () => editor.post('/events', EVENT, keyed('a'))))
  t.equal(new Set(all.map(({ body }) => body.id)).size, 1)
  t.equal(all.filter(({ headers }) => headers['idempotency-replayed']).length, 4)
  t.equal((await must(editor.get('/events'))).total, 1)
})

t.test('a request that was applied is not applied again, though its answer was lost', async (t) => {
  const { editor, app, fingerprint } = await build(t)
  const { kept } = app.store
  const { keep } = kept
  kept.keep = async () => {
    throw new Error('the service ends')
  }
  t.equal((await editor.post('/events', EVENT, keyed('a'))).status, 201, 'the answer is sent')
  const before = await fingerprint()
  kept.keep = keep
  const again = await editor.post('/events', EVENT, keyed('a'))
  t.equal(refusal(again), '409 idempotency_key_in_use')
  t.equal(again.headers['retry-after'], '1')
  // another node has written it, and this one does not know of it before its own write
  const { find } = kept
  kept.find = async () => undefined
  t.equal(refusal(await editor.post('/events', EVENT, keyed('a'))), '409 idempotency_key_in_use')
  kept.find = find
  t.equal(await fingerprint(), before)
})

t.test('answers are removed after a day, and of one user the oldest beyond ten thousand', async (t) => {
  const api = await build(t)
  const { editor, app, clock, credentials } = api
  const { db, kept } = app.store
  const count = () => countOf(api, 'kept_answers')
  for (const key of ['a', 'b']) await must(editor.post('/venues', { venue: 'Hall' }, keyed(key)))
  t.equal(count(), 2)
  clock.now += DAY + 1_000
  t.equal(await kept.removeOld(), false)
  t.equal(count(), 0)
  await db.write(async (tx) => {
    tx.run(
      sql`with recursive n(i) as (values (1000) union all select i + 1 from n where i < 11099) insert into kept_answers (id, user_id, route, key, fingerprint, request, at_utc) select i, ${credentials.editor.id}, 'r', 'k' || i, '', '', '2099-01-01 00:00:00' from n`,
    )
  })
  await must(editor.post('/venues', { venue: 'Hall' }, keyed('c')))
  t.equal(count(), 10_000)
})
