import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

const names = (terms: { name: string }[]) => terms.map(({ name }) => name)

t.test('the events of a deleted tag get another one, whatever their status', async (t) => {
  const { editor } = await build(t)
  const [late, night, music] = await Promise.all(
    ['late', 'night', 'music'].map((name) => must(editor.post('/tags', { name }))),
  )
  const make = async (tags: number[], status = 'publish') =>
    (await must(editor.post('/events', { ...EVENT, tags, status }))).id as number
  const published = await make([late.id, music.id])
  const both = await make([night.id, late.id])
  const draft = await make([late.id], 'draft')
  const trashed = await make([late.id])
  await editor.delete(`/events/${trashed}`)
  const other = await make([music.id])

  const { body } = await editor.get('/changes?kind=event')
  const gone = await editor.delete(`/tags/${late.id}?reassign=${night.id}`)
  t.match(gone, { status: 200, body: { id: late.id, name: 'late' } })
  const tagsOf = async (id: number) => names((await must(editor.get(`/events/${id}`))).tags)
  t.same(await tagsOf(published), ['music', 'night'])
  t.same(await tagsOf(both), ['night'], 'once')
  t.same(await tagsOf(draft), ['night'])
  await must(editor.patch(`/events/${trashed}`, { status: 'publish' }))
  t.same(await tagsOf(trashed), ['night'], 'also in the trash')
  t.same(await tagsOf(other), ['music'])
  t.match((await editor.get(`/tags/${night.id}`)).body, { count: 3 })
  t.equal((await editor.get(`/tags/${late.id}`)).status, 404)
  t.equal((await editor.get(`/events?tags=${night.id}&status=any`)).body.total, 4)
  const { changes } = (await editor.get(`/changes?sync_token=${body.next_sync_token}`)).body
  t.same(
    changes.map(({ id }: { id: number }) => id).sort(),
    [published, both, draft, trashed].sort(),
    'those who follow are told',
  )
})

t.test(
  'the events of a deleted category go where it says, and the categories below it move up',
  async (t) => {
    const { editor } = await build(t)
    const arts = await must(editor.post('/categories', { name: 'Arts' }))
    const music = await must(editor.post('/categories', { name: 'Music', parent: arts.id }))
    const jazz = await must(editor.post('/categories', { name: 'Jazz', parent: music.id }))
    const { id } = await must(editor.post('/events', { ...EVENT, categories: [music.id] }))
    await must(editor.delete(`/categories/${music.id}?reassign=${jazz.id}`))
    t.same(names((await editor.get(`/events/${id}`)).body.categories), ['Jazz'])
    t.match((await editor.get(`/categories/${jazz.id}`)).body, { parent: arts.id, count: 1 })
  },
)

t.test('a tag is not merged into itself, a category, or nothing', async (t) => {
  const { editor, author } = await build(t)
  const tag = await must(editor.post('/tags', { name: 'late' }))
  const category = await must(editor.post('/categories', { name: 'Music' }))
  for (const id of [tag.id, category.id, 999])
    t.match(await editor.delete(`/tags/${tag.id}?reassign=${id}`), {
      status: 400,
      body: {
        data: { params: { reassign: 'must be the ID of another tag, which the events of "late" get.' } },
      },
    })
  t.equal((await author.delete(`/tags/${tag.id}?reassign=999`)).status, 403)
  t.equal((await editor.get(`/tags/${tag.id}`)).status, 200)
})
