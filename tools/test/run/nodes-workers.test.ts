import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { openBeside } from '../../../src/database.ts'
import { must } from '../../../test/support/answers.ts'
import { connectAll, connectTo, openConnection } from '../../../test/support/connection.ts'
import { basicAuth, EVENT, ROOT } from '../../../test/support/given.ts'
import { firstPassword, serveMeasured } from '../../../test/support/process.ts'
import { until } from '../../../test/support/until.ts'
import { embeddedPostgres } from '../support/embedded-postgres.ts'
import { holdBack, openNode } from '../support/node-pair.ts'

const postgres = await embeddedPostgres()
t.teardown(() => postgres.close())

const file = join(t.testdir(), 'copy.db')
const env = { DATABASE: postgres.url, REPLICA: file, WORKERS: '2', STOP_TIMEOUT: '100' }
const served = await serveMeasured(t, file, env)
const { port, child, output, ended } = served
const authorization = basicAuth('admin', firstPassword(file))
const headers = { authorization, 'content-type': 'application/json' }
const LOCK = /^begin isolation level read committed; set local lock_timeout = 5000/
const BATCH = /^insert into almanac\.log /

const countOf = (words: string) => output().split(words).length - 1

/** The process that writes now, as its line of the log for a write tells. */
async function writerOf() {
  const pids = () => output().match(/"pid":\d+(?=.*"method":"POST".*"status":201)/g) ?? []
  const before = pids().length
  const body = () => JSON.stringify({ name: `tag ${Math.random()}` })
  await until(async () => {
    const connection = openConnection(port)
    const sent = connection.send('POST', `${ROOT}/tags`, { headers, body: body() })
    const status = sent.then((reply) => reply.status).catch(() => 0)
    // what was handed to a process just before its end is answered by nobody
    const known = await Promise.race([status, pause(5_000, 0, { ref: false })])
    connection.close()
    return known === 201
  })
  await until(() => pids().length > before)
  return Number(pids().at(-1)!.slice(6))
}

/** A write that is passed on, whose writer is killed when PostgreSQL is about to get these statements. */
async function writeWhile(statements: RegExp, killed: () => 'cut before' | 'cut after', title: string) {
  const pid = await writerOf()
  const name = (await connectAll(port, 2)).writer
  const { from } = await name.send('GET', '/healthz')
  name.close()
  const reader = await connectTo(port, (one) => one !== from)
  postgres.tap((text) => {
    if (!statements.test(text)) return undefined
    postgres.tap(() => undefined)
    process.kill(pid, 'SIGKILL')
    return killed()
  })
  const reply = await reader.send('POST', `${ROOT}/events`, {
    headers,
    body: JSON.stringify({ ...EVENT, title }),
  })
  reader.close()
  return reply
}

const titles = async () => {
  const rows = await postgres.ask<{ title: string }>('select title from almanac.posts order by id')
  return rows.map(({ title }) => title)
}

t.test('who lost its writer asks PostgreSQL what became of a write', async (t) => {
  t.match(await writeWhile(LOCK, () => 'cut before', 'never'), {
    status: 503,
    body: { code: 'rest_not_ready', message: /nothing was written/ },
  })
  t.same(await titles(), [])
  const written = await writeWhile(BATCH, () => 'cut after', 'stored')
  t.match(written, { status: 500, body: { data: { written: true, address: /\/events\/\d+$/ } } })
  t.same(await titles(), ['stored'])
  await writerOf()
  const { body } = await (await connectAll(port, 2)).all[1]!.send('GET', written.body.data.address)
  t.equal(body.title, 'stored', 'the next writer has brought it')
  const unknown = await writeWhile(
    BATCH,
    () => {
      postgres.down(true)
      return 'cut before'
    },
    'lost',
  )
  t.match(unknown, { status: 503, headers: { 'retry-after': '5' }, body: { code: 'outcome_unknown' } })
  postgres.down(false)
  await writerOf()
  t.same(await titles(), ['stored'])
})

