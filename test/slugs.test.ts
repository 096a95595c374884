import t from 'tap'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

t.test('names that are taken are numbered, however many and however long', async (t) => {
  const { editor } = await build(t)
  const make: [path: string, body: (name: string) => object][] = [
    ['/events', (title) => ({ ...EVENT, title })],
    ['/venues', (venue) => ({ venue })],
  ]
  for (const [path, body] of make)
    for (const [name, numbered] of [
      ['Jam', (number: number) => `jam-${number}`],
      ['x'.repeat(250), (number: number) => `${'x'.repeat(199 - String(number).length)}-${number}`],
    ] as const) {
      const slugs: string[] = []
      for (let count = 1; count <= 24; count++) slugs.push((await must(editor.post(path, body(name)))).slug)
      t.strictSame(
        slugs.slice(1),
        Array.from({ length: 23 }, (_, at) => numbered(at + 2)),
      )
      t.equal(slugs[0]!.length, Math.min(name.length, 200))
    }
  await must(editor.post('/events', { ...EVENT, title: 'x', slug: 'jam-40' }))
  t.equal(
    (await must(editor.post('/events', { ...EVENT, title: 'Jam' }))).slug,
    'jam-41',
    'the next after the highest',
  )
})

t.test('a title without letters and digits gives a slug all the same', async (t) => {
  const { editor } = await build(t)
  t.match(await must(editor.post('/events', { ...EVENT, title: '!!!' })), { slug: 'event' })
  const { id } = await must(editor.post('/events', { ...EVENT, title: '???', status: 'draft' }))
  t.match(await must(editor.patch(`/events/${id}`, { status: 'publish' })), { slug: String(id) })
  t.match(await must(editor.patch(`/events/${id}`, { title: 'Words', slug: null })), { slug: 'words' })
  t.match(await must(editor.patch(`/events/${id}`, { title: '…', slug: null })), { slug: String(id) })
})
