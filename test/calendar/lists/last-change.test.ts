import t from 'tap'
import { lastChange } from '../../../src/calendar/lists/event-lists.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

function touched({ store }: Records, ids: number[]) {
  const steps = lastChange(store.db, ids, 0)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

t.test('the last change of events is that of the last second, with all there were in it', async (t) => {
  const calendar = await openRecords(t)
  const add = () => must(calendar.editor.create('event', EVENT))
  const [one, two, three] = [await add(), await add(), await add()]
  t.same(touched(calendar, [one.id, two.id]), { at_utc: '2026-11-21 09:00:00', count: 2 })
  calendar.clock.now += 5_000
  for (const title of ['First', 'Second']) await must(calendar.editor.change('event', one.id, { title }))
  await must(calendar.editor.change('event', three.id, { title: 'Another' }))
  t.same(touched(calendar, [one.id, two.id]), { at_utc: '2026-11-21 09:00:05', count: 2 })
  t.same(touched(calendar, [two.id]), { at_utc: '2026-11-21 09:00:00', count: 1 })
  t.same(touched(calendar, []), { at_utc: undefined, count: 0 })
  const { earliest } = calendar.store.lists
  t.same([earliest([one.id, two.id]), earliest([999])], [one.utc_start_date, undefined])
})
