import { sql } from 'drizzle-orm'
import t from 'tap'
import { openSelections } from '../../../src/calendar/lists/event-lists.ts'
import type { Selection } from '../../../src/calendar/lists/selection.ts'
import { openChanges } from '../../../src/kernel/database/changes.ts'
import type { Db } from '../../../src/kernel/database/db.ts'
import { openScheduler } from '../../../src/kernel/tasks/scheduler.ts'
import { readQuery } from '../../../src/kernel/text/search.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** Titles that are held in memory. */
const HELD = 20_000

/** Copies an event: each copy begins a minute after the last one, and has a word of its own in its title. */
const copy = (db: Db, id: number, count: number) =>
  db.write(async (tx) => {
    const numbers = sql`with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < ${count})`
    tx.run(sql`${numbers} insert into posts (id, kind, status, title, slug, author_id, language, date, date_utc, modified, modified_utc, folded, folded_title)
      select id + value, kind, status, title, slug || value, author_id, language, date, date_utc, modified, modified_utc, 'no ' || value, 'no ' || value
      from posts, numbers where id = ${id}`)
    tx.run(sql`${numbers} insert into listings (event_id, status, author_id, language, starts, ends, utc_starts, utc_ends)
      select event_id + value, status, author_id, language, starts + 60 * value, ends + 60 * value, utc_starts + 60 * value, utc_ends + 60 * value
      from listings, numbers where event_id = ${id}`)
  })

t.test('of very many titles those of the next events are known', async (t) => {
  const { store, editor, clock } = await openRecords(t)
  const { db } = store
  const make = async (title: string, start_date: string) =>
    (await must(editor.create('event', { ...EVENT, title, start_date, end_date: '2027-01-01' }))).id
  // the copies begin until the evening of the 14th
  const late = await make('Marimbas', '2026-12-14 20:00:00')
  const beyond = await make('Kalimbas', '2026-12-15')
  const id = await make('Concert', '2026-12-01')
  await copy(db, id, HELD - 1)
  const rename = (id: number, title: string) =>
    db.write(async (tx) => {
      tx.run(sql`update posts set folded = ${title}, folded_title = ${title} where id = ${id}`)
      tx.run(
        sql`insert into changes (kind, record_id, operation, at_utc) values ('event', ${id}, 'update', '')`,
      )
    })
  const lists = openSelections(db, openChanges(db), openScheduler())
  const now = Math.floor(clock.now / 1_000)
  const suggest = async (q: string) =>
    (await lists.suggest({ terms: readQuery(q).wanted, language: undefined, now })).events
  const correct = async (q: string) => {
    const asked: Selection = {
      ...{ statuses: ['publish'], flags: { hidden: false }, links: {}, dates: [] },
      ...{ order: { by: 'start', descending: false }, query: { ...readQuery(q), caller: undefined } },
    }
    return [...(await lists.correct(asked, now))].flat().join('=')
  }
  const one = id + 1
  t.same(await suggest('concert'), [id])
  t.same(
    await suggest('no'),
    [1, 2, 3, 4, 5].map((more) => id + more),
    'the next first',
  )
  t.same(await suggest('marimb'), [late])
  t.same(await suggest('kalimb'), [])
  t.equal(await correct('marimbos'), 'marimbos=marimbas', 'whose words are compared in steps')
  t.equal(await correct('kalimbos'), '')
  await rename(beyond, 'kalimbas again')
  t.same(await suggest('kalimb'), [], 'also after a write')
  await rename(one, 'kalimbas')
  t.same(await suggest('kalimb'), [one])

  // more writes than are followed one by one
  await db.write(async (tx) => {
    for (let more = 1; more <= 20; more++)
      tx.run(sql`insert into changes (kind, record_id, operation, at_utc)
        select 'event', event_id, 'update', '' from listings order by event_id limit 500`)
  })
  await rename(one, 'timpani')
  t.same(await suggest('kalimb'), [])
  t.same(await suggest('timp'), [one])
})
