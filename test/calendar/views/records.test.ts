import { getTableColumns } from 'drizzle-orm'
import t from 'tap'
import { posts } from '../../../drizzle/tables.ts'
import { selectWhole } from '../../../src/calendar/records/rows.ts'
import { openMapper } from '../../../src/kernel/database/db.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

t.test('rows of whole posts are those that Drizzle makes', async (t) => {
  const { store, editor } = await openRecords(t)
  await must(
    editor.create('event', {
      ...{ ...EVENT, cost: '10', featured: true, tags: ['live'] },
      ...{ venue: { venue: 'Hall', geo_lat: 1.5, geo_lng: 2 }, organizer: { organizer: 'Club' } },
    }),
  )
  await must(editor.create('event', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
  const { db } = store
  const { password_hash, ...post } = getTableColumns(posts)
  const query = selectWhole(db.read, { post, password_hash })
  const made = await query
  const { sql } = query.toSQL()
  const mapped = db.rows(sql).map(openMapper(query.prepare()))
  t.same(mapped, made)
  t.ok(made.length > 4 && made.some(({ event }) => event) && made.some(({ series }) => series))
})
