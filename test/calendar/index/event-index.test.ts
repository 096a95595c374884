import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { events, listings } from '../../../drizzle/tables.ts'
import { STATUSES } from '../../../schemas/common.ts'
import { EVENT_FLAGS, FIELD_FLAGS, FILTER_FLAGS, FILTER_NAMES } from '../../../schemas/event-flags.ts'
import { EventQuery } from '../../../schemas/event-query.ts'
import { EVENT_STATES, STATE_NAMES } from '../../../schemas/event-states.ts'
import { ALWAYS, openHistogram } from '../../../src/calendar/index/day-histogram.ts'
import {
  type EventEntry,
  openEventIndex,
  openLiveIndex,
  TRAIT_BITS,
} from '../../../src/calendar/index/event-index.ts'
import {
  addIds,
  Bitmap,
  inSteps,
  NO_ROW,
  openRows,
  type RowSet,
  SparseSet,
} from '../../../src/calendar/index/rows.ts'
import { openSortedRows, pageAlong } from '../../../src/calendar/index/sort-orders.ts'
import { EVERYTHING, openChanges, recordChange } from '../../../src/kernel/database/changes.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'
import { must, shown } from '../../support/answers.ts'
import { type Operation, operationsOf } from '../../support/document.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const numbers = fc.array(fc.nat(200), { maxLength: 40 })
const text = (some: number[]) => Buffer.from(some.join(','))
const bitsOf = (some: number[], size: number) => addIds(text(some), new Bitmap(size))
const fewOf = (some: number[]) => addIds(text(some), new SparseSet())
const listed = (some: RowSet) => {
  const found: number[] = []
  some.each((number) => found.push(number))
  return found
}
const sorted = (some: Iterable<number>) => [...some].sort((a, b) => a - b)

t.test('sets of few and of many numbers hold what a set holds', async () => {
  fc.assert(
    fc.property(numbers, numbers, numbers, fc.nat(200), (own, added, removed, size) => {
      const few = fewOf(own)
      const many = bitsOf(own, size)
      const set = new Set(own)
      for (const number of removed) for (const some of [few, many, set]) some.delete(number)
      for (const number of added) for (const some of [few, many, set]) some.add(number)
      assert.deepEqual(listed(many), sorted(set))
      assert.deepEqual(sorted(listed(few)), sorted(set))
      assert.deepEqual(listed(many.sparse()), sorted(set))
      assert.equal(many.count(), set.size)
      assert.deepEqual(
        [...many.parts()].flatMap((part) => [...part]),
        sorted(set),
      )
      for (const number of [...own, ...added]) assert.equal(many.has(number), set.has(number))
      assert.ok(!many.has(5_000))
    }),
    { numRuns: 200 },
  )
})

t.test('what two sets have in common is counted, whichever has more space', async () => {
  fc.assert(
    fc.property(numbers, numbers, fc.nat(200), (own, others, size) => {
      const right = new Set(own.filter((number) => others.includes(number)))
      assert.equal(bitsOf(own, size).common(bitsOf(others, 10)), right.size)
    }),
  )
  const all = new Bitmap(20_000)
  for (let number = 0; number < 20_000; number++) all.add(number)
  const parts = [...all.parts()].map((part) => part.length)
  assert.ok(parts.length > 4 && parts.every((length) => length <= 4_096))
  const large = new Bitmap(500_000)
  for (let number = 0; number < 500_000; number++) large.add(number)
  let passed = 0
  const count = (part: Uint32Array) => {
    passed += part.length
  }
  assert.equal([...inSteps(large, count)].length, 2)
  assert.equal(passed, 500_000)
})

t.test('sets meet, join and part', async () => {
  const some = fc.array(fc.nat(200), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(some, some, fc.nat(200), (own, others, size) => {
      const other = bitsOf(others, 201)
      const both = sorted(new Set(own.filter((number) => others.includes(number))))
      const rest = sorted(new Set(own.filter((number) => !others.includes(number))))
      for (const make of [() => bitsOf(own, size), () => fewOf(own)] as (() => RowSet)[]) {
        assert.deepEqual(sorted(listed(make().and(other))), both)
        assert.deepEqual(sorted(listed(make().filter((number) => others.includes(number)))), both)
        assert.deepEqual(sorted(listed(make().without(other))), rest)
      }
      assert.deepEqual(listed(bitsOf(own, 201).or(other)), sorted(new Set([...own, ...others])))
    }),
    { numRuns: 200 },
  )
})

