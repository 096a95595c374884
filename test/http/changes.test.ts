import t from 'tap'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

type Told = { kind: string; id: number; operation: string; record?: Record<string, unknown> }
const told = ({ changes }: { changes: Told[] }) =>
  changes.map(({ kind, id, operation }) => `${operation} ${kind} ${id}`)

t.test('a beginning has everything, and then only what changed', async (t) => {
  const { author, anonymous } = await build(t)
  const links = { categories: ['Jazz'], venue: { venue: 'Hall' } }
  const { id, venue } = await must(author.post('/events', { ...EVENT, ...links }))
  const draft = await must(author.post('/events', { ...EVENT, status: 'draft' }))
  const begun = await must(anonymous.get('/changes'))
  t.same(told(begun), ['create category 1', `create venue ${venue.id}`, `create event ${id}`])
  const after = (token: string) => must(anonymous.get(`/changes?sync_token=${token}`))
  t.same(await after(begun.next_sync_token), {
    changes: [],
    has_more: false,
    next_sync_token: begun.next_sync_token,
  })
  await must(author.patch(`/events/${id}`, { title: 'Other' }))
  await must(author.patch(`/events/${draft.id}`, { title: 'Still a draft' }))
  const renamed = await after(begun.next_sync_token)
  t.match(renamed, { changes: [{ kind: 'event', operation: 'update', record: { title: 'Other' } }] })
  t.equal(renamed.changes.length, 1)
  await must(author.patch(`/events/${id}`, { status: 'draft' }))
  const gone = await after(renamed.next_sync_token)
  t.same(told(gone), ['update category 1', `delete event ${id}`])
  t.match(gone.changes[0].record, { count: 0 })
})