t.test(
  'a token of another node is answered by the process that follows, once it has what it is of',
  async (t) => {
    const pid = await writerOf()
    const { writer, readers } = await connectAll(port, 2)
    writer.close()
    const [reader] = readers
    const other = await openNode(t, postgres, 'other', { users: false })
    const { letGo } = holdBack(postgres)
    await must(other.anonymous.post('/tags', { name: 'ahead' }, { headers: { authorization } }))
    const { next_sync_token } = (await other.anonymous.get('/changes?kind=tag')).body
    const poll = () => reader!.send('GET', `${ROOT}/changes?sync_token=${next_sync_token}`)
    const ahead = { status: 503, headers: { 'retry-after': '2' }, body: { code: 'sync-token-ahead' } }
    process.kill(pid, 'SIGSTOP')
    const lost = poll()
    process.kill(pid, 'SIGKILL')
    t.match(await lost, ahead, 'the writer is gone')
    const waiting = poll()
    letGo()
    let answer = await waiting
    while (answer.status === 503) answer = await poll() // the writer's successor may still start
    t.match(answer, { status: 200, body: { changes: [], has_more: false } })
    reader!.close()
  },
)

t.test('beside a writer that is gone, nobody knows whether the copy has everything', async (t) => {
  const db = openBeside(readConfig({ DATABASE: postgres.url, REPLICA: file }))
  t.equal(await db.fresh!(), 1)
  db.close()
})

/** Another history than that of the copy, as a failover leaves it, in which the event has another title. */
const part = (title: string) =>
  postgres.ask(`
    update almanac.head set commit_id = gen_random_uuid();
    update almanac.log set commit_id = (select commit_id from almanac.head) where seq = (select seq from almanac.head);
    update almanac.posts set title = '${title}'`)

const SNAPSHOT = /^begin isolation level repeatable read/

/** Cuts off so many copies before they are whole, and holds the next one until the function that it returns is called. */
function holdCopy(cuts: number) {
  let isHeld = () => {}
  let letGo = () => {}
  let left = cuts
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const free = new Promise<undefined>((resolve) => {
    letGo = () => resolve(undefined)
  })
  postgres.tap((text) => {
    if (left > 0 && text === 'close rows_of') {
      left--
      return 'cut before'
    }
    if (left > 0 || !SNAPSHOT.test(text)) return undefined // a transaction would keep all others waiting: it is held before
    isHeld()
    return free
  })
  return { held, letGo }
}

t.test('a stale copy is taken anew for all workers, which start again on it', async (t) => {
  const pid = await writerOf()
  const { held, letGo } = holdCopy(1)
  await part('other')
  await held
  await until(() => output().includes('the copy could not be taken anew'))
  process.kill(pid, 'SIGKILL') // its successor tells of it again
  await until(() => countOf('CAN NOT BE FOLLOWED') === 2)
  letGo()
  postgres.tap(() => undefined)
  await until(() => output().includes('the copy was taken anew'))
  await writerOf()
  const { all } = await connectAll(port, 2)
  for (const by of all) {
    t.match((await by.send('GET', `${ROOT}/events`)).body.events, [{ title: 'other' }])
    by.close()
  }
})

t.test('a service that stops meanwhile does not start again', async (t) => {
  await writerOf()
  const { held, letGo } = holdCopy(0)
  const { writer: connection, readers } = await connectAll(port, 2) // the writer ends last: nobody answers while it waits
  for (const reader of readers) reader.close()
  const running = connection.begin('POST', `${ROOT}/events`, { ...headers, 'content-length': '9' })
  const reply = new Promise((resolve) => running.on('response', resolve).on('error', resolve))
  await new Promise((resolve) => running.write('{', resolve))
  await part('third')
  await held
  child.kill('SIGTERM')
  await until(() =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  letGo()
  await until(() => countOf('the copy was taken anew') === 2)
  running.end('}       ')
  await reply
  connection.close()
  t.equal(await ended, 0)
})
