import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { lockDatabase } from '../../../src/kernel/database/file.ts'

const NAMED = new RegExp(`is served by process ${process.pid} on .+ since 20\\d\\d-.+ UTC`)

t.test('one service at a time has a database, and another one names it', async (t) => {
  const database = join(t.testdir(), 'a.db')
  const told: string[] = []
  const lock = (stopTimeout: number) =>
    lockDatabase({ database, stopTimeout }, { print: (text) => void told.push(text) })
  const free = await lock(0)
  t.same(told, [])
  await t.rejects(lock(0), { unusable: true, message: NAMED })
  t.equal(told.length, 0, 'it was not waited for')

  const next = lock(60)
  t.match(told, [NAMED])
  free()
  const freeNext = await next
  await t.rejects(lock(0), NAMED)
  freeNext()
  ;(await lock(0))()
  t.equal(statSync(`${database}.lock`).mode & 0o777, 0o600)
  t.notOk(statSync(database, { throwIfNoEntry: false }), 'the database itself is not touched')
})

t.test('a lock takes no write, and there is none where there is no file', async (t) => {
  const database = join(t.testdir(), 'a.db')
  const lock = () => lockDatabase({ database, stopTimeout: 0 }, { print: t.fail })
  ;(await lock())()
  // as if the disk were full
  const file = new Database(`${database}.lock`)
  file.exec('DROP TABLE holder; CREATE VIEW holder AS SELECT * FROM nowhere')
  file.close()
  const free = await lock()
  await t.rejects(lock(), /is served by another process; /)
  free()
  // a file that SQLite opens only to read it: the database says what is wrong
  const bytes = readFileSync(`${database}.lock`)
  bytes.writeUInt8(9, 18)
  writeFileSync(`${database}.lock`, bytes)
  ;(await lock())()
  const memory = { database: ':memory:', stopTimeout: 0 }
  const both = [await lockDatabase(memory, { print: t.fail }), await lockDatabase(memory, { print: t.fail })]
  for (const free of both) free()
  const folder = join(t.testdir({ taken: 'a file' }), 'taken', 'b.db')
  ;(await lockDatabase({ database: folder, stopTimeout: 0 }, { print: t.fail }))()
  const odd = join(
    t.testdir({ 'odd.db.lock': 'no database at all, but some text of somebody'.repeat(30) }),
    'odd.db',
  )
  await t.rejects(lockDatabase({ database: odd, stopTimeout: 0 }, { print: t.fail }), {
    unusable: true,
    message: /odd\.db\.lock: is not an SQLite database/,
  })
})
