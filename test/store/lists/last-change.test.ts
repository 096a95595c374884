import t from 'tap'
import { lastChange } from '../../../src/store/lists/events.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

function touched({ app }: Api, ids: number[]) {
  const steps = lastChange(app.store.db, ids, 0)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

t.test('the last change of events is that of the last second, with all there were in it', async (t) => {
  const api = await build(t)
  const add = () => must(api.editor.post('/events', EVENT))
  const [one, two, three] = [await add(), await add(), await add()]
  t.same(touched(api, [one.id, two.id]), { at_utc: '2026-11-21 09:00:00', count: 2 })
  api.clock.now += 5_000
  for (const title of ['First', 'Second']) await must(api.editor.patch(`/events/${one.id}`, { title }))
  await must(api.editor.patch(`/events/${three.id}`, { title: 'Another' }))
  t.same(touched(api, [one.id, two.id]), { at_utc: '2026-11-21 09:00:05', count: 2 })
  t.same(touched(api, [two.id]), { at_utc: '2026-11-21 09:00:00', count: 1 })
  t.same(touched(api, []), { at_utc: undefined, count: 0 })
})
