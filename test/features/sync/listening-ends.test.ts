import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { basicAuth, build, type Client, EVENT, ROOT } from '../../support/app.ts'
import { openListeners } from '../../support/listening.ts'
import { until } from '../../support/until.ts'

const QUICK = { poll: 1, beat: 2, retry: 1_000 }
const SLOW = { poll: 1, beat: 600_000, retry: 1_000 }

async function open(t: Test, options: Parameters<typeof build>[1] = {}) {
  const env = { DATABASE: join(t.testdir(), 'a.db'), ...options.env }
  const api = await build(t, { pace: SLOW, ...options, env })
  /** Waits until nobody listens any more. */
  const left = () => until(() => api.app.eventStreams.count() === 0)
  return { ...api, ...(await openListeners(t, api)), left }
}

/** The ID of an event of half a megabyte: that of its organizers. */
async function addLarge(author: Client): Promise<number> {
  const organizer: number[] = []
  for (let at = 0; at < 6; at++)
    organizer.push(
      (await must(author.post('/organizers', { organizer: `Host ${at}`, description: 'x'.repeat(90_000) })))
        .id,
    )
  return (await must(author.post('/events', { ...EVENT, organizer }))).id
}

t.test('what is wrong before a stream begins is answered as for JSON', async (t) => {
  const { listen, anonymous, editor, credentials } = await open(t)
  const { next_sync_token: token } = await must(anonymous.get('/changes?kind=event'))
  const { next_sync_token: foreign } = await must(editor.get('/changes'))
  const old = `?sync_token=${token}`
  const { authorization } = credentials.editor
  for (const [path, headers, status, code] of [
    ['?sync_token=forged', {}, 400, 'sync-token-invalid'],
    [old, { 'last-event-id': 'forged' }, 400, 'sync-token-invalid'],
    [old, { 'last-event-id': foreign }, 410, 'sync-token-expired'],
    [old, { authorization }, 410, 'sync-token-expired'],
    [`${old}&kind=tag`, {}, 400, 'rest_invalid_param'],
    ['?page=2', {}, 400, 'rest_invalid_param'],
    ['?status=draft', {}, 400, 'rest_invalid_param'],
    ['', { authorization: 'Bearer alm_wrong' }, 401, 'invalid_token'],
  ] as const) {
    const answer = await listen(path, { headers })
    t.match([answer.status, answer.body], [status, { code }], path)
    t.match(answer.headers['content-type'], /^application\/json/)
  }
})

t.test('a history that was cut off is told, and ends the stream', async (t) => {
  const { begin, listen, app, left } = await open(t)
  const cut = () =>
    app.store.db.write(async (tx) => {
      tx.run(
        sql`INSERT INTO changes (kind, record_id, operation, at_utc) VALUES ('tag', 1, 'update', ''), ('tag', 1, 'update', '')`,
      )
      tx.run(sql`DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)`)
    })
  const { next, first, ended } = await begin()
  await cut()
  const last = (await next())!
  t.match(last, {
    event: 'failure',
    id: undefined,
    data: { code: 'sync-token-expired', data: { status: 410 } },
  })
  await ended
  await left()
  const again = await listen('', { headers: { 'last-event-id': first.id! } })
  t.match([again.status, again.body], [410, { code: 'sync-token-expired' }], 'and EventSource stops')
  t.equal(app.eventStreams.count(), 0)
})

