import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { events, listings } from '../../../drizzle/tables.ts'
import { EVENT_FLAGS, FILTER_FLAGS, FILTER_NAMES } from '../../../schemas/event-flags.ts'
import { EventQuery } from '../../../schemas/event-query.ts'
import { Bits } from '../../../src/store/index/bits.ts'
import { cut, openOrder } from '../../../src/store/index/order.ts'
import { NOWHERE, openRows } from '../../../src/store/index/rows.ts'
import { TRAIT_BITS } from '../../../src/store/index/traits.ts'
import { openListed } from '../../../src/store/lists/listed.ts'
import { finish } from '../../../src/store/lists/slices.ts'
import { EVERYTHING, openChanges, recordChange } from '../../../src/store/sqlite/changes.ts'
import { build, EVENT } from '../../support/app.ts'
import { must, shown } from '../../support/events.ts'

t.test('rows are numbered without gaps, and given again, whatever the IDs', async () => {
  const id = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.maxSafeInteger().map((n) => Math.abs(n) + 1), fc.nat(60).map((n) => (n + 1) * 2 ** 32)) // biome-ignore format: kinds of IDs
  fc.assert(
    fc.property(fc.array(fc.record({ id, gone: fc.boolean() }), { maxLength: 200 }), (steps) => {
      const rows = openRows()
      const right = new Map<number, number>()
      let most = 0
      for (const { id, gone } of steps) {
        if (gone && right.delete(id)) rows.release(id)
        if (!gone) right.set(id, rows.take(id))
        most = Math.max(most, right.size)
        for (const [known, row] of right)
          if (rows.rowOf(known) !== row || rows.idOf(row) !== known) throw new Error(`${known} at ${row}`)
        if (gone && rows.rowOf(id) !== NOWHERE) throw new Error(`${id} is still there`)
        if (rows.size() > most) throw new Error(`${rows.size()} rows of ${most}`)
      }
      return new Set(right.values()).size === right.size
    }),
    { numRuns: 200 },
  )
})

t.test('IDs are found beside others with the same place in the table', async (t) => {
  const rows = openRows()
  const left = new Map<number, number>()
  const idOf = (at: number) => at * 7_777_777 + (at % 3) * 2 ** 33
  for (let at = 1; at <= 3_000; at++) left.set(idOf(at), rows.take(idOf(at)))
  for (let at = 1; at <= 3_000; at += 3) {
    rows.release(idOf(at))
    left.delete(idOf(at))
  }
  t.ok([...left].every(([id, row]) => rows.rowOf(id) === row))
  for (let at = 1; at <= 3_000; at += 3) t.ok(rows.rowOf(idOf(at)) === NOWHERE && rows.take(idOf(at)) < 3_000)
})

t.test('parts of all IDs have a thousand events each, and the last has the last', async (t) => {
  const rows = openRows()
  t.same(rows.parts(), [])
  for (let at = 1; at <= 2_500; at++) rows.take(at * 1_000_000)
  t.same(rows.parts(), [1e9, 2e9, 2.5e9])
  for (let at = 2_501; at <= 3_000; at++) rows.take(at * 1_000_000)
  t.same(rows.parts(), [1e9, 2e9, 3e9])
  rows.clear(10)
  t.same([rows.parts(), rows.size(), rows.rowOf(1_000_000)], [[], 0, NOWHERE])
})

t.test('many events are put in order in steps, as at once', async (t) => {
  const order = openOrder<string>()
  const key = (row: number) => String((row * 7919) % 1_000)
  for (let row = 0; row < 23_000; row++) order.add(row, 50_000 - row, key(row))
  const steps = [...order.sort()]
  t.ok(steps.length > 5)
  const rows = Array.from({ length: order.size() }, (_, place) => order.at(place))
  t.equal(rows.length, 23_000)
  t.ok(rows.every((row, at) => at === 0 || order.compare(rows[at - 1]!, row) < 0))
  t.ok(rows.every((row, at) => at === 0 || key(rows[at - 1]!) <= key(row)))
  const even = new Bits(23_000)
  for (const row of rows) if (row % 2 === 0) even.add(row)
  const right = rows.filter((row) => row % 2 === 0)
  t.same(finish(cut(order, even, false, 11_000, 50)), right.slice(11_000, 11_050))
  t.same(finish(cut(order, even, true, 11_000, 50)), right.reverse().slice(11_000, 11_050))
})

