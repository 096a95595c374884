import { sql } from 'drizzle-orm'
import t from 'tap'
import type { DateLimit } from '../../../src/calendar/index/day-histogram.ts'
import { openSelections } from '../../../src/calendar/lists/event-lists.ts'
import type { Selection } from '../../../src/calendar/lists/selection.ts'
import { openChanges, recordChange } from '../../../src/kernel/database/changes.ts'
import { openScheduler } from '../../../src/kernel/tasks/scheduler.ts'
import { readSearch } from '../../../src/kernel/text/search.ts'
import { openRecords } from '../../support/store.ts'

/** More than a set has that is looked at as a whole. */
const EVENTS = 6_000
const HOUR = 3_600
const SINCE: DateLimit = { side: 'start', than: '>=', value: 86_400, utc: false }
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {}, dates: [SINCE] },
  order: { by: 'start', descending: false },
}
const BACKWARDS: Selection = { ...ALL, order: { by: 'start', descending: true } }
const search = (text: string): Selection => ({ ...ALL, search: { ...readSearch(text), caller: undefined } })

t.test('pages of sets of many events are right when the set is new, and later', async (t) => {
  const { db } = (await openRecords(t)).store
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EVENTS})`
  // an event an hour, every second of them with opera
  await db.write(async (tx) => {
    tx.run(sql`insert into posts (id, kind, status, title, slug, author_id, language, date, date_utc, modified, modified_utc, folded, folded_title)
      ${numbers} select i, 'event', 'publish', 'e', 'e' || i, (select min(id) from users), 'en', '', '', '', '', iif(i % 20 = 0, 'opera', 'jazz opera'), 'e' from n`)
    tx.run(sql`insert into listings (event_id, status, author_id, language, starts, ends, utc_starts, utc_ends)
      ${numbers} select i, 'publish', 1, 'en', i * ${HOUR}, i * ${HOUR}, i * ${HOUR}, i * ${HOUR} from n`)
    tx.run(sql`insert into unindexed (event_id, open, sealed, merge) ${numbers} select i, '', '', 0 from n`)
  })
  const lists = openSelections(db, openChanges(db), openScheduler())
  const right = Array.from({ length: EVENTS }, (_, at) => at + 1)
  const isRight = async (selection: Selection, has = (_: number) => true) => {
    const all = right.filter((id) => id >= 24 && has(id))
    if (selection.order.descending) all.reverse()
    for (const page of [1, 2, 2, 400, 1]) {
      const found = await lists.list(selection, { page, per_page: 10 })
      t.same(found.ids, all.slice((page - 1) * 10, page * 10))
      t.equal(found.total, all.length)
    }
  }
  await isRight(BACKWARDS)
  await isRight({ ...ALL, language: 'en' })
  await isRight(search('jazz'), (id) => id % 20 !== 0)
  await isRight(search('opera -rock'))
  await db.write(async (tx) => {
    tx.run(sql`update listings set starts = 0, ends = 0 where event_id = 30`)
    await recordChange(tx, { kind: 'event', id: 30, operation: 'update', now: 0 })
  })
  right.splice(29, 1)
  await isRight(search('jaz'), (id) => id % 20 !== 0)
  await isRight(search('opera -rock'))
})