t.test('a set says how much room it takes', async (t) => {
  t.equal(fewOf([1, 2]).bytes(), 80)
  t.equal(new Bitmap(100_000).bytes(), 12_504)
})

const DAY = 86_400
const NONE = { traits: 1, language: 'en', author: 1, parent: 0, modified: 0 }
const entry = fc.record({
  id: fc.integer({ min: 1, max: 60 }),
  starts: fc.constantFrom(-DAY, -1, 0, 1, DAY - 1, DAY, 3 * DAY),
  lasts: fc.constantFrom(0, 3_600, DAY - 1, 5 * DAY),
})

t.test('events that are addIds at once stand on the same days as those that came one by one', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(entry, { selector: ({ id }) => id }),
      fc.array(fc.nat(60)),
      (some, removed) => {
        const entries = some.map(({ id, starts, lasts }): EventEntry => {
          const ends = starts + lasts
          return { ...NONE, id, starts, ends, utcStarts: starts, utcEnds: ends }
        })
        const atOnce = openEventIndex()
        atOnce.put({ ...NONE, id: 70, starts: 0, ends: 0, utcStarts: 0, utcEnds: 0 }) // forgotten by clear
        atOnce.clear(60)
        for (const one of entries) atOnce.put(one)
        atOnce.fill()
        const oneByOne = openEventIndex()
        for (const one of [...entries].reverse()) oneByOne.put(one)
        for (const index of [atOnce, oneByOne]) for (const id of removed) index.remove(id)

        const left = entries.filter(({ id }) => !removed.includes(id))
        left.sort((a, b) => a.starts - b.starts || a.id - b.id)
        for (const index of [atOnce, oneByOne]) {
          const found: number[] = []
          for (let half = -4; half < 10; half++) found.push(...[...index.startingIn(half)].map(index.idOf))
          assert.deepEqual(
            found,
            left.map(({ id }) => id),
          )
          const histogram = finish(index.countByDay(index.select({ statuses: ['publish'], flags: {} })))
          for (const { id } of left) {
            const startOf = (id: number) => index.startOf(index.rowOf(id))
            const lengthOf = (id: number) => index.lengthOf(index.rowOf(id))
            const day = { from: startOf(id), to: startOf(id) }
            const end = day.from + lengthOf(id)
            const same = left.filter((other) => startOf(other.id) === day.from)
            const alike = same.filter((other) => lengthOf(other.id) === lengthOf(id))
            assert.equal(histogram.count({ ...day, endFrom: -Infinity, endTo: Infinity }), same.length)
            assert.equal(histogram.count({ ...day, endFrom: end, endTo: end }), alike.length)
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})

type DayEntry = { day: number; days: number }
const dayEntry = fc.record({
  day: fc.integer({ min: -5, max: 40 }),
  // a clock that is turned back may carry an end before its start
  days: fc.constantFrom(-1, 0, 0, 0, 1, 2, 7, 30),
})
const edge = fc.oneof(
  fc.integer({ min: -10, max: 60 }),
  fc.constant(Number.NEGATIVE_INFINITY),
  fc.constant(Number.POSITIVE_INFINITY),
)

t.test('counts and pages of any window are what a filter in memory gives', async () => {
  fc.assert(
    fc.property(
      fc.array(dayEntry, { maxLength: 60 }),
      fc.array(fc.nat(59), { maxLength: 20 }),
      edge,
      edge,
      edge,
      edge,
      fc.nat(30),
      fc.integer({ min: 1, max: 20 }),
      (entries, removed, from, to, endFrom, endTo, skip, take) => {
        const window = { from, to, endFrom, endTo }
        const histogram = openHistogram()
        for (const { day, days } of entries) histogram.add(day, days, 1)
        histogram.count(window) // sums are made, and have to be made again
        const gone = new Set(removed.filter((at) => at < entries.length))
        for (const at of gone) histogram.add(entries[at]!.day, entries[at]!.days, -1)

        const matches: DayEntry[] = entries
          .filter(
            ({ day, days }, at) =>
              !gone.has(at) && day >= from && day <= to && day + days >= endFrom && day + days <= endTo,
          )
          .sort((a, b) => a.day - b.day)
        assert.equal(histogram.count(window), matches.length)
        const page = matches.slice(skip, skip + take)
        const expected = [...new Set(page.map(({ day }) => day))].map((day) => ({
          day,
          skip: Math.max(0, skip - matches.filter((match) => match.day < day).length),
          take: page.filter((match) => match.day === day).length,
        }))
        assert.deepEqual(histogram.slice(window, skip, take), expected)
      },
    ),
    { numRuns: 500 },
  )
})

t.test('an empty histogram has no days, and says how large it is', async (t) => {
  const histogram = openHistogram()
  t.same(histogram.slice(ALWAYS, 0, 12), [])
  t.equal(histogram.count(ALWAYS), 0)
  t.equal(histogram.bytes(), 0)
  t.equal(finish(openEventIndex().countByDay(new Bitmap(0))).count(ALWAYS), 0)
  histogram.add(1, 0, 1)
  histogram.add(1, 3, 2)
  t.ok(histogram.bytes() >= 3 * 12)
})

t.test('rows are numbered without gaps, and given again, whatever the IDs', async () => {
  const id = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.maxSafeInteger().map((n) => Math.abs(n) + 1), fc.nat(60).map((n) => (n + 1) * 2 ** 32)) // biome-ignore format: kinds of IDs
  fc.assert(
    fc.property(fc.array(fc.record({ id, gone: fc.boolean() }), { maxLength: 200 }), (steps) => {
      const rows = openRows()
      const right = new Map<number, number>()
      let most = 0
      for (const { id, gone } of steps) {
        if (gone && right.delete(id)) rows.release(id)
        if (!gone) right.set(id, rows.assign(id))
        most = Math.max(most, right.size)
        for (const [known, row] of right)
          if (rows.rowOf(known) !== row || rows.idOf(row) !== known) throw new Error(`${known} at ${row}`)
        if (gone && rows.rowOf(id) !== NO_ROW) throw new Error(`${id} is still there`)
        if (rows.size() > most) throw new Error(`${rows.size()} rows of ${most}`)
      }
      return new Set(right.values()).size === right.size
    }),
    { numRuns: 200 },
  )
})

t.test(
  'rows are added to a set by a bit for each ID, whether or not their IDs follow one another',
  async () => {
    const id = fc.oneof(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 2 ** 33, max: 2 ** 33 + 150 }))
    const change = fc.record({ id, gone: fc.boolean() })
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(150)),
        fc.array(change, { maxLength: 60 }),
        fc.infiniteStream(fc.integer()),
        ([least, many], changes, masks) => {
          const rows = openRows()
          for (let id = least; id <= many; id++) rows.assign(id)
          for (const { id, gone } of changes) {
            if (!gone) rows.assign(id)
            else if (rows.rowOf(id) !== NO_ROW) rows.release(id)
          }
          for (const base of [0, 2 ** 33]) {
            const [found, right] = [new Bitmap(rows.size()), new Bitmap(rows.size())]
            for (let first = base; first < base + 160; first += 32) {
              const mask = masks.next().value
              rows.addRows(first, mask, found)
              for (let at = 0; at < 32; at++) {
                const row = (mask >>> at) & 1 ? rows.rowOf(first + at) : NO_ROW
                if (row !== NO_ROW && first + at > 0) right.add(row)
              }
            }
            // no event has the ID 0, which free rows have
            for (let row = 0; row < rows.size(); row++)
              if (rows.idOf(row) !== 0) assert.equal(found.has(row), right.has(row), `${row}`)
          }
        },
      ),
      { numRuns: 300 },
    )
  },
)

