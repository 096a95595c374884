import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { takeWrites } from '../../src/http/plugins/relay.ts'
import type { User } from '../../src/store/records/users.ts'
import { findMark, withMark } from '../../src/store/sqlite/marks.ts'
import { EVENT, ROOT } from '../support/app.ts'
import { addToken, openFile } from '../support/process.ts'

/** A folder for sockets, on a database with a user who may write. */
async function open(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'a-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const config = readConfig({ DATABASE: file, MAX_DELAY: '0' })
  const start = async (writes: boolean) => {
    const app = await buildApp({ config, link: { folder, writes } })
    t.teardown(() => app.close())
    return app
  }
  return { folder, file, headers: { authorization }, start }
}
type Opened = Awaited<ReturnType<typeof open>>

/** Something in the place of the writer, which does `work` of a request with this mark, and hangs up; it ends with that, or `stays`. */
async function pretend({ folder }: Opened, work: (mark: string) => Promise<unknown>, stays = false) {
  const server = createServer(async ({ headers, socket }) => {
    await work(headers['almanac-mark'] as string)
    if (!stays) server.close()
    socket.destroy()
  })
  server.listen(join(folder, 'writer'))
  await once(server, 'listening')
  return server
}

t.test('a write whose answer is lost, but was committed, is told as written, with its address', async (t) => {
  const opened = await open(t)
  const { start, file, headers } = opened
  const reader = await start(false)
  const store = openFile(file)
  t.teardown(() => store.db.close())
  const cases = [
    ['POST', `${ROOT}/tags/?language=en`, (id: number) => `${ROOT}/tags/${id}`],
    ['PATCH', `${ROOT}/tags/7?x=1`, () => `${ROOT}/tags/7`],
    ['DELETE', `${ROOT}/tags/7`, () => `${ROOT}/tags/7`],
  ] as const
  for (const [method, url, addressOf] of cases) {
    let id = 0
    await pretend(opened, async (mark) => {
      const added = await new Promise<User>((resolve) =>
        withMark(mark, () => void store.users.add(`user-${method}`, 'author').then((user) => resolve(user!))),
      )
      id = added.id
    })
    const answer = await reader.inject({ method, url, headers, payload: {} })
    t.match(
      [answer.statusCode, answer.json()],
      [
        500,
        {
          code: 'internal_server_error',
          message: /^The request was applied, .* Do not send it again; see /,
          data: { status: 500, written: true, address: addressOf(id) },
        },
      ],
    )
  }
})

t.test('one that was not committed is told as not written, and may be sent again', async (t) => {
  const opened = await open(t)
  const reader = await opened.start(false)
  await pretend(opened, async () => {})
  const answer = await reader.inject({
    method: 'POST',
    url: `${ROOT}/events`,
    headers: opened.headers,
    payload: EVENT,
  })
  t.match([answer.statusCode, answer.headers['retry-after']], [503, '1'])
  t.match(answer.json(), { code: 'rest_not_ready', message: /nothing was written/ })
})

t.test('as long as the writer has not ended, nobody knows', async (t) => {
  const opened = await open(t)
  const reader = await opened.start(false)
  const server = await pretend(opened, async () => {}, true)
  t.teardown(() => server.close())
  const answer = await reader.inject({
    method: 'POST',
    url: `${ROOT}/events`,
    headers: opened.headers,
    payload: EVENT,
  })
  t.match([answer.statusCode, answer.json()], [500, { message: /applied completely or not at all/ }])
})

t.test(
  'what the writer writes for others is marked, what it writes for its own clients is not',
  async (t) => {
    const opened = await open(t)
    const { start, headers, folder } = opened
    const writer = await start(true)
    const server = await takeWrites(writer, { folder, writes: true })
    t.teardown(() => {
      server.close()
      server.closeAllConnections()
    })
    const reader = await start(false)
    const marks = () =>
      writer.store.db.read.all<{ mark: string; record_id: number }>(sql`SELECT mark, record_id FROM marks`)
    const send = (by: typeof reader, payload: object, more = {}) =>
      by.inject({ method: 'POST', url: `${ROOT}/events`, headers: { ...headers, ...more }, payload })
    const origin = await reader.listen({ host: '127.0.0.1', port: 0 })
    const post = (payload: object) =>
      fetch(`${origin}${ROOT}/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'almanac-mark': 'forged' },
        body: JSON.stringify(payload),
      })
    const made = await post({ ...EVENT, venue: { venue: 'Hall' }, tags: ['new'] })
    const { id } = (await made.json()) as { id: number }
    t.equal(made.status, 201)
    const [marked, ...others] = marks()
    t.same(others, [])
    t.match(marked, { mark: /^\w+-\w+$/, record_id: id }, 'of the event, not of what was made with it')

    t.equal((await post({})).status, 400)
    t.equal((await send(writer, EVENT, { 'almanac-mark': 'forged' })).statusCode, 201)
    t.equal(marks().length, 1, 'refused writes and direct ones leave none')
  },
)

t.test('the last marks are kept, and a write that fails leaves none', async (t) => {
  const { file } = await open(t)
  const { db } = openFile(file)
  t.teardown(() => db.close())
  const writes: Promise<unknown>[] = []
  for (let at = 1; at <= 1_002; at++) withMark(`m${at}`, () => void writes.push(db.write(async () => at)))
  await Promise.all(writes)
  t.same([findMark(db, 'm2'), findMark(db, 'm3')], [undefined, { record: null }])
  const failing = async () => {
    throw new Error('no')
  }
  withMark('failed', () => void writes.push(t.rejects(db.write(failing), { message: 'no' })))
  await Promise.all(writes)
  t.equal(findMark(db, 'failed'), undefined)
})
