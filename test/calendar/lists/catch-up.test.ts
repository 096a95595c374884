import { sql } from 'drizzle-orm'
import t from 'tap'
import type { DateLimit } from '../../../src/calendar/index/day-histogram.ts'
import { openLiveIndex } from '../../../src/calendar/index/event-index.ts'
import { openSortOrders } from '../../../src/calendar/index/sort-orders.ts'
import { openEventChecks } from '../../../src/calendar/lists/candidates.ts'
import { openSelections } from '../../../src/calendar/lists/event-lists.ts'
import type { Selection } from '../../../src/calendar/lists/selection.ts'
import { EVERYTHING, openChanges, recordChange } from '../../../src/kernel/database/changes.ts'
import { finish, openScheduler, type Scheduler } from '../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const PAGE = { page: 1, per_page: 50 }
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {} },
  ...{ dates: [], order: { by: 'start', descending: false } },
}
const searching = (...wanted: string[]): Selection => ({
  ...ALL,
  search: { wanted, unwanted: [], caller: undefined },
})
/** All at once, and after every step something else. */
const broken = (between: () => Promise<unknown>): Scheduler => {
  const run = async <T>(steps: Generator<void, T, void>) => {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await between()
    }
  }
  return { run, runFirst: run }
}

t.test('what was written is read once for all lists that are kept', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const venue = await must(editor.create('venue', { venue: 'Hall' }))
  const events: number[] = []
  for (let at = 0; at < 60; at++)
    events.push((await must(editor.create('event', { ...EVENT, title: `opera ${at}`, venue: venue.id }))).id)
  let asked = 0
  const rows: typeof db.rows = (...query) => {
    asked++
    return db.rows(...query)
  }
  const lists = openSelections({ ...db, rows }, openChanges(db), openScheduler())
  const selections = Array.from({ length: 40 }, (_, at): Selection => {
    return { ...searching('opera'), links: { venue: [venue.id, 1_000 + at] } }
  })
  for (const selection of selections) t.equal((await lists.list(selection, PAGE)).total, 60)
  for (const id of events) await must(editor.change('event', id, { title: id % 2 ? 'opera' : 'jazz' }))
  asked = 0
  const right = events.filter((id) => id % 2)
  t.same((await lists.list(selections[0]!, PAGE)).ids, right.slice(0, 50))
  t.ok(asked <= 2 * events.length + 5, `${asked} queries for the first`)
  asked = 0
  for (const selection of selections) t.equal((await lists.list(selection, PAGE)).total, right.length)
  t.equal(asked, 0, 'none for the others')
})

t.test('a list that is made while others write is right', async (t) => {
  const { store, editor, administrator } = await openRecords(t)
  const { db } = store
  const hall = await must(editor.create('venue', { venue: 'Hall', geo_lat: 1, geo_lng: 1 }))
  const ids: number[] = []
  for (let at = 0; at < 8; at++)
    ids.push(
      (await must(editor.create('event', { ...EVENT, title: `opera ${at}`, description: 'a very long night at the opera', venue: hall.id }))).id, // biome-ignore format: one event
    )
  const past: DateLimit = { side: 'start', than: '>=', value: 17, utc: false }
  const selections: Selection[] = [
    searching('opera'),
    searching('op', 'very long night at the opera'),
    { ...ALL, links: { venue: [hall.id] }, located: { at: [hall.id], is: true } },
    { ...ALL, located: { at: [hall.id], is: false } },
    { ...ALL, search: { wanted: [], unwanted: ['jazz'], caller: undefined } },
    { ...ALL, dates: [past] },
    { ...ALL, order: { by: 'end', descending: true } },
    { ...searching('opera'), order: { by: 'title', descending: false } },
    { ...ALL, order: { by: 'modified', descending: true } },
    ALL,
  ]
  let serial = 0
  const writes = [
    () => must(editor.change('event', ids[serial % 8]!, { title: serial % 2 ? 'jazz' : 'opera' })),
    () => must(administrator.change('event', ids[serial % 8]!, { venue: serial % 2 ? '' : hall.id })),
    async () => {
      await must(administrator.remove('event', ids[serial % 8]!, 'force=true'))
      ids[serial % 8] = (await must(editor.create('event', { ...EVENT, title: 'opera' }))).id
    },
    () => must(administrator.change('event', ids[serial % 8]!, { start_date: `2026-12-0${1 + (serial % 9)}`, end_date: '2027-01-01' })), // biome-ignore format: one write
    () => db.write((tx) => recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: 0 })),
  ]
  let left = 0
  const write = async () => {
    if (left-- > 0) await writes[serial++ % writes.length]!()
  }
  // some is noted while a list is made, some after it
  const making = broken(async () => {
    await write()
    if (serial % 2) lists.load()
  })
  const lists = openSelections(db, openChanges(db), { ...making, runFirst: broken(write).runFirst })
  for (let round = 0; round < 10; round++)
    for (const selection of selections) {
      left = round
      const [one, other] = await Promise.all([lists.list(selection, PAGE), lists.list(selection, PAGE)])
      t.ok(one && other)
      left = 0
      const right = await openSelections(db, openChanges(db), openScheduler()).list(selection, PAGE)
      t.same(await lists.list(selection, PAGE), right)
      left = round % 3
      await lists.list({ ...selection, include: ids }, PAGE)
    }
})

