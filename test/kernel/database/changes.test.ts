import { sql } from 'drizzle-orm'
import t from 'tap'
import { EVERYTHING, openFollowing, recordChange } from '../../../src/kernel/database/changes.ts'
import { openRecords } from '../../support/store.ts'

t.test('writes are told one by one, or all at once where that is not possible', async (t) => {
  const { db, changes } = (await openRecords(t, { users: false })).store
  const write = (...kinds: string[]) =>
    db.write(async (tx) => {
      for (const [at, kind] of kinds.entries())
        await recordChange(tx, { kind, id: at + 1, operation: 'update', now: 0 })
    })
  await write('event')
  const told: string[] = []
  const follow = openFollowing(changes, ['event', 'venue'], {
    on: ({ kind, id }) => told.push(`${kind} ${id}`),
    reset: () => told.push('all'),
    most: 4,
  })
  const since = () => {
    const seq = follow()
    t.equal(seq, changes.latest().seq)
    return told.splice(0)
  }
  t.same(since(), [], 'what was before is not told')
  await write('event', 'tag', 'venue')
  t.same(since(), ['event 1', 'venue 3'])
  t.same(since(), [], 'nor is anything told twice')
  await write('tag', 'tag', 'tag', 'tag', 'tag', 'event')
  t.same(since(), ['event 6'], 'other kinds do not count')
  await write('event', 'event', 'event')
  t.equal(since().length, 3)
  await write('event', 'event', 'event', 'event')
  t.same(since(), ['all'], 'too many')
  await write('event', EVERYTHING)
  t.same(since(), ['all'], 'a write that invalidates everything')
  await write('event', 'event')
  await db.write(async (tx) => tx.run(sql`delete from changes where seq < (select max(seq) from changes)`))
  t.same(since(), ['all'], 'a row is gone')
})
