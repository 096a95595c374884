import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig as configThere, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import * as described from '../../../../drizzle/postgres.ts'
import * as tables from '../../../../drizzle/tables.ts'
import { readConfig } from '../../../../src/config.ts'
import { TABLES } from '../../../../src/features/nodes/rows.ts'
import {
  explainPostgres,
  MIGRATIONS,
  prepareSchema,
  versionOf,
} from '../../../../src/features/nodes/schema.ts'
import { connect } from '../../../../src/features/nodes/session.ts'
import { redacted, urlsOf } from '../../../../src/kernel/settings.ts'
import { openNodes } from '../../support/nodes.ts'

const nodes = await openNodes(t)
const { postgres } = nodes
const SHOWN = postgres.url.replace('secret', '***')

t.beforeEach(() => nodes.reset())

/** Makes or upgrades the tables, as a start does. */
async function make(folder?: string) {
  const session = await connect(postgres.url)
  try {
    await prepareSchema(session, postgres.url, folder)
  } finally {
    session.cut()
  }
}
const relations = () =>
  postgres.ask("select relname from pg_class where relnamespace = to_regnamespace('almanac') order by 1")

t.test('every table of SQLite is of the truth, local, or known to be neither', async (t) => {
  const named = Object.values(tables).filter((member) => is(member, SQLiteTable)) as SQLiteTable[]
  t.strictSame(
    named.map(getTableName).sort(),
    [...tables.TRUTH, ...tables.LOCAL].map(getTableName).sort(),
    'add a new table to TRUTH or LOCAL in drizzle/tables.ts',
  )
})

t.test('what PostgreSQL keeps has the columns of the truth, and its migrations make them', async (t) => {
  await make()
  const TYPES: Record<string, string> = {
    SQLiteInteger: 'bigint',
    SQLiteBoolean: 'boolean',
    SQLiteReal: 'double precision',
    SQLiteText: 'text',
    SQLiteTextJson: 'json',
  }
  const all = Object.values(described).filter((member) => is(member, PgTable)) as PgTable[]
  for (const table of all) {
    const { name, columns, primaryKeys } = configThere(table)
    const made = await postgres.ask<{ name: string; type: string; null: boolean; key: boolean }>(
      `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as null,
        coalesce(attnum = any(i.indkey), false) as key
        from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
        where attrelid = 'almanac.${name}'::regclass and attnum > 0 and not attisdropped`,
    )
    const keys = primaryKeys[0]?.columns.map((column) => column.name)
    t.strictSame(
      made,
      columns.map((column) => {
        return {
          ...{ name: column.name, type: column.getSQLType(), null: !column.notNull },
          key: column.primary || Boolean(keys?.includes(column.name)),
        }
      }),
      `almanac.${name} as migrated and as described`,
    )
    const twin = tables.TRUTH.find((one) => getTableName(one) === name)
    if (!twin) continue
    t.strictSame(
      made,
      getTableConfig(twin)
        .columns.filter((column) => name !== 'site' || column.name !== 'derivation')
        .map((column) => {
          const { primaryKeys } = getTableConfig(twin)
          const key = column.primary || Boolean(primaryKeys[0]?.columns.includes(column as never))
          return { name: column.name, type: TYPES[column.columnType], null: !column.notNull, key }
        }),
      `almanac.${name} and ${name} of SQLite`,
    )
  }
  t.strictSame(
    all.map(getTableName).sort(),
    [...tables.TRUTH.map(getTableName), 'files', 'head', 'leases', 'log', 'nodes'].sort(),
  )
})

t.test(
  'a table of truth has one unique value at most, a text, which is made free before rows are set',
  (t) => {
    for (const table of tables.TRUTH) {
      const { indexes, columns } = getTableConfig(table)
      const unique = [
        ...indexes.filter(({ config }) => config.unique).map(({ config }) => config.columns.at(-1)),
        ...columns.filter((column) => column.isUnique),
      ] as { columnType: string }[]
      t.ok(unique.length <= 1)
      for (const { columnType } of unique) t.equal(columnType, 'SQLiteText')
      const { loosen } = TABLES.find(({ name }) => name === getTableName(table))!
      t.equal(loosen !== undefined, unique.length === 1)
    }
    t.end()
  },
)

t.test('nodes that start at the same time make the tables once', async (t) => {
  await Promise.all([make(), make(), make()])
  const [head] = await postgres.ask('select seq, version from almanac.head')
  t.strictSame(head, { seq: 0, version: versionOf() })
  t.strictSame(await postgres.ask('select seq, rows from almanac.log'), [{ seq: 0, rows: {} }])
  await nodes.reset()
  await postgres.ask('create schema almanac')
  await make()
  t.equal((await postgres.ask('select 1 from almanac.head')).length, 1, 'in a schema that an operator made')
})

t.test('what others make meanwhile is looked at again, a few times', async (t) => {
  let left = 2
  postgres.tap((text) => (/CREATE TABLE/.test(text) && left-- > 0 ? { error: '42P07' } : undefined))
  await make()
  t.equal(left, -1)
  await nodes.reset()
  postgres.tap((text) => (/CREATE TABLE/.test(text) ? { error: '42P07' } : undefined))
  await t.rejects(make(), { message: `${SHOWN}: PostgreSQL says: the server says 42P07`, unusable: true })
})

