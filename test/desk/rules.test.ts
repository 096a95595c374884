import t from 'tap'
import { changed, merge, same } from '../../desk/rules/compare.ts'
import { readCoordinates } from '../../desk/rules/coordinates.ts'
import { hashOf, readPlace } from '../../desk/rules/places.ts'
import { languagesOf, rowsOf } from '../../desk/rules/sets.ts'
import { parentsFor, treeOf } from '../../desk/rules/term.ts'

t.test('a place is written into the address and read from it', async (t) => {
  const place = { path: ['events'], query: { search: 'fish & chips', page: '2' } }
  t.equal(
    hashOf(place.path, { ...place.query, status: undefined, from: '' }),
    '#/events?search=fish+%26+chips&page=2',
  )
  t.same(readPlace(hashOf(place.path, place.query)), place)
  t.same(readPlace(hashOf(['events', 12])), { path: ['events', '12'], query: {} })
  t.same(readPlace(''), { path: [], query: {} })
})

t.test('two versions of one record are brought together', async (t) => {
  const base = { title: 'A', cost: '5', tags: [1], website: '', city: 'Vic' }
  const mine = { ...base, title: 'B', cost: '6', city: 'Olot' }
  const theirs = { ...base, title: 'C', tags: [1, 2], city: 'Olot' }
  t.same(changed(base, mine), ['title', 'cost', 'city'])
  t.ok(same(base, { ...base, tags: [1] }))
  t.same(merge(base, mine, theirs), {
    merged: { title: 'B', cost: '6', tags: [1, 2], website: '', city: 'Olot' },
    conflicts: [{ name: 'title', mine: 'B', theirs: 'C' }],
    taken: ['tags'],
  })
})

t.test('coordinates are read from the links of maps, and from two numbers', async (t) => {
  for (const text of [
    'https://www.google.com/maps/place/X/@41.5,2.5,17z/data=!3m1!4b1!4m5!3m4!1s0x0:0x0!8m2!3d41.93!4d2.25',
    'https://www.google.com/maps/@41.93,2.25,17z',
    'https://maps.google.com/?q=41.93,2.25',
    'https://maps.apple.com/?ll=41.93,2.25',
    'https://www.bing.com/maps?cp=41.93~2.25&lvl=16',
    'https://www.openstreetmap.org/?mlat=41.93&mlon=2.25#map=17/41.5/2.5',
    'https://www.openstreetmap.org/#map=17/41.93/2.25',
    'geo:41.93,2.25?z=19',
    ' 41.93, 2.25 ',
    '41.93 2.25',
  ])
    t.same(readCoordinates(text), { lat: 41.93, lng: 2.25 }, text)
  for (const text of ['', 'Carrer Major 12', 'https://example.org', '91, 2', '41, 181'])
    t.equal(readCoordinates(text), undefined, text)
})

t.test('terms stand in a tree, and none can be put below itself', async (t) => {
  const terms = [
    { id: 1, parent: 0, name: 'Music' },
    { id: 2, parent: 1, name: 'Jazz' },
    { id: 3, parent: 0, name: 'Arts' },
    { id: 4, parent: 2, name: 'Bebop' },
    { id: 5, parent: 99, name: 'Lost' },
    { id: 6, parent: 1, name: 'Choirs' },
  ]
  const names = (list: { name: string; depth: number }[]) => list.map(({ name, depth }) => `${depth} ${name}`)
  t.same(names(treeOf(terms)), ['0 Arts', '0 Lost', '0 Music', '1 Choirs', '1 Jazz', '2 Bebop'])
  t.same(names(parentsFor(terms, 2)), ['0 Arts', '0 Lost', '0 Music', '1 Choirs'])
  t.same(names(parentsFor(terms, 3)), ['0 Lost', '0 Music', '1 Choirs', '1 Jazz', '2 Bebop'])
  t.equal(parentsFor(terms, 0).length, 6)
})

t.test('translations that are alike share a row, in the first of their languages', async (t) => {
  const languages = ['en', 'ca', 'es']
  const row = (id: number, language: string, translations: Record<string, number>, day = 1) => ({
    ...{ id, language, translations, day },
  })
  const ca = row(7, 'ca', { en: 3, es: 9 })
  const alone = row(8, 'es', {})
  const en = row(3, 'en', { ca: 7, es: 9 })
  const moved = row(9, 'es', { en: 3, ca: 7 }, 2)
  const rows = rowsOf([ca, alone, en, moved], languages, ({ day }) => String(day))
  t.same(
    rows.map(({ id, all }) => [id, all.map(({ id }) => id)]),
    [
      [3, [7, 3]],
      [8, [8]],
      [9, [9]],
    ],
  )
  t.equal(rowsOf([ca, en, moved], languages).length, 1)
  t.same(languagesOf(moved, languages), [
    ['en', 3],
    ['ca', 7],
    ['es', 9],
  ])
})
