import t from 'tap'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

t.test('a beginning has everything, and then only what changed', async (t) => {
  const { author, anonymous } = await build(t)
  const first = await must(author.post('/events', { ...EVENT, status: 'publish', categories: ['Jazz'], venue: { venue: 'Hall' } }))
  await must(author.post('/events', { ...EVENT, status: 'draft' }))
  const begun = await must(anonymous.get('/changes'))
  t.same(
    begun.changes.map((change: any) => [change.kind, change.id, change.operation]),
    [['category', 1, 'create'], ['venue', 1, 'create'], ['event', first.id, 'create']],
  )
  t.equal(begun.has_more, false)
  const nothing = await must(anonymous.get(`/changes?sync_token=${begun.next_sync_token}`))
  t.same(nothing, { changes: [], has_more: false, next_sync_token: begun.next_sync_token })
  await must(author.patch(`/events/${first.id}`, { title: 'Other' }))
  const more = await must(anonymous.get(`/changes?sync_token=${begun.next_sync_token}`))
  t.match(more, { changes: [{ kind: 'event', operation: 'update', record: { title: 'Other' } }] })
  await must(author.patch(`/events/${first.id}`, { status: 'draft' }))
  const gone = await must(anonymous.get(`/changes?sync_token=${more.next_sync_token}`))
  t.same(gone.changes.map((change: any) => [change.kind, change.id, change.operation]), [['category', 1, 'update'], ['event', first.id, 'delete']])
  console.log(begun.next_sync_token.length, JSON.stringify(gone.changes).slice(0, 300))
})
