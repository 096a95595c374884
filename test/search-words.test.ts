import t from 'tap'
import { Search } from '../schemas/common.ts'
import { hasManyWords, MOST_WORDS, readSearch, readWords } from '../src/rules/words.ts'
import { build } from './support/app.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}x`)

for (const [search, wanted, unwanted = ''] of [
  ['i '.repeat(400), 'i'],
  ['jazz JAZZ Jázz', 'jazz'],
  ['a jazz azz rock', 'jazz,rock'],
  ['"jazz club" jazz club rock', 'jazz club,rock'],
  ['-a -jazz -rock', '', 'a,rock'],
  ['jazz -jazz', 'jazz', 'jazz'],
  ['a\0b\u0085c', 'a,b,c'],
  ['"a\0\nb" "\0" \x01', 'a b'],
] as const)
  t.test(`${JSON.stringify(search.slice(0, 40))} asks for what is needed`, async (t) => {
    t.same(readSearch(search), {
      wanted: wanted.split(',').filter(Boolean),
      unwanted: unwanted.split(',').filter(Boolean),
    })
  })

t.test('words for venues and organizers are told apart likewise', async (t) => {
  t.same(readWords('Jazz-Club jazz, club\0rock'), ['jazz-club', 'rock'])
})

t.test('a search of more words than are looked for is refused, and told how many may be', async (t) => {
  const { anonymous } = await build(t)
  t.match(Search('x').description, ` ${MOST_WORDS} `)
  t.notOk(hasManyWords(readSearch(words(MOST_WORDS).join(' '))))
  t.ok(hasManyWords(readSearch(`${words(MOST_WORDS).join(' ')} -other`)))
  for (const list of ['events', 'venues', 'organizers']) {
    const search = async (text: string) => anonymous.get(`/${list}?search=${encodeURIComponent(text)}`)
    t.equal((await search(words(MOST_WORDS).join(' '))).status, 200)
    t.equal(
      (await search(`${words(MOST_WORDS).join(' ')} word ord1x`)).status,
      200,
      'needless ones do not count',
    )
    const { status, body } = await search(words(MOST_WORDS + 1).join(' '))
    t.equal(status, 400)
    t.equal(body.code, 'rest_invalid_param')
    t.same(body.data.params, { search: 'must have at most 20 different words.' })
  }
})
