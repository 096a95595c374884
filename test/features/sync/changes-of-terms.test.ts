import { and, eq } from 'drizzle-orm'
import t from 'tap'
import { changes } from '../../../drizzle/tables.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

type Told = { kind: string; id: number; operation: string }
const told = ({ changes }: { changes: Told[] }) => changes.map(({ id, operation }) => `${operation} ${id}`)

t.test('who follows the tags of a language is told of those that leave it, and not of others', async (t) => {
  const { editor, anonymous } = await build(t)
  const make = async (name: string, i18n_language: string): Promise<number> =>
    (await must(editor.post('/tags', { name, i18n_language }))).id
  const [deleted, moved, other] = [
    await make('nit', 'ca'),
    await make('dia', 'ca'),
    await make('night', 'en'),
  ]
  const begun = await must(anonymous.get('/changes?kind=tag&i18n_language=ca'))
  t.same(told(begun), [`create ${deleted}`, `create ${moved}`])
  await must(editor.delete(`/tags/${deleted}`))
  await must(editor.delete(`/tags/${other}`))
  await must(editor.patch(`/tags/${moved}`, { i18n_language: 'es' }))
  const next = await must(anonymous.get(`/changes?sync_token=${begun.next_sync_token}`))
  t.same(told(next), [`delete ${deleted}`, `delete ${moved}`])
})

t.test('what the service publishes at its time counts for its tags, and nobody wrote it', async (t) => {
  const { app, editor, anonymous, clock } = await build(t)
  const event = { ...EVENT, status: 'future', date: '2026-12-30 10:00:00', tags: ['late'] }
  const { tags } = await must(editor.post('/events', event))
  const begun = await must(anonymous.get('/changes?kind=tag'))
  t.same(begun.changes, [], 'what only a hidden event has is not told')
  clock.now = Date.parse('2026-12-31T00:00:00Z')
  await must(anonymous.get('/events'))
  const next = await must(anonymous.get(`/changes?sync_token=${begun.next_sync_token}`))
  t.match(next.changes, [{ id: tags[0].id, operation: 'create', record: { count: 1 } }])
  const rows = await app.store.db.read
    .select()
    .from(changes)
    .where(and(eq(changes.kind, 'tag'), eq(changes.operation, 'publish')))
  t.match(rows, [{ record_id: tags[0].id, by: null }])
})

t.test('a record that is deleted while a list of it is written is left out', async (t) => {
  const { app, editor } = await build(t)
  const ids: number[] = []
  for (const title of ['One', 'Two']) ids.push((await must(editor.post('/events', { ...EVENT, title }))).id)
  await must(editor.delete(`/events/${ids[0]}?force=true`))
  const view = {
    origin: { base: 'http://calendar.test', root: '', vendor: 'calendar', host: 'calendar.test' },
    caller: undefined,
    single: false,
  }
  const written = await app.store.documents.posts(ids, view)
  t.same(
    written.map((json) => JSON.parse(Buffer.concat(json).toString()).title),
    ['Two'],
  )
})
