import t from 'tap'
import { openSelections } from '../../../src/calendar/lists/event-lists.ts'
import type { Selection } from '../../../src/calendar/lists/selection.ts'
import { openChanges } from '../../../src/kernel/database/changes.ts'
import { inTurns, openScheduler, piecesOf, type Task } from '../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** A clock that stands still until something takes longer than the event loop is held for. */
function openClock() {
  let time = 0
  return {
    now: () => time,
    spin() {
      time += 6
    },
  }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('of all that is asked for at once, one step a turn is done where steps are long', async (t) => {
  const { now, spin } = openClock()
  const { run } = openScheduler(now)
  let done = 0
  function* work(): Task<string> {
    for (let left = 3; left > 0; left--) {
      spin()
      done++
      yield
    }
    return 'done'
  }
  const all = Array.from({ length: 12 }, () => run(work()))
  t.equal(done, 1, 'the first was begun at once')
  let before = done
  while (done < 36) {
    await turn()
    t.ok(done - before <= 1)
    before = done
  }
  t.same(new Set(await Promise.all(all)), new Set(['done']))
})

t.test('short work does not wait for long, and what is done at once is given at once', async (t) => {
  const { now, spin } = openClock()
  const { run } = openScheduler(now)
  const order: string[] = []
  function* work(name: string, steps: number): Task<void> {
    for (let left = steps; left > 0; left--) {
      spin()
      yield
    }
    order.push(name)
  }
  t.equal(run(work('none', 0)), undefined)
  const long = run(work('long', 5))
  const other = run(work('other', 4))
  const short = run(work('short', 1))
  await Promise.all([long, other, short])
  t.same(order, ['none', 'short', 'other', 'long'])
})

t.test('long work ends while short work keeps coming', async (t) => {
  const { now, spin } = openClock()
  const { run } = openScheduler(now)
  let isDone = false
  function* work(steps: number): Task<void> {
    for (let left = steps; left > 0; left--) {
      spin()
      yield
    }
  }
  const long = Promise.resolve(run(work(5))).then(() => {
    isDone = true
  })
  let short = 0
  while (!isDone && short < 100) {
    void run(work(1))
    short++
    await turn()
  }
  await long
  t.ok(isDone, `${short} others came meanwhile`)
})

t.test('where too much waits, what has had most is refused; the rest goes on', async (t) => {
  const { now, spin } = openClock()
  const { run, runFirst } = openScheduler(now)
  let isOpen = false
  function* work(name: string): Task<string> {
    do {
      spin()
      yield
    } while (!isOpen)
    return name
  }
  const outcome = (task: Task<string>) =>
    Promise.resolve(run(task)).then(
      (name) => name,
      ({ code, status, data }) => `${code} ${status} ${data.retry_after}`,
    )
  const old = outcome(work('old'))
  const first = runFirst(work('first'))
  const all = Array.from({ length: 99 }, (_, at) => outcome(work(`${at}`)))
  t.equal(await old, 'rest_overloaded 503 2', 'the one that was begun')
  isOpen = true
  t.same(
    await Promise.all(all),
    Array.from({ length: 99 }, (_, at) => `${at}`),
  )
  t.equal(await first, 'first')
})

t.test('where none of those that wait was begun, the last that came is refused', async (t) => {
  const { now, spin } = openClock()
  const { run, runFirst } = openScheduler(now)
  function* work(name: string): Task<string> {
    spin()
    yield
    return name
  }
  const first = runFirst(work('first'))
  const all = Array.from({ length: 100 }, (_, at) => run(work(`${at}`)) as Promise<string>)
  await t.rejects(all[99]!, { code: 'rest_overloaded' })
  t.equal(await first, 'first')
  t.equal((await Promise.all(all.slice(0, 99))).length, 99)
})

t.test('what fails fails alone', async (t) => {
  const { now, spin } = openClock()
  const { run } = openScheduler(now)
  function* wrong(): Task<void> {
    spin()
    yield
    throw new Error('wrong')
  }
  function* right(): Task<string> {
    yield
    return 'right'
  }
  const both = [run(wrong()), run(right())]
  await t.rejects(both[0] as Promise<void>, { message: 'wrong' })
  t.equal(await both[1], 'right')
})

const PAGE = { page: 1, per_page: 50 }
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {} },
  ...{ dates: [], order: { by: 'start', descending: false } },
}

/** The scheduler of a machine so slow that no work is done at once. */
function openSlow() {
  let time = 0
  return openScheduler(() => (time += 3))
}

t.test('a list waits until the calendar has come up to what was written', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const ids = [(await must(editor.create('event', EVENT))).id]
  const lists = openSelections(db, openChanges(db), openSlow())
  t.same(await lists.list(ALL, PAGE), { total: 1, ids })
  ids.push((await must(editor.create('event', EVENT))).id)
  t.same(await lists.list(ALL, PAGE), { total: 2, ids })
})

t.test('so do named events', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const { id } = await must(editor.create('event', EVENT))
  const lists = openSelections(db, openChanges(db), openSlow())
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 1, ids: [id] })
  await must(editor.change('event', id, { status: 'draft' }))
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 0, ids: [] })
})

t.test('all that are asked for meanwhile wait for the same', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const { id } = await must(editor.create('event', EVENT))
  const scheduler = openSlow()
  let followed = 0
  const lists = openSelections(db, openChanges(db), {
    ...scheduler,
    runFirst(steps) {
      followed++
      return scheduler.runFirst(steps)
    },
  })
  const found = { total: 1, ids: [id] }
  t.same(
    await Promise.all([
      lists.list(ALL, PAGE),
      lists.list({ ...ALL, include: [id] }, PAGE),
      lists.list(ALL, PAGE),
      lists.list({ ...ALL, include: [id] }, PAGE),
    ]),
    [found, found, found, found],
  )
  t.equal(followed, 1)
})

t.test('what is followed at once is not waited for', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const { id } = await must(editor.create('event', EVENT))
  const lists = openSelections(
    db,
    openChanges(db),
    openScheduler(() => 0),
  )
  t.same(await lists.list(ALL, PAGE), { total: 1, ids: [id] })
  await must(editor.change('event', id, { status: 'draft' }))
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 0, ids: [] })
  t.same(await lists.list(ALL, PAGE), { total: 0, ids: [] })
})

t.test('what nobody else waits for gives others their turns', async (t) => {
  let isHeard = false
  setImmediate(() => {
    isHeard = true
  })
  function* busy(): Task<string> {
    while (!isHeard) yield
    return 'done'
  }
  t.equal(await inTurns(busy()), 'done')
  const bytes = Buffer.alloc(40_000, 'x')
  const pieces: Uint8Array[] = []
  for await (const piece of piecesOf(bytes)) pieces.push(piece)
  t.same([pieces.length, Buffer.concat(pieces)], [3, bytes])
})

t.test('tasks in turns share what one would have of each turn', async (t) => {
  let time = 0
  const log: string[] = []
  function* steps(name: string, many: number) {
    for (let step = 0; step < many; step++) {
      time++
      log.push(name)
      yield
    }
    return name
  }
  const now = () => time
  t.equal(await inTurns(steps('a', 3), now), 'a')
  t.same(await Promise.all([inTurns(steps('b', 6), now), inTurns(steps('c', 4), now)]), ['b', 'c'])
  t.equal(log.join(''), 'aaabbcbcbcbcb')
})
