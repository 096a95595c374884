import t from 'tap'
import { fold } from '../src/rules/text.ts'
import { readSearch } from '../src/rules/words.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

/** More than are looked through text by text. */
const MANY = 700
const LONG = 'a very long night at the opera'

t.test('a search among many events finds what their texts say', async (t) => {
  const { editor, author, anonymous } = await build(t)
  const texts: { open: string; all: string }[] = []
  for (let at = 0; at < MANY; at++) {
    const title = at % 9 ? `Concert ${at}` : `Ball ${at}`
    const description = [
      at % 2 ? 'jazz' : LONG,
      at % 3 ? 'banana abcabcabcab' : `${LONG}s`,
      at % 5 ? 'ox' : 'ö',
    ].join(' ')
    const password = at % 50 === 0 ? 'x' : null
    await must(editor.post('/events', { ...EVENT, title, description, password }))
    const all = fold(`${title}\n${description}`)
    texts.push({ all, open: password ? fold(title) : all })
  }
  for (const search of [
    'concert',
    'concert jazz',
    'concert jazz o x',
    'o x',
    `"${LONG}"`,
    `"${LONG}s"`,
    `-"${LONG}s"`,
    `-"${LONG}" -o`,
    'abcabcabcab',
    '-abcabcabcab concert',
    '-jazz -banana -x',
    'jazz -ox -ball',
    'ball -1 -2',
    'nothing concert',
    'concert -o',
    'opera concert "at the" -7',
    '"concert 69" jazz',
  ]) {
    const { wanted, unwanted } = readSearch(search)
    const right = (text: string) =>
      wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
    const total = async (client: typeof editor) =>
      (await client.get(`/events?search=${encodeURIComponent(search)}`)).body.total
    t.equal(await total(anonymous), texts.filter(({ open }) => right(open)).length, search)
    t.equal(await total(author), texts.filter(({ open }) => right(open)).length, `${search}: an author`)
    t.equal(await total(editor), texts.filter(({ all }) => right(all)).length, `${search}: an editor`)
  }
})
