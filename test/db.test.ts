import { join } from 'node:path'
import { getTableName, is, sql } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import * as tables from '../drizzle/tables.ts'
import { openDb } from '../src/store/sqlite/db.ts'
import { beforeCommit } from '../src/store/sqlite/queue.ts'

const insertSetting = (name: string) => ({ name, value: 'x' })

t.test('a missing file is made with its folder and every table', async (t) => {
  const file = join(t.testdir(), 'deep', 'folder', 'a.db')
  const db = openDb(file)
  t.teardown(() => db.close())
  for (const table of Object.values(tables).filter((member) => is(member, SQLiteTable)) as SQLiteTable[]) {
    const { columns, indexes, foreignKeys } = getTableConfig(table)
    const name = getTableName(table)
    const stored = db.read.all<{ name: string }>(sql.raw(`PRAGMA table_info(${name})`)).map((row) => row.name)
    t.strictSame(
      stored,
      columns.map((column) => column.name),
      `columns of ${name}`,
    )
    const indexed = db.read
      .all<{ name: string }>(sql.raw(`PRAGMA index_list(${name})`))
      .map((row) => row.name)
    for (const { config } of indexes) t.ok(indexed.includes(config.name), `index ${config.name}`)
    const pointing = foreignKeys.map((key) => {
      const { columns, foreignTable, foreignColumns } = key.reference()
      const rule = key.onDelete?.toUpperCase() ?? 'NO ACTION'
      return `${columns[0]!.name} ${getTableName(foreignTable)} ${foreignColumns[0]!.name} ${rule}`
    })
    const keys = db.read.all(sql.raw(`PRAGMA foreign_key_list(${name})`)) as Record<string, string>[]
    t.same(
      keys.map((key) => `${key.from} ${key.table} ${key.to} ${key.on_delete}`).sort(),
      pointing.sort(),
      `what ${name} points to`,
    )
  }
})

t.test('an answered write survives power loss, unless the operator says otherwise', async (t) => {
  const setting = (durability: 'full' | 'normal') => {
    const db = openDb(join(t.testdir(), `${durability}.db`), durability)
    t.teardown(() => db.close())
    const [row] = db.read.all<{ synchronous: number }>(sql`PRAGMA synchronous`)
    return row!.synchronous
  }
  t.equal(setting('full'), 2, 'FULL')
  t.equal(setting('normal'), 1, 'NORMAL')
})

t.test('foreign keys hold, and the journal is a write-ahead log', async (t) => {
  const db = openDb(join(t.testdir(), 'a.db'))
  t.teardown(() => db.close())
  t.strictSame(db.read.all(sql`PRAGMA journal_mode`), [{ journal_mode: 'wal' }])
  await t.rejects(
    db.write(async (tx) =>
      tx.insert(tables.tokens).values({ user_id: 99, name: '', hash: '', scopes: [], created_utc: '' }),
    ),
    /FOREIGN KEY/,
  )
})

t.test(
  'works of one turn share a commit, and a failing one leaves nothing while the others stay',
  async (t) => {
    const db = openDb(join(t.testdir(), 'a.db'))
    t.teardown(() => db.close())
    const version = db.version()
    const results = await Promise.allSettled([
      db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('first'))),
      db.write(async (tx) => {
        await tx.insert(tables.settings).values(insertSetting('second'))
        throw new Error('changed its mind')
      }),
      db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('third'))),
    ])
    t.strictSame(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const names = (await db.read.select().from(tables.settings)).map(({ name }) => name)
    t.strictSame(names, ['first', 'third'])
    t.equal(db.version(), version + 2, 'one commit, seen once as ours and once as a change of the file')
  },
)

t.test('what is put off to the commit is done for writes that succeed, after all of them', async (t) => {
  const db = openDb(':memory:')
  t.teardown(() => db.close())
  const done: string[] = []
  const work = (name: string, fails = false) =>
    db.write(async (tx) => {
      beforeCommit(tx, async () => void done.push(`end of ${name}`))
      await tx.insert(tables.settings).values(insertSetting(name))
      done.push(name)
      if (fails) throw new Error('changed its mind')
    })
  await Promise.allSettled([work('first'), work('second', true), work('third')])
  t.strictSame(done, ['first', 'second', 'third', 'end of first', 'end of third'])
  await work('fourth')
  t.strictSame(done.slice(-2), ['fourth', 'end of fourth'], 'and nothing of it stays for the next commit')
})

t.test(
  'what is put off and fails is told to every work of its turn, and nothing of them stays',
  async (t) => {
    const db = openDb(':memory:')
    t.teardown(() => db.close())
    const failing = db.write(async (tx) =>
      beforeCommit(tx, async () => {
        throw new Error('disk full')
      }),
    )
    const innocent = db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('first')))
    await t.rejects(failing, /disk full/)
    await t.rejects(innocent, /disk full/)
    t.strictSame(await db.read.select().from(tables.settings), [])
  },
)

t.test('a commit that fails is told to every work of its turn', async (t) => {
  const db = openDb(join(t.testdir(), 'a.db'))
  t.teardown(() => db.close())
  const orphan = db.write(async (tx) => {
    tx.run(sql`PRAGMA defer_foreign_keys = ON`)
    await tx.insert(tables.tokens).values({ user_id: 99, name: '', hash: '', scopes: [], created_utc: '' })
  })
  const innocent = db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('first')))
  await t.rejects(orphan, /FOREIGN KEY/)
  await t.rejects(innocent, /FOREIGN KEY/)
  t.strictSame(await db.read.select().from(tables.settings), [])
  await db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('next')))
  t.equal((await db.read.select().from(tables.settings)).length, 1, 'the next write goes through')
})

t.test('a transaction that SQLite gave up is told as failed', async (t) => {
  const db = openDb(':memory:')
  await t.rejects(
    db.write(async (tx) => {
      tx.run(sql`ROLLBACK`)
      throw new Error('disk full')
    }),
    /disk full/,
  )
  db.close()
  await t.rejects(
    db.write(async () => 1),
    /not open/,
    'nor does a closed one pretend to write',
  )
})

t.test('the version tells of writes of another process as well', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const db = openDb(file)
  const other = openDb(file)
  t.teardown(() => {
    db.close()
    other.close()
  })
  const version = db.version()
  t.equal(db.version(), version, 'and stays where nothing happens')
  await other.write(async (tx) => tx.insert(tables.settings).values(insertSetting('a')))
  t.not(db.version(), version)
  await db.view(async () => t.not(db.version(), version, 'in a view as well'))
})

t.test('a database in memory has no files', async (t) => {
  const db = openDb(':memory:')
  t.teardown(() => db.close())
  t.strictSame(db.sizes(), { database: 0, wal: 0 })
})
