import t from 'tap'
import { openNames } from '../../../src/calendar/lists/names.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'
import { readQuery } from '../../../src/kernel/text/search.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

t.test('what is kept of names stays when only the number of events of a term changes', async (t) => {
  const { store, editor } = await openRecords(t)
  const names = openNames(store.db, store.changes)
  const { id: jazz } = await must(editor.create('category', { name: 'Jazz' }))
  const [term] = readQuery('jaz').wanted
  const targets = () => {
    finish(names.follow())
    return names.targets(term!, undefined)
  }
  const counts = () => names.matching([term!]).map(({ count }) => count)
  const kept = targets()
  t.same(kept.links, { category: [jazz] })
  const { id } = await must(editor.create('event', { ...EVENT, categories: [jazz] }))
  t.equal(targets(), kept)
  t.same(counts(), [1])
  await must(editor.remove('event', id))
  t.equal(targets(), kept)
  t.same(counts(), [0])
  await must(editor.change('category', jazz, { description: 'Swing', parent: 0 }))
  t.equal(targets(), kept, 'what is no name does not matter')
  await must(editor.change('category', jazz, { name: 'Jazz and blues' }))
  t.not(targets(), kept)
})

t.test('words of names begin as they do now, whatever is written', async (t) => {
  const { store, editor } = await openRecords(t)
  const names = openNames(store.db, store.changes)
  const found = (q: string) => {
    finish(names.follow())
    return names
      .matching(readQuery(q).wanted)
      .map(({ name }) => name)
      .sort()
  }
  const make = async (venue: string): Promise<number> => (await must(editor.create('venue', { venue }))).id
  const cava = await make('Jazz Cava')
  t.same(found('jaz'), ['Jazz Cava'])
  const club = await make('Jazzclub')
  await make('Arc')
  const again = await make('Jazz Arc')
  t.same(found('jaz'), ['Jazz Arc', 'Jazz Cava', 'Jazzclub'])
  await must(editor.change('venue', club, { venue: 'Blues club' }))
  await must(editor.remove('venue', again))
  t.same(found('jaz'), ['Jazz Cava'])
  t.same(found('arc'), ['Arc'])
  await must(editor.change('venue', cava, { venue: 'Swing Cava' }))
  t.same(found('jaz'), [])
  t.same(found('club'), ['Blues club'])
})
