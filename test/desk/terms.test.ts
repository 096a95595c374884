import t from 'tap'
import { fitOf, found, offer, type Term, treeOf, unfolded } from '../../desk/rules/term.ts'

const term = (id: number, name: string, more: Partial<Term> = {}): Term => ({
  ...{ id, name, language: 'en', count: 0, parent: 0, translations: {} },
  ...more,
})
const names = (terms: { name: string }[]) => terms.map(({ name }) => name)

t.test('numbers in names are ordered by their value, and letters as in the language', async (t) => {
  const districts = ['District 10', 'District 2', 'district 1'].map((name, at) => term(at + 1, name))
  t.same(names(treeOf(districts)), ['district 1', 'District 2', 'District 10'])
  const spanish = ['Niño', 'Nube', 'Ñu'].map((name, at) => term(at + 1, name, { language: 'es' }))
  t.same(names(treeOf(spanish)), ['Niño', 'Nube', 'Ñu'])
})

t.test('a name fits as a whole, by its beginning, by the beginning of words, or by a part', async (t) => {
  for (const [name, typed, fit] of [
    ['Música', ' MUSICA ', 0],
    ['Music school', 'music', 1],
    ['Live music', 'mus', 2],
    ['Classical music', 'mus class', 2],
    ['Col·legi', 'collegi', 0],
    ['Amusement', 'mus', 3],
    ['C++', '+', 3],
    ['Music', '', 1],
    ['Music', 'jazz', undefined],
  ] as const)
    t.equal(fitOf(name, typed), fit, `${name}: ${typed}`)
})

const TREE = [
  term(1, 'Music', { count: 3 }),
  term(2, 'Concerts', { parent: 1 }),
  term(3, 'Jazz', { parent: 2, count: 2 }),
  term(4, 'Arts'),
  term(5, 'Live music', { parent: 4, count: 9 }),
  term(6, 'Music school', { parent: 4 }),
  term(7, 'Música', { language: 'ca' }),
]

t.test('a search in a tree keeps what its findings are below', async (t) => {
  const tree = treeOf(TREE.slice(0, 6))
  t.same(names(found(tree, 'jazz')), ['Music', 'Concerts', 'Jazz'])
  t.same(names(found(tree, 'opera')), [])
})

t.test('what is below a folded term is hidden, and counted', async (t) => {
  const tree = treeOf(TREE.slice(0, 6))
  const shown = unfolded(tree, (id) => id === 1)
  t.same(
    shown.map(({ name, below }) => [name, below]),
    [
      ['Arts', 2],
      ['Live music', 0],
      ['Music school', 0],
      ['Music', 2],
    ],
  )
  t.equal(unfolded(tree, () => false).length, 6)
})

t.test('without a text all categories are offered as trees, and tags by use', async (t) => {
  const all = offer(TREE, '', ['ca', 'en'])
  t.same(
    all.map(({ name, depth }) => `${depth} ${name}`),
    ['0 Música', '0 Arts', '1 Live music', '1 Music school', '0 Music', '1 Concerts', '2 Jazz'],
  )
  const tags = TREE.map(({ parent: _, ...tag }) => tag)
  t.same(names(offer(tags, '', ['en'])).slice(0, 4), ['Live music', 'Music', 'Jazz', 'Arts'])
})

t.test('the best of what was typed comes first, and the language that has it', async (t) => {
  const typed = offer(TREE, 'música', ['en', 'ca'])
  t.same(names(typed), ['Música'])
  const both = offer(TREE, 'music', ['ca', 'en'])
  t.same(
    both.map(({ name, path }) => [name, path.join()]),
    [
      ['Music', ''],
      ['Music school', 'Arts'],
      ['Live music', 'Arts'],
      ['Música', ''],
    ],
  )
  t.same(offer(TREE, 'xylophone', ['ca', 'en']), [])
  const equal = [term(8, 'Room 10'), term(9, 'Room 2')]
  t.same(names(offer(equal, 'room', ['en'])), ['Room 2', 'Room 10'])
  t.same(
    offer(TREE, 'jazz', ['en']).map(({ path }) => path),
    [['Music', 'Concerts']],
  )
})
