import { join } from 'node:path'
import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { openListeners } from '../../support/listening.ts'

/** A service with a file of its own, which readers see as it was committed. */
async function open(t: Test, options: Parameters<typeof build>[1] = {}) {
  const api = await build(t, { ...options, env: { DATABASE: join(t.testdir(), 'a.db'), ...options.env } })
  return { ...api, ...(await openListeners(t, api)) }
}

t.test('a listener begins with the token of now, and hears what is written from then on', async (t) => {
  const { begin, author, anonymous } = await open(t)
  const { id: before } = await must(author.post('/events', EVENT))
  const { status, headers, first, told: hear, next } = await begin('?kind=event')
  t.match(
    [status, headers],
    [
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
        vary: 'Authorization, Accept-Encoding, Accept',
        date: 'Sat, 21 Nov 2026 09:00:00 GMT',
      },
    ],
  )
  for (const name of ['etag', 'content-encoding', 'content-length']) t.notOk(headers[name], name)
  t.same([first.event, first.data.changes, first.data.has_more], ['changes', [], false])
  t.equal(first.id, first.data.next_sync_token)
  const { id } = await must(author.post('/events', EVENT))
  const heard = (await next())!
  const polled = await must(anonymous.get(`/changes?sync_token=${first.id}`))
  const { next_sync_token: own, ...told } = heard.data
  const { next_sync_token: other, ...same } = polled
  t.same(told, same, 'a message is what a request with the last token returns')
  t.equal(heard.id, own)
  t.not(own, other, 'each token is sealed anew')
  await must(author.patch(`/events/${id}`, { title: 'Other' }))
  t.same(await hear(), [`update event ${id}`])
  await must(author.delete(`/events/${before}`))
  t.same(await hear(), [`delete event ${before}`])
})

t.test('drafts and what passwords protect are told to nobody who may not read them', async (t) => {
  const { begin, author, editor, credentials } = await open(t)
  const anyone = await begin('?kind=event')
  const all = await begin('?kind=event&status=publish,draft', {
    authorization: credentials.editor.authorization,
  })
  const { id: draft } = await must(author.post('/events', { ...EVENT, status: 'draft' }))
  t.same(await all.told(), [`create event ${draft}`])
  const secret = { ...EVENT, description: 'The hidden place', password: 'secret' }
  const { id: guarded } = await must(author.post('/events', secret))
  const [told, known] = [(await anyone.next())!, (await all.next())!]
  t.match(told.data.changes, [{ id: guarded, record: { description: '' } }])
  t.match(known.data.changes, [{ id: guarded, record: { description: /hidden place/ } }])
  await must(author.patch(`/events/${draft}`, { status: 'publish' }))
  t.same(await anyone.told(), [`create event ${draft}`])
  t.same(await all.told(), [`update event ${draft}`])
  await must(editor.patch(`/events/${draft}`, { status: 'draft' }))
  t.same(await anyone.told(), [`delete event ${draft}`])
  t.same(await all.told(), [`update event ${draft}`])
})

t.test('filters, fields, languages and sizes are those of the list', async (t) => {
  const { begin, author } = await open(t)
  const { id } = await must(author.post('/events', { ...EVENT, featured: true }))
  const featured = await begin('?featured=true&_fields=changes.id,changes.operation')
  t.same(featured.first.data, { changes: [] })
  t.ok(featured.first.id, 'the token is that of the message')
  const catalan = await begin('?kind=event&i18n_language=ca')
  await must(author.post('/venues', { venue: 'Hall' }))
  await must(author.post('/events', EVENT))
  await must(author.patch(`/events/${id}`, { featured: false }))
  t.same((await featured.next())!.data, { changes: [{ id, operation: 'delete' }] })
  const { id: other } = await must(author.post('/events', { ...EVENT, i18n_language: 'ca' }))
  t.same(await catalan.told(), [`create event ${other}`])
})