t.test('a list is made however often somebody writes', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const ids: number[] = []
  for (let at = 0; at < 3; at++) ids.push((await must(editor.create('event', EVENT))).id)
  let steps = 0
  const making = broken(async () => {
    if (++steps % 2) return
    await must(editor.change('event', ids[steps % 3]!, { title: `${steps}` }))
    lists.load()
  })
  const lists = openSelections(db, openChanges(db), { ...making, runFirst: openScheduler().runFirst })
  lists.load()
  t.same(await lists.list(ALL, PAGE), { total: 3, ids })
  t.ok(steps > 2, `${steps} steps`)
  steps = 0
  t.same(await lists.list(ALL, PAGE), { total: 3, ids }, 'and counted')
  t.ok(steps > 6, `${steps} steps`)
})

t.test('after more writes than are followed one by one, all is read again', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const { id } = await must(editor.create('event', EVENT))
  const lists = openSelections(db, openChanges(db), openScheduler())
  const list = async () => (await lists.list(ALL, PAGE)).ids
  t.same(await list(), [id])
  for (const count of [300, 4_000, 4_500, 6_000]) {
    await db.write(async (tx) => {
      tx.run(sql`with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < ${count})
        insert into changes (kind, record_id, operation, at_utc)
        select 'event', case value % 100 when 0 then ${id} else value end, 'update', '2026-11-21 09:00:00' from numbers`) // biome-ignore format: a query
    })
    await must(editor.change('event', id, { hide_from_listings: count % 1_000 === 0 }))
    t.same(await list(), count % 1_000 === 0 ? [] : [id], `${count} writes`)
  }
})

t.test('an event that was deleted just now is in no order', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const ids: number[] = []
  for (let at = 0; at < 2; at++) ids.push((await must(editor.create('event', EVENT))).id)
  const live = openLiveIndex(db, openChanges(db))
  const orders = openSortOrders(db, live)
  finish(live.refresh())
  t.equal(finish(orders.get('end')).size(), 2)
  for (const title of ['Opera', 'Jazz']) {
    await must(editor.change('event', ids[0]!, { title }))
    finish(live.refresh())
  }
  await must(editor.remove('event', ids[0]!, 'force=true'))
  const order = finish(orders.get('end'))
  t.same([order.size(), live.index.idOf(order.at(0))], [1, ids[1]])
})

t.test('an event that was deleted just now is in no list', async (t) => {
  const { db } = (await openRecords(t)).store
  const live = openLiveIndex(db, openChanges(db))
  finish(live.refresh())
  const { hasTexts, readMatching } = openEventChecks(db, live)
  t.notOk(hasTexts(999, () => true))
  t.same(
    readMatching([999], () => true, ''),
    [],
  )
})

t.test('searches of which there are too many at once are told to come back', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  await must(editor.create('event', EVENT))
  const found = await Promise.all(
    Array.from({ length: 600 }, (_, at) => anonymous.list('event', `search=word${at}`)),
  )
  const refused = found.filter(({ status }) => status !== 200)
  t.ok(refused.length < 600, `${refused.length} were refused`)
  for (const { body } of refused)
    t.match(body, { code: 'rest_overloaded', data: { status: 503, retry_after: 2 } })
  t.equal((await anonymous.list('event', 'search=concert')).body.total, 1)
})
