import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, ROOT } from '../../support/app.ts'

t.test('what another process has just written is here, though this turn began before', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { app, editor, anonymous } = await build(t, { env: { DATABASE: file } })
  await must(editor.post('/tags', { name: 'a' }))
  const { sync, changes } = app.store
  const { next_sync_token: token } = await must(anonymous.get('/changes?kind=tag'))
  const { at, resume } = await sync.tokens.open(token, undefined)
  const other = new Database(file)
  const columns = 'seq, kind, record_id, operation, at_utc, "by", was_language, touched'
  const row = other.prepare(`select ${columns} from changes where seq = ?`).get(at) as object
  other.prepare('delete from changes where seq = ?').run(at)
  const names = Object.keys(row)
  await new Promise(setImmediate)
  // no turn ends before the next await
  t.ok(changes.latest().seq < at)
  other
    .prepare(
      `insert into changes (${names.map((name) => `"${name}"`)}) values (${names.map((name) => `@${name}`)})`,
    )
    .run(row)
  other.close()
  t.throws(resume, { code: 'sync-token-expired' })
  t.equal(await app.awaitChange(undefined as never, undefined as never, at), true)
  t.match(resume(), { cursor: { at } })
})

t.test('a process of a node that lacks a row lets the one answer that follows the others', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { app, editor, anonymous } = await build(t, { env: { DATABASE: file } })
  await must(editor.post('/tags', { name: 'a' }))
  const { next_sync_token: token } = await must(anonymous.get('/changes?kind=tag'))
  const other = new Database(file)
  other.prepare('delete from changes where seq = (select max(seq) from changes)').run()
  other.close()
  await new Promise(setImmediate)
  Object.assign(app.store.db, { fresh: async () => 0 })
  const passed: string[] = []
  app.forwardToWriter = async ({ url }, reply) => {
    passed.push(url)
    reply.hijack()
    reply.raw.end('from the writer')
  }
  const url = `${ROOT}/changes?sync_token=${token}`
  t.equal((await app.inject(url)).body, 'from the writer')
  t.equal(passed.length, 1)
  const stream = { accept: 'text/event-stream' }
  t.equal((await app.inject({ url, headers: stream })).body, 'from the writer')
  t.equal(passed.length, 2)
})
