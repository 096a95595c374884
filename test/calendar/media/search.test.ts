import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const idsIn = (body: { media: { id: number }[] }) => body.media.map(({ id }) => id)

t.test('pictures are found by their names, their texts, and the titles of what shows them', async (t) => {
  const api = await build(t)
  const upload = async (name: string) =>
    (await must(api.editor.post('/media', await draw(20, 20), raw(name)))).id
  const [poster, stage, crowd] = [
    await upload('poster.png'),
    await upload('stage.png'),
    await upload('x.png'),
  ]
  await must(api.editor.patch(`/media/${stage}`, { alt_texts: { ca: 'Un grup català' } }))
  await must(api.editor.post('/events', { ...EVENT, title: 'Evensong', image: crowd }))
  await must(api.editor.post('/events', { ...EVENT, title: 'Secret dinner', image: crowd, status: 'draft' }))
  const found = async (search: string, who: 'editor' | 'anonymous' = 'editor') => {
    const { body, status } = await api[who].get(`/media?search=${encodeURIComponent(search)}`)
    t.equal(status, 200, search)
    return idsIn(body)
  }
  t.same(await found('Poster'), [poster])
  t.same(await found('CATALA grup'), [stage])
  t.same(await found('evensong'), [crowd])
  t.same(await found('secret'), [crowd])
  t.same(await found('evensong', 'anonymous'), [crowd])
  t.same(await found('secret', 'anonymous'), [], 'a draft is no way to a picture')
  t.same(await found('nothing'), [])
  t.match((await api.editor.get('/media?search=%2B')).body, { code: 'rest_invalid_param' })
})

t.test('pictures without an alternative text in some language', async (t) => {
  const api = await build(t)
  const texts = [{}, { en: 'A band' }, { en: 'A choir', ca: 'Un cor', es: 'Un coro' }]
  const ids: number[] = []
  for (const alt_texts of texts) {
    const { id } = await must(api.editor.post('/media', await draw(20, 20), raw('a.png')))
    await must(api.editor.patch(`/media/${id}`, { alt_texts }))
    ids.push(id)
  }
  const [none, english] = ids
  const without = async (codes: string) => {
    const { body } = await api.editor.get(`/media?without_alt_text=${codes}`)
    return [idsIn(body), body.total]
  }
  t.same(await without('en'), [[none], 1])
  t.same(await without('ca'), [[english, none], 2])
  t.same(await without('en,ca,es'), [[english, none], 2])
  t.same(idsIn((await api.editor.get('/media?without_alt_text=ca&search=band')).body), [english])
  t.match((await api.editor.get('/media?without_alt_text=%21')).body.data.params, {
    without_alt_text: /codes of languages/,
  })
})