t.test('whoever loses a right hears nothing more, at the next write or without one', async (t) => {
  for (const pace of [QUICK, SLOW]) {
    const { begin, listen, app, credentials, administrator, author, clock, left } = await open(t, { pace })
    const { tokens, users } = app.store
    const reads = async (id: number, expires: string | null = null) => {
      const { token, id: number } = await tokens.add(id, 'reads', ['read'], expires)
      return { authorization: `Bearer ${token}`, number }
    }
    const add = async (name: string) => (await users.add(`${name}-${pace.beat}`, 'editor'))!
    const [revoked, disabled, demoted, removed, narrowed] = [
      ...[await add('revoked'), await add('disabled'), await add('demoted'), await add('removed')],
      await add('narrowed'),
    ] as const
    const own = await users.addPassword(revoked!.id, 'app')
    const basic = basicAuth(revoked!.login, own.password)
    const key = await reads(credentials.editor.id)
    const short = await reads(credentials.editor.id, '2026-11-21 10:00:00')
    const cases = [
      [{ authorization: basic }, () => users.removePassword(revoked!.id, own.id), 'incorrect_password', 401],
      [key, () => tokens.remove(key.number), 'invalid_token', 401],
      [
        await reads(disabled!.id),
        () => users.update(disabled!.id, { disabled: true }),
        'invalid_username',
        401,
      ],
      [
        await reads(demoted!.id),
        () => users.update(demoted!.id, { role: 'author' }),
        'sync-token-expired',
        410,
      ],
      [
        await reads(narrowed!.id),
        () => users.update(narrowed!.id, { limits: { categories: [], venues: [] } }),
        'sync-token-expired',
        410,
      ],
      [await reads(removed!.id), () => users.remove(removed!.id), 'invalid_token', 401],
      [
        short,
        async () => Object.assign(clock, { now: Date.parse('2026-11-21T10:00:00Z') }),
        'invalid_token',
        401,
      ],
    ] as const
    const stays = await begin('?kind=tag', { authorization: credentials.administrator.authorization })
    for (const [{ authorization }, lose, code, status] of cases) {
      const { next, ended, first } = await begin('?kind=event&status=draft', { authorization })
      await lose()
      if (pace === SLOW) await must(author.post('/events', { ...EVENT, status: 'draft' }))
      t.match(await next(), { event: 'failure', data: { code, data: { status } } }, code)
      await ended
      const again = await listen('', { headers: { authorization, 'last-event-id': first.id! } })
      t.equal(again.status, status, 'and whoever comes again is refused')
    }
    const { id } = await must(administrator.post('/tags', { name: 'new' }))
    t.same(await stays.told(), [`create tag ${id}`], 'others go on')
    stays.close()
    await left()
  }
})

t.test('who goes away leaves nothing behind', async (t) => {
  const { begin, app, left, author } = await open(t, { pace: QUICK })
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(`?kind=event&search=a${at % 3}`)))
  t.equal(app.eventStreams.count(), 20)
  for (const one of all) one.close()
  await must(author.post('/events', EVENT))
  await left()
  const { told } = await begin('?kind=event')
  const { id } = await must(author.post('/events', EVENT))
  t.same(await told(), [`create event ${id}`], 'and it begins again')
})

t.test('listeners are limited for an address and for the process, and count as one request', async (t) => {
  const { listen, left } = await open(t, { env: { LISTENERS: '11', RATE_LIMIT: '100' } })
  const from = (last: number) => listen('', { from: `127.0.0.${last}` })
  const [first, second] = [await from(1), await from(1)]
  t.same([first.status, second.status], [200, 200])
  t.match([first.headers['ratelimit-remaining'], second.headers['ratelimit-remaining']], ['99', '98'])
  const third = await from(1)
  t.match(
    [third.status, third.headers['retry-after'], third.body],
    [
      429,
      '30',
      { code: 'rest_rate_limited', message: /^One address may listen over 2 connections at a time/ },
    ],
  )
  const others = []
  for (const last of [2, 2, 3, 3, 4, 4, 5, 5, 6]) others.push(await from(last))
  t.ok(others.every(({ status }) => status === 200))
  const full = await from(6)
  t.match([full.status, full.headers['retry-after'], full.body], [503, '30', { code: 'rest_overloaded' }])
  const refused = await listen('?sync_token=forged', { from: '127.0.0.7' })
  t.equal(refused.status, 400)
  for (const one of [first, second, ...others]) one.close()
  await left()
  t.equal((await from(1)).status, 200, 'there is room again')
})

t.test('who does not read holds one message, and catches up from where it stood', async (t) => {
  const { begin, author, app } = await open(t)
  const id = await addLarge(author)
  const { next, answer } = await begin('?kind=event')
  const other = await begin('?kind=event')
  answer.pause()
  const title = (at: number) => `Title ${at}`
  const most = 40
  for (let at = 1; at <= most; at++) {
    await must(author.patch(`/events/${id}`, { title: title(at) }))
    await other.next()
  }
  answer.resume()
  let messages = 0
  for (let heard = ''; heard !== title(most); messages++) heard = (await next())!.data.changes[0].record.title
  t.ok(messages < most, `${messages} messages`)
  t.equal(app.eventStreams.count(), 2)
})

t.test('who takes nothing is cut off', async (t) => {
  const { begin, author, left, app } = await open(t, { pace: QUICK })
  const id = await addLarge(author)
  const { answer } = await begin('?kind=event')
  answer.pause()
  for (let at = 0; app.eventStreams.count() > 0; at++)
    await must(author.patch(`/events/${id}`, { title: `Title ${at}` }))
  await left()
  t.pass()
})