t.test('what was missed comes first, also with the ID of the last message', async (t) => {
  const { begin, author, anonymous } = await open(t)
  const { next_sync_token: old } = await must(anonymous.get('/changes?kind=event'))
  const first = await must(author.post('/events', EVENT))
  const { next_sync_token: later } = await must(anonymous.get(`/changes?sync_token=${old}`))
  const second = await must(author.post('/events', EVENT))
  const path = `?kind=event&per_page=1&sync_token=${old}`
  const missed = await begin(path)
  t.match(missed.first.data, { changes: [{ id: first.id }], has_more: true })
  t.match((await missed.next())!.data, { changes: [{ id: second.id }], has_more: false })
  const resumed = await begin(path, { 'last-event-id': later })
  t.match(resumed.first.data, { changes: [{ id: second.id }], has_more: false })
  const third = await must(author.post('/events', EVENT))
  for (const one of [missed, resumed]) t.same(await one.told(), [`create event ${third.id}`])
  const begun = await must(anonymous.get('/changes?kind=event&per_page=1'))
  const rest = await begin(`?sync_token=${begun.next_sync_token}`)
  t.match(rest.first.data, { changes: [{ id: second.id }, { id: third.id }], has_more: false })
  const empty = await begin('?kind=event', { 'last-event-id': '' })
  t.same(empty.first.data.changes, [], 'as browsers send it at first')
})

t.test('JSON and streams of one address never mix', async (t) => {
  const { begin, listen, anonymous } = await open(t)
  const typeOf = async (accept: string, method = 'GET') =>
    (await listen('?kind=tag', { headers: { accept }, method })).headers['content-type']
  for (let at = 0; at < 3; at++) {
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/event-stream;q=0.9',
      'text/html',
    ])
      t.match(await typeOf(accept), /^application\/json/, accept)
    for (const accept of ['text/event-stream', 'Text/Event-Stream; charset=utf-8, */*;q=0.1'])
      t.equal(await typeOf(accept), 'text/event-stream', accept)
  }
  const { headers } = await anonymous.get('/changes?kind=tag')
  t.match(headers.vary, /Accept$/)
  const head = await listen('?kind=tag', { method: 'HEAD' })
  t.match(
    [head.status, head.headers],
    [200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }],
  )
  const elsewhere = await anonymous.get('/events', undefined, { headers: { accept: 'text/event-stream' } })
  t.match(elsewhere.headers['content-type'], /^application\/json/, 'other addresses have no streams')
  await begin()
})

t.test('a silence is broken, and moves the token on', async (t) => {
  const { begin, author } = await open(t, { pace: { poll: 1, beat: 2, retry: 3_000 } })
  const { block, first } = await begin('?kind=tag')
  t.match(first.data.changes, [])
  const idOf = async () => {
    const quiet = (await block()) as { lines: string }
    return /^id: (\S+)$/.exec(quiet.lines)![1]!
  }
  const ids = [first.id, await idOf(), await idOf()]
  await must(author.post('/events', EVENT))
  for (let at = 0; at < 3; at++) ids.push(await idOf())
  t.equal(new Set(ids).size, 6, 'it does not say whether something was written that is of no interest')
  const { first: again } = await begin('', { 'last-event-id': ids.at(-1)! })
  t.same(again.data.changes, [])
})

t.test('many listeners are told alike, and each of them what it follows', async (t) => {
  const { begin, author, app } = await open(t)
  const paths = ['?kind=event', '?kind=event&featured=true', '?kind=tag,event']
  const all = await Promise.all(Array.from({ length: 330 }, (_, at) => begin(paths[at % 3])))
  t.equal(app.eventStreams.count(), 330)
  const { id } = await must(author.post('/events', { ...EVENT, featured: true }))
  const told = await Promise.all(all.map((one) => one.told()))
  t.ok(told.every((changes) => changes.join() === `create event ${id}`))
})

t.test('each client is told when to come again, not all at once', async (t) => {
  const { listen } = await open(t)
  const waits = new Set<string>()
  for (let at = 0; at < 5; at++) {
    const first = await (await listen()).block()
    const [, wait] = /^retry: (\d+)$/.exec((first as { lines: string }).lines)!
    t.ok(Number(wait) >= 1_000 && Number(wait) <= 5_000, `${wait} ms`)
    waits.add(wait!)
  }
  t.ok(waits.size > 1)
})

t.test('what was scheduled is heard when its time comes, though nobody asks for it', async (t) => {
  const { begin, author, clock } = await open(t)
  const { told } = await begin('?kind=event')
  const { id } = await must(author.post('/events', { ...EVENT, date_utc: '+1 hour' }))
  clock.now += 3_600_000
  t.same(await told(), [`create event ${id}`])
})
