import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { MOST_WAITING } from '../../../src/calendar/lists/corrections.ts'
import { openSelections } from '../../../src/calendar/lists/event-lists.ts'
import type { Selection } from '../../../src/calendar/lists/selection.ts'
import { openChanges } from '../../../src/kernel/database/changes.ts'
import { openScheduler } from '../../../src/kernel/tasks/scheduler.ts'
import { readQuery, readSearch } from '../../../src/kernel/text/search.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** More than are read in place of the index. */
const EVENTS = 310
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {}, dates: [] },
  order: { by: 'start', descending: false },
}
const asked = (q: string): Selection => ({ ...ALL, query: { ...readQuery(q), caller: undefined } })
const searched = (search: string): Selection => ({
  ...ALL,
  search: { ...readSearch(search), caller: undefined },
})

/** Lists of events whose texts are not indexed, and how often the waiting events and their texts are read. */
async function waiting(t: Test) {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const { id: category } = await must(editor.create('category', { name: 'All' }))
  const titles = Array.from({ length: EVENTS }, (_, at) => `Jazz concert ${at % 4} in Girona`)
  const made = titles.map((title) =>
    must(editor.create('event', { ...EVENT, title, categories: [category] })),
  )
  const ids: number[] = (await Promise.all(made)).map(({ id }) => id)
  const reads = { waiting: 0, texts: 0 }
  const counted = {
    ...db,
    rows(query: string, ...values: unknown[]) {
      if (query.includes('from unindexed')) reads.waiting++
      if (query.includes('folded, folded_title, password_hash from posts')) reads.texts++
      return db.rows(query, ...values)
    },
  } as typeof db
  const lists = openSelections(counted, openChanges(db), openScheduler())
  const total = async (selection: Selection) => (await lists.list(selection, { page: 1, per_page: 10 })).total
  return { db, editor, ids, lists, total, reads, category }
}

t.test('of texts that wait for the index each is read once, whatever is looked for', async (t) => {
  const { editor, ids, lists, total, reads, category } = await waiting(t)
  t.equal(await total(asked('jazz concert girona')), EVENTS)
  t.equal(reads.texts, EVENTS)
  t.equal(await total(asked('jazz 2 -concert')), 0)
  t.equal(await total(searched('jazz gir')), EVENTS)
  t.equal(await total(searched('-jazz')), 0)
  const links = { category: [category] }
  t.equal(await total({ ...asked('jazz girona'), links }), EVENTS)
  t.equal(await total({ ...searched('jazz gir'), links }), EVENTS)
  t.same([...(await lists.correct(asked('concret 1'), 0))], [['concret', 'concert']])
  t.equal(reads.texts, EVENTS)
  t.ok(reads.waiting <= 2, `${reads.waiting} times`)
  await must(editor.change('event', ids[0]!, { title: 'Blues' }))
  t.equal(await total(asked('jazz girona')), EVENTS - 1)
  t.equal(await total(asked('blues')), 1)
  t.equal(reads.texts, EVENTS + 1, 'and once more after a write')
})

t.test('words are not corrected while very many texts wait', async (t) => {
  const { db, lists } = await waiting(t)
  const misspelt = asked('concret')
  // events of which there is nothing to index
  await db.local(async (tx) =>
    tx.run(sql`with recursive numbers (value) as (select 1000 union all select value + 1 from numbers where value < ${1000 + MOST_WAITING})
      insert into unindexed (event_id, merge) select value, 0 from numbers`),
  )
  t.same([...(await lists.correct(misspelt, 0))], [])
  await db.local(async (tx) => tx.run(sql`delete from unindexed where event_id >= 1000`))
  const again = openSelections(db, openChanges(db), openScheduler())
  t.same([...(await again.correct(misspelt, 0))], [['concret', 'concert']])
})
