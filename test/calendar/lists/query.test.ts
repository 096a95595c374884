import t from 'tap'
import { readQuery } from '../../../src/kernel/text/search.ts'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const asked = (q: string) => `q=${encodeURIComponent(q)}&per_page=50`

t.test('words are found in the texts of events and in the names of what they are linked to', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  const venue = await must(editor.create('venue', { venue: 'Sala Apolo', city: 'Palafrugell' }))
  await must(editor.create('category', { name: 'Música antiga' }))
  const make = (title: string, more: object = {}) =>
    must(editor.create('event', { ...EVENT, title, ...more }))
  await make('One', { description: 'A concert of early music', venue: venue.id })
  await make('Two', { excerpt: 'Concertina', organizer: { organizer: 'Orfeó Català' } })
  await make('Three', { categories: ['Música antiga'], tags: ['open-air'] })
  await make('Four', { description: '東京で行われる音楽' })
  for (const [q, titles] of [
    ['concert', 'One Two'],
    ['concert ', 'One Two'],
    ['concert music', 'One'],
    ['concert"early"', 'One'],
    ['"concert"', 'One'],
    ['one "concert of"', 'One'],
    ['"concert music"', ''],
    ['apolo', 'One'],
    ['palafrug', 'One'],
    ['PALAFRUGELL concert', 'One'],
    ['palafrug concert', ''],
    ['orfeo', 'Two'],
    ['catala orfeo', 'Two'],
    ['musica', 'Three'],
    ['open-air', 'Three'],
    ['"open-air"', 'Three'],
    ['"open air"', ''],
    ['-concert', 'Two Three Four'],
    ['-concert -musica', 'Two Four'],
    ['-"sala apolo" concert', 'Two'],
    ['"sala apolo"', 'One'],
    ['音楽', 'Four'],
    ['t', 'Two Three'],
    ['a', 'One Three'],
    ['of a', 'One'],
  ] as const)
    t.equal(shown(await anonymous.list('event', asked(q))), titles, q)
  for (const q of ['""', '-', '!!!', '"', ' '])
    t.equal(shown(await anonymous.list('event', asked(q))), '400 rest_invalid_param q', q)
  t.equal(
    shown(await anonymous.list('event', asked(Array.from({ length: 21 }, (_, at) => `w${at}`).join(' ')))),
    '400 rest_invalid_param q',
  )
  t.equal(shown(await anonymous.list('event', `${asked('concert')}&search=ina`)), 'Two')
})

t.test('a change of a name changes what is found, without a write to its events', async (t) => {
  const { editor, anonymous, store } = await openRecords(t)
  const venue = await must(editor.create('venue', { venue: 'Apolo', city: 'Olot' }))
  await must(editor.create('event', { ...EVENT, title: 'One', venue: venue.id }))
  await must(editor.create('event', { ...EVENT, title: 'Two' }))
  const see = async () => {
    const found = []
    for (const q of ['apolo', 'razz', 'olot', '-apolo'])
      found.push(shown(await anonymous.list('event', asked(q))))
    return found.join(', ')
  }
  t.equal(await see(), 'One, , One, Two')
  const before = store.changes.latest().seq
  await must(editor.change('venue', venue.id, { venue: 'Razzmatazz' }))
  const rows = store.changes.rows(before, store.changes.latest().seq, ['event', 'venue'], 10)
  t.strictSame(
    rows.map(({ kind, operation }) => [kind, operation]),
    [
      ['venue', 'update'],
      ['event', 'refresh'],
    ],
  )
  t.equal(await see(), ', One, One, One Two')
  await must(editor.remove('venue', venue.id))
  t.equal(await see(), ', , , One Two')
  await must(editor.change('venue', venue.id, { status: 'publish', city: 'Vic' }))
  t.equal(await see(), ', One, , One Two')
  await must(editor.remove('venue', venue.id, 'force=true'))
  t.equal(await see(), ', , , One Two')
})

t.test('a word of hundreds of events is told from parts of words, whatever stands around it', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  const daily = (title: string, description: string) =>
    must(
      editor.create('event', { ...EVENT, title, description, recurrence: { rrule: 'FREQ=DAILY;COUNT=310' } }),
    )
  await daily('Concert matins', 'A 音楽会 of old')
  await daily('Preconcert', 'The de facto 音楽会')
  await must(editor.create('event', { ...EVENT, title: 'Vespers', description: 'With a (concert), an end' }))
  await must(editor.create('event', { ...EVENT, title: 'Concerts', description: 'Madeira' }))
  for (const [q, total] of [
    ['concert', 312],
    ['"concert"', 311],
    ['concert matins', 310],
    ['preconcert', 310],
    ['音楽会', 620],
    ['音楽', 620],
    ['de', 310],
    ['"de"', 310],
    ['mad', 1],
    ['"old"', 310],
    ['o old', 0],
    ['of old', 310],
    ['"of old"', 310],
    ['"f old"', 0],
    ['a', 311],
    ['-concert', 311],
    ['-concert -preconcert', 1],
    ['-"a (concert)" vespers', 0],
  ] as const)
    t.equal((await must(anonymous.list('event', `${asked(q)}&when=all`))).total, total, q)
})

t.test('the name of a category finds the events of all categories below it', async (t) => {
  const { store, editor, administrator, anonymous } = await openRecords(t)
  const make = async (name: string, parent?: number) =>
    (await must(editor.create('category', { name, ...(parent && { parent }) }))).id
  const music = await make('Music')
  const jazz = await make('Jazz', music)
  const bebop = await make('Bebop', jazz)
  for (const [title, category] of [
    ['One', music],
    ['Two', jazz],
    ['Three', bebop],
  ] as const)
    await must(editor.create('event', { ...EVENT, title, categories: [category] }))
  await must(editor.create('event', { ...EVENT, title: 'Four', tags: ['Music'] }))
  await must(editor.create('event', { ...EVENT, title: 'Five' }))
  const see = async () => {
    const found = []
    for (const q of ['music', 'jazz', 'bebop', '-music', 'music -jazz', 'music three'])
      found.push(shown(await anonymous.list('event', asked(q))))
    return found.join(', ')
  }
  t.equal(await see(), 'One Two Three Four, Two Three, Three, Five, One Four, Three')
  t.equal(shown(await anonymous.list('event', 'categories=music')), 'One Two Three', 'as the filter does')
  await must(editor.change('category', bebop, { parent: 0 }))
  t.equal(await see(), 'One Two Four, Two, Three, Three Five, One Four, ')
  await must(editor.change('category', bebop, { parent: music }))
  t.equal(await see(), 'One Two Three Four, Two, Three, Five, One Three Four, Three')
  await must(administrator.remove('category', music, 'force=true'))
  t.equal(await see(), 'Four, Two, Three, One Two Three Five, Four, ')
  t.equal(
    (await store.lists.suggest({ terms: readQuery('jaz').wanted, language: undefined, now: 0 })).categories
      .length,
    1,
  )
})
