import t from 'tap'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

t.test('the count of a term is that of its published events, after every write', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const ids: Record<string, number> = {}
  for (const name of ['a', 'b'])
    for (const taxonomy of ['categories', 'tags'])
      ids[`${taxonomy} ${name}`] = (await must(editor.post(`/${taxonomy}`, { name }))).id
  const counts = async (taxonomy: string) =>
    (await Promise.all(['a', 'b'].map((name) => anonymous.get(`/${taxonomy}/${ids[`${taxonomy} ${name}`]}`))))
      .map(({ body }) => body.count)
      .join(' ')
  const terms = (names: string[]) => ({ categories: names, tags: names })
  const { id } = await must(editor.post('/events', { ...EVENT, ...terms(['a']) }))
  const other = await must(editor.post('/events', { ...EVENT, ...terms(['a', 'b']), slug: 'other' }))
  const tomorrow = '2026-11-22 09:00:00'

  const passTime = async () => {
    api.clock.now = Date.parse(`${tomorrow}Z`)
  }
  const patch = (sent: object) => () => must(editor.patch(`/events/${id}`, sent))
  const steps: [what: string, write: () => Promise<unknown>, counts: string][] = [
    ['nothing', async () => {}, '2 1'],
    ['title', patch({ title: 'x' }), '2 1'],
    ['draft', patch({ status: 'draft' }), '1 1'],
    ['terms of a draft', patch(terms(['a', 'b'])), '1 1'],
    ['publish', patch({ status: 'publish' }), '2 2'],
    ['another term', patch(terms(['b'])), '1 2'],
    ['a term twice', patch(terms(['b', 'B', 'a'])), '2 2'],
    ['no terms', patch({ categories: '', tags: null }), '1 1'],
    ['terms and status at once', patch({ ...terms(['a', 'b']), status: 'private' }), '1 1'],
    ['back', patch({ status: 'publish' }), '2 2'],
    ['scheduled', patch({ date: tomorrow }), '1 1'],
    ['due', passTime, '2 2'],
    ['hidden from lists', patch({ hide_from_listings: true, password: 'x' }), '2 2'],
    ['trash', () => must(editor.delete(`/events/${id}`)), '1 1'],
    ['restored as a draft', patch({ status: 'draft' }), '1 1'],
    ['trash by an update', patch({ status: 'trash' }), '1 1'],
    ['restored with other terms', patch({ status: 'publish', ...terms(['a']) }), '2 1'],
    ['deleted for good', () => must(editor.delete('/events/by-slug/other?force=true')), '1 0'],
    ['to the trash and gone', () => must(editor.delete(`/events/${id}?force=true`)), '0 0'],
  ]
  for (const [what, write, expected] of steps) {
    await write()
    for (const taxonomy of ['categories', 'tags'])
      t.equal(await counts(taxonomy), expected, `${what}: ${taxonomy}`)
    const listed = async (query: string) => (await anonymous.get(`/tags?${query}`)).body.total
    t.equal(await listed(''), expected.split(' ').filter((count) => count !== '0').length)
    t.equal(await listed('hide_empty=false'), 2)
  }
  t.equal((await editor.get(`/events/${other.id}`)).status, 404)
})

t.test('a refused write leaves counts alone, and what an event shows of them is the present', async (t) => {
  const { editor, author, anonymous } = await build(t)
  const { id, tags } = await must(editor.post('/events', { ...EVENT, tags: ['t'] }))
  const count = async () => (await anonymous.get(`/tags/${tags[0].id}`)).body.count
  t.match(await author.patch(`/events/${id}`, { tags: [] }), { status: 403 })
  t.match(await editor.patch(`/events/${id}`, { tags: [], venue: 999 }), { status: 400 })
  t.match(await author.post('/events', { ...EVENT, tags: ['t', 'new'] }), { status: 403 })
  t.equal(await count(), 1)
  await must(author.post('/events', { ...EVENT, tags: ['t'] }))
  t.equal(await count(), 2)
  t.equal((await anonymous.get(`/events/${id}`)).body.tags[0].count, 2)
})