t.test('an upgrade runs what is missing under the lock, and begins the log anew', async (t) => {
  await make()
  await postgres.ask(
    "insert into almanac.log values (1, gen_random_uuid(), now(), 'n', '{}'); update almanac.head set seq = 1",
  )
  const folder = join(t.testdir(), 'migrations')
  cpSync(MIGRATIONS, folder, { recursive: true })
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'))
  journal.entries.push({ ...journal.entries.at(-1), idx: versionOf(), tag: 'next' })
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal))
  writeFileSync(join(folder, 'next.sql'), 'ALTER TABLE "almanac"."users" ADD COLUMN "next" text;\n')
  await Promise.all([make(folder), make(folder)])
  t.match(await postgres.ask('select seq, version from almanac.head'), [{ seq: 2, version: versionOf() + 1 }])
  t.match(await postgres.ask('select seq from almanac.log'), [{ seq: 2 }])
  const before = await relations()
  await t.rejects(make(), {
    message: `${SHOWN}: was written by a newer Almanac (its tables have version ${versionOf() + 1}, this program knows ${versionOf()}); start that version. Nothing was changed in it`,
    unusable: true,
  })
  t.strictSame(await relations(), before)
})

t.test('tables of another program are left alone', async (t) => {
  const FOREIGN = {
    message: `${SHOWN}: the schema "almanac" holds tables of another program; use another database. Nothing was changed in it`,
    unusable: true,
  }
  for (const made of [
    'create table almanac.stars (name text)',
    'create table almanac.head (body text)',
    'create table almanac.head (version bigint, origin uuid, commit_id uuid)',
  ]) {
    await postgres.ask(`drop schema if exists almanac cascade; create schema almanac; ${made}`)
    const before = await relations()
    await t.rejects(make(), FOREIGN, made)
    t.strictSame(await relations(), before)
  }
})

t.test(
  'what PostgreSQL or the network says is one sentence that tells what to do, without the password',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const sentence = async (url = postgres.url) => {
      const error = await nodes.prepare(file, url).then(
        () => t.fail(),
        (error) => error,
      )
      t.equal(error.unusable, true)
      t.notMatch(error.message, 'secret')
      return error.message.slice(redacted(url).length + 2)
    }
    for (const [code, says] of [
      [
        '28P01',
        'PostgreSQL refuses the login (the server says 28P01); correct the user and password in DATABASE',
      ],
      ['3D000', 'there is no such database; create it, or correct DATABASE'],
      ['57P03', 'PostgreSQL says: the server says 57P03'],
    ] as const) {
      postgres.refuse(code)
      t.equal(await sentence(), says)
    }
    postgres.refuse(undefined)
    for (const code of ['42501', '25006'] as const) {
      postgres.tap((text) => (/CREATE SCHEMA/.test(text) ? { error: code } : undefined))
      t.match(
        await sentence(),
        code === '42501' ? /^the user has no rights to make tables/ : /^is a read-only standby/,
      )
    }
    postgres.tap((text) =>
      /pg_is_in_recovery/.test(text) ? { instead: 'select true as standby' } : undefined,
    )
    t.equal(
      await sentence(),
      'is a read-only standby; name the primary in DATABASE. Nothing was changed in it',
    )
    postgres.tap((text) =>
      /server_encoding/.test(text)
        ? { instead: "select false as made, 0 as relations, false as head, 'LATIN1' as encoding" }
        : undefined,
    )
    t.match(await sentence(), /^the encoding of the database is LATIN1; create one with ENCODING 'UTF8'/)
    postgres.tap((text) => (/^select n.oid/.test(text) ? 'cut before' : undefined))
    t.match(await sentence(), /^can not be reached \(.+\); check DATABASE, and that PostgreSQL runs$/)
    t.match(await sentence('postgres://u:secret@127.0.0.1:1/x'), /^can not be reached \(ECONNREFUSED\)/)
    t.strictSame(await relations(), [], 'nothing was changed')
    postgres.tap(() => undefined)
    await make()
    postgres.tap((text) => (/from almanac.head/.test(text) ? { error: '42501' } : undefined))
    t.match(await sentence(), /^the user has no rights to make tables/)
    const other = new Error('a mistake')
    t.equal(explainPostgres(other, 'x'), other)
  },
)

t.test('a URL may have several hosts, and is shown without secrets', (t) => {
  t.strictSame(urlsOf('postgres://u:p@one,two:5433/x?a=b'), [
    'postgres://u:p@one/x?a=b',
    'postgres://u:p@two:5433/x?a=b',
  ])
  t.equal(redacted('postgres://u:p/w@rd@one,two/x'), 'postgres://u:***@one,two/x')
  t.equal(
    redacted('postgres://u@h/x?password=p&sslPassword=q&a=b'),
    'postgres://u@h/x?password=***&sslPassword=***&a=b',
  )
  t.throws(
    () => readConfig({ DATABASE: 'postgres://u:se/cret@h' }),
    /DATABASE must be .*; it is "postgres:\/\/u:\*\*\*@h"/,
  )
  t.end()
})