t.test('IDs are found beside others with the same place in the table', async (t) => {
  const rows = openRows()
  const left = new Map<number, number>()
  const idOf = (at: number) => at * 7_777_777 + (at % 3) * 2 ** 33
  for (let at = 1; at <= 3_000; at++) left.set(idOf(at), rows.assign(idOf(at)))
  for (let at = 1; at <= 3_000; at += 3) {
    rows.release(idOf(at))
    left.delete(idOf(at))
  }
  t.ok([...left].every(([id, row]) => rows.rowOf(id) === row))
  for (let at = 1; at <= 3_000; at += 3)
    t.ok(rows.rowOf(idOf(at)) === NO_ROW && rows.assign(idOf(at)) < 3_000)
})

t.test('many events are put in order in steps, as at once', async (t) => {
  const order = openSortedRows<string>()
  const key = (row: number) => String((row * 7919) % 1_000)
  for (let row = 0; row < 23_000; row++) order.add(row, 50_000 - row, key(row))
  const steps = [...order.sort()]
  t.ok(steps.length > 5)
  const rows = Array.from({ length: order.size() }, (_, place) => order.at(place))
  t.equal(rows.length, 23_000)
  t.ok(rows.every((row, at) => at === 0 || order.compare(rows[at - 1]!, row) < 0))
  t.ok(rows.every((row, at) => at === 0 || key(rows[at - 1]!) <= key(row)))
  const even = new Bitmap(23_000)
  for (const row of rows) if (row % 2 === 0) even.add(row)
  const right = rows.filter((row) => row % 2 === 0)
  t.same(finish(pageAlong(order, even, false, 11_000, 50)), right.slice(11_000, 11_050))
  t.same(finish(pageAlong(order, even, true, 11_000, 50)), right.reverse().slice(11_000, 11_050))
})

