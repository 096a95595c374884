import t from 'tap'
import { EVERYTHING } from '../../../src/store/changes/changes.ts'
import { recordChange } from '../../../src/store/changes/log.ts'
import { openPublished } from '../../../src/store/views/records.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

/** A reader that notes which events it reads from the database. */
function open({ app: { store } }: Api, most?: number) {
  const read: number[][] = []
  const posts: typeof store.records.posts = (ids, view) => {
    read.push(ids)
    return store.records.posts(ids, view)
  }
  return { read, published: openPublished({ posts }, store.changes, most) }
}
const seed = async ({ editor }: Api) => {
  const first = await must(
    editor.post('/events', { ...EVENT, title: 'One', venue: { venue: 'Hall' }, tags: ['live'] }),
  )
  const second = await must(editor.post('/events', { ...EVENT, title: 'Two' }))
  return { first, second }
}
const titles = (events: { title: string }[]) => events.map(({ title }) => title)

t.test('events are read once, and again after a write that changes what they show', async (t) => {
  const api = await build(t)
  const { first, second } = await seed(api)
  const { read, published } = open(api)
  const ids = [second.id, first.id]
  t.same(titles(await published(ids)), ['Two', 'One'], 'in the order that was asked')
  t.same(titles(await published(ids)), ['Two', 'One'])
  t.same(read, [ids, []])
  for (const write of [
    () => api.editor.patch(`/events/${first.id}`, { title: 'One more' }),
    () => api.editor.patch(`/venues/${first.venue.id}`, { venue: 'Great hall' }),
    () => api.editor.patch(`/tags/${first.tags[0].id}`, { name: 'Alive' }),
    () =>
      api.editor.post('/events', { ...EVENT, title: 'Un', i18n_language: 'ca', translation_of: first.id }),
  ]) {
    read.length = 0
    await must(write())
    await published(ids)
    t.same(read, [[first.id]], 'the other one is kept')
  }
  const [, shown] = await published(ids)
  t.match(shown, {
    title: 'One more',
    venues: [{ title: 'Great hall' }],
    tags: [{ name: 'Alive' }],
    translations: { ca: Number },
  })
  await must(api.editor.delete(`/events/${second.id}?force=true`))
  t.same(titles(await published(ids)), ['One more'], 'deleted ones are left out')
})

t.test('after many changes, or a change of everything, all are read again', async (t) => {
  const api = await build(t)
  const { first, second } = await seed(api)
  const ids = [first.id, second.id]
  const { read, published } = open(api, 2)
  await published(ids)
  for (let time = 0; time < 2; time++) await must(api.editor.post('/events', EVENT))
  await published(ids)
  t.same(read, [ids, ids])
  await api.app.store.db.write(async (tx) =>
    recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: api.clock.now }),
  )
  await published(ids)
  t.same(read.at(-1), ids)
})

t.test('what is read while a write happens is not kept', async (t) => {
  const api = await build(t)
  const { first } = await seed(api)
  const { store } = api.app
  const published = openPublished(
    {
      async posts(ids, view) {
        const read = await store.records.posts(ids, view)
        if (read[0]!.title === 'One')
          await must(api.editor.patch(`/events/${first.id}`, { title: 'Changed' }))
        return read
      },
    },
    store.changes,
  )
  t.same(titles(await published([first.id])), ['One'])
  t.same(titles(await published([first.id])), ['Changed'])
})

t.test('a protected event stays closed', async (t) => {
  const api = await build(t)
  const { id } = await must(
    api.editor.post('/events', { ...EVENT, password: 'secret', description: '<p>Hidden</p>' }),
  )
  t.match(await open(api).published([id]), [{ closed: true, description: '' }])
})