t.test('memory is taken by the number of events and not by their IDs, and lists are right', async (t) => {
  const { app, editor, anonymous, administrator } = await build(t)
  const { db } = app.store
  const hall = await must(editor.post('/venues', { venue: 'Hall' }))
  const fields = { ...EVENT, venue: hall.id, categories: [] }
  const first = await must(editor.post('/events', { ...fields, title: 'opera one' }))
  /** The next record gets this ID, as those that are imported keep theirs. */
  const skipTo = (id: number) => db.write(async (tx) => tx.run(sql`update sqlite_sequence set seq = ${id - 1} where name = 'posts'`)) // biome-ignore format: one query
  for (const [id, title] of [
    [20_000_000, 'opera many'],
    [2_000_000_000, 'jazz most'],
    [2 ** 40, 'opera beyond'],
  ] as const) {
    // biome-ignore format: events
    await skipTo(id)
    t.equal((await must(editor.post('/events', { ...fields, title }))).id, id)
  }
  const list = async (query: string) => shown(await anonymous.get(`/events?${query}`))
  const check = async () => {
    t.equal(await list(''), 'opera one opera many jazz most opera beyond')
    t.equal(await list('search=opera'), 'opera one opera many opera beyond')
    t.equal(await list('search=-opera'), 'jazz most')
    t.equal(await list(`venue=${hall.id}&per_page=2&page=2`), 'jazz most opera beyond')
    t.equal(await list(`include=2000000000,${first.id}`), 'opera one jazz most')
    t.equal(await list('orderby=title'), 'jazz most opera beyond opera many opera one')
    t.equal(await list('order=desc'), 'opera beyond jazz most opera many opera one')
    t.equal(await list('post_parent=1099511627776'), '')
  }
  await check()
  const listed = openListed(db, openChanges(db))
  finish(listed.follow())
  t.equal(listed.calendar.size(), 4)
  t.ok(listed.calendar.bytes() < 100_000, `${listed.calendar.bytes()} bytes`)
  await must(editor.patch(`/events/${first.id}`, { post_parent: 2 ** 40 }))
  t.equal(await list('post_parent=1099511627776'), 'opera one')
  await must(editor.patch(`/events/${first.id}`, { post_parent: null }))
  await db.write((tx) => recordChange(tx, EVERYTHING, 0, 'update', 0))
  await check()
  await must(administrator.delete('/events/20000000?force=true'))
  await must(editor.post('/events', { ...fields, title: 'opera new' }))
  t.equal(await list('search=opera'), 'opera one opera beyond opera new')
  finish(listed.follow())
  t.equal(listed.calendar.size(), 4, 'the row is given again')
})

t.test('a flag of lists is a parameter, a column of two tables, a bit, and a filter', async (t) => {
  const { editor, anonymous } = await build(t)
  const { parameters } = (await anonymous.get('/doc')).body.paths['/events'].get
  const bits = Object.values(TRAIT_BITS)
  t.equal(new Set(bits).size, bits.length)
  t.ok(bits.every((bit) => bit > 0 && Math.log2(bit) % 1 === 0 && bit < 2 ** 31))
  for (const name of EVENT_FLAGS) t.ok(name in listings && TRAIT_BITS[name], name)
  for (const name of FILTER_NAMES) {
    t.ok(name in events && name in EventQuery.properties, name)
    t.match(
      parameters.find((parameter: { name: string }) => parameter.name === name),
      { in: 'query', schema: { type: 'boolean' } },
    )
    t.ok(EventQuery.properties[name].description!.startsWith(FILTER_FLAGS[name]))
    await must(editor.post('/events', { ...EVENT, title: name, [name]: true }))
  }
  for (const name of FILTER_NAMES) {
    t.equal(shown(await anonymous.get(`/events?${name}=true`)), name)
    const others = FILTER_NAMES.filter((other) => other !== name).join(' ')
    t.equal(shown(await anonymous.get(`/events?${name}=false`)), others)
  }
})
