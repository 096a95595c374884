import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { getTableName, is, sql } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import * as tables from '../../../drizzle/tables.ts'
import { openDb } from '../../../src/kernel/database/db.ts'
import { readMigrations } from '../../../src/kernel/database/migrations.ts'
import { openPauses } from '../../../src/kernel/database/queue.ts'
import { VERSION } from '../../../src/package.ts'
import { build } from '../../support/app.ts'

/** Holds the event loop for some milliseconds. */
function work(milliseconds: number) {
  for (const began = performance.now(); performance.now() - began < milliseconds; );
}

const insertSetting = (name: string) => ({ name, value: 'x' })

t.test('a missing file is made with its folder and every table', async (t) => {
  const file = join(t.testdir(), 'deep', 'folder', 'a.db')
  const db = openDb(file)
  t.teardown(() => db.close())
  for (const table of Object.values(tables).filter((member) => is(member, SQLiteTable)) as SQLiteTable[]) {
    const { columns, indexes, foreignKeys } = getTableConfig(table)
    const name = getTableName(table)
    const stored = db.read.all<{ name: string }>(sql.raw(`PRAGMA table_info(${name})`)).map((row) => row.name)
    // migrations add columns at the end
    t.strictSame(stored.toSorted(), columns.map((column) => column.name).toSorted(), `columns of ${name}`)
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
    const db = openDb(join(t.testdir(), `${durability}.db`), { durability })
    t.teardown(() => db.close())
    const [row] = db.read.all<{ synchronous: number }>(sql`PRAGMA synchronous`)
    return row!.synchronous
  }
  t.equal(setting('full'), 2, 'FULL')
  t.equal(setting('normal'), 1, 'NORMAL')
})

t.test('a log that was short when ANALYZE ran is searched, not read from its start', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const sizes = sql`select tbl, stat from sqlite_stat1 where tbl in ('changes', 'users')`
  const young = openDb(file)
  await young.write(async (tx) => {
    await tx.insert(tables.changes).values({ kind: 'event', record_id: 1, operation: 'create', at_utc: '' })
    tx.run(sql`analyze`)
  })
  t.strictSame(young.read.all(sizes), [{ tbl: 'changes', stat: '1' }])
  young.close()
  for (const start of ['first', 'second']) {
    const db = openDb(file)
    t.strictSame(db.read.all(sizes), [{ tbl: 'changes', stat: '1048576' }], start)
    const plan = sql`explain query plan select kind from changes where seq > 1 order by seq`
    const search = [{ detail: 'SEARCH changes USING INTEGER PRIMARY KEY (rowid>?)' }]
    t.match(db.read.all(plan), search)
    t.match(await db.write(async (tx) => tx.all(plan)), search, 'also for writes')
    db.close()
  }
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

t.test(
  'a failing work that has a commit to itself leaves nothing, and the next one goes through',
  async (t) => {
    const db = openDb(join(t.testdir(), 'a.db'))
    t.teardown(() => db.close())
    const failing = db.write(async (tx) => {
      await tx.insert(tables.settings).values(insertSetting('first'))
      await setImmediate() // what comes meanwhile waits for the next commit
      throw new Error('changed its mind')
    })
    await setImmediate()
    const next = db.write(async (tx) => tx.insert(tables.settings).values(insertSetting('second')))
    await t.rejects(failing, /changed its mind/)
    await next
    const names = (await db.read.select().from(tables.settings)).map(({ name }) => name)
    t.strictSame(names, ['second'])
  },
)

t.test('a long write is over before the database is closed', async (t) => {
  const { app } = await build(t)
  const { db } = app.store
  await db.idle()
  const written = db.write(async (tx) => {
    await tx.insert(tables.settings).values({ name: 'first', value: '1' })
    for (let turns = 0; turns < 5; turns++) await setImmediate()
    return 'written'
  })
  await setImmediate()
  await app.close()
  t.equal(await written, 'written')
})

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

t.test('a long write has a transaction of its own', async (t) => {
  const db = openDb(join(t.testdir(), 'a.db'))
  t.teardown(() => db.close())
  const write = (name: string, isLong = false) =>
    db.write(async (tx) => {
      const before = (await tx.select().from(tables.settings)).length
      await tx.insert(tables.settings).values(insertSetting(name))
      return [before, db.rows('SELECT 1 FROM settings').length]
    }, isLong)
  const names = ['a', 'b', 'long', 'c', 'd', 'longer']
  const found = await Promise.all(names.map((name) => write(name, name.startsWith('long'))))
  // rows that the write finds, and those of them that were committed
  t.strictSame(found, [
    [0, 0],
    [1, 0],
    [2, 2],
    [3, 3],
    [4, 3],
    [5, 5],
  ])
})

t.test('a long write does not pause while the process has another database on the file', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const [one, other] = [openDb(file), openDb(file)]
  t.teardown(() => one.close())
  const write = (db: typeof one, name: string) =>
    db.write(async (tx) => {
      const pause = openPauses(tx)
      let turns = 0
      const isOver = () => turns === 100
      void (async () => {
        for (; !isOver(); turns++) {
          await setImmediate()
          work(1)
        }
      })()
      await tx.insert(tables.settings).values(insertSetting(name))
      work(20)
      await pause()
      return turns
    })
  t.strictSame(await Promise.all([write(one, 'a'), write(other, 'b')]), [0, 0])
  other.close()
  const turns = await write(one, 'c')
  t.ok(turns > 0 && turns < 100, 'others have turns, but no longer than the write worked')
})