t.test('when the service can not read, listeners wait until it can', async (t) => {
  const lines: { level: number; msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { begin, author, app } = await open(t, { logger: { level: 'warn', stream } })
  const { told } = await begin('?kind=event')
  const { sync, changes } = app.store
  const [read, latest] = [sync.read, changes.latest]
  const failed = new Promise<void>((resolve) => {
    sync.read = async () => {
      resolve()
      throw new Error('the disk is gone')
    }
  })
  const { id } = await must(author.post('/events', EVENT))
  await failed
  const { id: second } = await must(author.post('/events', EVENT))
  sync.read = read
  t.same(await told(), [`create event ${id}`, `create event ${second}`])
  const lost = new Promise<void>((resolve) => {
    changes.latest = () => {
      changes.latest = latest
      resolve()
      throw new Error('the disk is gone')
    }
  })
  await lost
  const { id: third } = await must(author.post('/events', EVENT))
  t.same(await told(), [`create event ${third}`])
  t.match(lines[0], { level: 40, msg: 'listeners could not be told what was written' })
})

t.test('a stream that can not begin takes no place', async (t) => {
  const { listen, app } = await open(t, { env: { LISTENERS: '1' } })
  const { sync } = app.store
  const { read } = sync
  sync.read = async () => {
    sync.read = read
    throw new Error('the disk is gone')
  }
  const failed = await listen()
  t.match([failed.status, failed.body], [500, { code: 'internal_server_error' }])
  t.equal((await listen()).status, 200)
})

t.test('a failed publication is logged, and tried again', async (t) => {
  const lines: { level: number; msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { begin, author, app, clock } = await open(t, { logger: { level: 'warn', stream } })
  const { told } = await begin('?kind=event')
  const { id } = await must(author.post('/events', { ...EVENT, date_utc: '+1 hour' }))
  const { schedule } = app.store
  const { publish: settle } = schedule
  schedule.publish = async () => {
    if (!schedule.isDue()) return
    schedule.publish = settle
    throw new Error('the disk is full')
  }
  clock.now += 3_600_000
  t.same(await told(), [`create event ${id}`])
  t.match(lines, [{ level: 40, msg: 'scheduled records could not be published' }])
})

t.test('a stop ends all streams at once, and those that come while it lasts', async (t) => {
  const { begin, app, port, author } = await open(t)
  const id = await addLarge(author)
  const all = await Promise.all(Array.from({ length: 5 }, () => begin('?kind=event')))
  const stuck = await begin('?kind=event')
  stuck.answer.pause()
  for (let at = 0; at < 25; at++) {
    await must(author.patch(`/events/${id}`, { title: `Title ${at}` }))
    await all[0]!.next() // so that each is a message of its own
  }
  const late = connect(port, '127.0.0.1')
  let said = ''
  late.on('data', (chunk) => (said += chunk)).write(`GET ${ROOT}/changes HTTP/1.1\r\nHost: x\r\n`)
  await once(late, 'connect')
  const polled = await begin('?kind=tag') // the bytes of the other one have arrived
  const closing = app.close()
  for (const one of [...all, polled]) while (await one.next());
  late.write('Accept: text/event-stream\r\nConnection: close\r\n\r\n')
  await once(late, 'close')
  t.match(said, /^HTTP\/1\.1 200 OK\r\n.*retry: \d+\n\n.*event: changes\n.*\r\n0\r\n\r\n$/s)
  await closing
  stuck.answer.resume()
  await stuck.ended
  t.pass()
})

t.test('a stream is one line of the log when it has ended, and a number of the metrics', async (t) => {
  type Line = { msg: string; status: number; milliseconds: number; req: { method: string } }
  const lines: Line[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const env = { METRICS_TOKEN: 'secret' }
  const { begin, anonymous, left } = await open(t, { logger: { level: 'info', stream }, env })
  const metrics = async () =>
    (await anonymous.get('//metrics', undefined, { headers: { authorization: 'Bearer secret' } })).text
  const { close } = await begin()
  t.match(await metrics(), /^almanac_listeners 1$/m)
  t.notOk(lines.some(({ msg }) => msg === 'listened'))
  close()
  await left()
  t.match(await metrics(), /^almanac_listeners 0$/m)
  const told = lines.filter(({ msg }) => msg === 'listened')
  t.match(told, [{ status: 200, req: { method: 'GET' } }])
  t.ok(told[0]!.milliseconds > 0)
  t.match(await metrics(), /^almanac_http_requests_total\{method="GET",route="\/changes",status="200"\} 1$/m)
  t.notMatch(await metrics(), /duration_seconds_count\{[^}]*changes/, 'it is no slow answer')
})