t.test('memory is taken by the number of events and not by their IDs, and lists are right', async (t) => {
  const { store, editor, anonymous, administrator } = await openRecords(t)
  const { db } = store
  const hall = await must(editor.create('venue', { venue: 'Hall' }))
  const fields = { ...EVENT, venue: hall.id, categories: [] }
  const first = await must(editor.create('event', { ...fields, title: 'opera one' }))
  /** The next record gets this ID, as those that are imported keep theirs. */
  const skipTo = (id: number) => db.write(async (tx) => tx.run(sql`update sqlite_sequence set seq = ${id - 1} where name = 'posts'`)) // biome-ignore format: one query
  for (const [id, title] of [
    [20_000_000, 'opera many'],
    [2_000_000_000, 'jazz most'],
    [2 ** 40, 'opera beyond'],
  ] as const) {
    // biome-ignore format: events
    await skipTo(id)
    t.equal((await must(editor.create('event', { ...fields, title }))).id, id)
  }
  const list = async (query: string) => shown(await anonymous.list('event', query))
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
  const live = openLiveIndex(db, openChanges(db))
  finish(live.refresh())
  t.equal(live.index.size(), 4)
  t.ok(live.index.bytes() < 100_000, `${live.index.bytes()} bytes`)
  await must(editor.change('event', first.id, { post_parent: 2 ** 40 }))
  t.equal(await list('post_parent=1099511627776'), 'opera one')
  await must(editor.change('event', first.id, { post_parent: null }))
  await db.write((tx) => recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: 0 }))
  await check()
  await must(administrator.remove('event', 20_000_000, 'force=true'))
  await must(editor.create('event', { ...fields, title: 'opera new' }))
  t.equal(await list('search=opera'), 'opera one opera beyond opera new')
  finish(live.refresh())
  t.equal(live.index.size(), 4, 'the row is given again')
})

/** The parameters of lists of events, as they are published. */
const [{ parameters }] = operationsOf(
  JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')),
) as [Operation]

t.test(
  'a state of events is a parameter of several values, a column of two tables, a bit for each value',
  async (t) => {
    for (const name of STATE_NAMES) {
      const [usual] = EVENT_STATES[name]
      for (const table of [events, listings])
        t.match(table[name], { enumValues: EVENT_STATES[name], default: usual, notNull: true })
      for (const state of EVENT_STATES[name]) t.ok(TRAIT_BITS[state], state)
      t.match(
        parameters.find((parameter) => parameter.name === name),
        { in: 'query', schema: { type: 'array', items: { type: 'string', enum: EVENT_STATES[name] } } },
      )
    }
  },
)

t.test('a flag of lists is a parameter, a column of two tables, a bit, and a filter', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  const bits = Object.values(TRAIT_BITS)
  const states = STATE_NAMES.flatMap((name) => EVENT_STATES[name])
  t.equal(bits.length, STATUSES.length + EVENT_FLAGS.length + states.length, 'no two share a name')
  t.equal(new Set(bits).size, bits.length)
  t.ok(bits.every((bit) => bit > 0 && Math.log2(bit) % 1 === 0 && bit < 2 ** 31))
  for (const name of EVENT_FLAGS) t.ok(name in listings && TRAIT_BITS[name], name)
  for (const name of FILTER_NAMES) {
    t.ok(name in EventQuery.properties, name)
    t.match(
      parameters.find((parameter) => parameter.name === name),
      { in: 'query', schema: { type: 'boolean' } },
    )
    t.ok(EventQuery.properties[name].description!.startsWith(FILTER_FLAGS[name]))
    const sent = name === 'free' ? { cost: '0' } : { [name]: true }
    await must(editor.create('event', { ...EVENT, title: name, ...sent }))
  }
  for (const name of FIELD_FLAGS) t.ok(name in events, name)
  for (const name of FILTER_NAMES) {
    t.equal(shown(await anonymous.list('event', `${name}=true`)), name)
    const others = FILTER_NAMES.filter((other) => other !== name).join(' ')
    t.equal(shown(await anonymous.list('event', `${name}=false`)), others)
  }
})
