import Database from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { type Step, trace } from '../../../bench/trace.ts'
import { settings } from '../../../drizzle/tables.ts'
import { openDb, prepared } from '../../../src/kernel/database/db.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** What a statement does to which table. */
const shapeOf = (sql: string) => {
  const [, verb, table] = /^(?:(select)\b.*? from|(?=insert|update|delete)(\w+)(?: into| from)?) "?(\w+)/s
    .exec(sql)!
    .filter(Boolean) as string[]
  return `${verb} ${table}`
}

t.test('a write of a plain event runs the statements of what it changes, and no others', async (t) => {
  const { prepare, exec } = Database.prototype
  t.teardown(() => Object.assign(Database.prototype, { prepare, exec }))
  const steps: Step[] = []
  trace((step) => steps.push(step))
  /** What ran between begin and commit of the last transaction. */
  const lastTransaction = () => {
    const from = steps.findLastIndex(({ sql }) => sql === 'BEGIN IMMEDIATE')
    const { db } = steps[from]!
    const to = steps.findIndex((step, at) => at > from && step.db === db && step.sql === 'COMMIT')
    return steps
      .slice(from + 1, to)
      .filter((step) => step.db === db && !/^(SAVEPOINT|RELEASE) /.test(step.sql))
      .map(({ sql }) => shapeOf(sql))
  }
  const { editor } = await openRecords(t)
  const { id } = await must(editor.create('event', { ...EVENT, title: 'Plain', description: 'Some text' }))
  t.same(lastTransaction(), [
    'select posts', // is the slug free?
    ...['insert posts', 'insert events', 'insert documents', 'insert listings', 'insert unindexed'],
    'insert changes',
  ])
  await must(editor.change('event', id, { description: 'Another text' }))
  t.same(lastTransaction(), [
    ...['select posts', 'select events', 'select links'],
    ...[
      'update posts',
      'insert events',
      'insert revisions',
      'select listings',
      'insert documents',
      'insert listings',
    ],
    ...['insert unindexed', 'insert changes'],
  ])
  await must(editor.remove('event', id, `force=true`))
  t.same(lastTransaction(), [
    ...['select posts', 'select links', 'select listings'],
    'update posts', // events below it
    ...['delete posts', 'insert unindexed', 'insert changes'],
    'select posts', // what came below it
    ...['select users', 'insert audit'],
  ])
})

t.test('a prepared statement refuses to run without one of its values', async (t) => {
  const db = openDb(':memory:')
  t.teardown(() => db.close())
  const named = prepared((db) =>
    db
      .select()
      .from(settings)
      .where(eq(settings.name, sql.placeholder('name')))
      .prepare(),
  )
  t.same(named(db.read).all({ name: 'none' }), [])
  t.throws(() => named(db.read).all({}), { message: 'A statement has no value for name.' })
  t.throws(() => named(db.read).all(), { message: 'A statement has no value for name.' })
})