t.test('a database that is closed within a write keeps nothing of it', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const db = openDb(file)
  const write = db.write(async (tx) => {
    await tx.insert(tables.settings).values(insertSetting('half'))
    db.close()
  })
  await t.rejects(write, /not open/)
  const again = openDb(file)
  t.teardown(() => again.close())
  t.strictSame(await again.read.select().from(tables.settings), [])
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

const MIGRATIONS = fileURLToPath(new URL('../../../drizzle/migrations/', import.meta.url))

t.test('migrations stand in order of time', async (t) => {
  const times = readMigrations().map(({ when }) => when)
  t.strictSame(
    times,
    [...new Set(times)].sort((a, b) => a - b),
  )
})

/** The migrations of the first program, as a fixture: later ones find them done. */
function firstMigrations() {
  const [first] = readMigrations()
  const file = `${first!.tag}.sql`
  const journal = JSON.stringify({ entries: [first] })
  return { [file]: readFileSync(join(MIGRATIONS, file), 'utf8'), meta: { '_journal.json': journal } }
}

t.test('a database of an earlier program is brought up to date with what it holds', async (t) => {
  const dir = t.testdir({ first: firstMigrations() })
  const file = join(dir, 'a.db')
  openDb(file, { migrations: join(dir, 'first/') }).close()
  new Database(file)
    .exec(
      `INSERT INTO users (login, role, disabled, created_utc) VALUES ('ada', 'editor', 0, '');
      INSERT INTO posts (id, kind, status, title, slug, author_id, language, translation_group, date, date_utc, modified, modified_utc, password_hash, folded, folded_title)
        VALUES (7, 'event', 'draft', 'A', 'a', 1, 'en', 3, '', '', '', '', 'x', 'a', 'a'), (8, 'venue', 'publish', 'B', 'b', 1, 'en', NULL, '', '', '', '', NULL, 'b', 'b');
      INSERT INTO documents (post_id, body, blanked, json_ld, refs) VALUES (7, '{"id":7', '{"id":0', '{}', '{"tag":[]}'), (8, '{"id":8', NULL, '{}', NULL)`,
    )
    .close()
  const db = openDb(file)
  t.teardown(() => db.close())
  const documents = await db.read.select().from(tables.documents)
  const shared = { author_id: 1, json_ld: Buffer.from('{}') }
  t.strictSame(documents, [
    {
      ...{ ...shared, post_id: 7, status: 'draft', translation_group: 3, protected: true, refs: { tag: [] } },
      ...{ body: Buffer.from('{"id":7'), blanked: Buffer.from('{"id":0') },
    },
    {
      ...{ ...shared, post_id: 8, status: 'publish', translation_group: null, protected: false, refs: null },
      ...{ body: Buffer.from('{"id":8'), blanked: null },
    },
  ])
})

t.test('a file that can not be used is told in one line and left as it is', async (t) => {
  const text = 'This is no database. '.repeat(100)
  const dir = t.testdir({ 'text.db': text, file: '', first: firstMigrations() })
  const foreign = join(dir, 'foreign.db')
  new Database(foreign).exec('CREATE TABLE theirs (id)').close()
  const newer = join(dir, 'newer.db')
  openDb(newer).close()
  new Database(newer).exec("INSERT INTO migrations VALUES ('9999_future', 1, '9.1.0')").close()
  const readOnly = join(dir, 'read-only.db')
  openDb(readOnly).close()
  new Database(readOnly).pragma('journal_mode = DELETE')
  const bytes = readFileSync(readOnly)
  bytes[18] = 3 // a file format that SQLite reads and refuses to write
  writeFileSync(readOnly, bytes)
  const broken = join(dir, 'broken.db')
  openDb(broken, { migrations: join(dir, 'first/') }).close()
  const sick = new Database(broken)
  sick.pragma('foreign_keys = OFF')
  sick
    // looked at when something is migrated
    .exec("INSERT INTO tokens (user_id, name, hash, scopes, created_utc) VALUES (99, '', '', '[]', '')")
    .close()

  for (const [file, message] of [
    [join(dir, 'text.db'), 'is not an SQLite database'],
    [foreign, 'is a database of another program'],
    [
      newer,
      `was written by a newer Almanac (9.1.0; this is ${VERSION}); start that version, or restore a backup that this version made. Nothing was changed in it`,
    ],
    [readOnly, 'is read-only; Almanac needs to write to it and its folder'],
    [
      join(dir, 'file', 'a.db'),
      'can not be opened; check the path, and that the file and its folder are writable',
    ],
    [dir, 'can not be opened; check the path, and that the file and its folder are writable'],
    [broken, 'has 1 rows that point nowhere; restore a backup'],
  ] as const) {
    t.throws(() => openDb(file), { message: `${file}: ${message}`, unusable: true })
  }
  const untouched = new Database(foreign)
  t.equal(
    untouched.pragma('journal_mode', { simple: true }),
    'delete',
    'another program’s file keeps its journal',
  )
  untouched.close()
})

t.test('a migration that can not be run is not explained away', async (t) => {
  const folder = join(t.testdir(), 'migrations')
  cpSync(MIGRATIONS, folder, { recursive: true })
  const journal = { entries: [...readMigrations(), { tag: '9000_wrong', when: 9e12 }] }
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal))
  writeFileSync(join(folder, '9000_wrong.sql'), 'CREATE NONSENSE')
  t.throws(() => openDb(':memory:', { migrations: folder }), /syntax error/)
})

t.test('a migration that rebuilds a table keeps the rows that point to it', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const folder = join(t.testdirName, 'migrations')
  mkdirSync(folder)
  cpSync(MIGRATIONS, folder, { recursive: true })
  const before = openDb(file, { migrations: folder })
  await before.write(async (tx) => {
    await tx.insert(tables.users).values({ login: 'a', role: 'editor', created_utc: '' })
    await tx.insert(tables.tokens).values({ user_id: 1, name: '', hash: 'h', scopes: [], created_utc: '' })
  })
  before.close()
  writeFileSync(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ entries: [...readMigrations(), { tag: '9000_rebuild', when: 9e12 }] }),
  )
  writeFileSync(
    join(folder, '9000_rebuild.sql'),
    'CREATE TABLE new_users (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, login text NOT NULL, role text NOT NULL, disabled integer NOT NULL DEFAULT 0, created_utc text NOT NULL);\n--> statement-breakpoint\nINSERT INTO new_users SELECT id, login, role, disabled, created_utc FROM users;\nDROP TABLE users;\nALTER TABLE new_users RENAME TO users;',
  )
  const after = openDb(file, { migrations: folder })
  t.teardown(() => after.close())
  t.equal((await after.read.select().from(tables.tokens)).length, 1)
})
