import t from 'tap'
import { openPublished } from '../../../src/calendar/views/records.ts'
import { EVERYTHING, recordChange } from '../../../src/kernel/database/changes.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

/** A reader that notes which events it reads from the database. */
function open({ store }: Records, most?: number) {
  const read: number[][] = []
  const posts: typeof store.records.posts = (ids, view) => {
    read.push(ids)
    return store.records.posts(ids, view)
  }
  return { read, published: openPublished({ posts }, store.changes, most) }
}
const seed = async ({ editor }: Records) => {
  const first = await must(
    editor.create('event', { ...EVENT, title: 'One', venue: { venue: 'Hall' }, tags: ['live'] }),
  )
  const second = await must(editor.create('event', { ...EVENT, title: 'Two' }))
  return { first, second }
}
const titles = (events: { title: string }[]) => events.map(({ title }) => title)

t.test('events are read once, and again after a write that changes what they show', async (t) => {
  const calendar = await openRecords(t)
  const { first, second } = await seed(calendar)
  const { read, published } = open(calendar)
  const ids = [second.id, first.id]
  t.same(titles(await published(ids)), ['Two', 'One'], 'in the order that was asked')
  t.same(titles(await published(ids)), ['Two', 'One'])
  t.same(read, [ids, []])
  for (const write of [
    () => calendar.editor.change('event', first.id, { title: 'One more' }),
    () => calendar.editor.change('venue', first.venue.id, { venue: 'Great hall' }),
    () => calendar.editor.change('tag', first.tags[0].id, { name: 'Alive' }),
    () =>
      calendar.editor.create('event', {
        ...EVENT,
        title: 'Un',
        i18n_language: 'ca',
        translation_of: first.id,
      }),
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
  await must(calendar.editor.remove('event', second.id, `force=true`))
  t.same(titles(await published(ids)), ['One more'], 'deleted ones are left out')
})

t.test('after many changes, or a change of everything, all are read again', async (t) => {
  const calendar = await openRecords(t)
  const { first, second } = await seed(calendar)
  const ids = [first.id, second.id]
  const { read, published } = open(calendar, 2)
  await published(ids)
  for (let time = 0; time < 2; time++) await must(calendar.editor.create('event', EVENT))
  await published(ids)
  t.same(read, [ids, ids])
  await calendar.store.db.write(async (tx) =>
    recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: calendar.clock.now }),
  )
  await published(ids)
  t.same(read.at(-1), ids)
})

t.test('what is read while a write happens is not kept', async (t) => {
  const calendar = await openRecords(t)
  const { first } = await seed(calendar)
  const { store } = calendar
  const published = openPublished(
    {
      async posts(ids, view) {
        const read = await store.records.posts(ids, view)
        if (read[0]!.title === 'One')
          await must(calendar.editor.change('event', first.id, { title: 'Changed' }))
        return read
      },
    },
    store.changes,
  )
  t.same(titles(await published([first.id])), ['One'])
  t.same(titles(await published([first.id])), ['Changed'])
})

t.test('a protected event stays closed', async (t) => {
  const calendar = await openRecords(t)
  const { id } = await must(
    calendar.editor.create('event', { ...EVENT, password: 'secret', description: '<p>Hidden</p>' }),
  )
  t.match(await open(calendar).published([id]), [{ closed: true, description: '' }])
})
