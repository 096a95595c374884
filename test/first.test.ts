import t from 'tap'
import { build, EVENT } from './support/app.ts'

t.test('an event that was created is listed', async (t) => {
  const api = await build(t)
  const created = await api.editor.post('/events', EVENT)
  t.equal(created.status, 201)
  const list = await api.anonymous.get('/events')
  t.equal(list.body.total, 1)
})
