import { sql } from 'drizzle-orm'
import t from 'tap'
import {
  openPublicRecords,
  openSitemapParts,
  PART_SIZE,
  type PublicKind,
  type PublicRecord,
} from '../../../src/calendar/lists/sitemap.ts'
import { EVERYTHING, recordChange } from '../../../src/kernel/database/changes.ts'
import { openScheduler, type Scheduler, type Task } from '../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

/** Parts of the records of a service, and how often each kind was printed from its beginning. */
function openPartsOf({ store }: Records, scheduler: Scheduler = openScheduler()) {
  const { db, changes } = store
  const source = openPublicRecords(db)
  const counts: Record<string, number> = {}
  let batches = 0
  const parts = openSitemapParts(
    {
      ...source,
      *records(kind, part) {
        counts[`${kind} ${part}`] = (counts[`${kind} ${part}`] ?? 0) + 1
        for (const some of source.records(kind, part)) {
          batches++
          yield some
        }
      },
    },
    changes,
    scheduler,
  )
  const print = {
    some: (_kind: PublicKind, records: PublicRecord[]) => records.map(({ slug }) => `${slug} `).join(''),
    whole: (texts: string[]) => Buffer.from(texts.join('').trim()),
  }
  return {
    counts,
    batches: () => batches,
    list: parts.list,
    async read(kind: PublicKind, part: number) {
      return (await parts.bytes(kind, part, print))?.toString()
    },
  }
}
/** Steps that are run one by one, with something else between them. */
const broken = (between: () => Promise<unknown>): Scheduler => {
  const run = async <T>(task: Task<T>) => {
    for (;;) {
      const { done, value } = task.next()
      if (done) return value
      await between()
    }
  }
  return { run, runFirst: run }
}

t.test('a part is made once for all who ask, in steps, until a write changes a record in it', async (t) => {
  const calendar = await openRecords(t)
  const event = await must(calendar.editor.create('event', { ...EVENT, slug: 'one' }))
  await must(calendar.editor.create('venue', { venue: 'Hall', slug: 'hall' }))
  const { counts, batches, read } = openPartsOf(calendar)
  t.same(await Promise.all(Array.from({ length: 20 }, () => read('event', 1))), Array(20).fill('one'))
  t.same([counts, batches()], [{ 'event 1': 1 }, 10], 'ten steps of 200 IDs')
  await must(calendar.editor.create('venue', { venue: 'Room', slug: 'room' }))
  t.same([await read('event', 1), counts['event 1']], ['one', 1], 'a venue is in no part of events')
  t.equal(await read('venue', 1), 'hall room')
  await must(calendar.editor.change('event', event.id, { title: 'Other' }))
  t.same([await read('event', 1), counts['event 1']], ['one', 2])
  await must(calendar.editor.remove('event', event.id))
  t.equal(await read('event', 1), undefined)
  await read('event', 1)
  t.equal(counts['event 1'], 4, 'a part without records is not kept')
})

t.test('a write to a record of a part while it is made is in the next answer', async (t) => {
  const calendar = await openRecords(t)
  const { id } = await must(calendar.editor.create('event', { ...EVENT, slug: 'one' }))
  let between = async (): Promise<unknown> => undefined
  const { counts, read } = openPartsOf(
    calendar,
    broken(() => between()),
  )
  let at = 0
  between = async () => {
    if (++at === 3) await must(calendar.editor.change('event', id, { slug: 'two' }))
  }
  const first = read('event', 1)
  const joined = read('event', 1)
  t.same([await first, await joined], ['one', 'one'])
  t.same([await read('event', 1), await read('event', 1)], ['two', 'two'])
  t.same(counts, { 'event 1': 2 }, 'what was overtaken is not kept')
  // one who asks after the write does not wait for what was begun before
  at = 0
  let late: Promise<string | undefined> | undefined
  between = async () => {
    if (++at !== 3) return
    await must(calendar.editor.change('event', id, { slug: 'three' }))
    late = read('event', 1)
  }
  await must(calendar.editor.change('event', id, { title: 'Again' }))
  t.equal(await read('event', 1), 'two')
  t.equal(await late, 'three')
})

t.test('parts are counted again where something was written, and all of them after a gap', async (t) => {
  const calendar = await openRecords(t)
  const { db } = calendar.store
  const { id } = await must(calendar.editor.create('event', { ...EVENT, slug: 'first' }))
  await db.write(async (tx) => {
    tx.run(`update sqlite_sequence set seq = ${PART_SIZE * 12} where name = 'posts'`)
  })
  await must(calendar.editor.create('event', { ...EVENT, slug: 'late' }))
  const { list, read, counts } = openPartsOf(calendar)
  const parts = async () => (await list('event')).map(({ part }) => part)
  t.same(await parts(), [1, 13])
  t.same(await parts(), [1, 13])
  await must(calendar.editor.remove('event', id, 'force=true'))
  t.same(await parts(), [13])
  const again = await must(calendar.editor.create('event', { ...EVENT, slug: 'more' }))
  t.same((await list('event')).at(-1)!.modified, again.modified_utc)
  await read('event', 13)
  await db.write(async (tx) => recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: 0 }))
  t.same([await read('event', 13), counts['event 13'], await parts()], ['late more', 2, [13]])
  await must(calendar.editor.change('event', again.id, { title: 'Other' }))
  await db.write(async (tx) => {
    tx.run(sql.raw('delete from changes where seq < (select max(seq) from changes)'))
  })
  await must(calendar.editor.change('event', again.id, { title: 'Third' }))
  await db.write(async (tx) => {
    tx.run(sql.raw('delete from changes where seq < (select max(seq) from changes)'))
  })
  t.same([await read('event', 13), counts['event 13']], ['late more', 3], 'rows are gone')
})

t.test('a batch of records is found by its IDs and its groups, however many others there are', async (t) => {
  const calendar = await openRecords(t)
  const { db } = calendar.store
  await db.write(async (tx) => tx.run(sql`analyze`))
  const plans: string[][] = []
  const source = openPublicRecords({
    rows: <T extends unknown[]>(query: string, ...values: unknown[]) => {
      plans.push(
        db
          .rows<[number, number, number, string]>(`explain query plan ${query}`, ...values)
          .map((row) => row[3]),
      )
      return db.rows<T>(query, ...values)
    },
  })
  for (const kind of ['event', 'venue', 'organizer', 'category', 'tag'] as const)
    for (const _ of source.records(kind, 1)) break
  t.equal(plans.length, 10, 'the records and their groups')
  for (const plan of plans)
    for (const step of plan)
      t.match(step, /^(SEARCH .*(PRIMARY KEY|translation_group)|SCAN g |USE TEMP B-TREE)/, plan.join(', '))
})
