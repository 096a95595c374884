import { join } from 'node:path'
import t, { type Test } from 'tap'
import { settings } from '../../../drizzle/tables.ts'
import { type Db, openDb } from '../../../src/kernel/database/db.ts'
import type { Group } from '../../../src/kernel/database/queue.ts'

/** A database in whose group commits something takes part that notes its calls, with the rows that are committed by then. */
function open(t: Test, given: Partial<Group> = {}) {
  const calls: string[] = []
  const note = (what: string) => void calls.push(`${what} ${db.rows('SELECT 1 FROM settings').length}`)
  const noting = (name: keyof Group, result?: boolean) => async (error?: unknown) => {
    note(error ? `${name} (${(error as Error).message})` : name)
    return (await given[name]?.(error)) ?? result
  }
  const group = {
    before: noting('before', false),
    apply: noting('apply'),
    keep: noting('keep'),
    forget: () => note('forget'),
    outcome: noting('outcome'),
  } as Group
  const db = openDb(join(t.testdir(), 'a.db'), { group: () => group })
  t.teardown(() => db.close())
  return { db, calls, note }
}

const add = (db: Db, name: string, note: (what: string) => void) =>
  db.write(async (tx) => {
    note(name)
    await tx.insert(settings).values({ name, value: 'x' })
    return name
  })

const fail = (message: string) => async () => {
  throw new Error(message)
}

t.test('what takes part in a group commit is called in its order', async (t) => {
  const { db, calls, note } = open(t, { before: async () => true })
  t.same(await Promise.all([add(db, 'a', note), add(db, 'b', note)]), ['a', 'b'])
  t.same(calls, ['before 0', 'apply 0', 'forget 0', 'a 0', 'b 0', 'keep 0'])
  t.equal(db.rows('SELECT 1 FROM settings').length, 2)
})

t.test('jobs that come while a group begins are of that group, and local ones of none', async (t) => {
  const { db, calls, note } = open(t, {
    async before() {
      late ??= add(db, 'late', note)
      return false
    },
  })
  let late: Promise<unknown> | undefined
  await Promise.all([add(db, 'a', note), db.local(async () => note('local'))])
  t.equal(await late, 'late')
  t.same(calls, ['local 0', 'forget 0', 'before 0', 'a 0', 'late 0', 'keep 0'])
})

t.test('nothing is written in a group that can not begin', async (t) => {
  const { db, calls, note } = open(t, { before: fail('not now') })
  await t.rejects(add(db, 'a', note), { message: 'not now' })
  await db.local(async () => note('local'))
  t.same(calls, ['before 0', 'local 0', 'forget 0'])
})

t.test('what is not kept is rolled back, and answered as its outcome says', async (t) => {
  const { db, calls, note } = open(t, { keep: fail('lost'), outcome: fail('try again') })
  const all = await Promise.allSettled([add(db, 'a', note), add(db, 'b', note)])
  t.match(all, [{ reason: { message: 'try again' } }, { reason: { message: 'try again' } }])
  t.same(calls, ['before 0', 'a 0', 'b 0', 'keep 0', 'outcome (lost) 0'])
  t.equal(db.rows('SELECT 1 FROM settings').length, 0)
})

t.test('what was kept in spite of a failure has succeeded once it is here', async (t) => {
  const { db, calls, note } = open(t, { keep: fail('lost') })
  t.equal(await add(db, 'a', note), 'a')
  t.same(calls, ['before 0', 'a 0', 'keep 0', 'outcome (lost) 0', 'apply 0', 'forget 0'])

  const other = open(t, {
    keep: fail('lost'),
    apply: fail('no room'),
    async outcome(error) {
      if ((error as Error).message === 'no room') throw new Error('not known')
    },
  })
  await t.rejects(add(other.db, 'a', other.note), { message: 'not known' })
  t.same(other.calls.slice(3), ['outcome (lost) 0', 'apply 0', 'outcome (no room) 0'])
})
