import t from 'tap'
import type { Selection } from '../src/store/lists/selection.ts'
import { openSelections } from '../src/store/lists/selections.ts'
import { openSlices } from '../src/store/lists/slices.ts'
import { openChanges } from '../src/store/sqlite/changes.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

const PAGE = { page: 1, per_page: 50 }
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: { hidden: false }, links: {} },
  ...{ dates: [], order: { by: 'start', descending: false } },
}

/** Slices of a machine so slow that no work is done at once. */
function openSlow() {
  let time = 0
  return openSlices(() => (time += 3))
}

t.test('a list waits until the calendar has come up to what was written', async (t) => {
  const { app, editor } = await build(t)
  const { db } = app.store
  const ids = [(await must(editor.post('/events', EVENT))).id]
  const lists = openSelections(db, openChanges(db), openSlow())
  t.same(await lists.list(ALL, PAGE), { total: 1, ids })
  ids.push((await must(editor.post('/events', EVENT))).id)
  t.same(await lists.list(ALL, PAGE), { total: 2, ids })
})

t.test('so do named events', async (t) => {
  const { app, editor } = await build(t)
  const { db } = app.store
  const { id } = await must(editor.post('/events', EVENT))
  const lists = openSelections(db, openChanges(db), openSlow())
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 1, ids: [id] })
  await must(editor.patch(`/events/${id}`, { status: 'draft' }))
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 0, ids: [] })
})

t.test('all that are asked for meanwhile wait for the same', async (t) => {
  const { app, editor } = await build(t)
  const { db } = app.store
  const { id } = await must(editor.post('/events', EVENT))
  const slices = openSlow()
  let followed = 0
  const lists = openSelections(db, openChanges(db), {
    ...slices,
    runFirst(steps) {
      followed++
      return slices.runFirst(steps)
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
  const { app, editor } = await build(t)
  const { db } = app.store
  const { id } = await must(editor.post('/events', EVENT))
  const lists = openSelections(
    db,
    openChanges(db),
    openSlices(() => 0),
  )
  t.same(await lists.list(ALL, PAGE), { total: 1, ids: [id] })
  await must(editor.patch(`/events/${id}`, { status: 'draft' }))
  t.same(await lists.list({ ...ALL, include: [id] }, PAGE), { total: 0, ids: [] })
  t.same(await lists.list(ALL, PAGE), { total: 0, ids: [] })
})
